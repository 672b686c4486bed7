"""Checks how Pods use the claims of a driver: its rules on sharing, and resources of the node that its devices
represent."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dralint.finding.path import at
from dralint.finding.rule_ids import DRIVER_REFUSES_CLAIM, REQUESTS_DIFFER_FROM_CLAIM
from dralint.finding.words import quoted
from dralint.kubernetes.quantity import parse_quantity
from dralint.references.facts import ClaimFacts
from dralint.references.problem import NAME, Elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dralint.drivers.selected_devices import Reached, SelectorReach
    from dralint.references.facts import Facts, RequestFacts
    from dralint.references.pod_facts import Entry, PodSpec, Use, WorkloadFacts
    from dralint.references.problem import Found
    from dralint.references.world import World
    from dralint.yaml import Path

    DataOf = Callable[[Facts], Any]

_TOGETHER = frozenset({"Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"})
"""Kinds whose Pods run at the same time as others of the input."""


def usage(world: World, reach: SelectorReach, data_of: DataOf) -> Iterator[Found]:
    """Yield the problems of how the Pods of the input use claims.

    Args:
        world: the objects of the input.
        reach: the devices that requests can get.
        data_of: returns the data of an object of the input, None where it cannot be read.
    """
    asked: dict[int, list[tuple[RequestFacts, Reached]]] = {}
    for facts, workload, pod in world.workloads():
        entries = {entry.name: entry for entry in pod.entries}
        amounts: dict[Path, list[tuple[Fraction, Facts, Reached]]] = {}
        users_of: dict[str, list[Use]] = {}
        for use in pod.uses:
            if "containers" in use.path:
                users_of.setdefault(use.entry, []).append(use)
        for entry in entries.values():
            targets = world.target(facts, entry)
            if len(targets) != 1 or not isinstance(targets[0].body, ClaimFacts) or not targets[0].body.plain:
                continue
            target, claim = targets[0], targets[0].body
            if id(target) not in asked:
                asked[id(target)] = [(r, found) for r in claim.requests if (found := reach.of_request(r)) is not None]
            several = asked[id(target)]
            users = users_of.get(entry.name, [])
            yield from _containers(world, facts, entry, several, users)
            yield from _pods(world, facts, workload, entry, several)
            for use in users:
                amount = _amount(claim, several, use)
                if amount is not None:
                    amounts.setdefault(use.path[:-2], []).append((amount[0], target, amount[1]))
        if amounts:
            yield from _beside(world, facts, pod, amounts, data_of)


def _containers(
    world: World, facts: Facts, entry: Entry, several: list[tuple[RequestFacts, Reached]], users: list[Use]
) -> Iterator[Found]:
    """Yield a claim that several containers use although its driver gives a claim to one container."""
    for request, reached in several:
        target = reached.target
        mine = [use for use in users if use.request in (None, request.name, request.parent)]
        if not target.pack.data.get("oneContainer") or len({use.path[:-1] for use in mine}) < 2:
            continue
        message = (
            f"several containers use the claim {quoted(entry.name)}: the driver gives a claim to one container, and "
            f"the others fail with CreateContainerError ({target.label})"
        )
        first = Elsewhere("the first container", facts, (*mine[0].path, "name"))
        hint = "write a claim for each container"
        yield world.found(facts, DRIVER_REFUSES_CLAIM, (*mine[1].path, "name"), message, hint, first)
        return


def _pods(
    world: World, facts: Facts, workload: WorkloadFacts, entry: Entry, several: list[tuple[RequestFacts, Reached]]
) -> Iterator[Found]:
    """Yield a claim that several Pods name although its driver gives a claim to one Pod."""
    refusing = [reached.target for _, reached in several if reached.target.pack.data.get("onePod")]
    if not refusing or entry.claim is None or facts.kind not in _TOGETHER:
        return
    users = (user for user, _ in world.users.get((world.scope.namespace_of(facts), entry.claim), ()))
    earlier = next((user for user in users if user.kind in _TOGETHER and _place(user) < _place(facts)), None)
    if workload.replicas < 2 and earlier is None:
        return
    message = (
        f"several Pods share the claim {quoted(entry.claim)}: the driver prepares a claim for one Pod, and the others "
        f"stay in ContainerCreating ({refusing[0].label})"
    )
    elsewhere = [] if earlier is None else [Elsewhere("another Pod", earlier, NAME)]
    hint = "name a ResourceClaimTemplate, so that each Pod gets a claim of its own"
    yield world.found(facts, DRIVER_REFUSES_CLAIM, entry.field, message, hint, *elsewhere)


def _place(facts: Facts) -> tuple[str, int]:
    return facts.file, facts.document


def _amount(
    claim: ClaimFacts, several: list[tuple[RequestFacts, Reached]], use: Use
) -> tuple[Fraction, Reached] | None:
    """Return how much of a node resource a container gets from a claim; None where unknown, or where it gets none."""
    total, reaching = Fraction(0), None
    reached = {id(request): found for request, found in several}
    for request in claim.requests:
        if use.request not in (None, request.name, request.parent):
            continue
        found = reached.get(id(request))
        rule = None if found is None else found.target.pack.data.get("nodeResource")
        if rule is None:
            continue
        if request.parent is not None or request.number is None or request.mode != "ExactCount":
            return None
        reaching = found
        capacity = dict(request.capacity).get(rule["capacity"])
        if isinstance(capacity, bool) or not (
            request.number > 1 if capacity is None else isinstance(capacity, str | int)
        ):
            return None  # one device can be a group: the claim gets all of it, or the default
        total += request.number * (1 if capacity is None else parse_quantity(str(capacity)))
    return None if reaching is None else (total, reaching)


def _beside(
    world: World,
    facts: Facts,
    pod: PodSpec,
    amounts: dict[Path, list[tuple[Fraction, Facts, Reached]]],
    data_of: DataOf,
) -> Iterator[Found]:
    """Yield containers whose request for a node resource differs from the amount of their claims."""
    data = data_of(facts)
    if data is None or at(data, (*pod.path, "resources")) is not None:
        return
    for path, found in amounts.items():
        target = found[0][2].target
        rule = target.pack.data["nodeResource"]
        resource, total = rule["resource"], sum((amount for amount, _, _ in found), Fraction(0))
        key = next((k for k in ("requests", "limits") if at(data, (*path, k, resource)) is not None), None)
        value = None if key is None else at(data, (*path, key, resource))
        if key is None or not isinstance(value, str | int) or isinstance(value, bool):
            continue
        try:
            wanted = parse_quantity(str(value))
        except ValueError:
            continue
        if wanted != total:
            message = (
                f"the claims of the container have {total} {rule['unit']}, and the container requests {resource}: "
                f"{value}: the scheduler and the kubelet count only the request ({target.label})"
            )
            claims = Elsewhere("the claim", found[0][1], NAME)
            hint = f"write {resource}: {total}"
            where = (*path, key, resource)
            yield world.found(facts, REQUESTS_DIFFER_FROM_CLAIM, where, message, hint, claims)
