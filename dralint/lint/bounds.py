"""How much is told of one object: nobody reads more of a rule than the first thousand."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dralint.finding.catalogue import MORE_TO_TELL

if TYPE_CHECKING:
    from dralint.finding.problem import Problem
    from dralint.kubernetes.release import Release

MOST = 1000
"""Problems of one rule that are told of one object."""


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
            told.append((_more(problem, count - MOST), releases))
    return told


def _more(problem: Problem, left: int) -> Problem:
    count = "one more problem" if left == 1 else f"{left} more problems"
    return problem._replace(
        rule=MORE_TO_TELL,
        message=f"not every problem of {problem.rule} is listed: nobody reads more at once",
        reason=None,
        hint=f"repair these first, then check again: {count} of this rule {'is' if left == 1 else 'are'} not shown yet",
        related=(),
        kind="",
        repair=None,
    )
