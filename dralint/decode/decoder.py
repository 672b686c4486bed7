"""Decodes as the API server does with strict field validation: unknown fields, wrong types, numbers out of range.

A decoder is compiled once for each struct of a release and API version; on the accepting path it does one dictionary
look-up and one type comparison for each field. Source of the behaviour: apimachinery
pkg/runtime/serializer/json/json.go and sigs.k8s.io/json.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import (
    NO_LIST_HERE,
    NO_OBJECT_HERE,
    NUMBER_FOR_TEXT,
    Deferred,
    Link,
    Problem,
    map_key,
    path_of,
)
from dralint.finding.rule_ids import NUMBER_RANGE, QUANTITY, TIME, WRONG_TYPE
from dralint.finding.words import quoted
from dralint.kubernetes.quantity import hangs, parse_quantity
from dralint.kubernetes.types import Shape
from dralint.yaml import number_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dralint.kubernetes.types import Struct
    from dralint.yaml import Path

    Explain = Callable[[Path, tuple[Struct, Mapping[str, object]]], Problem]


class Decoded:
    """The results of decoding one object: problems, the fields that a disabled gate removes (link, gate), and the
    entries of lists and maps that are null. The API server makes empty ones of these, so it never returns any."""

    __slots__ = ("_link", "_path", "gone", "nulls", "problems")

    def __init__(self, problems: list[Problem | Deferred], gone: list[tuple[Link, str]]) -> None:
        self.problems = problems
        self.gone = gone
        self.nulls: list[Link] = []
        self._link: Link = None
        self._path: Path = ()

    def parent(self, link: Link) -> Path:
        """Return the path of the parent of a problem; consecutive problems in one parent share it."""
        if link is not self._link:
            self._link, self._path = link, path_of(link)
        return self._path

    def place(self, link: Link) -> tuple[Path, str | int]:
        """Return the path of what a value lies in, and the element that leads to it."""
        assert link is not None
        return self.parent(link[0]), link[1] if len(link) == 2 else map_key(link[1], link[2])


_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
_TIME = r"(?a)(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|[+-](\d\d):(\d\d))\Z"
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_ARTICLES = {
    "string": "a string",
    "boolean": "true or false",
    "int32": "an integer",
    "int64": "an integer",
    "struct": "an object",
    "map": "an object",
    "list": "a list",
    "quantity": "a quantity (a string or a number)",
    "time": "a time (a string)",
    "number": "a number",
}


_SHAPES = {"list": NO_LIST_HERE, "struct": NO_OBJECT_HERE, "map": NO_OBJECT_HERE}
"""Shape that a value should have → the kind of its problem."""


def describe(value: object) -> str:
    """Describe a value in a message: `the string "two"`, `a list`, `the number 1.5`, `true`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the string {quoted(value)}"
    if isinstance(value, int | float):
        return f"the number {quoted(value)}"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    return "null"


def valid_time(text: str) -> bool:
    """Say whether Go's time package reads the text as RFC 3339; it also accepts an hour of one digit and a comma."""
    match = re.match(_TIME, text)
    if match is None:
        return False
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not (1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] and (month != 2 or day < 29 or leap)):
        return False
    zone = match[7] is None or (int(match[7]) <= 24 and int(match[8]) <= 60)
    return hour < 24 and minute < 60 and second < 60 and zone


def _mismatch(types: Mapping[str, Struct], shape: Shape, path: Path, value: object) -> Problem:
    from dralint.decode import wrong_type  # only where there is a problem

    expected = shape.shape
    advice = wrong_type.advice(types, shape, value, path)
    return Problem(
        WRONG_TYPE,
        path,
        f"expected {_ARTICLES.get(expected, expected)}, got {describe(value)}",
        "TypeInvalid",
        advice.hint,
        kind=NUMBER_FOR_TEXT if expected == "string" and isinstance(value, int | float) else _SHAPES.get(expected, ""),
        repair=advice.repair(path),
    )


def _mismatches(types: Mapping[str, Struct], shape: Shape) -> Callable[[Any, Link, Decoded], None]:
    """Return the function that adds the problem of a value with another shape."""
    tell, kind = partial(_mismatch, types, shape), _SHAPES.get(shape.shape, "")

    def mismatch(value: Any, link: Link, found: Decoded) -> None:
        found.problems.append(Deferred(*found.place(link), "TypeInvalid", tell, value, kind))

    return mismatch


@cache
def _plain_quantity() -> Callable[[str], object]:
    """Return what matches quantities of a few digits; many files have none."""
    return re.compile(r"\d{1,15}(?:\.\d{1,9})?(?:[numkMGTPE]|[KMGTPE]i)?\Z", re.ASCII).match


def _quantity(value: str, link: Link, found: Decoded) -> None:
    if _plain_quantity()(value):
        return

    try:
        parse_quantity(value)
        if not hangs(value):
            return
    except ValueError:
        pass
    found.problems.append(Deferred(*found.place(link), "Decode", _wrong_quantity, value))


def _wrong_quantity(path: Path, value: str) -> Problem:
    try:
        parse_quantity(value)
    except ValueError as error:
        from dralint.decode.wrong_type import amount_meant  # only where there is a problem

        advice = amount_meant(value)
        message = f"{quoted(value)} {error}"
        return Problem(QUANTITY, path, message, "Decode", advice.hint, repair=advice.repair(path))
    # The user sees a request that times out: nothing is stored.
    text = f"{quoted(value)} keeps the API server computing until the request times out"
    return Problem(QUANTITY, path, text, "Decode", "write the number out, with a suffix such as Gi")


def _quantity_number(value: Any, link: Link, found: Decoded) -> None:
    if type(value) is bool or not isinstance(value, int | float):
        _mismatches({}, Shape("quantity"))(value, link, found)
    else:
        _quantity(number_text(value), link, found)


def _time(value: str, link: Link, found: Decoded) -> None:
    if not valid_time(value):
        found.problems.append(
            Problem(
                TIME,
                path_of(link),
                f"{quoted(value)} is not a time: RFC 3339, such as 2026-01-02T03:04:05Z",
                "Decode",
                "leave the field out: the server sets it"
                if path_of(link)[-1] in ("creationTimestamp", "timeAdded")
                else "write date, time and zone, such as 2026-01-02T03:04:05Z",
            )
        )


def _integer(shape: str) -> Callable[[Any, Link, Decoded], None]:
    low, high = _RANGES[shape]

    def decode(value: int, link: Link, found: Decoded) -> None:
        if not low <= value <= high:
            found.problems.append(
                Problem(
                    NUMBER_RANGE,
                    path_of(link),
                    f"{number_text(value)[:60]} is out of range: it must be between {low} and {high}",
                    "TypeInvalid",
                    f"write a number between {low} and {high}",
                )
            )

    return decode


class Decoders:
    """The compiled decoders of one release, API version and set of gates.

    Args:
        structs: the types by short name.
        gone: (type, field) → gate, for the fields that are removed because a gate is off.
        explain: returns what tells the problem of an unknown field from its path, and the type and the value of the
            mapping that has it.
    """

    __slots__ = ("_built", "_explain", "_gone", "_structs")

    def __init__(
        self,
        structs: Mapping[str, Struct],
        gone: Mapping[tuple[str, str], str],
        explain: Callable[[], Explain],
    ) -> None:
        self._structs = structs
        self._gone = gone
        self._explain = explain
        self._built: dict[str, Callable[[Any, Link, Decoded], None]] = {}

    def struct(self, name: str) -> Callable[[Any, Link, Decoded], None]:
        """Return the decoder of a type; the types that it uses need not be compiled yet."""
        built = self._built.get(name)
        if built is None:
            struct = self._structs[name]
            table: dict[str, tuple[type, Any, Any]] = {}
            built = self._built[name] = _struct_decoder(struct, table, self._explain)
            for key, shape in struct.fields.items():
                table[key] = self._field(shape, self._gone.get((name, key)))
        return built

    def _field(self, shape: Shape, gate: str | None) -> tuple[type, Any, Any]:
        """Return (Python type of a valid value, function for it or None, function for any other value)."""
        expected, deep, other = self._value(shape)
        if gate is None:
            return expected, deep, other

        def guarded(value: Any, link: Link, found: Decoded) -> None:
            found.gone.append((link, gate))
            if type(value) is expected:
                if deep is not None:
                    deep(value, link, found)
            else:
                other(value, link, found)

        return _Never, None, guarded

    def _value(self, shape: Shape) -> tuple[type, Any, Any]:
        kind = shape.shape
        mismatch = _mismatches(self._structs, shape)
        if kind == "string":
            return str, None, mismatch
        if kind == "boolean":
            return bool, None, mismatch
        if kind in _RANGES:
            return int, _integer(kind), mismatch
        if kind == "quantity":
            return str, _quantity, _quantity_number
        if kind == "time":
            return str, _time, mismatch
        if kind == "struct":
            return dict, self.struct(shape.type), mismatch
        if kind == "list" and shape.of is not None:
            return list, _list_decoder(self._value(shape.of)), mismatch
        if kind == "map" and shape.of is not None:
            return dict, _map_decoder(self._value(shape.of)), mismatch
        return _Never, None, _anything


class _Never:
    """No value has this type."""


def _anything(value: Any, link: Link, found: Decoded) -> None:
    """Accept any JSON, as RawExtension and the like do."""


def _struct_decoder(
    struct: Struct,
    table: dict[str, tuple[type, Any, Any]],
    explain: Callable[[], Explain],
) -> Callable[[Any, Link, Decoded], None]:
    get = table.get

    def decode(value: dict[str, Any], link: Link, found: Decoded) -> None:
        path: Path | None = None
        there: tuple[Struct, dict[str, Any]] | None = None
        for key, item in value.items():
            entry = get(key)
            if entry is None:
                if path is None:
                    path, there = found.parent(link), (struct, value)
                found.problems.append(Deferred(path, key, "Unknown", explain(), there))
                continue
            expected, deep, other = entry
            if type(item) is expected:
                if deep is not None:
                    deep(item, (link, key), found)
            elif item is not None:
                other(item, (link, key), found)

    return decode


def _list_decoder(entry: tuple[type, Any, Any]) -> Callable[[Any, Link, Decoded], None]:
    expected, deep, other = entry

    def decode(value: list[Any], link: Link, found: Decoded) -> None:
        for position, item in enumerate(value):
            if type(item) is expected:
                if deep is not None:
                    deep(item, (link, position), found)
            elif item is not None:
                other(item, (link, position), found)
            else:
                found.nulls.append((link, position))

    return decode


def _map_decoder(entry: tuple[type, Any, Any]) -> Callable[[Any, Link, Decoded], None]:
    expected, deep, other = entry

    def decode(value: dict[str, Any], link: Link, found: Decoded) -> None:
        blamed: tuple[Path, str | int] | None = None
        for key, item in value.items():
            if type(item) is expected:
                if deep is not None:
                    deep(item, (link, key, None), found)
            elif item is not None:
                before = len(found.problems)
                other(item, (link, key, None), found)
                if len(found.problems) > before:
                    blamed = blamed or found.place(link)
                    found.problems[before:] = [_at_map(problem, *blamed) for problem in found.problems[before:]]
            else:
                found.nulls.append((link, key, None))

    return decode


def _at_map(problem: Problem | Deferred, parent: Path, last: str | int) -> Problem | Deferred:
    """Return a problem of an entry as the API server reports it: for a wrong type, it blames the map."""
    return Deferred(parent, last, "TypeInvalid", _blaming_map, problem) if problem.reason == "TypeInvalid" else problem


def _blaming_map(path: Path, problem: Problem | Deferred) -> Problem:
    if isinstance(problem, Deferred):
        problem = problem.told()
    entry = str(problem.path[len(path)])
    message = problem.message.replace(", got", f" for `{entry[:60]}`, got", 1)
    return problem._replace(path=path, message=message, where=problem.path)
