"""Names of quotas that are nearly right limit nothing."""

from __future__ import annotations

import pytest

import dralint
from dralint.references.misspelt_names import meant

QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: a}
spec:
  hard:
    pods: "3"
    %s: "3"
"""
CLASS = "gpu.deviceclass.resource.k8s.io/devices"


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("count/resourceclaims.resource.k8s.ioo", "count/resourceclaims.resource.k8s.io"),
        ("count/resourceclaim.resource.k8s.io", "count/resourceclaims.resource.k8s.io"),
        ("count/resourceclaimtemplate.resource.k8s.io", "count/resourceclaimtemplates.resource.k8s.io"),
        ("count/resourceclaims.resource.kubernetes.io", "count/resourceclaims.resource.k8s.io"),
        ("count/resourceclaims", "count/resourceclaims.resource.k8s.io"),
        ("gpu.deviceclass.resource.kubernetes.io/device", CLASS),
        ("gpu.deviceclasses.resource.k8s.io/devices", CLASS),
        ("gpu.deviceclass.resource.k8s.io/device", CLASS),
        ("limits.example.com/gpu", "requests.example.com/gpu"),
    ],
)
def test_a_slip_of_a_quota_limits_nothing(key: str, name: str) -> None:
    (finding,) = dralint.lint_text(QUOTA % key).findings

    assert (finding.rule, finding.severity, finding.path, finding.line) == ("DRA427", "warning", f"spec.hard.{key}", 7)
    assert finding.message == (
        f'no server counts anything under "{key}": this quota limits nothing, and no event is recorded'
    )
    assert finding.hint == f'did you mean "{name}"?'


@pytest.mark.parametrize(
    "key",
    [
        "count/resourceclaims.resource.k8s.io",
        "count/resourceclaims.example.com",
        "count/podschedulingcontexts.resource.k8s.io",
        "count/resourceclasses.resource.k8s.io",
        CLASS,
        "requests.deviceclass.resource.kubernetes.io/device",
        "requests.deviceclass.resource.kubernetes.io/devices",
        "requests.example.com/device",
        "gold.storageclass.storage.k8s.io/requests.storage",
        "${CLASS}.deviceclass.resource.k8s.io/devices",
    ],
)
def test_another_quota_is_no_slip(key: str) -> None:
    assert meant(key) is None
    assert dralint.lint_text(QUOTA % key).findings == []
