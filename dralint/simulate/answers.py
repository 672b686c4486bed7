"""The answer for one Pod, or for the Pods of a workload: in a word, with its reasons, and as JSON."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint.simulate.reasons import reasons
from dralint.simulate.text import event, sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.evictions import Eviction, PlacementOutcome
    from dralint.simulate.scheduler import Filtered


@dataclass
class Answer:
    """The result for one Pod, or for the Pods of a workload.

    Attributes:
        id: `pod NAMESPACE/NAME`, `deployment …`, `claim …`, `template …`.
        claims: NAMESPACE/NAME of its claims, in its order.
        refused: why it is tried on no node, in the scheduler's words; empty otherwise. `advice` is dralint's, on it or
            on another object that keeps it.
        unsure: whether `refused` is dralint's: what decides is not in the inventory, and may be in the cluster.
        by_server: whether the API server, not the scheduler, refuses it.
        no_scheduling_needed: why there is nothing to schedule (it runs, or makes no Pod); empty otherwise.
        gated: why the scheduler leaves the Pod alone; empty otherwise. `says` is what the event of the Pod says then.
        eviction: what ends a running Pod, None otherwise.
        spared: the taint that does not end a running Pod, because of a fault of the release; empty otherwise.
        nodes: the result for each chosen node.
        outcomes: node → what happens to the Pod there, if it does not simply run.
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
        unread: what the Pod has and dralint does not simulate: a Pod that seems to fit may not run. `loosens` says that
            one that seems not to fit may run as well.
        faults: faults of the release that change the answer.
        met: other known faults of the release or of a driver that the Pod, its claims or classes meet.
    """

    id: str
    claims: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    refused: str = ""
    by_server: bool = False
    unsure: bool = False
    advice: str = ""
    no_scheduling_needed: str = ""
    gated: str = ""
    says: str = ""
    eviction: Eviction | None = None
    spared: str = ""
    error: str = ""
    several: list[str] = field(default_factory=list)
    nodes: list[Filtered] = field(default_factory=list)
    outcomes: dict[str, PlacementOutcome] = field(default_factory=dict)
    why: dict[str, dict[str, Any]] = field(default_factory=dict)
    after: str = ""
    given_up: list[str] = field(default_factory=list)
    placed: str | None = None
    like: str = ""
    pinned: list[Filtered] = field(default_factory=list)
    replicas: Replicas | None = None
    headroom: Headroom | None = None
    unread: list[str] = field(default_factory=list)
    loosens: bool = False
    faults: list[str] = field(default_factory=list)
    met: list[str] = field(default_factory=list)
    pod: Mapping[str, Any] = field(default_factory=dict)

    _fits: list[str] | None = None

    @property
    def fits(self) -> list[str]:
        """The nodes on which it fits; those where other Pods have to end for it only if there are no others."""
        if self._fits is not None:
            return self._fits
        fitting = [one for one in self.nodes if one.fits]
        found = [one.node.name for one in fitting if not one.victims] or [one.node.name for one in fitting]
        if self.placed is not None:  # the answer for a placed Pod no longer changes
            self._fits = found
        return found

    @property
    def not_simulated(self) -> list[str]:
        """What dralint does not simulate, and what matters for the Pod."""
        chosen = self.fits if self.placed is None else [self.placed]
        known = isinstance((self.pod.get("spec") or {}).get("priority"), int)
        ends = not known and any(one.victims for one in self.nodes if one.node.name in chosen)
        return [*self.unread, *([_PREEMPTION] if ends else [])]

    @property
    def outcome(self) -> PlacementOutcome | None:
        """What happens to it on all nodes that fit; None where it runs."""
        chosen = [self.placed] if self.placed is not None else self.fits
        found = [self.outcomes.get(name) for name in chosen]
        bad = [one for one in found if one is not None and one.kind]
        return bad[0] if bad and len(bad) == len(chosen) else None

    @property
    def answer(self) -> str:
        """`all`, `some` or `none` of the nodes; `error`, `refused`, or `undecided` where the time was up.

        `waits` is for a Pod that the scheduler leaves alone or does not bind, `evicted` for one that ends at once. What
        is not simulated leaves open whether a Pod runs that otherwise would.
        """
        found = self._answer
        open_ = found in ("all", "some") and not self.no_scheduling_needed
        return "undecided" if (open_ or (self.loosens and found == "none")) and self.not_simulated else found

    @property
    def out_of_scope(self) -> bool:
        """Whether it is undecided because of what dralint does not simulate."""
        return self.answer == "undecided" != self._answer

    @property
    def _answer(self) -> str:
        """The answer if what is not simulated changed nothing."""
        if self.refused:
            return "undecided" if self.unsure else "refused"
        if self.no_scheduling_needed:
            return "all"
        if self.gated:
            return "waits"
        if self.eviction is not None:
            return "evicted"
        if self.error or self.spared or (self.placed is None and any(one.error and one.decided for one in self.nodes)):
            return "error"
        if self.outcome is not None:
            return self.outcome.kind
        fits = len(self.fits)
        if fits and fits == len(self.nodes):
            return "all"
        if fits:
            return "some"
        return "none" if all(one.decided for one in self.nodes) else "undecided"

    def explain(self, seconds: float | None = None) -> None:
        """Find the reasons for every node that does not fit; for as many as `seconds` allows, and at least for one."""
        end = None if seconds is None else time.process_time() + seconds
        for one in (*self.pinned, *self.nodes):
            if self.why and end is not None and time.process_time() > end:
                return
            why = reasons(one)
            if why is not None:
                self.why[one.node.name] = why


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
class Headroom:
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


_PREEMPTION = "preemption by a PriorityClass that is not in the inventory"

VERSION = 1


def document(answers: Sequence[Answer], behaviour: Behaviour, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return all answers as one object."""
    return {
        "version": VERSION,
        "release": str(behaviour.release),
        "allocator": behaviour.implementation,
        "gates": dict.fromkeys(sorted(behaviour.gates), True),
        "questions": [question(answer) for answer in answers],
        **({"notes": list(notes)} if notes else {}),
    }


def question(answer: Answer) -> dict[str, Any]:
    """Return one answer."""
    made: dict[str, Any] = {
        "id": answer.id,
        "claims": answer.claims,
        "allocatedBefore": answer.before,
        "fits": answer.fits,
        "answer": answer.answer,
        "refused": None if answer.unsure else answer.refused or None,
        "advice": answer.advice or None,
        "error": answer.error or None,
        "event": event(answer) or None,
        "placed": None if answer.answer in ("waits", "error") else answer.placed,
        "nodes": [
            node_document(one, answer.why.get(one.node.name), several=one.node.name in answer.several)
            for one in (() if answer.like else answer.nodes)
        ],
    }
    undecided = f"{', '.join(answer.not_simulated)} (not simulated)" if answer.out_of_scope else ""
    ended = answer.eviction.text if answer.eviction is not None else ""
    spared = f"not evicted: {answer.spared}" if answer.spared else ""
    many = answer.replicas
    sometimes = {
        "like": answer.like,
        "undecided": answer.refused if answer.unsure else undecided,
        "state": answer.no_scheduling_needed or answer.gated or ended or spared,
        "replicas": many
        and {
            "wanted": many.wanted,
            "running": many.running,
            "placed": many.placed,
            "ended": many.ended,
            "missing": many.stuck,
        },
        "fates": {node: {"kind": one.kind or "note", "text": one.text} for node, one in answer.outcomes.items()},
        "givenUp": answer.given_up,
        "faults": answer.faults,
        "knownFaults": answer.met,
        "notSimulated": answer.not_simulated,
    }
    made |= {key: value for key, value in sometimes.items() if value}
    count = answer.headroom
    if count is not None:
        made["howMany"] = {
            "pods": None if count.unlimited else count.pods,
            "atLeast": count.stopped,
            "nodes": count.nodes,
            "then": {one.node.name: sentence(one, count.then.get(one.node.name)) for one in count.rest}
            if not count.unlimited
            else {},
        }
    return made


def node_document(one: Filtered, why: Mapping[str, Any] | None, *, several: bool = False) -> dict[str, Any]:
    """Return the result for a node; `several` says that it depends on an order that the release leaves open."""
    made: dict[str, Any] = {
        "node": one.node.name,
        "fits": one.fits,
        "undecided": one.undecided or None,
        "score": one.score,
        "seconds": round(one.seconds, 6),
        "allocations": one.allocations if one.fits else None,
        "error": one.error or None,
        "reasons": one.reasons,
        "several": several,
        "requestMappings": list(one.mappings) if one.fits else [],
    }
    if not one.fits:
        made["sentence"] = sentence(one, why)
    if why is not None:
        made["why"] = why
    return made
