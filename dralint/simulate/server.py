"""Applies objects as the API server does, one after the other, with the admission that depends on other objects.

Sources (v1.37.0): pkg/apis/apps/validation and pkg/apis/batch/validation for what is immutable, apiserver
pkg/admission/plugin/namespace/lifecycle, plugin/pkg/admission/resourcequota, and
pkg/registry/resource/resourceclaim/strategy.go for admin access.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint.finding.path import dict_of
from dralint.kubernetes.workloads import FIXED_FIELDS
from dralint.simulate.cluster import Cluster
from dralint.simulate.quotas import Quotas
from dralint.simulate.replicas import within

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Key

_LABEL = "resource.kubernetes.io/admin-access"


@dataclass
class ApiServer:
    """Applies manifests to a cluster; `refused` has the refused objects, with the server's messages."""

    cluster: Cluster
    behaviour: Behaviour
    refused: dict[Key, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.quotas = Quotas(self.cluster, self.behaviour)

    def apply(self, item: Mapping[str, Any], namespace: str = "default") -> Key | None:
        """Apply an object; None for one of a kind that does not matter, and for one that is refused."""
        alone = Cluster()
        key = alone.apply(item, namespace)
        if key is None:
            return None
        made = alone.objects[key]
        if key not in self.cluster.objects:
            said = self._ended(key) or self._admin(key, made) or self._quota(key, made)
        else:
            said = self._fixed(key, made)
        if said:
            self.refused[key] = said
            return None
        self.cluster.apply(item, namespace)
        if key[0] == "ResourceQuota":
            self.quotas.set(self.cluster.objects[key])
        return key

    def _fixed(self, key: Key, item: Mapping[str, Any]) -> str:
        """Return why a live workload cannot be changed to what a manifest says."""
        was, now = (dict_of(each.get("spec")) for each in (self.cluster.objects[key], item))
        for field_name in FIXED_FIELDS.get(key[0], ()):
            if field_name in now and field_name in was and not within(now[field_name], was[field_name]):
                return f"spec.{field_name}: Invalid value: field is immutable"
        return ""

    def _ended(self, key: Key) -> str:
        """Return why nothing can be created in a namespace that is being deleted."""
        there = self.cluster.get("Namespace", "", key[1]) if key[1] else None
        if there is None:
            return ""
        ends = there["metadata"].get("deletionTimestamp") or dict_of(there.get("status")).get("phase") == "Terminating"
        return f"unable to create new content in namespace {key[1]} because it is being terminated" if ends else ""

    def _admin(self, key: Key, item: Mapping[str, Any]) -> str:
        """Return why a claim or template cannot ask for admin access in its namespace."""
        if key[0] not in ("ResourceClaim", "ResourceClaimTemplate") or not self.behaviour.admin_access:
            return ""
        spec = item.get("spec") or {}
        spec = spec if key[0] == "ResourceClaim" else spec.get("spec") or {}
        requests = (spec.get("devices") or {}).get("requests") or ()
        there = self.cluster.get("Namespace", "", key[1])
        if there is None or not any((request.get("exactly") or {}).get("adminAccess") for request in requests):
            return ""
        if dict_of(there["metadata"].get("labels")).get(_LABEL) == "true":
            return ""
        return f"admin access to devices requires the `{_LABEL}: true` label on the containing namespace"

    def _quota(self, key: Key, item: Mapping[str, Any]) -> str:
        return self.quotas.charge(key[0], item) if key[1] else ""
