"""Advice on claims that work: what a template does not pass on, alternatives and constraints that decide nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding import rule_ids
from dralint.finding.words import quoted
from dralint.references.facts import TaintRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import Claim, Constraint, Facts
    from dralint.references.problem import Found
    from dralint.references.world import World


def advice(world: World) -> Iterator[Found]:
    """Yield what works and does less than it seems to."""
    for facts, claim in world.claims():
        if facts.kind == "ResourceClaimTemplate" and not claim.passed_on:
            yield from _metadata(world, facts, claim)
        yield from _alternatives(world, facts, claim)
        for constraint in claim.constraints:
            yield from _constraint(world, facts, claim, constraint)
    for facts in world.index.of_kinds("DeviceTaintRule"):
        yield from _taint_rule(world, facts)


def _metadata(world: World, facts: Facts, claim: Claim) -> Iterator[Found]:
    """Yield labels and annotations of a template that its claims do not get."""
    for field, key in claim.own_metadata:
        message = (
            f"claims made from the template get the labels and annotations of spec.metadata, not those of the "
            f"template: they do not get {quoted(key)}"
        )
        hint = f"write it into spec.metadata.{field} where it is meant for the claims"
        yield world.found(facts, rule_ids.METADATA_NOT_PASSED_ON, ("metadata", field), message, hint, target="key")


def _alternatives(world: World, facts: Facts, claim: Claim) -> Iterator[Found]:
    number: dict[str, int] = {}
    for request in claim.requests:
        if request.parent is not None:
            number[request.parent] = number.get(request.parent, 0) + 1
    for request in claim.requests:
        if request.mode == "" and number.get(request.name) == 1:
            message = (
                f"firstAvailable of the request {quoted(request.name)} has one entry: there is nothing to choose from"
            )
            hint = "write it as `exactly`, or add another alternative"
            path = (*request.path, "firstAvailable")
            yield world.found(facts, rule_ids.SINGLE_ALTERNATIVE, path, message, hint, target="key")


def _constraint(world: World, facts: Facts, claim: Claim, constraint: Constraint) -> Iterator[Found]:
    """Yield a constraint over one device, which is always met (by a device that has the attribute)."""
    if not claim.plain or "/" not in constraint.attribute:
        return
    names = constraint.requests
    most: dict[str, int] = {}
    for request in claim.requests:
        if request.mode == "":
            continue
        if not names or request.full_name in names or request.parent in names:
            if request.number is None:
                return  # all devices
            top = request.parent or request.name
            most[top] = max(most.get(top, 0), request.number)
    if sum(most.values()) != 1:
        return
    message = "the constraint covers a single device, so there is nothing to compare; it only requires the attribute"
    hint = "name several requests, or remove `requests` to cover the whole claim, or test the attribute in a selector"
    yield world.found(facts, rule_ids.CONSTRAINT_OVER_ONE_DEVICE, constraint.path, message, hint)


def _taint_rule(world: World, facts: Facts) -> Iterator[Found]:
    """Yield a rule that ends all Pods with devices, since it selects every device of every driver."""
    rule = facts.body
    if not isinstance(rule, TaintRule) or rule.narrowed or rule.driver or rule.pool or rule.device:
        return
    if ("effect", "NoExecute") not in rule.taint:
        return
    message = (
        "the rule selects every device of every driver, and NoExecute evicts all running Pods that use one and do not "
        "tolerate it"
    )
    hint = "select a driver, pool or device; with effect None, the status first shows what the rule would affect"
    yield world.found(
        facts, rule_ids.TAINT_RULE_FOR_EVERYTHING, ("spec", "deviceSelector"), message, hint, target="key"
    )
