"""The search: tries edits, cheapest first, and offers the one that its judge accepts if no other is nearly as good."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dralint.edit.apply import apply, composed
from dralint.finding.rule_ids import DUPLICATE_KEY
from dralint.search.lines import (
    COSTS,
    NEAR,
    OPERATORS,
    Candidate,
    TextLines,
    hinted,
    lines,
    marks,
    near_words,
    siblings,
)
from dralint.search.selectors import selectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dralint.finding.finding import Edit, Finding

    Judge = Callable[[str], "Verdict | None"]
    """Returns what another text means; None where it is not better."""

LARGEST = 20_000
"""The largest document to search, in characters."""
_LONGEST_LINE = 2_000
"""The longest line to change, in characters: the patterns of edits take quadratic time in some lines."""
_EACH = 600
"""The fixed cost of judging a text, in characters that are read, in addition to its length."""
_LEAST = min(COSTS.values())
FASTER = 2
"""How much faster it is to judge a text that cannot be read."""
_MOST, _MOST_TOGETHER = 60_000, 90_000
"""Characters that are read for one finding: with one edit, and with several."""
_MOST_EDITS, _MOST_STEPS = 3, 3
"""How many edits can be combined, and how many texts with the first of them are examined further."""


_DOMAIN = re.compile(
    r"(?:\bdriver\"?(?::| ==)|(?:attributes|capacity)\[|\bdeviceClassName:|\bkind: DeviceClass\nmetadata:\n  name:)"
    r" *\\?[\"']?((?:[a-z0-9-]+\.)+[a-z]+)(?![\w./-])"
)
"""Where a domain of attributes or the name of a driver is written; a class mostly has the name of its driver."""


_BLANKS = re.compile(r"(?<=[^\s]) +(?=\S)")
"""Blanks within lines: texts that differ in them alone, or in the kind of their quotes, are one choice."""
OF_EXPRESSIONS = "DRA3"
"""The start of the ids of rules about expressions."""
_OF_TWO_KEYS = ("separator", "twice")
"""Kinds of edits on a repeated key: only the author knows which of the two values is meant."""


class Step(NamedTuple):
    """A text that is better but still has a finding: the finding, its line from 0, and the judge."""

    finding: Finding
    line: int
    judge: Judge


class Verdict(NamedTuple):
    """The meaning of a candidate's text, and how many findings it has; with `step`, it is not a repair yet.

    `less` is a cost that makes it less likely.
    """

    meaning: object
    left: int
    step: Step | None = None
    less: float = 0.0


NOT_READ = Verdict(None, 0)
"""The verdict on a text that cannot be read."""


class RepairChoices(NamedTuple):
    """The edits that repair a finding, or several such sets that only the author can choose from.

    `cost` is the cost of the cheapest, `left` the number of findings with it, `kind` the kind of its edits; empty where
    several were combined.
    """

    choices: tuple[tuple[Edit, ...], ...]
    cost: float
    left: int
    kind: str = ""


class Around:
    """What a file shows around a finding, and how much may still be read for all its findings together."""

    def __init__(self, text: str, characters: int) -> None:
        self.left = characters
        self.mine = 0
        self.text = text

    def begin(self) -> None:
        """Begin with another finding, and give it its share."""
        self.mine = min(_MOST_TOGETHER, self.left)

    @contextmanager
    def share(self, parts: int) -> Iterator[None]:
        """Reduce the budget of the finding to one of several equal parts for a while."""
        kept = self.mine - self.mine // parts
        self.mine -= kept
        yield
        self.mine += kept

    def spend(self, characters: int) -> None:
        """Subtract what was read from the budget."""
        self.left -= characters
        self.mine -= characters

    @cached_property
    def domains(self) -> list[str]:
        """The domains of attributes and the names of drivers."""
        return sorted({found[1] for found in _DOMAIN.finditer(self.text)})


def search(text: str, step: Step, around: Around, depth: int = 1) -> RepairChoices | None:
    """Return the cheapest edits of a text that repair a finding; None where there are none.

    Args:
        text: the document.
        step: the finding, and the judge of other texts.
        around: what else the file shows, and how much may be read.
        depth: how many edits are combined, with the next one.
    """
    best: list[tuple[int, float, object, Candidate]] = []
    better: list[tuple[int, float, tuple[Edit, ...], str, Step]] = []
    further: RepairChoices | None = None
    tried: set[str] = set()
    least = max(0, around.mine - _MOST)
    for one in sorted(_candidates(TextLines(text), step.finding, step.line, around), key=lambda one: one.cost):
        if best and not best[0][0] and one.cost > best[0][1] + NEAR:
            break
        if further is not None and one.cost > further.cost:
            break
        if not best and better and one.cost > min(each[1] for each in better) + _LEAST:
            further = _nearest(further, _further(text, better, around, depth))
            better.clear()
        if around.mine < least:
            break
        try:
            after = apply(text, one.edits)
        except ValueError:
            continue
        if after == text or after in tried:
            continue
        tried.add(after)
        verdict = step.judge(after)
        around.spend((len(text) + _EACH) // (FASTER if verdict is NOT_READ else 1))
        if verdict is None or verdict is NOT_READ:
            continue
        if verdict.step is not None:
            rest = after.count("\n") - verdict.step.line
            better.append((rest, one.cost, one.edits, after, verdict.step))
        elif all((verdict.left, verdict.meaning) != (left, other) for left, _, other, _ in best):
            best.append((verdict.left, one.cost + verdict.less, verdict.meaning, one))
            best.sort(key=lambda each: each[:2])
    if best:
        left, cost, _, first = best[0]
        choices = tuple(one.edits for n, c, _, one in best if n == left and c <= cost + NEAR)
        return RepairChoices(choices, cost, left, first.kind)
    return _nearest(further, _further(text, better, around, depth))


def _nearest(one: RepairChoices | None, other: RepairChoices | None) -> RepairChoices | None:
    """Return the better of two: the one with fewer findings, or else with the lower cost."""
    return min((found for found in (one, other) if found), key=lambda found: (found.left, found.cost), default=None)


def _further(
    text: str, better: list[tuple[int, float, tuple[Edit, ...], str, Step]], around: Around, depth: int
) -> RepairChoices | None:
    """Return the edits that repair the text together with the best edits that do not repair it alone."""
    found: list[RepairChoices] = []
    better.sort(key=lambda each: each[:2])
    tried = better[:_MOST_STEPS] if depth < _MOST_EDITS else []
    for number, (_, cost, edits, after, step) in enumerate(tried):
        with around.share(len(tried) - number):
            rest = search(after, step, around, depth + 1)
        if rest is not None:
            both = tuple(tuple(composed(edits, after, more)) for more in rest.choices)
            found.append(RepairChoices(both, cost + rest.cost, rest.left))
    if not found:
        return None
    found.sort(key=lambda one: (one.left, one.cost))
    first = found[0]
    near = [one for one in found if one.left == first.left and one.cost <= first.cost + NEAR]
    texts: dict[str, tuple[Edit, ...]] = {}
    for one in near:
        for edits in one.choices:
            texts.setdefault(_BLANKS.sub("", apply(text, edits)).replace("'", '"'), edits)
    return RepairChoices(tuple(texts.values()), first.cost, first.left)


def _candidates(text: TextLines, finding: Finding, line: int, around: Around) -> Iterator[Candidate]:
    said = f"{finding.message} {finding.hint or ''}"
    if not text.content:
        return
    at = min(max(line, 0), len(text) - 1)
    if not text.is_content(at):
        at = next((number for number in reversed(text.content) if number <= at), text.content[0])
    above = text.opened_by(at)
    first = None if above is None else text.beside(above, 1)
    near = [at, text.beside(at, -1), text.beside(at, 1), text.beside(at, -2), above, first, _below_sibling(text, at)]
    last = min(len(text) - 1, line + max(0, finding.end_line - finding.line))
    selecting = finding.rule.startswith(OF_EXPRESSIONS)
    start = text.starts[at] + finding.column - 1
    end = start + finding.end_column - finding.column if finding.end_line == finding.line else start
    if selecting or "expression" in text.lines[at]:
        for number in range(at, last + 1):
            yield from selectors(text, number, said, around.domains, (start, end))
    if finding.end_line == finding.line:
        yield from hinted(text, start, end, said)
    if selecting:
        return
    twice = finding.rule == DUPLICATE_KEY
    yield from near_words(text, at, said, start)
    yield from siblings(text, at)
    searched = (number for number in near if number is not None and len(text.lines[number]) <= _LONGEST_LINE)
    for place, number in enumerate(dict.fromkeys(searched)):
        for operator in (marks, lines) if twice else OPERATORS:
            for one in operator(text, number):
                if twice and one.kind not in _OF_TWO_KEYS:
                    continue
                yield one._replace(cost=one.cost + 0.1 * place)


def _below_sibling(text: TextLines, number: int) -> int | None:
    """Return the first line below the line above that begins in the column of a line; None where none does."""
    lead = text.lead(number)
    above = next((line for line in reversed(text.content) if line < number and text.lead(line) <= lead), None)
    return None if above is None or text.lead(above) < lead else text.beside(above, 1)
