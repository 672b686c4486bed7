"""The placeholders of a file that nothing was put in place of yet: one finding tells of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.path import position
from dralint.finding.problem import Problem
from dralint.finding.rule_ids import UNREPLACED_PLACEHOLDER

if TYPE_CHECKING:
    from dralint.lint.locate import Place
    from dralint.yaml import Path

_SHOWN = 5


class Pending:
    """The placeholders of a file that matter, and where the first of them is."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._first: tuple[Place, Path] | None = None

    def add(self, place: Place, unreplaced: list[tuple[Path, str]]) -> None:
        """Take the placeholders of one object, in any order, with the paths of their values."""
        ranks: dict[int, dict[Any, int]] = {}
        for path, name in sorted(unreplaced, key=lambda row: position(place.item.data, row[0], ranks)):
            self._first = self._first or (place, path)
            self._names.setdefault(name)

    def join(self, other: Pending) -> None:
        """Take those of another part of the file, which comes later."""
        self._first = self._first or other._first
        self._names.update(other._names)

    def problem(self) -> tuple[Place, Problem] | None:
        """Return the one problem that tells of all, and whose it is; None where there are none."""
        if self._first is None:
            return None
        place, path = self._first
        names = [f"`{cut(name)}`" for name in self._names]
        more = len(names) - _SHOWN
        listed = ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
        message = f"{listed} {'has' if len(names) == 1 else 'have'} not been replaced yet; dralint checked the rest"
        hint = "check the result of the substitution, or check the text as it is with --strict-placeholders"
        return place, Problem(UNREPLACED_PLACEHOLDER, path, message, None, hint)


def cut(name: str) -> str:
    """Return a placeholder as a message shows it: on one line, and not too long."""
    name = " ".join(name.split())
    return name if len(name) <= 40 else name[:39] + "…"
