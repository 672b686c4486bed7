"""Entries that say nothing: an item that was begun and never written, an object without a field.

What the server misses in one is mostly not meant to be there at all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dralint.finding.path import MapKey
from dralint.finding.repair import removed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.finding.problem import Problem
    from dralint.yaml import Path

BAD_QUANTITY = "DRA104"
"""What has no amount yet was to get one: without the field it would be none at all."""
_KEPT = ("spec", "metadata", "status")
"""Fields that say something even when they are empty."""


def without_empty_entries(problems: Iterable[Problem], data: Any) -> list[Problem]:
    """Return the problems; one that lies in an entry which says nothing offers to take that away, as a guess.

    Args:
        data: the whole object, which the paths of the problems start from.
    """
    out: list[Problem] = []
    for problem in problems:
        path = None
        if problem.repair is None and problem.rule != BAD_QUANTITY:
            path = _empty_entry(problem.path, data)
        out.append(problem if path is None else replace(problem, repair=removed(path)))
    return out


def _empty_entry(path: Path, data: Any) -> Path | None:
    """Return the path of the outermost empty entry on the way to a problem; a list keeps at least one item."""
    value = data
    for depth, step in enumerate(path, 1):
        holder = value
        if isinstance(holder, dict) and isinstance(step, str) and step in holder:
            value = holder[step]
            last = depth == len(path)
            empty = (value == {} or (last and value in ("", []))) and not isinstance(step, MapKey)
            empty = empty and step not in _KEPT
        elif isinstance(holder, list) and isinstance(step, int) and step < len(holder):
            value = holder[step]
            empty = _is_empty(value)
            if empty and all(map(_is_empty, holder)):
                return None
        else:
            return None
        if empty:
            return path[:depth]
    return None


def _is_empty(value: Any) -> bool:
    """Say whether nothing at all has been written: the name of a field says what was to follow."""
    return value is None or value in ("", {}, [])
