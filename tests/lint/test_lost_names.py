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
