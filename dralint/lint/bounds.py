"""How much is told of one object: nobody reads more of a rule than the first thousand."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dralint.validate.cascade import more

if TYPE_CHECKING:
    from dralint.finding.problem import Problem
    from dralint.kubernetes.release import Release

MOST = 1000
"""Problems of one rule that are told of one object."""
_OTHERS = (
    "repair these first, then check again: one more problem of this rule is not shown yet",
    "repair these first, then check again: {} more problems of this rule are not shown yet",
)


def bounded(found: list[tuple[Problem, list[Release]]]) -> list[tuple[Problem, list[Release]]]:
    """Return the problems of an object with their releases, of each rule the first thousand and a word on the rest."""
    told: list[tuple[Problem, list[Release]]] = []
    last: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for entry in found:
        rule = entry[0].rule
        counts[rule] += 1
        if counts[rule] <= MOST:
            last[rule] = len(told)
            told.append(entry)
    for rule, count in counts.items():
        if count > MOST:
            problem, releases = told[last[rule]]
            told.append((more(count - MOST, problem, rule, "the list would be too long", _OTHERS), releases))
    return told
