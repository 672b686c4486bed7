"""All bad examples and a sample of recorded refusals: a fixed file is not worse, and keeps its style.

Advice may come with a fix, and what a safe fix makes readable may have mistakes of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from dralint.config.settings import Settings
from dralint.finding import catalogue
from dralint.finding.catalogue import Rule
from dralint.finding.finding import Finding
from dralint.finding.problem import path_text
from dralint.finding.report import Report, fresh
from dralint.fix.files import FixedTexts
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter
from dralint.lint.passes import conclude
from dralint.lint.pool import Task, judge_bytes
from dralint.manifest.objects import objects
from dralint.yaml import read
from rules.examples import Bench, manifest, releases
from tests.conformance import verdicts
from tests.fix.alone import fixed

BENCH = Bench()
GATES = {"all": (("AllAlpha", True), ("AllBeta", True)), "default": ()}
ONE_IN = 6
"""Of so many recorded verdicts of a release one is fixed: the search for repairs takes a tenth of a second for some."""
EXAMPLES = [
    pytest.param(rule, example, id=f"{rule.id}-{number}")
    for rule in catalogue.rules().values()
    for number, example in enumerate(rule.examples.get("bad", []))
    if "manifest" in example and "before" not in example and "slices" not in example
]


def said(findings: list[Finding]) -> Counter[tuple[str, str, str | None]]:
    return Counter((finding.rule, finding.message, finding.reason) for finding in findings)


def brought(linter: Linter, raw: bytes, before: Report, after: Report) -> list[Finding]:
    """Return the errors and warnings that were not there before, shown or hidden; none of what was not readable."""
    new = [finding for finding in fresh(before, after, by_release=True) if finding.severity != "info"]
    if not new or any(finding.effect == "unreadable" for finding in before.findings):
        return []
    hidden = [
        problem
        for document in read(raw)
        for item in (objects(document.data) if document.state == "read" else ())
        for problem, _ in linter.everything(document, item) or ()
    ]
    places = {(problem.rule, path_text(problem.path)) for problem in hidden}
    words = {(problem.rule, problem.message) for problem in hidden}
    return [f for f in new if (f.rule, f.path) not in places and (f.rule, f.message) not in words]


def guesses(report: Report) -> bool:
    """Say whether a fix of a finding is a guess; without one, `--unsafe-fixes` has nothing else to do."""
    return any(finding.fix is not None and not finding.fix.safe for finding in report.findings)


def opened(out: FixedTexts, finding: Finding) -> bool:
    """Say whether a finding lies in a field to which a safe fix has given its right name: nobody had looked there."""
    for made in out.made:
        name = re.fullmatch(r'did you mean "(\w+)"\?', made.hint or "")
        if made.reason == "Unknown" and made.fix is not None and made.fix.safe and name is not None:
            field = ".".join((*made.path.rpartition(".")[:1], name[1])).lstrip(".")
            if re.match(rf"{re.escape(field)}(?!\w)", finding.path):
                return True
    return False


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
@pytest.mark.slow
def test_no_fix_brings_a_finding_to_a_bad_example_in_any_release(rule: Rule, example: dict[str, Any]) -> None:
    applicable: list[Release | None] = [None] if example.get("newest") else list(releases(rule, example))
    for release in {applicable[0], applicable[len(applicable) // 2], applicable[-1]}:
        found = BENCH.findings(rule, example, release)
        for unsafe in (False, True):
            text, left = BENCH.fixed(rule, example, release, unsafe=unsafe)

            if any(f.effect == "unreadable" or "`---` is missing" in f.message for f in found):  # nobody had looked
                assert [f for f in left if f.effect == "unreadable" and f.fix is not None] == [], (release, text)
                continue
            left = [finding for finding in left if finding.severity != "info"]
            before = [finding for finding in found if finding.severity != "info"]
            assert len(left) <= len(before), (release, text)
            assert {f.rule for f in left} <= {f.rule for f in before}, (release, text)
            if text != manifest(example).decode(example.get("encoding", "utf-8")):
                assert len(left) < len(found), (release, text)


@pytest.mark.parametrize("release", [f"1.{minor}" for minor in range(26, 38)])
@pytest.mark.slow
def test_no_fix_makes_a_recorded_refusal_worse(release: str) -> None:
    linters = {
        name: Linter(Settings(releases=(Release.parse(release),), gates=gates), collects=False, thorough=True)
        for name, gates in GATES.items()
    }
    refused = repaired = 0
    for case in list(verdicts.verdicts(release))[int(release[2:]) % ONE_IN :: ONE_IN]:
        if case.accepted or case.mode == "update":
            continue
        raw, linter = case.text.encode("utf-8", "surrogatepass"), linters[case.gates]
        before = judge_bytes(linter, "manifest.yaml", raw, Task(linter.settings)).report
        conclude(before, linter.settings)
        outcomes = [fixed(linter, raw)]
        if guesses(before) or guesses(outcomes[0][1].report):
            outcomes.append(fixed(linter, raw, unsafe=True))
        for after, out in outcomes:
            assert out.taken_back == [], case.id
            if after.raw == raw:
                assert said(out.report.findings) == said(before.findings), case.id
                continue
            new = brought(linter, raw, before, out.report)
            assert [finding for finding in new if not opened(out, finding)] == [], case.id
            again = judge_bytes(linter, "manifest.yaml", after.raw, Task(linter.settings)).report
            conclude(again, linter.settings)
            assert said(again.findings) == said(out.report.findings), case.id
            states = zip(read(raw), read(after.raw), strict=True)
            assert all(a.state in (b.state, "unreadable") for a, b in states), case.id
        refused += 1
        repaired += not outcomes[-1][1].report.count("error")

    assert repaired > 0.08 * refused


_WITHOUT_QUESTION = {"DRA015"}
"""Advice that nobody declines: a comma that readers of JSON refuse."""


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
@pytest.mark.slow
def test_advice_is_followed_only_where_it_is_asked_for(rule: Rule, example: dict[str, Any]) -> None:
    found = Linter(Settings(), thorough=True).check("manifest.yaml", manifest(example)).report.findings

    safe = [f for f in found if f.effect == "advice" and f.fix is not None and f.fix.safe]
    assert [f.message for f in safe if f.rule not in _WITHOUT_QUESTION] == []
