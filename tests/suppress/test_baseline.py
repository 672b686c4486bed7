"""A baseline accepts the present findings, whatever line they move to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dralint.config.baseline import BaselineError, read
from tests.conftest import BAD_CLAIM, Run


@pytest.fixture(autouse=True)
def _folder(workdir: Path) -> None:
    Path("bad.yaml").write_text(BAD_CLAIM)


def test_what_is_accepted_is_not_reported_though_it_moves(run: Run, check: Run) -> None:
    assert run("baseline", "write").stdout.startswith(".dralint-baseline.json: ")
    Path("bad.yaml").write_text(f"# a comment\n\n{BAD_CLAIM}")
    outcome = check("--baseline", ".dralint-baseline.json")

    assert (outcome.status, outcome.findings) == (0, [])
    assert outcome.report["summary"]["suppressed"] == 1


def test_the_baseline_is_no_file_that_is_judged(run: Run, check: Run) -> None:
    run("baseline", "write", "--output", "accepted.json")

    assert check("--baseline", "accepted.json").report["summary"]["files"] == 1
    assert check().report["summary"]["files"] == 2


def test_what_is_new_is_reported(run: Run, check: Run) -> None:
    run("baseline", "write", "--output", "accepted.json")
    Path("other.yaml").write_text(BAD_CLAIM.replace("train", "other"))
    outcome = check("--baseline", "accepted.json")

    assert outcome.status == 1
    assert [finding["file"] for finding in outcome.report["findings"]] == ["other.yaml"]


def test_a_second_finding_of_the_same_place_is_new(run: Run, check: Run) -> None:
    run("baseline", "write", "--output", "accepted.json")
    Path("again.yaml").write_text(BAD_CLAIM)
    outcome = check("--baseline", "accepted.json")

    assert [finding["file"] for finding in outcome.report["findings"]] == ["bad.yaml"]


def test_a_baseline_shows_what_it_accepts(run: Run) -> None:
    run("baseline", "write")

    assert run("baseline", "show").stdout == (
        "    1  DRA101  ResourceClaim team-a/train  spec.devices.requests[0].exactly.deviceClasName\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "it is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("[]", "it has no list of findings; `dralint baseline write` makes one"),
        ('{"version": 2, "findings": []}', "its version is 2; known is 1"),
        ('{"version": 1, "findings": [{}]}', "entry 1 of its findings names no rule"),
        ("[" * 100_000, "it is not JSON"),
    ],
)
def test_a_file_that_is_no_baseline_is_refused(text: str, message: str) -> None:
    with pytest.raises(BaselineError) as refusal:
        read(text)

    assert str(refusal.value).startswith(message)


def test_a_broken_baseline_is_wrong_usage(run: Run) -> None:
    Path("broken.json").write_text("{}")
    outcome = run("check", "--baseline", "broken.json")

    assert outcome.status == 2
    assert "--baseline: broken.json: it has no list of findings" in outcome.stderr


def test_the_same_findings_give_the_same_file(run: Run) -> None:
    run("baseline", "write", "--output", "one.json")
    run("baseline", "write", "--output", "two.json")

    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    assert json.loads(Path("one.json").read_text())["version"] == 1
