"""Which release judges a Pod or workload in the form of the classic API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

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
REFUSED = 'unknown field "source": since 1.31 resourceClaimName and resourceClaimTemplateName belong directly in it'


def of_pods(outcome: Outcome) -> list[tuple[Any, ...]]:
    return [
        (f["rule"], f["path"], f["line"], f["message"], f["releases"])
        for f in outcome.report["findings"]
        if f["object"]["kind"] in ("Pod", "Job") and f["effect"] != "advice"
    ]


@pytest.mark.parametrize("beside", ["", f"---\n{FLAT}", f"---\n{CLASSIC.replace('single-gpu', 'other')}"])
def test_the_newest_release_judges_and_refuses_the_old_form(check: Run, beside: str) -> None:
    path = "spec.template.spec.resourceClaims[0].source"

    assert of_pods(check("-", stdin=JOB + beside)) == [("DRA107", path, 7, REFUSED, ["1.37"])]


def test_a_slip_in_the_name_of_the_template_does_not_change_who_judges(check: Run) -> None:
    slip = POD.replace("single-gpu", "single-gpus")

    assert [row[0] for row in of_pods(check("-", stdin=f"{slip}---\n{CLASSIC}"))] == ["DRA506", "DRA402"]


@pytest.mark.parametrize(("version", "release"), [("v1alpha2", "1.30"), ("v1alpha1", "1.26")])
def test_the_newest_release_that_serves_the_template_judges(check: Run, version: str, release: str) -> None:
    template = CLASSIC.replace("v1alpha2", version)
    judge = "that release" if release == "1.30" else release
    message = f"`source` is known up to 1.30 only; dralint judged it by {judge}"

    assert of_pods(check("-", stdin=f"{POD}---\n{template}")) == [
        ("DRA506", "spec.resourceClaims[0].source", 5, message, [release])
    ]


def test_a_template_that_is_not_of_the_old_form_does_not_judge(check: Run) -> None:
    both = f"---\n{CLASSIC}---\n{FLAT.replace('v1beta1', 'v1alpha3')}"

    assert [(row[0], row[4]) for row in of_pods(check("-", stdin=POD + both))] == [("DRA506", ["1.30"])]
    assert [row[0] for row in of_pods(check("-", stdin=POD + both.replace(f"---\n{CLASSIC}", "")))] == ["DRA107"]


def test_the_template_may_be_in_another_file(check: Run, workdir: Path) -> None:
    (workdir / "pod.yaml").write_text(POD)
    (workdir / "template.yaml").write_text(CLASSIC)

    assert [row[0] for row in of_pods(check("."))] == ["DRA506"]
    assert [row[0] for row in of_pods(check("pod.yaml"))] == ["DRA107"]


def test_a_release_that_was_asked_for_judges(check: Run) -> None:
    outcome = check("--kubernetes-version", "1.36", "-", stdin=f"{POD}---\n{CLASSIC}")

    assert ("DRA107", "spec.resourceClaims[0].source", 5, REFUSED, ["1.36"]) in of_pods(outcome)


def test_an_update_is_judged_by_the_same_release(run: Run, workdir: Path) -> None:
    (workdir / "old.yaml").write_text(JOB.replace("train", "train-1"))
    (workdir / "new.yaml").write_text(JOB)

    assert [row[0] for row in of_pods(run("diff", "--format", "json", "old.yaml", "new.yaml"))] == ["DRA107"]


def test_fix_moves_the_name_up_only_where_the_template_is_not_of_the_old_form(run: Run, workdir: Path) -> None:
    (workdir / "old.yaml").write_text(f"{POD}---\n{CLASSIC}".replace("single-gpu", "classic-gpu"))
    (workdir / "new.yaml").write_text(f"{JOB}---\n{FLAT}")
    run("fix", "--write", ".")

    assert "source:" in (workdir / "old.yaml").read_text()
    assert "{name: gpu, resourceClaimTemplateName: single-gpu}" in (workdir / "new.yaml").read_text()


def test_a_template_of_a_helm_chart_is_not_judged_again(check: Run) -> None:
    text = POD.replace("name: train,", "name: {{ .Release.Name }},")

    assert check("-", stdin=text).report["findings"] == []
