"""What the nodes of a cluster and the statuses of its Pods show: devices that no container will get, or two will."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.problem import dict_of, list_of, text_of
from dralint.finding.rule_ids import DEVICES_OFFERED_TWICE, KUBELET_WITHOUT_API, MAPPED_TO_NO_REQUEST
from dralint.finding.words import quoted, some_of
from dralint.kubernetes.served import asked_for
from dralint.records import grouped
from dralint.references.facts import ClaimFacts, NodeState, WorkloadFacts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.kubernetes.release import Release
    from dralint.references.facts import Facts, Found
    from dralint.references.world import World

_GATE = "DRAExtendedResource"
_SHOWN = 3
_MAPPED = ("container", "resource", "request")


def nodes(world: World) -> Iterator[tuple[Facts, NodeState]]:
    """Yield the nodes of the inventory, or else of the input."""
    found = [f for f in world.inventory if isinstance(f.body, NodeState)] or world.index.facts
    return ((facts, facts.body) for facts in found if isinstance(facts.body, NodeState))


def node_state(world: World) -> Iterator[Found]:
    """Yield Pods whose devices the kubelets do not prepare, or that a device plugin offers as well."""
    drivers = grouped((body.nodes, body.driver) for _, body in world.slices)
    at = {node: set(names) for node, names in drivers.items()}
    yield from _kubelets(world, at)
    yield from _plugins(world, at)


def _kubelets(world: World, at: dict[str, set[str]]) -> Iterator[Found]:
    """Yield Pods if a node with their devices uses an API version that the API server has off."""
    there = [(str(facts.name), body, asked_for(body.kubelet)) for facts, body in nodes(world)]
    kubelets = [(name, body, api) for name, body, api in there if api is not None and name in at]
    hits: dict[tuple[Release, frozenset[str]], list[tuple[str, NodeState, str]]] = {}
    for facts, _, pod in world.workloads if kubelets else ():
        wanted = {driver for entry in pod.entries for driver in world.drivers_for(facts, entry)}
        for release in world.named(facts):
            served = world.versions.default(release)
            key = release, frozenset(wanted)
            if key not in hits:
                hits[key] = [each for each in kubelets if each[2] not in served and at[each[0]] & wanted]
            hit = [each for each in hits[key] if pod.may_run_on(each[0], each[1].labels)]
            if hit and served:
                name, node, api = hit[0]
                more = f" and {len(hit) - 1} more" if len(hit) > 1 else ""
                message = (
                    f"the kubelet of {name} ({node.kubelet}){more} reads claims as {api}, which {release} serves only "
                    "where it is enabled: a Pod on that node hangs in ContainerCreating"
                )
                hint = f"update the kubelet, or start the API server with --runtime-config={api}=true"
                path = pod.entries[0].path
                yield world.found(facts, KUBELET_WITHOUT_API, path, message, hint, releases=[release])


def _plugins(world: World, at: dict[str, set[str]]) -> Iterator[Found]:
    """Yield extended resources that a class offers from devices of a node where a device plugin offers them, too."""
    offered = {name: classes[-1][0] for name, classes in world.offering.items()}
    twice = grouped(
        (name, f"{node.name} ({amount})")
        for node, state in (nodes(world) if offered else ())
        for name, amount in state.allocatable
        if amount != "0" and name in offered and at.get(str(node.name), set()) & world.drivers_of(offered[name].name)
    )
    for facts, _, pod in world.workloads if twice else ():
        for path, name, amount in pod.extended:
            releases = world.releases_with(_GATE, facts)
            if amount == "0" or name not in twice or not releases:
                continue
            message = (
                f"a device plugin offers {name} on {some_of(twice[name], _SHOWN)}, and the class "
                f"{quoted(offered[name].name)} offers it there, too: two Pods can get the same device"
            )
            hint = (
                "remove the device plugin from the nodes of the driver, or give the class another extendedResourceName"
            )
            yield world.found(facts, DEVICES_OFFERED_TWICE, path, message, hint, target="key", releases=releases)


def statuses(world: World) -> Iterator[Found]:
    """Yield uses of extended resources in a Pod's status that name a request which the claim does not have."""
    for facts, workload in world.index.holding(WorkloadFacts):
        extended = dict_of(dict_of(workload.status).get("extendedResourceClaimStatus"))
        name = text_of(extended.get("resourceClaimName"))
        found = world.index.within("ResourceClaim", world.scope.namespace_of(facts), name) if name else []
        claims = [entry.body for entry in found if isinstance(entry.body, ClaimFacts) and entry.body.plain]
        names = {request.name for claim in claims for request in claim.requests if request.parent is None}
        mappings = list_of(extended.get("requestMappings")) if len(claims) == 1 else []
        for number, mapping in enumerate(map(dict_of, mappings)):
            container, resource, request = (str(mapping.get(f"{what}Name")) for what in _MAPPED)
            if request.partition("/")[0] in names:
                continue
            message = (
                f"the container {quoted(container)} is mapped to the request {quoted(request)}, which the claim "
                f"{quoted(name)} does not have ({', '.join(sorted(names))}): no device reaches it"
            )
            native = "" if "/" in resource else f"; {resource} is no extended resource"
            hint = f"the scheduler that wrote the status has to name a request of the claim{native}"
            path = ("status", "extendedResourceClaimStatus", "requestMappings", number, "requestName")
            yield world.found(facts, MAPPED_TO_NO_REQUEST, path, message, hint)
