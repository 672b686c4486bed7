"""The repair of a problem, as steps by field path. Checks know the object; only `edit` knows the YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from dralint.records import NamedTuple

if TYPE_CHECKING:
    from dralint.yaml import Json, Path

Step = Literal["replace", "replace-part", "rename", "remove", "insert", "move"]


class Change(NamedTuple):
    """One step of a repair, on one object.

    `path` is the field that changes, from the object's root. By `do`:

    - replace: the value becomes `value`;
    - replace-part: the characters `start` to `end` of the string there become `value` (a string);
    - rename: the key becomes `value` (a string), its value stays;
    - remove: the entry of the mapping or the item of the list goes away;
    - insert: the missing field gets `value` (a position in a list: before that item);
    - move: the entry goes to the path `to`; missing parents are created.
    """

    do: Step
    path: Path
    value: Json = None
    to: Path = ()
    start: int = 0
    end: int = 0


class Repair(NamedTuple):
    """Repairs a problem.

    It is `safe` if it has one possible meaning; otherwise it guesses what the author meant.
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
    """Return the repair that removes a field."""
    return Repair((Change("remove", path),), safe)
