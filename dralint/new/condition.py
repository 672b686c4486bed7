"""Turns conditions on devices as users type them (`memory >= 40Gi`) into CEL, by the attributes of a driver."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from dralint.cel.values.literals import parse_semver
from dralint.drivers.devices import ATTRIBUTES, CAPACITY, Name, shown
from dralint.drivers.patterns import is_all_of
from dralint.kubernetes.near import closest
from dralint.kubernetes.quantity import parse_quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.drivers.devices import DeviceKind, Known

_FORM = re.compile(r"\s*(!?)\s*([\w./-]+)\s*(?:(>=|<=|==|!=|=|>|<|\b(?:in|contains)\b)\s*(.*?))?\s*\Z", re.DOTALL)
_EXAMPLES = "'memory >= 40Gi', 'model == A100', 'profile in 1g.5gb,2g.10gb'"
_ORDER = (">=", "<=", ">", "<")
_ALLOWED = {
    "string": ("==", "!=", "in", "contains"),
    "bool": ("==", "!="),
    "list": ("contains",),
}
"""Type of a value → its operators; all other types are numbers, with the operators of `_NUMBERS`."""
_NUMBERS = (*_ORDER, "==", "!=", "in")
_LONGEST = 80
"""The longest expression on one line, in characters."""
_NUMBER = re.compile(r"-?[0-9]+\Z")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class ConditionError(ValueError):
    """A condition that does not fit the devices of the driver; the text has the problem and what exists."""


class Condition(NamedTuple):
    """A condition: the attribute or capacity, its CEL, and the text that was typed."""

    name: Name
    expression: str
    text: str

    def guarded(self, devices: Sequence[DeviceKind]) -> list[str]:
        """Return the parts of the expression for these devices: a lookup fails on a device without the attribute."""
        known = [device.find(self.name) for device in devices]
        if all(each is not None and each.always for each in known):
            return [self.expression]
        name = self.name
        return [f'{json.dumps(name.name)} in device.{name.which}["{name.domain}"]', self.expression]


def condition(text: str, devices: Sequence[DeviceKind]) -> Condition:
    """Return the condition of a text for the devices of a driver.

    Raises:
        ConditionError: the text has another form, or the devices have no such attribute, type or value.
    """
    match = _FORM.match(text)
    if match is None:
        raise ConditionError(f"{text!r} is not a condition; write NAME OPERATOR VALUE, such as {_EXAMPLES}")
    negated, written, operator, value = match.groups()
    name = _name(written, devices)
    found = [known for device in devices if (known := device.find(name)) is not None]
    kind = found[0].type.partition(" of ")[0]
    if kind == "any":
        kind = "int" if _NUMBER.match(value or "") else "bool" if value in (None, "true", "false") else "string"
    if operator is None:
        if kind != "bool":
            some = _example(name, kind, found)
            raise ConditionError(f"{text!r} has no value: {name.name} is {_kind(kind)}, write {some}")
        return Condition(name, f"{negated}{_field(name)}", text.strip())
    operator = "==" if operator == "=" else operator
    allowed = _ALLOWED.get(kind, _NUMBERS)
    if negated or operator not in allowed or not value:
        what = "a condition has no ! before a comparison" if negated else f"{name.name} is {_kind(kind)}"
        raise ConditionError(f"{text!r}: {what}; write {_example(name, kind, found)} with {' or '.join(allowed)}")
    values = [_value(each.strip(), name, kind, found) for each in (value.split(",") if operator == "in" else [value])]
    if kind == "bool":
        return Condition(name, ("" if (values == ["true"]) is (operator == "==") else "!") + _field(name), text.strip())
    return Condition(name, _expression(name, kind, operator, values), text.strip())


def _expression(name: Name, kind: str, operator: str, values: list[str]) -> str:
    field = _field(name)
    if operator == "contains":
        return f"{values[0]} in {field}" if kind == "list" else f"{field}.contains({values[0]})"
    if kind in ("version", "quantity"):
        word = {"version": "semver", "quantity": "quantity"}[kind]
        each = [f"{field}.compareTo({word}({value})) {'==' if operator == 'in' else operator} 0" for value in values]
        return each[0] if len(each) == 1 else f"({' || '.join(each)})"
    return f"{field} in [{', '.join(values)}]" if operator == "in" else f"{field} {operator} {values[0]}"


def _field(name: Name) -> str:
    """Return the attribute or capacity as CEL reads it."""
    return name.text if _IDENTIFIER.match(name.name) else f'device.{name.which}["{name.domain}"]["{name.name}"]'


def _name(written: str, devices: Sequence[DeviceKind]) -> Name:
    """Return the attribute or capacity that a text names, with or without its domain."""
    names = list(dict.fromkeys(name for device in devices for name in device.known))
    domain, slash, last = written.rpartition("/")
    found = [name for name in names if name.name == last and (not slash or name.domain == domain)]
    if not found and slash:
        found = [
            name for name in (Name(ATTRIBUTES, domain, last), Name(CAPACITY, domain, last))
            if any(device.find(name) for device in devices)
        ]  # fmt: skip
    if not found:
        found = [
            name
            for device in devices
            for pattern, _ in device.patterns
            if is_all_of(pattern.name, last)
            for name in [pattern._replace(name=last)]
        ]
    if found:
        return found[0]
    driver = devices[0].driver
    known = list(dict.fromkeys(name.name if name.domain == driver else f"{name.domain}/{name.name}" for name in names))
    by_last = {name.rpartition("/")[2]: name for name in known}
    tip = closest(written, {**dict.fromkeys(known), **by_last}) or (
        f"they have {', '.join(known)}" if known else "they have none"
    )
    raise ConditionError(f"devices of {driver} have no attribute or capacity {written!r}; {tip}")


def _value(text: str, name: Name, kind: str, found: Sequence[Known]) -> str:
    """Return a value as CEL, in the type of the attribute."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    closed = list(dict.fromkeys(shown(value) for known in found for value in known.values or ()))
    if closed and all(known.values is not None for known in found) and text not in closed and kind == "string":
        tip = closest(text, closed) or f"it is {' or '.join(closed)}"
        raise ConditionError(f"{name.name} is never {text!r}; {tip}")
    if kind == "version":
        parts = text.removeprefix("v").split(".")
        text = ".".join([*parts, "0", "0"][:3]) if len(parts) < 3 else text.removeprefix("v")
    try:
        if kind == "int":
            return str(int(text))
        if kind == "quantity":
            parse_quantity(text)
        elif kind == "version":
            parse_semver(text)
        elif kind == "bool" and text not in ("true", "false"):
            raise ValueError
    except ValueError:
        raise ConditionError(f"{text!r}: {name.name} is {_kind(kind)}; write {_example(name, kind, found)}") from None
    return text if kind == "bool" else json.dumps(text, ensure_ascii=False)


def _kind(kind: str) -> str:
    return {
        "int": "a number",
        "bool": "true or false",
        "version": "a version",
        "quantity": "a quantity",
        "list": "a list of strings",
    }.get(kind, "a text")


def _example(name: Name, kind: str, found: Sequence[Known]) -> str:
    """Return an example of a condition."""
    values = [shown(value) for known in found for value in (*(known.values or ()), *known.listed)]
    text = next(iter(values), {"version": "1.2.0", "quantity": "40Gi", "int": "1", "bool": "true"}.get(kind, "VALUE"))
    operator = {"list": "contains", "version": ">=", "quantity": ">="}.get(kind, "==")
    return f"'{name.name} {operator} {text}'"


def parts(conditions: Sequence[Condition], devices: Sequence[DeviceKind]) -> list[str]:
    """Return the parts of the expression that is true for those devices that meet all conditions."""
    return list(dict.fromkeys(part for each in conditions for part in each.guarded(devices)))


def joined(several: Sequence[str]) -> str:
    """Return the parts as one expression, each on its own line if they are long."""
    line = " && ".join(several)
    return line if len(line) <= _LONGEST else " &&\n".join(several)
