"""Places one Pod on the nodes of a cluster, and counts what it takes as in use.

`Placing` is the scheduler's loop around `Scheduler`: what the API server makes for a Pod, which nodes it fits, which of
them it gets, and what is different for the next Pod.
"""

from __future__ import annotations

import fnmatch
import json
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import dict_of, list_of
from dralint.finding.words import some_of
from dralint.kubernetes.near import closest
from dralint.simulate import extended, node_resources
from dralint.simulate.allocator import TIMEOUT
from dralint.simulate.answers import Answer
from dralint.simulate.claims import claim_name
from dralint.simulate.cluster import (
    Workload,
    claims_made,
    give_back,
    has_ended,
    results_in,
    take,
    with_generated_claims,
)
from dralint.simulate.evictions import PlacementOutcome, Staying, newest_time, outcome_of, outcome_on
from dralint.simulate.extended import NAME as EXTENDED_NAME
from dralint.simulate.groups import GroupClaims, group_of, named_group, owned_by_group
from dralint.simulate.inventory import InUse
from dralint.simulate.node_resources import Asker, Likeness, Room, number_of
from dralint.simulate.pools import GatherError, Pools
from dralint.simulate.scheduler import DEALLOCATED, Filtered, PodClaims, PodFilter, RefusedError, Scheduler
from dralint.simulate.server import Quotas, admit, no_admin_access

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Cluster
    from dralint.simulate.groups import Gang, Group
    from dralint.simulate.inventory import ClusterNode

DEFAULT_SCHEDULER = "default-scheduler"
_NOT_CREATED = "ResourceClaim not created yet"
_TIMED_OUT = 'running "DynamicResources" filter plugin: node {}: timed out trying to allocate devices'
_ENOUGH_NODES = 100
_SHOWN = 4
_MADE_UP = ("claim", "template")
_NOT_EXPLAINED = ("all", "some", "waits", "evicted")
"""Answers that need no reasons for other nodes."""
_PLACING = tuple(
    """
    nodeName nodeSelector affinity tolerations topologySpreadConstraints overhead resources priority
    priorityClassName preemptionPolicy
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)
"""Fields of a Pod that decide where it may run."""

_TRIED_WITHOUT = 200
"""At most this many nodes that do not fit a Pod are simulated to see whether their devices would do."""


class Placing:
    """The state of a cluster, as Pods come and go.

    Args:
        cluster: the objects, including those of the manifests.
        behaviour: the release and its gates.
        nodes: names or globs of the nodes; none for all.
        timeout: seconds for each node; 0 means none.
        explain: `auto` gives reasons if nothing fits, or if nodes are named; `always`, `never`.
        advance: called with 1 for each node.
        quotas: what is left of the quotas of the cluster.
    """

    def __init__(
        self,
        cluster: Cluster,
        behaviour: Behaviour,
        *,
        nodes: Sequence[str] = (),
        timeout: float = TIMEOUT,
        explain: str = "auto",
        advance: Callable[[int], None] | None = None,
        quotas: Quotas | None = None,
    ) -> None:
        self.cluster = cluster
        self.behaviour = behaviour
        self.timeout = timeout
        self.explain = "always" if explain == "auto" and nodes else explain
        self.advance = advance
        self.inventory = cluster.inventory(behaviour)
        self.nodes = [
            node for node in self.inventory.nodes if not nodes or any(fnmatch.fnmatchcase(node.name, n) for n in nodes)
        ]
        self._by_name = {node.name: node for node in self.nodes}
        self._backwards: Pools | None = None
        self._likeness: Likeness | None = None
        self._by_pool: dict[tuple[str, str], list[str]] | None = None
        self._asked: dict[object, Answer] = {}
        self._memories: dict[object, Memory] = {}
        self.gangs: dict[Group, Gang] = {}
        """The groups whose Pods are all asked for."""
        self.came_first: dict[str, str] = {}
        """Waiting Pods of the inventory that were placed before those of the manifests, with their nodes."""
        now = newest_time(cluster) or datetime.now(UTC)
        self.scheduler = Scheduler(self.inventory, cluster.of("ResourceClaim"), behaviour, now=now)
        self.quotas = quotas or Quotas(cluster, behaviour)
        self.room = Room(cluster.of("Pod"), self.inventory.nodes, self.scheduler.by_resource, behaviour)
        self.staying = Staying(self.inventory, behaviour, now)
        self.group_claims = GroupClaims(cluster, behaviour, self._refused_claim)
        self.scheduler.claims.update({claim_name(claim): claim for claim in self.group_claims.made.values()})
        on_nodes = (pod for pod in cluster.of("Pod") if (pod.get("spec") or {}).get("nodeName") and not has_ended(pod))
        self.running = Counter(map(named_group, on_nodes))
        """How many Pods of each PodGroup are on nodes."""

    def try_nodes(self, workload: Workload, *, cached: bool = False) -> Answer:
        """Return the result for one Pod; with `cached` that of an equal Pod before, while nothing changes."""
        answer, claims, made = self._prepare(workload)
        shape = self._shape(answer, claims) if cached else None
        if shape is not None:
            first = self._asked.setdefault(shape, answer)
            if first is not answer:
                self._forget(made)
                return _like(first, answer)
        while not answer.refused:
            answer.nodes = list(self._looked_at(self.nodes, answer, workload, claims))
            if not self.behaviour.has("orders_pools"):
                self._other_order(answer, claims)
            self._score(answer, claims)
            self._times_out(answer)
            self._after(answer, claims)
            again = self._given_up(answer, claims)
            if again is None:
                self._outcomes(answer, claims)
                break
            claims = again
            answer.nodes = []
        self._explain(answer, workload)
        self._forget(made)
        return answer

    def place(
        self, workload: Workload, memory: Memory | None = None, *, explain: bool = True, whole: bool = True
    ) -> Answer:
        """Put a Pod on the first node that fits, by score, then name, and count its devices as in use.

        Without a `memory` equal Pods share one. If it is not to be `whole`, the answer for a placed Pod has no nodes.
        """
        answer, claims, made = self._prepare(workload)
        if memory is None:
            shape = self._shape(answer, claims)
            memory = Memory() if shape is None else self._memories.setdefault(shape, Memory())
        if memory.failed is not None and not answer.refused:
            self._forget(made)
            return _like(memory.failed, answer)
        best: Filtered | None = None
        while not answer.refused:
            for one in self._looked_at(self._stale(memory), answer, workload, claims):
                memory.learn(one)
            best = memory.best()
            if best is None or whole or memory.odd:
                answer.nodes = [memory.known[node.name] for node in self.nodes if node.name in memory.known]
            if memory.odd:
                self._times_out(answer)
            if best is None:
                self._after(answer, claims)
            again = None if best is not None else self._given_up(answer, claims)
            if again is None:
                break
            claims = again
            answer.nodes = []
            memory.forget(None)
        if answer.refused or best is None or (memory.odd and answer.answer == "error"):
            if explain:
                if not answer.refused:
                    # The results of equal Pods name their own claims.
                    answer.nodes = list(self._looked_at(self.nodes, answer, workload, claims))
                    memory.failed = answer
                self._explain(answer, workload)
            self._forget(made)
            return answer
        best = replace(best, claims=[*claims.wanted, *best.claims[len(claims.wanted) :]])
        self._outcomes(Answer("", nodes=[best], outcomes=answer.outcomes, pod=answer.pod), claims)
        outcome = answer.outcomes.get(best.node.name)
        answer.placed = best.node.name
        if outcome is not None and outcome.kind == "error":
            self._forget(made)
            return answer
        if best.victims:
            self.end_all(best.victims)
            memory.forget(None)
        self._take(answer, best, claims, memory)
        return answer

    def until_fit(self, workload: Workload, seconds: float) -> Answer:
        """Return the result for a Pod on the nodes up to the first that fits; the cluster does not change.

        Of nodes with equal results, only the first is tried. Those that `seconds` is too short for are undecided. There
        are no reasons yet.
        """
        end = time.process_time() + seconds
        answer, claims, made = self._prepare(workload)
        if not answer.refused:
            asked = PodFilter(self.scheduler, answer.pod, claims, self.timeout)
            asker = asker_of(workload, answer.pod)
            seen: set[object] = set()
            for node in self.nodes:
                if time.process_time() > end:
                    answer.nodes.append(Filtered(node, undecided="time is up"))
                    break
                look = self._look(node, asker, claims)
                if look in seen:
                    continue
                answer.nodes.append(self._on(asked, asker, node))
                if answer.nodes[-1].fits:
                    break
                if look is not None:
                    seen.add(look)
            if not answer.fits and answer.answer != "undecided" and not self.behaviour.has("orders_pools"):
                self._other_order(answer, claims)
        self._forget(made)
        return answer

    # What a Pod wants

    def _prepare(self, workload: Workload) -> tuple[Answer, PodClaims, list[dict[str, Any]]]:
        admitted = admit(workload.pod, self.cluster)
        pod, made, missing = with_generated_claims(admitted.pod, self.cluster, self.group_claims.of(admitted.pod))
        group = group_of(pod, self.cluster, self.behaviour)
        answer = Answer(workload.id, pod=pod, unread=[*admitted.unread, *_unread(pod), *workload.unread])
        if group is not None and group not in self.gangs:
            answer.unread.append(group.unread or group.gang)
            answer.loosens = group.loosens
        refused = admitted.refused
        if not refused and workload.kind not in ("Pod", *_MADE_UP):
            refused = self.quotas.charge("Pod", pod)
        if refused:
            answer.refused, answer.by_server = f"pods are forbidden: {refused}", True
            return answer, PodClaims(), []
        for claim in made:
            refused = "" if workload.kind in _MADE_UP else self._refused_claim(claim)
            if refused:
                answer.refused = f'pod "{workload.namespace}/{workload.name}": {_NOT_CREATED}'
                answer.advice = f"the API server refuses the claim (event FailedResourceClaimCreation): {refused}"
                return answer, PodClaims(), made
            self.scheduler.claims[claim_name(claim)] = claim
        try:
            claims = self.scheduler.claims_of(pod)
        except RefusedError as refusal:
            unsure = self.cluster.unsure(refusal.lacks)
            answer.refused, answer.unsure = unsure or str(refusal), bool(unsure)
            if not unsure:
                answer.advice = missing if answer.refused.endswith(_NOT_CREATED) else self._advice(refusal)
            return answer, PodClaims(), made
        if claims.wanted and not self.inventory.slices and (unsure := self.cluster.unsure("ResourceSlice")):
            answer.refused, answer.unsure = unsure, True
            return answer, PodClaims(), made
        answer.claims = [claim_name(claim) for claim in (*claims.allocated, *claims.wanted)]
        answer.before = [claim_name(claim) for claim in claims.allocated]
        if claims.extended:
            answer.claims.append(f"{workload.namespace}/{EXTENDED_NAME}")
        return answer, claims, made

    def _refused_claim(self, claim: Mapping[str, Any]) -> str:
        """Return why the API server refuses a claim that is made of a template; otherwise count it."""
        said = ""
        if self.behaviour.has("admin_access"):
            said = no_admin_access(claim["spec"], claim["metadata"]["namespace"], self.cluster)
        return said or self.quotas.charge("ResourceClaim", claim)

    def _shape(self, answer: Answer, claims: PodClaims) -> object:
        """Return what a Pod wants, equal for Pods with equal results; None where it may equal no other."""
        if answer.refused or claims.allocated or claims.extended:
            return None
        spec = answer.pod.get("spec") or {}
        if self.shares(answer.pod):
            return None
        metadata = answer.pod["metadata"]
        asked = [claim.get("spec") for claim in claims.wanted]
        parts = [metadata.get("namespace"), metadata.get("labels"), asked, {k: spec[k] for k in _PLACING if k in spec}]
        containers = [[each.requests, each.lasting] for each in extended.containers(answer.pod)]
        ports = sorted(Asker(answer.pod).ports)
        return json.dumps([parts, containers, ports, answer.unread], sort_keys=True, default=str)

    def shares(self, pod: Mapping[str, Any]) -> bool:
        """Say whether a Pod has claims that others may have as well."""
        named = any(entry.get("resourceClaimName") for entry in (pod.get("spec") or {}).get("resourceClaims") or ())
        return named or bool(self.group_claims.of(pod).claims)

    def _advice(self, refusal: RefusedError) -> str:
        if refusal.lacks == "ResourceClaim":
            return closest(refusal.name, self.scheduler.claims) or ""
        if refusal.lacks != "DeviceClass":
            return ""
        shown = ", ".join(sorted(self.inventory.classes)[:8])
        there = f"the DeviceClasses there are: {shown}" if shown else "there are no DeviceClasses"
        return closest(refusal.name, self.inventory.classes) or there

    def _forget(self, made: Iterable[Mapping[str, Any]]) -> None:
        """Remove the claims that were made for a Pod."""
        for claim in made:
            self.scheduler.claims.pop(claim_name(claim), None)

    # What the nodes say

    def _looked_at(
        self, nodes: Iterable[ClusterNode], answer: Answer, workload: Workload, claims: PodClaims
    ) -> Iterator[Filtered]:
        """Yield what each node says of a Pod with these claims."""
        asked = PodFilter(self.scheduler, answer.pod, claims, self.timeout)
        asker = asker_of(workload, answer.pod)
        for node in nodes:
            yield self._on(asked, asker, node)

    def _on(self, asked: PodFilter, asker: Asker | None, node: ClusterNode) -> Filtered:
        if self.advance is not None:
            self.advance(1)
        if asker is None:
            return asked.on(node)
        said, detail = self.room.lacks(asker, node)
        if not said:
            return asked.on(node)
        victims = self.room.victims(asker, node)
        found = asked.on(node) if victims else None
        if found is not None and found.fits:
            found.victims = victims
            return found
        return Filtered(node, reasons=said, detail=detail)

    def _look(self, node: ClusterNode, asker: Asker | None, claims: PodClaims) -> object:
        """Return the look of a node to a Pod; None where it is unknown which others equal it."""
        if self.inventory.in_use != InUse() or claims.allocated or claims.extended:
            return None
        if self._likeness is None:
            kinds = ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate")
            objects = [item for kind in kinds for item in self.cluster.of(kind)]
            self._likeness = Likeness(self.scheduler.pools, self.scheduler.selection, objects)
        look = self._likeness.of(node)
        if look is None:
            return None
        return look if asker is None else (*self.room.lacks(asker, node)[0], look)

    def _other_order(self, answer: Answer, claims: PodClaims) -> None:
        """Note the nodes where another order of pools and slices, as possible in this release, changes the outcome."""
        if self._backwards is None:
            self._backwards = Pools(self.inventory.slices, self.behaviour, backwards=True)
        asked = PodFilter(self.scheduler, answer.pod, claims, self.timeout, self._backwards)
        for one in answer.nodes:
            if one.allocator is not None and one.decided:
                other = asked.on(one.node)
                if other.decided and (other.allocations, other.error) != (one.allocations, one.error):
                    answer.several.append(one.node.name)

    def _score(self, answer: Answer, claims: PodClaims) -> None:
        """Give up on the Pod if scoring mixes earlier and new claims."""
        new = len(claims.wanted) + bool(claims.extended)
        if self.behaviour.has("scores_by_index") and claims.allocated and new and len(answer.fits) > 1:
            answer.error = f"number of allocations {new} is smaller than number of claims"

    def _times_out(self, answer: Answer) -> None:
        """Note where the scheduler runs out of time: then it uses no other node either.

        It does use others if it finds enough of them before; it wants a hundred.
        """
        if not answer.error and len(answer.fits) < _ENOUGH_NODES:
            first = next((one for one in answer.nodes if one.times_out), None)
            if first is not None:
                answer.error = _TIMED_OUT.format(first.node.name)

    def _after(self, answer: Answer, claims: PodClaims) -> None:
        if not answer.fits:
            answer.after = self.scheduler.after(answer.pod, claims, answer.nodes, self._idle_group(answer.pod))

    def _idle_group(self, pod: Mapping[str, Any]) -> str | None:
        """Return the uid of the PodGroup of a Pod if none of its Pods is on a node; None otherwise."""
        consumer = self.group_claims.of(pod).consumer
        return None if self.running[named_group(pod)] else consumer.get("uid")

    def _given_up(self, answer: Answer, claims: PodClaims) -> PodClaims | None:
        """Give up the allocation of a claim on other nodes that no Pod uses, as the scheduler does.

        Return the claims with which it tries again, None where it does not.
        """
        if answer.fits or answer.after != DEALLOCATED:
            return None
        names = {name for one in answer.nodes for name in one.unavailable}
        for claim in claims.allocated:
            name = claim_name(claim)
            reserved = (claim.get("status") or {}).get("reservedFor") or ()
            if name in names and all(one.get("uid") == self._idle_group(answer.pod) for one in reserved):
                give_back(self.inventory.in_use, claim, self.behaviour)
                status = {key: value for key, value in claim["status"].items() if key == "devices"}
                self.scheduler.claims[name] = {**claim, "status": status}
                answer.given_up.append(name)
                answer.before.remove(name)
                answer.after = ""
                return self.scheduler.claims_of(answer.pod)
        return None

    def _outcomes(self, answer: Answer, claims: PodClaims) -> None:
        """Note what happens to the Pod on the nodes that fit."""
        fitting = [one for one in answer.nodes if one.fits] if answer.nodes and answer.fits else []
        joined = outcome_of(answer.pod, claims, self.behaviour) if fitting else None
        for one in fitting:
            outcome = joined or outcome_on(answer.pod, one, claims, self.cluster, self.staying, self.quotas)
            if one.victims and (outcome is None or not outcome.kind):
                ended = [pod["metadata"] for pod in one.victims]
                names = some_of([f"{each.get('namespace')}/{each.get('name')}" for each in ended], _SHOWN)
                text = f"placed when these Pods of a lower priority have ended: {names}"
                outcome = PlacementOutcome("", f"{text}; {outcome.text}" if outcome is not None else text)
            if outcome is not None:
                answer.outcomes[one.node.name] = outcome

    def _explain(self, answer: Answer, workload: Workload) -> None:
        fine = answer.answer in _NOT_EXPLAINED or (answer.out_of_scope and answer.fits)
        if self.explain == "never" or (self.explain == "auto" and fine):
            return
        if workload.kind not in _MADE_UP:
            self._without_other_limits(answer)
        answer.explain()

    def _without_other_limits(self, answer: Answer) -> None:
        """Note the nodes that do not fit the Pod although their devices would do."""
        shut = [
            one for one in answer.nodes if one.detail or (one.reasons and one.allocator is None and not one.unavailable)
        ]
        if answer.fits or not shut or answer.refused:
            return
        try:
            claims = self.scheduler.claims_of(answer.pod)
        except RefusedError:
            return
        asked = PodFilter(self.scheduler, answer.pod, claims, self.timeout)
        for one in shut[:_TRIED_WITHOUT]:
            one.devices_fit = bool(asked.on(one.node).allocations)

    # What changes for the next Pod

    def _stale(self, memory: Memory) -> list[ClusterNode]:
        """Return the nodes without a result, and note that they will have one."""
        if memory.stale is None:
            found = [node for node in self.nodes if node.name not in memory.known]
        else:
            found = [self._by_name[name] for name in sorted(memory.stale) if name in self._by_name]
        memory.stale = set()
        return found

    def _changed(self, nodes: Sequence[str] | None, memory: Memory | None = None) -> None:
        """Forget what is known of some nodes, or of all."""
        for each in (*self._memories.values(), *(() if memory is None else (memory,))):
            each.forget(nodes)

    def _take(self, answer: Answer, best: Filtered, claims: PodClaims, memory: Memory) -> None:
        """Count what a Pod takes on its node as in use."""
        memory.used = False
        changed: set[tuple[str, str]] = set()
        own = {"resource": "pods", "name": answer.pod["metadata"].get("name")}
        own["uid"] = f"{answer.pod['metadata'].get('uid')} {id(answer)}"
        shared = self.group_claims.of(answer.pod)
        for claim in claims.allocated:
            status = claim["status"]
            reserved, consumer = status.get("reservedFor") or (), shared.consumer_of(claim, own)
            if consumer is own or consumer not in reserved:
                reserved = [*reserved, consumer]
            self.scheduler.claims[claim_name(claim)] = {**claim, "status": {**status, "reservedFor": reserved}}
        for claim, allocation in zip(best.claims, best.allocations or (), strict=False):
            stamped = {**allocation, "allocationTimestamp": self.staying.now.isoformat()}
            reserved = [shared.consumer_of(claim, own)]
            done = {**claim, "status": {**(claim.get("status") or {}), "allocation": stamped, "reservedFor": reserved}}
            take(self.inventory.in_use, done, self.behaviour)
            if claim["metadata"]["name"] != EXTENDED_NAME:
                self.scheduler.claims[claim_name(claim)] = done
                if self.scheduler.pending is not None:
                    self.scheduler.pending.add(claim_name(claim))
            else:
                self.quotas.charge("ResourceClaim", claim, self.quotas.of_extended(claim, answer.pod))
            for result in results_in(allocation):
                memory.used = memory.used or not result.get("adminAccess")
                changed.add((result["driver"], result["pool"]))
        self.room.add(answer.pod, best.node.name)
        self.running[named_group(answer.pod)] += 1
        if self.shares(answer.pod) or self.room.neighbours.concern(answer.pod):
            self._changed(None, memory)  # a shared claim is now allocated, or Pods depend on each other
        else:
            nodes = {best.node.name: None}
            for pool in changed:
                nodes.update(dict.fromkeys(self._seeing(pool)))
            self._changed(list(nodes), memory)

    def _seeing(self, pool: tuple[str, str]) -> list[str]:
        """Return the nodes that see a pool."""
        if self._by_pool is None:
            self._by_pool = {}
            for node in self.nodes:
                try:
                    view = self.scheduler.pools.view(node)
                except GatherError:
                    continue
                for one in view.pools:
                    self._by_pool.setdefault(one.key, []).append(node.name)
        return self._by_pool.get(pool, [])

    def end_all(self, pods: Iterable[Mapping[str, Any]]) -> None:
        for pod in pods:
            self.end(pod)

    def end(self, pod: Mapping[str, Any]) -> None:
        """Remove a live Pod, and what only it uses."""
        self._changed(None)
        metadata, node = pod["metadata"], (pod.get("spec") or {}).get("nodeName")
        if node:
            self.room.add(pod, str(node), -1)
            self.running[named_group(pod)] -= 1
        self.quotas.free("Pod", pod)
        names = [entry.get("resourceClaimName") for entry in (pod.get("spec") or {}).get("resourceClaims") or ()]
        invented = ((pod.get("status") or {}).get("extendedResourceClaimStatus") or {}).get("resourceClaimName")
        generated = [*claims_made(pod).values(), invented]
        for name in dict.fromkeys(filter(None, (*names, *generated))):
            key = f"{metadata.get('namespace') or 'default'}/{name}"
            claim = self.scheduler.claims.get(key)
            if claim is None:
                continue
            status = dict(claim.get("status") or {})
            left = [one for one in status.get("reservedFor") or () if one.get("uid") != metadata.get("uid")]
            if left:
                self.scheduler.claims[key] = {**claim, "status": {**status, "reservedFor": left}}
                continue
            give_back(self.inventory.in_use, claim, self.behaviour)
            if name in generated and not owned_by_group(claim, pod):
                del self.scheduler.claims[key]
                usage = self.quotas.of_extended(claim, pod) if name == invented else None
                self.quotas.free("ResourceClaim", claim, usage)
            else:
                status.pop("allocation", None)
                self.scheduler.claims[key] = {**claim, "status": {**status, "reservedFor": []}}

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Undo all changes of the cluster at the end of the block."""
        saved = self.inventory.in_use, dict(self.scheduler.claims), self.room, self.quotas, self.running
        self.inventory.in_use = saved[0].copy()
        self.room, self.quotas, self.running = self.room.copy(), self.quotas.copy(), self.running.copy()
        try:
            yield
        finally:
            self.inventory.in_use, self.scheduler.claims, self.room, self.quotas, self.running = saved


@dataclass
class Memory:
    """The answers of nodes to a Pod, while nothing changes there; `used` says whether the last Pod took devices.

    `failed` is the answer for an equal Pod that fits nowhere. `odd` has the nodes with an error, or where the scheduler
    may run out of time. `stale` has the nodes to ask again, None for all.
    """

    known: dict[str, Filtered] = field(default_factory=dict)
    used: bool = True
    failed: Answer | None = None
    odd: set[str] = field(default_factory=set)
    stale: set[str] | None = None
    _fitting: list[tuple[tuple[float, ...], int, str, int, Filtered]] = field(default_factory=list)

    def learn(self, one: Filtered) -> None:
        """Note what a node says."""
        name = one.node.name
        self.known[name] = one
        if one.fits:
            heappush(self._fitting, (_harm(one), -(one.score or 0), name, id(one), one))
        elif one.error or one.attempt is not None:
            self.odd.add(name)

    def best(self) -> Filtered | None:
        """Return the node that fits best; of equal ones the first by name."""
        while self._fitting:
            _, _, name, _, one = self._fitting[0]
            if self.known.get(name) is one:
                return one
            heappop(self._fitting)
        return None

    def forget(self, names: Iterable[str] | None) -> None:
        """Forget what these nodes said, or all."""
        self.failed = None
        if names is None:
            self.known.clear()
            self._fitting.clear()
            self.odd.clear()
            self.stale = None
            return
        for name in names:
            self.known.pop(name, None)
            self.odd.discard(name)
            if self.stale is not None:
                self.stale.add(name)


def _harm(one: Filtered) -> tuple[float, ...]:
    """Return how bad it is for other Pods to use a node: the priorities of those that end, then their number.

    Source: pickOneNodeForPreemption in pkg/scheduler/framework/preemption/preemption.go (v1.37.0).
    """
    numbers = [number_of(pod.get("spec") or {}) for pod in one.victims]
    return (1, max(numbers), sum(numbers), len(numbers)) if numbers else (0,)


def another(workload: Workload) -> Workload:
    """Return a Pod like this one whose claims are not generated yet."""
    metadata = {**workload.pod["metadata"], "uid": f"another {workload.id}"}
    pod = {key: value for key, value in workload.pod.items() if key != "status"}
    return replace(workload, pod={**pod, "metadata": metadata})


def _like(first: Answer, answer: Answer) -> Answer:
    """Return the answer for a Pod that equals another one, which has a full answer."""
    return replace(first, id=answer.id, claims=answer.claims, pod=answer.pod, like=first.like or first.id)


def asker_of(workload: Workload, pod: Mapping[str, Any]) -> Asker | None:
    """Return what a Pod needs of nodes besides devices; None where there is only a claim."""
    return None if workload.kind in _MADE_UP else Asker(pod)


def _unread(pod: Mapping[str, Any]) -> list[str]:
    """Return what a Pod has that dralint does not simulate."""
    spec = pod.get("spec") or {}
    volumes, scheduler = map(dict_of, list_of(spec.get("volumes"))), spec.get("schedulerName")
    there = {
        "volumes of persistent volume claims": any(
            volume.get("persistentVolumeClaim") or volume.get("ephemeral") for volume in volumes
        ),
        "affinity by the labels of namespaces": node_resources.unread(pod),
        f"the scheduler {scheduler} (here as the default one)": scheduler not in (None, "", DEFAULT_SCHEDULER),
    }
    return [what for what, is_there in there.items() if is_there]
