"""Offers to remove empty entries: an item that was begun and not written, an object without a field.

If the API server misses a field in one, the entry is mostly a leftover.
"""

from __future__ import annotations

import copy
from collections import Counter
from typing import TYPE_CHECKING, Any

from dralint.finding.path import MapKey
from dralint.finding.repair import removed
from dralint.finding.rule_ids import QUANTITY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dralint.finding.problem import Problem
    from dralint.yaml import Path

_KEPT = ("spec", "metadata", "status")
"""Fields with a meaning even when they are empty."""
_MOST = 20
"""The most entries of one object that are tried."""


class EmptyEntries:
    """Offers to remove the empty entries of one object, as a guess, if that causes no other problem.

    `data` is the whole object, `problems` are its problems, and `judge` returns those of other data.
    """

    def __init__(self, data: Any, problems: Iterable[Problem], judge: Callable[[Any], list[Problem]]) -> None:
        self._data = data
        self._before = _said(problems)
        self._judge = judge
        self._after: dict[Path, Counter[tuple[object, ...]]] = {}

    def offered(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return the problems; one in an empty entry has the repair that removes the entry."""
        return [self._offered(problem) for problem in problems]

    def _offered(self, problem: Problem) -> Problem:
        if _has_its_own_words(problem):
            return problem
        path = _empty_entry(problem.path, self._data)
        if path is None:
            return problem
        if path not in self._after:
            if len(self._after) >= _MOST:
                return problem
            self._after[path] = _said(self._judge(_without(self._data, path)))
        after, key = self._after[path], _key(problem)
        if after[key] >= self._before[key] or not after <= self._before:
            return problem
        hint = "remove it: nothing is in it"
        return problem._replace(hint=f"{problem.hint}, or {hint}" if problem.hint else hint, repair=removed(path))


def has_any(problems: Iterable[Problem], data: Any) -> bool:
    """Say whether some problem is in an empty entry."""
    return any(not _has_its_own_words(p) and _empty_entry(p.path, data) is not None for p in problems)


def _has_its_own_words(problem: Problem) -> bool:
    # An empty quantity was meant to get an amount, which would be lost with the field.
    return problem.repair is not None or problem.rule == QUANTITY or problem.reason == "Unknown"


def _key(problem: Problem) -> tuple[object, ...]:
    return (problem.rule, problem.reason, *(part for part in problem.path if not isinstance(part, int)))


def _said(problems: Iterable[Problem]) -> Counter[tuple[object, ...]]:
    return Counter(map(_key, problems))


def _without(data: Any, path: Path) -> Any:
    """Return the data without the value at the path; the rest is shared."""
    out = copy.copy(data)
    holder = out
    for step in path[:-1]:
        holder[step] = copy.copy(holder[step])
        holder = holder[step]
    del holder[path[-1]]
    return out


def _empty_entry(path: Path, data: Any) -> Path | None:
    """Return the path of the outermost empty entry on the way to a problem; a list keeps at least one item."""
    value = data
    for depth, step in enumerate(path, 1):
        holder = value
        if isinstance(holder, dict) and isinstance(step, str) and step in holder:
            value = holder[step]
            empty = value == {} or (depth == len(path) and value in ("", []))
            empty = empty and not isinstance(step, MapKey) and step not in _KEPT
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
    """Say whether a value is completely empty; the name of a field shows what was to follow."""
    return value is None or value in ("", {}, [])
