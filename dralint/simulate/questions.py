"""Questions about a cluster: where does a Pod fit, one after the other, how many more, and which ones wait."""

from __future__ import annotations

import fnmatch
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.near import closest
from dralint.simulate import extended
from dralint.simulate.alike import Likeness
from dralint.simulate.allocator import TIMEOUT
from dralint.simulate.claims import claim_name
from dralint.simulate.cluster import (
    NOT_SELECTED,
    Workload,
    admitted,
    claims_used,
    pod_for_claim,
    take,
    waits,
    with_generated_claims,
    workload_of,
)
from dralint.simulate.extended import NAME as EXTENDED_NAME
from dralint.simulate.inventory import InUse
from dralint.simulate.pools import GatherError, Pools
from dralint.simulate.reasons import reasons
from dralint.simulate.scheduler import Filtered, PodClaims, PodFilter, RefusedError, Scheduler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Cluster
    from dralint.simulate.reach import Node

MOST = 10_000
"""How many Pods --how-many places before it stops counting."""

_NOT_CREATED = "ResourceClaim not created yet"


@dataclass
class Answer:
    """What comes of one Pod.

    Attributes:
        id: `pod NAMESPACE/NAME`, `deployment …`, `claim …`, `template …`.
        claims: NAMESPACE/NAME of its claims, in its order.
        refused: why it is tried on no node, in the scheduler's words; empty otherwise. `advice` is ours.
        nodes: what each node asked about says.
        why: node → reasons, where they were wanted.
        after: what the scheduler does where nothing fits, in its words.
        placed: the node that it gets in a sequence.
        error: an error that concerns no single node.
        several: the nodes where the outcome depends on the order of pools, which the release leaves open; pools are
            taken by name then.
        before: NAMESPACE/NAME of the claims that are allocated already.
    """

    id: str
    claims: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    refused: str = ""
    advice: str = ""
    error: str = ""
    several: list[str] = field(default_factory=list)
    nodes: list[Filtered] = field(default_factory=list)
    why: dict[str, dict[str, Any]] = field(default_factory=dict)
    after: str = ""
    placed: str | None = None
    how_many: HowMany | None = None
    pod: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fits(self) -> list[str]:
        """The nodes on which it fits."""
        return [one.node.name for one in self.nodes if one.fits]

    @property
    def answer(self) -> str:
        """`all`, `some` or `none` of the nodes; `error`, `refused`, or `undecided` where time was up."""
        if self.refused:
            return "refused"
        if self.error or any(one.error and one.decided for one in self.nodes):
            return "error"
        fits = len(self.fits)
        if fits and fits == len(self.nodes):
            return "all"
        if fits:
            return "some"
        return "none" if all(one.decided for one in self.nodes) else "undecided"


@dataclass
class HowMany:
    """How many more Pods of a kind fit: `pods` in all, on which `nodes`, and why no more (`then`: node → reasons).

    `unlimited`: the Pod needs nothing of its own, so devices do not limit it; `stopped`: counting was given up.
    """

    pods: int = 0
    nodes: dict[str, int] = field(default_factory=dict)
    unlimited: bool = False
    stopped: bool = False
    rest: list[Filtered] = field(default_factory=list)
    then: dict[str, dict[str, Any]] = field(default_factory=dict)


class Questions:
    """Asks about the Pods of manifests, or of the cluster itself.

    Args:
        cluster: what there is, with what the manifests bring.
        behaviour: the release and its gates.
        nodes: names or globs of the nodes to ask about; all for none.
        timeout: seconds for each node; 0 waits forever.
        explain: `auto` gives reasons where nothing fits, or nodes are named; `always`, `never`.
        advance: called with 1 for each node looked at.
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
        self._backwards: Pools | None = None
        self._likeness: Likeness | None = None
        self._by_pool: dict[tuple[str, str], list[str]] | None = None
        self.scheduler = Scheduler(self.inventory, cluster.of("ResourceClaim"), behaviour)

    # One Pod

    def ask(self, workload: Workload) -> Answer:
        """Return what comes of a Pod if it were alone; the cluster stays as it is."""
        answer, claims, made = self._prepare(workload)
        if not answer.refused:
            asked = PodFilter(self.scheduler, answer.pod, claims, self.timeout)
            answer.nodes = [self._on(asked, answer.pod, node) for node in self.nodes]
            if not self.behaviour.has("orders_pools"):
                self._other_order(answer, claims)
            self._score(answer, claims)
            self._after(answer, claims)
        self._forget(made)
        self._explain(answer)
        return answer

    def until_fit(self, workload: Workload, seconds: float) -> Answer:
        """Return what comes of a Pod on the nodes up to the first on which it fits; the cluster stays as it is.

        Of nodes on which the same must come of it only the first is asked. Those that `seconds` did not suffice for are
        not decided. There are no reasons yet.
        """
        end = time.process_time() + seconds
        answer, claims, made = self._prepare(workload)
        if not answer.refused:
            asked = PodFilter(self.scheduler, answer.pod, claims, self.timeout)
            seen: set[object] = set()
            for node in self.nodes:
                if time.process_time() > end:
                    answer.nodes.append(Filtered(node, fits=False, undecided="time is up"))
                    break
                look = self._look(node, answer, claims)
                if look in seen:
                    continue
                answer.nodes.append(self._on(asked, answer.pod, node))
                if answer.nodes[-1].fits:
                    break
                if look is not None:
                    seen.add(look)
            if not answer.fits and answer.answer != "undecided" and not self.behaviour.has("orders_pools"):
                self._other_order(answer, claims)
        self._forget(made)
        return answer

    def _look(self, node: Node, answer: Answer, claims: PodClaims) -> object:
        """Return what a node looks like to a Pod, None where nobody knows which others are like it."""
        if self.inventory.in_use != InUse() or claims.allocated or claims.extended:
            return None
        if self._likeness is None:
            kinds = ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate")
            objects = [item for kind in kinds for item in self.cluster.of(kind)]
            self._likeness = Likeness(self.scheduler.pools, self.scheduler.selection, objects)
        look = self._likeness.of(node)
        return None if look is None else (admitted(answer.pod, node), look)

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
        """Give the Pod up where scoring mixes earlier and new claims up."""
        new = len(claims.wanted) + bool(claims.extended)
        if self.behaviour.has("scores_by_index") and claims.allocated and new and len(answer.fits) > 1:
            answer.error = f"number of allocations {new} is smaller than number of claims"

    def _prepare(self, workload: Workload) -> tuple[Answer, PodClaims, list[dict[str, Any]]]:
        pod, made, missing = with_generated_claims(workload.pod, self.cluster)
        answer = Answer(workload.id, pod=pod)
        for claim in made:
            self.scheduler.claims[claim_name(claim)] = claim
        try:
            claims = self.scheduler.claims_of(pod)
        except RefusedError as refusal:
            answer.refused = str(refusal)
            answer.advice = missing if answer.refused.endswith(_NOT_CREATED) else self._advice(answer.refused)
            return answer, PodClaims(), made
        answer.claims = [claim_name(claim) for claim in (*claims.allocated, *claims.wanted)]
        answer.before = [claim_name(claim) for claim in claims.allocated]
        if claims.extended:
            answer.claims.append(f"{workload.namespace}/{EXTENDED_NAME}")
        return answer, claims, made

    def _advice(self, refused: str) -> str:
        if "device class" in refused:
            name = refused.rpartition("device class ")[2].removesuffix(" does not exist")
            return closest(name, self.inventory.classes) or _these("DeviceClasses", self.inventory.classes)
        if refused.startswith("could not find resource claim"):
            wanted = refused.split('"')[1]
            return closest(wanted, self.scheduler.claims) or ""
        return ""

    def _on(self, asked: PodFilter, pod: Mapping[str, Any], node: Node) -> Filtered:
        if self.advance is not None:
            self.advance(1)
        if not admitted(pod, node):
            return Filtered(node, fits=False, reasons=[NOT_SELECTED])
        return asked.on(node)

    def _after(self, answer: Answer, claims: PodClaims) -> None:
        if not answer.fits:
            answer.after = self.scheduler.after(answer.pod, claims, answer.nodes)

    def _explain(self, answer: Answer) -> None:
        if self.explain == "never" or (self.explain == "auto" and answer.answer in ("all", "some")):
            return
        self.explain_all(answer)

    def explain_all(self, answer: Answer, seconds: float | None = None) -> None:
        """Give the reasons for every node that does not fit; as many as `seconds` suffice for, and at least one."""
        end = None if seconds is None else time.process_time() + seconds
        for one in answer.nodes:
            if answer.why and end is not None and time.process_time() > end:
                return
            why = reasons(one)
            if why is not None:
                answer.why[one.node.name] = why

    def _forget(self, made: Iterable[Mapping[str, Any]]) -> None:
        for claim in made:
            self.scheduler.claims.pop(claim_name(claim), None)

    # Many Pods

    def sequence(self, workloads: Iterable[Workload]) -> list[Answer]:
        """Return what comes of Pods one after the other, each taking its devices from the next."""
        return [self._place(workload, Memory()) for workload in workloads]

    def how_many(self, workload: Workload) -> Answer:
        """Return how many Pods like this one fit besides what is there; the cluster stays as it is."""
        saved_use, saved_claims = self.inventory.in_use, dict(self.scheduler.claims)
        self.inventory.in_use = saved_use.copy()
        first = self.ask(workload)
        count = HowMany()
        memory = Memory({} if first.before else {one.node.name: one for one in first.nodes})
        answer = first
        while not first.refused:
            answer = self._place(_another(workload), memory, explain=False)
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
        if self.explain != "never" and answer.placed is None:
            for one in answer.nodes:
                why = reasons(one)
                if why is not None:
                    count.then[one.node.name] = why
        self.inventory.in_use = saved_use
        self.scheduler.claims = saved_claims
        first.how_many = count
        return first

    def _place(self, workload: Workload, memory: Memory, *, explain: bool = True) -> Answer:
        """Put a Pod on the first node that fits, by score, then name, and count its devices as in use."""
        answer, claims, made = self._prepare(workload)
        if answer.refused:
            self._forget(made)
            return answer
        asked = PodFilter(self.scheduler, answer.pod, claims, self.timeout)
        for node in self.nodes:
            known = memory.known.get(node.name)
            if known is None:
                known = memory.known[node.name] = self._on(asked, answer.pod, node)
            answer.nodes.append(known)
        fitting = [one for one in answer.nodes if one.fits]
        if answer.answer == "error" or not fitting:
            self._after(answer, claims)
            if explain:
                self._explain(answer)
            self._forget(made)
            return answer
        best = min(fitting, key=lambda one: (-(one.score or 0), one.node.name))
        answer.placed = best.node.name
        memory.used = False
        changed: set[tuple[str, str]] = set()
        for claim, allocation in zip(best.claims, best.allocations or (), strict=False):
            done = {**claim, "status": {**(claim.get("status") or {}), "allocation": allocation}}
            take(self.inventory.in_use, done, self.behaviour)
            if claim["metadata"]["name"] != EXTENDED_NAME:
                self.scheduler.claims[claim_name(claim)] = done
            for result in (allocation.get("devices") or {}).get("results") or ():
                memory.used = memory.used or not result.get("adminAccess")
                changed.add((result["driver"], result["pool"]))
        if any(claim not in made for claim in claims.wanted):
            memory.known.clear()  # a claim that others share is allocated now
        else:
            for pool in changed:
                memory.forget(self._seeing(pool))
        return answer

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
    """What nodes said of a Pod, as long as nothing changes there; `used`: whether the last one took devices."""

    known: dict[str, Filtered] = field(default_factory=dict)
    used: bool = True

    def forget(self, names: Iterable[str]) -> None:
        """Forget what these nodes said."""
        for name in names:
            self.known.pop(name, None)


def workloads_of(manifests: Cluster, originals: Iterable[Mapping[str, Any]], namespace: str) -> list[Workload]:
    """Return what to ask about manifests: every Pod, and each claim or template that none of these uses.

    Args:
        manifests: the objects of the manifests alone.
        originals: the same objects, in their order, with workloads.
        namespace: of objects that name none.
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
    return Workload(workload.kind, workload.namespace, workload.name, {**pod, "metadata": metadata})


def _these(what: str, names: Iterable[str]) -> str:
    shown = ", ".join(sorted(names)[:8])
    return f"the {what} there are: {shown}" if shown else f"there are no {what}"
