"""dralint against the API server: a sample of recorded verdicts, strict both ways."""

from __future__ import annotations

import json

import pytest
import verdicts

KNOWN: dict[str, str] = json.loads((verdicts.DATA / "known_differences.json").read_text("utf-8"))
RELEASES = [f"1.{minor}" for minor in range(26, 38)]


@pytest.mark.parametrize("release", RELEASES)
def test_agrees_with_the_server(release: str) -> None:
    differences = {
        case.id: said
        for case, found in verdicts.findings(verdicts.verdicts(release))
        if (said := verdicts.disagreement(case, found)) is not None
    }
    listed = {name for name in KNOWN if name.startswith(f"{release}.")}

    assert {name: said for name, said in differences.items() if name not in listed} == {}
    assert listed - set(differences) == set(), "these agree by now: run python tests/conformance/sample.py --known"


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
