"""Random cases of several objects: a cluster with devices, to which Pods, workloads, claims and quotas are applied."""

from __future__ import annotations

import copy
import random
from typing import TYPE_CHECKING, Any

from conformance.allocation.cases import GPU, on_by_default, traits_of, with_traits
from dralint.kubernetes.release import Release

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from conformance.allocation.cases import Cluster, Trait

Object = dict[str, Any]
Case = dict[str, Any]

NODES = ("node-a", "node-b", "node-c")
"""The nodes that there can be, by name: of equal ones the scheduler takes the first."""

_ALLOCATION_ALONE = ("binding", "gate_off", "skipped_operations", "states")
"""Traits that need what a kubelet or a driver writes, or objects of a server that had other gates."""
RULES = {34: "resource.k8s.io/v1alpha3", 35: "resource.k8s.io/v1alpha3"}
_V1 = "resource.k8s.io/v1"
POD_TEMPLATE_KINDS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")
_NODE_TAINT = {"key": "example.com/reserved", "value": "team", "effect": "NoSchedule"}


def cases(release: str, seed: str, count: int, gates: Mapping[str, bool]) -> Iterator[Case]:
    """Yield `count` cases for servers with these gates besides the defaults. The same seed gives the same cases."""
    rng = random.Random(f"{seed}/{release}")
    judged = Release.parse(release)
    known = [
        one
        for one in traits_of(judged)
        if one.name not in _ALLOCATION_ALONE and on_by_default(set(one.gates) - set(gates), judged)
    ]
    for number in range(count):
        case = None
        while case is None:
            case = _case(rng, judged, f"case-{number}", rng.sample(known, rng.choice((0, 0, 1, 1, 2))), gates)
        yield {"id": f"{seed}/{number}", **case}


def _case(
    rng: random.Random, release: Release, namespace: str, chosen: list[Trait], gates: Mapping[str, bool]
) -> Case | None:
    cluster = with_traits(rng, release, chosen)
    if cluster is None or not on_by_default(cluster.needs - set(gates), release):
        return None
    scene = Scene(rng, cluster, namespace)
    scene.furnish()
    # Their order matters: Pods that run before have the present nodes and Pods, and none of the mistakes.
    for twist in sorted(rng.sample(_TWISTS, rng.choice((0, 1, 1, 2))), key=_TWISTS.index):
        twist(scene)
        scene.twists.append(twist.__name__.strip("_"))
    scene.put_pods_first()
    traits = sorted([*(one.name for one in chosen), *scene.twists])
    return {"traits": traits, "namespace": namespace, "before": scene.before(), "applied": scene.applied}


class Scene:
    """The objects in a cluster before, and those that are applied then."""

    def __init__(self, rng: random.Random, cluster: Cluster, namespace: str) -> None:
        self.rng, self.cluster, self.namespace = rng, cluster, namespace
        self.twists: list[str] = []
        self.labels: dict[str, str] = {}
        if any(request_is_admin(request) for claim in cluster.claims for request in _requests(claim)):
            self.labels = {} if self.sometimes(0.15) else {"resource.kubernetes.io/admin-access": "true"}
        self.nodes = [self._node(one) for one in sorted(cluster.nodes, key=lambda one: str(one["name"]))]
        self.classes = [self.object(_V1, "DeviceClass", **one) for one in cluster.classes]
        rules = RULES.get(cluster.minor, "resource.k8s.io/v1beta2")
        self.rules = [
            self.object(rules, "DeviceTaintRule", metadata={"name": f"rule-{number}"}, **one)
            for number, one in enumerate(cluster.rules)
        ]
        self.used = [
            self._claim(one["metadata"]["name"], one["spec"]) | {"status": one["status"]}
            for one in cluster.claims
            if one["metadata"]["name"] not in cluster.own and "status" in one
        ]
        self.wanted = {one["metadata"]["name"]: one["spec"] for one in cluster.claims}
        self.running: list[Object] = []
        self.applied: list[Object] = []

    def sometimes(self, part: float = 0.5) -> bool:
        """Return true in this part of all cases."""
        return self.rng.random() < part

    def object(self, api_version: str, kind: str, **fields: Any) -> Object:
        """Return an object; one of the case's namespace gets its name."""
        return {"apiVersion": api_version, "kind": kind, **copy.deepcopy(fields)}

    def before(self) -> list[Object]:
        """Return the earlier objects, in an order in which they can be created."""
        there = self.object("v1", "Namespace", metadata={"name": self.namespace, "labels": self.labels})
        slices = [self.object(_V1, "ResourceSlice", **one) for one in self.cluster.slices]
        return [there, *self.nodes, *self.classes, *slices, *self.used, *self.rules, *self.running]

    def furnish(self) -> None:
        """Apply the claims and templates of the case, and some Pods and workloads that use them."""
        for name in self.cluster.own:
            self.applied.append(self._claim(name, self.wanted[name]))
            self.applied.append(self.template(f"{name}-template", self.wanted[name]))
        for number in range(self.rng.choice((1, 1, 2, 2, 3))):
            self.applied.append(self.workload(f"app-{number}", self.pod()))

    def template(self, name: str, spec: Object) -> Object:
        """Return a template of claims."""
        return self.object(_V1, "ResourceClaimTemplate", metadata=self._named(name), spec={"spec": spec})

    def pod(self) -> Object:
        """Return the spec of a Pod with some of the claims."""
        spec = copy.deepcopy(self.cluster.spec)
        own = [] if self.cluster.references == [] else self.cluster.own
        names = self.rng.sample(own, min(len(own), self.rng.choice((1, 1, 2))))
        references = [
            _from_template(name) if self.sometimes(0.65) else {"name": name, "resourceClaimName": name}
            for name in names
        ]
        if references:
            spec["resourceClaims"] = references
            claims = [{"name": one["name"]} for one in references]
            spec["containers"][0].setdefault("resources", {})["claims"] = claims
        return spec

    def workload(self, name: str, pod: Object, kind: str | None = None) -> Object:
        """Return a Pod, or a workload with such Pods."""
        kind = kind or self.rng.choice(("Pod", "Pod", "Pod", *POD_TEMPLATE_KINDS))
        if kind == "Pod":
            return self.object("v1", "Pod", metadata=self._named(name), spec=pod)
        if kind == "DaemonSet":  # its Pods come at once: it is random which of them would allocate a claim for all
            references = [one["name"] for one in pod.pop("resourceClaims", ())]
            pod |= {"resourceClaims": [_from_template(one) for one in references]} if references else {}
        labels = {"app": name}
        spec: Object = {"template": {"metadata": {"labels": labels}, "spec": pod}}
        if kind == "Job":
            pod["restartPolicy"] = "Never"
            spec |= {"parallelism": self.rng.choice((1, 2, 3)), "completions": self.rng.choice((1, 2, 4))}
            return self.object("batch/v1", kind, metadata=self._named(name), spec=spec)
        spec["selector"] = {"matchLabels": labels}
        if kind != "DaemonSet":
            spec["replicas"] = self.rng.choice((0, 1, 2, 2, 3, 4))
        if kind == "StatefulSet":
            spec |= {"serviceName": name, "podManagementPolicy": self.rng.choice(("Parallel", "OrderedReady"))}
        return self.object("apps/v1", kind, metadata=self._named(name), spec=spec)

    def pods(self) -> list[Object]:
        """Return the spec of the Pods of everything that is applied."""
        return [pod_of(one) for one in self.applied if one["kind"] in ("Pod", *POD_TEMPLATE_KINDS)]

    def put_pods_first(self) -> None:
        """Apply Pods before workloads, because it is random whether a controller makes its Pods before the next object
        comes."""
        places = [at for at, one in enumerate(self.applied) if one["kind"] in ("Pod", *POD_TEMPLATE_KINDS)]
        ordered = sorted((self.applied[at] for at in places), key=lambda one: bool(one["kind"] != "Pod"))
        for at, one in zip(places, ordered, strict=True):
            self.applied[at] = one

    def _node(self, said: Object) -> Object:
        allocatable = {"cpu": "8", "memory": "64Gi", "pods": "50", **said.get("allocatable", {})}
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready"}
        status = {"capacity": allocatable, "allocatable": allocatable, "conditions": [ready]}
        metadata = {"name": said["name"], "labels": {"kubernetes.io/os": "linux", **said["labels"]}}
        return self.object("v1", "Node", metadata=metadata, spec={}, status=status)

    def _named(self, name: str) -> Object:
        return {"name": name, "namespace": self.namespace}

    def _claim(self, name: str, spec: Object) -> Object:
        return self.object(_V1, "ResourceClaim", metadata=self._named(name), spec=spec)


def _from_template(name: str) -> Object:
    return {"name": name, "resourceClaimTemplateName": f"{name}-template"}


def pod_of(workload: Object) -> Object:
    """Return the spec of the Pod of a workload."""
    spec: Object = workload["spec"] if workload["kind"] == "Pod" else workload["spec"]["template"]["spec"]
    return spec


def request_is_admin(request: Object) -> bool:
    """Say whether a request is for admin access."""
    return bool(request.get("exactly", {}).get("adminAccess"))


def _requests(claim: Object) -> list[Object]:
    requests: list[Object] = claim["spec"]["devices"]["requests"]
    return requests


def _node_taints(scene: Scene) -> None:
    for node in scene.nodes:
        if scene.sometimes():
            node["spec"] = scene.rng.choice(
                ({"taints": [_NODE_TAINT]}, {"taints": [_NODE_TAINT]}, {"unschedulable": True})
            )
    for pod in scene.pods():
        if scene.sometimes():
            pod["tolerations"] = [{"key": _NODE_TAINT["key"], "operator": "Exists"}]


def _selected_nodes(scene: Scene) -> None:
    for pod in scene.pods():
        pod["nodeSelector"] = scene.rng.choice(
            ({"zone": "a"}, {"zone": "b"}, {"gpus": "8"}, {"kubernetes.io/hostname": scene.cluster.node()})
        )


def _small_nodes(scene: Scene) -> None:
    for node in scene.nodes:
        amounts = scene.rng.choice(({"pods": "1"}, {"pods": "2"}, {"cpu": "2"}, {"memory": "3Gi"}))
        node["status"] |= {"allocatable": node["status"]["allocatable"] | amounts}
    for pod in scene.pods():
        resources = pod["containers"][0].setdefault("resources", {})
        resources["requests"] = resources.get("requests", {}) | {"cpu": "1", "memory": "1Gi"}


def _quota(scene: Scene) -> None:
    name, most = scene.rng.choice(
        (
            ("count/resourceclaims.resource.k8s.io", (2, 3, 4)),
            ("gpu.deviceclass.resource.k8s.io/devices", (1, 2, 4, 8)),
            ("pods", (1, 2, 3)),
            ("count/pods", (1, 2, 3)),
        )
    )
    hard = {name: str(scene.rng.choice(most))}
    metadata = {"name": f"quota-{len(scene.twists)}", "namespace": scene.namespace}
    quota = scene.object("v1", "ResourceQuota", metadata=metadata, spec={"hard": hard})
    (scene.running if scene.sometimes() else scene.applied).insert(0, quota)


def _runs_before(scene: Scene) -> None:
    """Some of the applied objects already exist; the applied ones can have other numbers, or new Pods."""
    scene.running += [one for one in scene.applied if one["kind"] in ("ResourceClaim", "ResourceClaimTemplate")]
    old = [one for one in scene.applied if one["kind"] in ("Pod", *POD_TEMPLATE_KINDS)]
    for one in old[: scene.rng.choice((1, 2))]:
        scene.running.append(copy.deepcopy(one))
        if one["kind"] != "Job" and scene.sometimes(0.3):
            pod_of(one)["containers"][0]["image"] = "newer"
        if "replicas" in one["spec"] and scene.sometimes():
            one["spec"]["replicas"] = scene.rng.choice((0, 1, 2, 4))
        elif scene.sometimes(0.3):
            scene.applied.remove(one)
    if len(old) == 1:
        scene.applied.append(scene.workload("later", scene.pod()))


def _changed(scene: Scene) -> None:
    """An existing object is applied with another spec."""
    kind = scene.rng.choice(("claim", "template", "selector", "class"))
    name = scene.cluster.own[0]
    if kind == "class":
        changed = copy.deepcopy(scene.classes[0])
        changed["spec"]["selectors"] = [{"cel": {"expression": f'device.driver == "{GPU}" && false'}}]
        scene.applied.insert(0, changed)
        return
    other = {"devices": {"requests": [scene.cluster.request("other", "gpu", 1)]}}
    if kind == "claim":
        scene.running.append(
            scene.object(_V1, "ResourceClaim", metadata={"name": name, "namespace": scene.namespace}, spec=other)
        )
    elif kind == "template":
        scene.running.append(scene.template(f"{name}-template", other))
    else:
        there = scene.workload("changed", scene.pod(), "Deployment")
        there["spec"]["replicas"] = 0
        now = copy.deepcopy(there)
        now["spec"]["selector"] = {"matchLabels": {"app": "other"}}
        now["spec"]["template"]["metadata"]["labels"] = {"app": "other"}
        scene.running.append(there)
        scene.applied.append(now)


def _mistake(scene: Scene) -> None:
    """One of the objects names a missing one, or has a field that the API server refuses."""
    pods = [one for one in scene.pods() if one.get("resourceClaims")]
    kind = scene.rng.choice(("claim", "template", "class", "reference", "field", "twice", "count", "expression"))
    if kind in ("claim", "template", "reference", "twice") and not pods:
        kind = "class"
    templates = [one for one in scene.applied if one["kind"] == "ResourceClaimTemplate"]
    requests = templates[0]["spec"]["spec"]["devices"]["requests"]
    if kind == "claim":
        scene.rng.choice(pods)["resourceClaims"][0] = {"name": scene.cluster.own[0], "resourceClaimName": "absent"}
    elif kind == "template":
        scene.rng.choice(pods)["resourceClaims"][0] = {
            "name": scene.cluster.own[0],
            "resourceClaimTemplateName": "absent",
        }
    elif kind == "reference":
        scene.rng.choice(pods)["containers"][0]["resources"]["claims"] = [{"name": "absent"}]
    elif kind == "twice":
        pod = scene.rng.choice(pods)
        pod["resourceClaims"].append(pod["resourceClaims"][0])
    elif kind == "class":
        requests.append(scene.cluster.request("last", "absent", 1))
    elif kind == "field":
        requests[0]["deviceClass"] = "gpu"
    elif kind == "count":
        requests.append({"name": "last", "exactly": {"deviceClassName": "gpu", "count": 0, "allocationMode": "All"}})
    else:
        requests.append(scene.cluster.request("last", "gpu", 1, ['device.driver = "x"']))


def _drained(scene: Scene) -> None:
    """A rule is applied that taints devices, of Pods that run; Pods that come later keep away from them."""
    if not on_by_default(("DRADeviceTaintRules",), Release(1, scene.cluster.minor)):
        return
    if not scene.running:
        _runs_before(scene)
    node = scene.cluster.node()
    taint = {"key": "example.com/drained", "effect": scene.rng.choice(("NoExecute", "NoExecute", "NoSchedule"))}
    rule = scene.object(
        RULES.get(scene.cluster.minor, "resource.k8s.io/v1beta2"),
        "DeviceTaintRule",
        metadata={"name": "drain"},
        spec={"deviceSelector": {"driver": GPU, "pool": node}, "taint": taint},
    )
    scene.applied.insert(0, rule)


def _without_claims(scene: Scene) -> None:
    """A workload that wants no device is applied last: `simulate` gives it no room."""
    pod = {"containers": [{"name": "main", "image": "app"}]}
    scene.applied.append(scene.workload("plain", pod, scene.rng.choice(POD_TEMPLATE_KINDS)))


_TWISTS: tuple[Callable[[Scene], None], ...] = (
    _node_taints,
    _selected_nodes,
    _small_nodes,
    _quota,
    _quota,
    _runs_before,
    _runs_before,
    _changed,
    _mistake,
    _mistake,
    _drained,
    _without_claims,
)
