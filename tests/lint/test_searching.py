"""A search looks for repairs in the first files of a run that need it."""

from __future__ import annotations

import pytest

from dralint.config.settings import Settings
from dralint.files.source import Source
from dralint.lint import pool
from dralint.lint.pool import run
from dralint.report.words import summary

WRONG = """apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: NAME
spec:
  devices:
    requests:
    - name: gpu
      exact:
        deviceClassName: gpu.example.com
        counts: 1
      tolerations: []
"""


def sources(files: int, text: str = WRONG) -> list[Source]:
    return [Source(f"{n:03}.yaml", None, text.replace("NAME", f"a{n:03}").encode()) for n in range(files)]


def repaired(files: int) -> list[bool]:
    """Return in which of so many files with the same mistakes the last one has a repair."""
    found = {finding.file: finding.fix for finding in run(sources(files), Settings(), jobs=1).findings}
    return [found[source.name] is not None for source in sources(files)]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MOST_SEARCHED", 2)


@pytest.mark.usefixtures("few")
def test_all_of_a_few_files_are_searched_and_of_many_the_first() -> None:
    assert repaired(2) == [True, True]
    assert repaired(4) == [True, True, False, False]


@pytest.mark.usefixtures("few")
def test_the_summary_says_in_how_many_files_no_search_has_looked() -> None:
    said = summary(run(sources(5), Settings(), jobs=1))

    assert said.endswith("; 3 files not searched for repairs: mend the others, then run again")
    assert "searched" not in summary(run(sources(2), Settings(), jobs=1))


@pytest.mark.usefixtures("few")
def test_the_summary_says_nothing_of_files_whose_findings_are_suppressed() -> None:
    hidden = "# dralint: ignore-file[DRA101, DRA107] known\n" + WRONG
    report = run(sources(5, hidden), Settings(), jobs=1)

    assert (report.findings, report.not_searched) == ([], 0)


def guessed(text: str) -> dict[str, bool]:
    """Return the hints of the errors of a text, each with whether it has a fix."""
    found = run([Source("a.yaml", None, text.encode())], Settings(), jobs=1).findings
    return {str(finding.hint): finding.fix is not None for finding in found if finding.severity == "error"}


def test_no_guess_makes_an_expression_of_another_field() -> None:
    head = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec:\n  selectors:\n  - cel:\n"

    assert guessed(f"{head}      interval: Default\n") == {"allowed here: expression": False}
    assert guessed(f"{head}      interval: device.driver == 'a'\n") == {"allowed here: expression": True}


def test_no_guess_moves_a_field_into_an_unknown_one() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nMETADATA:\n  name: a\nspec:\n  devices:\n    requests:\n"
        "exactly:\n  deviceClassName: c\n"
    )

    assert guessed(text) == {
        'did you mean "metadata"?': True,
        "write it as an item of `spec.devices.requests:`: `- exactly: ...`": False,
    }


def test_no_guess_moves_a_field_into_labels() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1alpha3\nkind: ResourceClaimTemplate\nmetadata: {name: a}\nspec:\n  metadata:\n"
        "    labels:\n      app: a\n  spec:\n    resourceClassName: example\n"
        "    parametersRef:\n      kind: ConfigMap\n      name: a\n"
    )

    hint = (
        "write a new claim: `devices: {requests: [{name: NAME, deviceClassName: CLASS}]}`; "
        "parameters go to `devices.config`"
    )
    assert guessed(text) == {hint: False}
