"""Pods that are scheduled in groups: what of that decides, and what dralint does not simulate.

Sources (v1.37.0): pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go; pkg/apis/scheduling/types.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.problem import dict_of
from dralint.kubernetes.release import in_range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Cluster

_GATE = "GenericWorkload"
_GANGS = "GangScheduling", "1.35..1.36"
"""The gate that groups need besides to decide whether their Pods run, and the releases that have it: since 1.37
GenericWorkload alone is enough.

Source: pkg/scheduler/apis/config/v1/default_plugins.go (v1.36.3).
"""


class Group(NamedTuple):
    """The group of a Pod: at least so many of its Pods must fit together, else none of them is scheduled.

    `unread` is what dralint does not simulate of it, if more than that matters. `loosens` says that a Pod may run for
    that reason.
    """

    namespace: str
    name: str
    least: int
    unread: str = ""
    loosens: bool = False

    @property
    def gang(self) -> str:
        """What a Pod alone does not decide."""
        return f"the other Pods of the PodGroup {self.name}, which wants {self.least} at once"


def group_of(pod: Mapping[str, Any], cluster: Cluster, behaviour: Behaviour) -> Group | None:
    """Return the group of a Pod if it can decide whether the Pod runs."""
    spec = dict_of(pod.get("spec"))
    namespace = str(dict_of(pod.get("metadata")).get("namespace") or "default")
    named = spec.get("schedulingGroup") or spec.get("workloadRef")
    if _GATE not in behaviour.gates or not named:
        return None
    name = str(dict_of(named).get("podGroupName") or "")
    if not name:
        return Group(namespace, "", 1, "scheduling in groups")
    found = cluster.get("PodGroup", namespace, name)
    if in_range(_GANGS[1], behaviour.release) and _GANGS[0] not in behaviour.gates:
        found = {"spec": {"resourceClaims": dict_of((found or {}).get("spec")).get("resourceClaims")}}
    if found is None:
        return Group(namespace, name, 1, f"the PodGroup {name}, which is not in the inventory", loosens=True)
    wanted = dict_of(found.get("spec"))
    gang = dict_of(dict_of(wanted.get("schedulingPolicy")).get("gang"))
    least = gang.get("minCount")
    group = Group(namespace, name, least if isinstance(least, int) else 1)
    if wanted.get("resourceClaims"):
        return group._replace(unread=f"claims of the PodGroup {name}", loosens=True)
    if wanted.get("schedulingConstraints"):
        return group._replace(unread=f"scheduling constraints of the PodGroup {name}")
    return group if group.least > 1 else None


def running_in(group: Group, cluster: Cluster) -> int:
    """Return how many Pods of a group are on a node already."""
    return sum(
        pod["metadata"].get("namespace") == group.namespace
        and bool(pod["spec"].get("nodeName"))
        and dict_of(pod["spec"].get("schedulingGroup")).get("podGroupName") == group.name
        for pod in cluster.of("Pod")
        if dict_of(pod.get("spec"))
    )
