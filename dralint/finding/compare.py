"""Whether a text is worse than it was: findings that were not there before."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dralint.finding.rule_ids import MORE_BEHIND_DECODING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dralint.finding.finding import Finding
    from dralint.finding.report import Report

UNREADABLE = "unreadable"
"""The effect of findings of texts that cannot be read."""


def exact(finding: Finding) -> tuple[object, ...]:
    """Return what two findings share that are the same one, whatever the release."""
    return (finding.rule, finding.file, finding.document, finding.path, finding.message)


def _moved(finding: Finding) -> tuple[object, ...]:
    return (finding.rule, finding.file, finding.document, finding.message)


def _reworded(finding: Finding) -> tuple[object, ...]:
    return (finding.rule, finding.file, finding.document, "" if finding.rule == MORE_BEHIND_DECODING else finding.path)


_WAYS: tuple[Callable[[Finding], tuple[object, ...]], ...] = (exact, _moved, _reworded)
"""What two findings share that are the same one before and after: all, all but the place, all but the words."""


def fresh(before: Report, after: Report, *, by_release: bool) -> list[Finding]:
    """Return the findings of a report that an earlier one of the same file does not have.

    Args:
        by_release: whether a finding that more releases have than before is another one.
    """
    unread = {(f.file, f.document) for f in before.findings if f.effect == UNREADABLE}
    # Nobody had looked into what could not be read.
    judged = [f for f in after.findings if f.effect == UNREADABLE or (f.file, f.document) not in unread]
    old, new = _told(before.findings, by_release=by_release), _told(judged, by_release=by_release)
    for way in _WAYS:
        left = Counter((way(finding), release) for finding, release in old)
        unmatched: list[tuple[Finding, str]] = []
        matched: Counter[tuple[tuple[object, ...], str]] = Counter()
        for finding, release in new:
            key = (way(finding), release)
            if left[key] > matched[key]:
                matched[key] += 1
            else:
                unmatched.append((finding, release))
        rest: list[tuple[Finding, str]] = []
        for finding, release in old:
            key = (way(finding), release)
            if matched[key]:
                matched[key] -= 1
            else:
                rest.append((finding, release))
        old, new = rest, unmatched
    return list({id(finding): finding for finding, _ in new}.values())


def _told(findings: Iterable[Finding], *, by_release: bool) -> list[tuple[Finding, str]]:
    return [(finding, release) for finding in findings for release in (finding.releases if by_release else ()) or ("",)]


def remaining(findings: Iterable[Finding], before: Report, after: Report) -> list[Finding]:
    """Return which of the findings are still there."""
    counts = [(Counter(map(way, before.findings)), Counter(map(way, after.findings))) for way in (exact, _rule)]
    ways = tuple(zip((exact, _rule), counts, strict=True))
    return [f for f in findings if not any(new[way(f)] < old[way(f)] for way, (old, new) in ways)]


def _rule(finding: Finding) -> tuple[object, ...]:
    return (finding.rule, finding.file, finding.document)
