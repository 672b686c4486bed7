"""Pods and workloads: `source` of an entry of resourceClaims, which Kubernetes has had up to 1.30.

Source: core/v1/types.go of k8s.io/api v0.30.14 and v0.31.14 (PodResourceClaim).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.path import at
from dralint.migrate.changes import Change

if TYPE_CHECKING:
    from dralint.manifest.objects import ApiObject

_NAMES = {"resourceClaimName", "resourceClaimTemplateName"}


def changes(item: ApiObject) -> list[Change]:
    """Return what brings the claims of an object with Pod specs into the form of 1.31 and later."""
    out: list[Change] = []
    for spec in item.pod_specs():
        claims = at(item.data, (*spec, "resourceClaims"))
        for position, entry in enumerate(claims if isinstance(claims, list) else ()):
            source = entry.get("source") if isinstance(entry, dict) else None
            if isinstance(source, dict) and source and set(source) <= _NAMES and not _NAMES & set(entry):
                out.append(Change("unwrap", (*spec, "resourceClaims", position, "source")))
    return out
