"""Evaluates CEL selectors on devices, each expression once for devices of equal content.

Only the content that the expression reads is compared, so a fleet of equal nodes costs as much as one of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dralint.cel import environment
from dralint.cel.issue import NOT_DECIDED
from dralint.cel.machine import Device as CelDevice
from dralint.cel.machine import Undecided, evaluate
from dralint.cel.tree import Call, Ident, Literal, Select, walk
from dralint.cel.values import QuantityValue, parse_semver
from dralint.kubernetes.quantity import stored, text_of
from dralint.simulate.claims import LISTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dralint.cel.issue import Compilation
    from dralint.cel.machine import Evaluation
    from dralint.cel.tree import Node
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.inventory import Device

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
    """A selector without a verdict: `message` is the one of the scheduler's CEL library.

    `unknown`: the scheduler may have a verdict, dralint does not.
    """

    message: str
    missing_key: bool = False
    unknown: bool = False

    @property
    def advice(self) -> str:
        """The addition of newer schedulers to the message."""
        return _ADVICE if self.missing_key else ""


class Selector:
    """A compiled expression; `refused` is why it does not compile, empty otherwise."""

    __slots__ = ("_reads", "_seen", "allow_multiple", "compilation", "expression", "refused")

    def __init__(self, expression: str, compilation: Compilation, *, allow_multiple: bool) -> None:
        self.expression = expression
        self.compilation = compilation
        self.allow_multiple = allow_multiple
        self.refused = _refusal(compilation)
        self._reads = _reads(compilation.root) if compilation.root is not None else None
        self._seen: dict[object, bool | Failed] = {}

    def verdict(self, device: Device) -> bool | Failed:
        """Return the verdict of the expression on a device."""
        known: bool | Failed | None = device.verdicts.get(self)
        if known is None:
            content = self._content(device)
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
        return evaluate(self.compilation, cel_device(device, allow_multiple=self.allow_multiple))

    @property
    def named(self) -> list[tuple[str, str, str]] | None:
        """(field, domain, name) of all that it reads by name; None where it reads devices in another way."""
        return self._reads

    def reads(self, start: int, end: int) -> list[tuple[str, str, str]]:
        """Return (field, domain, name) of the attributes and capacities that a part of the expression reads."""
        root = self.compilation.root
        found = [] if root is None else [(node, _read(node)) for node in walk(root)]
        return [read for node, read in found if read is not None and start <= node.start and node.end <= end]

    def _content(self, device: Device) -> object:
        """Return what two devices must have in common to get the same verdict."""
        spec, reads = device.spec, self._reads
        shared = device.allow_multiple and self.allow_multiple
        driver = device.id.driver
        if reads is None:
            return driver, shared, repr(spec.get("attributes")), repr(spec.get("capacity"))
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
        read = _read(node)
        if read is not None:
            found.append(read)
            continue
        if isinstance(node, Ident) and node.name.removeprefix(".") == "device":
            return None
        if not _plain(node):
            todo.extend(node.children())
    return found


def _plain(node: Node) -> bool:
    return _field(node) in ("driver", "allowMultipleAllocations")


def _field(node: Node) -> str:
    """Return `x` of `device.x`, empty for anything else."""
    if isinstance(node, Select) and isinstance(node.operand, Ident) and node.operand.name == "device":
        return node.field
    return ""


def _read(node: Node) -> tuple[str, str, str] | None:
    """Return what `device.attributes["domain"].name` reads, with or without question marks."""
    domain: Node | None = None
    if isinstance(node, Select):
        name, inner = node.field, node.operand
    elif isinstance(node, Call) and node.function in ("_[_]", "_[?_]", "_?._") and node.target is None:
        inner, key = node.args
        if not isinstance(key, Literal) or not isinstance(key.value, str):
            return None
        name = key.value
    else:
        return None
    if isinstance(inner, Call) and inner.function in ("_[_]", "_[?_]", "_?._") and inner.target is None:
        inner, domain = inner.args
    if not isinstance(domain, Literal) or not isinstance(domain.value, str):
        return None
    field = _field(inner)
    return (field, domain.value, name) if field in ("attributes", "capacity") else None


def _refusal(compilation: Compilation) -> str:
    """Return why the API server refuses an expression; empty where it does not."""
    return "; ".join(issue.message for issue in compilation.issues) if compilation.is_refused else ""


def _failed(message: str) -> Failed:
    """Return what the scheduler's CEL library says where dralint's evaluator says more."""
    if message.startswith(_NO_KEY):
        key = message.removeprefix(_NO_KEY)
        quoted = key[:1] in ("'", '"')
        return Failed(f"no such key: {key[1:-1] if quoted else key}", missing_key=True)
    if message.startswith("the index "):
        return Failed(f"index out of bounds: {message.split()[2]}")
    if _NO_OVERLOAD.search(message):
        return Failed("no such overload")
    return Failed(message)


def attribute_value(value: Mapping[str, Any]) -> Any:
    """Return an attribute of a slice as a value of CEL; ValueError where it is none."""
    for kind, inner in value.items():
        if inner is None:
            continue
        if kind == "version":
            return parse_semver(inner)
        if kind == "versions":
            return [parse_semver(item) for item in inner]
        return list(inner) if kind in LISTS else inner
    raise ValueError("an attribute without value")


def cel_device(device: Device, *, allow_multiple: bool) -> CelDevice:
    """Return a device as expressions see it; unreadable parts are missing."""
    attributes: dict[str, Any] = {}
    for name, value in (device.spec.get("attributes") or {}).items():
        try:
            attributes[name] = attribute_value(value)
        except (ValueError, AttributeError, TypeError):
            continue
    capacity: dict[str, Any] = {}
    for name, value in (device.spec.get("capacity") or {}).items():
        try:
            capacity[name] = QuantityValue.of(stored(text_of((value or {}).get("value"))))
        except (ValueError, AttributeError):
            continue
    return CelDevice(
        driver=device.id.driver,
        attributes=attributes,
        capacity=capacity,
        allow_multiple_allocations=allow_multiple and device.allow_multiple,
        name=device.id.device,
        pool=device.id.pool,
    )


class Selection:
    """The selectors of a simulation, compiled once for a release and its gates."""

    def __init__(self, behaviour: Behaviour) -> None:
        # What the API server has stored is compiled with the fields of every feature, whatever the gates.
        release, lists = str(behaviour.release), "DRAListTypeAttributes" in behaviour.gates
        self._allow_multiple = not behaviour.has("hides_sharing_from_cel")
        self._environment = environment(release, list_attributes=lists, consumable_capacity=True)
        self._derived: Callable[[str], Compilation] | None = None
        if behaviour.derived_attributes:
            self._derived = environment(
                release, kind="derived", list_attributes=lists, consumable_capacity=True
            ).compile
        self._selectors: dict[str, Selector] = {}
        self._expressions: dict[str, Compilation] = {}
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
        assert self._derived is not None
        compilation = self._expressions.get(expression)
        if compilation is None:
            compilation = self._expressions[expression] = self._derived(expression)
        if compilation.is_refused:
            return Failed(f"compile: {_refusal(compilation)}")
        if compilation.stage == NOT_DECIDED:
            return Failed(compilation.issues[0].message, unknown=True)
        outcome = evaluate(compilation, cel_device(device, allow_multiple=self._allow_multiple))
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
    text = f"{value.major}.{value.minor}.{value.patch}"
    if value.pre:
        text += "-" + ".".join(map(str, value.pre))
    if value.build:
        text += "+" + ".".join(value.build)
    return {"version": text}
