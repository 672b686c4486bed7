"""How many Pods a workload makes, which of them run already, and which of these go away.

Sources (v1.37.0): pkg/controller/{deployment,replicaset,statefulset,daemon,job,cronjob}. Every Pod with a node counts
as available, as it does when its containers have started.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import dict_of
from dralint.kubernetes.updates import within
from dralint.kubernetes.workloads import share
from dralint.simulate.cluster import has_ended
from dralint.simulate.node_resources import labels_match

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from dralint.simulate.cluster import Cluster, Workload

_DAEMON = tuple(
    {"key": f"node.kubernetes.io/{name}", "operator": "Exists", "effect": effect}
    for name, effect in (
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    )
)
"""The tolerations that every Pod of a DaemonSet gets."""

_SEVERAL = "MaxUnavailableStatefulSet"
"""The gate with which a StatefulSet may end several Pods at once: the only one that changes what controllers do.

Source: pkg/controller, v1.34.4 to v1.37.0; Deployments, DaemonSets, ReplicaSets and Jobs are the same in all of them.
"""

_ADOPTING = ("ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job")
_ROLLED_OUT = {
    "Deployment": ("updatedReplicas", "replicas"),
    "StatefulSet": ("updatedReplicas", "replicas"),
    "DaemonSet": ("updatedNumberScheduled", "currentNumberScheduled"),
}
"""Kind → the fields of its status that are equal once a roll-out is over."""

_ORDINAL = re.compile(r"[0-9]{1,18}")


@dataclass
class Plan:
    """What a controller does to reach the Pods that a workload wants.

    Attributes:
        wanted: how many Pods there are in the end.
        running: live Pods that stay.
        old: live Pods of an older template, which new ones replace.
        gone: live Pods that go away at once.
        surge: how many Pods more than wanted there may be meanwhile; `spare` is how many fewer.
        waiting: live Pods without a node: each one counts as a Pod to make, and goes away for it.
        blocked: live Pods of an older template without a node, for which a StatefulSet waits.
        later: live Pods that go away once the missing ones run, before any is replaced.
        ordered: whether nothing more changes as long as a Pod does not run.
        pins: the nodes without a Pod that get one, if each Pod is made for a node; None for others.
        none: why there is no Pod to make; empty where there is one.
    """

    wanted: int
    running: list[dict[str, Any]] = field(default_factory=list)
    old: list[dict[str, Any]] = field(default_factory=list)
    gone: list[dict[str, Any]] = field(default_factory=list)
    surge: int = 0
    spare: int = 0
    waiting: list[dict[str, Any]] = field(default_factory=list)
    blocked: list[dict[str, Any]] = field(default_factory=list)
    later: list[dict[str, Any]] = field(default_factory=list)
    ordered: bool = False
    pins: list[str] | None = None
    none: str = ""

    @property
    def missing(self) -> int:
        """How many Pods there are to make."""
        return max(0, self.wanted - len(self.running))

    @property
    def simple(self) -> bool:
        """Whether there is one Pod to make, and nothing of the workload runs."""
        return self.wanted == 1 and not (self.running or self.old or self.gone or self.later or self.pins)


def plan_of(
    workload: Workload, cluster: Cluster, gates: Set[str] = frozenset(), nodes: Mapping[str, bool] | None = None
) -> Plan:
    """Return what a workload makes in addition to its running Pods.

    `gates` are those that are on. `nodes` are those on which a Pod of a DaemonSet may run, with whether it makes one.
    """
    kind = workload.kind
    item = workload.item and (cluster.get(kind, workload.namespace, workload.name) or workload.item)
    spec = dict_of(item.get("spec"))
    if workload.number is not None:
        return Plan(workload.number, none="" if workload.number else "it has 0 replicas")
    if kind in ("Pod", "PodTemplate") or not item:
        return Plan(1)
    if kind == "CronJob":
        if spec.get("suspend") is True:
            return Plan(0, none="it is suspended")
        job = (spec.get("jobTemplate") or {}).get("spec") or {}
        return _job(job, [], {})
    own = [*cluster.pods_of(kind, workload.namespace, workload.name), *_adopted(workload, spec, cluster)]
    live = [pod for pod in own if not pod["metadata"].get("deletionTimestamp") and not has_ended(pod)]
    placed = [pod for pod in live if dict_of(pod.get("spec")).get("nodeName")]
    plan = _plan(workload, spec, placed, cluster, gates, nodes or {})
    plan.waiting = [pod for pod in live if not dict_of(pod.get("spec")).get("nodeName")]
    if kind == "StatefulSet" and plan.ordered:
        plan.blocked = [pod for pod in plan.waiting if _blocks(pod, spec, plan.wanted)]
        plan.waiting = [pod for pod in plan.waiting if not _among(pod, plan.blocked)]
        # Source: updateStatefulSet in pkg/controller/statefulset/stateful_set_control.go (v1.37.0).
        if len(plan.running) + len(plan.old) < plan.wanted:
            plan.gone, plan.later = [], plan.gone
    return plan


def _adopted(workload: Workload, spec: Mapping[str, Any], cluster: Cluster) -> list[dict[str, Any]]:
    """Return the running Pods without a controller that the controller of a workload adopts by their labels.

    Source: pkg/controller/controller_ref_manager.go. A Deployment adopts ReplicaSets, and the Pods with these.
    """
    if workload.kind not in _ADOPTING or not isinstance(spec.get("selector"), dict):
        return []
    selector = {"matchLabels": spec["selector"]} if workload.kind == "ReplicationController" else spec["selector"]
    return [
        pod
        for pod in cluster.orphans(workload.namespace)
        if dict_of(pod.get("spec")).get("nodeName")
        and labels_match(selector, dict_of(pod["metadata"].get("labels")))
        and (workload.kind != "StatefulSet" or _parent(pod) == workload.name)
    ]


def _blocks(pod: Mapping[str, Any], spec: Mapping[str, Any], wanted: int) -> bool:
    """Say whether a StatefulSet waits for a Pod before it changes anything, though the Pod has an older template."""
    return _ordinal(pod) in _ordinals(spec, wanted) and not is_of(pod, spec.get("template") or {})


def _plan(
    workload: Workload,
    spec: Mapping[str, Any],
    live: list[dict[str, Any]],
    cluster: Cluster,
    gates: Set[str],
    nodes: Mapping[str, bool],
) -> Plan:
    kind = workload.kind
    if kind == "Job":
        there = cluster.get("Job", workload.namespace, workload.name) or {}
        return _job(spec, live, there.get("status") or {})
    if kind == "DaemonSet":
        return _daemons(workload, spec, live, cluster, nodes)
    wanted = _number(spec.get("replicas"), 1)
    if not wanted:
        return Plan(0, gone=live, none="it has 0 replicas")
    if kind in ("ReplicaSet", "ReplicationController"):
        return Plan(wanted, live[:wanted], gone=live[wanted:])
    if kind == "Deployment" and spec.get("paused") is True:
        return Plan(wanted, live[:wanted], gone=live[wanted:]) if live else Plan(0, none="it is paused")
    current = _current(workload, spec, live, cluster)
    old = [pod for pod in live if not _among(pod, current)]
    if kind == "StatefulSet":
        return _stateful(spec, wanted, current, old, several=_SEVERAL in gates)
    return _deployment(spec, wanted, current, old)


def _current(
    workload: Workload, spec: Mapping[str, Any], live: list[dict[str, Any]], cluster: Cluster
) -> list[dict[str, Any]]:
    """Return the live Pods of the template.

    If the live workload has the same template and its last roll-out is over, all of them are. If it has another one,
    those are that a roll-out to this one has not replaced yet.
    """
    template = spec.get("template") or {}
    before = cluster.before.get((workload.kind, workload.namespace, workload.name))
    if before is None:
        return [pod for pod in live if is_of(pod, template)]
    was = dict_of(dict_of(before.get("spec")).get("template"))
    was = {"metadata": was.get("metadata") or {}, "spec": was.get("spec") or {}}
    if not is_of(was, template):
        return [pod for pod in live if is_of(pod, template) and not is_of(pod, was)]
    updated, number = (dict_of(before.get("status")).get(name) for name in _ROLLED_OUT.get(workload.kind, ("", "")))
    over = not isinstance(updated, int) or not isinstance(number, int) or updated >= number
    return live if over else [pod for pod in live if is_of(pod, template)]


def _deployment(spec: Mapping[str, Any], wanted: int, current: list[dict[str, Any]], old: list[dict[str, Any]]) -> Plan:
    strategy = spec.get("strategy") or {}
    running, more = current[:wanted], current[wanted:]
    if strategy.get("type") == "Recreate":
        return Plan(wanted, running, gone=[*more, *old])
    rolling = strategy.get("rollingUpdate") or {}
    surge = share(rolling.get("maxSurge", "25%"), wanted, up=True)
    spare = share(rolling.get("maxUnavailable", "25%"), wanted, up=False)
    if not surge and not spare:
        spare = 1
    # Pods beyond a reduced number of replicas go away before any new one comes.
    extra = max(0, len(running) + len(old) - wanted - surge)
    return Plan(wanted, running, old[extra:], [*more, *old[:extra]], surge, spare)


def _stateful(
    spec: Mapping[str, Any],
    wanted: int,
    current: list[dict[str, Any]],
    old: list[dict[str, Any]],
    *,
    several: bool,
) -> Plan:
    strategy = spec.get("updateStrategy") or {}
    rolling = strategy.get("rollingUpdate") or {}
    partition = _number(rolling.get("partition"), 0)
    inside = _ordinals(spec, wanted)
    kept = [pod for pod in old if strategy.get("type") == "OnDelete" or _ordinal(pod) < partition]
    running = [pod for pod in (*current, *kept) if _ordinal(pod) in inside]
    rest = sorted((pod for pod in (*current, *old) if not _among(pod, running)), key=_ordinal, reverse=True)
    spare = max(1, share(rolling.get("maxUnavailable", 1), wanted, up=False)) if several else 1
    replaced = [pod for pod in rest if _ordinal(pod) in inside]
    gone = [pod for pod in rest if _ordinal(pod) not in inside]
    return Plan(wanted, running, replaced, gone, spare=spare, ordered=spec.get("podManagementPolicy") != "Parallel")


def _ordinals(spec: Mapping[str, Any], wanted: int) -> range:
    first = _number((spec.get("ordinals") or {}).get("start"), 0)
    return range(first, first + wanted)


def _daemons(
    workload: Workload, spec: Mapping[str, Any], live: list[dict[str, Any]], cluster: Cluster, nodes: Mapping[str, bool]
) -> Plan:
    selected = [name for name, makes in nodes.items() if makes]
    here = {str(pod["spec"]["nodeName"]): pod for pod in reversed(live)}
    strategy = spec.get("updateStrategy") or {}
    keeps = strategy.get("type") == "OnDelete"
    current = live if keeps else _current(workload, spec, live, cluster)
    # A node with a taint that is not tolerated keeps the Pod that runs there, and gets no other one.
    stays = [pod for pod in here.values() if str(pod["spec"]["nodeName"]) in nodes and _among(pod, current)]
    old = [here[node] for node in selected if node in here and not _among(here[node], current)]
    gone = [pod for pod in live if not _among(pod, stays) and not _among(pod, old)]
    if not selected:
        return Plan(0, gone=gone, none="it selects no node")
    running = [pod for pod in stays if str(pod["spec"]["nodeName"]) in selected]
    rolling = strategy.get("rollingUpdate") or {}
    surge = share(rolling.get("maxSurge", 0), len(selected), up=True)
    spare = share(rolling.get("maxUnavailable", 1), len(selected), up=True)
    pins = [node for node in selected if node not in here]
    return Plan(len(selected), running, old, gone, surge, spare or 1, pins=pins)


def _among(pod: Mapping[str, Any], pods: Sequence[Mapping[str, Any]]) -> bool:
    return any(pod is each for each in pods)


def _job(spec: Mapping[str, Any], live: list[dict[str, Any]], status: Mapping[str, Any]) -> Plan:
    if spec.get("suspend") is True:
        return Plan(0, gone=live, none="it is suspended")
    ended = [c.get("type") for c in status.get("conditions") or () if c.get("status") == "True"]
    if "Complete" in ended or "Failed" in ended:
        return Plan(0, none="it has ended")
    completions = spec.get("completions")
    wanted = _number(spec.get("parallelism"), 1)
    if isinstance(completions, int):
        wanted = min(wanted, max(0, completions - _number(status.get("succeeded"), 0)))
    if not wanted:
        return Plan(0, gone=live, none="it has parallelism 0")
    return Plan(wanted, live[:wanted], gone=live[wanted:])


def for_node(pod: Mapping[str, Any], node: str) -> dict[str, Any]:
    """Return the Pod that a DaemonSet makes for a node."""
    spec = pod.get("spec") or {}
    affinity = spec.get("affinity") or {}
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    of_node = {**affinity, "nodeAffinity": {**(affinity.get("nodeAffinity") or {}), **required}}
    return {**pod, "spec": tolerant({**spec, "affinity": of_node})}


def tolerant(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of a Pod with the tolerations that a DaemonSet adds."""
    network = {"key": "node.kubernetes.io/network-unavailable", "operator": "Exists", "effect": "NoSchedule"}
    added = [*_DAEMON, network] if spec.get("hostNetwork") else _DAEMON
    return {**spec, "tolerations": [*(spec.get("tolerations") or ()), *added]}


def _parent(pod: Mapping[str, Any]) -> str:
    """Return the name of the StatefulSet that a Pod has the name of."""
    return str(pod["metadata"].get("name")).rpartition("-")[0] if _ordinal(pod) >= 0 else ""


def _ordinal(pod: Mapping[str, Any]) -> int:
    number = str(pod["metadata"].get("name")).rpartition("-")[2]
    return int(number) if _ORDINAL.fullmatch(number) else -1


def _number(value: Any, default: int) -> int:
    return max(0, value) if isinstance(value, int) and not isinstance(value, bool) else default


# The template.


def is_of(pod: Mapping[str, Any], template: Mapping[str, Any]) -> bool:
    """Say whether a live Pod can come from a template: it has everything in the template.

    The API server adds defaults, and admission adds tolerations, volumes and containers after the written ones.
    """
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    own = pod.get("spec") or {}
    if any(bool(own.get(key)) and not spec.get(key) for key in ("nodeSelector", "resourceClaims")):
        return False
    labels = {k: v for k, v in (metadata.get("labels") or {}).items() if k != "pod-template-hash"}
    return (
        within(labels, pod["metadata"].get("labels") or {})
        and within(metadata.get("annotations") or {}, pod["metadata"].get("annotations") or {})
        and within({k: v for k, v in spec.items() if k != "nodeName"}, own)
    )
