"""Reports all placeholders of a file that have no value yet in one finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.problem import Problem, position
from dralint.finding.rule_ids import UNREPLACED_PLACEHOLDER
from dralint.finding.words import some_of

if TYPE_CHECKING:
    from dralint.manifest.objects import Place
    from dralint.yaml import Path

_SHOWN = 5

Pending = list["tuple[Place, Path, str]"]
"""The placeholders of a file that matter, in order: the object, the path of the value, and the placeholder."""


def in_order(place: Place, unreplaced: list[tuple[Path, str]]) -> Pending:
    """Return the placeholders of one object in the order of its text; `unreplaced` has the paths of their values."""
    ranks: dict[int, dict[Any, int]] = {}
    ordered = sorted(unreplaced, key=lambda row: position(place.item.data, row[0], ranks))
    return [(place, path, name) for path, name in ordered]


def unreplaced_problem(pending: Pending) -> Problem:
    """Return the one problem that lists all placeholders; it is at the value of the first."""
    names = [f"`{cut(name)}`" for name in dict.fromkeys(name for _, _, name in pending)]
    listed = some_of(names, _SHOWN)
    message = f"{listed} {'has' if len(names) == 1 else 'have'} not been replaced yet; dralint checked the rest"
    hint = "check the result of the substitution, or check the text as it is with --strict-placeholders"
    return Problem(UNREPLACED_PLACEHOLDER, pending[0][1], message, None, hint)


def cut(name: str) -> str:
    """Return a placeholder as a message shows it: on one line, and not too long."""
    name = " ".join(name.split())
    return name if len(name) <= 40 else name[:39] + "…"
