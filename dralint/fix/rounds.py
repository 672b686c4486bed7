"""The fixes of one text: round after round, until nothing more changes; what makes it worse is taken back."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dralint.edit.apply import apply, composed
from dralint.edit.file_text import FileText
from dralint.finding.report import Report
from dralint.fix.compare import fresh, remaining

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dralint.finding.finding import Edit, Finding

    Judge = Callable[[bytes], Report]

ROUNDS = 10
UNUSED = "DRA090"
"""Whether a suppression is of use is only known once all files have been judged together."""


@dataclass(slots=True)
class Outcome:
    """What has become of a text: its bytes and the report on them, the findings fixed, and those taken back.

    `edits` lead there from the text as it was; `uncovered` are findings that the fixes taken back would have brought.
    """

    raw: bytes
    report: Report
    fixed: list[Finding] = field(default_factory=list)
    taken_back: list[Finding] = field(default_factory=list)
    uncovered: list[Finding] = field(default_factory=list)
    edits: Sequence[Edit] = ()


def fix(raw: bytes, first: Report, judge: Judge, *, unsafe: bool = False, by_release: bool = True) -> Outcome:
    """Return a text with the fixes of its findings.

    What a fix brings to light may be fixed in turn. Where something of it is left in the end, the fixes are made anew,
    without those that bring anything to light.

    Args:
        raw: the bytes of the file.
        first: the report on them.
        judge: gives the report on other bytes of the same file, with all fixes.
        unsafe: whether to apply fixes that guess, too.
        by_release: whether a finding that more releases have than before counts as new.
    """
    rounds = _Rounds(judge, unsafe=unsafe, by_release=by_release)
    out = rounds.run(raw, first, patient=True)
    if fresh(first, out.report, by_release=by_release):
        out = rounds.run(raw, first, patient=False)
    return out


class _Rounds:
    def __init__(self, judge: Judge, *, unsafe: bool, by_release: bool) -> None:
        self._judge = judge
        self._first = Report()
        self._unsafe = unsafe
        self._by_release = by_release

    def run(self, raw: bytes, first: Report, *, patient: bool) -> Outcome:
        """Return a text after its rounds; `patient` lets certain fixes bring something to light."""
        self._first = first
        out = Outcome(raw, first)
        refused: dict[tuple[object, ...], Finding] = {}
        for _ in range(ROUNDS):
            wanted = [f for f in out.report.findings if self._applies(f) and name(f) not in refused]
            chosen = disjoint(wanted)
            if not chosen:
                break
            made, alone = self._round(out, chosen, patient=patient)
            refused |= {name(finding): finding for finding in alone}
            out.fixed += made
        out.taken_back = list(refused.values())
        return out

    def _applies(self, finding: Finding) -> bool:
        return applies(finding, unsafe=self._unsafe) and finding.rule != UNUSED

    def _round(self, out: Outcome, chosen: Sequence[Finding], *, patient: bool) -> tuple[list[Finding], list[Finding]]:
        """Apply what of the chosen fixes does no harm, all at once where that goes.

        Returns:
            The findings whose fixes are made, and those whose fix does harm even alone. What only does not go together
            with others is left for the next round.
        """
        before, text = out.report, FileText(out.raw)
        made: list[Finding] = []
        alone: list[Finding] = []
        todo = [list(chosen)]
        while todo:
            group = todo.pop()
            after = self._applied(text, [*made, *group])
            if after is not None and self._is_better(before, after[1], [*made, *group], patient=patient):
                made += group
                out.raw, out.report = after
            elif len(group) > 1:
                todo += [group[len(group) // 2 :], group[: len(group) // 2]]
            elif not made:
                alone += group
                if after is not None:
                    out.uncovered += fresh(self._first, after[1], by_release=self._by_release)
        if made:
            out.edits = composed(out.edits, text.text, edits_of(made))
        return made, alone

    def _applied(self, text: FileText, findings: Sequence[Finding]) -> tuple[bytes, Report] | None:
        try:
            raw = text.encode(apply(text.text, edits_of(findings)))
        except ValueError:
            return None
        return raw, self._judge(raw)

    def _is_better(self, before: Report, after: Report, made: Sequence[Finding], *, patient: bool) -> bool:
        if len(after.failures) > len(before.failures) or after.documents != before.documents:
            return False
        if len(after.skipped) > len(before.skipped) or after.objects < before.objects:
            return False
        if remaining(made, before, after):
            return False
        new = fresh(before, after, by_release=self._by_release)
        certain = patient and all(finding.fix is not None and finding.fix.safe for finding in made)
        if (patient and not new) or (certain and all(finding.effect != "unreadable" for finding in new)):
            return True
        return not new and not fresh(self._first, after, by_release=self._by_release)


def applies(finding: Finding, *, unsafe: bool) -> bool:
    """Say whether a finding has a fix that may be applied."""
    return finding.fix is not None and (finding.fix.safe or unsafe)


def name(finding: Finding) -> tuple[object, ...]:
    """Return what a finding is known by from one round to the next."""
    return (finding.rule, finding.file, finding.document, finding.path, finding.message)


def edits_of(findings: Sequence[Finding]) -> list[Edit]:
    """Return the edits of all the fixes."""
    return [edit for finding in findings if finding.fix is not None for edit in finding.fix.edits]


def disjoint(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings whose edits go together, the first where two do not."""
    out: list[Finding] = []
    taken: list[tuple[int, int, str]] = []
    for finding in findings:
        edits = [(edit.start, edit.end, edit.text) for edit in edits_of([finding])]
        if all(_is_free(taken, edit) for edit in edits):
            out.append(finding)
            for edit in edits:
                insort(taken, edit)
    return out


def _is_free(taken: Sequence[tuple[int, int, str]], edit: tuple[int, int, str]) -> bool:
    """Say whether an edit overlaps with none of those that are sorted by place, or is one of them."""
    at = bisect_left(taken, edit)
    if at < len(taken) and taken[at] == edit:
        return True
    before = at == 0 or taken[at - 1][1] <= edit[0]
    return before and (at == len(taken) or edit[1] <= taken[at][0])
