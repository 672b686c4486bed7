"""Explains why a selector matches nothing, or fails: it compares its lookups with the devices."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dralint.cel.syntax.lookup import lookup_of
from dralint.cel.syntax.tree import Call, Literal, Select, walk
from dralint.cel.values.values import Semver
from dralint.finding.words import quoted
from dralint.kubernetes.near import closest
from dralint.references.expressions import compiled
from dralint.references.misspelt_names import KnownNames

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.cel.eval.machine import Device
    from dralint.cel.syntax.tree import Node

Parts = tuple[str, str, str]
"""`attributes` or `capacity`, domain, name."""

_UNITS = [(f"{letter}i", 1024**power) for power, letter in enumerate("KMGTPE", 1)]
_UNITS += [(letter, 1000**power) for power, letter in enumerate("kMGTPE", 1)]
_MOST_VALUES = 6
_ARTICLE = {"attributes": "an", "capacity": "a"}
_TYPES = {bool: "a bool", int: "an int", str: "a string", list: "a list"}


def looked_up(expression: str) -> list[Parts]:
    """Return what an expression looks up by literal names, even if only by `has` or `in`."""
    compilation = compiled(expression)
    return [] if compilation is None or compilation.root is None else names_in(compilation.root)


def names_in(root: Node) -> list[Parts]:
    """Return what the tree of an expression looks up by literal names."""
    out: dict[Parts, None] = {}
    for node in walk(root):
        parts: tuple[str | None, ...] = ()
        if isinstance(node, Select) and node.test:
            inner = lookup_of(node.operand)
            parts = (*inner.parts, node.field) if inner is not None else ()
        elif isinstance(node, Call) and node.function == "@in":
            inner, key = lookup_of(node.args[1]), node.args[0]
            if inner is not None and isinstance(key, Literal) and isinstance(key.value, str):
                parts = (*inner.parts, key.value)
        elif isinstance(node, Call) and node.function in ("_?._", "_[?_]"):
            inner, key = lookup_of(node.args[0]), node.args[1]
            if inner is not None and isinstance(key, Literal) and isinstance(key.value, str):
                parts = (*inner.parts, key.value)
        elif isinstance(node, Select | Call):
            inner = lookup_of(node)
            parts = () if inner is None else inner.parts
        if len(parts) == 3 and None not in parts:
            out[str(parts[0]), str(parts[1]), str(parts[2])] = None
    return list(out)


def values(devices: Sequence[Device], parts: Parts) -> list[Any]:
    """Return the values of a lookup, one for each device that has it."""
    kind, domain, name = parts
    out: list[Any] = []
    for device in devices:
        held = device.attributes if kind == "attributes" else device.capacity
        full = f"{domain}/{name}"
        if full in held:
            out.append(held[full])
        elif domain == device.driver and name in held:
            out.append(held[name])
    return out


def names(devices: Sequence[Device], kind: str) -> dict[str, set[str]]:
    """Return the domains of what devices have, each with its names."""
    out: dict[str, set[str]] = {}
    for device in devices:
        for full in device.attributes if kind == "attributes" else device.capacity:
            domain, slash, name = full.partition("/")
            if not slash:
                domain, name = device.driver, full
            out.setdefault(domain, set()).add(name)
    return out


def explain(devices: Sequence[Device], expression: str) -> tuple[str, str | None]:
    """Return why an expression is true for none of the devices, or fails, and what to write instead.

    The reason is an empty text where it is unknown.
    """
    reasons: list[str] = []
    hint: str | None = None
    for parts in looked_up(expression):
        reason, better = _one(devices, parts, expression)
        if reason:
            reasons.append(reason)
            hint = hint or better
    return "; ".join(reasons[:2]), hint


def _one(devices: Sequence[Device], parts: Parts, expression: str) -> tuple[str, str | None]:
    kind, domain, name = parts
    one = "attribute" if kind == "attributes" else "capacity"
    found = values(devices, parts)
    total = len(devices)
    if not found:
        return _unknown(devices, parts, one)
    if len(found) < total:
        others = sorted({device.driver for device in devices if not values([device], parts)} - {domain})
        lacking = f", not on those of {', '.join(others)}" if others else ""
        reason = f"the {one} {quoted(name)} exists on {len(found)} of {total} devices{lacking}"
        path = f'device.{kind}["{domain}"]'
        return reason, f'test first, "{name}" in {path} && ..., or select the driver first, device.driver == ... && ...'
    return _values(found, parts, one, expression)


def _unknown(devices: Sequence[Device], parts: Parts, one: str) -> tuple[str, str | None]:
    kind, domain, name = parts
    known = names(devices, kind)
    other = "capacity" if kind == "attributes" else "attributes"
    count = f"exists on 0 of {len(devices)} devices"
    if domain not in known:
        domains = ", ".join(sorted(known)) or "none"
        meant = KnownNames(known).closest(domain)
        if name in names(devices, other).get(domain, ()):
            return _other_kind(parts, one)
        hint = None if meant is None else f"did you mean {quoted(meant)}?"
        if meant is None:
            hint = _in_other_domain(known, kind, name)
        return f"no device has {_ARTICLE[kind]} {one} of the domain {quoted(domain)} (there are: {domains})", hint
    if name in names(devices, other).get(domain, ()):
        return _other_kind(parts, one)
    inside = known[domain]
    hint = closest(name, sorted(inside)) or _in_other_domain(known, kind, name)
    return f"the {one} {quoted(name)} {count}", hint or f"the devices have {', '.join(sorted(inside))}"


def _in_other_domain(known: Mapping[str, set[str]], kind: str, name: str) -> str | None:
    having = sorted(domain for domain, inside in known.items() if name in inside)
    return f'did you mean device.{kind}["{having[0]}"].{name}?' if having else None


def _other_kind(parts: Parts, one: str) -> tuple[str, str | None]:
    kind, domain, name = parts
    other, article = ("capacity", "a capacity") if kind == "attributes" else ("attributes", "an attribute")
    hint = f'look it up in device.{other}["{domain}"], not in device.{kind}["{domain}"]'
    return f"{quoted(name)} is {article} of the devices, not {_ARTICLE[kind]} {one}", hint


def _values(found: Sequence[Any], parts: Parts, one: str, expression: str) -> tuple[str, str | None]:
    _, _, name = parts
    shown = spelled(found)
    reason = f"the {one} {quoted(name)} is {shown}"
    for literal in _compared(expression, parts):
        kinds = {type(value) for value in found}
        if isinstance(literal, bool | int | str) and type(literal) not in kinds:
            kind = _kind(found[0])
            hint = f"compare it with {kind}, as {_literal(found[0])}"
            return f"the {one} {quoted(name)} is {kind} ({shown}), compared with {_TYPES[type(literal)]}", hint
        if isinstance(literal, str):
            folded = [value for value in found if isinstance(value, str) and value.lower() == literal.lower()]
            if folded and literal not in found:
                return reason, f"did you mean {quoted(folded[0])}?"
    return reason, None


def spelled(found: Sequence[Any]) -> str:
    """Return the different values of the devices, as a message lists them; of quantities only the largest."""
    texts = list(dict.fromkeys(_spell(value) for value in found))
    rest = f" and {len(texts) - _MOST_VALUES} more" if len(texts) > _MOST_VALUES else ""
    return " or ".join(texts[:_MOST_VALUES]) + rest


def _spell(value: Any) -> str:
    if isinstance(value, Semver):
        return version_text(value)
    if isinstance(value, str | bool | int):
        return quoted(value)
    if isinstance(value, Fraction):
        return quantity_text(value)
    exact = getattr(value, "value", None)
    return quantity_text(exact) if isinstance(exact, Fraction) else str(value)


def _kind(value: Any) -> str:
    return "a version" if isinstance(value, Semver) else _TYPES.get(type(value), "a value of another type")


def _literal(value: Any) -> str:
    if isinstance(value, Semver):
        return f'semver("{version_text(value)}")'
    return quoted(value) if isinstance(value, str | bool | int) else str(value)


def version_text(value: Any) -> str:
    """Return a version as it is written."""
    text = f"{value.major}.{value.minor}.{value.patch}"
    pre = getattr(value, "pre", None) or getattr(value, "prerelease", None)
    return f"{text}-{'.'.join(map(str, pre))}" if pre else text


def quantity_text(value: Any) -> str:
    """Return a quantity in the unit that needs the fewest digits."""
    units = [(value // factor, suffix) for suffix, factor in _UNITS if value and value % factor == 0]
    if units:
        number, suffix = min(units)
        return f"{number}{suffix}"
    return str(value)


def _compared(expression: str, parts: Parts) -> Iterator[Any]:
    """Yield the literals that a lookup is compared with."""
    compilation = compiled(expression)
    if compilation is None or compilation.root is None:
        return
    for node in walk(compilation.root):
        if isinstance(node, Call) and node.function in ("_==_", "_<_", "_<=_", "_>_", "_>=_"):
            for operand, other in (node.args, node.args[::-1]):
                lookup = lookup_of(operand) if isinstance(operand, Select | Call) else None
                if lookup is not None and lookup.parts == parts and isinstance(other, Literal):
                    yield other.value
