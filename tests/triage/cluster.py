"""A made-up cluster, as a dump: two drivers, thirty nodes, a hundred Pods, and what a test breaks in it."""

from __future__ import annotations

import json
from typing import Any

from tests import objects
from tests.objects import Item, device_class, item

__all__ = ["device_class"]


def node(name: str, kubelet: str = "v1.36.3") -> Item:
    """Return a node."""
    return objects.node(name, nodeInfo={"kubeletVersion": kubelet}, allocatable={**objects.ROOM})


def slice_of(driver: str, node_name: str, number: int, count: int = 1) -> Item:
    """Return the slice of a driver with that many devices."""
    devices = [{"name": f"dev-{n}", "attributes": {"model": {"string": "a"}}} for n in range(number)]
    return objects.slice_of(driver, node_name, devices, count=count)


def claim(name: str, driver: str, count: int = 1, devices: tuple[tuple[str, str], ...] = ()) -> Item:
    """Return a claim; `devices` are those that it has, as (pool, name)."""
    request = {"name": "r", "exactly": {"deviceClassName": driver, "allocationMode": "ExactCount", "count": count}}
    made = objects.claim(name, "team", request, metadata={"uid": f"uid-{name}"})
    if devices:
        results = [{"driver": driver, "pool": pool, "device": device, "request": "r"} for pool, device in devices]
        allocation = {"devices": {"results": results}, "allocationTimestamp": "2026-01-01T00:00:00Z"}
        reserved = [{"resource": "pods", "name": name, "uid": f"pod-{name}"}]
        made["status"] = {"allocation": allocation, "reservedFor": reserved}
    return made


def pod(name: str, node_name: str | None = None, claim_name: str | None = None) -> Item:
    """Return a Pod; without a node it waits."""
    container: dict[str, Any] = {"name": "main", "image": "i", "resources": {"requests": {"cpu": "100m"}}}
    spec: dict[str, Any] = {"containers": [container]}
    if claim_name is not None:
        spec["resourceClaims"] = [{"name": "c", "resourceClaimName": claim_name}]
        container["resources"]["claims"] = [{"name": "c"}]
    if node_name is not None:
        spec["nodeName"] = node_name
    status = {"phase": "Pending" if node_name is None else "Running"}
    return item("Pod", name, "team", metadata={"uid": f"pod-{name}"}, spec=spec, status=status)


def healthy() -> list[Item]:
    """Return the objects of a cluster in which nothing is wrong."""
    names = [f"node-{n:02}" for n in range(30)]
    out = [node(name) for name in names]
    for driver in ("gpu.example.com", "nic.example.com"):
        out.append(device_class(driver))
        out += [slice_of(driver, name, 4) for name in names]
    for number in range(60):
        name, on = f"job-{number:02}", names[number % 30]
        out.append(claim(name, "gpu.example.com", devices=((on, f"dev-{number // 30}"),)))
        out.append(pod(name, on, name))
    out += [pod(f"web-{number:02}", names[number % 30]) for number in range(40)]
    kinds = ("Namespace", "ResourceQuota", "ResourceClaimTemplate")
    return [*out, *(item(kind, "team", "team", spec={}) for kind in kinds)]


def secret() -> Item:
    """Return a Secret."""
    return item("Secret", "s", "team", data={"token": "c2VjcmV0LXRva2Vu"})


def as_list(items: list[Item]) -> str:
    """Return objects as `kubectl get -o json` writes them."""
    return json.dumps({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {}}, indent=4)
