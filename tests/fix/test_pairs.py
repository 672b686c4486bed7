"""An object with a partner moves together with it, or stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run

TEMPLATE = """\
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaimTemplate
metadata: {name: single}
spec:
  spec:
    resourceClassName: gpu.example.com
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  resourceClaims:
  - name: gpu
    source: {resourceClaimTemplateName: single}
  containers:
  - name: main
    image: example.com/train:1
    resources: {claims: [{name: gpu}]}
"""
MESSAGE = (
    'no release accepts both: releases up to 1.30 serve the ResourceClaimTemplate "single" in '
    "resource.k8s.io/v1alpha2, and releases since 1.31 have `resourceClaimTemplateName` directly in the entry"
)
FLAT = POD.replace("source: {resourceClaimTemplateName: single}", "resourceClaimTemplateName: single")


@pytest.mark.parametrize("files", [{"a.yaml": f"{TEMPLATE}---\n{POD}"}, {"a.yaml": TEMPLATE, "b.yaml": POD}])
def test_the_source_of_a_pod_stays_with_a_template_of_the_classic_api(
    files: dict[str, str], run: Run, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")

    assert run("fix", "--unsafe-fixes", tmp_path).stdout == ""


def test_the_source_of_a_pod_alone_goes(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD, "utf-8")

    run("fix", "--write", tmp_path)
    assert (tmp_path / "pod.yaml").read_text("utf-8") == FLAT


def test_a_pod_that_no_release_takes_with_its_template_is_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(f"{TEMPLATE}---\n{FLAT}", "utf-8")
    found = run("check", "--format", "json", tmp_path).report["findings"][-1]

    assert (found["rule"], found["path"], found["line"], found["message"]) == (
        "DRA402",
        "spec.resourceClaims[0].resourceClaimTemplateName",
        14,
        MESSAGE,
    )


@pytest.mark.parametrize("files", [{"a.yaml": f"{TEMPLATE}---\n{POD}"}, {"a.yaml": POD, "b.yaml": TEMPLATE}])
def test_migrate_leaves_a_pod_alone_with_a_template_of_the_classic_api(
    files: dict[str, str], run: Run, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    done = run("migrate", "--to", "v1", tmp_path)

    assert (done.status, done.stdout) == (1, "")
    assert '`source` goes with the ResourceClaimTemplate "single" in resource.k8s.io/v1alpha2; the object' in (
        " ".join(done.stderr.split())
    )


def test_migrate_moves_a_pod_whose_template_lies_in_another_namespace(run: Run, tmp_path: Path) -> None:
    apart = TEMPLATE.replace("name: single", "name: single, namespace: a")
    (tmp_path / "all.yaml").write_text(
        f"{apart}---\n" + POD.replace("name: train", "name: train, namespace: b"), "utf-8"
    )

    run("migrate", "--to", "v1", "--write", tmp_path)
    assert "    resourceClaimTemplateName: single\n" in (tmp_path / "all.yaml").read_text("utf-8")
