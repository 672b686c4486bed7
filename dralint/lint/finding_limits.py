"""Limits the findings on one object: dralint reports the first thousand of each rule and counts the rest."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from dralint.validate.cascade import more

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from dralint.finding.problem import Problem
    from dralint.kubernetes.release import Release
    from dralint.references.facts import Found

_Entry = TypeVar("_Entry")
_DECODING = ("Unknown", "TypeInvalid", "Decode")
MOST = 1000
"""dralint reports at most this many problems of one rule in one object."""
_OTHERS = (
    "repair these first, then check again: one more problem of this rule is not shown yet",
    "repair these first, then check again: {} more problems of this rule are not shown yet",
)


def bounded(found: list[tuple[Problem, list[Release]]]) -> list[tuple[Problem, list[Release]]]:
    """Return the first thousand problems of each rule in an object, with their releases, and a note that counts the
    rest."""
    shown, left = _first(found, [problem.rule for problem, _ in found])
    return shown + [(_word(count, problem), releases) for (problem, releases), count in left]


def is_shortened(found: list[tuple[Problem, list[Release]]]) -> bool:
    """Say whether a report on an object can leave out some of these problems, which are all that it has.

    dralint leaves out problems that a decoding problem may cause, and those beyond the limit.
    """
    return len(found) > MOST or any(problem.reason in _DECODING for problem, _ in found)


def bounded_between(found: list[Found]) -> list[Found]:
    """Return the first thousand problems of each rule in each object, and a note that counts the rest."""
    shown, left = _first(found, [(id(each.facts), each.problem.rule) for each in found])
    return shown + [each._replace(problem=_word(count, each.problem), elsewhere=()) for each, count in left]


def _first(found: Sequence[_Entry], kinds: Sequence[Hashable]) -> tuple[list[_Entry], list[tuple[_Entry, int]]]:
    """Return the first thousand entries of each kind. Where there are more, also return the last one and the number
    left."""
    shown: list[_Entry] = []
    last: dict[Hashable, _Entry] = {}
    counts: Counter[Hashable] = Counter()
    for entry, kind in zip(found, kinds, strict=True):
        counts[kind] += 1
        if counts[kind] <= MOST:
            last[kind] = entry
            shown.append(entry)
    return shown, [(last[kind], count - MOST) for kind, count in counts.items() if count > MOST]


def _word(left: int, problem: Problem) -> Problem:
    return more(left, problem, problem.rule, "the list would be too long", _OTHERS)
