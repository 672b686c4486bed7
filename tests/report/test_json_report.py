"""The JSON format keeps its contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import dralint.report
from dralint.finding.finding import Finding, Related
from dralint.finding.report import Report, Skipped
from dralint.report import Style, render
from tests.conftest import BAD_CLAIM, GOOD_CLAIM, Run

SCHEMA: dict[str, Any] = json.loads((Path(dralint.report.__file__).parent / "report.schema.json").read_text())
FINDING = Finding(
    rule="DRA203",
    name="unknown-request",
    severity="error",
    effect="rejected",
    reason="Invalid",
    message="m",
    hint=None,
    file="claims.yaml",
    document=0,
    line=14,
    column=21,
    end_line=14,
    end_column=25,
    object={"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "namespace": None, "name": "train"},
    path="spec",
    releases=("1.34",),
    related=(Related("there", "claims.yaml", 7, 9),),
    url="https://example.com",
)


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_a_report_by_hand_fits_the_schema() -> None:
    report = Report(
        findings=[FINDING], skipped=[Skipped("chart.yaml", 1, "a template")], files=2, documents=3, objects=1
    )
    text = render("json", report, Style())

    jsonschema.validate(json.loads(text), SCHEMA)
    assert text.endswith("}\n")
    assert json.loads(text)["findings"][0]["related"] == [
        {"message": "there", "file": "claims.yaml", "line": 7, "column": 9}
    ]


@pytest.mark.parametrize(
    "text",
    [
        BAD_CLAIM,
        GOOD_CLAIM.replace("resource.k8s.io/v1", "resource.k8s.io/v1beta1"),
        GOOD_CLAIM.replace("resource.k8s.io/v1", "resource.k8s.io/v9"),
        GOOD_CLAIM.replace("kind: ResourceClaim", "kind: ResourceClam"),
        GOOD_CLAIM + "status: {reservedFor: [{name: 1}]}\n",
        GOOD_CLAIM + "spec: {}\n",
        GOOD_CLAIM + "}",
        GOOD_CLAIM + "...\nx: 1\n",
        "--- x\n" + GOOD_CLAIM,
        "kind: ResourceClaim\nspec: {{ .Values.spec }}\n",
        "# ResourceClaim \udcff",
        "kind: List\nitems:\n- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim}\n- null\n- 1\n",
    ],
)
@pytest.mark.slow
def test_every_report_fits_the_schema(check: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(text, errors="surrogateescape")
    outcome = check(file)

    assert outcome.status in (0, 1)
    jsonschema.validate(outcome.report, SCHEMA)


def test_what_could_steer_a_terminal_is_escaped() -> None:

    message = "a\x1b\x07\x7f\x9b\u202e\ud800\u2028é"
    text = render("json", Report(findings=[FINDING._replace(message=message)]), Style())

    assert r"a\u001b\u0007\u007f\u009b\u202e\ud800\u2028é" in text
    assert json.loads(text)["findings"][0]["message"] == message
