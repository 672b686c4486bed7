"""A made-up cluster, as a dump: two drivers, thirty nodes, a hundred Pods, and what a test breaks in it."""

from __future__ import annotations

import json
from typing import Any

GROUP = "resource.k8s.io/v1"


def node(name: str, kubelet: str = "v1.36.3") -> dict[str, Any]:
    """Return a node."""
    status = {"nodeInfo": {"kubeletVersion": kubelet}, "allocatable": {"cpu": "64", "memory": "256Gi", "pods": "110"}}
    labels = {"kubernetes.io/hostname": name}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}


def slice_of(driver: str, node_name: str, number: int, count: int = 1) -> dict[str, Any]:
    """Return the slice of a driver with that many devices."""
    devices = [{"name": f"dev-{n}", "attributes": {"model": {"string": "a"}}} for n in range(number)]
    pool = {"name": node_name, "generation": 1, "resourceSliceCount": count}
    spec = {"driver": driver, "nodeName": node_name, "pool": pool, "devices": devices}
    name = f"{node_name}-{driver}"
    return {"apiVersion": GROUP, "kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec}


def device_class(driver: str) -> dict[str, Any]:
    """Return the class of a driver."""
    spec = {"selectors": [{"cel": {"expression": f'device.driver == "{driver}"'}}]}
    return {"apiVersion": GROUP, "kind": "DeviceClass", "metadata": {"name": driver}, "spec": spec}


def claim(name: str, driver: str, count: int = 1, devices: tuple[tuple[str, str], ...] = ()) -> dict[str, Any]:
    """Return a claim; `devices` are those that it has, as (pool, name)."""
    request = {"name": "r", "exactly": {"deviceClassName": driver, "allocationMode": "ExactCount", "count": count}}
    made: dict[str, Any] = {
        "apiVersion": GROUP,
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "team", "uid": f"uid-{name}"},
        "spec": {"devices": {"requests": [request]}},
    }
    if devices:
        results = [{"driver": driver, "pool": pool, "device": device, "request": "r"} for pool, device in devices]
        allocation = {"devices": {"results": results}, "allocationTimestamp": "2026-01-01T00:00:00Z"}
        reserved = [{"resource": "pods", "name": name, "uid": f"pod-{name}"}]
        made["status"] = {"allocation": allocation, "reservedFor": reserved}
    return made


def pod(name: str, node_name: str | None = None, claim_name: str | None = None) -> dict[str, Any]:
    """Return a Pod; without a node it waits."""
    container: dict[str, Any] = {"name": "main", "image": "i", "resources": {"requests": {"cpu": "100m"}}}
    spec: dict[str, Any] = {"containers": [container]}
    if claim_name is not None:
        spec["resourceClaims"] = [{"name": "c", "resourceClaimName": claim_name}]
        container["resources"]["claims"] = [{"name": "c"}]
    if node_name is not None:
        spec["nodeName"] = node_name
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "team", "uid": f"pod-{name}"},
        "spec": spec,
        "status": {"phase": "Pending" if node_name is None else "Running"},
    }


def healthy() -> list[dict[str, Any]]:
    """Return the objects of a cluster in which nothing is wrong."""
    names = [f"node-{n:02}" for n in range(30)]
    out: list[dict[str, Any]] = [node(name) for name in names]
    for driver in ("gpu.example.com", "nic.example.com"):
        out.append(device_class(driver))
        out += [slice_of(driver, name, 4) for name in names]
    for number in range(60):
        name, on = f"job-{number:02}", names[number % 30]
        out.append(claim(name, "gpu.example.com", devices=((on, f"dev-{number // 30}"),)))
        out.append(pod(name, on, name))
    out += [pod(f"web-{number:02}", names[number % 30]) for number in range(40)]
    for kind in ("Namespace", "ResourceQuota", "ResourceClaimTemplate"):
        version = "v1" if kind in ("Namespace", "ResourceQuota") else GROUP
        out.append({"apiVersion": version, "kind": kind, "metadata": {"name": "team", "namespace": "team"}, "spec": {}})
    return out


def secret() -> dict[str, Any]:
    """Return a Secret."""
    data = {"token": "c2VjcmV0LXRva2Vu"}
    return {"apiVersion": "v1", "data": data, "kind": "Secret", "metadata": {"name": "s", "namespace": "team"}}


def as_list(objects: list[dict[str, Any]]) -> str:
    """Return the objects as `kubectl get -o json` writes them."""
    return json.dumps({"apiVersion": "v1", "items": objects, "kind": "List", "metadata": {}}, indent=4)
