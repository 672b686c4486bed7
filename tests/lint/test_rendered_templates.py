"""Findings in the output of `helm template` name the template of their object."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClasName: b}}]}}
"""
OUTPUT = (
    f"---\n# Source: gpu/templates/claim.yaml\n{CLAIM}---\n{CLAIM}---\n# Source: ../gpu/templates/claim.yaml\n{CLAIM}"
)


def related(run: Run, *options: str) -> list[list[dict[str, object]]]:
    done = run("check", "--format", "json", *options, "-", stdin=OUTPUT)
    return [finding["related"] for finding in json.loads(done.stdout)["findings"]]


@pytest.fixture
def chart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpu" / "templates").mkdir(parents=True)
    (tmp_path / "gpu" / "templates" / "claim.yaml").write_text("{{ .Values.claim }}\n")
    return tmp_path


def test_a_finding_has_its_template_and_others_have_none(run: Run) -> None:
    place = {"message": "rendered from this template of a chart", "file": "gpu/templates/claim.yaml"}

    assert related(run) == [[place | {"line": 1, "column": 1}], [], []]


@pytest.mark.parametrize("options", [[], ["--stdin-filename", "gpu"]])
def test_a_template_that_is_there_is_found(run: Run, chart: Path, options: list[str]) -> None:
    place = {"message": "rendered from this template", "file": str(Path("gpu/templates/claim.yaml"))}

    assert related(run, *options)[0] == [place | {"line": 1, "column": 1}]


def test_the_folder_of_a_chart_may_have_another_name(run: Run, chart: Path) -> None:
    (chart / "gpu").rename(chart / "mine")

    assert related(run, "--stdin-filename", "mine")[0][0]["file"] == str(Path("mine/templates/claim.yaml"))


def test_github_annotates_the_template(run: Run, chart: Path) -> None:
    first, second, _ = run("check", "--format", "github", "-", stdin=OUTPUT).stdout.splitlines()

    assert first.startswith("::error file=gpu/templates/claim.yaml,line=1,title=DRA101 unknown-field::")
    assert first.endswith("%0Aline 6 of the output of the template")
    assert second.startswith("::error line=11,endLine=11,col=51,")


def test_text_names_the_template(run: Run) -> None:
    done = run("check", "-", stdin=OUTPUT)

    assert done.stdout.count("see: gpu/templates/claim.yaml:1:1: rendered from this template of a chart") == 1
