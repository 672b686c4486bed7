"""What is the same is said once: facts about API versions for all objects that have them, repetitions as a count."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dralint.finding.catalogue import API_VERSION_NOTICES, MORE_TO_TELL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dralint.finding.finding import Finding

ALIKE, OF_A_RULE = 4, 100
"""How often the same message, and the same rule, is told before the rest is counted."""


class Told:
    """A finding that is told, and those that it stands for besides."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        self.more: list[Finding] = []


class Folded:
    """What a reader is told.

    `told` are findings one by one, `facts` those about an API version that several objects have; `waiting` says of
    objects that not all of their problems are listed.
    """

    def __init__(self) -> None:
        self.told: list[Told] = []
        self.facts: list[list[Finding]] = []
        self.waiting: list[Finding] = []


def fold(findings: Iterable[Finding], *, show_all: bool = False) -> Folded:
    """Return the findings as they are told; with `show_all` each by itself."""
    out = Folded()
    single: list[Finding] = []
    facts: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        if finding.rule == MORE_TO_TELL:
            out.waiting.append(finding)
        elif finding.rule in API_VERSION_NOTICES and not show_all:
            api_version = (finding.object or {}).get("apiVersion")
            facts.setdefault((finding.rule, api_version, finding.releases), []).append(finding)
        else:
            single.append(finding)
    out.facts = [group for group in facts.values() if len(group) > 1]
    single += [group[0] for group in facts.values() if len(group) == 1]
    single.sort(key=lambda finding: finding.order)
    out.told = [Told(finding) for finding in single] if show_all else _told(single)
    return out


def _told(findings: Sequence[Finding]) -> list[Told]:
    alike = Counter((finding.rule, finding.message) for finding in findings)
    told: list[Told] = []
    seen: Counter[tuple[str, ...]] = Counter()
    last: dict[tuple[str, ...], Told] = {}
    for finding in findings:
        same, rule = (finding.rule, finding.message), (finding.rule,)
        folds = alike[same] > ALIKE + 1  # one more is told, not counted
        if folds and seen[same] >= ALIKE:
            last[same].more.append(finding)
        elif seen[rule] >= OF_A_RULE:
            last[rule].more.append(finding)
        else:
            seen[same] += 1
            seen[rule] += 1
            last[same] = last[rule] = Told(finding)
            told.append(last[rule])
    return told
