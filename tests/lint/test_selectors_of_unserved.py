"""A wrong apiVersion does not hide what is wrong in selectors."""

from __future__ import annotations

import dralint

CLASS = """\
apiVersion: resource.k8s.io/%s
kind: DeviceClass
metadata: {name: big}
spec:
  selectors:
  - cel: {expression: 'device.attributes["gpu.acme.example"].memory.quantity() > 4'}
"""
SELECTOR = "spec.selectors[0].cel.expression"


def told(version: str, **choices: object) -> list[tuple[str, str]]:
    report = dralint.lint_text(CLASS % version, **choices)  # type: ignore[arg-type]
    assert report.failures == []
    return [(f.rule, f.path) for f in report.findings]


def test_a_version_that_the_release_no_longer_serves() -> None:
    assert told("v1alpha3", kubernetes_version=["1.34"]) == [("DRA501", "apiVersion"), ("DRA303", SELECTOR)]


def test_a_version_that_no_release_has() -> None:
    assert told("v2") == [("DRA501", "apiVersion"), ("DRA303", SELECTOR)]
