"""A cluster to try things on: 50 nodes, two drivers, partitions, shares, 200 Pods, quotas and a taint rule.

`python -m tests.simulate.made_cluster > dump.yaml` writes it as kubectl dumps one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.fleet import write
from tests import objects
from tests.objects import Item, item

GPU, NIC = "gpu.example.com", "nic.example.com"
NOW = "2026-06-01T12:00:00Z"


def made(kind: str, name: str, namespace: str = "", **parts: Any) -> Item:
    """Return an object as the server has it."""
    metadata = {"uid": f"{kind}-{namespace}-{name}".lower(), "creationTimestamp": NOW, **parts.pop("metadata", {})}
    return item(kind, name, namespace, metadata=metadata, **parts)


def names() -> list[str]:
    """Return the names of the nodes."""
    return [f"node-{number:02}" for number in range(1, 51)]


def nodes() -> Iterator[Item]:
    """Yield the nodes: two are cordoned, one is kept for a team."""
    for number, name in enumerate(names(), 1):
        spec: Item = {"unschedulable": True} if number in (3, 4) else {}
        if number == 5:
            spec = {"taints": [{"key": "example.com/team", "value": "ops", "effect": "NoSchedule"}]}
        amounts = {"cpu": "64", "memory": "512Gi", "pods": "110"}
        labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{number % 3}"}
        info = {"kubeletVersion": "v1.37.0"}
        yield made(
            "Node",
            name,
            metadata={"labels": labels},
            spec=spec,
            status={"allocatable": amounts, "nodeInfo": info},
        )


def slice_of(driver: str, node: str, devices: list[Item], count: int = 1, part: str = "", **more: Any) -> Item:
    """Return a ResourceSlice of a node."""
    pool = {"name": node, "generation": 1, "resourceSliceCount": count}
    spec = {"driver": driver, "nodeName": node, "pool": pool, **more}
    return made("ResourceSlice", f"{node}-{driver}{part}", spec={**spec, **({"devices": devices} if devices else {})})


def slices() -> Iterator[Item]:
    """Yield what the drivers publish: whole GPUs on 40 nodes, GPUs with halves on ten, one shared NIC on each."""
    for number, node in enumerate(names(), 1):
        model = "h100" if number % 4 == 0 else "a100"
        attributes = {"model": {"string": model}, "driverVersion": {"version": "580.1.0"}}
        if number <= 40:
            gpus: list[Item] = [
                {
                    "name": f"gpu-{index}",
                    "attributes": {**attributes, "uuid": {"string": f"GPU-{number:02}-{index}"}},
                    "capacity": {"memory": {"value": "80Gi"}},
                }
                for index in range(8)
            ]
            yield slice_of(GPU, node, gpus)
        else:
            parts = [("gpu-0", "80Gi"), ("gpu-0-half-0", "40Gi"), ("gpu-0-half-1", "40Gi")]
            gpus = [
                {
                    "name": name,
                    "attributes": {**attributes, "profile": {"string": size}},
                    "capacity": {"memory": {"value": size}},
                    "consumesCounters": [{"counterSet": "gpu-0", "counters": {"memory": {"value": size}}}],
                }
                for name, size in parts
            ]
            counters = [{"name": "gpu-0", "counters": {"memory": {"value": "80Gi"}}}]
            yield slice_of(GPU, node, [], 2, "-counters", sharedCounters=counters)
            yield slice_of(GPU, node, gpus, 2)
        policy = {"default": "10G", "validRange": {"min": "1G", "step": "1G"}}
        nic = {
            "name": "nic-0",
            "allowMultipleAllocations": True,
            "attributes": {"speed": {"string": "100G"}},
            "capacity": {"bandwidth": {"value": "100G", "requestPolicy": policy}},
        }
        yield slice_of(NIC, node, [nic])


def exactly(name: str, device_class: str, count: int = 1, **more: Any) -> Item:
    """Return a request."""
    asked = {"deviceClassName": device_class, "allocationMode": "ExactCount", "count": count, **more}
    return {"name": name, "exactly": asked}


TEMPLATES = {
    ("team-a", "train"): [exactly("gpu", "gpu", 2)],
    ("team-b", "infer"): [exactly("gpu", "gpu"), exactly("nic", "nic", capacity={"requests": {"bandwidth": "20G"}})],
    ("team-c", "batch"): [exactly("gpu", "gpu", 4)],
    ("team-d", "whole-node"): [exactly("gpu", "gpu", 8)],
    ("team-d", "half"): [
        exactly(
            "gpu",
            "gpu",
            selectors=[{"cel": {"expression": f'device.attributes["{GPU}"].?profile.orValue("") == "40Gi"'}}],
        )
    ],
}


def shared() -> Iterator[Item]:
    """Yield classes, templates, namespaces, quotas and the taint rule."""
    for name, driver in (("gpu", GPU), ("nic", NIC)):
        selectors = [{"cel": {"expression": f'device.driver == "{driver}"'}}]
        yield made("DeviceClass", name, spec={"selectors": selectors})
    for namespace in ("team-a", "team-b", "team-c", "team-d", "ops"):
        labels = {"resource.kubernetes.io/admin-access": "true"} if namespace == "ops" else {}
        yield made("Namespace", namespace, metadata={"labels": labels}, status={"phase": "Active"})
    for (namespace, name), requests in TEMPLATES.items():
        yield made("ResourceClaimTemplate", name, namespace, spec={"spec": {"devices": {"requests": requests}}})
    key = "gpu.deviceclass.resource.k8s.io/devices"
    hard, used = {key: "130", "pods": "80"}, {key: "120", "pods": "60"}
    yield made("ResourceQuota", "gpus", "team-a", spec={"hard": hard}, status={"hard": hard, "used": used})
    taint = {"key": "example.com/unhealthy", "value": "xid79", "effect": "NoExecute", "timeAdded": NOW}
    spec: Item = {"deviceSelector": {"driver": GPU, "pool": "node-07"}, "taint": taint}
    yield made("DeviceTaintRule", "bad-firmware", spec=spec)
    for namespace, name, number in (("team-a", "train", 60), ("team-b", "infer", 60)):
        template = {"metadata": {"labels": {"app": name}}, "spec": pod_spec(name)}
        spec = {"replicas": number, "selector": {"matchLabels": {"app": name}}, "template": template}
        yield made("Deployment", name, namespace, spec=spec)


def pod_spec(template: str) -> Item:
    """Return the spec of a Pod that uses a template."""
    container = {
        "name": "main",
        "image": "app",
        "resources": {"claims": [{"name": "devices"}], "requests": {"cpu": "2", "memory": "8Gi"}},
    }
    return {"resourceClaims": [{"name": "devices", "resourceClaimTemplateName": template}], "containers": [container]}


def pods() -> Iterator[Item]:
    """Yield 150 Pods that run with their claims, 30 that wait, and 20 without claims."""
    free = {node: [f"gpu-{index}" for index in range(8)] for node in names()[:40]}
    for namespace, template, number, gpus in (
        ("team-c", "batch", 30, 4),
        ("team-a", "train", 60, 2),
        ("team-b", "infer", 60, 1),
    ):
        for index in range(number):
            node = next(node for node, left in free.items() if len(left) >= gpus)
            taken, free[node] = free[node][:gpus], free[node][gpus:]
            yield from running(namespace, template, index, node, taken)
    for index in range(30):
        template = "whole-node" if index < 25 else "half"
        name = f"{template}-{index}"
        yield made("Pod", name, "team-d", spec=pod_spec(template), status={"phase": "Pending"})
    for index in range(20):
        spec = {"nodeName": names()[index], "containers": [{"name": "main", "image": "app"}]}
        yield made("Pod", f"plain-{index}", "ops", spec=spec, status={"phase": "Running"})


def running(namespace: str, template: str, index: int, node: str, taken: list[str]) -> Iterator[Item]:
    """Yield a Pod that runs, and its claim."""
    name = f"{template}-5d97-{index:02}" if namespace != "team-c" else f"{template}-{index:02}"
    metadata: Item = {"labels": {"app": template}}
    if namespace != "team-c":
        metadata["labels"]["pod-template-hash"] = "5d97"
        metadata["ownerReferences"] = [objects.owner("ReplicaSet", f"{template}-5d97", f"rs-{template}")]
    claim = f"{name}-devices-x"
    status = {"phase": "Running", "resourceClaimStatuses": [{"name": "devices", "resourceClaimName": claim}]}
    pod = made("Pod", name, namespace, metadata=metadata, spec={**pod_spec(template), "nodeName": node}, status=status)
    yield pod
    results: list[Item] = [{"request": "gpu", "driver": GPU, "pool": node, "device": device} for device in taken]
    if template == "infer":
        share = {"shareID": f"0000{index:04}", "consumedCapacity": {"bandwidth": "20G"}}
        results.append({"request": "nic", "driver": NIC, "pool": node, "device": "nic-0", **share})
    uid = pod["metadata"]["uid"]
    spec = {"devices": {"requests": TEMPLATES[namespace, template]}}
    has = objects.allocated(node, name, uid, results, NOW)
    its = objects.generated(name, uid, "devices")
    yield made("ResourceClaim", claim, namespace, metadata=its, spec=spec, status=has)


def cluster() -> Iterator[Item]:
    """Yield all objects."""
    yield from shared()
    yield from nodes()
    yield from slices()
    yield from pods()


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "/dev/stdout"), cluster(), yaml=True)
