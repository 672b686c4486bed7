"""`workloads` of a configuration: kinds of custom resources that the table lacks, or describes differently."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run

NOTEBOOK = """\
apiVersion: example.com/v1
kind: Notebook
metadata: {name: n, namespace: a}
spec:
  template:
    resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}]
    containers: [{name: c, image: x, resources: {claims: [{name: gpu}]}}]
"""


def findings(tmp_path: Path, run: Run, configuration: str, text: str) -> list[tuple[str, str, int]]:
    (tmp_path / ".dralint.yaml").write_text(configuration)
    (tmp_path / "object.yaml").write_text(text)
    done = run("check", "object.yaml", "--format", "json", "--kubernetes-version", "1.32.0")
    return [(rule, path, line) for rule, path, line, _ in done.findings if not rule.startswith("DRA904")]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_an_own_kind_can_drop_claims(tmp_path: Path, run: Run) -> None:
    found = findings(tmp_path, run, "workloads:\n  example.com/Notebook: {drops: [spec.template]}\n", NOTEBOOK)

    assert found == [("DRA284", "spec.template.resourceClaims", 6)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("workloads: {Fleet: spec}\n", "1:20: `workloads`: 'Fleet' is not of the form GROUP/KIND"),
        ("workloads: {example.com/Fleet: ..x}\n", "1:32: `workloads`: '..x' is not a path"),
        ("workloads: {example.com/Fleet: {pod: spec}}\n", "1:"),
    ],
)
def test_a_wrong_description_is_refused_with_its_place(tmp_path: Path, run: Run, text: str, said: str) -> None:
    (tmp_path / ".dralint.yaml").write_text(text)
    done = run("check", ".")

    assert done.status == 2
    assert said in done.stderr
