"""What Kueue does not admit, and its configuration."""

from __future__ import annotations

import dralint

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: j, labels: {%s: q}}
spec: {template: {spec: {restartPolicy: Never, %s}}}
---
"""
CLAIM = (
    "resourceClaims: [{name: g, resourceClaimTemplateName: t}], "
    "containers: [{name: c, image: x, resources: {claims: [{name: g}]}}]"
)
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.example.com%s}}]}}}
---
"""
CONFIG = """\
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
resources: {deviceClassMappings: [%s]}
---
"""
QUEUE = "kueue.x-k8s.io/queue-name"


def told(*parts: str) -> list[tuple[str, str]]:
    """Rule and path of what is said of Kueue."""
    report = dralint.lint_text("".join(parts))
    assert report.failures == []
    return [(f.rule, f.path) for f in report.findings if f.rule in ("DRA450", "DRA451")]


def test_a_template_is_told_where_a_queue_uses_it() -> None:
    place = "spec.spec.devices.requests[0].exactly"

    assert told(JOB % (QUEUE, CLAIM), TEMPLATE % "") == []
    assert told(JOB % (QUEUE, CLAIM), TEMPLATE % ", allocationMode: All") == [("DRA450", f"{place}.allocationMode")]
    assert told(JOB % (QUEUE, CLAIM), TEMPLATE % ", adminAccess: true") == [("DRA450", f"{place}.adminAccess")]
    assert told(JOB % ("team", CLAIM), TEMPLATE % ", allocationMode: All") == []


def test_a_class_without_a_mapping_is_told_where_there_are_mappings() -> None:
    other = CONFIG % "{name: a, deviceClassNames: [nic.example.com]}"
    both = CONFIG % "{name: a, deviceClassNames: [nic.example.com, gpu.example.com]}"

    assert told(JOB % (QUEUE, CLAIM), TEMPLATE % "", other) == [
        ("DRA450", "spec.spec.devices.requests[0].exactly.deviceClassName")
    ]
    assert told(JOB % (QUEUE, CLAIM), TEMPLATE % "", both) == []


def test_a_mapping_with_sources_does_not_go_with_an_extended_resource() -> None:
    meta = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: mig}\n"
    klass = meta + "spec: {extendedResourceName: e.com/g}\n---\n"
    config = CONFIG % "{name: a, deviceClassNames: [mig], sources: [{counter: {name: memory}}]}"
    pods = "containers: [{name: c, image: x, resources: {limits: {e.com/g: 1}}}]"

    assert [rule for rule, _ in told(klass, config, JOB % (QUEUE, pods))] == ["DRA450"]


def test_a_class_is_in_two_mappings_only_with_different_counters() -> None:
    mapping = "{name: %s, deviceClassNames: [mig], sources: [{counter: {name: %s}}]}"

    assert told(CONFIG % f"{mapping % ('a', 'memory')}, {mapping % ('b', 'slices')}") == []
    assert told(CONFIG % f"{mapping % ('a', 'memory')}, {mapping % ('b', 'memory')}") == [
        ("DRA451", "resources.deviceClassMappings[1].deviceClassNames[0]")
    ]
    assert told(CONFIG.replace("v1beta2", "v1beta1") % (mapping % ("a", "memory"))) == [
        ("DRA451", "resources.deviceClassMappings[0].sources")
    ]
