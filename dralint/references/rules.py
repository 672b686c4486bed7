"""All rules over a whole input; each is imported only if the input has objects for it to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.rule_ids import CLAIM_NOT_FOUND, CLAIM_REQUEST_NOT_FOUND, TEMPLATE_NOT_FOUND
from dralint.references.admission import admin_access, policies, taint_rules
from dralint.references.classes import classes, misspelt, namespaces, parameters, quotas, references
from dralint.references.extended import extended_resources
from dralint.references.facts import ClaimFacts, PolicyFacts, Role, WorkloadFacts
from dralint.references.other_programs import kueue, other_programs, schedulers
from dralint.references.pods import made_twice, pods
from dralint.references.pools import pools
from dralint.references.sharing import sharing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dralint.references.facts import Facts, Found
    from dralint.references.world import World

    Rule = Callable[[World], Iterator[Found]]


def rules(facts: Iterable[Facts], *, complete: bool, stocked: bool, named: bool) -> list[Rule]:
    """Return the rules that may find something; none for an input with nothing to compare.

    Args:
        complete: whether the input is complete, so that what is not in it is missing.
        stocked: whether the devices of the cluster may be known.
        named: whether the user has named releases: only then are faults of a release reported.
    """
    speaking = [entry for entry in facts if entry.body is not None]
    bodies, kinds = [entry.body for entry in speaking], {entry.kind for entry in speaking}
    claims, classes_there = not kinds.isdisjoint(_CLAIMS), not kinds.isdisjoint(_CLASSES)
    workloads = [body for body in bodies if isinstance(body, WorkloadFacts)]
    conditions: list[tuple[object, Rule]] = [
        (workloads, pods),
        (claims and (classes_there or complete), classes),
        (any(True for _ in references(speaking)), parameters),
        (any(entry.kind == "ResourceClaimTemplate" and not entry.api_version for entry in speaking), made_twice),
        ("Namespace" in kinds and complete, namespaces),
        (claims and "Namespace" in kinds, admin_access),
        ("ResourceQuota" in kinds, quotas),
        (any(isinstance(body, PolicyFacts) for body in bodies), policies),
        (any(isinstance(body, Role) for body in bodies), schedulers),
        (classes_there or workloads, extended_resources),
    ]
    found = [rule for wanted, rule in conditions if wanted]
    if classes_there or any(
        isinstance(body, ClaimFacts) and (body.configs or any(request.selectors for request in body.requests))
        for body in bodies
    ):
        from dralint.references.selectors import selectors

        found.append(selectors)
    if workloads:
        found += (sharing, other_programs)
    if "ResourceSlice" in kinds:
        found.append(pools)
    if workloads and (stocked or "Node" in kinds):
        from dralint.references.nodes import node_state

        found.append(node_state)
    if any(body.status is not None for body in workloads):
        from dralint.references.nodes import statuses

        found.append(statuses)
    if stocked:
        from dralint.references.available_devices import supply, tolerations

        found += (supply, tolerations)
    if "DeviceTaintRule" in kinds:
        found.append(taint_rules)
    if "Configuration" in kinds or any(body.queue for body in workloads):
        found.append(kueue)
    if named:
        from dralint.references.known_bugs import known_bugs

        found.append(known_bugs)
    return found


def check(world: World) -> Iterator[Found]:
    """Yield the findings between the objects, for each judging release."""
    facts = world.index.facts
    named = any(world.named(entry) for entry in facts)
    for rule in rules(facts, complete=world.scope.complete, stocked=world.stock is not None, named=named):
        for found in rule(world):
            # Where the namespace of an object is missing, that alone is why its references are.
            lost = found.problem.rule in _IN_NAMESPACES and misspelt(world, found.facts) is not None
            if found.releases and not lost:
                yield found


_IN_NAMESPACES = frozenset({CLAIM_NOT_FOUND, TEMPLATE_NOT_FOUND, CLAIM_REQUEST_NOT_FOUND})
_CLAIMS = frozenset({"ResourceClaim", "ResourceClaimTemplate"})
_CLASSES = frozenset({"DeviceClass", "ResourceClass"})
