"""Which release judges a Pod or workload in the form of the classic API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.conftest import Outcome, Run

SPEC = "resourceClaims: [{name: gpu, source: {resourceClaimTemplateName: single-gpu}}]"
POD = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: train, namespace: ml}}\nspec:\n  {SPEC}\n"
JOB = f"""\
apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: ml}}
spec:
  template:
    spec:
      {SPEC}
      containers: [{{name: main, resources: {{claims: [{{name: gpu}}]}}}}]
"""
CLASSIC = """\
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaimTemplate
metadata: {name: single-gpu, namespace: ml}
spec: {spec: {resourceClassName: gpu.example.com}}
"""
FLAT = CLASSIC.replace("v1alpha2", "v1beta1").replace(
    "resourceClassName: gpu.example.com", "devices: {requests: [{name: gpu, deviceClassName: gpu.example.com}]}"
)


def of_pods(outcome: Outcome) -> list[tuple[Any, ...]]:
    return [
        (f["rule"], f["path"], f["line"], f["message"], f["releases"])
        for f in outcome.report["findings"]
        if f["object"]["kind"] in ("Pod", "Job") and f["effect"] != "advice"
    ]


def test_the_template_may_be_in_another_file(check: Run, workdir: Path) -> None:
    (workdir / "pod.yaml").write_text(POD)
    (workdir / "template.yaml").write_text(CLASSIC)

    assert [row[0] for row in of_pods(check("."))] == ["DRA506"]
    assert [row[0] for row in of_pods(check("pod.yaml"))] == ["DRA107"]


def test_fix_moves_the_name_up_only_where_the_template_is_not_of_the_old_form(run: Run, workdir: Path) -> None:
    (workdir / "old.yaml").write_text(f"{POD}---\n{CLASSIC}".replace("single-gpu", "classic-gpu"))
    (workdir / "new.yaml").write_text(f"{JOB}---\n{FLAT}")
    run("fix", "--write", ".")

    assert "source:" in (workdir / "old.yaml").read_text()
    assert "{name: gpu, resourceClaimTemplateName: single-gpu}" in (workdir / "new.yaml").read_text()
