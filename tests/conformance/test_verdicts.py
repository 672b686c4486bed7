"""dralint against the API server: a sample of recorded verdicts, strict both ways, and their reasons."""

from __future__ import annotations

import json

import pytest

from dralint.finding.finding import Finding
from tests.conformance import reasons, verdicts
from tests.rules.held import assert_as_the_catalogue_says

KNOWN: dict[str, str] = json.loads((verdicts.DATA / "known_differences.json").read_text("utf-8"))
RELEASES = [f"1.{minor}" for minor in range(26, 38)]


LEAST = 0.998
"""How many of the reasons are at least the server's."""


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.slow
def test_verdicts_and_reasons_are_the_servers_and_findings_are_as_the_catalogue_says(release: str) -> None:
    differences: dict[str, str] = {}
    compared: list[reasons.Compared] = []
    for case, found in verdicts.findings(verdicts.verdicts(release)):
        said = verdicts.disagreement(case, found)
        if said is not None:
            differences[case.id] = said
        compared += reasons.compared(case, found)
        _hold_against_the_catalogue(case, found)
    listed = {name for name in KNOWN if name.startswith(f"{release}.")}
    differing = [(one.case.id, one.path, one.mine, sorted(one.theirs)) for one in compared if not one.agrees]

    assert len(compared) >= 100
    assert len(differing) <= (1 - LEAST) * len(compared), differing
    assert {name: said for name, said in differences.items() if name not in listed} == {}
    assert listed - set(differences) == set(), "these agree by now: run python -m tests.conformance.sample --known"


def _hold_against_the_catalogue(case: verdicts.Verdict, found: list[Finding]) -> None:
    lines = len(case.text.splitlines())
    for finding in found:
        assert_as_the_catalogue_says(finding)
        assert finding.releases in ((), (case.release,)), finding
        assert finding.end_line <= lines, finding


def test_a_reason_that_the_server_does_not_say_is_a_difference() -> None:
    case = next(case for case in verdicts.verdicts("1.37") if case.stage == "validate")
    path = case.causes[0][1]

    assert not reasons.Compared(case, path, "Mistaken", frozenset({case.causes[0][0]})).agrees


def test_sample_covers_every_release_and_mode() -> None:
    cases = [(release, case) for release in RELEASES for case in verdicts.verdicts(release)]

    assert len(cases) >= 3000
    for release in RELEASES:
        for mode in verdicts.MODES:
            some = [case for at, case in cases if at == release and case.mode == mode]
            assert {case.accepted for case in some} == {True, False}, (release, mode)


def test_known_differences_have_a_reason() -> None:
    names = {case.id for release in RELEASES for case in verdicts.verdicts(release)}

    assert set(KNOWN) <= names
    assert all(KNOWN.values())
