"""What a check says: where in the object, which rule, and what about it. No file, line or severity yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.finding.repair import Repair
    from dralint.yaml import Path

MISSING_FIELD, NUMBER_FOR_TEXT = "missing-field", "number-for-text"
NO_OBJECT_HERE, NO_LIST_HERE = "no-object", "no-list"
TOLD_WITH_ANOTHER = "told-with-another"
"""Kinds of problems that other stages act upon: a field that must be set is not, a number or boolean stands where a
string belongs, something else stands where an object or a list belongs, the same mistake as a problem beside it that
names this one."""


class Problem(NamedTuple):
    """One thing wrong with one object, by field path.

    `path` is the field that the server blames, `where` the place to underline when that lies deeper (default: the
    same), `target` what of it: the `value`, the `key`, or (`scalar`) the characters `start` to `end` of its string.
    `related` names other places of the same object; `kind` says what sort of problem it is where another stage acts
    upon that (see the names above); `repair` is what would mend it.
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

    def __hash__(self) -> int:  # a repair may hold values that have no hash
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
    """A problem of which only path and reason are known, until it is told: of a great many, few are.

    Its path is that of its `parent`, one tuple for many, and the `last` element.
    """

    __slots__ = ("_arguments", "_tell", "last", "parent", "reason")

    def __init__(
        self, parent: Path, last: str | int, reason: str, tell: Callable[..., Problem], arguments: tuple[Any, ...]
    ) -> None:
        self.parent = parent
        self.last = last
        self.reason = reason
        self._tell = tell
        self._arguments = arguments

    @property
    def path(self) -> Path:
        """The field that the server blames."""
        return (*self.parent, self.last)

    def told(self) -> Problem:
        """Return the problem with its words."""
        return self._tell(*self._arguments)
