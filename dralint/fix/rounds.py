"""Applies the fixes of one text, round after round, until nothing more changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dralint.edit.apply import Rewriting
from dralint.edit.repairs import disjoint
from dralint.finding.catalogue import OLD_API_VERSIONS
from dralint.finding.compare import exact, unproven
from dralint.finding.rule_ids import UNUSED_SUPPRESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dralint.finding.finding import Edit, Finding
    from dralint.finding.report import Report

    Judge = Callable[[bytes], Report]

ROUNDS = 10


@dataclass(slots=True)
class FixedText:
    """A text after its fixes, the report on it, the findings whose fixes were applied, and those withdrawn."""

    text: Rewriting
    report: Report
    made: list[Finding] = field(default_factory=list)
    taken_back: list[Finding] = field(default_factory=list)

    @property
    def raw(self) -> bytes:
        """The bytes of the text."""
        return self.text.raw


def fix(raw: bytes, first: Report, judge: Judge, *, unsafe: bool = False) -> FixedText:
    """Return a text with the fixes of its findings, and of those that appear after them.

    Each fix was proven when its object was judged. If a round still does more than it should, it is withdrawn and
    repeated with fewer fixes.

    Args:
        raw: the bytes of the file.
        first: the report on them.
        judge: gives the report on other bytes of the same file.
        unsafe: whether to apply guesses, too.
    """
    out = FixedText(Rewriting(raw), first)
    refused: set[tuple[object, ...]] = set()
    most: int | None = None
    for _ in range(ROUNDS):
        wanted = [finding for finding in out.report.findings if applies(finding, unsafe=unsafe)]
        wanted = [f for f in wanted if f.rule != UNUSED_SUPPRESSION and exact(f) not in refused]
        chosen = together(next_of(wanted))[:most]
        if not chosen:
            break
        made = applied(out.text, chosen)
        after = None if made is None else judge(made.raw)
        if made is not None and after is not None and not unproven({chosen[0].file: chosen}, out.report, after):
            out.text, out.report = made, after
            out.made += chosen
            most = None
        elif len(chosen) > 1:
            most = len(chosen) // 2
        else:
            out.taken_back += chosen
            refused.update(map(exact, chosen))
    return out


def next_of(wanted: Sequence[Finding]) -> Sequence[Finding]:
    """Return the findings to fix first: an object moves to another API version when everything else in it is right.

    Unused suppressions come last, because a later finding may use them.
    """
    for last in ((*OLD_API_VERSIONS, UNUSED_SUPPRESSION), (UNUSED_SUPPRESSION,)):
        if first := [finding for finding in wanted if finding.rule not in last]:
            return first
    return wanted


def applied(text: Rewriting, findings: Sequence[Finding]) -> Rewriting | None:
    """Return a file with the fixes of findings; None where the fixes overlap."""
    try:
        return text.then(edits_of(findings))
    except ValueError:
        return None


def applies(finding: Finding, *, unsafe: bool) -> bool:
    """Say whether a finding has a fix that dralint may apply."""
    return finding.fix is not None and (finding.fix.safe or unsafe)


def edits_of(findings: Sequence[Finding]) -> list[Edit]:
    """Return the edits of all the fixes."""
    return [edit for finding in findings if finding.fix is not None for edit in finding.fix.edits]


def together(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings whose edits do not overlap: safe ones first; of two that overlap, the first."""
    ordered = sorted(findings, key=lambda finding: finding.fix is None or not finding.fix.safe)
    return [ordered[number] for number in disjoint({n: edits_of([each]) for n, each in enumerate(ordered)})]
