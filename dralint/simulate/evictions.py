"""What happens to a Pod on the node that the scheduler has chosen: it waits, is never bound, is evicted again, or is
started by a kubelet that may be three releases older.

Sources (v1.37.0): pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (PreBind, bindClaim),
pkg/controller/devicetainteviction/device_taint_eviction.go (claimEvictionTime),
pkg/controller/tainteviction/taint_eviction.go (processPodOnNode).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.problem import dict_of, list_of
from dralint.kubernetes.gates import stage
from dralint.kubernetes.release import Release
from dralint.kubernetes.taints import spell, tolerates
from dralint.kubernetes.workloads import MOST_CONSUMERS
from dralint.records import grouped
from dralint.simulate.claims import claim_name
from dralint.simulate.cluster import has_ended, results_in, results_of
from dralint.simulate.extended import ANNOTATION
from dralint.simulate.extended import NAME as EXTENDED_NAME
from dralint.simulate.groups import is_reserved, named_group, of_group
from dralint.simulate.inventory import DeviceId
from dralint.simulate.server import no_admin_allocation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Cluster
    from dralint.simulate.inventory import ClusterNode, Device, Inventory
    from dralint.simulate.scheduler import Filtered, PodClaims
    from dralint.simulate.server import Quotas

SHORT = 30.0
"""In seconds: a Pod that is evicted earlier does not do any work."""

SPARES_EXTENDED = "spares_extended_users"
"""The behaviour of a release whose controller of evictions knows only the claims in the spec of a Pod."""

FIXED_ALLOCATION = "status.allocation: Invalid value: null: field cannot be modified once set"
_PLUGIN = 'running PreBind plugin "DynamicResources"'


@dataclass
class PlacementOutcome:
    """What happens to a Pod on a node that the scheduler chooses for it.

    `kind` is `evicted`, `waits` or `error`, or empty for a mere note; `text` has the reason.
    """

    kind: str
    text: str


class Eviction(NamedTuple):
    """A taint that ends a Pod `seconds` from now (0: at once); `rule` brings it where one does.

    `device` has the taint, or else the node of the Pod, `node`.
    """

    seconds: float
    device: DeviceId | None
    taint: Mapping[str, Any]
    rule: str = ""
    node: str = ""

    @property
    def when(self) -> str:
        """The time, in words."""
        return "at once" if self.seconds <= 0 else f"after {spell_seconds(self.seconds)}"

    @property
    def cause(self) -> str:
        """The taint and its origin, in words."""
        by = f" of the DeviceTaintRule {self.rule}" if self.rule else ""
        return f"the taint {spell(self.taint)}{by}"

    @property
    def shared(self) -> str:
        """What Pods have in common that the taint ends."""
        return f"each {'runs on a node' if self.device is None else 'uses a device'} with {self.cause}"

    @property
    def text(self) -> str:
        """What happens, in words."""
        return f"evicted {self.when}: {self.device or f'its node {self.node}'} has {self.cause}"


def spell_seconds(seconds: float) -> str:
    """Return a duration in words."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 120:
        return f"{minutes} min" + (f" {rest} s" if rest else "")
    return f"{minutes // 60} h" + (f" {minutes % 60} min" if minutes % 60 else "")


class Staying:
    """Says which devices end the Pods that use them, and which nodes those that run there.

    The devices have the taints of rules; `now` is the newest time in a cluster, where nothing else is known.
    """

    def __init__(self, inventory: Inventory, behaviour: Behaviour, now: datetime) -> None:
        self.behaviour = behaviour
        self.now = now
        self._inventory = inventory

    @cached_property
    def _devices(self) -> dict[DeviceId, Device]:
        """The devices, each of the newest generation of its pool that has it."""
        slices = sorted(self._inventory.slices, key=lambda s: s.generation)
        return {device.id: device for s in slices for device in s.devices}

    def by_devices(self, results: Iterable[Mapping[str, Any]]) -> Iterator[Eviction]:
        """Yield what ends the Pods that use the devices of an allocation.

        The effect of a toleration must be NoExecute itself: none, which covers every effect for the scheduler, does not
        count here.
        """
        for result in results if self.behaviour.has("taints") else ():
            ident = DeviceId.of(result)
            device = self._devices.get(ident)
            for taint in device.taints if device is not None else ():
                covering = [
                    each.get("tolerationSeconds")
                    for each in result.get("tolerations") or ()
                    if each.get("effect") == "NoExecute" and tolerates(each, taint)
                ]
                if taint.get("effect") == "NoExecute" and None not in covering:
                    seconds = max(0, min(covering, default=0))
                    yield Eviction(self._left(taint, seconds), ident, taint, str(taint.get("rule") or ""))

    def by_node(self, pod: Mapping[str, Any], node: ClusterNode) -> Iterator[Eviction]:
        """Yield what of a node ends a Pod there.

        The first toleration that covers a taint decides for how long. A Pod without containers is made up for a claim.
        """
        spec = pod.get("spec") or {}
        tolerations = [each for each in spec.get("tolerations") or () if isinstance(each, dict)]
        for taint in node.taints if spec.get("containers") else ():
            covering = next((each for each in tolerations if tolerates(each, taint)), {"tolerationSeconds": 0})
            seconds = covering.get("tolerationSeconds")
            if taint.get("effect") == "NoExecute" and isinstance(seconds, int):
                yield Eviction(self._left(taint, max(0, seconds)), None, taint, node=node.name)

    def _left(self, taint: Mapping[str, Any], seconds: int) -> float:
        added = time_of(taint.get("timeAdded")) or self.now
        return max(0.0, (added + timedelta(seconds=min(seconds, 10**9)) - self.now).total_seconds())


def live_evictions(cluster: Cluster, staying: Staying) -> dict[tuple[str, str], Eviction]:
    """Return namespace and name of the Pods that run and are evicted, each with what ends it first."""
    found = grouped((*_by_devices(cluster, staying), *_by_nodes(cluster, staying)))
    return {key: min(several, key=lambda each: each.seconds) for key, several in found.items()}


def _by_devices(cluster: Cluster, staying: Staying) -> Iterator[tuple[tuple[str, str], Eviction]]:
    spares = staying.behaviour.has(SPARES_EXTENDED)
    for claim in cluster.of("ResourceClaim"):
        if spares and ANNOTATION in dict_of(claim["metadata"].get("annotations")):
            continue
        evictions = list(staying.by_devices(results_of(claim)))
        for key in _users(claim, cluster) if evictions else ():
            pod = cluster.get("Pod", *key)
            runs = pod is None or (
                not pod["metadata"].get("deletionTimestamp") and (pod.get("spec") or {}).get("nodeName")
            )
            yield from ((key, eviction) for eviction in evictions if runs)


def _users(claim: Mapping[str, Any], cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Yield namespace and name of the Pods that a claim is reserved for, also as Pods of a group."""
    namespace = claim["metadata"].get("namespace") or "default"
    for consumer in claim["status"].get("reservedFor") or ():
        group = of_group(consumer)
        if consumer.get("resource") == "pods":
            yield namespace, str(consumer.get("name"))
        for pod in cluster.of("Pod") if group is not None else ():
            entries = [*list_of(dict_of(pod.get("spec")).get("resourceClaims"))]
            entries += list_of(dict_of(pod.get("status")).get("resourceClaimStatuses"))
            names = {dict_of(entry).get("resourceClaimName") for entry in entries}
            if named_group(pod) == (namespace, group) and claim["metadata"]["name"] in names:
                yield namespace, pod["metadata"]["name"]


def _by_nodes(cluster: Cluster, staying: Staying) -> Iterator[tuple[tuple[str, str], Eviction]]:
    tainted = {node.name: node for node in cluster.nodes() if any(t.get("effect") == "NoExecute" for t in node.taints)}
    for pod in cluster.of("Pod") if tainted else ():
        node, metadata = tainted.get(str((pod.get("spec") or {}).get("nodeName"))), pod["metadata"]
        if node is not None and not (metadata.get("deletionTimestamp") or has_ended(pod)):
            key = metadata["namespace"], metadata["name"]
            yield from ((key, eviction) for eviction in staying.by_node(pod, node))


def waits_for(results: Iterable[Mapping[str, Any]], cluster: Cluster) -> list[str]:
    """Return the binding conditions for which a Pod with new devices waits, and which no device ever had so far."""
    named = ((str(result.get("driver")), result.get("bindingConditions") or ()) for result in results)
    wanted = dict.fromkeys((driver, str(name)) for driver, names in named for name in names)
    seen = {
        (str(device.get("driver")), str(condition.get("type")))
        for claim in (cluster.of("ResourceClaim") if wanted else ())
        for device in (claim.get("status") or {}).get("devices") or ()
        for condition in device.get("conditions") or ()
        if condition.get("status") == "True"
    }
    return [f"{name} of {driver}" for driver, name in wanted if (driver, name) not in seen]


def binding_state(status: Mapping[str, Any], results: Iterable[Mapping[str, Any]]) -> tuple[list[str], bool]:
    """Return the binding conditions that the devices of a claim still lack, and whether one of them failed to bind."""
    states = {
        (*DeviceId.of(each), each.get("shareID")): {
            condition.get("type") for condition in each.get("conditions") or () if condition.get("status") == "True"
        }
        for each in status.get("devices") or ()
    }
    bound = [
        (result, states.get((*DeviceId.of(result), result.get("shareID")), set()))
        for result in results
        if result.get("bindingConditions")
    ]
    missing = dict.fromkeys(
        f"{name} of {DeviceId.of(result)}"
        for result, true in bound
        for name in result["bindingConditions"]
        if name not in true
    )
    return list(missing), any(true & set(result.get("bindingFailureConditions") or ()) for result, true in bound)


def time_of(text: Any) -> datetime | None:
    """Return a time of an object; None where there is none."""
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def newest_time(cluster: Cluster) -> datetime | None:
    """Return the newest time in a cluster, about when it was dumped; None where its objects have none."""
    newest: str = ""
    for item in cluster.objects.values():
        metadata, status = item.get("metadata") or {}, item.get("status") or {}
        texts = [metadata.get("creationTimestamp"), (status.get("allocation") or {}).get("allocationTimestamp")]
        conditions = status.get("conditions")
        for condition in conditions if isinstance(conditions, list) else ():
            texts += [condition.get("lastHeartbeatTime"), condition.get("lastTransitionTime")]
        if item.get("kind") == "ResourceSlice":
            for device in (item.get("spec") or {}).get("devices") or ():
                texts += [taint.get("timeAdded") for taint in device.get("taints") or ()]
        if item.get("kind") == "Node":
            taints = list_of(dict_of(item.get("spec")).get("taints"))
            texts += [taint.get("timeAdded") for taint in taints if isinstance(taint, dict)]
        newest = max(newest, *(str(text) for text in texts if text), "")
    return time_of(newest)


def outcome_of(pod: Mapping[str, Any], claims: PodClaims, behaviour: Behaviour) -> PlacementOutcome | None:
    """Return why no Pod can join a claim that is allocated already."""
    for claim in claims.allocated:
        status = claim["status"]
        reserved = status.get("reservedFor") or ()
        if is_reserved(pod, claim, behaviour):
            continue
        name = claim_name(claim)
        if len(reserved) >= MOST_CONSUMERS:
            text = f"status.reservedFor: Too many: {len(reserved) + 1}: must have at most {MOST_CONSUMERS} items"
            return PlacementOutcome("error", f"{_PLUGIN}: add reservation to claim {name}: {text}")
        if behaviour.has("binding") and not status["allocation"].get("allocationTimestamp"):
            return PlacementOutcome("error", f"{_PLUGIN}: add reservation to claim {name}: {FIXED_ALLOCATION}")
    return None


def outcome_on(
    pod: Mapping[str, Any], one: Filtered, claims: PodClaims, cluster: Cluster, staying: Staying, quotas: Quotas
) -> PlacementOutcome | None:
    """Return what happens to a Pod on a node that fits; None where it simply runs."""
    made = [result for a in one.allocations or () for result in results_in(a)]
    results = [*made, *(result for claim in claims.allocated for result in results_of(claim))]
    if not results:
        return None
    for claim, allocation in zip(one.claims, one.allocations or (), strict=False):
        metadata = claim["metadata"]
        refused = no_admin_allocation(results_in(allocation), str(metadata.get("namespace")), cluster)
        if refused:
            text = f'{_PLUGIN}: claim {claim_name(claim)}: ResourceClaim "{metadata["name"]}" is invalid: {refused}'
            return PlacementOutcome("error", text)
    for claim in claims.allocated if staying.behaviour.has("binding") else ():
        unset, _ = binding_state(claim["status"], results_of(claim))
        if unset:
            text = f"waits in PreBind for {', '.join(unset)}, which the driver has not set yet"
            return PlacementOutcome("waits", text)
    missing = waits_for(made, cluster)
    if missing:
        text = f"waits in PreBind for {', '.join(missing)}, which no driver has set in the inventory"
        return PlacementOutcome("waits", text)
    evictions = (*staying.by_devices(results), *staying.by_node(pod, one.node))
    eviction = min(evictions, key=lambda each: each.seconds, default=None)
    if eviction is not None:
        return PlacementOutcome("evicted" if eviction.seconds <= SHORT else "", eviction.text)
    if claims.extended and one.claims and one.claims[-1]["metadata"]["name"] == EXTENDED_NAME:
        after = quotas.copy()
        refused = after.charge("ResourceClaim", one.claims[-1], after.of_extended(one.claims[-1], pod))
        if refused:
            return PlacementOutcome("error", f"{_PLUGIN}: create claim for extended resources: {refused}")
    needed = [*([EXTENDED] if claims.extended else []), CLAIMS]
    needed += [SHARES] if any(result.get("shareID") for result in results) else []
    said = too_old(one.node.kubelet, tuple(needed)) if one.node.kubelet else ""
    return PlacementOutcome("", said) if said else None


CLAIMS, EXTENDED, SHARES = "DynamicResourceAllocation", "DRAExtendedResource", "DRAConsumableCapacity"
_WITHOUT = {
    CLAIMS: "it may run without its devices",
    EXTENDED: "its containers may get no devices for extended resources",
    SHARES: "its driver does not learn which share it has",
}


@lru_cache(maxsize=1024)
def too_old(version: str, gates: tuple[str, ...]) -> str:
    """Return what a kubelet of that version does not support of these gates; empty where it supports all.

    Source: pkg/kubelet/cm/dra (v1.31.14 to v1.37.0); stages of the gates in rules/gates.yaml.
    """
    try:
        release = Release.parse(version)
    except ValueError:
        return ""
    for gate in gates:
        at = stage(gate, release)
        if at is None or not at.default:
            there = "is off by default" if at is not None else "does not exist"
            return f"started by a kubelet {release}, in which {gate} {there}: {_WITHOUT[gate]}"
    return ""
