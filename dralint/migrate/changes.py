"""The changes of an object between neighbouring API versions, and how to make them in plain data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from dralint.kubernetes import shipped
from dralint.kubernetes.near import near
from dralint.migrate.version_differences import MOVES, UNSET, UNSET_REQUEST, VERSIONS, Move

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.migrate.version_differences import Pattern
    from dralint.yaml import Path


class ConflictError(Exception):
    """An object has another shape than its API version, or two at once; `path` is the place, `hint` what to write."""

    def __init__(self, path: Path, message: str, hint: str) -> None:
        super().__init__(message)
        self.path = path
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Conversion:
    """One change of an object; `path` leads to the mapping (wrap), or to the changed entry (all others).

    `insert` adds an empty mapping, `replace` writes `value`.
    """

    way: Literal["wrap", "unwrap", "nest", "unnest", "remove", "insert", "replace"]
    path: Path
    key: str = ""
    beside: frozenset[str] = frozenset()
    value: str = ""


def steps(source: str, target: str) -> list[tuple[str, str]]:
    """Return the pairs of neighbouring API versions that lead from one to the other."""
    first, last = VERSIONS.index(source), VERSIONS.index(target)
    way = range(first, last) if first <= last else range(first, last, -1)
    by = 1 if first <= last else -1
    return [(VERSIONS[i], VERSIONS[i + by]) for i in way]


def changes(data: Any, kind: str, source: str, target: str) -> list[Conversion]:
    """Return the changes of one step in an object; ConflictError if it mixes the shapes of both API versions."""
    up = VERSIONS.index(source) < VERSIONS.index(target)
    older = source if up else target
    out: list[Conversion] = []
    if up:
        for version, of_kind, pattern, values in UNSET:
            if (version, of_kind) == (older, kind):
                for path, value in matches(data, pattern):
                    out += _unset(path, value, values)
    for move in MOVES:
        if (move.older, move.kind) == (older, kind):
            for path, value in matches(data, move.path):
                out += _moved(move, path, value, up=up)
    return out


def _moved(move: Move, path: Path, value: Any, *, up: bool) -> list[Conversion]:
    if move.way == "nest":
        return _nested(move, path, value, up=up)
    if not isinstance(value, dict):
        return []
    inner = value.get(move.key)
    if up == (move.way == "wrap"):
        stay = move.beside.union(key for key in value if key != move.key and not _goes_inside(move, key))
        return _wrapped(move, path, value, stay)
    outside = [key for key in value if key not in move.beside and key != move.key]
    if move.key not in value or not (inner is None or isinstance(inner, dict)):
        return []
    taken = sorted(set(inner) & set(value) if isinstance(inner, dict) else ())
    if taken or (outside and inner):
        raise _two_shapes(move, path, (taken or outside)[0])
    return [Conversion("unwrap", (*path, move.key))]


def _goes_inside(move: Move, key: str) -> bool:
    """Say whether a field, even a misspelt one, belongs below the key of a move; unknown ones stay."""
    if key in move.beside:
        return False
    known = _fields_inside(move)
    return key in known or known.issuperset(near(key, (*known, *move.beside)) or [key])


@cache
def _fields_inside(move: Move) -> frozenset[str]:
    version = VERSIONS[VERSIONS.index(move.older) + (move.way == "wrap")]
    releases = shipped.index()["releases"]["releases"]
    served = [release for release in releases if (version, move.kind) in shipped.served(release)]
    return frozenset(name for release in served for name in shipped.structs_of(release, version)[move.inner].fields)


def _wrapped(move: Move, path: Path, value: dict[str, Any], stay: frozenset[str]) -> list[Conversion]:
    outside = [key for key in value if key not in stay and key != move.key]
    if move.key in value:
        if outside:
            raise _two_shapes(move, path, outside[0])
        return []
    if move.key == "exactly" and all(_is_unset(value[key], UNSET_REQUEST.get(key)) for key in outside):
        return [Conversion("remove", (*path, key)) for key in outside]
    if outside:
        return [Conversion("wrap", path, move.key, stay)]
    # An API version with the key requires it in some release, even if it is empty.
    return [Conversion("insert", (*path, move.key))] if move.way == "unwrap" and value else []


def _two_shapes(move: Move, path: Path, other: str) -> ConflictError:
    message = f"`{move.key}` stands next to `{other}`, which no API version allows"
    return ConflictError((*path, move.key), message, "remove one of the two")


def _nested(move: Move, path: Path, value: Any, *, up: bool) -> list[Conversion]:
    if up:
        return [Conversion("nest", path, move.key)] if isinstance(value, str | int | float) else []
    if not isinstance(value, dict):
        return []
    if not value:
        return [Conversion("replace", path, value="0")]
    return [Conversion("unnest", path, move.key)] if set(value) == {move.key} else []


def _unset(path: Path, value: Any, values: dict[str, Any]) -> list[Conversion]:
    if not isinstance(value, dict):
        return []
    return [Conversion("remove", (*path, key)) for key, zero in values.items() if key in value and value[key] == zero]


def _is_unset(value: Any, zero: Any) -> bool:
    return value is None or (zero is not None and type(value) is type(zero) and value == zero)


def matches(data: Any, pattern: Pattern) -> Iterator[tuple[Path, Any]]:
    """Yield path and value of each match of the pattern in the data."""
    found: list[tuple[Path, Any]] = [((), data)]
    for step in pattern:
        inner: list[tuple[Path, Any]] = []
        for path, value in found:
            if step is not None:
                if isinstance(value, dict) and step in value:
                    inner.append(((*path, step), value[step]))
            elif isinstance(value, list):
                inner += [((*path, position), item) for position, item in enumerate(value)]
            elif isinstance(value, dict):
                inner += [((*path, key), entry) for key, entry in value.items()]
        found = inner
    yield from found


def changed(data: Any, made: list[Conversion]) -> Any:
    """Return the data with the changes made; the original does not change."""
    copies: set[int] = set()
    for change in made:
        data = _replaced(data, change.path if change.way == "wrap" else change.path[:-1], change, copies)
    return data


def _replaced(data: Any, path: Path, change: Conversion, copies: set[int]) -> Any:
    """Return the data with the change made to the mapping at the path; its parents are copied once.

    The rest is shared with the original. `copies` has the ids of the values that are not.
    """
    if not path:
        data = _made(data, change)
    else:
        if id(data) not in copies:
            data = data.copy()
        data[path[0]] = _replaced(data[path[0]], path[1:], change, copies)
    copies.add(id(data))
    return data


def _made(mapping: dict[str, Any], change: Conversion) -> dict[str, Any]:
    """Return a mapping after a change of its own (wrap), or of the entry that the path of the change ends in."""
    if change.way == "wrap":
        inner = {key: value for key, value in mapping.items() if key not in change.beside}
        return {**{key: value for key, value in mapping.items() if key in change.beside}, change.key: inner}
    entry = str(change.path[-1])
    rest = {key: value for key, value in mapping.items() if key != entry}
    value: Any
    match change.way:
        case "remove":
            return rest
        case "unwrap":
            return {**rest, **(mapping[entry] or {})}
        case "nest":
            value = {change.key: mapping[entry]}
        case "unnest":
            value = mapping[entry][change.key]
        case "insert":
            value = {}
        case "replace":
            value = change.value
    return {**mapping, entry: value}
