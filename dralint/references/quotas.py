"""Compares ResourceQuotas by class with the claims and replicas of the input; other objects count too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.rule_ids import QUOTA_EXCEEDED, QUOTA_TOO_SMALL, QUOTA_WITHOUT_CLASS
from dralint.finding.words import quoted
from dralint.kubernetes.quantity import known_quantity
from dralint.kubernetes.workloads import CLASS_QUOTA, MOST_DEVICES
from dralint.references.classes import may_be_there
from dralint.references.names import is_open
from dralint.references.other_facts import QuotaFacts
from dralint.references.problem import NAME, Elsewhere
from dralint.references.world import FIRST_STRUCTURED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import ClaimFacts, Facts
    from dralint.references.problem import Found
    from dralint.references.world import World
    from dralint.yaml import Path


_CLAIM_QUOTA = "count/resourceclaims.resource.k8s.io"


def quotas(world: World) -> Iterator[Found]:
    """Yield claims that a quota refuses, quotas that are too small for the input, and quotas for a missing class."""
    limits = [entry for entry in world.index.facts if isinstance(entry.body, QuotaFacts) and entry.body.hard]
    if not limits:
        return
    claims: dict[str | None, list[tuple[Facts, ClaimFacts]]] = {}
    for facts, claim in world.claims():
        claims.setdefault(world.scope.namespace_of(facts), []).append((facts, claim))
    for quota in limits:
        namespace = world.scope.namespace_of(quota)
        here = claims.get(namespace, []) if namespace is not None and not is_open(namespace) else []
        for key, text in quota.body.hard if isinstance(quota.body, QuotaFacts) else ():
            amount = known_quantity(text)
            if amount is None:
                continue
            limit = int(amount)
            if key == _CLAIM_QUOTA:
                yield from _too_many_claims(world, quota, here, limit)
            elif key.endswith(CLASS_QUOTA):
                name = key.removesuffix(CLASS_QUOTA)
                yield from _no_class(world, quota, name, key)
                yield from _devices(world, quota, here, name, limit)


def _no_class(world: World, quota: Facts, name: str, key: str) -> Iterator[Found]:
    index = world.index
    if is_open(name) or may_be_there(world, "DeviceClass", name):
        return
    near = index.near("DeviceClass", None, name)
    if near is None and not world.scope.complete:
        return
    message = f"there is no DeviceClass {quoted(name)}: this quota limits nothing, and no event is recorded"
    elsewhere = () if near is None else (Elsewhere(f"the DeviceClass {quoted(near.name)}", near, NAME),)
    hint = "write the name of a class" if near is None else f"did you mean {near.name}{CLASS_QUOTA}?"
    yield world.found(quota, QUOTA_WITHOUT_CLASS, ("spec", "hard", key), message, hint, *elsewhere)


def asked_of_class(claim: ClaimFacts, name: str) -> tuple[int, Path]:
    """Return how many devices of a class a claim counts in a quota, and which request has the most.

    Source: pkg/quota/v1/evaluator/core/resource_claims.go (v1.37.0): the largest number of all alternatives.
    """
    most: dict[str, int] = {}
    place: tuple[int, Path] = (0, ())
    for request in claim.requests:
        if request.device_class != name:
            continue
        count = MOST_DEVICES if request.mode == "All" else (request.number or 1)
        top = request.parent or request.name
        most[top] = max(most.get(top, 0), count)
        if count > place[0]:
            place = count, (*request.path, "allocationMode" if request.mode == "All" else "count")
    return sum(most.values()), place[1]


def _devices(
    world: World, quota: Facts, claims: list[tuple[Facts, ClaimFacts]], name: str, limit: int
) -> Iterator[Found]:
    where = Elsewhere("the quota", quota, ("spec", "hard", f"{name}{CLASS_QUOTA}"))
    hint = "request fewer devices, or raise the quota"
    total = 0
    seen: set[str | None] = set()
    over = False
    idle = _idle(world, quota)
    per_template: dict[str, tuple[int, Facts]] = {}
    for facts, claim in claims:
        asked, path = asked_of_class(claim, name)
        releases = [release for release in world.releases(facts) if release >= FIRST_STRUCTURED]
        if not asked or not releases:
            continue
        allowed = f"the quota {quoted(quota.name)} allows {limit} devices of {name}"
        if facts.kind == "ResourceClaimTemplate":
            if facts.name is not None:
                per_template[facts.name] = asked, facts
            if asked > limit and facts.name not in idle:
                message = (
                    f"{allowed}, each claim made from the template requests {asked}: the server refuses it, and the "
                    "Pods stay Pending (event FailedResourceClaimCreation)"
                )
                yield world.found(facts, QUOTA_TOO_SMALL, path, message, hint, where)
        elif asked > limit:
            message = f"{allowed}, the claim requests {asked}: the server refuses it"
            yield world.found(facts, QUOTA_EXCEEDED, path, message, hint, where, reason="Forbidden", releases=releases)
            over = True
        elif facts.name not in seen:
            seen.add(facts.name)
            total += asked
            if total > limit and not over:
                over = True
                message = f"{allowed}, the claims up to this one request {total}: not all of them can be created"
                yield world.found(facts, QUOTA_TOO_SMALL, path, message, hint, where)
    yield from _replicas(world, quota, per_template, limit, where, name)


def _idle(world: World, quota: Facts) -> set[str | None]:
    """Return the templates in the namespace of a quota that only workloads without Pods name."""
    namespace = world.scope.namespace_of(quota)
    makes: dict[str | None, bool] = {}
    for facts, workload, pod in world.workloads():
        if world.scope.namespace_of(facts) == namespace:
            for entry in pod.entries:
                makes[entry.template] = makes.get(entry.template, False) or workload.replicas > 0
    return {template for template, some in makes.items() if not some}


def _replicas(
    world: World, quota: Facts, templates: dict[str, tuple[int, Facts]], limit: int, where: Elsewhere, name: str
) -> Iterator[Found]:
    """Yield workloads whose Pods together need more devices than the quota allows."""
    if not templates:
        return
    namespace = world.scope.namespace_of(quota)
    for facts, workload, pod in world.workloads():
        if world.scope.namespace_of(facts) != namespace:
            continue
        each = sum(templates[e.template][0] for e in pod.entries if e.template in templates)
        total = each * workload.replicas
        if each > limit or total <= limit:
            continue
        if workload.replicas_path:
            path = workload.replicas_path
        else:
            path = next(e.field for e in pod.entries if e.template in templates)
        rest = workload.replicas - limit // each if each else 0
        message = (
            f"{workload.replicas} Pods need {total} devices of {name}, the quota {quoted(quota.name)} allows {limit}: "
            f"{rest} of them {'stays' if rest == 1 else 'stay'} Pending (event FailedResourceClaimCreation)"
        )
        yield world.found(facts, QUOTA_TOO_SMALL, path, message, "request fewer Pods, or raise the quota", where)


def _too_many_claims(world: World, quota: Facts, claims: list[tuple[Facts, ClaimFacts]], limit: int) -> Iterator[Found]:
    seen: set[str | None] = set()
    for facts, _ in claims:
        if facts.kind != "ResourceClaim" or facts.name in seen or facts.name is None or is_open(facts.name):
            continue
        seen.add(facts.name)
        if len(seen) > limit:
            message = (
                f"the quota {quoted(quota.name)} allows {limit} ResourceClaims in the namespace, this is number "
                f"{len(seen)}: not all of them can be created"
            )
            where = Elsewhere("the quota", quota, ("spec", "hard", _CLAIM_QUOTA))
            yield world.found(facts, QUOTA_TOO_SMALL, NAME, message, "raise the quota, or share a claim", where)
            return
