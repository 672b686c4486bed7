"""Records what happens to several objects on a control plane: refused, made, scheduled or not, given devices, ended."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

from conformance import modules
from conformance.control_plane import written
from conformance.control_plane.cases import POD_TEMPLATE_KINDS, cases
from conformance.control_plane.servers import ControlPlane, Reply
from dralint.kubernetes.release import Release
from dralint.simulate.behaviours import every_gate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from conformance.control_plane.cases import Case, Object
    from conformance.recording import Row

SETS: dict[str, Callable[[Release], dict[str, bool]]] = {
    "default": lambda _: {},
    "all": every_gate,
    "groups": lambda release: dict.fromkeys(
        ("GenericWorkload", "DRAWorkloadResourceClaims", *(["GangScheduling"] if release < Release(1, 37) else [])),
        True,
    ),
    "gangs": lambda release: dict.fromkeys(
        ("GenericWorkload", *(["GangScheduling"] if release < Release(1, 37) else [])), True
    ),
    "switched": lambda release: {"MaxUnavailableStatefulSet": release < Release(1, 37)},
}
"""Sets of feature gates: those that are switched besides the defaults of a release."""

_QUIET, _QUIET_WITHOUT_NEWS = 0.4, 1.5
"""Seconds without a change after which nothing more comes: if all Pods are placed or say why not, if some lack claims.

While a Pod has its claims and says nothing, the scheduler searches.
"""
_QUIET_OF_GROUPS = 3.0
"""The same if Pods of a group wait: they say nothing before the group is complete, and the scheduler tries them again a
second after it has given up a claim of the group.
"""
_LONGEST = 30.0
_OFTEN = 0.05
_INFORMED = 0.2
"""Seconds in which every server has seen what the API server stored."""
_OK, _CREATED, _REFUSED = 200, 201, 300
_CORE, _RESOURCE, _APPS = "v1", "resource.k8s.io/v1", "apps/v1"
_POD, _CLAIM = (_CORE, "Pod"), (_RESOURCE, "ResourceClaim")
_OWNERS = ((_APPS, "Deployment"), (_APPS, "StatefulSet"), (_APPS, "DaemonSet"), ("batch/v1", "Job"))
_WORKLOADS = (*_OWNERS, (_APPS, "ReplicaSet"))
_RULES = tuple((f"resource.k8s.io/{version}", "DeviceTaintRule") for version in ("v1", "v1beta2", "v1alpha3"))
_OF_THE_CLUSTER = (*_RULES, (_RESOURCE, "ResourceSlice"), (_RESOURCE, "DeviceClass"), (_CORE, "Node"))
_NAMED = (("scheduling.k8s.io/v1", "PriorityClass"), ("node.k8s.io/v1", "RuntimeClass"))
"""Kinds of which every cluster has objects, or of which others have one for all cases."""
_GROUPS = tuple((f"scheduling.k8s.io/{version}", "PodGroup") for version in ("v1beta1", "v1alpha2"))
_OF_THE_NAMESPACE = (
    *(_CLAIM, (_RESOURCE, "ResourceClaimTemplate"), (_CORE, "ResourceQuota"), (_CORE, "LimitRange"), *_GROUPS),
    *(_POD, *_OWNERS),
)
"""With those of the cluster, the kinds that the help of `simulate` names."""
PREEMPTION = " preemption: "
"""What stands between the reasons of the nodes and what preemption says."""
_OF_A_GROUP = " pod group"
_OF_A_RACE = " in the meantime"
"""How an error ends after which the scheduler tries the Pod again."""
_AROUND = re.compile(
    r"0/\d+ nodes are available: (?P<refused>(?!\d+ ).*?)\.(?: no new claims to deallocate| still not schedulable)?"
    r'|running (?:PreFilter plugin "DynamicResources"|"DynamicResources" filter plugin): (?P<error>.*)'
)
"""What the scheduler writes around the words of a plugin that are not about single nodes."""
_RUNNING = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


def record(judge: str, release: str, seed: str, count: int, gates: Iterable[str]) -> Iterator[Row]:
    """Yield what becomes of `count` random cases, each with one of the sets of gates in turn."""
    minor = modules.minor(release)
    source, _, beginning = seed.partition(":")
    sets = list(SETS if source == written.SEED else gates)
    for number, name in enumerate(sets):
        switched = SETS[name](Release.parse(minor))
        if source == written.SEED:
            chosen = list(written.cases(minor, name, beginning))
        else:
            chosen = list(cases(minor, seed, count, switched))[number :: len(sets)]
        if not chosen:
            continue
        with ControlPlane(judge, release, switched) as servers:
            for case in chosen:
                row = Run(servers, case).row()
                if not servers.revived():  # otherwise the release does not outlive the case: some schedulers panic
                    yield {"gates": name, **row}


class Run:
    """One case on a control plane."""

    def __init__(self, servers: ControlPlane, case: Case) -> None:
        self._servers, self._case = servers, case
        self._namespace: str = case["namespace"]
        self._settled = True
        self._said: dict[str, str] = {}

    def row(self) -> Row:
        """Create everything, and return the result; nothing is left in the cluster."""
        try:
            for item in self._case["before"]:
                self._apply(item)
            self._settle()
            inventory = self._inventory()
            self._said.clear()
            refused = [
                {"kind": item["kind"], "name": item["metadata"]["name"], "says": reply.message}
                for item in self._case["applied"]
                if (reply := self._apply(item)).code >= _REFUSED
            ]
            self._settle()
            row = {"id": self._case["id"], "traits": self._case["traits"], "applied": self._case["applied"]}
            return row | {"inventory": inventory, "refused": refused, "settled": self._settled, **self._fate(inventory)}
        finally:
            self._clean()

    def _apply(self, item: Object) -> Reply:
        """Create an object, or change the one that is there, as `kubectl apply` does."""
        place = self._servers.path(item["apiVersion"], item["kind"], self._namespace)
        if not place:
            return Reply(404, {"message": f"no {item['kind']} in {item['apiVersion']}"})
        kind = item["kind"]
        if kind in ("Pod", *POD_TEMPLATE_KINDS):
            self._settle()
        named = f"{place}/{item['metadata']['name']}"
        there = self._servers.request("GET", named).code == _OK
        method, path = ("PATCH", named) if there else ("POST", place)
        reply = self._servers.request(method, f"{path}?fieldValidation=Strict", item)
        if reply.code == _CREATED and "status" in item:
            self._servers.request("PATCH", f"{named}/status", {"status": item["status"]})
        if kind == "ResourceQuota" and reply.code == _CREATED:
            self._wait(lambda: "hard" in self._servers.request("GET", named).body.get("status", {}))
        return reply

    def _wait(self, until: Callable[[], bool]) -> None:
        end = time.monotonic() + _LONGEST
        while not until() and time.monotonic() < end:
            time.sleep(_OFTEN)

    def _settle(self) -> None:
        """Wait until nothing changes, unless that took too long before; meanwhile do what kubelets would do."""
        if not self._settled:
            return
        time.sleep(_INFORMED)
        end = time.monotonic() + _LONGEST
        last, since = "", time.monotonic()
        while (now := time.monotonic()) < end:
            pods = self._items(_POD)
            self._kubelets(pods)
            self._listen(pods)
            claims = self._items(_CLAIM)
            state = json.dumps([_changing(one) for one in (*pods, *claims)], sort_keys=True)
            if state != last:
                last, since = state, now
            grouped = [pod for pod in pods if "schedulingGroup" in pod["spec"] and "nodeName" not in pod["spec"]]
            silent = [pod for pod in pods if not _told(pod) and pod not in grouped]
            names = {one["metadata"]["name"] for one in claims}
            quiet = _QUIET_OF_GROUPS if grouped else _QUIET_WITHOUT_NEWS if silent else _QUIET
            if now - since > quiet and not any(
                None not in _claims(pod) and names.issuperset(_claims(pod)) for pod in silent
            ):
                return
            time.sleep(_OFTEN)
        self._settled = False

    def _listen(self, pods: Iterable[Object]) -> None:
        """Keep why each Pod is not scheduled at first: later it can be for another reason."""
        for pod in pods:
            if (says := _says(pod)) and not says.endswith(_OF_A_RACE):
                self._said.setdefault(pod["metadata"]["uid"], says)

    def _kubelets(self, pods: Iterable[Object]) -> None:
        """Let Pods on nodes run, and end those that are deleted."""
        for pod in pods:
            path = f"{self._servers.path(*_POD, self._namespace)}/{pod['metadata']['name']}"
            if "deletionTimestamp" in pod["metadata"]:
                self._servers.request("DELETE", path, {"gracePeriodSeconds": 0})
            elif "nodeName" in pod["spec"] and pod["status"]["phase"] == "Pending":
                self._servers.request("PATCH", f"{path}/status", {"status": _RUNNING})

    def _items(self, kind: tuple[str, str]) -> list[Object]:
        return self._servers.items(*kind, self._namespace)

    def _inventory(self) -> list[Object]:
        """Return what `kubectl get -o yaml` prints."""
        spaces = [one for one in self._items((_CORE, "Namespace")) if one["metadata"]["name"] == self._namespace]
        found = [
            *spaces,
            *(one for kind in (*_OF_THE_CLUSTER, *_NAMED, *_OF_THE_NAMESPACE) for one in self._items(kind)),
        ]
        for one in found:
            one["metadata"].pop("managedFields", None)
        return found

    def _fate(self, inventory: Iterable[Object]) -> Row:
        """Return the present Pods, and those that ran before and no longer exist."""
        pods, claims = self._items(_POD), {one["metadata"]["name"]: one for one in self._items(_CLAIM)}
        deployments = {
            one["metadata"]["name"]: f"Deployment/{owner['name']}"
            for one in self._items((_APPS, "ReplicaSet"))
            for owner in one["metadata"].get("ownerReferences", ())
        }
        before = {
            one["metadata"]["uid"]: one for one in inventory if one["kind"] == "Pod" and "nodeName" in one["spec"]
        }
        there = {pod["metadata"]["uid"] for pod in pods}
        said = [self._pod(pod, claims, deployments) | {"new": pod["metadata"]["uid"] not in before} for pod in pods]
        ended = sorted(_owner(pod, deployments) for uid, pod in before.items() if uid not in there)
        return {"pods": sorted(said, key=json.dumps), "ended": ended}

    def _pod(self, pod: Object, claims: dict[str, Object], deployments: dict[str, str]) -> Row:
        owner = _owner(pod, deployments)
        status = pod.get("status", {})
        generated = {one["name"]: one.get("resourceClaimName") for one in status.get("resourceClaimStatuses", ())}
        references = [one["name"] for one in pod["spec"].get("resourceClaims", ())]
        names = dict(zip(references, _claims(pod), strict=True))
        extended = status.get("extendedResourceClaimStatus")
        if extended:
            names["extended-resources"] = extended["resourceClaimName"]
        says = _says(pod) and self._said.get(pod["metadata"]["uid"], "")
        for reference, name in generated.items():
            says = says.replace(name, f"{owner.partition('/')[2]}-{reference}") if says and name else says
        return {
            "of": owner,
            "node": pod["spec"].get("nodeName"),
            "devices": {key: _devices(claims[name]) for key, name in names.items() if name in claims},
            "says": plain(says) if says else None,
        }

    def _clean(self) -> None:
        for kind in _WORKLOADS:
            self._servers.request(
                "DELETE", self._servers.path(*kind, self._namespace), {"propagationPolicy": "Background"}
            )
        self._wait(self._emptied)
        for item in (*self._case["before"], *self._case["applied"]):
            if (kind := (item["apiVersion"], item["kind"])) in _NAMED:
                self._servers.request("DELETE", f"{self._servers.path(*kind, None)}/{item['metadata']['name']}")
        for kind in _OF_THE_CLUSTER:
            if path := self._servers.path(*kind, None):
                self._servers.request("DELETE", path)
        self._servers.request("DELETE", f"{self._servers.path(_CORE, 'Namespace', None)}/{self._namespace}")

    def _emptied(self) -> bool:
        """Delete Pods and claims, and say whether there are none."""
        left = [(kind, one["metadata"]["name"]) for kind in (_POD, _CLAIM) for one in self._items(kind)]
        for kind, name in left:
            path = f"{self._servers.path(*kind, self._namespace)}/{name}"
            self._servers.request("DELETE", path, {"gracePeriodSeconds": 0})
            self._servers.request("PATCH", path, {"metadata": {"finalizers": None}})
        return not left


def plain(message: str) -> str:
    """Return the words of a plugin."""
    text = message.partition(PREEMPTION)[0].removesuffix(_OF_A_GROUP).removesuffix(",")
    around = _AROUND.fullmatch(text)
    return around["refused"] or around["error"] if around else text


def _changing(item: Object) -> list[Any]:
    return [
        item["metadata"]["uid"],
        item["metadata"].get("deletionTimestamp"),
        item["spec"],
        _without_times(item.get("status")),
    ]


def _without_times(value: Any) -> Any:
    """Return a status without times: the scheduler tries again, and says the same."""
    if isinstance(value, dict):
        return {key: _without_times(one) for key, one in value.items() if not key.endswith("Time")}
    return [_without_times(one) for one in value] if isinstance(value, list) else value


def _told(pod: Object) -> bool:
    return "nodeName" in pod["spec"] or bool(_says(pod))


def _says(pod: Object) -> str:
    """Return why a Pod is not scheduled; empty if there is no reason."""
    conditions = pod["status"].get("conditions", ())
    said = (one for one in conditions if one["type"] == "PodScheduled" and one["status"] != "True")
    return next((str(one.get("message", "")) for one in said), "")


def _claims(pod: Object) -> list[str | None]:
    """Return the names of the claims of a Pod, None for one that is not generated yet."""
    statuses = pod["status"].get("resourceClaimStatuses", ())
    generated = {one["name"]: one.get("resourceClaimName") for one in statuses}
    return [one.get("resourceClaimName") or generated.get(one["name"]) for one in pod["spec"].get("resourceClaims", ())]


def _owner(pod: Object, deployments: dict[str, str]) -> str:
    """Return `Deployment/web`, or `Pod/alone`."""
    for owner in pod["metadata"].get("ownerReferences", ()):
        name = f"{owner['kind']}/{owner['name']}"
        return deployments.get(owner["name"], name) if owner["kind"] == "ReplicaSet" else name
    return f"Pod/{pod['metadata']['name']}"


def _devices(claim: Object) -> list[str] | None:
    allocation = claim.get("status", {}).get("allocation")
    if allocation is None:
        return None
    results = allocation.get("devices", {}).get("results", ())
    return [f"{one['request']}: {one['driver']}/{one['pool']}/{one['device']}" for one in results]
