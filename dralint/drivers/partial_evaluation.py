"""Evaluates a selector on a kind of device of which only some values are known.

Each part of an expression has its possible values, of which a failure is one. The result holds for every device of the
kind: if the selector cannot be true here, it is true for none.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dralint.cel.functions import NotHereError, equal
from dralint.cel.machine import NoOverload, apply
from dralint.cel.tree import Call, Comprehension, Ident, ListLiteral, Literal, Select, is_driver, lookup_of, named
from dralint.cel.values import ABSENT as MISSING
from dralint.cel.values import CelError, OptionalValue, QuantityValue, Semver
from dralint.drivers.devices import Name, type_of
from dralint.drivers.pack import is_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dralint.cel.issue import Compilation
    from dralint.cel.tree import Node
    from dralint.drivers.devices import DeviceKind, Known

_MOST_COMBINATIONS, _DEEPEST, _MOST_TURNS = 256, 80, 64

FAILURE: Final = CelError("")
"""The value of a part that fails."""


class Unknown(NamedTuple):
    """A value of which only the type is known; `any` for none."""

    type: str


class Possible(NamedTuple):
    """The possible values of a part, each once, and the attribute that it is made of."""

    values: tuple[Any, ...]
    about: Name | None = None

    @property
    def certain(self) -> tuple[Any, ...]:
        """The values without a failure."""
        return tuple(value for value in self.values if value is not FAILURE)

    @property
    def only(self) -> Any:
        """The value if it is one and known; else an Unknown."""
        return self.certain[0] if len(self.certain) == 1 else Unknown("any")

    @property
    def outcomes(self) -> frozenset[str]:
        """The possible results of a condition: T, F, and E for a failure."""
        each = ("E" if v is FAILURE else "T" if v is True else "F" if v is False else "TFE" for v in self.values)
        return frozenset("".join(each))


_ANYTHING: Final = Possible((Unknown("any"), FAILURE))
_FAILS: Final = Possible((FAILURE,))

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

    def _note(self, why: str, name: Name, node: Node, other: Any = None) -> None:
        note = Note(why, name, node.start, node.end, self._device.find(name), other)
        if note not in self.notes:
            self.notes.append(note)

    def _value(self, node: Node, local: dict[str, Possible], depth: int) -> Possible:
        if depth > _DEEPEST:
            return _ANYTHING
        if isinstance(node, Literal):
            return Possible((node.value,))
        if isinstance(node, Ident):
            return local.get(node.name, _ANYTHING)
        if isinstance(node, Select):
            return self._select(node, local, depth + 1)
        if isinstance(node, Call):
            return self._call(node, local, depth + 1)
        if isinstance(node, ListLiteral) and not node.optional:
            items = [self._value(item, local, depth + 1) for item in node.elements]
            fails = (FAILURE,) * any(FAILURE in item.values for item in items)
            known = not fails and not any(isinstance(item.only, Unknown | OptionalValue) for item in items)
            return Possible(([item.only for item in items],) if known else (Unknown("list"), *fails))
        if isinstance(node, Comprehension):
            return self._loop(node, local, depth + 1)
        return _ANYTHING

    # Lookups in the device.

    def _known(self, name: Name, node: Node) -> Known | None:
        """Return what is known of an attribute or capacity; None where the device does not have it."""
        known = self._device.find(name)
        if known is None:
            self._note(ABSENT, name, node)
        return known

    def _looked_up(self, name: Name, node: Node, otherwise: Any = FAILURE) -> Possible:
        """Return the values of an attribute; `otherwise` is that of a device without it."""
        known = self._known(name, node)
        if known is None:
            return Possible((otherwise,), name)
        values = known.values or _of_type(known.type)
        if otherwise is MISSING:
            values = tuple(OptionalValue(present=True, value=value) for value in values)
        return Possible(values if known.always else (*values, otherwise), name)

    def _there(self, name: Name, node: Node) -> Possible:
        """Return whether the device has an attribute."""
        known = self._known(name, node)
        return Possible((False,) if known is None else (True,) if known.always else (True, False))

    def _select(self, node: Select, local: dict[str, Possible], depth: int) -> Possible:
        found = named(node)
        if node.test:
            return _ANYTHING if found is None else self._there(Name(*found), node)
        if found is not None and lookup_of(node) is not None:
            return self._looked_up(Name(*found), node)
        if is_driver(node):
            return Possible((self._device.driver,))
        return _ANYTHING if self._value(node.operand, local, depth).certain else _FAILS

    # Calls.

    def _call(self, node: Call, local: dict[str, Possible], depth: int) -> Possible:
        function = node.function
        if function in ("_&&_", "_||_"):
            return _joined([self._value(arg, local, depth).outcomes for arg in node.args], decisive=function[1] == "|")
        if function == "_?_:_":
            condition = self._value(node.args[0], local, depth).outcomes
            branches = [(node.args[1], "T"), (node.args[2], "F")]
            several = [self._value(branch, local, depth) for branch, when in branches if when in condition]
            fails = (FAILURE,) * ("E" in condition)
            about = several[0].about if len(several) == 1 else None
            return Possible(_distinct(*(each.values for each in several), fails), about)
        if function == "@not_strictly_false":
            inner = self._value(node.args[0], local, depth)
            return Possible((False,) if inner.outcomes == {"F"} else (True, False))
        if function in ("_[_]", "_[?_]", "_?._", "@in"):
            found = named(node)
            if found is not None and function == "@in":
                return self._there(Name(*found), node)
            if found is not None and (function != "_[_]" or lookup_of(node) is not None):
                return self._looked_up(Name(*found), node, FAILURE if function == "_[_]" else MISSING)
            if "?" in function or (function == "@in" and lookup_of(node.args[1]) and named(node.args[1]) is None):
                return _ANYTHING
        operands = node.args if node.target is None else [node.target, *node.args]
        values = [self._value(operand, local, depth) for operand in operands]
        if values and any(isinstance(value, OptionalValue) for value in values[0].values):
            return _of_optional(function, values)
        if not all(each.certain for each in values):
            return _FAILS
        if any(isinstance(value, OptionalValue) for each in values for value in each.values):
            return _ANYTHING
        result = self._applied(function, values, node)
        fails = (FAILURE,) * any(FAILURE in each.values for each in values)
        return Possible(_distinct(result.values, fails), result.about)

    def _applied(self, function: str, values: list[Possible], node: Node) -> Possible:
        """Return the results of a function on values that do not fail; where one is unknown, by the types."""
        if function in ("_==_", "_!=_"):
            found = self._equal(values[0], values[1], node)
            swapped = {True: False, False: True} if function == "_!=_" else {}
            return Possible(tuple(swapped.get(value, value) for value in found.values), found.about)
        if function == "@in" and (among := self._among(values[0], values[1], node)) is not None:
            return among
        options = [each.certain for each in values]
        exact = not any(isinstance(value, Unknown) for each in options for value in each)
        exact = exact and math.prod(map(len, options)) <= _MOST_COMBINATIONS
        results: list[Any] = []
        for combination in itertools.product(*options) if exact else [[_sample(each[0]) for each in options]]:
            if not exact and None in combination:
                return _ANYTHING
            try:
                results.append(apply(self._environment, function, list(combination)))
            except NotHereError:
                return _ANYTHING
        about = next((each.about for each in values if each.about is not None), None)
        if all(isinstance(result, CelError) for result in results):
            if any(isinstance(result, NoOverload) for result in results):
                self._mistyped(values, node)
            elif not exact:
                return _ANYTHING
            return _FAILS
        if not exact:
            return Possible(_of_type(type_of(results[0])), about)
        results = [FAILURE if isinstance(result, CelError) else result for result in results]
        if about is not None and all(result is False for result in results):
            self._note(VALUE, about, node)
        return Possible(_distinct(results), about)

    def _mistyped(self, values: Sequence[Possible], node: Node) -> None:
        for value in values:
            known = None if value.about is None else self._device.find(value.about)
            if value.about is not None and known is not None and known.type != "any":
                others = [_type(other.certain[0]) for other in values if other is not value]
                self._note(TYPE, value.about, node, next(iter(others), None))

    # Comparisons.

    def _equal(self, one: Possible, other: Possible, node: Node) -> Possible:
        about = one.about or other.about
        results: list[Any] = []
        mistyped = 0
        for pair in itertools.product(one.certain, other.certain):
            kinds = {*map(_type, pair)}
            if "any" in kinds:
                results += (True, False, FAILURE)
            elif len(kinds) > 1 and not kinds <= _NUMBERS:
                mistyped += 1
                results.append(FAILURE if kinds & _STRICT else False)
            elif any(isinstance(value, Unknown) for value in pair):
                results += self._fitting(one, other, node)
            else:
                results.append(equal(*pair))
        found = _distinct(results)
        if mistyped == len(results):
            self._mistyped([one, other], node)
        elif found == (False,) and about is not None:
            self._note(VALUE, about, node, (other if about is one.about else one).only)
        return Possible(found, about)

    def _fitting(self, one: Possible, other: Possible, node: Node) -> tuple[bool, ...]:
        """Return whether an attribute of unknown value can equal another value."""
        for attribute, value in ((one, other.only), (other, one.only)):
            known = None if attribute.about is None else self._device.find(attribute.about)
            if attribute.about is None or known is None or not isinstance(value, str):
                continue
            if attribute.certain != (Unknown(known.type),):
                continue  # the expression has changed the value
            if known.pattern is not None and not is_in(known.pattern, value):
                return (False,)
            if known.listed and value not in known.listed:
                self._note(LIKE, attribute.about, node, value)
        return (True, False)

    def _among(self, one: Possible, several: Possible, node: Node) -> Possible | None:
        """Return whether a value is in a list; None where the list is unknown."""
        known = None if several.about is None else self._device.find(several.about)
        if known is not None and several.about is not None:
            if known.type != "list of string":
                return None
            kind = _type(one.certain[0])
            if kind in ("string", "any"):
                return Possible((True, False))
            self._note(TYPE, several.about, node, kind)
            return Possible((False,))
        if not isinstance(several.only, list) or one.about is None:
            return None
        each = [self._equal(one, Possible((item,)), node) for item in several.only]
        return _joined([result.outcomes for result in each], decisive=True)

    # Loops.

    def _loop(self, node: Comprehension, local: dict[str, Possible], depth: int) -> Possible:
        over = self._value(node.iter_range, local, depth)
        if not over.certain:
            return _FAILS
        if not isinstance(over.only, list) or len(over.only) > _MOST_TURNS:
            return _ANYTHING
        accu = self._value(node.accu_init, local, depth)
        for number, item in enumerate(over.only):
            turn = (number, item) if node.iter_var2 else (item,)
            own = {name: Possible((value,)) for name, value in zip((node.iter_var, node.iter_var2), turn, strict=False)}
            inner = {**local, node.accu: accu, **own}
            if self._value(node.condition, inner, depth).values == (False,):
                break
            accu = self._value(node.step, inner, depth)
        return self._value(node.result, {**local, node.accu: accu}, depth)


def _of_optional(function: str, values: list[Possible]) -> Possible:
    """Return the result of a function of an optional value."""
    first = values[0]
    if not all(isinstance(value, OptionalValue) for value in first.values):
        return _ANYTHING
    if function == "hasValue":
        return Possible(_distinct([value.present for value in first.values]))
    if function == "value":
        return Possible(tuple(value.value if value.present else FAILURE for value in first.values), first.about)
    if function == "orValue":
        each = [(value.value,) if value.present else values[1].values for value in first.values]
        return Possible(_distinct(*each), values[1].about if first.values == (MISSING,) else first.about)
    return _ANYTHING


def _joined(each: list[frozenset[str]], *, decisive: bool) -> Possible:
    """Return the result of `||` (decisive: true) or `&&` on conditions."""
    wins, loses = ("T", "F") if decisive else ("F", "T")
    out: list[Any] = []
    if any(wins in outcomes for outcomes in each):
        out.append(decisive)
    if all(loses in outcomes for outcomes in each):
        out.append(not decisive)
    if any("E" in outcomes for outcomes in each) and all(outcomes & {"E", loses} for outcomes in each):
        out.append(FAILURE)
    return Possible(tuple(out))


def _distinct(*several: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values of all, each once."""
    out: list[Any] = []
    for value in itertools.chain(*several):
        if not any(type(value) is type(other) and value == other for other in out):
            out.append(value)
    return tuple(out)


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
_NUMBERS = frozenset({"int", "uint", "double"})
_STRICT = frozenset({"version", "quantity"})
"""The types that are equal to no value of another type: to compare them fails."""


def _of_type(kind: str) -> tuple[Any, ...]:
    """Return the possible values of a type."""
    return (True, False) if kind == "bool" else (Unknown(kind),)


def _sample(value: Any) -> Any:
    """Return a value that stands for all of an unknown one; None where there is none."""
    return _SAMPLES.get(value.type) if isinstance(value, Unknown) else value


def _type(value: Any) -> str:
    return type_of(_sample(value))
