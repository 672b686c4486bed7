"""One claim for several Pods: how many may use it, and whether they can run where its devices are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.words import quoted
from dralint.kubernetes.release import Release
from dralint.references.names import is_open
from dralint.references.problem import NAME, Elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import Entry, Facts, PodSpec, Workload
    from dralint.references.problem import Found
    from dralint.references.world import World

TOO_MANY_USERS, SHARED_CLAIM = "DRA418", "DRA710"
_ROOM, _ROOM_BEFORE, _SINCE = 256, 32, Release(1, 32)
_REPLICATED = frozenset({"ReplicationController", "Deployment", "ReplicaSet", "StatefulSet", "Job", "CronJob"})
_TEMPLATE = "a ResourceClaimTemplate (resourceClaimTemplateName) gives each Pod a claim of its own"


def room(release: Release) -> int:
    """Return how many Pods may use one claim: ResourceClaimReservedForMaxSize, resource/v1/types.go (v1.32.13)."""
    return _ROOM if release >= _SINCE else _ROOM_BEFORE


def sharing(world: World) -> Iterator[Found]:
    """Yield claims that Pods share and that have no room, or devices on one node only."""
    for facts, workload, pod in world.workloads():
        for entry in pod.entries:
            if entry.claim is None or is_open(entry.claim):
                continue
            yield from _shared(world, facts, workload, pod, entry)
    yield from _apart(world)


def _shared(world: World, facts: Facts, workload: Workload, pod: PodSpec, entry: Entry) -> Iterator[Found]:
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
    if facts.kind not in _REPLICATED or workload.replicas < 2:
        return
    full = [release for release in world.releases(facts) if workload.replicas > room(release)]
    if full and workload.replicas_path:
        most = room(full[0])
        message = (
            f"{workload.replicas} Pods use the claim {claim}, which has room for {most}: the others stay Pending "
            f"(FailedScheduling says `must have at most {most} items`)"
        )
        yield world.found(
            facts,
            TOO_MANY_USERS,
            workload.replicas_path,
            message,
            f"at most {most} Pods can share it; {_TEMPLATE}",
            Elsewhere("the claim is named here", facts, entry.field),
            *elsewhere,
            releases=full,
        )
        return
    if pod.alone:
        message = (
            f"{workload.replicas} Pods share the claim {claim} and must run on different nodes: where its devices "
            "belong to one node, all but one stay Pending"
        )
    else:
        message = (
            f"all {workload.replicas} Pods share the one claim {claim}: the same devices, on one node unless they are "
            "reachable from several"
        )
    yield world.found(facts, SHARED_CLAIM, entry.field, message, _TEMPLATE, *elsewhere)


def _apart(world: World) -> Iterator[Found]:
    """Yield Pods that share a claim and ask for different nodes."""
    first: dict[tuple[str | None, str], tuple[Facts, PodSpec, str]] = {}
    for facts, _, pod in world.workloads():
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
                f"this one wants {host}: where its devices belong to one node, one of the two stays Pending"
            )
            elsewhere = Elsewhere(f"the {other.kind} on {there}", other, (*pod_there.path, "nodeSelector"))
            yield world.found(facts, SHARED_CLAIM, entry.field, message, _TEMPLATE, elsewhere)
