"""Every repair does what its hint says: the finding is gone, nothing new has come, nothing else has changed."""

from __future__ import annotations

from typing import Any

import pytest

from dralint.finding import catalogue
from dralint.finding.catalogue import Rule
from dralint.finding.problem import path_text
from dralint.kubernetes import gates
from dralint.kubernetes.release import Release
from rules.examples import manifest, releases
from tests.conformance import verdicts
from tests.conformance.following import Reader, edited

READER = Reader()
EXAMPLES = [
    pytest.param(rule, example, id=f"{rule.id}-{number}")
    for rule in catalogue.rules().values()
    for number, example in enumerate(rule.examples.get("bad", []))
    if "manifest" in example
    if "before" not in example
]
GATES = {"all": (("AllAlpha", True), ("AllBeta", True)), "default": ()}


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
@pytest.mark.slow
def test_repairs_of_the_catalogue_lead_where_they_should(rule: Rule, example: dict[str, Any]) -> None:
    applicable: list[Release | None] = [None] if example.get("newest") else list(releases(rule, example))
    switched = tuple(gates.parse(example.get("gates", "")).items())

    for release in (applicable[0], applicable[-1]):
        for followed in READER.follow(manifest(example), release, switched):
            assert followed.faults == [], (release, followed.problem)
            assert followed.problem.hint, followed.problem


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
@pytest.mark.slow
def test_repairs_of_the_catalogue_are_written_into_the_text(rule: Rule, example: dict[str, Any]) -> None:
    raw = manifest(example)
    switched = tuple(gates.parse(example.get("gates", "")).items())
    release = None if example.get("newest") else list(releases(rule, example))[-1]

    for item, problems in list(READER.problems(raw, release, switched)):
        for problem in problems:
            if problem.repair is None:
                continue
            text = edited(raw, item, problem.repair)
            if text is None:  # what spans several lines may have no place
                assert isinstance(problem.repair.changes[0].value, dict | list), problem
                continue
            told = [
                (other.rule, path_text(other.path), other.reason)
                for _, others in READER.problems(text, release, switched)
                for other in others
            ]
            assert (problem.rule, path_text(problem.path), problem.reason) not in told, text.decode()


@pytest.mark.parametrize("release", [f"1.{minor}" for minor in range(26, 38)])
@pytest.mark.slow
def test_repairs_of_recorded_refusals_lead_where_they_should(release: str) -> None:
    wrong = []
    repairs = 0
    for case in verdicts.verdicts(release):
        if case.accepted or case.mode == "update":
            continue
        raw = case.text.encode("utf-8", "surrogatepass")
        for followed in READER.follow(raw, Release.parse(release), GATES[case.gates]):
            repairs += 1
            if followed.faults:
                path = path_text(followed.problem.path)
                wrong.append((case.id, followed.problem.rule, path, followed.problem.hint, followed.faults))

    assert repairs >= 20
    assert wrong == []
