"""API objects as data, of which tests make up manifests, inventories and dumps."""

from __future__ import annotations

from typing import Any

Item = dict[str, Any]

DRIVER = "gpu.example.com"
ROOM = {"cpu": "64", "memory": "256Gi", "pods": "110"}
"""What a node has for Pods, where a test is about devices alone."""
_GROUPS = {
    "admissionregistration.k8s.io/v1": (
        *("MutatingWebhookConfiguration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
        "ValidatingWebhookConfiguration",
    ),
    "apiextensions.k8s.io/v1": ("CustomResourceDefinition",),
    "apps/v1": ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"),
    "batch/v1": ("CronJob", "Job"),
    "node.k8s.io/v1": ("RuntimeClass",),
    "resource.k8s.io/v1": (
        *("DeviceClass", "DeviceTaintRule", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"),
    ),
    "scheduling.k8s.io/v1": ("PriorityClass",),
    "scheduling.k8s.io/v1beta1": ("PodGroup",),
}
VERSIONS = {kind: version for version, kinds in _GROUPS.items() for kind in kinds}
"""The API version of each kind that is not of `v1`."""


def item(
    kind: str, name: str, namespace: str = "", *, version: str = "", metadata: Item | None = None, **parts: Any
) -> Item:
    """Return an object; `metadata` is what its metadata has beside the name, `parts` are its other fields."""
    named = {"name": name, **({"namespace": namespace} if namespace else {}), **(metadata or {})}
    return {"apiVersion": version or VERSIONS.get(kind, "v1"), "kind": kind, "metadata": named, **parts}


def owner(kind: str, name: str, uid: str) -> Item:
    """Return the reference to the controller of an object."""
    return {"apiVersion": VERSIONS.get(kind, "v1"), "kind": kind, "name": name, "uid": uid, "controller": True}


def node(name: str, spec: Item | None = None, **status: Any) -> Item:
    """Return a node with the label of its name."""
    made = item("Node", name, metadata={"labels": {"kubernetes.io/hostname": name}}, status=status)
    return made if spec is None else {**made, "spec": spec}


def device_class(name: str, driver: str = "", **spec: Any) -> Item:
    """Return the class of all devices of a driver, by default of the driver with its name."""
    selectors = [{"cel": {"expression": f'device.driver == "{driver or name}"'}}]
    return item("DeviceClass", name, spec={**spec, "selectors": selectors})


def slice_of(driver: str, node_name: str, devices: list[Item], *, name: str = "", count: int = 1, **spec: Any) -> Item:
    """Return a slice of a node, whose pool has the name of the node and so many slices."""
    pool = {"name": node_name, "generation": 1, "resourceSliceCount": count}
    whole = {"driver": driver, "nodeName": node_name, "pool": pool, "devices": devices, **spec}
    return item("ResourceSlice", name or f"{node_name}-{driver}", spec=whole)


def quota(name: str, namespace: str, hard: dict[str, str], **parts: Any) -> Item:
    """Return a quota."""
    return item("ResourceQuota", name, namespace, spec={"hard": hard}, **parts)


def template(name: str, namespace: str, *requests: Item) -> Item:
    """Return a template of claims with these requests."""
    return item("ResourceClaimTemplate", name, namespace, spec={"spec": {"devices": {"requests": [*requests]}}})


def claim(name: str, namespace: str, *requests: Item, metadata: Item | None = None, **parts: Any) -> Item:
    """Return a claim with these requests."""
    spec = {"devices": {"requests": [*requests]}}
    return item("ResourceClaim", name, namespace, metadata=metadata, spec=spec, **parts)


def definition(kind: str, group: str, version: str = "v1", **schema: Any) -> Item:
    """Return the definition of a kind, whose objects have this schema."""
    plural = f"{kind.lower()}s"
    whole = {"openAPIV3Schema": {"type": "object", **schema}}
    spec = {
        "group": group,
        "names": {"kind": kind, "plural": plural},
        "scope": "Namespaced",
        "versions": [{"name": version, "served": True, "storage": True, "schema": whole}],
    }
    return item("CustomResourceDefinition", f"{plural}.{group}", spec=spec)


def generated(pod: str, uid: str, entry: str) -> Item:
    """Return what the metadata of a claim has that was generated for an entry of a Pod."""
    annotations = {"resource.kubernetes.io/pod-claim-name": entry}
    return {"annotations": annotations, "ownerReferences": [owner("Pod", pod, uid)]}


def allocated(on: str, pod: str, uid: str, results: list[Item], time: str) -> Item:
    """Return the status of a claim that has devices of a node, reserved for a Pod."""
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [on]}]}]
    allocation = {"devices": {"results": results}, "nodeSelector": {"nodeSelectorTerms": terms}}
    return {
        "allocation": {**allocation, "allocationTimestamp": time},
        "reservedFor": [{"resource": "pods", "name": pod, "uid": uid}],
    }
