"""Compares the findings of a text before and after a change."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dralint.finding.rule_ids import MORE_BEHIND_DECODING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dralint.finding.finding import Finding
    from dralint.finding.report import Report

UNREADABLE = "unreadable"
"""The effect of findings on texts that cannot be read."""


def exact(finding: Finding) -> tuple[object, ...]:
    """Return the key of a finding that is the same in all releases."""
    return (finding.rule, finding.file, finding.document, finding.path, finding.message)


def _moved(finding: Finding) -> tuple[object, ...]:
    return (finding.rule, finding.file, finding.document, finding.message)


def _reworded(finding: Finding) -> tuple[object, ...]:
    return (finding.rule, finding.file, finding.document, "" if finding.rule == MORE_BEHIND_DECODING else finding.path)


_WAYS: tuple[Callable[[Finding], tuple[object, ...]], ...] = (exact, _moved, _reworded)
"""Keys by which a finding before and one after are the same: everything, everything but the place, or but the words."""


def fresh(before: Report, after: Report, *, by_release: bool) -> list[Finding]:
    """Return the findings of a report that an earlier report of the same file does not have.

    Args:
        by_release: whether a finding in more releases than before is a new one.
    """
    unread = {(f.file, f.document) for f in before.findings if f.effect == UNREADABLE}
    # No check had reached the text that could not be read.
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
    """Return the findings that still exist."""
    counts = [(Counter(map(way, before.findings)), Counter(map(way, after.findings))) for way in (exact, _rule)]
    ways = tuple(zip((exact, _rule), counts, strict=True))
    return [f for f in findings if not any(new[way(f)] < old[way(f)] for way, (old, new) in ways)]


def unproven(made: Mapping[str, Sequence[Finding]], before: Report, after: Report) -> set[str]:
    """Return the files that still have a finding whose fix was made, or that lost an object or a part that was judged.

    Args:
        made: the findings with fixes that were made, by file.
    """
    wrong = {file for file in made if after.read.get(file, 0) < before.read.get(file, 0)}
    for old, new in ((before.failures, after.failures), (before.skipped, after.skipped)):
        more = Counter(each.file for each in new)
        more.subtract(each.file for each in old)
        wrong |= {file for file in made if more[file] > 0}
    left = remaining([finding for findings in made.values() for finding in findings], before, after)
    return wrong | {finding.file for finding in left}


def _rule(finding: Finding) -> tuple[object, ...]:
    return (finding.rule, finding.file, finding.document)
