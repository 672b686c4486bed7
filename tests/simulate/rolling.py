"""Live workloads with devices, as the server has them, and what becomes of them when manifests are applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.problem import dict_of
from dralint.simulate.answers import question
from dralint.simulate.behaviours import behaviour
from dralint.simulate.cluster import Cluster
from dralint.simulate.questions import Questions, workloads_of
from dralint.simulate.server import ApiServer
from tests.newest import NEWEST

if TYPE_CHECKING:
    from collections.abc import Mapping

Item = dict[str, Any]

NOW = "2026-06-01T12:00:00Z"
VERSION = "resource.k8s.io/v1"
GPU = "gpu.example.com"
RESOURCE = "example.com/gpu"
TEMPLATED = {"name": "gpu", "resourceClaimTemplateName": "one"}
CLASS: Item = {
    "apiVersion": VERSION,
    "kind": "DeviceClass",
    "metadata": {"name": GPU},
    "spec": {"extendedResourceName": RESOURCE, "selectors": [{"cel": {"expression": f'device.driver == "{GPU}"'}}]},
}


def template(count: int = 1, name: str = "one") -> Item:
    """Return a ResourceClaimTemplate; the first one is that of all workloads."""
    return {
        "apiVersion": VERSION,
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": "team"},
        "spec": {"spec": {"devices": {"requests": [_request(count)]}}},
    }


def _request(count: int, device_class: str = GPU) -> Item:
    exactly = {"deviceClassName": device_class, "allocationMode": "ExactCount", "count": count}
    return {"name": "gpu", "exactly": exactly}


def node(name: str, number: int, **spec: Any) -> list[Item]:
    """Return a node with a number of devices."""
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name}}
    there = {"allocatable": {"cpu": "64", "memory": "256Gi", "pods": "110"}}
    made = {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": there}
    return [made, slice_of(name, number)]


def slice_of(name: str, number: int) -> Item:
    """Return the slice of a node."""
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    devices = [{"name": f"gpu-{at}"} for at in range(number)]
    spec = {"driver": GPU, "nodeName": name, "pool": pool, "devices": devices}
    return {"apiVersion": VERSION, "kind": "ResourceSlice", "metadata": {"name": f"{name}-gpu"}, "spec": spec}


def pod_spec(image: str = "app:1", *, extended: bool = False, count: int = 1, **more: Any) -> Item:
    """Return the spec of a Pod with a claim, or with an extended resource."""
    if extended:
        amounts = {RESOURCE: str(count)}
        return {"containers": [{"name": "main", "image": image, "resources": {"limits": amounts}}], **more}
    container = {"name": "main", "image": image, "resources": {"claims": [{"name": "gpu"}]}}
    return {"resourceClaims": [TEMPLATED], "containers": [container], **more}


def workload(kind: str, spec: Item, pod: Item | None = None, name: str = "web") -> Item:
    """Return a workload, as a manifest has it."""
    inner: Item = {"metadata": {"labels": {"app": name}}, "spec": pod or pod_spec()}
    if kind == "Job":
        inner["spec"] = {**inner["spec"], "restartPolicy": "Never"}
    else:
        spec = {"selector": {"matchLabels": {"app": name}}, **spec}
    return {
        "apiVersion": "batch/v1" if kind == "Job" else "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "team"},
        "spec": {**spec, "template": inner},
    }


def running(
    of: Item,
    name: str,
    on: str,
    *devices: str,
    owned: bool = True,
    count: int = 1,
    device_class: str = GPU,
    time: str = NOW,
) -> list[Item]:
    """Return a Pod of a workload that runs on a node, and its claim; without a node, one that waits for `count`."""
    kind, owner = of["kind"], of["metadata"]["name"]
    spec = of["spec"]["template"]["spec"]
    metadata: Item = {"name": name, "namespace": "team", "uid": f"uid-{name}", "creationTimestamp": time}
    metadata["labels"] = dict(of["spec"]["template"]["metadata"]["labels"])
    reference = {"apiVersion": of["apiVersion"], "kind": kind, "name": owner, "uid": f"uid-{owner}", "controller": True}
    if kind == "Deployment":
        metadata["labels"]["pod-template-hash"] = "5d97"
        reference.update(kind="ReplicaSet", name=f"{owner}-5d97")
    if owned:
        metadata["ownerReferences"] = [reference]
    extended = "resourceClaims" not in spec
    claim_name = f"{name}-extended-resources-x" if extended else f"{name}-gpu-x"
    status: Item = {"phase": "Running" if on else "Pending"}
    if extended and on:
        mapping = {"containerName": "main", "resourceName": RESOURCE, "requestName": "gpu"}
        status["extendedResourceClaimStatus"] = {"resourceClaimName": claim_name, "requestMappings": [mapping]}
    elif not extended:
        status["resourceClaimStatuses"] = [{"name": "gpu", "resourceClaimName": claim_name}]
    spec = {**spec, **({"nodeName": on} if on else {})}
    made = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}
    mark = {"resource.kubernetes.io/extended-resource-claim": "true"} if extended else {}
    claim = {
        "apiVersion": VERSION,
        "kind": "ResourceClaim",
        "metadata": {
            "name": claim_name,
            "namespace": "team",
            "annotations": mark or {"resource.kubernetes.io/pod-claim-name": "gpu"},
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": f"uid-{name}", "controller": True}
            ],
        },
        "spec": {"devices": {"requests": [_request(len(devices) or count, device_class)]}},
        "status": _allocated(name, on, devices, time) if on else {},
    }
    return [made, claim] if on or not extended else [made]


def _allocated(name: str, on: str, devices: tuple[str, ...], time: str) -> Item:
    results = [{"request": "gpu", "driver": GPU, "pool": on, "device": device} for device in devices]
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [on]}]}]
    allocation = {"devices": {"results": results}, "nodeSelector": {"nodeSelectorTerms": terms}}
    return {
        "allocation": {**allocation, "allocationTimestamp": time},
        "reservedFor": [{"resource": "pods", "name": name, "uid": f"uid-{name}"}],
    }


def pod_alone(name: str, pod: Item | None = None) -> Item:
    """Return a Pod of a manifest."""
    metadata = {"name": name, "namespace": "team"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod or pod_spec()}


class Rolling(Questions):
    """Questions that note the Pods that end."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.ended: set[str] = set()

    def end(self, pod: Mapping[str, Any]) -> None:
        self.ended.add(pod["metadata"]["name"])
        super().end(pod)


def applied(
    there: list[Item], manifests: list[Item], release: Any = NEWEST, **gates: bool
) -> tuple[Rolling, ApiServer, list[Any]]:
    """Return the questions on a cluster after manifests are applied, the server, and the workloads of the manifests."""
    how = behaviour(release, gates)
    cluster, own = Cluster(), Cluster()
    for item in there:
        cluster.add(item)
    server = ApiServer(cluster, how)
    taken = []
    for item in manifests:
        key = server.apply(item)
        if key is not None:
            own.objects[key] = cluster.objects[key]
            taken.append(item)
    return Rolling(cluster, how, quotas=server.quotas), server, workloads_of(own, taken, "default")


def simulate(there: list[Item], manifests: list[Item], release: Any = NEWEST, **gates: bool) -> dict[str, Item]:
    """Return the answers of `simulate --sequence` by the names of the objects, and the refusals of the server."""
    questions, server, workloads = applied(there, manifests, release, **gates)
    made = {answer.id.rpartition("/")[2]: question(answer) for answer in questions.sequence(workloads)}
    made.update({name: {"refused": said} for (_, _, name), said in server.refused.items()})
    return made


def placed(answer: Item) -> int:
    """Return how many Pods of an answer are placed."""
    replicas = dict_of(answer.get("replicas"))
    return sum(replicas["placed"].values()) if replicas else int(answer["placed"] is not None)
