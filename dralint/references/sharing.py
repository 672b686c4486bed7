"""One claim for several Pods: how many can use it, and whether they can run where its devices are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.finding.problem import at
from dralint.finding.rule_ids import ALL_GET_ALL, NOTHING_SHARED, SHARED_CLAIM, TOO_MANY_USERS
from dralint.finding.words import quoted
from dralint.kubernetes.release import LAST_CLASSIC, Release
from dralint.kubernetes.workloads import MOST_CONSUMERS, MOST_CONSUMERS_BEFORE, is_group_of_pods
from dralint.records import grouped
from dralint.references.facts import NAME, ClaimFacts, Elsewhere, Generated, WorkloadFacts, is_open

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.references.facts import Entry, Facts, Found, ParametersRef, PodSpec
    from dralint.references.world import World
    from dralint.yaml import Path

_OF_GROUPS = "DRAWorkloadResourceClaims"
_REPLICATED = frozenset({"ReplicationController", "Deployment", "ReplicaSet", "StatefulSet", "Job", "CronJob"})
_NOT_SHAREABLE = "this does not make it shareable"
_SHARED = re.compile(r"\bshar(?:ed|ing)\b")
_TEMPLATE = "a ResourceClaimTemplate (resourceClaimTemplateName) gives each Pod its own claim"


def room(release: Release) -> int:
    """Return how many Pods can use one claim."""
    return MOST_CONSUMERS if release >= Release(1, 32) else MOST_CONSUMERS_BEFORE


def sharing(world: World) -> Iterator[Found]:
    """Yield shared claims with too many Pods, or with devices on one node only."""
    for facts, workload, pod in world.workloads:
        for entry in pod.entries:
            if entry.claim is None or is_open(entry.claim):
                continue
            yield from _shared(world, facts, workload, pod, entry)
    yield from _apart(world)
    yield from _all_get_all(world)
    yield from _nothing_shared(world)
    yield from _of_a_node(world)


def _shared(world: World, facts: Facts, workload: WorkloadFacts, pod: PodSpec, entry: Entry) -> Iterator[Found]:
    targets = world.target(facts, entry)
    elsewhere = (Elsewhere("the claim", targets[0], NAME),) if targets else ()
    claim = quoted(entry.claim)
    if facts.kind == "DaemonSet" and facts.group == "apps":
        message = (
            f"a DaemonSet has a Pod on every node, and all share the claim {claim}: where its devices belong to one "
            "node, the Pods on the others stay Pending"
        )
        yield world.found(facts, SHARED_CLAIM, entry.field, message, _TEMPLATE, *elsewhere)
        return
    if pod.number_path:
        if full := [release for release in world.releases(facts) if pod.number > room(release)]:
            yield _crowded(world, facts, entry, elsewhere, pod.number, pod.number_path, full)
        return
    number = workload.replicas
    if facts.kind not in _REPLICATED or number < 2:
        return
    grouped = world.releases_with(_OF_GROUPS, facts) if _is_of_group(world, facts, pod, entry) else ()
    releases = [release for release in world.releases(facts) if release not in grouped]
    if not releases:
        return
    known = {release: _says(world, targets, release) for release in releases if release <= LAST_CLASSIC}
    single = {release: says[1] for release, says in known.items() if says is not None and not says[0]}
    if single and workload.replicas_path:
        message = (
            f"{number} Pods use the claim {claim}, and its allocation is not shareable: one gets it, the others stay "
            "Pending (`resourceclaim in use`)"
        )
        hint = f"{_TEMPLATE}; to share one, let it be allocated with `shareable: true`"
        named = Elsewhere("the claim is named here", facts, entry.field)
        why, judging = next(iter(single.values())), list(single)
        yield world.found(facts, TOO_MANY_USERS, workload.replicas_path, message, hint, named, why, releases=judging)
    full = [release for release in releases if release not in single and number > room(release)]
    if full and workload.replicas_path:
        yield _crowded(world, facts, entry, elsewhere, number, workload.replicas_path, full)
    left = [release for release in releases if release not in single and release not in full]
    classic = [release for release in left if release in known and known[release] is None]
    if pod.alone:
        message = (
            f"{number} Pods share the claim {claim} and must run on different nodes: where its devices belong to one "
            "node, all but one stay Pending"
        )
        classic = []
    else:
        message = (
            f"all {number} Pods share the one claim {claim}: the same devices, on one node unless they are "
            "reachable from several"
        )
    later = [release for release in left if release not in classic]
    if later and (pod.alone or not _is_meant(world, facts, entry)):
        yield world.found(facts, SHARED_CLAIM, entry.field, message, _TEMPLATE, *elsewhere, releases=later)
    if classic:
        message = (
            f"all {number} Pods share the one claim {claim}: unless the driver allocates it as `shareable`, one gets "
            "it and the others stay Pending (`resourceclaim in use`)"
        )
        yield world.found(facts, SHARED_CLAIM, entry.field, message, _TEMPLATE, *elsewhere, releases=classic)


def _is_of_group(world: World, facts: Facts, pod: PodSpec, entry: Entry) -> bool:
    """Say whether a claim is one of the PodGroup of the Pod: then it is reserved for the group, once for all its Pods.

    Source: BindTo in staging/src/k8s.io/dynamic-resource-allocation/resourceclaim/resourceclaim.go (v1.37.0).
    """
    if pod.group is None or pod.group[0] != "schedulingGroup":
        return False
    namespace = world.scope.namespace_of(facts)
    groups = world.index.within("PodGroup", namespace, pod.group[1])
    groups += [
        one for one in world.inventory if (one.kind, one.namespace, one.name) == ("PodGroup", namespace, pod.group[1])
    ]
    own = [each for group in groups if isinstance(group.body, WorkloadFacts) for each in group.body.pods]
    return any((each.name, each.claim) == (entry.name, entry.claim) for one in own for each in one.entries)


def _crowded(
    world: World,
    facts: Facts,
    entry: Entry,
    elsewhere: Sequence[Elsewhere],
    number: int,
    path: Path,
    full: Sequence[Release],
) -> Found:
    """Return the problem that too many Pods use a claim; `path` leads to their number, `full` are the releases."""
    most = room(full[0])
    message = (
        f"{number} Pods use the claim {quoted(entry.claim)}, which has room for {most}: the others stay Pending "
        f"(FailedScheduling says `must have at most {most} items`)"
    )
    hint = f"at most {most} Pods can share it; {_TEMPLATE}"
    named = Elsewhere("the claim is named here", facts, entry.field)
    return world.found(facts, TOO_MANY_USERS, path, message, hint, named, *elsewhere, releases=full)


def _is_meant(world: World, facts: Facts, entry: Entry) -> bool:
    """Say whether the input shows that the Pods share the claim on purpose.

    Its name says so, other workloads use it too, or it has parameters for a driver about sharing.
    """
    if _SHARED.search(f"{entry.claim} {entry.name}"):
        return True
    claims = world.claims_of(facts, entry)
    return world.others_use(facts, entry.claim) or any(each.sharing for _, claim in claims for each in claim.configs)


def _says(world: World, targets: list[Facts], release: Release) -> tuple[bool, Elsewhere] | None:
    """Return whether a claim of the classic API is shareable, and what says so; None where nothing does.

    It is its allocation, or in 1.30 the parameters that the scheduler allocates it by (v1.30.14, dynamicresources.go).
    """
    claims = [(target, target.body) for target in targets if isinstance(target.body, ClaimFacts)]
    if len(claims) != 1:
        return None
    facts, claim = claims[0]
    if claim.status is not None:
        shareable = at(claim.status, ("allocation", "shareable")) is True
        return shareable, Elsewhere(_NOT_SHAREABLE, facts, ("status", "allocation"))
    wanted = claim.parameters
    if wanted is None or release != LAST_CLASSIC:
        return None
    namespace = world.scope.namespace_of(facts)
    found = {
        body.single: entry
        for entry, body in world.index.holding(Generated)
        if entry.kind == "ResourceClaimParameters"
        and world.index.may_be_in(entry, namespace)
        and (_is(entry, wanted) or (body.source is not None and _is(body.source, wanted)))
    }
    if len(found) != 1:
        return None
    ((single, entry),) = found.items()
    return not single, Elsewhere(_NOT_SHAREABLE, entry, NAME)


def _is(of: Facts | ParametersRef, wanted: ParametersRef) -> bool:
    return (of.group, of.kind, of.name) == (wanted.group, wanted.kind, wanted.name)


def _apart(world: World) -> Iterator[Found]:
    """Yield Pods that share a claim and select different nodes."""
    first: dict[tuple[str | None, str], tuple[Facts, PodSpec, str]] = {}
    for facts, _, pod in world.workloads:
        host = pod.host
        if host is None or is_open(host):
            continue
        for entry in pod.entries:
            if entry.claim is None or is_open(entry.claim):
                continue
            other, pod_there, there = first.setdefault(
                (world.scope.namespace_of(facts), entry.claim), (facts, pod, host)
            )
            if there == host or other.name == facts.name:
                continue
            message = (
                f"the claim {quoted(entry.claim)} is shared with the {other.kind} {quoted(other.name)} on {there}, and "
                f"this one requires {host}: where its devices belong to one node, one of the two stays Pending"
            )
            elsewhere = Elsewhere(f"the {other.kind} on {there}", other, (*pod_there.path, "nodeSelector"))
            yield world.found(facts, SHARED_CLAIM, entry.field, message, _TEMPLATE, elsewhere)


def _all_get_all(world: World) -> Iterator[Found]:
    """Yield claims of several devices if several containers each get all of them."""
    for facts, _, pod in world.workloads:
        uses_of = grouped((use.entry, use) for use in pod.uses if "initContainers" not in use.path)
        for entry in pod.entries:
            uses = uses_of.get(entry.name, ())
            if len(uses) <= 1 or any(use.request is not None for use in uses):
                continue
            claims = world.claims_of(facts, entry)
            if len(claims) != 1:
                continue
            target, claim = claims[0]
            requests = [request for request in claim.requests if request.parent is None]
            if len({request.name for request in requests}) != len(requests):
                continue
            begin = f"{len(uses)} containers use the claim {quoted(entry.name)} and name no request: each container"
            names = ", ".join(request.name for request in requests)
            if len(requests) == len(uses):
                message = f"{begin} gets the devices of all {len(requests)} requests"
                hint = f"if each container needs its own devices, write `request` next to `name`, with one of {names}"
            elif len(requests) == 1 and requests[0].number == len(uses):
                message = f"{begin} gets all {len(uses)} devices"
                hint = (
                    f"if each container needs its own device, write {len(uses)} requests of one device each, and "
                    "`request` next to `name`"
                )
            else:
                continue
            elsewhere = Elsewhere("the requests", target, claim.top)
            yield world.found(facts, ALL_GET_ALL, uses[-1].path, message, hint, elsewhere)


def _nothing_shared(world: World) -> Iterator[Found]:
    """Yield configurations for sharing in templates if one container of each Pod uses the claim."""
    numbers = grouped(
        (target.place, uses)
        for facts, _, pod in world.workloads
        if pod.plain and not is_group_of_pods(facts.group, facts.kind)
        for entry in pod.entries
        if entry.template is not None and (uses := sum(use.entry == entry.name for use in pod.uses))
        for target in world.target(facts, entry)
    )
    for facts, claim in world.claims if numbers else ():
        config = next((config for config in claim.configs if config.sharing), None)
        several = numbers.get(facts.place, ())
        if config is None or facts.kind != "ResourceClaimTemplate" or set(several) != {1}:
            continue
        message = (
            f"this configures sharing, but each Pod gets a claim of its own from the template {quoted(facts.name)}, "
            "and only one container uses it: nothing is shared"
        )
        hint = (
            "to share devices between Pods, write a ResourceClaim and name it with resourceClaimName; containers of "
            "one Pod share if each of them lists the claim"
        )
        yield world.found(facts, NOTHING_SHARED, (*config.path[:-1], "parameters", "sharing"), message, hint)


def _of_a_node(world: World) -> Iterator[Found]:
    """Yield claims for resources of a node, such as its CPUs, that several Pods use.

    Source: validateNodeAllocatableDRAClaimSharing in pkg/scheduler/framework/plugins/dynamicresources (v1.36.3).
    """
    mapping = {body.driver for _, body in world.slices if "mapping" in body.native}
    for facts, workload, pod in world.workloads if mapping else ():
        releases = world.releases_with("DRANodeAllocatableResources", facts)
        for entry in pod.entries if releases else ():
            if entry.claim is None or (workload.replicas * pod.number < 2 and not world.others_use(facts, entry.claim)):
                continue
            claims = world.claims_of(facts, entry)
            if not world.drivers_for(facts, entry) & mapping:
                continue
            message = (
                f"the devices of the claim {quoted(entry.claim)} are resources of their node, and several Pods "
                "use the claim: one Pod gets it, and the others stay Pending (`shared by multiple pods`)"
            )
            elsewhere = Elsewhere("the claim", claims[0][0], NAME)
            yield world.found(facts, TOO_MANY_USERS, entry.field, message, _TEMPLATE, elsewhere, releases=releases)
