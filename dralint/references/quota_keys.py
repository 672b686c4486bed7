"""Misspelt names under which a ResourceQuota would limit claims, or the devices of a class.

A server takes any name that has a `/`: k8s.io/kubernetes pkg/apis/core/validation (ValidateResourceQuotaResourceName).
It counts `count/RESOURCE.GROUP` and CLASS.deviceclass.resource.k8s.io/devices: pkg/quota/v1/evaluator/core
(resource_claims.go), and nothing under a name that is nearly one of them.
"""

from __future__ import annotations

from dralint.kubernetes.near import distance
from dralint.kubernetes.workloads import CLASS_QUOTA, GROUP, IMPLICIT

CLAIM_QUOTAS = (f"count/resourceclaims.{GROUP}", f"count/resourceclaimtemplates.{GROUP}")
"""The names of the quotas that count claims and templates."""
_OTHER_GROUP = "resource.kubernetes.io"
"""The domain of labels and extended resources, which is no API group."""
_LABELS = CLASS_QUOTA.count(".")
_MOST_LETTERS = 2
_LONGEST = 320


def meant(key: str) -> str | None:
    """Return the name of a quota that a key of `hard` is a misspelling of; None for a right or another name."""
    if key in CLAIM_QUOTAS or key.endswith(CLASS_QUOTA) or len(key) > _LONGEST:
        return None
    name = key.replace(_OTHER_GROUP, GROUP)
    if key.startswith("count/"):
        return next((each for each in CLAIM_QUOTAS if _is_near(name, each) or name == each.partition(".")[0]), None)
    domain, slash, what = name.partition("/")
    labels = domain.split(".")
    device_class, end = ".".join(labels[:-_LABELS]), f".{'.'.join(labels[-_LABELS:])}{slash}{what}"
    if (
        device_class in ("", "requests", "limits") and IMPLICIT in key
    ):  # an extended resource with the name of its class
        return None
    return f"{device_class}{CLASS_QUOTA}" if device_class and _is_near(end, CLASS_QUOTA) else None


def _is_near(name: str, other: str) -> bool:
    return abs(len(name) - len(other)) <= _MOST_LETTERS and distance(name, other) <= _MOST_LETTERS
