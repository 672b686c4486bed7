"""Runs a checked expression on a device, as the scheduler does.

A function that cannot run here is refused by name, never guessed. The scheduler of most releases stops an expression
whose actual cost exceeds 1,000,000. dralint counts evaluated nodes and allows fewer, so that no expression takes long.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from dralint import work
from dralint.cel.declarations import CONSTANTS
from dralint.cel.device_values import DeviceError, by_domain, values_of
from dralint.cel.functions import (
    CONVERSIONS,
    FUNCTIONS,
    WITH_PATTERNS,
    LimitError,
    NoOverloadError,
    NotHereError,
    convert,
    equal,
)
from dralint.cel.issue import closing
from dralint.cel.tree import Call, Comprehension, Ident, ListLiteral, Literal, MapLiteral, Node, Select, Steps, run
from dralint.cel.values import ABSENT, CelError, CelMap, OptionalValue, QuantityValue, Semver, TypeValue, type_name
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dralint.cel.declarations import Declarations
    from dralint.cel.issue import Compilation
    from dralint.yaml import Path as FieldPath

_EMPTY = CelMap(())
MAX_STEPS = 200_000
"""The most evaluated nodes of an expression."""
_MAX_WORK = 5_000_000
"""The most characters and elements that all functions of an expression make together."""
_EACH = 10
"""The fixed cost of running an expression, in steps."""
_INDEXING = ("_[_]", "_[?_]", "_?._")


@dataclass(frozen=True, slots=True)
class Device:
    """One device. Keys of `attributes` and `capacity` are names, with a domain or without (`gpu.example.com/model`).

    Values are those of `values.values`: bool, int, str, Semver or a list of these, and Quantity for capacities.
    """

    driver: str
    attributes: dict[str, Any] = field(default_factory=dict)
    capacity: dict[str, Any] = field(default_factory=dict)
    allow_multiple_allocations: bool = False
    name: str = ""
    pool: str = ""

    def variable(self) -> CelMap:
        """Return the value of `device`; a name without a domain belongs to the driver's."""
        return CelMap(
            [
                ("driver", self.driver),
                ("allowMultipleAllocations", self.allow_multiple_allocations),
                ("attributes", _by_domain(self.attributes, self.driver)),
                ("capacity", _by_domain(self.capacity, self.driver)),
            ]
        )


def _by_domain(values: dict[str, Any], driver: str) -> CelMap:
    return CelMap([(d, CelMap(entries)) for d, entries in by_domain(values, driver).items()], fallback=_EMPTY)


def devices_of(slice_: dict[str, Any]) -> Iterator[tuple[FieldPath, Device | DeviceError]]:
    """Yield the path of each device of a ResourceSlice, and the device or why there is none."""
    spec = slice_.get("spec")
    devices = spec.get("devices") if isinstance(spec, dict) else None
    for position, entry in enumerate(devices if isinstance(devices, list) else ()):
        if isinstance(entry, dict):
            where = ("spec", "devices", position)
            try:
                yield where, device_of(entry, slice_["spec"])
            except DeviceError as error:
                yield where, error


def device_of(entry: Mapping[str, Any], spec: Mapping[str, Any], *, skip: bool = False) -> Device:
    """Return a device from its entry and the spec of its slice; DeviceError where it is invalid.

    `skip` leaves out the values that are invalid.
    """
    body, attributes, capacity = values_of(entry, skip=skip)
    pool = spec.get("pool")
    return Device(
        driver=str(spec.get("driver", "")),
        attributes=attributes,
        capacity=capacity,
        allow_multiple_allocations=body.get("allowMultipleAllocations") is True,
        name=str(entry.get("name", "")),
        pool=str(pool.get("name", "")) if isinstance(pool, dict) else "",
    )


class Evaluation(NamedTuple):
    """The result: `matches`, or None with `error`. `decided_by` is the part of the expression that decided.

    `value` is the value of the whole expression, if there is one.
    """

    matches: bool | None
    error: str | None
    decided_by: str
    start: int
    end: int
    value: Any = None


class Undecided(NamedTuple):
    """No result, because of dralint: Kubernetes may have any.

    `why` says what dralint does not run, or names the limit of dralint that ended the run (`limited`).
    """

    why: str
    limited: bool


def evaluate(compilation: Compilation, device: Device | CelMap) -> Evaluation | Undecided:
    """Run an accepted expression on a device, or on a prepared value of `device`; the steps count as work.

    ValueError if the expression was refused; Stopped as `work.pause`. Nothing else is raised.
    """
    if compilation.root is None:
        raise ValueError("a refused expression cannot be run")
    work.pause()
    budget = work.current()
    if budget.left <= 0:
        return Undecided(work.spent(), limited=True)
    machine = _Machine(compilation.environment, {"device": device if isinstance(device, CelMap) else device.variable()})
    root = compilation.root
    try:
        value = run(machine.value(root, {}))
    except NotHereError as refusal:
        return Undecided(str(refusal), limited=isinstance(refusal, LimitError))
    finally:
        budget.take(machine.steps + _EACH)
    text = compilation.expression
    if isinstance(value, CelError):
        return Evaluation(None, value.message, text[value.start : value.end], value.start, value.end)
    if not isinstance(value, bool):
        message = f"the result is a {type_name(value)}, not a bool"
        if compilation.environment.kind == "derived":
            return Evaluation(None, None, text, root.start, root.end, value)
        return Evaluation(None, message, text[root.start : root.end], root.start, root.end, value)
    decider = machine.decider(root)
    start, end = decider.start, decider.end
    while text[start] == "(" and closing(text, start) == end:
        start, end = start + 1, end - 1
    return Evaluation(value, None, text[start:end], start, end, value)


class NoOverload(CelError):  # noqa: N818 - a value, as CelError
    """A function never accepts values of these types."""

    __slots__ = ()


def apply(environment: Declarations, function: str, values: list[Any]) -> Any:
    """Return the result of a function or operator: a value, or a CelError. Raises NotHereError."""
    return _Machine(environment, {}).apply(function, values)


class _Machine:
    def __init__(self, environment: Declarations, variables: dict[str, Any]) -> None:
        self.environment = environment
        self.variables = variables
        self.known: dict[Node, Any] = {}
        self.steps = 0
        self.work = 0

    def value(self, node: Node, local: dict[str, Any]) -> Steps[Any]:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise LimitError(f"{MAX_STEPS:,} steps for an expression")
        if isinstance(node, Literal):
            return node.value
        if isinstance(node, Ident):
            return self.name(node.name, local)
        if isinstance(node, Select):
            if node.qualified is not None:
                return self.name(node.qualified, {})
            operand = yield self.value(node.operand, local)
            result = self.blame(node, _select(operand, node.field, test=node.test))
        elif isinstance(node, Call):
            result = yield self.call(node, local)
        elif isinstance(node, Comprehension):
            result = yield self.loop(node, local)
        elif isinstance(node, ListLiteral | MapLiteral):
            result = yield self.aggregate(node, local)
        else:
            raise NotHereError("protobuf messages")
        self.known[node] = result
        return result

    def name(self, name: str, local: dict[str, Any]) -> Any:
        if name in local:
            return local[name]
        name = name.removeprefix(".")
        if name in self.variables:
            return self.variables[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        named = self.environment.type_named(name)
        return TypeValue(named.name) if named is not None else CelError(f"{name} has no value")

    def blame(self, node: Node, value: Any) -> Any:
        """Put the place on an error that has none."""
        if isinstance(value, CelError) and value.start < 0:
            return CelError(value.message, node.start, node.end)
        return value

    def call(self, node: Call, local: dict[str, Any]) -> Steps[Any]:
        function = node.function
        if function in ("_&&_", "_||_"):
            result = yield self.logical(node, local, decisive=function == "_||_")
            return self.blame(node, result)
        if function == "_?_:_":
            condition = yield self.value(node.args[0], local)
            if isinstance(condition, CelError):
                return condition
            if not isinstance(condition, bool):
                return self.blame(node, CelError(f"the condition is a {type_name(condition)}, not a bool"))
            return (yield from self.value(node.args[1 if condition else 2], local))
        if function in ("or", "orValue") and node.target is not None:
            return (yield from self.alternative(node, node.target, local))
        operands = node.args if node.target is None else [node.target, *node.args]
        if function == "@in" and isinstance(operands[1], ListLiteral) and not operands[1].elements:
            return False  # the other side is not evaluated
        values = []
        for operand in operands:
            value = operand.value if isinstance(operand, Literal) else (yield self.value(operand, local))
            if isinstance(value, CelError) and function != "@not_strictly_false":
                return value
            values.append(value)
            if function in _INDEXING and isinstance(value, OptionalValue) and not value.present:
                return ABSENT  # the index is not evaluated
        result = self.apply(function, values)
        if isinstance(result, str | bytes | list):
            self.work += len(result)
            if self.work > _MAX_WORK:
                raise LimitError(f"{_MAX_WORK:,} characters and elements for an expression")
        return self.blame(node, result)

    def alternative(self, node: Call, target: Node, local: dict[str, Any]) -> Steps[Any]:
        """Run or() and orValue(): the argument is not evaluated where there is a value."""
        value = yield self.value(target, local)
        if isinstance(value, CelError):
            return value
        if not isinstance(value, OptionalValue):
            return self.blame(node, CelError(f"a {type_name(value)} is not optional"))
        if value.present:
            return value if node.function == "or" else value.value
        return (yield from self.value(node.args[0], local))

    def logical(self, node: Call, local: dict[str, Any], *, decisive: bool) -> Steps[Any]:
        trouble: CelError | None = None
        for arg in node.args:
            value = yield self.value(arg, local)
            if value is decisive:
                return decisive
            if isinstance(value, CelError):
                trouble = trouble or value
            elif not isinstance(value, bool):
                error = CelError(f"a {type_name(value)} is not a condition", arg.start, arg.end)
                trouble = trouble or error
        return not decisive if trouble is None else trouble

    def apply(self, function: str, values: list[Any]) -> Any:
        if (
            function == "_==_"
            and isinstance(values[0], Semver | QuantityValue)
            and type(values[1]) is not type(values[0])
        ):
            what = "version" if isinstance(values[0], Semver) else "quantity"
            return NoOverload(f"no such overload: a {what} is not compared with a {type_name(values[1])}")
        if function == "_==_" and isinstance(values[1], QuantityValue) and values[1].computed:
            return NoOverload("no such overload: == does not take the result of add() or sub() on its right")
        if function in ("_==_", "_!=_"):
            return equal(values[0], values[1]) is (function == "_==_")
        if function in _INDEXING:
            return _index(values[0], values[1], optional=function != "_[_]")
        if function in CONVERSIONS and len(values) == 1:
            return convert(function, values[0])
        if function == "lists.range" and self.environment.dialect.negative_range and type(values[0]) is int:
            values = [max(0, values[0])]
        implementation = FUNCTIONS.get(function)
        if function in WITH_PATTERNS:
            implementation = partial(WITH_PATTERNS[function], self.environment.patterns)
        if implementation is None:
            raise NotHereError(f"{function}()")
        try:
            return implementation(*values)
        except NoOverloadError as error:
            if self.declares(function, values):
                raise NotHereError(f"{function}() of {', '.join(map(type_name, values))}") from None
            return NoOverload(str(error) or f"{function} does not apply to {', '.join(map(type_name, values))}")
        except (OverflowError, ZeroDivisionError, IndexError, ValueError) as error:
            return CelError(str(error))
        except TypeError:
            return NoOverload(f"{function} does not apply to {', '.join(map(type_name, values))}")

    def declares(self, function: str, values: list[Any]) -> bool:
        """Say whether the release has the function for these values, even if dralint cannot run it."""
        names = [type_name(value) for value in values]
        return any(
            [t.name for t in overload.args] == names and not any(t.params for t in overload.args)
            for overload in self.environment.overloads(function) or ()
        )

    def aggregate(self, node: ListLiteral | MapLiteral, local: dict[str, Any]) -> Steps[Any]:
        values = []
        for child in node.children():
            value = child.value if isinstance(child, Literal) else (yield self.value(child, local))
            if isinstance(value, CelError):
                return value
            values.append(value)
        if isinstance(node, ListLiteral):
            items = []
            for i, value in enumerate(values):
                if i not in node.optional:
                    items.append(value)
                elif isinstance(value, OptionalValue) and value.present:
                    items.append(value.value)
            return items
        pairs = []
        for (_, _, optional), key, value in zip(node.entries, values[::2], values[1::2], strict=True):
            if optional:
                if not isinstance(value, OptionalValue) or not value.present:
                    continue
                value = value.value
            if isinstance(key, bytes | Semver):
                return self.blame(node, CelError(f"a {type_name(key)} is not a key of a map"))
            pairs.append((key, value))
        return CelMap(pairs)

    def loop(self, node: Comprehension, local: dict[str, Any]) -> Steps[Any]:
        over = yield self.value(node.iter_range, local)
        if isinstance(over, CelError):
            return over
        accu = yield self.value(node.accu_init, local)
        inner = {**local, node.accu: accu}
        if isinstance(over, list):
            turns: list[tuple[Any, Any]] = list(enumerate(over))
            single = 1
        elif isinstance(over, CelMap):
            turns = list(over.items())
            single = 0
        else:
            return self.blame(node, CelError(f"a {type_name(over)} cannot be iterated"))
        for pair in turns:
            if node.iter_var2:
                inner[node.iter_var], inner[node.iter_var2] = pair
            else:
                inner[node.iter_var] = pair[single]
            inner[node.accu] = accu
            going = yield self.value(node.condition, inner)
            if going is False:
                break
            accu = yield self.value(node.step, inner)
            inner[node.accu] = accu
        return (yield from self.value(node.result, {**local, node.accu: accu}))

    def decider(self, node: Node) -> Node:
        """Return the smallest part that decided the value of the whole."""
        while True:
            value = self.known.get(node, getattr(node, "value", None))
            following: Node | None = None
            if isinstance(node, Call) and node.function in ("_&&_", "_||_"):
                decisive = node.function == "_||_"
                if value is decisive:
                    following = next((a for a in node.args if self.result_of(a) is decisive), None)
            elif isinstance(node, Call) and node.function == "!_":
                following = node.args[0]
            elif isinstance(node, Call) and node.function == "_?_:_":
                following = node.args[1 if self.result_of(node.args[0]) is True else 2]
            elif isinstance(node, Comprehension) and node.is_bind:
                following = node.result
            if following is None or following.end <= following.start:
                return node
            node = following

    def result_of(self, node: Node) -> Any:
        return node.value if isinstance(node, Literal) else self.known.get(node)


def _select(operand: Any, name: str, *, test: bool) -> Any:
    if isinstance(operand, CelError):
        return operand
    if isinstance(operand, OptionalValue):
        found = _index(operand, name, optional=True)
        return found.present if test and isinstance(found, OptionalValue) else found
    if isinstance(operand, CelMap):
        there, value = operand.find(name)
        if test:
            return there
        return value if there else CelError(f'there is no "{name}"')
    if test:
        return False
    return CelError(f'a {type_name(operand)} has no field "{name}"')


def _index(container: Any, key: Any, *, optional: bool) -> Any:
    """Return the value of a key or position: as an optional value, or an error where there is none."""
    if isinstance(container, OptionalValue):
        if not container.present:
            return ABSENT
        container, optional = container.value, True
    if not isinstance(key, str | int | float):
        return CelError(f"a {type_name(key)} is not an index")
    missing = f'there is no "{key}"'
    if isinstance(container, CelMap):
        there, value = container.find(key)
    elif not isinstance(container, list):
        there, value, missing = False, None, f"a {type_name(container)} cannot be indexed"
    elif isinstance(key, str | bool) or key % 1 != 0:  # a position is a whole number of any type
        return CelError(f"a list is not indexed with a {type_name(key)}")
    else:
        there = 0 <= key < len(container)
        value = container[int(key)] if there else None
        missing = f"the index {key} is out of range: there are {len(container)} elements"
    if optional:
        return OptionalValue(present=True, value=value) if there else ABSENT
    return value if there else CelError(missing)
