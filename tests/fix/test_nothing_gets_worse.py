"""Over all bad examples and a sample of recorded refusals: what is fixed is no worse, and reads as it did."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dralint.config.settings import Settings
from dralint.explain.examples import Bench, manifest, releases
from dralint.finding import catalogue
from dralint.finding.catalogue import Rule
from dralint.finding.finding import Finding
from dralint.fix.compare import fresh
from dralint.fix.files import fix_bytes
from dralint.kubernetes.release import Release
from dralint.lint.conclusion import conclude
from dralint.lint.linter import Linter
from dralint.lint.pool import Task, judge_bytes
from dralint.yaml import read

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))
import verdicts

BENCH = Bench()
GATES = {"all": (("AllAlpha", True), ("AllBeta", True)), "default": ()}
EXAMPLES = [
    pytest.param(rule, example, id=f"{rule.id}-{number}")
    for rule in catalogue.rules().values()
    for number, example in enumerate(rule.examples.get("bad", []))
    if "manifest" in example and "before" not in example and "slices" not in example
]


def said(findings: list[Finding]) -> Counter[tuple[str, str, str | None]]:
    return Counter((finding.rule, finding.message, finding.reason) for finding in findings)


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_no_fix_brings_a_finding_to_a_bad_example_in_any_release(rule: Rule, example: dict[str, Any]) -> None:
    applicable: list[Release | None] = [None] if example.get("newest") else list(releases(rule, example))
    for release in {applicable[0], applicable[len(applicable) // 2], applicable[-1]}:
        before = BENCH.findings(rule, example, release)
        for unsafe in (False, True):
            text, left = BENCH.fixed(rule, example, release, unsafe=unsafe)

            if any(f.effect == "unreadable" for f in before):  # nobody had looked into it
                assert [f for f in left if f.effect == "unreadable" and f.fix is not None] == [], (release, text)
                continue
            assert len(left) <= len(before), (release, text)
            assert {f.rule for f in left} <= {f.rule for f in before}, (release, text)
            if text != manifest(example).decode(example.get("encoding", "utf-8")):
                assert len(left) < len(before), (release, text)


@pytest.mark.parametrize("release", [f"1.{minor}" for minor in range(26, 38)])
def test_no_fix_makes_a_recorded_refusal_worse(release: str) -> None:
    linters = {
        name: Linter(Settings(releases=(Release.parse(release),), gates=gates), collects=False, thorough=True)
        for name, gates in GATES.items()
    }
    refused = repaired = 0
    for case in verdicts.verdicts(release):
        if case.accepted or case.mode == "update":
            continue
        raw, linter = case.text.encode("utf-8", "surrogatepass"), linters[case.gates]
        before = judge_bytes(linter, "manifest.yaml", raw, Task(linter.settings))
        conclude(before, linter.settings)
        outcomes = [fix_bytes(linter, "manifest.yaml", raw, unsafe=unsafe) for unsafe in (False, True)]
        for out in outcomes:
            assert fresh(before, out.report, by_release=True) == [], case.id
            unread = any(finding.effect == "unreadable" for finding in before.findings)
            assert unread or len(out.report.findings) <= len(before.findings), case.id
            again = judge_bytes(linter, "manifest.yaml", out.raw, Task(linter.settings))
            conclude(again, linter.settings)
            assert said(again.findings) == said(out.report.findings), case.id
            states = zip(read(raw), read(out.raw), strict=True)
            assert all(a.state in (b.state, "unreadable") for a, b in states), case.id
        refused += 1
        repaired += not outcomes[-1].report.count("error")

    assert repaired > 0.08 * refused


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_advice_is_followed_only_where_it_is_asked_for(rule: Rule, example: dict[str, Any]) -> None:
    found = Linter(Settings(), thorough=True).check("manifest.yaml", manifest(example)).findings

    assert [f.message for f in found if f.effect == "advice" and f.fix is not None and f.fix.safe] == []
