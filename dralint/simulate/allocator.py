"""Allocates claims on nodes: the entry point of the library, and the results that the scheduler would store."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dralint.records import grouped
from dralint.simulate.allocation import INVALID_POOLS, Attempt, AttemptError, Budget, Scene, UndecidedError
from dralint.simulate.capacity import Ledger
from dralint.simulate.claims import Distinct, Match, attribute, plan, scalar
from dralint.simulate.inventory import InUse, apply_rules
from dralint.simulate.pools import GatherError, Pools
from dralint.simulate.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from dralint.simulate.allocation import Taken
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.claims import Claim, Constraint, Request, Want
    from dralint.simulate.inventory import ClusterNode, Device, Inventory


_ANY = 1 << 30


def is_impossible(attempt: Attempt) -> bool:
    """Say whether there is a proof that no devices can be found for the claims."""
    if attempt.behaviour.has("weighs_wrong_device") or attempt.behaviour.has("invalid_pool_is_fatal"):
        return False
    usable: dict[Want, list[Device]] = {}
    try:
        for claim, constraints in zip(attempt.scene.claims, attempt.constraints, strict=True):
            for request in claim.requests:
                for want in request.wants:
                    if want.derived or (
                        want.every and (request.prioritized or any(c.applies(want) for c in constraints))
                    ):
                        return False
                    usable[want] = [device for device in attempt.devices if attempt.usable(want, device)]
    except (AttemptError, UndecidedError):
        return False
    for claim, constraints in zip(attempt.scene.claims, attempt.constraints, strict=True):
        if not all(any(_enough(attempt, want, usable[want]) for want in request.wants) for request in claim.requests):
            return True
        matching = [one for one in constraints if isinstance(one, Match)]
        plain = [request.wants[0] for request in claim.requests if not request.prioritized]
        if any(_unmatched(attempt, one, plain, usable) for one in matching):
            return True
        if any(_repeats(one, plain, usable) for one in constraints if type(one) is Distinct and not one.sets):
            return True
    return False


def _enough(attempt: Attempt, want: Want, devices: Sequence[Device]) -> bool:
    """Say whether there are as many usable devices as a request wants."""
    if want.every:
        return bool(want.devices) and len(set(want.devices) & set(devices)) == len(want.devices)
    return _number(attempt, devices) >= want.number


def _number(attempt: Attempt, devices: Sequence[Device]) -> int:
    """Return how often devices can be taken for one request; a shared one several times in older releases."""
    repeats = attempt.behaviour.has("capacity") and not attempt.behaviour.has("tries_combinations")
    return _ANY if repeats and any(device.allow_multiple for device in devices) else len(devices)


def _repeats(constraint: Constraint, wants: Sequence[Want], usable: dict[Want, list[Device]]) -> bool:
    """Say whether devices have fewer values of an attribute than there are devices that must differ in it."""
    concerned = [want for want in wants if not want.every and constraint.applies(want)]
    found = (attribute(device, constraint.name) for want in concerned for device in usable[want])
    return len({scalar(value) for value in found if value is not None}) < sum(want.number for want in concerned)


def _unmatched(
    attempt: Attempt, constraint: Constraint, wants: Sequence[Want], usable: dict[Want, list[Device]]
) -> bool:
    """Say whether no value of an attribute has enough devices for every request that must agree on it."""
    concerned = [want for want in wants if not want.every and constraint.applies(want)]
    if not concerned or sum(want.number for want in concerned) < 2:
        return False
    possible: set[Any] | None = None
    for want in concerned:
        values = ((attribute(device, constraint.name), device) for device in usable[want])
        by_value = grouped((scalar(value), device) for value, device in values if value is not None)
        if any(kind == "list" for kind, _ in by_value):
            return False
        enough = {value for value, devices in by_value.items() if _number(attempt, devices) >= want.number}
        possible = enough if possible is None else possible & enough
    if not possible:
        return True
    return all(_short_together(attempt, constraint, concerned, usable, value) for value in possible)


def _short_together(
    attempt: Attempt, constraint: Constraint, wants: Sequence[Want], usable: dict[Want, list[Device]], value: Any
) -> bool:
    """Say whether one value has fewer devices than all the requests together want."""
    if attempt.behaviour.has("capacity") and any(d.allow_multiple for want in wants for d in usable[want]):
        return False
    if any(want.admin for want in wants):
        return False
    met: Counter[Device] = Counter()
    for want in wants:
        for device in usable[want]:
            found = attribute(device, constraint.name)
            if found is not None and scalar(found) == value:
                met[device] += 1
    return len(met) < sum(want.number for want in wants)


TOO_MANY = 2e6
"""Devices that the scheduler does not try in the 10 s that it gives a node: one of 1.37 ran out of time with 2.6
million of them."""

_DESCENTS, _STEPS = 60, 200_000


def tries(attempt: Attempt) -> float:
    """Return about how many devices the scheduler tries for an attempt that finds nothing; 0 where unknown."""
    known = attempt.scene.effort
    key = len(attempt.devices)
    if key not in known:
        known[key] = _tries(attempt)
    return known[key]


def _tries(attempt: Attempt) -> float:
    fresh = type(attempt)(attempt.scene, attempt.view, attempt.node, Budget(steps=_STEPS))
    requests = [request for claim in attempt.scene.claims for request in claim.requests]
    if any(request.prioritized or request.wants[0].every for request in requests):
        return 0.0
    wants = [want for want in (request.wants[0] for request in requests) for _ in range(want.number)]
    chance = random.Random(0)
    found: list[float] = []
    try:
        fresh.prepare()
        while len(found) < _DESCENTS and sum(found) <= _DESCENTS * TOO_MANY:  # further ones cannot make it few again
            found.append(_descend(fresh, wants, chance))
    except UndecidedError:
        pass
    except AttemptError:
        return 0.0
    return sum(found) / len(found) if found else 0.0


def _descend(attempt: Attempt, wants: Sequence[Want], chance: random.Random) -> float:
    """Return how many tries one descent estimates."""
    weight, total, start = 1.0, 0.0, 0
    undone: list[Callable[[], None]] = []
    index = 0
    combined = attempt.behaviour.has("tries_combinations")
    for level, want in enumerate(wants):
        if level and wants[level - 1] is not want:
            start = index = 0
        choices = []
        for position, device in attempt.candidates(want, start):
            total += weight
            undo = attempt.take(want, device, index, must=False)
            if undo is not None:
                undo()
                choices.append((position, device))
        if not choices:
            break
        # If a device is not tried again after a later one, the first choices leave most to try.
        likely = [1.0 if not combined else 1 / (n + 1) if not level else 0.5**n for n in range(len(choices))]
        chosen = chance.choices(range(len(choices)), likely)[0]
        weight *= sum(likely) / likely[chosen]
        position, device = choices[chosen]
        taken = attempt.take(want, device, index, must=False)
        if taken is None:
            break
        undone.append(taken)
        start = position + 1 if combined else 0
        index += 1
    for undo in reversed(undone):
        undo()
    return total


def allocation(
    claim: Claim,
    taken: Sequence[Taken],
    node: ClusterNode,
    behaviour: Behaviour,
    classes: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the AllocationResult (v1) of a claim, shareIDs as `*` and without time; {} for a claim without requests.

    AttemptError if the node selectors of the devices cannot be put together.
    """
    if not taken:
        return {}
    config = _config(claim, _chosen(claim, taken), behaviour, classes)
    selector = _node_selector(claim, [one.device for one in taken], node, behaviour)
    results = [_result(one, behaviour) for one in taken]
    return {
        "devices": {"results": results, **({"config": config} if config else {})},
        **({"nodeSelector": selector} if selector is not None else {}),
    }


def _result(taken: Taken, behaviour: Behaviour) -> dict[str, Any]:
    want, device = taken.want, taken.device
    result: dict[str, Any] = {
        "request": want.name,
        "driver": device.id.driver,
        "pool": device.id.pool,
        "device": device.id.device,
    }
    if want.admin:
        result["adminAccess"] = True
    if want.tolerations and behaviour.has("returns_tolerations"):
        result["tolerations"] = [dict(toleration) for toleration in want.tolerations]
    if taken.share is not None:
        result["shareID"] = "*"
        if taken.share:
            result["consumedCapacity"] = {name: need.text for name, need in taken.share.items()}
    if behaviour.has("binding"):
        for field in ("bindingConditions", "bindingFailureConditions"):
            if device.spec.get(field):
                result[field] = list(device.spec[field])
    if behaviour.has("skips_operations") and device.slice.spec.get("skipNodeOperations"):
        result["skipNodeOperations"] = device.slice.spec["skipNodeOperations"]
    return result


def _chosen(claim: Claim, taken: Sequence[Taken]) -> list[tuple[Request, Want]]:
    """Return the alternative that each request got."""
    by_base = {one.want.base: one.want for one in taken}
    return [(request, by_base[request.name]) for request in claim.requests if request.name in by_base]


def _config(
    claim: Claim,
    chosen: Sequence[tuple[Request, Want]],
    behaviour: Behaviour,
    classes: Mapping[str, Mapping[str, Any]],
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    by_class = list(grouped((want.class_name, want.name) for _, want in chosen).items())
    if behaviour.has("repeats_class_config"):
        by_class = [(want.class_name, []) for _, want in chosen]
    for class_name, requests in by_class:
        spec = (classes.get(class_name) or {}).get("spec") or {}
        found += [{"source": "FromClass", "requests": requests, **entry} for entry in spec.get("config") or ()]
    names = {want.name for _, want in chosen}
    parents = {request.name for request, _ in chosen}
    for entry in (claim.spec.get("config")) or ():
        requests = list(entry.get("requests") or ())
        hits = sum(request in names or request in parents for request in requests) if requests else 1
        times = min(hits, 1) if behaviour.has("config_once") else hits
        found += [{**entry, "source": "FromClaim", "requests": requests} for _ in range(times)]
    if behaviour.has("config_once"):
        for entry in found:
            named = set(entry.get("requests") or ())
            if named and all(want.name in named or request.name in named for request, want in chosen):
                entry["requests"] = []
    return [{key: value for key, value in entry.items() if value != []} for entry in found]


def _node_selector(
    claim: Claim, devices: Sequence[Device], node: ClusterNode, behaviour: Behaviour
) -> dict[str, Any] | None:
    term: dict[str, dict[object, Any]] = {"matchFields": {}, "matchExpressions": {}}
    for device in devices:
        place = device.place
        if place.get("nodeName") or (behaviour.has("binding") and device.spec.get("bindsToNode") is True):
            requirement = {"key": "metadata.name", "operator": "In", "values": [node.name]}
            return {"nodeSelectorTerms": [{"matchFields": [requirement]}]}
        selector = place.get("nodeSelector")
        if selector is None or place.get("allNodes") is True:
            continue
        terms: Sequence[Mapping[str, Any]] = selector.get("nodeSelectorTerms") or ()
        if len(terms) != 1:
            text = (
                f"create NodeSelector for claim {claim.name.rpartition('/')[2]}: unsupported "
                f"ResourceSlice.NodeSelector with {len(terms)} terms"
            )
            raise AttemptError(text, device=device)
        for kind, requirements in term.items():
            for each in terms[0].get(kind) or ():
                identity = each.get("key"), each.get("operator"), frozenset(each.get("values") or ())
                requirements.setdefault(identity, each)
    found = {kind: list(requirements.values()) for kind, requirements in term.items() if requirements}
    return {"nodeSelectorTerms": [found]} if found else None


TIMEOUT = 10.0
"""Time limit of the scheduler per node, in seconds."""


@dataclass
class Outcome:
    """The result for the claims on one node.

    Attributes:
        allocations: the AllocationResults (v1); None where there are none.
        error: the text of an error that stops the scheduling of the Pod.
        node_error: the text of an error that concerns only this node.
        undecided: why there is no answer (the time is up, an expression cannot be run); empty where there is one.
        score: the sum of the chosen alternatives' scores; None without scoring.
        cause: the error itself, with its device and expression.
        attempt: the search, if it ended with a proof that nothing fits.
    """

    node: ClusterNode
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
        return self.attempt is not None and tries(self.attempt) > TOO_MANY

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
        self.asked = claims
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

    def on(self, node: ClusterNode, *, timeout: float = TIMEOUT) -> Outcome:
        """Return the result for the claims on a node; it is undecided after `timeout` seconds (0 means none)."""
        start = time.process_time()
        outcome = Outcome(node)
        budget = Budget(start + timeout if timeout else None)
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
                if self.behaviour.has("scores"):
                    wants = {(one.want.claim, one.want.base): one.want for results in taken for one in results}
                    outcome.score = sum(want.score for want in wants.values())
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
                self.asked,
                self.behaviour,
                selection=self.selection,
                relax=frozenset({kind}),
                pools=pools,
            )
        return self._without[kind]

    def with_constraints(self, claim: int, indexes: Collection[int]) -> Allocator:
        """Return an allocator for the same claims, one of them with only some of its constraints."""
        item = self.asked[claim]
        spec = item["spec"]
        left = [entry for at, entry in enumerate(spec["devices"]["constraints"]) if at in indexes]
        changed = {**item, "spec": {**spec, "devices": {**spec["devices"], "constraints": left}}}
        claims = [changed if at == claim else other for at, other in enumerate(self.asked)]
        return Allocator(self.inventory, claims, self.behaviour, selection=self.selection, pools=self.pools)


def apply_taint_rules(inventory: Inventory, behaviour: Behaviour, selection: Selection) -> None:
    """Put the taints of the inventory's rules on its devices, as far as the release applies them."""

    def narrowed(rule: Mapping[str, Any], device: Device) -> bool:
        selector = rule.get("deviceSelector") or {}
        entries, name = [*(selector.get("selectors") or ())], selector.get("deviceClassName")
        if name is not None:
            found = inventory.classes.get(name)
            if found is None:
                return False
            entries += (found.get("spec") or {}).get("selectors") or ()
        expressions = ((entry.get("cel") or {}).get("expression") or "" for entry in entries)
        return all(selection.selector(expression).verdict(device) is True for expression in expressions)

    rules = inventory.taint_rules if behaviour.has("taint_rules") else ()
    if behaviour.has("needs_selector_of_rules"):
        rules = [rule for rule in rules if rule.get("deviceSelector") is not None]
    apply_rules(inventory.slices, rules, narrowed if behaviour.has("taint_rules_with_taints") else None)


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
