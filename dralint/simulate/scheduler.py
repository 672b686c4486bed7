"""The scheduler's work around the allocator: the claims of a Pod, the nodes for them, and the words of a refusal.

Source: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go and claims.go. 1.34 and 1.37 are checked
against recorded runs; what is said of 1.35 and 1.36 alone is read from v1.35.4 and v1.36.3.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.taints import allows
from dralint.simulate import extended
from dralint.simulate.allocator import Allocator, Outcome
from dralint.simulate.allocator import apply_taint_rules as apply_rules
from dralint.simulate.claims import claim_name
from dralint.simulate.cluster import claims_made, results_in, results_of
from dralint.simulate.evictions import binding_state, time_of
from dralint.simulate.groups import named_group, owned_by_group
from dralint.simulate.pools import Pools
from dralint.simulate.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.inventory import ClusterNode, Inventory


CANNOT_ALLOCATE = "cannot allocate all claims"
NOT_AVAILABLE = "resourceclaim not available on the node"
DEALLOCATED = "deallocation of ResourceClaim completed"
STILL_NOT = "still not schedulable"
NO_NEW_CLAIMS = "no new claims to deallocate"
_BINDING_TIMEOUT = timedelta(minutes=10)


class RefusedError(Exception):
    """The scheduler refuses the Pod before it looks at a node; the text is the scheduler's.

    `lacks` is the kind of an object that is not there, and `name` its name, if that is the reason.
    """

    def __init__(self, text: str, lacks: str = "", name: str = "") -> None:
        super().__init__(text)
        self.lacks, self.name = lacks, name


@dataclass
class PodClaims:
    """The claims of a Pod, in its order: those that are allocated, and those that have to be.

    `extended` are the extended resources of the Pod, where one of them may be devices; `stale` says that the claim of
    an earlier attempt for these is left over.
    """

    allocated: list[Mapping[str, Any]] = field(default_factory=list)
    wanted: list[Mapping[str, Any]] = field(default_factory=list)
    extended: list[str] = field(default_factory=list)
    stale: bool = False


@dataclass
class Filtered(Outcome):
    """What the scheduler finds on one node: the outcome of the search for devices, if there was one, and the rest.

    Attributes:
        reasons: the texts that users see for this node.
        unavailable: the claims (NAMESPACE/NAME) that are allocated elsewhere, or failed to bind.
        mappings: container → request of the created claim.
        detail: what prevents the Pod in addition to devices, in dralint's words; `devices_fit` says that the devices
            would do.
        victims: Pods of a lower priority that the scheduler ends before.
        claims: those that the allocations are for.
        allocator: what has searched; None where nothing was searched.
    """

    reasons: list[str] = field(default_factory=list)
    unavailable: list[str] = field(default_factory=list)
    mappings: Sequence[Mapping[str, str]] = ()
    detail: str = ""
    devices_fit: bool = False
    victims: Sequence[Mapping[str, Any]] = ()
    claims: Sequence[Mapping[str, Any]] = ()
    allocator: Allocator | None = None


class Scheduler:
    """Asks for Pods, one after the other or each by itself, where their claims can be satisfied.

    Args:
        inventory: nodes, classes, slices, taint rules, and what is in use.
        claims: all ResourceClaims (v1) of the cluster, with their status.
        now: what binding conditions are timed against.
    """

    def __init__(
        self,
        inventory: Inventory,
        claims: Sequence[Mapping[str, Any]],
        behaviour: Behaviour,
        *,
        now: datetime | None = None,
    ) -> None:
        self.inventory = inventory
        self.behaviour = behaviour
        self.now = now or datetime.now(UTC)
        self.claims = {claim_name(claim): claim for claim in claims}
        self.pending: set[str] | None = None
        """The claims that are allocated in the cycle of a group, if it does not see on which nodes they are."""
        self.selection = Selection(behaviour)
        apply_rules(inventory, behaviour, self.selection)
        self.pools = Pools(inventory.slices, behaviour)
        self.by_resource = (
            extended.classes_by_resource(inventory.classes, behaviour) if behaviour.has("extended_resources") else {}
        )

    # Before any node

    def claims_of(self, pod: Mapping[str, Any]) -> PodClaims:
        """Return the claims of a Pod; RefusedError where it cannot be tried at all."""
        found = PodClaims()
        for claim in self._named(pod):
            if (claim.get("status") or {}).get("allocation") is not None:
                found.allocated.append(claim)
            else:
                self._check_classes(claim)
                found.wanted.append(claim)
        if self.behaviour.has("extended_resources"):
            resources = extended.requested(pod)
            if any(resource in self.by_resource for resource in resources):
                found.extended = resources
                found.stale = any(self._left_over(claim, pod) for claim in self.claims.values())
        return found

    def _named(self, pod: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        metadata = pod.get("metadata") or {}
        namespace = metadata.get("namespace") or "default"
        which = f'pod "{namespace}/{metadata.get("name")}"'
        found, made = [], claims_made(pod)
        for entry in (pod.get("spec") or {}).get("resourceClaims") or ():
            called, name = str(entry.get("name")), entry.get("resourceClaimName")
            generated = name is None
            if generated and entry.get("resourceClaimTemplateName") is None:
                raise RefusedError(f'{which}, spec.resourceClaim "{called}": none of the supported fields are set')
            if generated and called not in made:
                raise RefusedError(f"{which}: ResourceClaim not created yet", "ResourceClaimTemplate")
            if generated and made[called] is None:
                continue
            name = made[called] if generated else name
            claim = self.claims.get(f"{namespace}/{name}")
            if claim is None:
                name = f"{namespace}/{name}"
                raise RefusedError(f'could not find resource claim "{name}"', "ResourceClaim", name)
            if (claim.get("metadata") or {}).get("deletionTimestamp"):
                raise RefusedError(f'resourceclaim "{name}" is being deleted')
            grouped = "DRAWorkloadResourceClaims" in self.behaviour.gates and bool(named_group(pod)[1])
            if generated and not (_owned(claim, metadata) or (grouped and owned_by_group(claim, pod))):
                pod_word = "pod" if self.behaviour.has("owner_in_lower_case") else "Pod"
                owner = f"neither Pod nor PodGroup {named_group(pod)[1]} is the" if grouped else f"{pod_word} is not"
                raise RefusedError(
                    f"ResourceClaim {namespace}/{name} was not created for {pod_word} {namespace}/"
                    f"{metadata.get('name')} ({owner} owner)"
                )
            found.append(claim)
        return found

    def _check_classes(self, claim: Mapping[str, Any]) -> None:
        for request in ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ():
            name = request.get("name")
            which = f"resource claim {claim_name(claim)}, request {name}"
            if request.get("firstAvailable"):
                if "DRAPrioritizedList" not in self.behaviour.gates:
                    raise RefusedError(f"{which}: has subrequests, but the DRAPrioritizedList feature is disabled")
                wanted = [(f"{name}/{e.get('name')}", e.get("deviceClassName")) for e in request["firstAvailable"]]
            elif request.get("exactly") is not None:
                wanted = [(str(name), request["exactly"].get("deviceClassName"))]
            else:
                raise RefusedError(f"{which}: unknown request type")
            for called, class_name in wanted:
                if not class_name:
                    raise RefusedError(f"request {called}: unsupported request type")
                if class_name not in self.inventory.classes:
                    text = f"request {called}: device class {class_name} does not exist"
                    raise RefusedError(text, "DeviceClass", class_name)

    def _left_over(self, claim: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
        metadata = claim.get("metadata") or {}
        marked = (metadata.get("annotations") or {}).get(extended.ANNOTATION) == "true"
        return marked and _owned(claim, pod.get("metadata") or {})

    # Node by node

    def unavailable(self, claim: Mapping[str, Any], node: ClusterNode) -> bool:
        """Say whether an allocated claim cannot be used on a node."""
        if self.pending and claim_name(claim) in self.pending:
            return False
        status = claim.get("status") or {}
        allocation = status.get("allocation") or {}
        selector = allocation.get("nodeSelector")
        if not allows(selector, node.name, node.labels, otherwise=False):
            return True
        results = results_in(allocation)
        skips = self.behaviour.has("skips_operations") and any(result.get("skipNodeOperations") for result in results)
        if skips and "DRAOptionalNodeOperations" not in node.declared:
            return True
        if not self.behaviour.has("binding"):
            return False
        missing, failed = binding_state(status, results)
        allocated = time_of(allocation.get("allocationTimestamp"))
        late = allocated is not None and allocated + _BINDING_TIMEOUT < self.now
        return failed or (bool(missing) and late)

    def after(
        self, pod: Mapping[str, Any], claims: PodClaims, filtered: Sequence[Filtered], group: str | None = None
    ) -> str:
        """Return what the scheduler does where no node fits (PostFilter), in its words; empty where it says nothing.

        `group` is the uid of the Pod's group if none of its Pods runs.
        """
        uids = {(pod.get("metadata") or {}).get("uid"), group} - {None}
        names = {name for one in filtered for name in one.unavailable}
        for claim in claims.allocated:
            reserved = (claim["status"].get("reservedFor")) or ()
            mine = all(entry.get("uid") in uids for entry in reserved) and len(reserved) <= 1
            if claim_name(claim) in names and mine:
                return DEALLOCATED
        if claims.stale:
            return "deletion of ResourceClaim completed"
        if not self.behaviour.has("tells_post_filter"):
            return ""
        return STILL_NOT if claims.allocated or claims.wanted or claims.extended else NO_NEW_CLAIMS


@dataclass
class PodFilter:
    """One Pod, to be tried on nodes; `pools` are others than the scheduler's."""

    scheduler: Scheduler
    pod: Mapping[str, Any]
    claims: PodClaims
    timeout: float
    pools: Pools | None = None
    _allocators: dict[tuple[str, ...], tuple[Allocator, list[dict[str, str]]]] = field(default_factory=dict)

    def on(self, node: ClusterNode) -> Filtered:
        """Return the result for the Pod on a node."""
        start = time.monotonic()
        filtered = self._filter(node)
        filtered.seconds = time.monotonic() - start
        return filtered

    def _filter(self, node: ClusterNode) -> Filtered:
        scheduler, claims, behaviour = self.scheduler, self.claims, self.scheduler.behaviour
        resources: list[str] = []
        if claims.extended:
            if claims.stale:
                return Filtered(node, reasons=["cannot schedule extended resource claim"])
            through = extended.through_devices(claims.extended, scheduler.by_resource, node, behaviour)
            if through is None:
                return Filtered(node, reasons=[extended.CANNOT_FIT])
            resources = through
        unavailable = [claim_name(claim) for claim in claims.allocated if scheduler.unavailable(claim, node)]
        invents = bool(claims.extended) and bool(resources or claims.wanted or claims.allocated)
        if invents and behaviour.has("asks_for_plugin_resources"):
            resources = [resource for resource in claims.extended if resource in scheduler.by_resource]
        earlier = self._earlier_score() if behaviour.has("scores_earlier_claims") else None
        if not claims.wanted and not invents:
            found = Filtered(node, [], score=earlier, unavailable=unavailable)
        else:
            allocator, mappings = self._allocator(resources, invents=invents)
            outcome = allocator.on(node, timeout=self.timeout)
            found = Filtered(
                **vars(outcome), unavailable=unavailable, mappings=mappings, claims=allocator.asked, allocator=allocator
            )
            if found.score is not None:
                found.score += earlier or 0
            if not (outcome.fits or outcome.error or outcome.undecided):
                found.reasons = [outcome.node_error or CANNOT_ALLOCATE]
        if found.fits and unavailable:
            found.allocations, found.score, found.reasons = None, None, [NOT_AVAILABLE]
        return found

    def _allocator(self, resources: list[str], *, invents: bool) -> tuple[Allocator, list[dict[str, str]]]:
        """Return what allocates the claims of the Pod, and container → request of the one that the scheduler invents.

        It invents one for the extended resources, where `invents` says so.
        """
        scheduler, key = self.scheduler, tuple(resources)
        if key not in self._allocators:
            wanted, mappings = list(self.claims.wanted), list[dict[str, str]]()
            if invents:
                claim, mappings = extended.claim_for(self.pod, resources, scheduler.by_resource, scheduler.behaviour)
                wanted.append(claim)
            pools = self.pools or scheduler.pools
            allocator = Allocator(
                scheduler.inventory, wanted, scheduler.behaviour, selection=scheduler.selection, pools=pools
            )
            self._allocators[key] = allocator, mappings
        return self._allocators[key]

    def _earlier_score(self) -> int:
        return sum(
            8 - index
            for claim in self.claims.allocated
            for request in ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ()
            for index, entry in enumerate(request.get("firstAvailable") or ())
            if f"{request.get('name')}/{entry.get('name')}" in {result.get("request") for result in results_of(claim)}
        )


def _owned(claim: Mapping[str, Any], pod_metadata: Mapping[str, Any]) -> bool:
    owners = (claim.get("metadata") or {}).get("ownerReferences") or ()
    uid = pod_metadata.get("uid")
    return any(owner.get("controller") is True and uid and owner.get("uid") == uid for owner in owners)
