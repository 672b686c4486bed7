"""What would repair a problem, as steps by field path: checks know the object, only the editing of text knows YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from dralint.yaml import Json, Path

Step = Literal["replace", "replace-part", "rename", "remove", "insert", "move"]


class Change(NamedTuple):
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


class Repair(NamedTuple):
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
