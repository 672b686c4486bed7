"""What other schedulers, queues and operators do not support in claims, and what they make of annotations."""

from __future__ import annotations

import pytest

import dralint

TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.acme.example%s}}]%s}}}
---
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p%s}
spec:
  %sresourceClaims: [{name: g, %s}]
  containers: [{name: c, image: "example.com/c:1", resources: {claims: [{name: g}]}}]
---
"""
BY_TEMPLATE, BY_NAME = "resourceClaimTemplateName: t", "resourceClaimName: c"
MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: vm}
spec:
  domain: {devices: {gpus: [{name: a, claimName: g, requestName: g}]}}
  resourceClaims: [{name: g, %s}]
---
"""
CONSTRAINED = TEMPLATE % ("", ", constraints: [{matchAttribute: acme.example/root}]")


def told(*parts: str) -> list[tuple[str, str]]:
    """Return path and beginning of the message of what is said of other programs."""
    report = dralint.lint_text("".join(parts))
    assert report.failures == []
    return [(f.path, f.message.partition(" ")[0]) for f in report.findings if f.rule == "DRA452"]


@pytest.mark.parametrize(
    ("parts", "path", "program"),
    [
        ((POD % ("", "schedulerName: kai-scheduler\n  ", BY_NAME),), "spec.resourceClaims[0].resourceClaimName", "KAI"),
        (
            (POD % ("", "schedulerName: volcano\n  ", BY_TEMPLATE),),
            "spec.resourceClaims[0].resourceClaimTemplateName",
            "Volcano",
        ),
        (
            (CONSTRAINED, POD % (", labels: {kueue.x-k8s.io/queue-name: q}", "", BY_TEMPLATE)),
            "spec.spec.devices.constraints[0].matchAttribute",
            "Kueue",
        ),
        ((MACHINE % BY_NAME,), "spec.resourceClaims[0].resourceClaimName", "KubeVirt"),
        (
            (TEMPLATE % (", count: 2", ""), MACHINE % BY_TEMPLATE),
            "spec.spec.devices.requests[0].exactly.count",
            "KubeVirt",
        ),
    ],
)
def test_a_limit_is_told_where_a_claim_meets_it(parts: tuple[str, ...], path: str, program: str) -> None:
    assert told(*parts) == [(path, program)]


@pytest.mark.parametrize(
    "parts",
    [
        (POD % ("", "", BY_NAME),),
        (POD % ("", "schedulerName: kai-scheduler\n  ", BY_TEMPLATE),),
        (CONSTRAINED, POD % ("", "", BY_TEMPLATE)),
        (TEMPLATE % ("", ""), MACHINE % BY_TEMPLATE),
    ],
)
def test_what_a_program_supports_is_not_told(parts: tuple[str, ...]) -> None:
    assert told(*parts) == []


def test_a_limit_is_told_once_in_a_run() -> None:
    pod = POD % ("", "schedulerName: volcano\n  ", BY_TEMPLATE)

    assert len(told(pod, pod.replace("name: p", "name: q"))) == 1


def test_a_scheduler_needs_the_right_to_list_slices() -> None:
    role = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: second-scheduler}
rules:
- {apiGroups: [""], resources: [pods, pods/binding], verbs: [get, list, watch, create]}
"""
    claims = "- {apiGroups: [resource.k8s.io], resources: [resourceslices], verbs: [list, watch]}\n"

    assert told(role) == [("rules[0]", "a")]
    assert told(role + claims) == []
    assert told(role.replace("pods/binding", "pods/log")) == []


def test_a_class_in_an_annotation_of_kserve_is_one_of_the_input() -> None:
    text = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.acme.example}
spec: {}
---
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata:
  name: llm
  annotations: {serving.kserve.io/exp-dra-device-class: gpu.acme.exampel}
spec: {replicas: 1}
"""
    (finding,) = [f for f in dralint.lint_text(text).findings if f.rule == "DRA404"]

    assert (finding.line, finding.hint) == (10, 'did you mean "gpu.acme.example"?')
    assert [f.rule for f in dralint.lint_text(text.replace("exampel", "example")).findings] == []


def test_a_key_that_occurs_twice_in_a_chart_is_told_without_claims() -> None:
    text = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.acme.example}
spec: {}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: plugin}
spec:
  template:
    metadata: {labels: {app: plugin, app: plugin}}
    spec: {containers: [{name: plugin, image: "example.com/plugin:1"}]}
"""

    assert [(f.rule, f.line) for f in dralint.lint_text(text).findings] == [("DRA004", 11)]
    assert [f.rule for f in dralint.lint_text(text.partition("---\n")[2]).findings] == []


def test_kueue_reads_no_lists() -> None:
    selector = ", selectors: [{cel: {expression: 'device.attributes[\"acme.example\"].numa.includes(0)'}}]"
    manifest = TEMPLATE % (selector, "") + POD % (", labels: {kueue.x-k8s.io/queue-name: q}", "", BY_TEMPLATE)

    report = dralint.lint_text(manifest, feature_gates={"DRAListTypeAttributes": True})

    assert [(f.path, f.message.partition(":")[0]) for f in report.findings if f.rule == "DRA452"] == [
        (
            "spec.spec.devices.requests[0].exactly.selectors[0].cel.expression",
            "Kueue up to 0.19 cannot read attributes that are lists",
        )
    ]
