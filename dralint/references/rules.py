"""All rules over a whole input; each is imported where the input has what it is about, and what to compare it with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.rule_ids import CLAIM_NOT_FOUND, CLAIM_REQUEST_NOT_FOUND, TEMPLATE_NOT_FOUND
from dralint.references.facts import Claim, Class, Generated, Labels, Quota, Slice, Workload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dralint.references.facts import Facts
    from dralint.references.problem import Found
    from dralint.references.world import World

    Rule = Callable[[World], Iterator[Found]]


def rules(facts: Iterable[Facts], *, complete: bool, stocked: bool) -> list[Rule]:
    """Return the rules that may find something; none for an input in which nothing can be compared.

    Args:
        complete: whether the input is all there is, so that what is not in it is missing.
        stocked: whether the devices that there are may be known.
    """
    bodies = [entry.body for entry in facts]
    there = {type(body) for body in bodies}
    found: list[Rule] = []
    if Workload in there:
        from dralint.references.pods import pods

        found.append(pods)
    if Claim in there and (Class in there or complete):
        from dralint.references.classes import classes

        found.append(classes)
    if Generated in there or any(isinstance(body, Claim | Class) and body.parameters is not None for body in bodies):
        from dralint.references.parameters import parameters

        found.append(parameters)
    if Labels in there and complete:
        from dralint.references.classes import namespaces

        found.append(namespaces)
    if Claim in there and Labels in there:
        from dralint.references.admin import admin_access

        found.append(admin_access)
    if Quota in there:
        from dralint.references.quotas import quotas

        found.append(quotas)
    if Class in there or Workload in there:
        from dralint.references.extended import extended_resources

        found.append(extended_resources)
    if Class in there or any(
        isinstance(body, Claim) and (body.configs or any(request.selectors for request in body.requests))
        for body in bodies
    ):
        from dralint.references.selectors import selectors

        found.append(selectors)
    if Workload in there:
        from dralint.references.sharing import sharing

        found.append(sharing)
    if Slice in there:
        from dralint.references.pools import pools

        found.append(pools)
    if stocked:
        from dralint.references.supply import supply
        from dralint.references.tolerations import tolerations

        found += (supply, tolerations)
    return found


def check(world: World) -> Iterator[Found]:
    """Yield what is found between the objects, for each release that judges."""
    complete = world.scope.complete
    for rule in rules(world.index.facts, complete=complete, stocked=world.stock is not None):
        for found in rule(world):
            if found.releases and not (complete and found.problem.rule in _IN_NAMESPACES and _lost(world, found)):
                yield found


def _lost(world: World, found: Found) -> bool:
    """Say whether an object is in a namespace that does not exist: what it names is missing for that reason alone."""
    from dralint.references.classes import misspelt

    return misspelt(world, found.facts) is not None


_IN_NAMESPACES = frozenset({CLAIM_NOT_FOUND, TEMPLATE_NOT_FOUND, CLAIM_REQUEST_NOT_FOUND})
