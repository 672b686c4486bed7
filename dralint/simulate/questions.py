"""Questions about a cluster: where does a Pod fit, alone or after others, how many more fit, and which Pods are
pending."""

from __future__ import annotations

import fnmatch
import json
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.near import closest
from dralint.kubernetes.workloads import MOST_CONSUMERS
from dralint.simulate import extended, kubelets
from dralint.simulate.allocator import TIMEOUT
from dralint.simulate.claims import claim_name
from dralint.simulate.cluster import (
    Workload,
    claims_used,
    give_back,
    pod_for_claim,
    results_of,
    take,
    waits,
    with_generated_claims,
    workload_of,
)
from dralint.simulate.equal_nodes import Likeness
from dralint.simulate.evictions import (
    FIXED_ALLOCATION,
    SHORT,
    Eviction,
    Staying,
    live_evictions,
    newest_time,
    waits_for,
)
from dralint.simulate.extended import NAME as EXTENDED_NAME
from dralint.simulate.inventory import InUse
from dralint.simulate.node_resources import Asker, Room, priority_of
from dralint.simulate.pools import GatherError, Pools
from dralint.simulate.quotas import Quotas
from dralint.simulate.reasons import reasons
from dralint.simulate.replicas import for_node, plan_of, tolerant
from dralint.simulate.scheduler import DEALLOCATED, Filtered, PodClaims, PodFilter, RefusedError, Scheduler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Cluster
    from dralint.simulate.node_selection import ClusterNode
    from dralint.simulate.replicas import Plan

MOST = 10_000
"""How many Pods --how-many places before it stops counting."""

_NOT_CREATED = "ResourceClaim not created yet"
_PLUGIN = 'running PreBind plugin "DynamicResources"'
_TIMED_OUT = 'running "DynamicResources" filter plugin: node {}: timed out trying to allocate devices'
_ENOUGH_NODES = 100
_SCHEDULER = "default-scheduler"
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


@dataclass
class Fate:
    """What happens to a Pod on a node that the scheduler chooses for it.

    `kind` is `evicted`, `waits` or `error`, or empty for a mere note; `text` has the reason.
    """

    kind: str
    text: str


@dataclass
class Answer:
    """The result for one Pod, or for the Pods of a workload.

    Attributes:
        id: `pod NAMESPACE/NAME`, `deployment …`, `claim …`, `template …`.
        claims: NAMESPACE/NAME of its claims, in its order.
        refused: why it is tried on no node, in the scheduler's words; empty otherwise. `advice` is dralint's.
        unsure: whether `refused` is dralint's: what decides is not in the inventory, and may be in the cluster.
        by_server: whether the API server, not the scheduler, refuses it.
        settled: why there is nothing to schedule (it runs, or makes no Pod); empty otherwise.
        held: why the scheduler leaves the Pod alone; empty otherwise.
        eviction: what ends a running Pod, None otherwise.
        nodes: the result for each chosen node.
        fates: node → what happens to the Pod there, if it does not simply run.
        why: node → reasons, if they were requested.
        after: what the scheduler does where nothing fits, in its words.
        given_up: the claims whose allocation the scheduler gives up, because it is for another node.
        placed: the node that it gets in a sequence.
        like: the id of an earlier answer that is the same for an equal Pod; empty where there is none.
        pinned: the results for the nodes of a DaemonSet whose Pods do not run there.
        replicas: how many of the Pods of a workload run, if it has or gets more than one.
        error: an error that concerns no single node.
        several: the nodes whose result depends on the order of pools, which the release leaves open; dralint then takes
            pools by name.
        before: NAMESPACE/NAME of the claims that are already allocated.
        unread: what the Pod has and dralint does not simulate.
        faults: faults of the release that change the answer.
    """

    id: str
    claims: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    refused: str = ""
    by_server: bool = False
    unsure: bool = False
    advice: str = ""
    settled: str = ""
    held: str = ""
    eviction: Eviction | None = None
    error: str = ""
    several: list[str] = field(default_factory=list)
    nodes: list[Filtered] = field(default_factory=list)
    fates: dict[str, Fate] = field(default_factory=dict)
    why: dict[str, dict[str, Any]] = field(default_factory=dict)
    after: str = ""
    given_up: list[str] = field(default_factory=list)
    placed: str | None = None
    like: str = ""
    pinned: list[Filtered] = field(default_factory=list)
    replicas: Replicas | None = None
    how_many: HowMany | None = None
    unread: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    pod: Mapping[str, Any] = field(default_factory=dict)

    _fits: list[str] | None = None

    @property
    def fits(self) -> list[str]:
        """The nodes on which it fits."""
        if self._fits is None or self.placed is None:  # the answer for a placed Pod no longer changes
            self._fits = [one.node.name for one in self.nodes if one.fits]
        return self._fits

    @property
    def fate(self) -> Fate | None:
        """What happens to it on all nodes that fit; None where it runs."""
        chosen = [self.placed] if self.placed is not None else self.fits
        found = [self.fates.get(name) for name in chosen]
        bad = [fate for fate in found if fate is not None and fate.kind]
        return bad[0] if bad and len(bad) == len(chosen) else None

    @property
    def answer(self) -> str:
        """`all`, `some` or `none` of the nodes; `error`, `refused`, or `undecided` where the time was up.

        `waits` is for a Pod that the scheduler leaves alone or does not bind, `evicted` for one that ends at once.
        """
        if self.refused:
            return "undecided" if self.unsure else "refused"
        if self.settled:
            return "all"
        if self.held:
            return "waits"
        if self.eviction is not None:
            return "evicted"
        if self.error or (self.placed is None and any(one.error and one.decided for one in self.nodes)):
            return "error"
        if self.fate is not None:
            return self.fate.kind
        fits = len(self.fits)
        if fits and fits == len(self.nodes):
            return "all"
        if fits:
            return "some"
        return "none" if all(one.decided for one in self.nodes) else "undecided"


@dataclass
class Replicas:
    """The Pods of a workload: how many it wants, how many run already, and the nodes of the others.

    `ended` are live Pods that go away, because of a new template or fewer replicas.
    """

    wanted: int
    running: int = 0
    placed: dict[str, int] = field(default_factory=dict)
    ended: int = 0

    @property
    def stuck(self) -> int:
        """How many Pods do not start to run."""
        return self.wanted - self.running - sum(self.placed.values())


@dataclass
class HowMany:
    """How many more Pods of a kind fit: `pods` in all, on which `nodes`, and why no more (`then`: node → reasons).

    `unlimited`: the Pod needs nothing of its own, so devices do not limit it; `stopped`: there were too many to count.
    `refused` is what refuses the next one before any node; `quotas` has what is left of the namespace's before.
    """

    pods: int = 0
    nodes: dict[str, int] = field(default_factory=dict)
    unlimited: bool = False
    stopped: bool = False
    refused: str = ""
    quotas: list[str] = field(default_factory=list)
    rest: list[Filtered] = field(default_factory=list)
    then: dict[str, dict[str, Any]] = field(default_factory=dict)


class Questions:
    """Answers questions about the Pods of manifests, or of the cluster itself.

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
        self.scheduler = Scheduler(self.inventory, cluster.of("ResourceClaim"), behaviour)
        self.quotas = quotas or Quotas(cluster, behaviour)
        self.room = Room(cluster.of("Pod"), self.inventory.nodes, self.scheduler.by_resource, behaviour)
        self.staying = Staying(self.inventory, behaviour, newest_time(cluster) or datetime.now(UTC))

    # One Pod, or the Pods of a workload

    def ask(self, workload: Workload) -> Answer:
        """Return the result for a Pod, or for the Pods of a workload, if it were alone; the cluster does not change."""
        plan = self._plan(workload)
        settled = self._settled(workload, plan)
        if settled is not None:
            return settled
        named = any(entry.get("resourceClaimName") for entry in workload.pod["spec"].get("resourceClaims") or ())
        if plan.simple and not plan.waiting and not named and not self.quotas.of(workload.namespace):
            return self._ask(workload, self._asked)
        with self._aside():
            self._clear(plan)
            if plan.simple:
                return self._ask(workload)
            if plan.pins:
                return self._carry_out(workload, plan)
            first = self._ask(self._next(workload, plan, 0))
            if not first.fits and not plan.old:
                first.replicas = Replicas(plan.wanted, len(plan.running), ended=len(plan.gone))
                return first
        with self._aside():
            self._clear(plan)
            last = self._carry_out(workload, plan)
        if first.fits and last.replicas is not None and not last.replicas.stuck and last.answer in ("all", "some"):
            first.replicas = last.replicas
            return first
        return last

    def _ask(self, workload: Workload, known: dict[object, Answer] | None = None) -> Answer:
        """Return the result for one Pod; an equal `known` Pod has the same, while the cluster does not change."""
        answer, claims, made = self._prepare(workload)
        shape = None if known is None else self._shape(answer, claims)
        if known is not None and shape is not None:
            first = known.setdefault(shape, answer)
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
                self._fates(answer, claims)
                break
            claims = again
            answer.nodes = []
        self._explain(answer, workload)
        self._forget(made)
        return answer

    def _plan(self, workload: Workload) -> Plan:
        nodes: list[str] = []
        if workload.kind == "DaemonSet":
            asker = Asker({**workload.pod, "spec": tolerant(workload.pod["spec"])})
            nodes = [node.name for node in self.nodes if self.room.selects(asker, node)]
        return plan_of(workload, self.cluster, nodes)

    def _settled(self, workload: Workload, plan: Plan) -> Answer | None:
        """Return the answer for a Pod that needs no scheduling; None for others."""
        answer = Answer(workload.id, pod=workload.pod)
        spec = workload.pod["spec"]
        live = self.cluster.before.get(("Pod", workload.namespace, workload.name)) if workload.kind == "Pod" else None
        node = ((live or {}).get("spec") or {}).get("nodeName")
        if plan.none:
            answer.settled = f"makes no Pod: {plan.none}"
        elif node:
            answer.settled = f"runs on {node} already"
        elif not plan.missing:
            number = len(plan.running)
            answer.settled = "runs already" if number == 1 else f"runs already, with all its {number} Pods"
        elif spec.get("schedulingGates"):
            names = ", ".join(str(gate.get("name")) for gate in spec["schedulingGates"])
            answer.held = f"it is not scheduled before its scheduling gates are removed ({names})"
        elif spec.get("schedulerName") not in (None, "", _SCHEDULER):
            name = spec["schedulerName"]
            if any(
                p["spec"].get("schedulerName") == name and p["spec"].get("nodeName") for p in self.cluster.of("Pod")
            ):
                return None
            answer.held = f"it waits for the scheduler {name}, which has placed no Pod of the inventory"
        else:
            return None
        return answer

    def _next(self, workload: Workload, plan: Plan, number: int) -> Workload:
        """Return the Pod that a workload makes next."""
        made = _another(workload)
        if plan.pins:
            made.pod = for_node(made.pod, plan.pins[number])
        return made

    def _carry_out(self, workload: Workload, plan: Plan) -> Answer:
        """Make the Pods of a workload, one after the other, and return the result for the last; `gone` ones go away."""
        done = Replicas(plan.wanted, len(plan.running), ended=len(plan.gone))
        old = list(plan.old)
        memory, new, made = Memory(), 0, False
        answer = self._on_each_node(workload, plan, done) if plan.pins else Answer(workload.id, pod=workload.pod)
        while not plan.pins and new < min(plan.missing, MOST):
            there = done.running + new + len(old)
            if made or there < plan.wanted + plan.surge or not old:
                made = True
                answer = self._place(self._next(workload, plan, new), memory, explain=False)
                if answer.fate is not None:
                    break
                if answer.placed is not None:
                    done.placed[answer.placed] = done.placed.get(answer.placed, 0) + 1
                    new, made = new + 1, False
                    continue
            if not old or there <= plan.wanted - plan.spare:
                break
            self._end(old.pop(0))
            done.ended += 1
            memory = Memory()
        if not done.stuck:
            done.ended += len(old)
            self._end_all(old)
        answer.replicas = done
        self._explain(answer, workload)
        return answer

    def _on_each_node(self, workload: Workload, plan: Plan, done: Replicas) -> Answer:
        """Make the Pods of a DaemonSet; return the result for the first that does not run, or else for the last."""
        answer, failed = Answer(workload.id, pod=workload.pod), None
        shut: list[Filtered] = []
        for number, name in enumerate((plan.pins or ())[:MOST]):
            answer = self._place(self._next(workload, plan, number), Memory(stale={name}), explain=False)
            if answer.refused:
                return answer
            if answer.placed is not None and answer.fate is None:
                done.placed[name] = 1
                continue
            shut += [one for one in answer.nodes if not one.fits]
            failed = failed or answer
        if failed is None:
            return answer
        asker, own = _asker(workload, failed.pod), {one.node.name: one for one in failed.nodes}
        for node in self.nodes if asker is not None and not failed.fits else ():
            if node.name not in own and asker is not None:
                said, detail = self.room.lacks(asker, node)
                own[node.name] = Filtered(node, fits=False, reasons=said, detail=detail)
        failed.nodes = list(own.values())
        failed.pinned = shut
        return failed

    def _clear(self, plan: Plan) -> None:
        """Remove the Pods that go away at once, and pending ones, which are made again."""
        self._end_all((*plan.gone, *plan.waiting))

    def _end_all(self, pods: Iterable[Mapping[str, Any]]) -> None:
        for pod in pods:
            self._end(pod)

    def _end(self, pod: Mapping[str, Any]) -> None:
        """Remove a live Pod, and what only it uses."""
        self._changed(None)
        metadata, node = pod["metadata"], (pod.get("spec") or {}).get("nodeName")
        if node:
            self.room.add(pod, str(node), -1)
        self.quotas.free("Pod", pod)
        names = [entry.get("resourceClaimName") for entry in (pod.get("spec") or {}).get("resourceClaims") or ()]
        statuses = (pod.get("status") or {}).get("resourceClaimStatuses") or ()
        generated = [entry.get("resourceClaimName") for entry in statuses]
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
            if name in generated:
                del self.scheduler.claims[key]
                self.quotas.free("ResourceClaim", claim)
            else:
                status.pop("allocation", None)
                self.scheduler.claims[key] = {**claim, "status": {**status, "reservedFor": []}}

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """Undo all changes of the cluster at the end of the block."""
        saved = self.inventory.in_use, dict(self.scheduler.claims), self.room, self.quotas
        self.inventory.in_use = saved[0].copy()
        self.room, self.quotas = self.room.copy(), self.quotas.copy()
        try:
            yield
        finally:
            self.inventory.in_use, self.scheduler.claims, self.room, self.quotas = saved

    def until_fit(self, workload: Workload, seconds: float) -> Answer:
        """Return the result for a Pod on the nodes up to the first that fits; the cluster does not change.

        Of nodes with equal results, only the first is tried. Those that `seconds` is too short for are undecided. There
        are no reasons yet.
        """
        end = time.process_time() + seconds
        answer, claims, made = self._prepare(workload)
        if not answer.refused:
            asked = PodFilter(self.scheduler, answer.pod, claims, self.timeout)
            asker = _asker(workload, answer.pod)
            seen: set[object] = set()
            for node in self.nodes:
                if time.process_time() > end:
                    answer.nodes.append(Filtered(node, fits=False, undecided="time is up"))
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
            if one.outcome is not None and one.decided:
                other = asked.on(one.node)
                if other.decided and (other.allocations, other.error) != (one.allocations, one.error):
                    answer.several.append(one.node.name)

    def _score(self, answer: Answer, claims: PodClaims) -> None:
        """Give up on the Pod if scoring mixes earlier and new claims."""
        new = len(claims.wanted) + bool(claims.extended)
        if self.behaviour.has("scores_by_index") and claims.allocated and new and len(answer.fits) > 1:
            answer.error = f"number of allocations {new} is smaller than number of claims"

    def _prepare(self, workload: Workload) -> tuple[Answer, PodClaims, list[dict[str, Any]]]:
        pod, made, missing = with_generated_claims(workload.pod, self.cluster)
        answer = Answer(workload.id, pod=pod, unread=_unread(pod))
        refused = "" if workload.kind in ("Pod", *_MADE_UP) else self.quotas.charge("Pod", pod)
        if refused:
            answer.refused, answer.by_server = f"pods are forbidden: {refused}", True
            return answer, PodClaims(), []
        for claim in made:
            refused = "" if workload.kind in _MADE_UP else self.quotas.charge("ResourceClaim", claim)
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
                answer.advice = missing if answer.refused.endswith(_NOT_CREATED) else self._advice(answer.refused)
            return answer, PodClaims(), made
        if claims.wanted and not self.inventory.slices and (unsure := self.cluster.unsure("ResourceSlice")):
            answer.refused, answer.unsure = unsure, True
            return answer, PodClaims(), made
        answer.claims = [claim_name(claim) for claim in (*claims.allocated, *claims.wanted)]
        answer.before = [claim_name(claim) for claim in claims.allocated]
        if claims.extended:
            answer.claims.append(f"{workload.namespace}/{EXTENDED_NAME}")
        return answer, claims, made

    def _shape(self, answer: Answer, claims: PodClaims) -> object:
        """Return what a Pod wants, equal for Pods with equal results; None where it may equal no other."""
        if answer.refused or claims.allocated or claims.extended:
            return None
        spec = answer.pod.get("spec") or {}
        if any(entry.get("resourceClaimName") for entry in spec.get("resourceClaims") or ()):
            return None
        metadata = answer.pod["metadata"]
        asked = [claim.get("spec") for claim in claims.wanted]
        parts = [metadata.get("namespace"), metadata.get("labels"), asked, {k: spec[k] for k in _PLACING if k in spec}]
        containers = [[each.requests, each.lasting] for each in extended.containers(answer.pod)]
        ports = sorted(Asker(answer.pod).ports)
        return json.dumps([parts, containers, ports, answer.unread], sort_keys=True, default=str)

    def _advice(self, refused: str) -> str:
        if "device class" in refused:
            name = refused.rpartition("device class ")[2].removesuffix(" does not exist")
            return closest(name, self.inventory.classes) or _these("DeviceClasses", self.inventory.classes)
        if refused.startswith("could not find resource claim"):
            wanted = refused.split('"')[1]
            return closest(wanted, self.scheduler.claims) or ""
        return ""

    def _looked_at(
        self, nodes: Iterable[ClusterNode], answer: Answer, workload: Workload, claims: PodClaims
    ) -> Iterator[Filtered]:
        """Yield what each node says of a Pod with these claims."""
        asked = PodFilter(self.scheduler, answer.pod, claims, self.timeout)
        asker = _asker(workload, answer.pod)
        for node in nodes:
            yield self._on(asked, asker, node)

    def _on(self, asked: PodFilter, asker: Asker | None, node: ClusterNode) -> Filtered:
        if self.advance is not None:
            self.advance(1)
        if asker is None:
            return asked.on(node)
        said, detail = self.room.lacks(asker, node)
        return Filtered(node, fits=False, reasons=said, detail=detail) if said else asked.on(node)

    def _times_out(self, answer: Answer) -> None:
        """Note where the scheduler runs out of time: then it uses no other node either.

        It does use others if it finds enough of them before; it wants a hundred.
        """
        if not answer.error and len(answer.fits) < _ENOUGH_NODES:
            slow = (one for one in answer.nodes if one.outcome is not None and one.outcome.times_out)
            first = next(slow, None)
            if first is not None:
                answer.error = _TIMED_OUT.format(first.node.name)

    def _after(self, answer: Answer, claims: PodClaims) -> None:
        if not answer.fits:
            answer.after = self.scheduler.after(answer.pod, claims, answer.nodes)

    def _given_up(self, answer: Answer, claims: PodClaims) -> PodClaims | None:
        """Give up the allocation of an unreserved claim on other nodes, as the scheduler does.

        Return the claims with which it tries again, None where it does not.
        """
        if answer.fits or answer.after != DEALLOCATED:
            return None
        names = {name for one in answer.nodes for name in one.unavailable}
        for claim in claims.allocated:
            name = claim_name(claim)
            if name in names and not (claim.get("status") or {}).get("reservedFor"):
                give_back(self.inventory.in_use, claim, self.behaviour)
                status = {key: value for key, value in claim["status"].items() if key != "allocation"}
                self.scheduler.claims[name] = {**claim, "status": status}
                answer.given_up.append(name)
                answer.before.remove(name)
                answer.after = ""
                return self.scheduler.claims_of(answer.pod)
        return None

    def _fates(self, answer: Answer, claims: PodClaims) -> None:
        """Note what happens to the Pod on the nodes that fit."""
        if answer.nodes and answer.fits:
            old = self._fate_of(answer, claims)
            for one in answer.nodes:
                fate = old or (self._fate_on(answer, one, claims) if one.fits else None)
                if fate is not None and one.fits:
                    answer.fates[one.node.name] = fate

    def _fate_of(self, answer: Answer, claims: PodClaims) -> Fate | None:
        """Return why no Pod can join a claim that is allocated already."""
        uid = (answer.pod.get("metadata") or {}).get("uid")
        stamps = {"DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"} <= self.behaviour.gates
        for claim in claims.allocated:
            status = claim["status"]
            reserved = status.get("reservedFor") or ()
            if uid and any(entry.get("uid") == uid for entry in reserved):
                continue
            name = claim_name(claim)
            if len(reserved) >= MOST_CONSUMERS:
                text = f"status.reservedFor: Too many: {len(reserved) + 1}: must have at most {MOST_CONSUMERS} items"
                return Fate("error", f"{_PLUGIN}: add reservation to claim {name}: {text}")
            if stamps and not status["allocation"].get("allocationTimestamp"):
                return Fate("error", f"{_PLUGIN}: add reservation to claim {name}: {FIXED_ALLOCATION}")
        return None

    def _fate_on(self, answer: Answer, one: Filtered, claims: PodClaims) -> Fate | None:
        made = [result for a in one.allocations or () for result in (a.get("devices") or {}).get("results") or ()]
        results = [*made, *(result for claim in claims.allocated for result in results_of(claim))]
        if not results:
            return None
        missing = waits_for(made, self.cluster)
        if missing:
            text = f"waits in PreBind for {', '.join(missing)}, which no driver has set in the inventory"
            return Fate("waits", text)
        evictions = [self.staying.eviction(results), self.staying.of_node(answer.pod, one.node)]
        eviction = min(filter(None, evictions), key=lambda each: each.seconds, default=None)
        if eviction is not None:
            return Fate("evicted" if eviction.seconds <= SHORT else "", eviction.text)
        if claims.extended and one.claims and one.claims[-1]["metadata"]["name"] == EXTENDED_NAME:
            quotas = self.quotas.copy()
            refused = quotas.charge("ResourceClaim", one.claims[-1], quotas.of_extended(one.claims[-1], answer.pod))
            if refused:
                return Fate("error", f"{_PLUGIN}: create claim for extended resources: {refused}")
        needed = [*([kubelets.EXTENDED] if claims.extended else []), kubelets.CLAIMS]
        needed += [kubelets.SHARES] if any(result.get("shareID") for result in results) else []
        said = kubelets.too_old(one.node.kubelet, tuple(needed)) if one.node.kubelet else ""
        return Fate("", said) if said else None

    def _explain(self, answer: Answer, workload: Workload) -> None:
        if self.explain == "never" or (self.explain == "auto" and answer.answer in _NOT_EXPLAINED):
            return
        if workload.kind not in _MADE_UP:
            self._without_other_limits(answer)
        self.explain_all(answer)

    def _without_other_limits(self, answer: Answer) -> None:
        """Note the nodes that do not fit the Pod although their devices would do."""
        shut = [one for one in answer.nodes if one.detail]
        if answer.fits or not shut or answer.refused:
            return
        try:
            claims = self.scheduler.claims_of(answer.pod)
        except RefusedError:
            return
        asked = PodFilter(self.scheduler, answer.pod, claims, self.timeout)
        for one in shut[:_TRIED_WITHOUT]:
            one.devices_fit = bool(asked.on(one.node).allocations)

    def explain_all(self, answer: Answer, seconds: float | None = None) -> None:
        """Find the reasons for every node that does not fit; for as many as `seconds` allows, and at least for one."""
        end = None if seconds is None else time.process_time() + seconds
        for one in (*answer.pinned, *answer.nodes):
            if answer.why and end is not None and time.process_time() > end:
                return
            why = reasons(one)
            if why is not None:
                answer.why[one.node.name] = why

    def _forget(self, made: Iterable[Mapping[str, Any]]) -> None:
        """Remove the claims that were made for a Pod."""
        for claim in made:
            self.scheduler.claims.pop(claim_name(claim), None)

    # Many Pods

    def sequence(self, workloads: Iterable[Workload]) -> list[Answer]:
        """Return the results for Pods one after the other; each one leaves fewer devices for the next.

        Controllers end Pods as soon as they see the manifests, and the scheduler tries pending Pods again. So all Pods
        that only go away are gone before any Pod is placed.
        """
        answers = []
        planned = [(workload, self._plan(workload)) for workload in workloads]
        for _, plan in planned:
            self._clear(plan)
        for workload, plan in planned:
            answer = self._settled(workload, plan)
            if answer is None:
                answer = self._place(workload) if plan.simple else self._carry_out(workload, plan)
            elif answer.settled:
                self._end_all(plan.old)
            answers.append(answer)
        return answers

    def how_many(self, workload: Workload) -> Answer:
        """Return how many more Pods like this one fit; the cluster does not change."""
        with self._aside():
            first = self._ask(workload)
        count = HowMany(quotas=[line for quota in self.quotas.of(workload.namespace) for line in quota.rest()])
        with self._aside():
            memory = Memory()
            for one in () if first.before or first.given_up else first.nodes:
                memory.learn(one)
            answer = first
            while not first.refused:
                answer = self._place(_another(workload), memory, explain=False, whole=False)
                if answer.placed is None:
                    break
                count.pods += 1
                count.nodes[answer.placed] = count.nodes.get(answer.placed, 0) + 1
                if not memory.used:
                    count.unlimited = True
                    break
                if count.pods >= MOST:
                    count.stopped = True
                    break
            count.rest = answer.nodes
            count.refused = "" if answer is first else answer.advice or answer.refused
            if self.explain != "never" and answer.placed is None:
                found = {one.node.name: reasons(one) for one in answer.nodes}
                count.then = {name: why for name, why in found.items() if why is not None}
        first.how_many = count
        return first

    def _place(
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
        self._fates(Answer("", nodes=[best], fates=answer.fates, pod=answer.pod), claims)
        fate = answer.fates.get(best.node.name)
        answer.placed = best.node.name
        if fate is not None and fate.kind == "error":
            self._forget(made)
            return answer
        self._take(answer, best, claims, made, memory)
        return answer

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

    def _take(
        self, answer: Answer, best: Filtered, claims: PodClaims, made: Sequence[Mapping[str, Any]], memory: Memory
    ) -> None:
        """Count what a Pod takes on its node as in use."""
        memory.used = False
        changed: set[tuple[str, str]] = set()
        consumer = {"resource": "pods", "name": answer.pod["metadata"].get("name")}
        consumer["uid"] = f"{answer.pod['metadata'].get('uid')} {id(answer)}"
        for claim in claims.allocated:
            status = claim["status"]
            reserved = [*(status.get("reservedFor") or ()), consumer]
            self.scheduler.claims[claim_name(claim)] = {**claim, "status": {**status, "reservedFor": reserved}}
        for claim, allocation in zip(best.claims, best.allocations or (), strict=False):
            stamped = {**allocation, "allocationTimestamp": self.staying.now.isoformat()}
            status = {**(claim.get("status") or {}), "allocation": stamped, "reservedFor": [consumer]}
            done = {**claim, "status": status}
            take(self.inventory.in_use, done, self.behaviour)
            if claim["metadata"]["name"] != EXTENDED_NAME:
                self.scheduler.claims[claim_name(claim)] = done
            else:
                self.quotas.charge("ResourceClaim", claim, self.quotas.of_extended(claim, answer.pod))
            for result in (allocation.get("devices") or {}).get("results") or ():
                memory.used = memory.used or not result.get("adminAccess")
                changed.add((result["driver"], result["pool"]))
        self.room.add(answer.pod, best.node.name)
        shared = any(entry.get("resourceClaimName") for entry in answer.pod["spec"].get("resourceClaims") or ())
        if shared or self.room.neighbours.concern(answer.pod):
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

    # Which Pods

    def evictions(self, before: Cluster | None = None) -> list[Answer]:
        """Return the running Pods that taints of devices or nodes end.

        With `before`, the cluster without the manifests: only Pods that ran there and did not end there.
        """
        found = live_evictions(self.cluster, self.staying)
        if found and before is not None:
            other = Questions(before, self.behaviour, explain="never")
            anyway = live_evictions(before, Staying(other.inventory, self.behaviour, self.staying.now))
            found = {
                key: eviction
                for key, eviction in found.items()
                if anyway.get(key) != eviction
                and (("Pod", *key) in before.objects or ("Pod", *key) not in self.cluster.objects)
            }
        answers = []
        for (namespace, name), eviction in sorted(found.items(), key=lambda each: (each[1].seconds, each[0])):
            pod = self.cluster.get("Pod", namespace, name) or {"metadata": {"name": name, "namespace": namespace}}
            answers.append(Answer(f"pod {namespace}/{name}", eviction=eviction, pod=pod))
        return answers

    def pending(self) -> list[Workload]:
        """Return the Pods of the cluster that have claims and wait for a node."""
        found = []
        for pod in self.cluster.of("Pod"):
            workload = workload_of(pod)
            by_resource = self.scheduler.by_resource
            resources = by_resource and any(name in by_resource for name in extended.requested(pod))
            if workload is not None and waits(pod, bool(resources)):
                found.append(workload)
        return found


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
    _fitting: list[tuple[int, str, int, Filtered]] = field(default_factory=list)

    def learn(self, one: Filtered) -> None:
        """Note what a node says."""
        name = one.node.name
        self.known[name] = one
        if one.fits:
            heappush(self._fitting, (-(one.score or 0), name, id(one), one))
        elif one.error or (one.outcome is not None and one.outcome.attempt is not None):
            self.odd.add(name)

    def best(self) -> Filtered | None:
        """Return the node that fits best; of equal ones the first by name."""
        while self._fitting:
            _, name, _, one = self._fitting[0]
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


def workloads_of(manifests: Cluster, originals: Iterable[Mapping[str, Any]], namespace: str) -> list[Workload]:
    """Return the workloads of manifests: every Pod, and each claim or template that none of these uses.

    `originals` are the objects of the manifests in their order, with workloads; `namespace` is for objects without one.
    """
    workloads = [w for item in originals if (w := workload_of(item, namespace)) is not None and _has_devices(w.pod)]
    claims, templates = claims_used(workloads)
    for (kind, inside, name), item in manifests.objects.items():
        unused = (kind == "ResourceClaim" and (inside, name) not in claims) or (
            kind == "ResourceClaimTemplate" and (inside, name) not in templates
        )
        if unused:
            workloads.append(pod_for_claim(kind, item))
    return workloads


def _has_devices(pod: Mapping[str, Any]) -> bool:
    return bool((pod.get("spec") or {}).get("resourceClaims")) or bool(extended.requested(pod))


def _another(workload: Workload) -> Workload:
    """Return a Pod like this one whose claims are not generated yet."""
    metadata = {**workload.pod["metadata"], "uid": f"another {workload.id}"}
    pod = {key: value for key, value in workload.pod.items() if key != "status"}
    return Workload(workload.kind, workload.namespace, workload.name, {**pod, "metadata": metadata}, workload.item)


def _like(first: Answer, answer: Answer) -> Answer:
    """Return the answer for a Pod that equals another one, which has a full answer."""
    return replace(first, id=answer.id, claims=answer.claims, pod=answer.pod, like=first.like or first.id)


def _asker(workload: Workload, pod: Mapping[str, Any]) -> Asker | None:
    """Return what a Pod needs of nodes besides devices; None where there is only a claim."""
    return None if workload.kind in _MADE_UP else Asker(pod)


def _unread(pod: Mapping[str, Any]) -> list[str]:
    """Return what a Pod has that dralint does not simulate."""
    from dralint.simulate import pod_affinity

    spec = pod.get("spec") or {}
    found = []
    volumes = [volume for volume in spec.get("volumes") or () if isinstance(volume, dict)]
    if any(volume.get("persistentVolumeClaim") or volume.get("ephemeral") for volume in volumes):
        found.append("volumes of persistent volume claims")
    if pod_affinity.unread(pod):
        found.append("affinity by the labels of namespaces")
    if spec.get("schedulerName") not in (None, "", _SCHEDULER):
        found.append(f"the scheduler {spec['schedulerName']} (here as the default one)")
    if priority_of(spec) > 0:
        found.append("preemption of Pods with a lower priority")
    if spec.get("schedulingGroup") or spec.get("workloadRef"):
        found.append("scheduling in groups")
    return found


def _these(what: str, names: Iterable[str]) -> str:
    shown = ", ".join(sorted(names)[:8])
    return f"the {what} there are: {shown}" if shown else f"there are no {what}"
