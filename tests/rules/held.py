"""Checks that each finding agrees with the catalogue's facts about its rule."""

from __future__ import annotations

from dralint.finding import catalogue
from dralint.finding.finding import Finding
from dralint.kubernetes.release import Release, in_range

ANY_KIND = {"all", "custom resources"}


def assert_as_the_catalogue_says(finding: Finding) -> None:
    """Hold what a finding says of itself against its rule: effect, reason, kinds, releases, span, hint."""
    rule = catalogue.rules()[finding.rule]
    kind = (finding.object or {}).get("kind")
    start, end = (finding.line, finding.column), (finding.end_line, finding.end_column)

    assert (finding.name, finding.effect, finding.severity) == (rule.name, rule.effect, rule.severity), finding
    assert (finding.reason is not None) == (finding.effect == "rejected"), finding
    assert [text for text in finding.releases if not in_range(rule.releases, Release.parse(text))] == [], finding
    assert not kind or kind in rule.kinds or ANY_KIND & set(rule.kinds), finding
    assert (1, 1) <= start <= end, finding
    assert finding.message == finding.message.strip(), finding
    assert finding.message, finding
    hint = finding.hint or "..."
    assert hint == hint.strip(), finding
    assert hint.endswith("...") or not hint.endswith("."), finding
