"""Evaluates CEL selectors on devices, each expression once for devices of equal content, and says why none matches.

Only the content that the expression reads is compared, so a fleet of equal nodes costs as much as one of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dralint.cel import environment
from dralint.cel.device_values import by_domain, named_value, shown
from dralint.cel.device_values import written as as_written
from dralint.cel.issue import NOT_DECIDED
from dralint.cel.machine import Undecided, evaluate
from dralint.cel.tree import Call, Ident, Literal, Select, lookup_of, named, names_in, walk
from dralint.cel.values import Semver
from dralint.finding.words import quoted
from dralint.kubernetes.near import closest, did_you_mean, is_slip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dralint.cel.issue import Compilation
    from dralint.cel.machine import Device as CelDevice
    from dralint.cel.machine import Evaluation
    from dralint.cel.tree import Node
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.inventory import Device

_PLAIN = ("driver", "allowMultipleAllocations")
_NO_KEY = "there is no "
_ADVICE = (
    ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional"
    " fields"
)
_NO_OVERLOAD = re.compile(
    r"^no such overload| does not apply to | is not a condition$|, not a bool$| cannot be indexed$| is not an index$"
)


@dataclass(frozen=True, slots=True)
class Failed:
    """A selector without a verdict: `message` is the one of the scheduler's CEL library, and newer schedulers add
    `advice` to it.

    `unknown`: the scheduler may have a verdict, dralint does not.
    """

    message: str
    advice: str = ""
    unknown: bool = False


class Selector:
    """A compiled expression; `refused` is why it does not compile, empty otherwise.

    `named` has (field, domain, name) of all that it reads by name; None where it reads devices in another way.
    """

    __slots__ = ("_seen", "allow_multiple", "compilation", "expression", "named", "refused")

    def __init__(self, expression: str, compilation: Compilation, *, allow_multiple: bool) -> None:
        self.expression = expression
        self.compilation = compilation
        self.allow_multiple = allow_multiple
        self.refused = _refusal(compilation)
        self.named = _reads(compilation.root) if compilation.root is not None else None
        self._seen: dict[object, bool | Failed] = {}

    def verdict(self, device: Device) -> bool | Failed:
        """Return the verdict of the expression on a device."""
        known: bool | Failed | None = device.verdicts.get(self)
        if known is None:
            content = self.content(device)
            known = self._seen.get(content)
            if known is None:
                known = Failed(self.refused) if self.refused else self._verdict(device)
                self._seen[content] = known
            device.verdicts[self] = known
        return known

    def _verdict(self, device: Device) -> bool | Failed:
        if self.compilation.stage == NOT_DECIDED:
            return Failed(self.compilation.issues[0].message, unknown=True)
        outcome = self.outcome(device)
        if isinstance(outcome, Undecided):
            return Failed(outcome.why, unknown=True)
        return _failed(outcome.error or "") if outcome.matches is None else outcome.matches

    def outcome(self, device: Device) -> Evaluation | Undecided:
        """Run the expression on a device."""
        return evaluate(self.compilation, seen(device, allow_multiple=self.allow_multiple))

    def explain(self, device: Device, start: int, end: int) -> str:
        """Return what a part of the expression shows of a device that it does not match, and what to write instead."""
        if self.compilation.root is None:
            return ""
        parts = names_in(self.compilation.root, start, end)
        return "; ".join(filter(None, explain([device.seen()], self.compilation.root, parts)))

    def content(self, device: Device) -> object:
        """Return what two devices must have in common to get the same verdict."""
        spec, reads = device.spec, self.named
        shared = device.allow_multiple and self.allow_multiple
        driver = device.id.driver
        if reads is None:
            return driver, shared, *device.look
        parts: list[object] = [driver, shared]
        for field, domain, name in reads:
            values = spec.get(field) or {}
            found = values.get(f"{domain}/{name}")
            if domain == driver and name in values:
                found = (repr(found), repr(values[name]))
            parts.append(repr(found))
        return tuple(parts)


def _reads(root: Node) -> list[tuple[str, str, str]] | None:
    """Return (field, domain, name) of all attributes and capacities that an expression reads by name.

    None where it looks at the device in another way.
    """
    found: list[tuple[str, str, str]] = []
    todo = [root]
    while todo:
        node = todo.pop()
        read = named(node)
        if read is not None:
            found.append(read)
            continue
        if isinstance(node, Ident) and node.name.removeprefix(".") == "device":
            return None
        if not _plain(node):
            todo.extend(node.children())
    return found


def _plain(node: Node) -> bool:
    operand = node.operand if isinstance(node, Select) and node.field in _PLAIN else None
    return isinstance(operand, Ident) and operand.name == "device"


def _refusal(compilation: Compilation) -> str:
    """Return why the API server refuses an expression; empty where it does not."""
    return "; ".join(issue.message for issue in compilation.issues) if compilation.is_refused else ""


def _failed(message: str) -> Failed:
    """Return what the scheduler's CEL library says where dralint's evaluator says more."""
    if message.startswith(_NO_KEY):
        key = message.removeprefix(_NO_KEY)
        quoted = key[:1] in ("'", '"')
        return Failed(f"no such key: {key[1:-1] if quoted else key}", _ADVICE)
    if message.startswith("the index "):
        return Failed(f"index out of bounds: {message.split()[2]}")
    if _NO_OVERLOAD.search(message):
        return Failed("no such overload")
    return Failed(message)


def seen(device: Device, *, allow_multiple: bool) -> CelDevice:
    """Return a device as the expressions of a release see it."""
    found = device.seen()
    return found if allow_multiple else replace(found, allow_multiple_allocations=False)


class Selection:
    """The selectors of a simulation, compiled once for a release and its gates."""

    def __init__(self, behaviour: Behaviour) -> None:
        # What the API server has stored is compiled with the fields of every feature, whatever the gates.
        release, lists = str(behaviour.release), "DRAListTypeAttributes" in behaviour.gates
        self._allow_multiple = not behaviour.has("hides_sharing_from_cel")
        self._environment = environment(release, list_attributes=lists, consumable_capacity=True)
        kind = "derived" if behaviour.has("derived_attributes") else "device"
        self._of_derived = environment(release, kind=kind, list_attributes=lists, consumable_capacity=True)
        self._selectors: dict[str, Selector] = {}
        self._values: dict[tuple[str, Device], Mapping[str, Any] | Failed] = {}

    def selector(self, expression: str) -> Selector:
        """Return the compiled selector; it is compiled when it is first needed."""
        found = self._selectors.get(expression)
        if found is None:
            compilation = self._environment.compile(expression)
            found = self._selectors[expression] = Selector(expression, compilation, allow_multiple=self._allow_multiple)
        return found

    def derived(self, expression: str, device: Device) -> Mapping[str, Any] | Failed:
        """Return the value of a derived attribute of a device, as a slice would write it ({"int": 1}).

        `Failed.message` begins with `compile` or `evaluate`, as the scheduler's text does.
        """
        key = (expression, device)
        if key not in self._values:
            self._values[key] = self._derive(expression, device)
        return self._values[key]

    def _derive(self, expression: str, device: Device) -> Mapping[str, Any] | Failed:
        compilation = self._of_derived.compile(expression)
        if compilation.is_refused:
            return Failed(f"compile: {_refusal(compilation)}")
        if compilation.stage == NOT_DECIDED:
            return Failed(compilation.issues[0].message, unknown=True)
        outcome = evaluate(compilation, seen(device, allow_multiple=self._allow_multiple))
        if isinstance(outcome, Undecided):
            return Failed(outcome.why, unknown=True)
        if outcome.value is None:
            return Failed(f"evaluate: {_failed(outcome.error or '').message}")
        return written(outcome.value)


def written(value: Any) -> Mapping[str, Any]:
    """Return a value of CEL as an attribute of a slice writes it."""
    if isinstance(value, list):
        kinds = [next(iter(written(item).items())) for item in value]
        kind = kinds[0][0] if kinds else "string"
        return {f"{kind}s": [item for _, item in kinds]}
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": int(value)}
    if isinstance(value, str):
        return {"string": value}
    return {"version": str(value)}


# Why an expression is true for no device.

Parts = tuple[str, str, str]
"""`attributes` or `capacity`, domain, name."""

_MOST_VALUES = 6
_ONE = {"attributes": "an attribute", "capacity": "a capacity"}
_TYPES = {bool: "a bool", int: "an int", str: "a string", list: "a list"}


def values(devices: Iterable[CelDevice], parts: Parts) -> list[Any]:
    """Return the values of a lookup, one for each device that has it."""
    kind, domain, name = parts
    held = ((device.driver, device.attributes if kind == "attributes" else device.capacity) for device in devices)
    found = (named_value(own, driver, f"{domain}/{name}") for driver, own in held)
    return [value for value in found if value is not None]


def names(devices: Iterable[CelDevice], kind: str) -> dict[str, set[str]]:
    """Return the domains of what devices have, each with its names."""
    out: dict[str, set[str]] = {}
    for device in devices:
        own = by_domain(device.attributes if kind == "attributes" else device.capacity, device.driver)
        for domain, entries in own.items():
            out.setdefault(domain, set()).update(name for name, _ in entries)
    return out


def explain(devices: Sequence[CelDevice], root: Node, asked: Iterable[Parts] | None = None) -> tuple[str, str | None]:
    """Return why an expression is true for none of the devices, or fails, and what to write instead.

    The reason is an empty text where it is unknown. `asked` are the lookups that matter; None for all of `root`.
    """
    found = [_one(devices, parts, root) for parts in (names_in(root) if asked is None else asked)]
    hint = next((hint for _, hint in found if hint), None)
    return "; ".join(reason for reason, _ in found[:2]), hint


def _one(devices: Sequence[CelDevice], parts: Parts, root: Node) -> tuple[str, str | None]:
    kind, domain, name = parts
    one = kind.removesuffix("s")
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
    return _about_values(found, parts, one, root)


def _unknown(devices: Sequence[CelDevice], parts: Parts, one: str) -> tuple[str, str | None]:
    kind, domain, name = parts
    known, alone = names(devices, kind), len(devices) == 1
    other = "capacity" if kind == "attributes" else "attributes"
    if name in names(devices, other).get(domain, ()):
        hint = f'look it up in device.{other}["{domain}"], not in device.{kind}["{domain}"]'
        return f"{quoted(name)} is {_ONE[other]} of the device{'' if alone else 's'}, not {_ONE[kind]}", hint
    having = sorted(of for of, inside in known.items() if name in inside)
    elsewhere = f'did you mean device.{kind}["{having[0]}"].{name}?' if having else None
    if domain not in known:
        lead = "the device has no" if alone else f"no device has {_ONE[kind].split()[0]}"
        domains = ", ".join(sorted(known)) or "none"
        reason = f"{lead} {one} of the domain {quoted(domain)} (there are: {domains})"
        return reason, _domain_meant(domain, sorted(known)) or elsewhere
    inside = sorted(known[domain])
    reason = f"the {one} {quoted(name)} exists on 0 of {len(devices)} devices"
    if alone:
        reason = f"the device has no {one} {quoted(name)}"
    there = f"{'it has' if alone else 'the devices have'} {', '.join(inside)}"
    return reason, closest(name, inside) or elsewhere or there


def _domain_meant(domain: str, known: Sequence[str]) -> str | None:
    """Return the question for a domain with a slip, or for one that is a part of the other."""
    slips = [each for each in known if is_slip(domain, each)]
    parts = [each for each in known if each.endswith(f".{domain}") or domain.endswith(f".{each}")]
    return did_you_mean((slips or parts)[:1])


def _about_values(found: Sequence[Any], parts: Parts, one: str, root: Node) -> tuple[str, str | None]:
    _, _, name = parts
    said = _listed(found)
    reason = f"the {one} {quoted(name)} is {said}"
    for literal in _compared(root, parts):
        kinds = {type(value) for value in found}
        if isinstance(literal, bool | int | str) and type(literal) not in kinds:
            kind = _kind(found[0])
            hint = f"compare it with {kind}, as {as_written(found[0])}"
            return f"the {one} {quoted(name)} is {kind} ({said}), compared with {_TYPES[type(literal)]}", hint
        if isinstance(literal, str):
            folded = [value for value in found if isinstance(value, str) and value.lower() == literal.lower()]
            if folded and literal not in found:
                return reason, f"did you mean {quoted(folded[0])}?"
    return reason, None


def _listed(found: Sequence[Any]) -> str:
    """Return the different values of the devices, as a message lists them."""
    texts = list(dict.fromkeys(quoted(value) if isinstance(value, str) else shown(value) for value in found))
    rest = f" and {len(texts) - _MOST_VALUES} more" if len(texts) > _MOST_VALUES else ""
    return " or ".join(texts[:_MOST_VALUES]) + rest


def _kind(value: Any) -> str:
    return "a version" if isinstance(value, Semver) else _TYPES.get(type(value), "a value of another type")


def _compared(root: Node, parts: Parts) -> Iterator[Any]:
    """Yield the literals that a lookup is compared with."""
    for node in walk(root):
        if isinstance(node, Call) and node.function in ("_==_", "_<_", "_<=_", "_>_", "_>=_"):
            for operand, other in (node.args, node.args[::-1]):
                lookup = lookup_of(operand) if isinstance(operand, Select | Call) else None
                if lookup is not None and lookup.parts == parts and isinstance(other, Literal):
                    yield other.value
