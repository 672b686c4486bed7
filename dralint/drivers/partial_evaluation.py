"""Evaluates a selector on a kind of device of which only some values are known.

Each part of an expression has a value, known or not, and can fail. The result holds for every device of the kind: if
the selector cannot be true here, it is true for none.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dralint.cel.functions import NotHereError, equal
from dralint.cel.machine import NoOverload, apply
from dralint.cel.tree import Call, Comprehension, Ident, ListLiteral, Literal, Select, lookup_of
from dralint.cel.values import CelError, QuantityValue, Semver
from dralint.drivers.devices import Name, type_of
from dralint.drivers.pack import is_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.cel.issue import Compilation
    from dralint.cel.tree import Node
    from dralint.drivers.devices import DeviceKind, Known

_MOST_COMBINATIONS, _DEEPEST, _MOST_TURNS = 256, 80, 64

NOTHING: Final = object()
"""The value of a part that always fails."""


class Unknown(NamedTuple):
    """A value with a known type only, or with a few possible values."""

    type: str
    values: tuple[Any, ...] | None = None


class Optional(NamedTuple):
    """An optional value: `there` says whether it exists; None where unknown."""

    there: bool | None
    value: Any


class Possible(NamedTuple):
    """A value, whether evaluating it can fail, and its attribute."""

    value: Any
    fails: bool = False
    about: Name | None = None

    @property
    def outcomes(self) -> frozenset[str]:
        """The possible results of a condition: T, F, and E for a failure."""
        out = {"E"} if self.fails or self.value is NOTHING else set()
        for value in _possible(self.value):
            out |= {"T"} if value is True else {"F"} if value is False else {"T", "F", "E"}
        return frozenset(out)


ABSENT, TYPE, VALUE, LIKE = "absent", "type", "value", "like"


class Note(NamedTuple):
    """The reason why a part of a selector is false or fails.

    `why` is ABSENT (the device does not have the attribute), TYPE (the selector uses it as the type `other`), VALUE (it
    never has the value `other`) or LIKE (`other` is similar to a possible value).
    """

    why: str
    name: Name
    start: int
    end: int
    known: Known | None = None
    other: Any = None


class KindEvaluation:
    """The evaluation of a selector on one kind of device.

    Args:
        compilation: the accepted selector.
        device: the kind of device.
    """

    def __init__(self, compilation: Compilation, device: DeviceKind) -> None:
        self.notes: list[Note] = []
        self._environment = compilation.environment
        self._device = device
        root = compilation.root
        self.outcomes = frozenset("TFE") if root is None else self._value(root, {}, 0).outcomes

    def _note(self, why: str, name: Name, node: Node, known: Known | None = None, other: Any = None) -> None:
        note = Note(why, name, node.start, node.end, known, other)
        if note not in self.notes:
            self.notes.append(note)

    def _value(self, node: Node, local: dict[str, Possible], depth: int) -> Possible:
        if depth > _DEEPEST:
            return _ANYTHING
        if isinstance(node, Literal):
            return Possible(node.value)
        found = self._lookup(node)
        if found is not None:
            return found
        if isinstance(node, Ident):
            return local.get(node.name, _ANYTHING)
        if isinstance(node, Select):
            return self._select(node, local, depth + 1)
        if isinstance(node, Call):
            return self._call(node, local, depth + 1)
        if isinstance(node, ListLiteral) and not node.optional:
            items = [self._value(item, local, depth + 1) for item in node.elements]
            if any(isinstance(item.value, Unknown | Optional) or item.value is NOTHING for item in items):
                return Possible(Unknown("list"), any(item.fails for item in items))
            return Possible([item.value for item in items])
        if isinstance(node, Comprehension):
            return self._loop(node, local, depth + 1)
        return _ANYTHING

    # Lookups in the device.

    def _name(self, node: Node) -> Name | None:
        """Return the attribute or capacity that a node looks up; None where it is none or unknown."""
        found = lookup_of(node)
        if found is None or len(found.parts) != len(Name._fields) or None in found.parts:
            return None
        which, domain, name = (str(part) for part in found.parts)
        return Name(which, domain, name)

    def _lookup(self, node: Node) -> Possible | None:
        """Return the value of the device at a chain of fields and keys; None where the node is not such a chain."""
        if isinstance(node, Select) and node.field == "driver" and isinstance(node.operand, Ident):
            own = not node.operand.local and not node.test and node.operand.name.removeprefix(".") == "device"
            return Possible(self._device.driver) if own else None
        name = self._name(node)
        if name is None:
            return None
        known = self._device.find(name)
        if known is None:
            self._note(ABSENT, name, node)
            return Possible(NOTHING, fails=True, about=name)
        return Possible(_as_value(known), not known.always, name)

    def _there(self, name: Name, node: Node) -> Possible:
        """Return whether the device has an attribute."""
        known = self._device.find(name)
        if known is None:
            self._note(ABSENT, name, node)
            return Possible(value=False)
        return Possible(value=True) if known.always else Possible(Unknown("bool"))

    def _domain(self, node: Node) -> tuple[str, str] | None:
        """Return `attributes` or `capacity` and the domain that a node looks up."""
        found = lookup_of(node)
        if found is None or len(found.parts) != len(Name._fields) - 1 or None in found.parts:
            return None
        return str(found.parts[0]), str(found.parts[1])

    def _select(self, node: Select, local: dict[str, Possible], depth: int) -> Possible:
        if node.test:
            domain = self._domain(node.operand)
            return _ANYTHING if domain is None else self._there(Name(*domain, node.field), node)
        operand = self._value(node.operand, local, depth)
        return Possible(NOTHING, fails=True) if operand.value is NOTHING else _ANYTHING

    # Calls.

    def _call(self, node: Call, local: dict[str, Possible], depth: int) -> Possible:
        function = node.function
        if function in ("_&&_", "_||_"):
            return _joined([self._value(arg, local, depth).outcomes for arg in node.args], decisive=function[1] == "|")
        if function == "_?_:_":
            return self._choice(node, local, depth)
        if function == "@not_strictly_false":
            inner = self._value(node.args[0], local, depth)
            return Possible(value=False) if inner.outcomes == {"F"} else Possible(Unknown("bool"))
        if function in ("_[?_]", "_?._"):
            return self._optional(node)
        operands = node.args if node.target is None else [node.target, *node.args]
        if function == "@in":
            domain = self._domain(node.args[1])
            key = node.args[0]
            if domain is not None and isinstance(key, Literal) and isinstance(key.value, str):
                return self._there(Name(*domain, key.value), node)
            if lookup_of(node.args[1]) is not None and self._name(node.args[1]) is None:
                return _ANYTHING
        values = [self._value(operand, local, depth) for operand in operands]
        if values and isinstance(values[0].value, Optional):
            return self._of_optional(function, values)
        if any(each.value is NOTHING for each in values):
            return Possible(NOTHING, fails=True)
        if any(isinstance(each.value, Optional) for each in values):
            return _ANYTHING
        fails = any(each.fails for each in values)
        found = self._applied(function, values, node)
        return found._replace(fails=found.fails or fails)

    def _choice(self, node: Call, local: dict[str, Possible], depth: int) -> Possible:
        condition = self._value(node.args[0], local, depth).outcomes
        branches = [(node.args[1], "T"), (node.args[2], "F")]
        several = [self._value(branch, local, depth) for branch, when in branches if when in condition]
        fails = "E" in condition or any(each.fails for each in several)
        several = [each for each in several if each.value is not NOTHING]
        if not several:
            return Possible(NOTHING, fails=True)
        return several[0]._replace(fails=fails) if len(several) == 1 else Possible(_either(several), fails)

    def _optional(self, node: Call) -> Possible:
        domain, key = self._domain(node.args[0]), node.args[1]
        if domain is None or not isinstance(key, Literal) or not isinstance(key.value, str):
            return _ANYTHING
        name = Name(*domain, key.value)
        known = self._device.find(name)
        if known is None:
            self._note(ABSENT, name, node)
            return Possible(Optional(there=False, value=NOTHING), about=name)
        return Possible(Optional(True if known.always else None, _as_value(known)), about=name)

    def _of_optional(self, function: str, values: list[Possible]) -> Possible:
        optional, about = values[0].value, values[0].about
        if function == "hasValue":
            return Possible(Unknown("bool") if optional.there is None else optional.there)
        if function == "orValue" and len(values) > 1:
            other = values[1]
            if optional.there is True:
                return Possible(optional.value, about=about)
            if optional.there is False:
                return other
            return Possible(_either([Possible(optional.value), other]), other.fails, about)
        if function == "value":
            return Possible(optional.value, optional.there is not True, about)
        return _ANYTHING

    def _applied(self, function: str, values: list[Possible], node: Node) -> Possible:
        """Return the result of a function on values that may be unknown."""
        if function in ("_==_", "_!=_"):
            return self._compared(function, values, node)
        if function == "@in":
            found = self._among(values, node)
            if found is not None:
                return found
        each = [list(_possible(value.value)) for value in values]
        exact = all(not isinstance(value, Unknown) for options in each for value in options)
        count = 1
        for options in each:
            count *= len(options)
        if not exact or count > _MOST_COMBINATIONS:
            return self._by_type(function, values, node)
        results, failed, mistyped = self._enumerated(function, each)
        if mistyped and not results:
            self._mistyped(values, node)
        if not results:
            return Possible(NOTHING, fails=True) if failed else _ANYTHING
        about = next((value.about for value in values if value.about is not None), None)
        if results == [False] and not failed and about is not None:
            self._note(VALUE, about, node, self._device.find(about))
        value = results[0] if len(results) == 1 else Unknown(type_of(results[0]), tuple(results))
        return Possible(value, failed, about)

    def _enumerated(self, function: str, each: list[list[Any]]) -> tuple[list[Any], bool, bool]:
        """Return the possible values of a function, whether it can fail, and whether that is due to a wrong type."""
        results: list[Any] = []
        failed = mistyped = False
        for combination in itertools.product(*each):
            try:
                value = apply(self._environment, function, list(combination))
            except NotHereError:
                return [], False, False
            if isinstance(value, CelError):
                failed = True
                mistyped = mistyped or isinstance(value, NoOverload)
            elif not any(type(value) is type(other) and value == other for other in results):
                results.append(value)
        return results, failed, mistyped

    def _by_type(self, function: str, values: list[Possible], node: Node) -> Possible:
        """Return what the types show of a result: one value of each type stands for all."""
        samples = [_sample(value.value) for value in values]
        if any(sample is NOTHING for sample in samples):
            return _ANYTHING
        try:
            value = apply(self._environment, function, samples)
        except NotHereError:
            return _ANYTHING
        if isinstance(value, NoOverload):
            self._mistyped(values, node)
            return Possible(NOTHING, fails=True)
        about = next((each.about for each in values if each.about is not None), None)
        return _ANYTHING if isinstance(value, CelError) else Possible(Unknown(type_of(value)), about=about)

    def _mistyped(self, values: list[Possible], node: Node) -> None:
        for value in values:
            known = None if value.about is None else self._device.find(value.about)
            if value.about is not None and known is not None and known.type != "any":
                others = [type_of(_sample(other.value)) for other in values if other is not value]
                self._note(TYPE, value.about, node, known, next(iter(others), None))

    # Comparisons.

    def _compared(self, function: str, values: list[Possible], node: Node) -> Possible:
        found = self._equal(values[0], values[1], node)
        if function == "_==_" or found.value is NOTHING:
            return found
        return found._replace(value=not found.value) if isinstance(found.value, bool) else found

    def _equal(self, one: Possible, other: Possible, node: Node) -> Possible:
        types = type_of(_sample(one.value)), type_of(_sample(other.value))
        about = one.about or other.about
        if "any" in types:
            return Possible(Unknown("bool"), fails=True, about=about)
        numbers = {"int", "uint", "double"}
        if types[0] != types[1] and not numbers.issuperset(types):
            self._mistyped([one, other], node)
            strict = isinstance(_sample(one.value), Semver | QuantityValue) or isinstance(
                _sample(other.value), Semver | QuantityValue
            )
            return Possible(NOTHING, fails=True) if strict else Possible(value=False)
        options = [list(_possible(each.value)) for each in (one, other)]
        if any(isinstance(value, Unknown) for each in options for value in each):
            return self._fits(one, other, node)
        results = {equal(a, b) for a, b in itertools.product(*options)}
        if results == {False} and about is not None:
            self._note(VALUE, about, node, self._device.find(about), (other if about is one.about else one).value)
        return Possible(Unknown("bool") if len(results) > 1 else results.pop(), about=about)

    def _fits(self, one: Possible, other: Possible, node: Node) -> Possible:
        """Return whether an attribute of unknown value can equal another value."""
        for attribute, value in ((one, other.value), (other, one.value)):
            known = None if attribute.about is None else self._device.find(attribute.about)
            if (
                attribute.about is None
                or known is None
                or not isinstance(value, str)
                or not isinstance(attribute.value, Unknown)
            ):
                continue
            if attribute.value != _as_value(known):
                continue  # the expression has changed the value
            if known.pattern is not None and not is_in(known.pattern, value):
                self._note(VALUE, attribute.about, node, known, value)
                return Possible(value=False)
            if known.listed and value not in known.listed:
                self._note(LIKE, attribute.about, node, known, value)
        return Possible(Unknown("bool"))

    def _among(self, values: list[Possible], node: Node) -> Possible | None:
        """Return whether a value is in a list; None where the list is unknown."""
        one, several = values
        known = None if several.about is None else self._device.find(several.about)
        if known is not None and several.about is not None:
            sample = type_of(_sample(one.value))
            if known.type == "list of string" and sample not in ("string", "any"):
                self._note(TYPE, several.about, node, known, sample)
                return Possible(value=False)
            return Possible(Unknown("bool")) if known.type == "list of string" else None
        if not isinstance(several.value, list) or one.about is None:
            return None
        each = [self._equal(one, Possible(item), node) for item in several.value]
        return _joined([result.outcomes for result in each], decisive=True)

    # Loops.

    def _loop(self, node: Comprehension, local: dict[str, Possible], depth: int) -> Possible:
        over = self._value(node.iter_range, local, depth)
        if over.value is NOTHING:
            return Possible(NOTHING, fails=True)
        if not isinstance(over.value, list) or len(over.value) > _MOST_TURNS:
            return _ANYTHING
        accu = self._value(node.accu_init, local, depth)
        for number, item in enumerate(over.value):
            own = {node.iter_var: Possible(number), node.iter_var2: Possible(item)}
            inner = {**local, node.accu: accu, **(own if node.iter_var2 else {node.iter_var: Possible(item)})}
            if self._value(node.condition, inner, depth).value is False:
                break
            accu = self._value(node.step, inner, depth)
        return self._value(node.result, {**local, node.accu: accu}, depth)


def _as_value(known: Known) -> Any:
    if known.values is not None and len(known.values) == 1:
        return known.values[0]
    return Unknown(known.type, known.values)


def _possible(value: Any) -> Iterator[Any]:
    """Yield the possible values of a value; an Unknown where they are not known."""
    if isinstance(value, Unknown) and value.values is not None:
        yield from value.values
    elif isinstance(value, Unknown) and value.type == "bool":
        yield from (True, False)
    elif value is not NOTHING:
        yield value


def _either(several: list[Possible]) -> Any:
    """Return the value that stands for one of several."""
    types = {type_of(_sample(each.value)) for each in several}
    options = [value for each in several for value in _possible(each.value)]
    if len(types) > 1 or any(isinstance(value, Unknown | Optional) for value in options):
        return Unknown(types.pop() if len(types) == 1 else "any")
    return Unknown(types.pop(), tuple(options))


_SAMPLES: dict[str, Any] = {
    "string": "a",
    "int": 1,
    "bool": True,
    "double": 1.5,
    "version": Semver(1, 0, 0),
    "semver": Semver(1, 0, 0),
    "quantity": QuantityValue(Fraction(1), 0),
    "list of string": ["a"],
    "list": ["a"],
}


def _sample(value: Any) -> Any:
    if isinstance(value, Unknown):
        return value.values[0] if value.values else _SAMPLES.get(value.type, NOTHING)
    return NOTHING if isinstance(value, Optional) else value


def _joined(each: list[frozenset[str]], *, decisive: bool) -> Possible:
    """Return the result of `||` (decisive: true) or `&&` on conditions."""
    wins, loses = ("T", "F") if decisive else ("F", "T")
    out = set()
    if any(wins in outcomes for outcomes in each):
        out.add(wins)
    if all(loses in outcomes for outcomes in each):
        out.add(loses)
    if any("E" in outcomes for outcomes in each) and all(outcomes & {"E", loses} for outcomes in each):
        out.add("E")
    values = out - {"E"}
    if not values:
        return Possible(NOTHING, fails=True)
    return Possible(Unknown("bool") if len(values) > 1 else values == {"T"}, "E" in out)


_ANYTHING: Final = Possible(Unknown("any"), fails=True)
