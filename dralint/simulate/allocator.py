"""Allocates claims on nodes: the entry point of the library."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dralint.simulate.allocation import INVALID_POOLS, Attempt, AttemptError, Budget, Scene, UndecidedError
from dralint.simulate.claims import plan
from dralint.simulate.counters import Ledger
from dralint.simulate.inventory import InUse, apply_rules
from dralint.simulate.pools import GatherError, Pools
from dralint.simulate.result import allocation
from dralint.simulate.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from dralint.simulate.allocation import Taken
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.claims import Want
    from dralint.simulate.inventory import Device, Inventory
    from dralint.simulate.node_selection import ClusterNode

TIMEOUT = 10.0
"""Time limit of the scheduler per node, in seconds."""


@dataclass
class Outcome:
    """The result for the claims on one node.

    Attributes:
        taken: the devices for each claim; None where there are none.
        allocations: the AllocationResults (v1); None where there are none.
        error: the text of an error that stops the scheduling of the Pod.
        node_error: the text of an error that concerns only this node.
        undecided: why there is no answer (the time is up, an expression cannot be run); empty where there is one.
        score: the sum of the chosen alternatives' scores; None without scoring.
        cause: the error itself, with its device and expression.
        attempt: the search, if it ended with a proof that nothing fits.
    """

    node: ClusterNode
    taken: list[list[Taken]] | None = None
    allocations: list[dict[str, Any]] | None = None
    error: str = ""
    node_error: str = ""
    undecided: str = ""
    score: int | None = None
    seconds: float = 0.0
    cause: AttemptError | None = None
    attempt: Attempt | None = None

    @property
    def times_out(self) -> bool:
        """Whether the scheduler's own search, without the proof, does not end in its time."""
        if self.attempt is None:
            return False
        from dralint.simulate.hopeless import TOO_MANY, tries  # few searches are proved to be hopeless

        return tries(self.attempt) > TOO_MANY

    @property
    def decided(self) -> bool:
        """Whether there is an answer."""
        return not self.undecided

    @property
    def fits(self) -> bool:
        """Whether all claims got their devices."""
        return self.allocations is not None


class Allocator:
    """Allocates the claims of one Pod, node by node, as the scheduler does; counters are computed once for all nodes.

    Args:
        inventory: the objects of the cluster. Its taint rules are applied to its devices.
        claims: ResourceClaims (v1) in the order of the Pod, without allocated ones.
        behaviour: the release and its gates.
        selection: the selectors evaluated so far; Pods of one behaviour share them.
        relax: limits to leave out (`claims.RELAXATIONS`).
        pools: the pools of the same inventory and behaviour; Pods share them too.

    `spent` is how many seconds the search for reasons took.
    """

    def __init__(
        self,
        inventory: Inventory,
        claims: Sequence[Mapping[str, Any]],
        behaviour: Behaviour,
        *,
        selection: Selection | None = None,
        relax: frozenset[str] = frozenset(),
        pools: Pools | None = None,
    ) -> None:
        self.inventory = inventory
        self._asked = claims
        self._without: dict[str, Allocator] = {}
        self.spent = 0.0
        self.behaviour = behaviour
        self.selection = selection or Selection(behaviour)
        self.relax = relax
        if pools is None:
            apply_taint_rules(inventory, behaviour, self.selection)
            pools = Pools(inventory.slices, behaviour, ignore_counters="counters" in relax)
        self.pools = pools
        in_use = InUse() if "allocated" in relax else inventory.in_use
        self.claims = plan(claims, inventory.classes, behaviour, self.selection, relax)
        self.scene = Scene(behaviour, self.selection, self.claims, in_use, Ledger(behaviour, in_use), relax)

    def on(self, node: ClusterNode, *, timeout: float = TIMEOUT, steps: int | None = None) -> Outcome:
        """Return the result for the claims on a node.

        It is undecided after `timeout` seconds (0 means none), or after `steps` steps of the search.
        """
        start = time.process_time()
        outcome = Outcome(node)
        budget = Budget(start + timeout if timeout else None, steps)
        try:
            view = self.pools.view(node)
            attempt = Attempt(self.scene, view, node, budget)
            taken = attempt.run()
            outcome.attempt = attempt if attempt.proved else None
            if taken is not None:
                outcome.allocations = [
                    allocation(claim, results, node, self.behaviour, self.inventory.classes)
                    for claim, results in zip(self.claims, taken, strict=True)
                ]
                outcome.taken = taken
                if self.behaviour.has("scores"):
                    wants = {(one.want.claim, one.want.base): one.want for results in taken for one in results}
                    outcome.score = sum(map(score, wants.values()))
            elif self.behaviour.has("consults_other_nodes") and any(pool.invalid for pool in view.pools):
                outcome.node_error = INVALID_POOLS
        except (AttemptError, GatherError) as error:
            outcome.error = str(error)
            outcome.cause = error if isinstance(error, AttemptError) else None
        except UndecidedError as error:
            outcome.undecided = str(error)
        outcome.seconds = time.process_time() - start
        return outcome

    def without(self, kind: str) -> Allocator:
        """Return an allocator for the same claims that leaves out one kind of limit (`claims.RELAXATIONS`)."""
        if kind not in self._without:
            pools = None if kind == "counters" else self.pools
            self._without[kind] = Allocator(
                self.inventory,
                self._asked,
                self.behaviour,
                selection=self.selection,
                relax=frozenset({kind}),
                pools=pools,
            )
        return self._without[kind]

    def with_constraints(self, claim: int, indexes: Collection[int]) -> Allocator:
        """Return an allocator for the same claims, one of them with only some of its constraints."""
        item = self._asked[claim]
        spec = item["spec"]
        left = [entry for at, entry in enumerate(spec["devices"]["constraints"]) if at in indexes]
        changed = {**item, "spec": {**spec, "devices": {**spec["devices"], "constraints": left}}}
        claims = [changed if at == claim else other for at, other in enumerate(self._asked)]
        return Allocator(self.inventory, claims, self.behaviour, selection=self.selection, pools=self.pools)


def apply_taint_rules(inventory: Inventory, behaviour: Behaviour, selection: Selection) -> None:
    """Put the taints of the inventory's rules on its devices, as far as the release applies them."""

    def matches(expression: str, device: Device) -> bool:
        return selection.selector(expression).verdict(device) is True

    with_classes = behaviour.has("taint_rules_with_taints")
    rules = inventory.taint_rules if behaviour.taint_rules else ()
    if behaviour.has("needs_selector_of_rules"):
        rules = [rule for rule in rules if rule.get("deviceSelector") is not None]
    apply_rules(inventory, rules, matches, with_classes=with_classes)


def score(want: Want) -> int:
    """Return what the choice of an alternative adds to the score of a node."""
    return 8 - want.alternative if want.prioritized else 0


def allocate(
    inventory: Inventory,
    claims: Sequence[Mapping[str, Any]],
    behaviour: Behaviour,
    *,
    nodes: Sequence[ClusterNode] | None = None,
    timeout: float = TIMEOUT,
) -> list[Outcome]:
    """Return the result for the claims of one Pod on each node (default: all of the inventory), in their order.

    Args:
        claims: ResourceClaims (v1) to allocate together, in the order of the Pod.
        timeout: seconds for each node, after which its result is undecided; 0 means none.
    """
    allocator = Allocator(inventory, claims, behaviour)
    return [allocator.on(node, timeout=timeout) for node in (inventory.nodes if nodes is None else nodes)]
