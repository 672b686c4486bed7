"""Names of classes that are not there: by their end, and as the name of a resource."""

from __future__ import annotations

import dralint

CLASSES = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: tpu-v5e.acme.example}
spec: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: FIRST}}, {name: s, exactly: {deviceClassName: NEXT}}]}}
"""
POD = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.acme.example}
spec: {}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: c
    image: example.com/c:1
    resources: {limits: {gpu.acme.example: 1}}
"""


def found(text: str) -> list[tuple[str, int | None, str | None]]:
    report = dralint.lint_text(text)
    assert report.failures == []
    return [(f.rule, f.line, f.hint) for f in report.findings]


def test_a_class_that_differs_by_its_end_is_meant_if_nobody_uses_it() -> None:
    text = CLASSES.replace("tpu-v5e.acme.example", "tpu-v5e").replace("NEXT", "other")

    assert found(text.replace("FIRST", "tpu-v5")) == [("DRA404", 9, 'did you mean "tpu-v5e"?')]
    assert found(text.replace("FIRST", "tpu-v5").replace("other", "tpu-v5e")) == []
    assert found(text.replace("FIRST", "tpu-v5lite")) == []


def test_the_name_of_a_class_is_no_resource() -> None:
    assert found(POD) == [("DRA285", 13, "write deviceclass.resource.kubernetes.io/gpu.acme.example")]
    assert found(POD.replace("limits: {gpu.acme", "limits: {gpu.other")) == []


def test_keys_of_earlier_proposals_limit_nothing() -> None:
    text = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {KEY: 4}}\n"
    meant = 'did you mean "gpu.acme.example.deviceclass.resource.k8s.io/devices"?'

    for key in (
        "gpu.acme.example.resourceclass.resource.k8s.io/claims",
        "gpu.acme.example.deviceclass.resource.k8s.io",
        "deviceclass.resource.k8s.io/gpu.acme.example",
    ):
        assert found(text.replace("KEY", key)) == [("DRA427", 4, meant)], key
    for key in ("requests.deviceclass.resource.kubernetes.io/gpu", "gpu.deviceclass.resource.k8s.io/devices"):
        assert found(text.replace("KEY", key)) == [], key


def test_an_unknown_version_of_a_driver_is_told_for_a_class_of_the_input() -> None:
    text = CLASSES.replace("spec: {}", "spec: {selectors: [{cel: {expression: 'device.driver == \"dra.net\"'}}]}")
    text = text.replace("FIRST", "tpu-v5e.acme.example").replace("NEXT", "other.acme.example")
    report = dralint.lint_text(text, driver_versions={"dra.net": "v0.6.2"})

    assert [f.rule for f in report.findings] == ["DRA822"]
