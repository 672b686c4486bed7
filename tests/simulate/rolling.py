"""Live workloads with devices, as the server has them, and what becomes of them when manifests are applied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dralint.finding.problem import dict_of
from dralint.simulate.answers import question
from dralint.simulate.behaviours import behaviour
from dralint.simulate.cluster import Cluster
from dralint.simulate.questions import Questions, workloads_of
from dralint.simulate.server import ApiServer
from tests import objects
from tests.newest import NEWEST
from tests.objects import Item, item, owner

NOW = "2026-06-01T12:00:00Z"
GPU = "gpu.example.com"
RESOURCE = "example.com/gpu"
TEMPLATED = {"name": "gpu", "resourceClaimTemplateName": "one"}
CLASS = objects.device_class(GPU, extendedResourceName=RESOURCE)


def template(count: int = 1, name: str = "one") -> Item:
    """Return a ResourceClaimTemplate; the first one is that of all workloads."""
    return objects.template(name, "team", _request(count))


def _request(count: int, device_class: str = GPU) -> Item:
    exactly = {"deviceClassName": device_class, "allocationMode": "ExactCount", "count": count}
    return {"name": "gpu", "exactly": exactly}


def node(name: str, number: int, **spec: Any) -> list[Item]:
    """Return a node with a number of devices."""
    return [objects.node(name, spec, allocatable=objects.ROOM), slice_of(name, number)]


def slice_of(name: str, number: int) -> Item:
    """Return the slice of a node."""
    return objects.slice_of(GPU, name, [{"name": f"gpu-{at}"} for at in range(number)], name=f"{name}-gpu")


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
    return item(kind, name, "team", spec={**spec, "template": inner})


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
    kind, workload_name = of["kind"], of["metadata"]["name"]
    spec = of["spec"]["template"]["spec"]
    metadata: Item = {"uid": f"uid-{name}", "creationTimestamp": time}
    metadata["labels"] = dict(of["spec"]["template"]["metadata"]["labels"])
    reference = owner(kind, workload_name, f"uid-{workload_name}")
    if kind == "Deployment":
        metadata["labels"]["pod-template-hash"] = "5d97"
        reference.update(kind="ReplicaSet", name=f"{workload_name}-5d97")
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
    made = item("Pod", name, "team", metadata=metadata, spec=spec, status=status)
    its = objects.generated(name, f"uid-{name}", "gpu")
    if extended:
        its["annotations"] = {"resource.kubernetes.io/extended-resource-claim": "true"}
    results = [{"request": "gpu", "driver": GPU, "pool": on, "device": device} for device in devices]
    request = _request(len(devices) or count, device_class)
    has = objects.allocated(on, name, f"uid-{name}", results, time) if on else {}
    claim = objects.claim(claim_name, "team", request, metadata=its, status=has)
    return [made, claim] if on or not extended else [made]


def pod_alone(name: str, pod: Item | None = None) -> Item:
    """Return a Pod of a manifest."""
    return item("Pod", name, "team", spec=pod or pod_spec())


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
    for one in there:
        cluster.add(one)
    server = ApiServer(cluster, how)
    taken = []
    for one in manifests:
        key = server.apply(one)
        if key is not None:
            own.objects[key] = cluster.objects[key]
            taken.append(one)
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
