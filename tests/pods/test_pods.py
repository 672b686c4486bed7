"""Claims of Pods and of kinds that embed a Pod spec."""

from __future__ import annotations

import pytest

from dralint.finding.finding import Finding
from dralint.finding.report import Report
from tests.judged import judged

HEADS = {
    "Pod": ("v1", "spec"),
    "PodTemplate": ("v1", "template.spec"),
    "ReplicationController": ("v1", "spec.template.spec"),
    "Deployment": ("apps/v1", "spec.template.spec"),
    "ReplicaSet": ("apps/v1", "spec.template.spec"),
    "StatefulSet": ("apps/v1", "spec.template.spec"),
    "DaemonSet": ("apps/v1", "spec.template.spec"),
    "Job": ("batch/v1", "spec.template.spec"),
    "CronJob": ("batch/v1", "spec.jobTemplate.spec.template.spec"),
}


def manifest(kind: str, spec: str, metadata: str = "name: web") -> str:
    version, path = HEADS[kind]
    lines = [f"apiVersion: {version}", f"kind: {kind}", f"metadata: {{{metadata}}}"]
    depth = 0
    for part in path.split("."):
        lines.append(f"{'  ' * depth}{part}:")
        depth += 1
    return "\n".join(lines + ["  " * depth + line for line in spec.splitlines()]) + "\n"


def rows(report: Report) -> list[tuple[str, str | None, str, int]]:
    """Return rule, reason, path and line of each finding, but for what is said of the API version as such."""
    return [(f.rule, f.reason, f.path, f.line) for f in report.findings if f.rule not in ("DRA505", "DRA510")]


def only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


UNKNOWN = """\
resourceClaims:
- name: gpu
  resourceClaimName: a
containers:
- name: main
  resources:
    claims:
    - name: gpus
"""


@pytest.mark.parametrize("kind", HEADS)
def test_a_claim_that_the_pod_does_not_have_is_reported_in_every_kind(kind: str) -> None:
    path = HEADS[kind][1]
    finding = only(judged(manifest(kind, UNKNOWN), "1.34"))

    assert (finding.rule, finding.reason) == ("DRA280", "NotFound")
    assert finding.path == f"{path}.containers[0].resources.claims[0]"
    assert finding.line == 3 + len(path.split(".")) + 8
    assert finding.message == '"gpus" is not the name of an entry in the Pod\'s resourceClaims; it has: gpu'
    assert finding.hint == 'did you mean "gpu"?'


OLD_SHAPE = "resourceClaims:\n- name: gpu\n  source:\n    resourceClaimTemplateName: t\n"


def test_a_pod_of_the_old_shape_by_itself_is_judged_by_the_last_release_that_knows_it() -> None:
    finding = only(judged(manifest("Pod", OLD_SHAPE)))

    assert (finding.rule, finding.effect, finding.path, finding.line) == (
        "DRA506",
        "deprecated",
        "spec.resourceClaims[0].source",
        7,
    )
    assert finding.releases == ("1.30",)
    assert finding.message == "`source` is known up to 1.30 only; dralint judged it by that release"


def test_the_name_of_the_made_claim_must_fit_from_1_27_to_1_30() -> None:
    text = manifest("Pod", OLD_SHAPE, f"name: {'a' * 250}")

    assert rows(judged(text, "1.26")) == []
    assert rows(judged(text, "1.30")) == [("DRA202", "Invalid", "spec.resourceClaims[0].name", 6)]
    assert rows(judged(manifest("Job", OLD_SHAPE, f"name: {'a' * 250}"), "1.30")) == []


@pytest.mark.parametrize("spec", ["null", "[]", "5", "{containers: 5, resourceClaims: null}", "{resourceClaims: [[]]}"])
def test_any_shape_gives_findings_and_no_failure(spec: str) -> None:
    for kind, (version, path) in HEADS.items():
        text = f"apiVersion: {version}\nkind: {kind}\n"
        for depth, part in enumerate(path.split(".")):
            text += f"{'  ' * depth}{part}:\n"
        report = judged(f"{text.rstrip()} {spec}\n# claims\n", "1.30", "1.34")

        assert all(finding.rule == "DRA102" for finding in report.findings)


def test_findings_that_differ_only_in_the_release_are_one() -> None:
    finding = only(judged(manifest("Pod", UNKNOWN), "1.31", "1.32", "1.37"))
    old = only(judged(manifest("Pod", OLD_SHAPE), "1.31", "1.32"))
    later = only(judged(manifest("StatefulSet", UNKNOWN), "1.31", "1.33"))

    assert (finding.rule, finding.releases) == ("DRA280", ("1.31", "1.32", "1.37"))
    assert (old.rule, old.releases) == ("DRA107", ("1.31", "1.32"))
    assert (later.rule, later.releases) == ("DRA282", ("1.31", "1.33"))


def test_a_workload_without_claims_or_of_another_group_is_not_judged_by_its_api_version() -> None:
    assert (
        judged("apiVersion: v1\nkind: Deployment\nspec: {template: {spec: {containers: []}}}\n# claims\n").objects == 0
    )
    foreign = manifest("Deployment", UNKNOWN).replace("apps/v1", "apps.example.com/v1")
    assert rows(judged(foreign, "1.34"))[0][0] == "DRA282"


def test_a_slip_in_a_use_does_not_change_who_judges_the_old_shape() -> None:
    spec = OLD_SHAPE + "containers:\n- resources: {claims: [{name: gpu, foo: large}]}\n"
    report = judged(manifest("Pod", spec))

    assert [(f.rule, f.releases) for f in report.findings] == [("DRA506", ("1.30",)), ("DRA101", ("1.30",))]
