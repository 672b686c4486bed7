"""Applies the fixes of texts, round after round, until nothing more changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dralint.edit.apply import Rewriting
from dralint.edit.repairs import disjoint
from dralint.finding.catalogue import OLD_API_VERSIONS
from dralint.finding.compare import exact, unproven
from dralint.finding.rule_ids import UNUSED_SUPPRESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dralint.finding.finding import Edit, Finding
    from dralint.finding.report import Report

ROUNDS = 20


@dataclass(slots=True)
class FixedTexts:
    """Texts with their fixes, by file, and the report on all files.

    `made` has the findings whose fixes were applied, round after round; `taken_back` has those whose fix did more than
    it should.
    """

    report: Report
    texts: dict[str, Rewriting] = field(default_factory=dict)
    made: list[Finding] = field(default_factory=list)
    taken_back: list[Finding] = field(default_factory=list)


def fix(
    out: FixedTexts,
    held: Callable[[str], bytes],
    judge: Callable[[Mapping[str, Rewriting]], Report],
    wanted: Callable[[Finding], bool],
) -> None:
    """Apply the fixes of the findings of the report, and of those that appear after them, until nothing changes.

    Each fix was proven when its object was judged. If a round still does more to a file than it should, the file is
    repeated with fewer fixes.

    Args:
        out: the texts that have changed so far, and the report on all; they become those after the fixes.
        held: returns the bytes of a file before the first fix.
        judge: gives the report on all files, some of them with other texts.
        wanted: says whether to fix a finding.
    """
    refused = set(map(exact, out.taken_back))
    most: dict[str, int] = {}
    been: dict[str, set[int]] = {}
    for _ in range(ROUNDS):
        by_file: dict[str, list[Finding]] = {}
        for finding in out.report.findings:
            if exact(finding) not in refused and wanted(finding):
                by_file.setdefault(finding.file, []).append(finding)
        chosen: dict[str, list[Finding]] = {}
        changed: dict[str, Rewriting] = {}
        for name, found in by_file.items():
            chosen[name] = together(next_of(found))[: most.get(name)]
            now = out.texts.get(name) or Rewriting(held(name))
            changed[name] = _applied(now, chosen[name]) or now
            been.setdefault(name, set()).add(hash(now.raw))
            if hash(changed[name].raw) in been[name] - {hash(now.raw)}:  # one guess undoes another
                refused.update(map(exact, chosen[name]))
                del chosen[name], changed[name]
        if not chosen:
            return
        after = judge({**out.texts, **changed})
        wrong = unproven(chosen, out.report, after)
        for name in wrong:
            most[name] = len(chosen[name]) // 2
            if len(chosen[name]) == 1:
                refused.update(map(exact, chosen[name]))
                out.taken_back += chosen[name]
                del most[name]
            del chosen[name], changed[name]
        out.texts.update(changed)
        if changed:
            out.report = judge(out.texts) if wrong else after
        out.made += [finding for found in chosen.values() for finding in found]


def fix_alone(
    name: str, raw: bytes, first: Report, judge: Callable[[bytes], Report], *, unsafe: bool = False
) -> tuple[Rewriting, FixedTexts]:
    """Return the fixed text of one file, and what `fix` says of it. Others may use what suppresses nothing in it.

    Args:
        first: the report on the bytes of the file; `judge` gives the one on others.
        unsafe: whether to apply guesses, too.
    """
    out = FixedTexts(first)
    fix(
        out,
        lambda _: raw,
        lambda texts: judge(texts[name].raw),
        lambda finding: finding.rule != UNUSED_SUPPRESSION and applies(finding, unsafe=unsafe),
    )
    return out.texts.get(name) or Rewriting(raw), out


def next_of(wanted: Sequence[Finding]) -> Sequence[Finding]:
    """Return the findings to fix first: an object moves to another API version when everything else in it is right.

    Unused suppressions come last, because a later finding may use them.
    """
    for last in ((*OLD_API_VERSIONS, UNUSED_SUPPRESSION), (UNUSED_SUPPRESSION,)):
        if first := [finding for finding in wanted if finding.rule not in last]:
            return first
    return wanted


def _applied(text: Rewriting, findings: Sequence[Finding]) -> Rewriting | None:
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
