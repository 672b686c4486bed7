"""Pods that are scheduled in groups: what of that decides, the claims of the groups, and what is not simulated.

A PodGroup can have claims of its own, which all its Pods share: by name, or made from templates. An entry of a Pod is
one of these if it has the same name and the same claim or template. Such a claim is reserved for the PodGroup, not for
the Pod: it outlives the Pods, and any number of them share it.

Sources (v1.37.0): pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go; pkg/apis/scheduling/types.go;
pkg/controller/resourceclaim/controller.go (handleClaim, handlePodGroupClaim, syncClaim);
staging/src/k8s.io/dynamic-resource-allocation/resourceclaim/resourceclaim.go (BindTo, IsReservedForPod).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.problem import dict_of, list_of
from dralint.kubernetes.release import in_range
from dralint.simulate.cluster import claim_from

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dralint.simulate.answers import Answer
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Cluster

_GATE, _CLAIMS = "GenericWorkload", "DRAWorkloadResourceClaims"
_GANGS = "GangScheduling", "1.35..1.36"
"""The gate that groups need besides to decide whether their Pods run, and the releases that have it: since 1.37
GenericWorkload alone is enough.

Source: pkg/scheduler/apis/config/v1/default_plugins.go (v1.36.3).
"""
_NOT_PERMITTED = "waiting for minCount pods from a gang to be scheduled"
_API_GROUP = "scheduling.k8s.io"
_NOT_MADE = "its claim {} is one of the PodGroup {}, and the gate " + _CLAIMS + " is off: no claim is made"


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


@dataclass
class Gang:
    """What becomes of the Pods of a group that are asked for together, as the scheduler tries them in one cycle.

    `scheduled` are on nodes already or fit beside the others, `left` are not tried. `tried` has the answers by id.
    """

    group: Group
    scheduled: int
    left: int
    tried: dict[str, Answer] = field(default_factory=dict)

    @property
    def lacks(self) -> str:
        """Why none of the Pods is scheduled; empty if enough of them fit."""
        if self.scheduled >= self.group.least:
            return ""
        fit = f"{self.scheduled} fit{'s' * (self.scheduled == 1)}"
        return f"its PodGroup {self.group.name} wants {self.group.least} Pods at once, and {fit}"

    def event(self, ident: str, behaviour: Behaviour) -> str:
        """Return what the scheduler says of a Pod that does fit, or that it does not try.

        It says nothing of a group that has too few Pods. Sources: submitPodGroupAlgorithmResult in
        pkg/scheduler/schedule_one_podgroup.go and gangscheduling.go (v1.36.3, v1.37.0).
        """
        if not self.tried:
            return ""
        said = f"minCount ({self.group.least}) cannot be satisfied: {self.scheduled} scheduled, {self.left} remaining"
        if not behaviour.has("gangs_end_early"):
            said = f"{_NOT_PERMITTED}, one or more plugins asked to wait and no plugin rejected pod"
        return f"pod group is unschedulable, {said}" if ident in self.tried else said


def named_group(pod: Mapping[str, Any]) -> tuple[str, str]:
    """Return namespace and name of the PodGroup that a Pod names; no name where it names none."""
    namespace = str(dict_of(pod.get("metadata")).get("namespace") or "default")
    return namespace, str(dict_of(dict_of(pod.get("spec")).get("schedulingGroup")).get("podGroupName") or "")


def group_of(pod: Mapping[str, Any], cluster: Cluster, behaviour: Behaviour) -> Group | None:
    """Return the group of a Pod if it can decide whether the Pod runs."""
    spec = dict_of(pod.get("spec"))
    if _GATE not in behaviour.gates or not (spec.get("schedulingGroup") or spec.get("workloadRef")):
        return None
    namespace, name = named_group(pod)
    if not name:
        return Group(namespace, "", 1, "scheduling in groups")
    found = cluster.get("PodGroup", namespace, name)
    gangs = _GANGS[0] in behaviour.gates or not in_range(_GANGS[1], behaviour.release)
    if found is None:
        unread = f"the PodGroup {name}, which is not in the inventory"
        return Group(namespace, name, 1, unread, loosens=True) if gangs or _CLAIMS in behaviour.gates else None
    if not gangs:
        return None
    wanted = dict_of(found.get("spec"))
    gang = dict_of(dict_of(wanted.get("schedulingPolicy")).get("gang"))
    least = gang.get("minCount")
    group = Group(namespace, name, least if isinstance(least, int) else 1)
    if wanted.get("schedulingConstraints"):
        return group._replace(unread=f"scheduling constraints of the PodGroup {name}")
    return group if group.least > 1 else None


class Shared(NamedTuple):
    """The claims that a Pod shares with its group: entry → name of the claim, or the reason why there is none.

    `consumer` is what these claims are reserved for.
    """

    claims: Mapping[str, str] = {}
    missing: Mapping[str, str] = {}
    consumer: Mapping[str, Any] = {}

    def consumer_of(self, claim: Mapping[str, Any], own: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what a claim of the Pod is reserved for: its group, or the Pod with its `own` reference."""
        return self.consumer if claim["metadata"]["name"] in self.claims.values() else own


class GroupClaims:
    """The claims of the PodGroups of a cluster.

    `made` are those that the controller makes from templates, each by namespace, group and entry, if `refused`, which
    says why the API server refuses a claim, says nothing.
    """

    def __init__(
        self, cluster: Cluster, behaviour: Behaviour, refused: Callable[[Mapping[str, Any]], str] = lambda _: ""
    ) -> None:
        self._cluster, self._behaviour = cluster, behaviour
        self._on = {_GATE, _CLAIMS} <= behaviour.gates
        self.made: dict[tuple[str, str, str], dict[str, Any]] = {}
        self._missing: dict[tuple[str, str, str], str] = {}
        for group in cluster.of("PodGroup") if self._on else ():
            for entry in _entries(group):
                self._make(group, entry, refused)

    def _make(
        self, group: Mapping[str, Any], entry: Mapping[str, Any], refused: Callable[[Mapping[str, Any]], str]
    ) -> None:
        metadata, template_name = group["metadata"], entry["resourceClaimTemplateName"]
        key = str(metadata["namespace"]), str(metadata["name"]), str(entry["name"])
        if template_name is None or self._generated(*key) is not None:
            return
        template = self._cluster.get("ResourceClaimTemplate", key[0], str(template_name))
        if template is None:
            self._missing[key] = f'there is no ResourceClaimTemplate "{template_name}" in namespace {key[0]}'
            return
        claim = claim_from(template, group, key[2])
        if said := refused(claim):
            self._missing[key] = f"the API server refuses the claim of the PodGroup {key[1]}: {said}"
        else:
            self.made[key] = claim

    def _generated(self, namespace: str, group: str, entry: str) -> dict[str, Any] | None:
        found = self._cluster.get("PodGroup", namespace, group) or {"metadata": {}}
        return self._cluster.generated("PodGroup", namespace, str(found["metadata"].get("uid") or group), entry)

    def of(self, pod: Mapping[str, Any]) -> Shared:
        """Return the claims that a Pod shares with its group.

        Where the gate of such claims is off, the controller of 1.36 makes them for each Pod (issue 138363), that of
        1.37 makes none. A new PodGroup has none then: the API server drops them.
        """
        namespace, name = named_group(pod)
        group = self._cluster.get("PodGroup", namespace, name) if name and _GATE in self._behaviour.gates else None
        own = [] if group is None else _entries(group)
        entries = [each for each in map(_source, dict_of(pod.get("spec")).get("resourceClaims") or ()) if each in own]
        if group is None or not entries:
            return Shared()
        if not self._on:
            stored = self._behaviour.has("group_claims_need_gate") and group["metadata"].get("uid")
            made = [str(each["name"]) for each in entries if stored and each["resourceClaimTemplateName"] is not None]
            return Shared(missing={entry: _NOT_MADE.format(entry, name) for entry in made})
        claims, missing = {}, {}
        for entry in entries:
            key = namespace, name, str(entry["name"])
            claim = self.made.get(key) or self._generated(*key)
            if entry["resourceClaimName"] is not None:
                claims[key[2]] = str(entry["resourceClaimName"])
            elif claim is not None:
                claims[key[2]] = str(claim["metadata"]["name"])
            else:
                missing[key[2]] = self._missing.get(key, "")
        return Shared(claims, missing, _consumer(group))


def is_reserved(pod: Mapping[str, Any], claim: Mapping[str, Any], behaviour: Behaviour) -> bool:
    """Say whether a claim is reserved for a Pod, or for its PodGroup."""
    uid, (_, name) = dict_of(pod.get("metadata")).get("uid"), named_group(pod)
    reserved = [dict_of(each) for each in list_of(dict_of(claim.get("status")).get("reservedFor"))]
    if uid and any(each.get("uid") == uid for each in reserved):
        return True
    return bool(name) and _CLAIMS in behaviour.gates and any(of_group(each) == name for each in reserved)


def of_group(consumer: Mapping[str, Any]) -> str | None:
    """Return the name of the PodGroup that a claim is reserved for; None for another consumer."""
    is_group = (consumer.get("apiGroup"), consumer.get("resource")) == (_API_GROUP, "podgroups")
    return str(consumer.get("name")) if is_group else None


def owned_by_group(claim: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    """Say whether a claim was made for the PodGroup that a Pod names."""
    _, name = named_group(pod)
    owners = map(dict_of, list_of(dict_of(claim.get("metadata")).get("ownerReferences")))
    return bool(name) and any(
        (owner.get("controller"), owner.get("kind"), owner.get("name")) == (True, "PodGroup", name)
        and str(owner.get("apiVersion")).startswith(f"{_API_GROUP}/")
        for owner in owners
    )


def _consumer(group: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a claim is reserved for if it is reserved for a group."""
    metadata = group["metadata"]
    uid = metadata.get("uid") or f"PodGroup {metadata.get('namespace')}/{metadata['name']}"
    return {"apiGroup": _API_GROUP, "resource": "podgroups", "name": metadata["name"], "uid": uid}


def _entries(group: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the claims that a PodGroup asks for."""
    return [_source(dict_of(each)) for each in list_of(dict_of(group.get("spec")).get("resourceClaims"))]


def _source(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of an entry of a Pod or a PodGroup says whether both mean one claim."""
    return {key: entry.get(key) for key in ("name", "resourceClaimName", "resourceClaimTemplateName")}
