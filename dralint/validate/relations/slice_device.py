"""One device of a ResourceSlice: attributes, capacity with its request policy, resources of the node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import meant, path_of, removed
from dralint.finding.rule_ids import (
    DEVICE_VALUES,
    DUPLICATE_ENTRY,
    MISSING_FIELD,
    NEGATIVE_AMOUNT,
    NODE_ALLOCATABLE_RESOURCES,
    ONE_OF,
    REQUEST_POLICY,
    SLICE_NODES,
)
from dralint.finding.words import ordinal, quoted
from dralint.kubernetes.quantity import ZERO, Quantity, parse_quantity, read_quantity
from dralint.records import NamedTuple
from dralint.validate.constraints import too_many
from dralint.validate.relations.claim import binding_conditions
from dralint.validate.relations.slices import (
    LISTS,
    consumption,
    is_declarative,
    nested_device,
    nested_link,
    one_mapping,
    one_value,
    taint_effects,
)
from dralint.yaml import number_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.problem import Link
    from dralint.validate.constraints import Context


def node_allocatable(fields: dict[str, Any], inner: Link, context: Context) -> None:
    """The resources of a device by name, in the form that the release has."""
    capacity = fields.get("capacity") or {}
    for name, item in (fields.get("nodeAllocatableResourceMappings") or {}).items():
        _mapping_136(name, item or {}, ((inner, "nodeAllocatableResourceMappings"), name, None), capacity, context)
    for name, item in (fields.get("nodeAllocatableResources") or {}).items():
        here: Link = ((inner, "nodeAllocatableResources"), name, None)
        if name not in ("cpu", "memory") and not name.startswith("hugepages-"):
            message = f"{quoted(name)} is not a resource that devices can represent: cpu, memory or hugepages-SIZE"
            hint, repair = meant(name, ("cpu", "memory"), path_of(here), key=True, otherwise="write one of these")
            context.add(NODE_ALLOCATABLE_RESOURCES, here, "Invalid", message, hint, target="key", repair=repair)
        _resource_137(item or {}, here, capacity, context)


def _mapping_136(name: str, item: dict[str, Any], here: Link, capacity: dict[str, Any], context: Context) -> None:
    # An empty mapping is valid: its multiplier becomes 1 (pkg/apis/resource/v1/defaults.go).
    if "/" in name and "kubernetes.io/" not in name:
        message = f"{quoted(name)} is not a resource of nodes, such as cpu or memory"
        context.add(
            NODE_ALLOCATABLE_RESOURCES, here, "Invalid", message, "write the name of a node's resource", target="key"
        )
    _positive(item, "allocationMultiplier", here, context)
    _capacity_key(item.get("capacityKey"), here, capacity, context)


def _resource_137(item: dict[str, Any], here: Link, capacity: dict[str, Any], context: Context) -> None:
    mapping, overhead = item.get("mapping"), item.get("overhead")
    if mapping is None and overhead is None:
        message = "neither `mapping` nor `overhead` is set: at least one must be"
        context.add(ONE_OF, here, "Required", message, "add one of the two")
    if mapping is not None:
        place: Link = (here, "mapping")
        one_mapping(item, here, context)
        key, multiplier = mapping.get("capacityKey"), mapping.get("capacityMultiplier")
        _capacity_key(key, place, capacity, context)
        if key is not None and multiplier is None:
            message = "`capacityMultiplier` is required with `capacityKey`"
            context.add(MISSING_FIELD, (place, "capacityMultiplier"), "Required", message, "add it, such as 1")
        elif key is not None:
            _positive(mapping, "capacityMultiplier", place, context)
        elif multiplier is not None:
            message = "`capacityKey` is required with `capacityMultiplier`"
            context.add(MISSING_FIELD, (place, "capacityKey"), "Required", message, "name a capacity of this device")
        _positive(mapping, "deviceMultiplier", place, context)
    if overhead is not None:
        place = (here, "overhead")
        if overhead.get("perPod") is None and overhead.get("perContainer") is None:
            message = "neither `perPod` nor `perContainer` is set: at least one must be"
            context.add(ONE_OF, place, "Invalid", message, "add one of the two")
        for name in ("perPod", "perContainer"):
            amount = overhead.get(name)
            if amount is not None and _exact(amount) < 0:
                message = f"{quoted(amount)} is negative: an overhead is at least 0"
                context.add(NODE_ALLOCATABLE_RESOURCES, (place, name), "Invalid", message, "write 0 or more")


def _capacity_key(key: str | None, place: Link, capacity: dict[str, Any], context: Context) -> None:
    if key is None:
        return
    if not key:
        hint: str | None = "leave it out, or name a capacity"
        context.add(NODE_ALLOCATABLE_RESOURCES, (place, "capacityKey"), "Invalid", "`capacityKey` is empty", hint)
    elif key not in capacity:
        has = ", ".join(sorted(capacity)[:10])
        words = f"; it has: {has}" if has else ""
        message = f"the device has no capacity {quoted(key)}{words}"
        nothing = "name a capacity of this device, or add it" if has else "add it under `capacity`"
        hint, repair = meant(key, capacity, path_of((place, "capacityKey")), otherwise=nothing)
        context.add(NODE_ALLOCATABLE_RESOURCES, (place, "capacityKey"), "NotFound", message, hint, repair=repair)


def _exact(amount: str | float) -> Any:
    return read_quantity(amount if isinstance(amount, str) else number_text(amount)).exact


def _positive(item: dict[str, Any], key: str, place: Link, context: Context) -> None:
    amount = item.get(key)
    if amount is not None and _exact(amount) <= 0:
        message = f"{quoted(amount)} is not positive: a multiplier is above 0"
        context.add(NODE_ALLOCATABLE_RESOURCES, (place, key), "Invalid", message, "write an amount above 0")


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


_SELECTION = ("nodeName", "nodeSelector", "allNodes")


def device(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """Check a device: its amounts, its nodes, and the relations between its fields."""
    inner, fields = nested_link(link, context), nested_device(value, context)
    _number_of_attributes(fields, link, inner, context)
    _nodes(fields, link, inner, context)
    capacities(fields, inner, context)
    consumption(fields, link, inner, context)
    binding_conditions(fields, inner, context, "Device")
    node_allocatable(fields, inner, context)
    if is_declarative(context) and len(fields.get("taints") or ()) > context.limit("Device", "taints", "maxItems"):
        taint_effects(fields, inner, context)
    return _unread(context)


def basic_device(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """Check the part of a device under `basic`; `device` has already checked the rest."""
    return _unread(context)


def attribute(value: dict[str, Any], link: Link, context: Context) -> None:
    """An attribute has exactly one value."""
    if len(value) == 1 and all(value.values()):
        return
    one_value(value, link, context)
    for key in LISTS:
        if value.get(key) == []:
            context.add(MISSING_FIELD, (link, key), "Invalid", f"`{key}` is an empty list", "leave the attribute out")


def _unread(context: Context) -> Collection[str] | None:
    """Return the fields that count only where nodes are selected for each device."""
    return None if _per_device(context) else ("nodeName", "nodeSelector")


def _per_device(context: Context) -> bool:
    return bool((context.root.get("spec") or {}).get("perDeviceNodeSelection"))


def _number_of_attributes(fields: dict[str, Any], link: Link, inner: Link, context: Context) -> None:
    attributes, capacity = fields.get("attributes") or {}, fields.get("capacity") or {}
    total = len(attributes) + len(capacity)
    most = context.limits.total("device-entries")
    if total > most:
        message = (
            f"the device has {len(attributes)} attributes and {len(capacity)} capacities; "
            f"at most {most} of both together are allowed"
        )
        where = (inner, "attributes" if attributes else "capacity")
        context.add(DEVICE_VALUES, link, "Invalid", message, "remove what no selector uses", where=where, target="key")
    if "attribute-values-limited" in context.does:
        values = sum(_number_of_values(item) for item in attributes.values())
        most = context.limits.total("device-values")
        if values > most:
            message = f"the attributes of the device have {values} values together; at most {most} are allowed"
            hint = "remove what no selector uses"
            context.add(DEVICE_VALUES, link, "Invalid", message, hint, where=(inner, "attributes"), target="key")


def _number_of_values(attribute: dict[str, Any] | None) -> int:
    """Return the number of values of an attribute: each item of its lists, or one."""
    return sum(len(value) for value in (attribute or {}).values() if isinstance(value, list)) or 1


def _nodes(fields: dict[str, Any], link: Link, inner: Link, context: Context) -> None:
    given = [key for key in _SELECTION if fields.get(key) is not None]
    if not _per_device(context):
        if given:
            message = f"the device sets `{given[0]}`, but its slice does not set `perDeviceNodeSelection`"
            hint = "set spec.perDeviceNodeSelection: true and no other node selection in spec, or remove the field"
            context.add(SLICE_NODES, link, "Invalid", message, hint, where=(inner, given[0]), target="key")
        return
    present = [key for key in given if fields[key] not in ("", False)]
    if fields.get("nodeName") == "":
        repair = removed(path_of((inner, "nodeName")), safe=True) if present else None
        hint = "leave it out, or name a node"
        context.add(SLICE_NODES, (inner, "nodeName"), "Invalid", "`nodeName` is empty", hint, repair=repair)
    if fields.get("allNodes") is False:
        repair = removed(path_of((inner, "allNodes")), safe=True) if present else None
        hint = "leave it out, or set it to true"
        context.add(SLICE_NODES, (inner, "allNodes"), "Invalid", "`allNodes` is false", hint, repair=repair)
    words = ", ".join(f"`{key}`" for key in _SELECTION)
    because = "spec.perDeviceNodeSelection is true"
    if not present:
        message = f"the device does not say which nodes can use it: {because}, so exactly one of {words} must be set"
        hint = "for a device of one node set nodeName, for one that every node can use allNodes: true"
        context.add(SLICE_NODES, link, "Required", message, hint)
    elif len(present) > 1:
        message = f"{' and '.join(f'`{key}`' for key in present)} are set: exactly one of {words} must be set"
        context.add(SLICE_NODES, link, "Invalid", message, "keep one of them", where=(inner, present[1]), target="key")
