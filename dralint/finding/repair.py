"""What would repair a problem, as steps by field path: checks know the object, only the editing of text knows YAML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from dralint.yaml import Json, Path

Step = Literal["replace", "replace-part", "rename", "remove", "insert", "move"]


@dataclass(frozen=True, slots=True)
class Change:
    """One step of a repair, on one object.

    `path` is the field that it concerns, from the object's root. By `do`:

    - replace: the value becomes `value`;
    - replace-part: the characters `start` to `end` of the string there become `value` (a string);
    - rename: the key becomes `value` (a string), its value stays;
    - remove: the entry of the mapping or the item of the list is taken away;
    - insert: the field, which is not there yet, is written with `value` (a position in a list: before that item);
    - move: the entry goes to the path `to`, whose parents are made where they are missing.
    """

    do: Step
    path: Path
    value: Json = None
    to: Path = ()
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Repair:
    """What repairs a problem.

    `safe` where the meaning is certain; otherwise it guesses what the author meant.
    """

    changes: tuple[Change, ...]
    safe: bool = False


def replaced(path: Path, value: Json, *, safe: bool = False) -> Repair:
    """Return the repair that writes another value."""
    return Repair((Change("replace", path, value),), safe)


def renamed(path: Path, key: str, *, safe: bool = False) -> Repair:
    """Return the repair that writes another key."""
    return Repair((Change("rename", path, key),), safe)


def removed(path: Path, *, safe: bool = False) -> Repair:
    """Return the repair that takes a field away."""
    return Repair((Change("remove", path),), safe)


def mended(data: Any, repair: Repair) -> Any:
    """Return a copy of an object's data with the repair done, one change after the other.

    What keeps its place in a mapping keeps it here too; what is inserted or moved comes last. Raises KeyError or
    IndexError where a path leads nowhere, ValueError where a change would overwrite something else.
    """
    for change in repair.changes:
        data = _changed(data, change)
    return data


def _changed(data: Any, change: Change) -> Any:
    if change.do == "move":
        moved = data
        for part in change.path:
            moved = moved[part]
        data = _changed(data, Change("remove", change.path))
        return _inserted(data, change.to, moved)
    if change.do == "insert":
        return _inserted(data, change.path, change.value)
    return _at(data, change.path, change)


def _at(data: Any, path: Path, change: Change) -> Any:
    """Return a copy of the data with a replace, replace-part, rename or remove done at the path."""
    if not path:
        return change.value
    key = path[0]
    if len(path) > 1 or change.do in ("replace", "replace-part"):
        new = _part(data[key], change) if len(path) == 1 else _at(data[key], path[1:], change)
        if isinstance(data, list):
            return [new if position == key else item for position, item in enumerate(data)]
        return {name: new if name == key else item for name, item in data.items()}
    if isinstance(data, list):
        return [item for position, item in enumerate(data) if position != key]
    if key not in data:
        raise KeyError(key)
    if change.do == "remove":
        return {name: item for name, item in data.items() if name != key}
    if change.value in data:
        msg = f"{change.value!r} is there already"
        raise ValueError(msg)
    return {change.value if name == key else name: item for name, item in data.items()}


def _part(value: Any, change: Change) -> Any:
    if change.do == "replace":
        return change.value
    return f"{value[: change.start]}{change.value}{value[change.end :]}"


def _inserted(data: Any, path: Path, value: Any) -> Any:
    """Return a copy with the value at a path that is not there yet; parents are made where they are missing."""
    key = path[0]
    if isinstance(data, list):
        if len(path) > 1 and key == len(data):
            return [*data, _inserted([] if isinstance(path[1], int) else None, path[1:], value)]
        if len(path) > 1:
            return [_inserted(item, path[1:], value) if at == key else item for at, item in enumerate(data)]
        assert isinstance(key, int)
        return [*data[:key], value, *data[key:]]
    parent: dict[str, Any] = data or {}
    assert isinstance(key, str)
    if len(path) == 1:
        if parent.get(key) is not None:
            msg = f"{key!r} is there already"
            raise ValueError(msg)
        return {**parent, key: value}
    inner = parent.get(key)
    inner = [] if inner is None and isinstance(path[1], int) else inner
    return {**parent, key: _inserted(inner, path[1:], value)}
