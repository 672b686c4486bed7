"""Compares the ResourceQuotas of the input with its claims."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dralint.finding.problem import renamed
from dralint.finding.rule_ids import (
    QUOTA_EXCEEDED,
    QUOTA_KEY_MISSPELT,
    QUOTA_TOO_SMALL,
    QUOTA_WITHOUT_CLASS,
)
from dralint.finding.words import quoted
from dralint.kubernetes.near import did_you_mean
from dralint.kubernetes.quantity import known_quantity
from dralint.kubernetes.workloads import CLASS_QUOTA, MOST_DEVICES
from dralint.references.classes import may_be_there
from dralint.references.facts import NAME, ClaimFacts, Elsewhere, QuotaFacts, is_open
from dralint.references.misspelt_names import CLAIM_QUOTAS
from dralint.references.world import FIRST_STRUCTURED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import Facts, Found, PodSpec, WorkloadFacts
    from dralint.references.world import World
    from dralint.yaml import Path


_CLAIM_QUOTA = CLAIM_QUOTAS[0]


def quotas(world: World) -> Iterator[Found]:
    """Yield claims that a quota refuses, quotas that are too small for the input, and quotas that limit nothing."""
    every = [*world.index.holding(QuotaFacts)]
    yield from (found for quota, body in every for found in _misspelt(world, quota, body))
    limits = [(quota, body) for quota, body in every if body.hard]
    if not limits:
        return
    demands: dict[str | None, _Demand] = {}
    for facts, claim in world.claims():
        demands.setdefault(world.scope.namespace_of(facts), _Demand()).add(facts, claim)
    for position, (facts, workload, pod) in enumerate(world.workloads()):
        if (demand := demands.get(world.scope.namespace_of(facts))) is not None:
            for entry in pod.entries:
                demand.users.setdefault(entry.template, {})[position] = facts, workload, pod
    for quota, body in limits:
        namespace = world.scope.namespace_of(quota)
        here = demands.get(namespace) if namespace is not None and not is_open(namespace) else None
        for key, text in body.hard:
            amount = known_quantity(text)
            if amount is None:
                continue
            limit = int(amount)
            if key == _CLAIM_QUOTA and here is not None:
                yield from _too_many_claims(world, quota, here.claims, limit)
            elif key.endswith(CLASS_QUOTA):
                name = key.removesuffix(CLASS_QUOTA)
                yield from _no_class(world, quota, name, key)
                if here is not None:
                    yield from _devices(world, quota, here, name, limit)


def _misspelt(world: World, quota: Facts, body: QuotaFacts) -> Iterator[Found]:
    for key, name in body.misspelt:
        if not is_open(key):
            message = (
                f"no server counts anything under {quoted(key)}: this quota limits nothing, and no event is recorded"
            )
            hint = did_you_mean([name])
            path = ("spec", "hard", key)
            repair = None if name in dict(body.hard) else renamed(path, name)
            yield world.found(quota, QUOTA_KEY_MISSPELT, path, message, hint, target="key", repair=repair)


class _Demand:
    """What the objects of a namespace ask for.

    `of_class` has the claims and templates that ask for a class, with how many devices and where; `users` the workloads
    whose Pods name a template, by their number in the input.
    """

    def __init__(self) -> None:
        self.claims: list[Facts] = []
        self.of_class: dict[str, list[tuple[Facts, int, Path]]] = {}
        self.users: dict[str | None, dict[int, tuple[Facts, WorkloadFacts, PodSpec]]] = {}

    def add(self, facts: Facts, claim: ClaimFacts) -> None:
        """Take up a claim or template."""
        self.claims.append(facts)
        for name, (asked, path) in asked_by_class(claim).items():
            if asked:
                self.of_class.setdefault(name, []).append((facts, asked, path))

    @cached_property
    def idle(self) -> set[str | None]:
        """The templates that only workloads name which make no Pod."""
        return {
            template
            for template, users in self.users.items()
            if not any(workload.replicas > 0 for _, workload, _ in users.values())
        }


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


def asked_by_class(claim: ClaimFacts) -> dict[str, tuple[int, Path]]:
    """Return how many devices of each class a claim counts with a quota, and where most of them are asked for.

    Source: pkg/quota/v1/evaluator/core/resource_claims.go (v1.37.0): the largest number of all alternatives.
    """
    most: dict[str, dict[str, int]] = {}
    places: dict[str, tuple[int, Path]] = {}
    for request in claim.requests:
        name = request.device_class
        if name is None:
            continue
        count = MOST_DEVICES if request.mode == "All" else (request.number or 1)
        of_class, top = most.setdefault(name, {}), request.parent or request.name
        of_class[top] = max(of_class.get(top, 0), count)
        if count > places.setdefault(name, (0, ()))[0]:
            places[name] = count, (*request.path, "allocationMode" if request.mode == "All" else "count")
    return {name: (sum(of_class.values()), places[name][1]) for name, of_class in most.items()}


def _devices(world: World, quota: Facts, here: _Demand, name: str, limit: int) -> Iterator[Found]:
    where = Elsewhere("the quota", quota, ("spec", "hard", f"{name}{CLASS_QUOTA}"))
    hint = "request fewer devices, or raise the quota"
    allowed = f"the quota {quoted(quota.name)} allows {limit} devices of {name}"
    total = 0
    seen: set[str | None] = set()
    over = False
    per_template: dict[str, tuple[int, Facts]] = {}
    for facts, asked, path in here.of_class.get(name, ()):
        releases = [release for release in world.releases(facts) if release >= FIRST_STRUCTURED]
        if not releases:
            continue
        if facts.kind == "ResourceClaimTemplate":
            if facts.name is not None:
                per_template[facts.name] = asked, facts
            if asked > limit and facts.name not in here.idle:
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
    yield from _replicas(world, quota, here, per_template, limit, where, name)


def _replicas(
    world: World,
    quota: Facts,
    here: _Demand,
    templates: dict[str, tuple[int, Facts]],
    limit: int,
    where: Elsewhere,
    name: str,
) -> Iterator[Found]:
    """Yield workloads whose Pods together need more devices than the quota allows."""
    users = {position: user for template in templates for position, user in here.users.get(template, {}).items()}
    for _, (facts, workload, pod) in sorted(users.items()):
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


def _too_many_claims(world: World, quota: Facts, claims: list[Facts], limit: int) -> Iterator[Found]:
    seen: set[str | None] = set()
    for facts in claims:
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
