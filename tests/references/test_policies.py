"""Policies that look for fields of requests where only v1beta1 has them."""

from __future__ import annotations

import pytest

import dralint

KYVERNO = """\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [KIND]}}]}
    validate: VALIDATE
"""
GATEKEEPER = """\
apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: {name: claimclasses}
spec:
  targets:
  - target: admission.k8s.gatekeeper.sh
    rego: |
      violation[{"msg": "no"}] {
        input.review.kind.kind == "ResourceClaim"
        input.review.object.spec.devices.requests[_].deviceClassName == "big"
      }
"""
PATTERN = "{pattern: {spec: {devices: {requests: [{FIELD: shared}]}}}}"


def kyverno(validate: str, kind: str = "ResourceClaim") -> str:
    return KYVERNO.replace("KIND", kind).replace("VALIDATE", validate)


def told(text: str) -> list[str]:
    report = dralint.lint_text(text)
    assert report.failures == []
    assert {finding.rule for finding in report.findings} <= {"DRA453"}
    return [finding.path for finding in report.findings]


def test_a_pattern_of_kyverno() -> None:
    path = "spec.rules[0].validate.pattern.spec.devices.requests[0]"

    assert told(kyverno(PATTERN.replace("FIELD", "deviceClassName"))) == [f"{path}.deviceClassName"]
    assert told(kyverno(PATTERN.replace("FIELD", "=(deviceClassName)"))) == [f"{path}.=(deviceClassName)"]
    assert told(kyverno(PATTERN.replace("FIELD", "name"))) == []


def test_a_path_in_a_condition_of_kyverno() -> None:
    text = '{deny: {conditions: [{key: "{{ request.object.spec.devices.requests[].count }}", operator: In, value: 1}]}}'

    assert told(kyverno(text)) == ["spec.rules[0].validate.deny.conditions[0].key"]


def test_a_path_in_rego() -> None:
    assert told(GATEKEEPER) == ["spec.targets[0].rego"]


@pytest.mark.parametrize(
    "text",
    [
        kyverno(PATTERN.replace("FIELD", "deviceClassName"), "resource.k8s.io/v1beta1/ResourceClaim"),
        kyverno("{pattern: {spec: {devices: {requests: [{exactly: {deviceClassName: shared}}]}}}}"),
        kyverno(PATTERN.replace("FIELD", "deviceClassName"), "Pod"),
        GATEKEEPER.replace("requests[_].device", "requests[_].exactly.device"),
    ],
)
def test_a_policy_that_fits_is_not_told(text: str) -> None:
    assert told(text) == []
