"""Pod specs in custom resources: findings are what the API server will refuse in the Pods made from them."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.judged import judged

POD = """\
resourceClaims:
- {claim}
containers:
- name: c
  image: x
  resources:
    limits: {{odd: 1}}
    claims: [{use}]
"""
WORKLOADS = {
    "JobSet": ("jobset.x-k8s.io/v1alpha2", ["spec", "replicatedJobs[]", "template", "spec", "template", "spec"]),
    "MPIJob": ("kubeflow.org/v2beta1", ["spec", "mpiReplicaSpecs", "Launcher", "template", "spec"]),
    "RayCluster": ("ray.io/v1", ["spec", "headGroupSpec", "template", "spec"]),
    "LeaderWorkerSet": ("leaderworkerset.x-k8s.io/v1", ["spec", "leaderWorkerTemplate", "workerTemplate", "spec"]),
    "CronJob": (
        "batch.volcano.sh/v1alpha1",
        ["spec", "jobTemplate", "spec", "tasks[]", "template", "spec"],
    ),
    "Workload": ("kueue.x-k8s.io/v1beta1", ["spec", "podSets[]", "template", "spec"]),
    "Rollout": ("argoproj.io/v1alpha1", ["spec", "template", "spec"]),
}


def manifest(kind: str, api_version: str, way: list[str], claim: str, use: str = "{name: other}") -> str:
    text = POD.format(claim=claim, use=use)
    for step in reversed(way):
        text = f"{step.removesuffix('[]')}:\n" + (
            f"- name: a\n{indent(text, '  ')}" if step.endswith("[]") else indent(text, "  ")
        )
    return f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: a}}\n{text}"


def said(text: str) -> list[tuple[str, str, str]]:
    report = judged(text, "1.34")
    return [(f.rule, f.path.rpartition("spec.")[2], f.message) for f in report.findings]


@pytest.mark.parametrize("kind", WORKLOADS)
def test_a_misspelt_claim_of_a_custom_workload_is_told(kind: str) -> None:
    api_version, way = WORKLOADS[kind]

    assert said(manifest(kind, api_version, way, "{name: gpu, resourceClaimTemplate: t}")) == [
        (
            "DRA282",
            "resourceClaims[0].resourceClaimTemplate",
            f'unknown field "resourceClaimTemplate" (Pods made from this {kind} will be refused)',
        )
    ]
    assert said(manifest(kind, api_version, way, "{name: gpu, resourceClaimTemplateName: t}", "{name: gpu}")) == []
