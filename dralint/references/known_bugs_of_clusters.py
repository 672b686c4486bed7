"""Known faults of releases that need slices, nodes and the status of objects."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from dralint.finding.rule_ids import DEVICES_OFFERED_TWICE, KUBELET_WITHOUT_API, MAPPED_TO_NO_REQUEST
from dralint.finding.words import quoted, some_of
from dralint.kubernetes.known_bugs import asked_for
from dralint.kubernetes.quantity import known_quantity, parse_quantity
from dralint.references.facts import ClaimFacts, Class, NodeState, SliceFacts, WorkloadFacts
from dralint.references.selectors import demands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

    from dralint.kubernetes.release import Release
    from dralint.references.facts import Allocated, ConsumptionFacts, Entry, Facts, RequestFacts, Sharable
    from dralint.references.problem import Found
    from dralint.references.world import World
    from dralint.yaml import Path

    Met = Iterator[tuple[Facts, Path]]


_LARGEST = (1 << 63) - 1
_WRAPS = 1 << 64
_FINEST = 10**18
_MANY = 1_000
"""From so many Pods at once on, the controller's cache has been seen to be too small."""
_COSTLY = re.compile(r"device\.[^\n]*(?<![\"'])\.(?:matches|contains|split)\(")
"""Functions whose cost grows with a text that has no known length."""
_RESULTS: Path = ("status", "allocation", "devices", "results")


def _pools(world: World) -> Iterator[list[tuple[Facts, SliceFacts]]]:
    """Yield the slices of the newest generation of each pool."""
    pools: dict[tuple[str, str], list[tuple[Facts, SliceFacts]]] = {}
    for facts, body in world.slices:
        pools.setdefault((body.driver, body.pool), []).append((facts, body))
    for members in pools.values():
        newest = max(body.generation for _, body in members)
        yield [(facts, body) for facts, body in members if body.generation == newest]


def _all_of(world: World, drivers: set[str]) -> Met:
    """Yield requests for all devices of one of the drivers."""
    for facts, request in world.requests() if drivers else ():
        if request.mode == "All" and drivers & world.drivers_of(request.device_class):
            yield facts, (*request.path, "allocationMode")


# Ranges of capacity, and amounts.


def _steps(world: World) -> Iterator[tuple[Facts, Path, str, Fraction]]:
    for facts, body in world.slices:
        for device in body.sharable:
            for path, key, text in device.steps:
                amount = known_quantity(text)
                if amount is not None:
                    yield facts, path, key, amount


def step_that_divides_by_zero(world: World) -> Met:
    """Yield steps of capacity that are 0, or 0 in 64 bits."""
    return ((f, path) for f, path, key, amount in _steps(world) if key == "step" and amount % _WRAPS == 0)


def fraction_of_capacity(world: World) -> Met:
    """Yield the first part of each range of capacity that is not a whole number."""
    seen: set[tuple[int, Path]] = set()
    for facts, path, _, amount in _steps(world):
        place = id(facts), path[:-1]
        if amount.denominator != 1 and place not in seen:
            seen.add(place)
            yield facts, path


def capacity_beyond_a_range(world: World) -> Met:
    """Yield requests for an amount of capacity that a step of a range carries beyond 64 bits."""
    largest = max((amount for _, _, key, amount in _steps(world) if key == "step"), default=None)
    for facts, request in world.requests() if largest is not None else ():
        for name, text in request.capacity:
            amount = known_quantity(str(text))
            if amount is not None and largest is not None and amount > _LARGEST - largest:
                yield facts, (*request.path, "capacity", "requests", name)


def counter_beyond_64_bits(world: World) -> Met:
    """Yield counters whose amount does not fit into 64 bits."""
    for facts, body in world.slices:
        sets = [(path, counters) for path, _, counters in body.counter_sets]
        for path, counters in (*sets, *((each.path, each.counters) for each in body.consumes)):
            for name, text in counters:
                amount = known_quantity(text)
                if amount is not None and (abs(amount) > _LARGEST or _FINEST % amount.denominator):
                    yield facts, (*path, "counters", name)


# Devices that several claims share, and counters.


def _sharing(world: World) -> Iterator[tuple[Facts, SliceFacts, Sharable, ConsumptionFacts]]:
    """Yield the devices that several claims can have and that consume counters."""
    for facts, body in world.slices:
        sharable = {device.device: device for device in body.sharable}
        for consumption in body.consumes if sharable else ():
            if consumption.device in sharable:
                yield facts, body, sharable[consumption.device], consumption


def shared_beside_others(world: World) -> Met:
    """Yield devices that can be shared and consume a counter set of which another device consumes, too."""
    users: dict[tuple[str, str, str], set[str]] = {}
    for _, body in world.slices:
        for consumption in body.consumes:
            users.setdefault((body.driver, body.pool, consumption.counter_set), set()).add(consumption.device)
    for facts, body, _, consumption in _sharing(world):
        if len(users[body.driver, body.pool, consumption.counter_set]) > 1:
            yield facts, consumption.path


def shared_without_capacity(world: World) -> Met:
    """Yield devices that can be shared, consume counters, and have no capacity."""
    return ((facts, each.path) for facts, _, device, each in _sharing(world) if not device.capacity)


def shared_once(world: World) -> Met:
    """Yield devices that can be shared and whose counter set has no room for them twice."""
    totals = _totals(world)
    for facts, body, _, consumption in _sharing(world):
        total = totals.get((body.driver, body.pool, consumption.counter_set), {})
        if any(
            name in total and (amount := known_quantity(text)) is not None and 2 * amount > total[name]
            for name, text in consumption.counters
        ):
            yield facts, consumption.path


def _totals(world: World) -> dict[tuple[str, str, str], dict[str, Fraction]]:
    """Return what each counter set has."""
    found: dict[tuple[str, str, str], dict[str, Fraction]] = {}
    for _, body in world.slices:
        for _, name, counters in body.counter_sets:
            amounts = {counter: amount for counter, text in counters if (amount := known_quantity(text)) is not None}
            found[body.driver, body.pool, name] = amounts
    return found


def all_of_shared(world: World) -> Met:
    """Yield requests for all devices of a driver whose devices can be shared."""
    return _all_of(world, {body.driver for _, body in world.slices if body.sharable})


def capacity_of_several(world: World) -> Met:
    """Yield requests for capacity of a driver that has several such devices in a slice."""
    several = {body.driver for _, body in world.slices if sum(device.capacity for device in body.sharable) > 1}
    for facts, request in world.requests() if several else ():
        if request.capacity and several & world.drivers_of(request.device_class):
            yield facts, (*request.path, "capacity")


def admin_takes_counters(world: World) -> Met:
    """Yield requests for admin access to all devices of a driver that together consume more than there is."""
    totals, spent = _totals(world), dict[tuple[str, str, str, str], "Fraction"]()
    for _, body in world.slices:
        for consumption in body.consumes:
            for counter, text in consumption.counters:
                key = body.driver, body.pool, consumption.counter_set, counter
                spent[key] = spent.get(key, parse_quantity("0")) + (known_quantity(text) or 0)
    over = {key[0] for key, amount in spent.items() if amount > totals.get(key[:3], {}).get(key[3], amount)}
    for facts, request in world.requests() if over else ():
        wanted = request.admin and request.mode == "All" and not request.selectors
        if wanted and over & world.drivers_of(request.device_class) and _whole(world, request):
            yield facts, (*request.path, "adminAccess")


def _whole(world: World, request: RequestFacts) -> bool:
    """Say whether the class of a request selects by the driver alone."""
    return all(
        demands(body.selectors).keys() == {("driver",)}
        and not any("attributes" in s.expression or "capacity" in s.expression for s in body.selectors)
        for _, body in world.classes(request.device_class)
    )


def list_attribute(world: World) -> Met:
    """Yield constraints by an attribute of which a device has a list."""
    stock = () if world.stock is None else world.stock.items
    listed: dict[str, bool] = {}
    for facts, claim in world.claims() if stock else ():
        for constraint in claim.constraints:
            name = constraint.attribute
            if name not in listed:
                listed[name] = any(isinstance(item.value(name), list | tuple) for item in stock)
            if listed[name]:
                yield facts, constraint.path


# Pools.


def all_beside_an_incomplete_pool(world: World) -> Met:
    """Yield requests for all devices where a pool of whatever driver has fewer slices than it says."""
    if any(len(members) < members[0][1].number for members in _pools(world)):
        for facts, request in world.requests():
            if request.mode == "All":
                yield facts, (*request.path, "allocationMode")


def all_over_nodes(world: World) -> Met:
    """Yield requests for all devices of a driver that has a pool with slices of different nodes."""
    return _all_of(
        world, {members[0][1].driver for members in _pools(world) if len({body.nodes for _, body in members}) > 1}
    )


def device_twice_in_a_pool(world: World) -> Met:
    """Yield the first claim, where a pool has two devices of one name."""
    for members in _pools(world):
        names: dict[str, list[str]] = {}
        for _, body in members:
            names.setdefault(body.nodes, []).extend(filter(None, body.devices.split("\n")))
        if any(len(several) > len(set(several)) for several in names.values()):
            yield from ((facts, claim.top) for facts, claim in list(world.claims())[:1])
            return


# Nodes and the status of objects.


def nodes(world: World) -> Iterator[tuple[Facts, NodeState]]:
    """Yield the nodes of the inventory, or else of the input."""
    found = [f for f in world.inventory if isinstance(f.body, NodeState)] or world.index.facts
    return ((facts, facts.body) for facts in found if isinstance(facts.body, NodeState))


def zero_left_behind(world: World) -> Met:
    """Yield extended resources of a class that a node still lists with 0."""
    offered = {facts.body.extended for facts in world.index.facts if isinstance(facts.body, Class)} - {None}
    zero = {name for _, node in nodes(world) for name, amount in node.allocatable if amount == "0"} & offered
    for facts, _, pod in world.workloads() if zero else ():
        yield from ((facts, path) for path, name, amount in pod.extended if name in zero and amount != "0")


def _allocated(world: World) -> Iterator[tuple[Facts, Allocated]]:
    return ((facts, claim.status) for facts, claim in world.claims() if claim.status is not None)


def share_that_is_forgotten(world: World) -> Met:
    """Yield results of shared devices without consumed capacity."""
    for facts, status in _allocated(world):
        for number, result in enumerate(status.results):
            if not result.plain and not result.weighed:
                yield facts, (*_RESULTS, number)


def allocated_without_time(world: World) -> Met:
    """Yield allocated claims without a time that a Pod names which has not reserved them."""
    for facts, status in _allocated(world):
        if status.timed or not status.results:
            continue
        reserved = {name for resource, name, _ in status.reserved if resource == "pods"}
        users = world.users.get((world.scope.namespace_of(facts), str(facts.name)), ())
        if any(user.kind != "Pod" or user.name not in reserved for user, _ in users):
            yield facts, ("status", "allocation")


def reserved_by_others(world: World) -> Met:
    """Yield users of claims that are not Pods."""
    for facts, status in _allocated(world):
        for number, (resource, _, _) in enumerate(status.reserved):
            if resource != "pods":
                yield facts, ("status", "reservedFor", number)


def reserved_by_the_dead(world: World) -> Met:
    """Yield claims that are being deleted and whose users are Pods that do not exist."""
    live = [f for f in world.index.facts if f.kind == "Pod" and isinstance(f.body, WorkloadFacts) and f.body.live]
    pods = {(world.scope.namespace_of(f), f.name) for f in live}
    for facts, status in _allocated(world) if pods else ():
        namespace = world.scope.namespace_of(facts)
        if not status.deleting or not status.reserved:
            continue
        if all(resource == "pods" and (namespace, name) not in pods for resource, name, _ in status.reserved):
            yield facts, ("status", "reservedFor")


def device_given_twice(world: World) -> Met:
    """Yield the device of a claim that another claim has alone, too."""
    holders: dict[tuple[str, str, str], Facts] = {}
    for facts, status in _allocated(world):
        for number, result in enumerate(status.results):
            if result.plain and holders.setdefault(result.device, facts) is not facts:
                yield facts, (*_RESULTS, number, "device")


def claim_name_erased(world: World) -> Met:
    """Yield entries of Pods on a node whose status does not name the claim that was made for them."""
    for facts, workload, pod in world.workloads():
        if workload.live and workload.state is not None and not workload.state.ended and pod.node_name:
            for entry in pod.entries:
                if entry.template is not None and entry.name not in workload.state.claimed:
                    yield facts, entry.path


# Rare cases.


def _templates(entries: tuple[Entry, ...]) -> list[Entry]:
    return [entry for entry in entries if entry.template is not None]


def two_templates(world: World) -> Met:
    """Yield Pods with claims from several templates."""
    return ((f, found[1].path) for f, _, pod in world.workloads() if len(found := _templates(pod.entries)) > 1)


def thousand_pods(world: World) -> Met:
    """Yield workloads that make more than a thousand Pods at once, with claims from templates."""
    for facts, workload, pod in world.workloads():
        if workload.replicas * pod.number > _MANY and _templates(pod.entries):
            yield facts, workload.replicas_path or pod.path


def two_drivers(world: World) -> Met:
    """Yield Pods whose claims are of several drivers."""
    for facts, _, pod in world.workloads():
        found: set[str] = set()
        for entry in pod.entries:
            for target in world.target(facts, entry):
                for request in target.body.requests if isinstance(target.body, ClaimFacts) else ():
                    found |= world.drivers_of(request.device_class)
        if len(found) > 1:
            yield facts, pod.entries[0].path


def annotated_template(world: World) -> Met:
    """Yield templates that give their claims annotations."""
    return ((facts, ("spec", "metadata", "annotations")) for facts, claim in world.claims() if claim.annotated)


def config_of_several(world: World) -> Met:
    """Yield configurations that name several requests."""
    for facts, claim in world.claims():
        yield from ((facts, (*config.path[:-2], "requests")) for config in claim.configs if len(config.requests) > 1)


def costly_selector(world: World) -> Met:
    """Yield selectors that search in a text of a device."""
    is_costly = cache(_COSTLY.search)
    for facts in world.index.facts:
        if isinstance(facts.body, Class):
            found = facts.body.selectors
        elif isinstance(facts.body, ClaimFacts):
            found = tuple(selector for request in facts.body.requests for selector in request.selectors)
        else:
            continue
        yield from ((facts, selector.path) for selector in found if is_costly(selector.expression))


TRIGGERS: dict[str, Callable[[World], Met]] = {
    trigger.__name__: trigger
    for trigger in (
        step_that_divides_by_zero,
        fraction_of_capacity,
        capacity_beyond_a_range,
        counter_beyond_64_bits,
        shared_beside_others,
        shared_without_capacity,
        shared_once,
        all_of_shared,
        capacity_of_several,
        admin_takes_counters,
        list_attribute,
        all_beside_an_incomplete_pool,
        all_over_nodes,
        device_twice_in_a_pool,
        zero_left_behind,
        share_that_is_forgotten,
        allocated_without_time,
        reserved_by_others,
        reserved_by_the_dead,
        device_given_twice,
        claim_name_erased,
        two_templates,
        thousand_pods,
        two_drivers,
        annotated_template,
        config_of_several,
        costly_selector,
    )
}
"""More of `known_bugs.TRIGGERS`."""


_GATE = "DRAExtendedResource"
_SHOWN = 3


def node_state(world: World) -> Iterator[Found]:
    """Yield Pods whose devices the kubelets do not prepare, or that a device plugin offers as well."""
    at: dict[str, set[str]] = {}
    for _, body in world.slices:
        at.setdefault(body.nodes, set()).add(body.driver)
    yield from _kubelets(world, at)
    yield from _plugins(world, at)


def _kubelets(world: World, at: dict[str, set[str]]) -> Iterator[Found]:
    """Yield Pods if a node with their devices uses an API version that the API server has off."""
    old = [(str(facts.name), body.kubelet, asked_for(body.kubelet)) for facts, body in nodes(world)]
    labels = {str(facts.name): body.labels for facts, body in nodes(world)}
    kubelets = [(name, str(version), api) for name, version, api in old if api is not None and name in at]
    hits: dict[tuple[Release, frozenset[str]], list[tuple[str, str, str]]] = {}
    for facts, _, pod in world.workloads() if kubelets else ():
        wanted: set[str] = set()
        for entry in pod.entries:
            for target in world.target(facts, entry):
                for request in target.body.requests if isinstance(target.body, ClaimFacts) else ():
                    wanted |= world.drivers_of(request.device_class)
        for release in world.named(facts):
            served = world.versions.default(release)
            key = release, frozenset(wanted)
            if key not in hits:
                hits[key] = [(n, v, api) for n, v, api in kubelets if api not in served and at[n] & wanted]
            hit = [each for each in hits[key] if pod.may_run_on(each[0], labels[each[0]])]
            if hit and served:
                name, version, api = hit[0]
                more = f" and {len(hit) - 1} more" if len(hit) > 1 else ""
                message = (
                    f"the kubelet of {name} ({version}){more} reads claims as {api}, which {release} serves only where "
                    "it is enabled: a Pod on that node hangs in ContainerCreating"
                )
                hint = f"update the kubelet, or start the API server with --runtime-config={api}=true"
                path = pod.entries[0].path
                yield world.found(facts, KUBELET_WITHOUT_API, path, message, hint, releases=[release])


def _plugins(world: World, at: dict[str, set[str]]) -> Iterator[Found]:
    """Yield extended resources that a class offers from devices of a node where a device plugin offers them, too."""
    offered: dict[str, tuple[Facts, frozenset[str]]] = {}
    for facts in world.index.facts:
        if isinstance(facts.body, Class) and facts.body.extended:
            offered[facts.body.extended] = facts, world.drivers_of(facts.name)
    twice: dict[str, list[str]] = {}
    for node, state in nodes(world) if offered else ():
        for name, amount in state.allocatable:
            if amount != "0" and name in offered and at.get(str(node.name), set()) & offered[name][1]:
                twice.setdefault(name, []).append(f"{node.name} ({amount})")
    for facts, _, pod in world.workloads() if twice else ():
        for path, name, amount in pod.extended:
            releases = world.releases_with(_GATE, facts)
            if amount == "0" or name not in twice or not releases:
                continue
            message = (
                f"a device plugin offers {name} on {some_of(twice[name], _SHOWN)}, and the class "
                f"{quoted(offered[name][0].name)} offers it there, too: two Pods can get the same device"
            )
            hint = (
                "remove the device plugin from the nodes of the driver, or give the class another extendedResourceName"
            )
            yield world.found(facts, DEVICES_OFFERED_TWICE, path, message, hint, target="key", releases=releases)


def statuses(world: World) -> Iterator[Found]:
    """Yield uses of extended resources in a Pod's status that name a request which the claim does not have."""
    for facts in world.index.facts:
        state = facts.body.state if isinstance(facts.body, WorkloadFacts) else None
        if state is None or state.extended_claim is None:
            continue
        found = world.index.within("ResourceClaim", world.scope.namespace_of(facts), state.extended_claim)
        claims = [entry.body for entry in found if isinstance(entry.body, ClaimFacts) and entry.body.plain]
        names = {request.name for claim in claims for request in claim.requests if request.parent is None}
        for path, container, resource, request in state.mapped if len(claims) == 1 else ():
            if request.partition("/")[0] in names:
                continue
            message = (
                f"the container {quoted(container)} is mapped to the request {quoted(request)}, which the claim "
                f"{quoted(state.extended_claim)} does not have ({', '.join(sorted(names))}): no device reaches it"
            )
            native = "" if "/" in resource else f"; {resource} is no extended resource"
            hint = f"the scheduler that wrote the status has to name a request of the claim{native}"
            yield world.found(facts, MAPPED_TO_NO_REQUEST, path, message, hint)
