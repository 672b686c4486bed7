"""How much of a capacity a request can take (validateRequestPolicy in pkg/apis/resource/validation/validation.go,
v1.34.4 to v1.37.0)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dralint.finding.path import path_of
from dralint.finding.rule_ids import DUPLICATE_ENTRY, MISSING_FIELD, NEGATIVE_AMOUNT, REQUEST_POLICY
from dralint.finding.words import ordinal, quoted
from dralint.kubernetes.quantity import ZERO, Quantity, parse_quantity, read_quantity
from dralint.records import NamedTuple
from dralint.validate.constraints import too_many
from dralint.yaml import number_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.path import Link
    from dralint.validate.context import Context

_INT64 = 2**63 - 1
_FRACTIONAL = "DRAFractionalCapacityRange"


class _Amount(NamedTuple):
    """A quantity and how the manifest spells it."""

    text: str
    quantity: Quantity


def _amount(value: str | float | None) -> _Amount:
    if value is None:
        return _Amount("0", ZERO)
    text = value if isinstance(value, str) else number_text(value)
    return _Amount(text, read_quantity(text))


def capacities(fields: dict[str, Any], inner: Link, context: Context) -> None:
    """The request policies of all capacities of a device."""
    shown = context.limit("Device", "capacity", "shown")
    for name, item in (fields.get("capacity") or {}).items():
        policy = item.get("requestPolicy") if isinstance(item, dict) else None
        if policy is None:
            continue
        link: Link = (((inner, "capacity"), name, shown), "requestPolicy")
        if not fields.get("allowMultipleAllocations"):
            message = "`requestPolicy` requires `allowMultipleAllocations: true` on the device"
            hint = "write allowMultipleAllocations: true next to capacity, or remove requestPolicy"
            context.add(REQUEST_POLICY, link, "Forbidden", message, hint, target="key")
            continue
        _policy(_amount(item.get("value")), policy, link, context)


def negative_requests(value: dict[str, Any], link: Link, context: Context) -> None:
    """Amounts of capacity below zero: the server takes them, and no release does what they say."""
    capacity = value.get("capacity")
    requests = capacity.get("requests") if isinstance(capacity, dict) else None
    for name, amount in (requests or {}).items() if isinstance(requests, dict) else ():
        if str(amount).startswith("-") and parse_quantity(str(amount)) < 0:
            message = f"{quoted(str(amount))} of {quoted(name)} is a negative amount: no device can give it"
            here: Link = (((link, "capacity"), "requests"), name)
            context.add(NEGATIVE_AMOUNT, here, None, message, "write a positive quantity")


def request_policy(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """A policy is judged with its device (`capacities`), which alone knows whether the number of values counts."""
    return ("validValues",)


def _policy(capacity: _Amount, policy: dict[str, Any], link: Link, context: Context) -> None:
    values, bounds = policy.get("validValues") or [], policy.get("validRange")
    if values and bounds is not None:
        message = "`validValues` and `validRange` exclude each other"
        context.add(
            REQUEST_POLICY, link, "Forbidden", message, "keep one of the two", where=(link, "validRange"), target="key"
        )
        return
    present = "validValues" if values else "validRange"
    if not values and bounds is None:
        return
    if policy.get("default") is None:
        message = f"`default` is required with `{present}`"
        context.add(MISSING_FIELD, (link, "default"), "Required", message, "set the amount for a request without one")
        return
    default = _amount(policy["default"])
    if values:
        _values(default, capacity, [_amount(value) for value in values], (link, "validValues"), link, context)
    else:
        _Range(default, capacity, bounds or {}, link, context).check()


def _values(
    default: _Amount, capacity: _Amount, values: list[_Amount], link: Link, policy: Link, context: Context
) -> None:
    for position in range(1, len(values)):
        before, value = values[position - 1], values[position]
        if before.quantity.exact > value.quantity.exact:
            message = f'"{value.text}" is less than "{before.text}" before it; `validValues` must ascend'
            context.add(REQUEST_POLICY, (link, position), "Invalid", message, "sort the values")
    too_long = too_many(context, link, "CapacityRequestPolicy", "validValues", values)
    hidden = too_long and "long-list-hides-items" in context.does
    if not hidden:
        first: dict[object, int] = {}
        for position, value in enumerate(values):
            if value.quantity.exact > capacity.quantity.exact:
                message = f'"{value.text}" is more than the capacity, {quoted(capacity.text)}'
                hint = "remove the entry, or raise the `value` of the capacity"
                context.add(REQUEST_POLICY, (link, position), "Invalid", message, hint)
            key = value.quantity.decimal_text() if _FRACTIONAL in context.gates else value.quantity.integer()
            if key in first:
                same = values[first[key]].text
                rounded = "" if same == value.text else f' (the same as "{same}", once rounded up to whole units)'
                message = f'"{value.text}" is already the {ordinal(first[key])} entry{rounded}'
                related = (("first used here", (*path_of(link), first[key])),)
                context.add(DUPLICATE_ENTRY, (link, position), "Duplicate", message, "remove it", related=related)
            first.setdefault(key, position)
    if hidden or all(value.quantity.exact != default.quantity.exact for value in values):
        if hidden and any(value.quantity.exact == default.quantity.exact for value in values):
            message = f'dralint does not look for the default "{default.text}" in a list that is too long'
        else:
            message = f'the default "{default.text}" is not one of the valid values'
        hint = "add it to `validValues`, or make one of them the default"
        context.add(
            REQUEST_POLICY, link, "Invalid", message, hint, related=(("the default", (*path_of(policy), "default")),)
        )


_LOWER = "write a smaller amount, or raise the `value` of the capacity"


@dataclass(frozen=True, slots=True)
class _Range:
    """A range of amounts with what surrounds it; `link` leads to the policy."""

    default: _Amount
    capacity: _Amount
    bounds: dict[str, Any]
    link: Link
    context: Context

    def check(self) -> None:
        """Report what is wrong with the range."""
        if self.bounds.get("min") is None:
            message = "`min` is required in `validRange`"
            self.context.add(
                MISSING_FIELD, (self._range, "min"), "Required", message, "set the smallest amount, such as 1"
            )
            return
        low = _amount(self.bounds["min"])
        high = None if self.bounds.get("max") is None else _amount(self.bounds["max"])
        step = None if self.bounds.get("step") is None else _amount(self.bounds["step"])
        self._order(low, high)
        members = [("default", self.default), ("min", low), ("max", high), ("step", step)]
        amounts = [(key, amount) for key, amount in members if amount is not None]
        milli = _FRACTIONAL in self.context.gates and any(a.quantity.exact.denominator != 1 for _, a in amounts)
        if milli and not self._representable(amounts):
            return
        if step is not None:
            self._step(low, high, step, amounts, milli=milli)

    @property
    def _range(self) -> Link:
        return (self.link, "validRange")

    def _bad(self, key: str, message: str, hint: str | None = None, *, at: str = "", default: bool = False) -> None:
        """Report at `key` of the range, underlined at `at` where the range has no such key."""
        where: Link = (self._range, at) if at else None
        related = (("the default", (*path_of(self.link), "default")),) if default else ()
        self.context.add(REQUEST_POLICY, (self._range, key), "Invalid", message, hint, where=where, related=related)

    def _order(self, low: _Amount, high: _Amount | None) -> None:
        renamed = "range-default-path" in self.context.does
        if low.quantity.exact > self.capacity.quantity.exact:
            self._bad("min", f'min "{low.text}" is more than the capacity, "{self.capacity.text}"', _LOWER)
        if self.default.quantity.exact < low.quantity.exact:
            message = f'the default "{self.default.text}" is less than min, "{low.text}"'
            hint = "raise the default, or lower `min`"
            self._bad("default" if renamed else "min", message, hint, at="min", default=True)
        if high is None:
            return
        if low.quantity.exact > high.quantity.exact:
            self._bad(
                "max", f'max "{high.text}" is less than min, "{low.text}"', "swap the two, or correct one of them"
            )
        if high.quantity.exact > self.capacity.quantity.exact:
            self._bad("max", f'max "{high.text}" is more than the capacity, "{self.capacity.text}"', _LOWER)
        if self.default.quantity.exact > high.quantity.exact:
            message = f'the default "{self.default.text}" is more than max, "{high.text}"'
            hint = "lower the default, or raise `max`"
            self._bad("default" if renamed else "max", message, hint, at="max", default=True)

    def _bad_amount(self, key: str, message: str, hint: str | None = None) -> None:
        """Report one of the amounts; the default, which is outside of the range, at `min`."""
        outside = key == "default"
        self._bad(key, message, hint, at="min" if outside else "", default=outside)

    def _representable(self, amounts: list[tuple[str, _Amount]]) -> bool:
        good = True
        for key, amount in amounts:
            if amount.quantity.integer(3) != amount.quantity.exact * 1000:
                message = f'{key} "{amount.text}" is not a whole number of thousandths'
                self._bad_amount(key, message, "use the suffix m")
                good = False
        return good

    def _step(
        self, low: _Amount, high: _Amount | None, step: _Amount, amounts: list[tuple[str, _Amount]], *, milli: bool
    ) -> None:
        strict = "step-positive" in self.context.does
        if strict and step.quantity.exact <= 0:
            self._bad("step", f'step "{step.text}" is not positive', "write an amount above 0")
            return
        if low.quantity.exact + step.quantity.exact > self.capacity.quantity.exact:
            message = f'min "{low.text}" and one step "{step.text}" are more than the capacity, "{self.capacity.text}"'
            self._bad("step", message, "write a smaller step, or leave it out")
        if strict and not milli and not self._in_range(amounts):
            return
        digits = 3 if milli else 0
        divisor, base = step.quantity.integer(digits), low.quantity.integer(digits)
        if divisor == 0:
            self._bad("step", f'step "{step.text}" is zero: the server fails on the request', "set at least 1")
            return
        for key, amount in (("the default", self.default), ("max", high)):
            if amount is not None and (amount.quantity.integer(digits) - base) % divisor:
                message = (
                    f'{key} "{amount.text}" is not a whole number of steps of "{step.text}" above min, "{low.text}"'
                )
                hint = "write an amount of whole steps above `min`, or another step"
                self._bad("step", message, hint, default=amount is self.default)

    def _in_range(self, amounts: list[tuple[str, _Amount]]) -> bool:
        good = True
        for key, amount in amounts:
            if not 0 <= amount.quantity.exact <= _INT64:
                message = f'{key} "{amount.text}" is out of range: with a step, amounts lie between 0 and {_INT64}'
                self._bad_amount(key, message)
                good = False
        return good
