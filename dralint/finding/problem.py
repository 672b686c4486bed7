"""What a check returns: the rule, the path in the object, the message, and the repair as steps by field path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Union

from dralint.kubernetes.near import did_you_mean, distance, is_certain, is_numbered, is_slip, near
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from dralint.kubernetes.release import Release
    from dralint.yaml import Json, Path

    ByRelease = list[tuple["Problem", list[Release]]]
    """The problems of an object, each with the releases that find it."""


Link = Union[tuple["Link", "str | int"], tuple["Link", str, "int | None"], None]  # noqa: UP007 (it refers to itself)
"""A field path as a chain of (parent, last element); the root is None. A chain is cheap to extend on the way down.

An entry of a map is (parent, key, limit): the API server shortens a key that has more bytes than the limit.
"""


def path_of(link: Link) -> Path:
    """Return the chain as a tuple from the root."""
    parts: list[str | int] = []
    while link is not None:
        parts.append(link[1] if len(link) == 2 else map_key(link[1], link[2]))
        link = link[0]
    parts.reverse()
    return tuple(parts)


class MapKey(str):
    """An element of a field path that is the key of a map, not a field name; Kubernetes writes it in brackets."""

    __slots__ = ("shown",)
    shown: str


def map_key(key: str, limit: int | None = None) -> MapKey:
    """Return the key as an element of a path; the API server shows a long one with `...` in its middle.

    Source: truncateIfTooLong in pkg/apis/resource/validation/validation.go (v1.32.13 to v1.37.0).
    """
    element = MapKey(key)
    element.shown = key
    if limit is not None and len(key.encode("utf-8", "surrogatepass")) > limit:
        raw = key.encode("utf-8", "surrogatepass")
        left = limit - 3
        cut = raw[: (left + 1) // 2] + b"..." + raw[len(raw) - left // 2 :]
        element.shown = cut.decode("utf-8", "replace")
    return element


def path_text(path: Path) -> str:
    """Write a path as Kubernetes does: `spec.devices[0].attributes[gpu.example.com/model]`."""
    out: list[str] = []
    for part in path:
        if isinstance(part, MapKey):
            out.append(f"[{part.shown}]")
        elif isinstance(part, int):
            out.append(f"[{part}]")
        else:
            out.append(f".{part}" if out else str(part))
    return "".join(out)


def at(data: Any, path: Path) -> Any:
    """Return the value at the path; None where the path leads nowhere."""
    for part in path:
        if isinstance(data, dict) and isinstance(part, str):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return None
    return data


def copied(outcome: list[Any], value: Any, path: Path) -> Any:
    """Return what lies at a path in the copy of a value, None where it leads nowhere.

    What leads there is copied where it is not yet; all else is shared.

    Args:
        outcome: the copy, as the only item; the value itself at first.
        value: is left as it is.
    """
    holder: Any = outcome
    shared: Any = [value]
    for part in (0, *path):
        if not (part < len(holder) if isinstance(holder, list) and isinstance(part, int) else part in holder):
            return None
        shared = shared[part]
        if holder[part] is shared and isinstance(shared, dict | list):
            holder[part] = shared.copy()
        holder = holder[part]
        if not isinstance(holder, dict | list):
            return None
    return holder


def text_of(value: object) -> str | None:
    """Return a text that is not empty; None for anything else, because the value may not be validated yet."""
    return value if isinstance(value, str) and value else None


def dict_of(value: object) -> dict[str, Any]:
    """Return a mapping; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """Return a list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def texts_of(value: object) -> tuple[str, ...]:
    """Return the texts in a list."""
    return tuple(entry for entry in list_of(value) if isinstance(entry, str))


def position(value: Any, path: Path, ranks: dict[int, dict[Any, int]]) -> tuple[int, ...]:
    """Return the position of a path in the order of the manifest; a missing field comes last in its parent.

    Args:
        ranks: the order of the fields of each visited mapping, by its identity.
    """
    out: list[int] = []
    for part in path:
        if isinstance(value, dict):
            order = ranks.get(id(value))
            if order is None:
                order = ranks[id(value)] = {key: rank for rank, key in enumerate(value)}
            out.append(order.get(part, len(value)))
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            out.append(part)
            value = value[part]
        else:
            break
    return tuple(out)


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


MISSING_FIELD, NUMBER_FOR_TEXT = "missing-field", "number-for-text"
NO_OBJECT_HERE, NO_LIST_HERE = "no-object", "no-list"
TOLD_WITH_ANOTHER = "told-with-another"
"""Kinds of problems that other stages act upon: a required field is missing; a number or boolean is where a string
belongs; another value is where an object or a list belongs; the problem repeats a neighbour that mentions it."""


class Problem(NamedTuple):
    """One mistake in one object, by field path.

    `path` is the field that the API server blames. `where` is the place to underline, if that is deeper. `target` is
    the part of it to underline: the `value`, the `key`, or (`scalar`) the characters `start` to `end` of its string.
    `related` has other places of the same object; `before` a place in the one before an update, with the words for
    it. `kind` is set where another stage acts upon the problem (see the names above). `repair` would mend it.
    """

    rule: str
    path: Path
    message: str
    reason: str | None = None
    hint: str | None = None
    where: Path | None = None
    target: str = "value"
    start: int = 0
    end: int = 0
    related: tuple[tuple[str, Path], ...] = ()
    kind: str = ""
    before: tuple[str, Path] | None = None
    repair: Repair | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self[:-1] == other[:-1]

    def __hash__(self) -> int:  # a repair may have values that cannot be hashed
        return hash(self[:-1])

    @property
    def place(self) -> Path:
        """The path of what to underline."""
        return self.path if self.where is None else self.where

    @property
    def parent(self) -> Path:
        """The path without its last element."""
        return self.path[:-1]

    @property
    def last(self) -> str | int:
        """The last element of the path."""
        return self.path[-1]


class Deferred:
    """A problem whose words are only made when it is reported: of a great many, few are.

    Its path is that of its `parent`, one tuple for many problems, and the `last` element. `tell` makes the problem from
    the path and what is found there; it too is one for many problems.
    """

    __slots__ = ("_found", "_tell", "kind", "last", "parent", "reason")

    def __init__(
        self,
        parent: Path,
        last: str | int,
        reason: str,
        tell: Callable[[Path, Any], Problem],
        found: object,
        kind: str = "",
    ) -> None:
        self.parent = parent
        self.last = last
        self.reason = reason
        self.kind = kind
        self._tell = tell
        self._found = found

    @property
    def path(self) -> Path:
        """The field that the API server blames."""
        return (*self.parent, self.last)

    def told(self) -> Problem:
        """Return the problem with its words."""
        return self._tell((*self.parent, self.last), self._found)


class Meant(NamedTuple):
    """What to write instead: the hint, and the repair if there is one candidate."""

    hint: str | None
    repair: Repair | None


def meant(
    value: str,
    allowed: Iterable[str],
    path: Path,
    *,
    key: bool = False,
    taken: Collection[str | None] = (),
    closed: bool = False,
    otherwise: str | None = None,
) -> Meant:
    """Return what to write instead of a value (with `key`, of the key) at the path.

    The hint offers all names that are equally near. There is a repair only for a single name that shares most of its
    letters. It is safe if the value can only be that name (see `is_certain`).

    Args:
        closed: whether Kubernetes or a driver gives the allowed names, and not the user.
        taken: names that are already used next to it, so that they cannot be the repair.
        otherwise: the hint if no name is near, or only a neighbour in a series, such as `gpu-0` for `gpu-1`.
    """
    allowed = tuple(allowed)
    names = near(value, allowed)
    if len(names) != 1 or names[0] in taken:
        return Meant(did_you_mean(names) or otherwise, None)
    if is_numbered(value, names[0]):
        return Meant(otherwise or did_you_mean(names), None)
    short = len(names[0]) <= 4 and len(value) == len(names[0]) and value.lower() != names[0].lower()
    if (short and not is_slip(value, names[0])) or 2 * distance(value.lower(), names[0].lower()) > len(names[0]):
        return Meant(did_you_mean(names), None)
    mend = renamed if key else replaced
    sure = is_certain("word" if closed else "name", value, names[0], allowed)
    return Meant(did_you_mean(names), mend(path, names[0], safe=sure))
