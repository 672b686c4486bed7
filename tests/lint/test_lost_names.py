"""An item with two names has lost one of them: what refers to it is not a mistake of its own."""

from __future__ import annotations

import pytest

import dralint

REQUESTS = """\
    requests:
    - name: gpu
      exactly: {deviceClassName: a.example.com}
      name: nic
      exactly: {deviceClassName: b.example.com}
"""
CLAIM = f"""\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: both}}
spec:
  devices:
{REQUESTS}    constraints:
    - requests: [gpu, nic]
      matchAttribute: resource.kubernetes.io/pcieRoot
"""
POD = """\
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  resourceClaims:
  - {name: devices, resourceClaimName: both}
  containers:
  - name: a
    image: x
    resources:
      claims:
      - {name: devices, request: gpu}
      - {name: devices, request: nic}
"""
TWO_ENTRIES = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  resourceClaims:
  - name: gpu
    resourceClaimName: one
    name: nic
    resourceClaimName: two
  containers:
  - {name: a, image: x, resources: {claims: [{name: gpu}, {name: nic}]}}
"""


@pytest.mark.parametrize(
    ("text", "line", "path"),
    [
        (CLAIM, 9, "spec.devices.requests[0].name"),
        (CLAIM + POD, 9, "spec.devices.requests[0].name"),
        (TWO_ENTRIES, 8, "spec.resourceClaims[0].name"),
    ],
    ids=["constraint", "container", "entry"],
)
def test_a_forgotten_dash_is_one_finding(text: str, line: int, path: str) -> None:
    assert [(f.rule, f.line, f.path, f.message) for f in dralint.lint_text(text).findings] == [
        ("DRA004", line, path, 'the key "name" occurs twice')
    ]


def test_another_key_that_occurs_twice_hides_no_reference() -> None:
    twice = CLAIM.replace("      name: nic\n", "").replace("[gpu, nic]", "[nic]")

    assert [(f.rule, f.path) for f in dralint.lint_text(twice).findings] == [
        ("DRA004", "spec.devices.requests[0].exactly"),
        ("DRA203", "spec.devices.constraints[0].requests[0]"),
    ]


def test_a_request_below_a_misspelt_field_is_no_unknown_request() -> None:
    status = "status: {allocation: {devices: {results: [{request: gpu, driver: d.com, pool: p, device: d}]}}}\n"
    claim = CLAIM.partition("    constraints")[0].partition("      name: nic")[0].replace("requests:", "requests0o17:")
    (finding,) = dralint.lint_text(claim + status).findings

    assert (finding.rule, finding.line, finding.message) == ("DRA101", 6, 'unknown field "requests0o17"')
