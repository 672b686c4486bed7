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


def test_an_unknown_version_of_a_driver_is_told_for_a_class_of_the_input() -> None:
    text = CLASSES.replace("spec: {}", "spec: {selectors: [{cel: {expression: 'device.driver == \"dra.net\"'}}]}")
    text = text.replace("FIRST", "tpu-v5e.acme.example").replace("NEXT", "other.acme.example")
    report = dralint.lint_text(text, driver_versions={"dra.net": "v0.6.2"})

    assert [f.rule for f in report.findings] == ["DRA822"]
