"""What a check returns: the rule, the path in the object and the message, without file, line and severity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.finding.repair import Repair
    from dralint.yaml import Path

MISSING_FIELD, NUMBER_FOR_TEXT = "missing-field", "number-for-text"
NO_OBJECT_HERE, NO_LIST_HERE = "no-object", "no-list"
TOLD_WITH_ANOTHER = "told-with-another"
"""Kinds of problems that other stages act upon: a required field is missing; a number or boolean is where a string
belongs; another value is where an object or a list belongs; the problem repeats a neighbour that mentions it."""


class Problem(NamedTuple):
    """One mistake in one object, by field path.

    `path` is the field that the API server blames. `where` is the place to underline, if that is deeper. `target` is
    the part of it to underline: the `value`, the `key`, or (`scalar`) the characters `start` to `end` of its string.
    `related` has other places of the same object. `kind` is set where another stage acts upon it (see the names above).
    `repair` would mend the problem.
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
    repair: Repair | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self[:-1] == other[:-1]

    def __hash__(self) -> int:  # a repair may have values that cannot be hashed
        return hash(self[:-1])

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

    __slots__ = ("_found", "_tell", "last", "parent", "reason")

    def __init__(
        self, parent: Path, last: str | int, reason: str, tell: Callable[[Path, Any], Problem], found: object
    ) -> None:
        self.parent = parent
        self.last = last
        self.reason = reason
        self._tell = tell
        self._found = found

    @property
    def path(self) -> Path:
        """The field that the API server blames."""
        return (*self.parent, self.last)

    def told(self) -> Problem:
        """Return the problem with its words."""
        return self._tell((*self.parent, self.last), self._found)
