"""Questions about a cluster: where a Pod fits, alone or after others, how many more, one or many at once."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from dralint.kubernetes import gates as gate_table
from dralint.kubernetes.release import Release, patch_of
from dralint.simulate import extended
from dralint.simulate.allocator import TIMEOUT
from dralint.simulate.answers import Answer, Headroom, Replicas, node_document
from dralint.simulate.behaviours import behaviour, every_gate
from dralint.simulate.cluster import Workload, claims_used, makers, pod_for_claim, take, waits, workload_of
from dralint.simulate.evictions import Staying, live_evictions
from dralint.simulate.groups import Gang, group_of
from dralint.simulate.inventory import ClusterNode, DeviceId, InUse, Inventory, slices_of
from dralint.simulate.node_resources import Asker, number_of
from dralint.simulate.placing import DEFAULT_SCHEDULER, Memory, Placing, another, asker_of
from dralint.simulate.reasons import reasons
from dralint.simulate.replicas import for_node, plan_of, tolerant
from dralint.simulate.scheduler import Filtered, PodClaims, PodFilter, RefusedError, Scheduler
from dralint.simulate.server import admit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Cluster
    from dralint.simulate.groups import Group
    from dralint.simulate.replicas import Plan


MOST = 10_000
"""How many Pods --how-many places before it stops counting."""


class Questions(Placing):
    """Answers questions about the Pods of manifests, or of the cluster itself."""

    def ask(self, workload: Workload) -> Answer:
        """Return the result for a Pod, or for the Pods of a workload, if it were alone; the cluster does not change."""
        plan = self._plan(workload)
        settled = self._settled(workload, plan) or self._blocked(workload, plan)
        if settled is not None:
            return settled
        if (
            plan.simple
            and not plan.waiting
            and not self.shares(workload.pod)
            and not self.quotas.of(workload.namespace)
        ):
            return self.try_nodes(workload, cached=True)
        with self.aside():
            self._clear(plan)
            if plan.simple:
                return self.try_nodes(workload)
            if plan.pins is not None:
                return self._carry_out(workload, plan)
            first = self.try_nodes(another(workload))
            if not first.fits and not plan.old:
                first.replicas = Replicas(plan.wanted, len(plan.running), ended=len(plan.gone))
                return first
        with self.aside():
            self._clear(plan)
            last = self._carry_out(workload, plan)
        if (
            first.fits
            and last.replicas is not None
            and not last.replicas.stuck
            and (last.answer in ("all", "some") or last.out_of_scope)
        ):
            first.replicas = last.replicas
            return first
        return last

    def _plan(self, workload: Workload) -> Plan:
        nodes: dict[str, bool] = {}
        if workload.kind == "DaemonSet":
            asker = Asker({**workload.pod, "spec": tolerant(workload.pod["spec"])})
            running = (node for node in self.nodes if self.room.selects(asker, node, ("NoExecute",)))
            nodes = {node.name: self.room.selects(asker, node) for node in running}
        return plan_of(workload, self.cluster, self.behaviour.gates, nodes)

    def _settled(self, workload: Workload, plan: Plan) -> Answer | None:
        """Return the answer for a Pod that needs no scheduling; None for others."""
        answer = Answer(workload.id, pod=workload.pod)
        spec = workload.pod["spec"]
        live = self.cluster.before.get(("Pod", workload.namespace, workload.name)) if workload.kind == "Pod" else None
        node = ((live or {}).get("spec") or {}).get("nodeName")
        if plan.none:
            answer.no_scheduling_needed = f"makes no Pod: {plan.none}"
        elif node:
            answer.no_scheduling_needed = f"runs on {node} already"
        elif not plan.missing:
            number = len(plan.running)
            answer.no_scheduling_needed = "runs already" if number == 1 else f"runs already, with all its {number} Pods"
        elif spec.get("schedulingGates"):
            names = ", ".join(str(gate.get("name")) for gate in spec["schedulingGates"])
            answer.gated = f"it is not scheduled before its scheduling gates are removed ({names})"
        elif (gang := self._gang(workload)) is not None and gang.lacks:
            tried = gang.tried.get(workload.id)
            if tried is not None and not runs(tried):
                return tried
            answer.gated, answer.says = gang.lacks, gang.event(workload.id, self.behaviour)
        elif spec.get("schedulerName") not in (None, "", DEFAULT_SCHEDULER):
            name = spec["schedulerName"]
            if any(
                p["spec"].get("schedulerName") == name and p["spec"].get("nodeName") for p in self.cluster.of("Pod")
            ):
                return None
            answer.gated = f"it waits for the scheduler {name}, which has placed no Pod of the inventory"
        else:
            return None
        return answer

    def _blocked(self, workload: Workload, plan: Plan) -> Answer | None:
        """Return the answer for a waiting Pod of an older template, for which a StatefulSet waits; None where it runs.

        Once it runs, the Pod is replaced as others are.
        """
        for pod in plan.blocked:
            with self.aside():
                answer = self.try_nodes(Workload(workload.kind, workload.namespace, workload.name, pod, workload.item))
            if not answer.fits or answer.outcome is not None:
                answer.replicas = Replicas(plan.wanted, len(plan.running) + len(plan.old), ended=len(plan.gone))
                name = pod["metadata"].get("name")
                answer.advice = (
                    f"the StatefulSet waits for its Pod {name}, which keeps an older template: delete the Pod"
                )
                return answer
        self.end_all(plan.blocked)
        return None

    def _gang(self, workload: Workload) -> Gang | None:
        group = group_of(workload.pod, self.cluster, self.behaviour) if self.gangs else None
        return None if group is None else self.gangs.get(group)

    def _carry_out(self, workload: Workload, plan: Plan) -> Answer:
        """Make the Pods of a workload, one after the other, and return the result for the last; `gone` ones go away."""
        done = Replicas(plan.wanted, len(plan.running), ended=len(plan.gone))
        old = [] if plan.pins is not None else list(plan.old)
        memory, new, made = Memory(), 0, False
        daemons = plan.pins is not None
        answer = self._on_each_node(workload, plan, done) if daemons else Answer(workload.id, pod=workload.pod)
        while not daemons and new < min(plan.missing, MOST):
            there = done.running + new + len(old)
            if made or there < plan.wanted + plan.surge or not old:
                made = True
                answer = self.place(another(workload), memory, explain=False)
                if answer.outcome is not None:
                    break
                if answer.placed is not None:
                    done.placed[answer.placed] = done.placed.get(answer.placed, 0) + 1
                    new, made = new + 1, False
                    continue
            room = min(there - (plan.wanted - plan.spare), len(old))
            if room <= 0 or (plan.ordered and made):
                break
            self._end_later(plan, done)
            self.end_all(old[:room])
            old = old[room:]
            done.ended += room
            memory = Memory()
        if not done.stuck:
            self._end_later(plan, done)
            done.ended += len(old)
            self.end_all(old)
        answer.replicas = done
        templates = sorted(name for _, name in claims_used([workload])[1])
        alone = not (daemons or self.group_claims.of(workload.pod).claims)
        if done.stuck and done.placed and templates and alone and not (answer.refused or answer.advice):
            answer.advice = (
                f"each of the {done.wanted} Pods gets a claim of its own from the template {templates[0]}; Pods that "
                "are to share devices name one ResourceClaim"
            )
        self._explain(answer, workload)
        return answer

    def _end_later(self, plan: Plan, done: Replicas) -> None:
        """End the Pods that go away once the missing ones run."""
        self.end_all(plan.later)
        done.ended += len(plan.later)
        plan.later = []

    def _on_each_node(self, workload: Workload, plan: Plan, done: Replicas) -> Answer:
        """Make the Pods of a DaemonSet; return the result for the first that does not run, or else for the last."""
        answer, failed = Answer(workload.id, pod=workload.pod), None
        shut: list[Filtered] = []
        old = {str(pod["spec"]["nodeName"]): pod for pod in plan.old}
        batch, left, waiting = list(plan.pins or ()), list(old), 0
        while batch or left:
            if not plan.surge:
                self._replace(batch, old, done)
            for name in batch:
                made = another(workload)
                made.pod = for_node(made.pod, name)
                answer = self.place(made, Memory(stale={name}), explain=False)
                if answer.refused:
                    return answer
                if answer.placed is not None and answer.outcome is None:
                    done.placed[name] = 1
                    self._replace([name], old, done)
                    continue
                waiting += name in old or not plan.surge
                shut += [one for one in answer.nodes if not one.fits]
                failed = failed or answer
            # At most so many nodes have no Pod that runs, or with a surge two of them.
            room = max(0, (plan.surge or plan.spare) - waiting)
            if not room:
                break
            batch, left = left[:room], left[room:]
        if failed is None:
            return answer
        asker, own = asker_of(workload, failed.pod), {one.node.name: one for one in failed.nodes}
        for node in self.nodes if asker is not None and not failed.fits else ():
            if node.name not in own and asker is not None:
                said, detail = self.room.lacks(asker, node)
                own[node.name] = Filtered(node, reasons=said, detail=detail)
        failed.nodes = list(own.values())
        failed.pinned = shut
        return failed

    def _replace(self, nodes: Iterable[str], old: dict[str, dict[str, Any]], done: Replicas) -> None:
        """End the old Pods of a DaemonSet on some nodes."""
        for name in nodes:
            if name in old:
                self.end(old.pop(name))
                done.ended += 1

    def _clear(self, plan: Plan) -> None:
        """Remove the Pods that go away at once, and pending ones, which are made again."""
        self.end_all((*plan.gone, *plan.waiting))

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
        waiting = self._waiting(planned)
        self._find_gangs([*((workload, self._plan(workload)) for workload in waiting), *planned])
        for workload, plan in planned:
            while waiting and self._priority(waiting[0]) >= self._priority(workload):
                self._try_again(waiting.pop(0))
            answer = self._settled(workload, plan) or self._blocked(workload, plan)
            if answer is None:
                answer = self.place(workload) if plan.simple else self._carry_out(workload, plan)
            elif answer.no_scheduling_needed:
                self.end_all(plan.old)
            answers.append(answer)
        return answers

    def _waiting(self, planned: Sequence[tuple[Workload, Plan]]) -> list[Workload]:
        """Return the Pods of the inventory that wait and that the manifests leave alone, as the scheduler takes them.

        Source: pkg/scheduler/framework/plugins/queuesort/priority_sort.go (v1.37.0): by priority, then by time.
        """
        asked = {(w.namespace, w.name) for w, _ in planned if w.kind == "Pod"}
        for _, plan in planned:
            asked.update(
                (p["metadata"].get("namespace"), p["metadata"]["name"]) for p in (*plan.waiting, *plan.blocked)
            )
        found = [w for w in self.pending() if w.pod["metadata"].get("uid") and (w.namespace, w.name) not in asked]
        return sorted(found, key=lambda w: (-self._priority(w), str(w.pod["metadata"].get("creationTimestamp"))))

    def _priority(self, workload: Workload) -> float:
        return number_of(admit(workload.pod, self.cluster).pod["spec"])

    def _try_again(self, workload: Workload) -> None:
        """Place a Pod of the inventory that waits, if it fits now."""
        if self._settled(workload, self._plan(workload)) is None:
            answer = self.place(workload, explain=False)
            if answer.placed is not None and runs(answer):
                self.came_first[f"{workload.namespace}/{workload.name}"] = answer.placed

    def _find_gangs(self, planned: Iterable[tuple[Workload, Plan]]) -> None:
        """Find how many Pods of each group fit together: if they are too few, none of them is scheduled.

        Which Pods come together while old ones are replaced is not simulated.
        """
        members: dict[Group, list[Workload]] = {}
        open_ = set()
        for workload, plan in planned:
            group = group_of(workload.pod, self.cluster, self.behaviour)
            if group is not None and not group.unread:
                own = [workload] if plan.simple else [another(workload) for _ in range(min(plan.missing, MOST))]
                members.setdefault(group, []).extend(own)
                if plan.old or plan.blocked or plan.pins is not None:
                    open_.add(group)
        for group, pods in members.items():
            if group in open_:
                continue
            gang = self.gangs[group] = Gang(group, self.running[group.namespace, group.name], len(pods))
            if gang.scheduled + gang.left < group.least:
                continue
            with self.aside():
                self.scheduler.pending = set() if self.behaviour.has("shares_pending_claims_anywhere") else None
                for pod in pods:
                    answer = gang.tried[pod.id] = self.place(pod, Memory())
                    gang.left -= 1
                    gang.scheduled += runs(answer)
                    if self.behaviour.has("gangs_end_early") and gang.scheduled + gang.left < group.least:
                        break
            self.scheduler.pending = None

    def how_many(self, workload: Workload) -> Answer:
        """Return how many more Pods like this one fit; the cluster does not change."""
        with self.aside():
            first = self.try_nodes(workload)
        count = Headroom(quotas=[line for quota in self.quotas.of(workload.namespace) for line in quota.rest()])
        with self.aside():
            memory = Memory()
            for one in () if first.before or first.given_up else first.nodes:
                memory.learn(one)
            answer = first
            while not first.refused:
                answer = self.place(another(workload), memory, explain=False, whole=False)
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
        first.headroom = count
        return first

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
        """Return the Pods of the cluster that have claims and wait for a node.

        So do those with an extended resource of a class, or with one that neither a class nor a node offers.
        """
        offered = {name for node in self.nodes for name, amount in node.allocatable.items() if str(amount) != "0"}
        plugins = offered.difference(self.scheduler.by_resource)
        waiting = (
            pod
            for pod in self.cluster.of("Pod")
            if waits(pod, bool(offered) and any(name not in plugins for name in extended.requested(pod)))
        )
        return [workload for workload in map(workload_of, waiting) if workload is not None]

    def refused_pod(self, workload: Workload) -> str:
        """Return why the API server refuses the next Pod of a live workload; empty if it lacks none."""
        plan = self._plan(workload)
        if plan.none or plan.old or plan.missing <= len(plan.waiting):
            return ""
        with self.aside():
            answer, _, made = self._prepare(another(workload))
            self._forget(made)
        return answer.refused if answer.by_server else ""


def runs(answer: Answer) -> bool:
    """Say whether a Pod that was placed runs."""
    return answer.placed is not None and answer.outcome is None


def workloads_of(manifests: Cluster, originals: Iterable[Mapping[str, Any]], namespace: str) -> list[Workload]:
    """Return the workloads of manifests: every Pod, and each claim or template that none of these uses.

    `originals` are the objects of the manifests in their order, with workloads; `namespace` is for objects without one.
    """
    workloads = [w for item in originals for w in makers(item, namespace) if has_devices(w.pod)]
    claims, templates = claims_used(workloads)
    for (kind, inside, name), item in manifests.objects.items():
        unused = (kind == "ResourceClaim" and (inside, name) not in claims) or (
            kind == "ResourceClaimTemplate" and (inside, name) not in templates
        )
        if unused:
            workloads.append(pod_for_claim(kind, item))
    return workloads


def has_devices(pod: Mapping[str, Any]) -> bool:
    """Say whether a Pod wants devices, or extended resources, which can be devices."""
    return bool((pod.get("spec") or {}).get("resourceClaims")) or bool(extended.requested(pod))


def answer(line: str) -> dict[str, Any]:
    """Return the answer to one scenario, a JSON object; one that cannot be read has `invalid`."""
    start = time.perf_counter()
    ident: Any = None
    release: Any = None
    try:
        scenario = json.loads(line)
        if not isinstance(scenario, dict):
            raise ValueError("a scenario is a JSON object")
        ident, release = scenario.get("id"), scenario.get("release")
        nodes = _nodes(scenario)
    except Exception as error:  # noqa: BLE001 - objects are not judged here, and one bad scenario must not end the others
        return {"id": ident, "release": release, "invalid": f"{type(error).__name__}: {error}"}
    return {"id": ident, "release": release, "nodes": nodes, "seconds": round(time.perf_counter() - start, 6)}


def _nodes(scenario: Mapping[str, Any]) -> list[dict[str, Any]]:
    release = str(scenario.get("release"))
    named = patch_of(release)
    how = behaviour(release, _gates(scenario), None if named is None else named[1])
    inventory = inventory_of(scenario, how)
    claims = scenario.get("claims") or ()
    pod = scenario.get("pod")
    for claim in claims if pod is not None else ():
        take(inventory.in_use, claim, how)
    scheduler = Scheduler(inventory, claims, how)
    try:
        asked = PodClaims(wanted=list(claims)) if pod is None else scheduler.claims_of(pod)
    except RefusedError as refusal:
        return [
            {"node": node.name, "fits": False, "allocations": None, "reasons": [str(refusal)]}
            for node in inventory.nodes
        ]
    on = PodFilter(scheduler, pod or {}, asked, TIMEOUT).on
    return [node_document(one, reasons(one)) for one in map(on, inventory.nodes)]


def _gates(scenario: Mapping[str, Any]) -> dict[str, bool]:
    release = Release.parse(str(scenario.get("release")))
    # The question is about the allocator alone, as a program that needs to work with no older one.
    chosen = (
        every_gate(release)
        if scenario.get("profile") == "all"
        else dict.fromkeys(gate_table.without_compatibility(release), True)
    )
    features = (scenario.get("features") or {}).items()
    return chosen | {gate: bool(on) for gate, on in features if gate_table.stage(gate, release) is not None}


def inventory_of(scenario: Mapping[str, Any], how: Behaviour) -> Inventory:
    """Return the inventory of a scenario."""
    in_use = InUse()
    for entry in scenario.get("allocated") or ():
        if isinstance(entry, str):
            entry = DeviceId.parse(entry)._asdict()
        in_use.add(entry, "", capacity=how.has("capacity"))
    return Inventory(
        nodes=[
            ClusterNode(
                n.get("name") or "",
                n.get("labels") or {},
                frozenset(n.get("declaredFeatures") or ()),
                n.get("allocatable") or {},
            )
            for n in scenario.get("nodes") or ()
        ],
        classes={c["metadata"]["name"]: c for c in scenario.get("classes") or ()},
        slices=slices_of(scenario.get("slices") or ()),
        taint_rules=[rule.get("spec") or {} for rule in scenario.get("taintRules") or ()],
        in_use=in_use,
    )
