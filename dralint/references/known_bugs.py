"""Known faults of releases that concern the input: the table of rules/known-bugs.yaml, and who meets each."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from dralint.cel.device_values import named_value
from dralint.finding.problem import at, dict_of, list_of
from dralint.finding.rule_ids import KNOWN_BUG, KNOWN_BUG_BLOCKS, KNOWN_BUG_OF_A_PATCH, RARE_KNOWN_BUG
from dralint.kubernetes import gates
from dralint.kubernetes.near import listed
from dralint.kubernetes.quantity import known_quantity, parse_quantity
from dralint.kubernetes.release import Release
from dralint.kubernetes.shipped import bugs
from dralint.kubernetes.workloads import MOST_CONSUMERS, MOST_CONSUMERS_BEFORE, MOST_DEVICES
from dralint.records import grouped
from dralint.references.facts import ClaimFacts, Class, Role, TaintRule, WorkloadFacts
from dralint.references.nodes import nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from fractions import Fraction

    from dralint.kubernetes.shipped import Bug
    from dralint.references.facts import (
        ConsumptionFacts,
        Entry,
        Facts,
        Found,
        PodSpec,
        RequestFacts,
        Sharable,
        SliceFacts,
    )
    from dralint.references.world import World
    from dralint.yaml import Path

    Met = Iterable[tuple[Facts, Path]]
    Trigger = Callable[[World], Met]
    """Returns the objects that meet a fault, each with the path to blame."""

_SHOWN = 3


def known_bugs(world: World) -> Iterator[Found]:
    """Yield the faults of the named releases that concern the objects; faults that depend on an unknown patch come
    together."""
    maybe: dict[str, tuple[Facts, Path, Release, Bug]] = {}
    files = {facts.file for facts in (*world.index.facts, *world.inventory)}
    named = {release for several in set(map(world.chosen, files)) for release in several}
    for bug in bugs():
        is_hit = cache(partial(_is_hit, world, bug))
        quiet = bug.every or bug.rare  # nothing is said as long as nobody knows the patch
        if not bug.trigger or not any(hit or (hit is None and not quiet) for hit in map(is_hit, named)):
            continue
        for facts, path in TRIGGERS[bug.trigger](world):
            surely: list[Release] = []
            for release in world.named(facts):
                hit = is_hit(release)
                if hit:
                    surely.append(release)
                elif hit is None and not quiet:
                    maybe.setdefault(f"{release} {bug.name}", (facts, path, release, bug))
            if surely:
                yield _told(world, bug, facts, path, surely)
                if bug.rare:
                    break
    if maybe:
        yield _of_patches(world, list(maybe.values()))


def _on(world: World, bug: Bug, release: Release) -> bool:
    """Say whether the gates that a fault needs are on in a release; a gate that the release lacks does not matter."""
    return all(
        (gate.removeprefix("-") in world.gates(release)) != gate.startswith("-")
        for gate in bug.gates
        if gates.stage(gate.removeprefix("-"), release) is not None
    )


def _is_hit(world: World, bug: Bug, release: Release) -> bool | None:
    """Say whether a release has the fault; None where that depends on its patch, and the patch is unknown."""
    span = bug.span(release)
    if span is None or not _on(world, bug, release):
        return False
    first, last = span
    if last < 0:
        return True
    named = world.patches.get(release)
    return None if named is None else any(first <= patch <= last for patch in named)


def _told(world: World, bug: Bug, facts: Facts, path: Path, releases: list[Release]) -> Found:
    mends = [mend for release in releases if (mend := bug.mend(release))]
    later = [text for text in bug.fixed if Release.parse(text) > max(releases)]
    if bug.change:
        fixed = ""
    elif mends:
        fixed = f", fixed in {' and '.join(mends)}"
    else:
        fixed = f", fixed in {min(later, key=Release.parse)}" if later else ", not fixed in this release"
    update = f"update to {mends[0]}; until then: " if mends else ""
    what = "change" if bug.change else "known fault"
    message = f"{bug.effect} ({what} of the release: {bug.name}{fixed})"
    rule = KNOWN_BUG_BLOCKS if bug.blocks else RARE_KNOWN_BUG if bug.rare else KNOWN_BUG
    return world.found(facts, rule, path, message, f"{update}{bug.until}", releases=releases)


def _of_patches(world: World, maybe: list[tuple[Facts, Path, Release, Bug]]) -> Found:
    """Return the one note on faults that only some patches of a release have."""
    maybe = sorted(maybe, key=lambda one: one[2])
    facts, path, _, _ = maybe[0]
    patches = grouped((bug, f"{release} before {bug.mend(release)}") for _, _, release, bug in maybe)
    said = [f"{listed(each, 'and', '')}: {bug.effect} ({bug.name})" for bug, each in patches.items()]
    others = ", ".join(bug.name for bug in list(patches)[_SHOWN:])
    message = f"some patches have faults that this input meets: {'; '.join(said[:_SHOWN])}"
    message += f"; and {others}" if others else ""
    releases = sorted({release for _, _, release, _ in maybe})
    hint = f"name the patch that runs, for example --kubernetes-version {maybe[0][3].mend(releases[0])}"
    return world.found(facts, KNOWN_BUG_OF_A_PATCH, path, message, hint, releases=releases)


# Requests.


def _requests(field: str, meets: Callable[[World, RequestFacts], object]) -> Trigger:
    """Return a trigger for each request that meets a condition; `field` is to blame."""
    return lambda world: (
        (facts, (*request.path, field)) for facts, request in world.requests() if meets(world, request)
    )


def _all_mode(meets: Callable[[World, RequestFacts], object]) -> Trigger:
    """Return a trigger for each request for all devices that meets a condition."""
    return _requests("allocationMode", lambda world, request: request.mode == "All" and meets(world, request))


def _of_drivers(
    field: str, drivers: Callable[[World], Iterable[str]], meets: Callable[[RequestFacts], object]
) -> Trigger:
    """Return a trigger for each request that meets a condition and whose class selects one of the drivers."""

    def met(world: World) -> Met:
        those = frozenset(drivers(world))
        for facts, request in world.requests() if those else ():
            if meets(request) and those & world.drivers_of(request.device_class):
                yield facts, (*request.path, field)

    return met


def _all_of(drivers: Callable[[World], Iterable[str]]) -> Trigger:
    """Return a trigger for each request for all devices of one of the drivers."""
    return _of_drivers("allocationMode", drivers, lambda request: request.mode == "All")


def _of_slices(world: World, meets: Callable[[SliceFacts], object]) -> set[str]:
    """Return the drivers with a slice that meets a condition."""
    return {body.driver for _, body in world.slices if meets(body)}


def _counts_overflow(world: World) -> Met:
    """Yield claims whose counts have a sum beyond 64 bits."""
    for facts, claim in world.claims:
        counts: dict[str, int] = {}
        for request in claim.requests:
            if request.number is not None and request.mode == "ExactCount":
                name = request.parent or request.name
                counts[name] = min(counts.get(name, request.number), request.number)
        if sum(counts.values()) > _LARGEST:
            yield facts, claim.top


def _distinct(world: World, least: int) -> Met:
    """Yield constraints by distinctAttribute over a request with at least that many devices."""
    for facts, claim in world.claims:
        many = [request for request in claim.requests if request.mode == "All" or (request.number or 0) >= least]
        names = {name for request in many for name in (request.full_name, request.parent)}
        for constraint in claim.constraints:
            if constraint.distinct and many and (not constraint.requests or not names.isdisjoint(constraint.requests)):
                yield facts, constraint.path


def _tolerates_eviction(world: World) -> Met:
    """Yield tolerations that can match NoExecute; with an inventory, where a device has such a taint."""
    if world.stock is not None and not any(
        taint.get("effect") == "NoExecute" for item in world.stock.items for taint in item.spec["taints"]
    ):
        return
    for facts, request in world.requests():
        for position, toleration in enumerate(request.tolerations):
            if isinstance(toleration, dict) and toleration.get("effect") in (None, "", "NoExecute"):
                yield facts, (*request.path, "tolerations", position)


def _more_than_sixteen(world: World) -> Met:
    """Yield counts that 1.33.0 cannot serve: the devices of earlier requests and twice their own pass 33."""
    for facts, claim in world.claims:
        before = 0
        for request in claim.requests:
            if request.parent is None and request.number is not None and request.mode == "ExactCount":
                if request.number <= MOST_DEVICES and before + 2 * request.number - 1 > MOST_DEVICES:
                    yield facts, (*request.path, "count")
                    break
                before += request.number


def _class_config_for_all(world: World) -> Met:
    """Yield requests of a class with configuration, in a claim with another class of the same driver."""
    for facts, claim in world.claims:
        classes = {request.device_class for request in claim.requests if request.device_class}
        if len(classes) < 2:
            continue
        users = Counter(driver for name in classes for driver in world.drivers_of(name))
        for request in claim.requests:
            drivers = {c.driver for _, body in world.classes(request.device_class) for c in body.configs}
            own = world.drivers_of(request.device_class) if drivers else ()
            if any(users[driver] > (driver in own) for driver in drivers):
                yield facts, (*request.path, "deviceClassName")
                break


def _list_attribute(world: World) -> Met:
    """Yield constraints by an attribute of which a device has a list."""
    devices = () if world.stock is None else world.stock.devices
    is_listed = cache(lambda name: any(isinstance(named_value(d.attributes, d.driver, name), list) for d in devices))
    for facts, claim in world.claims:
        yield from ((facts, each.path) for each in claim.constraints if is_listed(each.attribute))


_COSTLY = r"device\.[^\n]*(?<![\"'])\.(?:matches|contains|split)\("
"""Functions whose cost grows with a text that has no known length."""


def _costly_selector(world: World) -> Met:
    """Yield selectors that search in a text of a device."""
    is_costly = cache(re.compile(_COSTLY).search)
    for facts in world.index.facts:
        holders = (facts.body,) if isinstance(facts.body, Class) else ()
        for holder in facts.body.requests if isinstance(facts.body, ClaimFacts) else holders:
            yield from ((facts, selector.path) for selector in holder.selectors if is_costly(selector.expression))


def _allocated(world: World) -> Iterator[tuple[Facts, ClaimFacts, list[dict[str, Any]], list[dict[str, Any]]]]:
    """Yield the allocated claims, with the devices that they have and their users."""
    for facts, claim in world.claims:
        if claim.status is not None:
            results = at(claim.status, ("allocation", "devices", "results"))
            users = claim.status.get("reservedFor")
            yield facts, claim, [*map(dict_of, list_of(results))], [*map(dict_of, list_of(users))]


_RESULTS: Path = ("status", "allocation", "devices", "results")
_USERS: Path = ("status", "reservedFor")


def _is_pod(user: dict[str, Any]) -> bool:
    return user.get("resource") == "pods" and not user.get("apiGroup")


def _allocated_without_time(world: World) -> Met:
    """Yield allocated claims without a time that a Pod names which has not reserved them."""
    for facts, claim, results, users in _allocated(world):
        reserved = {user.get("name") for user in users if _is_pod(user)}
        pods = world.users.get((world.scope.namespace_of(facts), str(facts.name)), ())
        timed = at(claim.status, ("allocation", "allocationTimestamp")) is not None
        if results and not timed and any(pod.kind != "Pod" or pod.name not in reserved for pod, _ in pods):
            yield facts, ("status", "allocation")


def _reserved_by_the_dead(world: World) -> Met:
    """Yield claims that are being deleted and whose users are Pods that do not exist."""
    live = [facts for facts, body in world.index.holding(WorkloadFacts) if facts.kind == "Pod" and body.live]
    pods = {(world.scope.namespace_of(facts), facts.name) for facts in live}
    for facts, claim, _, users in _allocated(world) if pods else ():
        namespace = world.scope.namespace_of(facts)
        gone = all(_is_pod(user) and (namespace, user.get("name")) not in pods for user in users)
        if claim.deleting and users and gone:
            yield facts, _USERS


def _finished_beside_others(world: World) -> Met:
    """Yield entries of finished Pods with claims that are allocated, and that other Pods use."""
    users = {(world.scope.namespace_of(facts), facts.name): users for facts, _, _, users in _allocated(world)}
    for facts, workload, pod in world.workloads:
        if workload.live and workload.ended and pod.node_name:
            for entry in pod.entries:
                others = users.get((world.scope.namespace_of(facts), entry.claim), ())
                if any(user.get("name") != facts.name for user in others):
                    yield facts, entry.path


def _device_given_twice(world: World) -> Met:
    """Yield the device of a claim that another claim has alone, too."""
    holders: dict[tuple[str, ...], Facts] = {}
    for facts, _, results, _ in _allocated(world):
        for number, result in enumerate(results):
            device = tuple(str(result.get(key)) for key in ("driver", "pool", "device"))
            shared = result.get("adminAccess") is True or "shareID" in result
            if not shared and holders.setdefault(device, facts) is not facts:
                yield facts, (*_RESULTS, number, "device")


# Pods.

_MANY = 1_000
"""From so many Pods at once on, the controller's cache has been seen to be too small."""


def _entries(meets: Callable[[World, Facts, WorkloadFacts, PodSpec, Entry], object]) -> Trigger:
    """Return a trigger for each entry of a Pod's claims that meets a condition."""
    return lambda world: (
        (facts, entry.field)
        for facts, workload, pod in world.workloads
        for entry in pod.entries
        if meets(world, facts, workload, pod, entry)
    )


def _shares(world: World, facts: Facts, workload: WorkloadFacts, pod: PodSpec, entry: Entry) -> bool:
    """Say whether other Pods use the claim of an entry, too."""
    several = workload.replicas * pod.number > 1
    return entry.claim is not None and (several or world.others_use(facts, entry.claim))


def _claim_after_a_shared_one(world: World) -> Met:
    """Yield entries that another one follows, and whose claim other Pods use."""
    for facts, workload, pod in world.workloads:
        shared = [entry for entry in pod.entries if _shares(world, facts, workload, pod, entry)]
        if shared and shared[0] is not pod.entries[-1]:
            yield facts, shared[0].path


def _shared_by_nodes_and_new(world: World) -> Met:
    """Yield entries with a shared claim, beside one of their own, whose devices several nodes reach."""
    wide = _of_slices(world, lambda body: body.nodes == "*")
    for facts, workload, pod in world.workloads if wide else ():
        shared = [entry for entry in pod.entries if _shares(world, facts, workload, pod, entry)]
        for entry in shared if len(shared) < len(pod.entries) else ():
            if world.drivers_for(facts, entry) & wide:
                yield facts, entry.field


def _template_of_a_group(world: World) -> Met:
    """Yield entries of Pods with a template that the group of the Pod names as well."""
    of_groups = {
        (world.scope.namespace_of(facts), entry.template)
        for facts, _, pod in world.workloads
        if facts.kind == "PodGroup"
        for entry in pod.entries
    }
    for facts, _, pod in world.workloads if of_groups else ():
        for entry in pod.entries if pod.group is not None and pod.group[0] == "schedulingGroup" else ():
            if entry.template is not None and (world.scope.namespace_of(facts), entry.template) in of_groups:
                yield facts, entry.field


def _grouped(world: World, field: str) -> Met:
    """Yield the second Pod of a group that uses a claim by name; `field` is what names the group."""
    seen: dict[tuple[str | None, str, str], Facts] = {}
    for facts, workload, pod in world.workloads:
        for entry in pod.entries if pod.group is not None and pod.group[0] == field else ():
            if entry.claim is not None and pod.group is not None:
                key = world.scope.namespace_of(facts), pod.group[1], entry.claim
                if seen.setdefault(key, facts) is not facts or workload.replicas > 1:
                    yield facts, entry.field


def _claim_name_erased(world: World) -> Met:
    """Yield entries of Pods on a node whose status does not name the claim that was made for them."""
    for facts, workload, pod in world.workloads:
        if workload.live and workload.ended is False and pod.node_name:
            claimed = list_of(dict_of(workload.status).get("resourceClaimStatuses"))
            names = [dict_of(each).get("name") for each in claimed]
            yield from ((facts, entry.path) for entry in _templates(pod) if entry.name not in names)


def _templates(pod: PodSpec) -> list[Entry]:
    return [entry for entry in pod.entries if entry.template is not None]


def _extended(world: World) -> Iterator[tuple[Facts, PodSpec, list[tuple[Path, str]]]]:
    """Yield Pods that request extended resources of classes."""
    offered = world.offering
    for facts, _, pod in world.workloads if offered else ():
        asked = [(path, name) for path, name, amount in pod.extended if name in offered and amount != "0"]
        if asked:
            yield facts, pod, asked


def _extended_of_native(world: World) -> Met:
    """Yield extended resources of a driver whose devices take resources of their node."""
    native = _of_slices(world, lambda body: body.native)
    for facts, _, asked in _extended(world) if native else ():
        for path, name in asked:
            if any(world.drivers_of(each.name) & native for each, _ in world.offering[name]):
                yield facts, path


def _extended_in_init(world: World) -> Met:
    """Yield extended resources of init containers, where a container has one too."""
    for facts, pod, asked in _extended(world):
        depth = len(pod.path)
        inits = [path for path, _ in asked if path[depth] == "initContainers"]
        if inits and any(path[depth] == "containers" for path, _ in asked):
            yield facts, inits[0]


def _zero_left_behind(world: World) -> Met:
    """Yield extended resources of a class that a node still lists with 0."""
    zero = {name for _, node in nodes(world) for name, amount in node.allocatable if amount == "0"}
    zero &= world.offering.keys()
    for facts, _, pod in world.workloads if zero else ():
        yield from ((facts, path) for path, name, amount in pod.extended if name in zero and amount != "0")


# Taint rules and roles.


def _rules(meets: Callable[[TaintRule], object]) -> Trigger:
    """Return a trigger for each DeviceTaintRule that meets a condition."""
    return lambda world: ((facts, ("spec",)) for facts, rule in world.index.holding(TaintRule) if meets(rule))


def _evicts_extended(world: World) -> Met:
    """Yield DeviceTaintRules that evict, where a Pod has an extended resource of the driver."""
    names = {name for _, _, asked in _extended(world) for _, name in asked}
    classes = [facts.name for facts, body in world.index.holding(Class) if body.extended in names]
    wanted = {driver for name in classes for driver in world.drivers_of(name)}
    for facts, rule in world.index.holding(TaintRule):
        if dict(rule.taint).get("effect") == "NoExecute" and rule.driver in wanted:
            yield facts, ("spec", "taint", "effect")


def _role_for_status_only(world: World) -> Met:
    """Yield roles that may write the status of claims, but have neither of the additional rights that 1.36 requires."""
    for facts, role in world.index.holding(Role):
        resources = {resource for _, resource, _ in role.rules}
        if resources & {"*", "*/*", "resourceclaims/*", "resourceclaims/binding", "resourceclaims/driver"}:
            continue
        for path, resource, verbs in role.rules:
            if resource == "resourceclaims/status" and {"update", "patch", "*"} & {*verbs}:
                yield facts, (*path, "resources")


# Slices: pools, ranges of capacity, counters.

_LARGEST = (1 << 63) - 1
_WRAPS = 1 << 64
_FINEST = 10**18


def _pools(world: World) -> Iterator[list[tuple[Facts, SliceFacts]]]:
    """Yield the slices of the newest generation of each pool."""
    for members in grouped(((body.driver, body.pool), (facts, body)) for facts, body in world.slices).values():
        newest = max(body.generation for _, body in members)
        yield [(facts, body) for facts, body in members if body.generation == newest]


def _pools_of_one_name(world: World) -> Met:
    """Yield pools with counters of two drivers that have one name and reach one node."""
    first: dict[tuple[str, str], str] = {}
    for facts, body in world.slices:
        if body.consumes and first.setdefault((body.pool, body.nodes), body.driver) != body.driver:
            yield facts, ("spec", "pool", "name")


def _has_a_device_twice(members: Iterable[tuple[Facts, SliceFacts]]) -> bool:
    """Say whether slices of a pool that a node sees have two devices of one name."""
    names = Counter((body.nodes, name) for _, body in members for name in body.devices.split("\n") if name)
    return max(names.values(), default=0) > 1


def _steps(world: World) -> Iterator[tuple[Facts, Path, str, Fraction]]:
    for facts, body in world.slices:
        for device in body.sharable:
            for path, key, text in device.steps:
                amount = known_quantity(text)
                if amount is not None:
                    yield facts, path, key, amount


def _fraction_of_capacity(world: World) -> Met:
    """Yield the first part of each range of capacity that is not a whole number."""
    first: dict[tuple[int, Path], tuple[Facts, Path]] = {}
    for facts, path, _, amount in _steps(world):
        if amount.denominator != 1:
            first.setdefault((id(facts), path[:-1]), (facts, path))
    return first.values()


def _capacity_beyond_a_range(world: World) -> Met:
    """Yield requests for an amount of capacity that a step of a range carries beyond 64 bits."""
    largest = max((amount for _, _, key, amount in _steps(world) if key == "step"), default=None)
    for facts, request in world.requests() if largest is not None else ():
        for name, text in request.capacity:
            amount = known_quantity(str(text))
            if amount is not None and largest is not None and amount > _LARGEST - largest:
                yield facts, (*request.path, "capacity", "requests", name)


def _counter_beyond_64_bits(world: World) -> Met:
    """Yield counters whose amount does not fit into 64 bits."""
    for facts, body in world.slices:
        sets = [(path, counters) for path, _, counters in body.counter_sets]
        for path, counters in (*sets, *((each.path, each.counters) for each in body.consumes)):
            for name, text in counters:
                amount = known_quantity(text)
                if amount is not None and (abs(amount) > _LARGEST or _FINEST % amount.denominator):
                    yield facts, (*path, "counters", name)


def _sharing(world: World) -> Iterator[tuple[Facts, SliceFacts, Sharable, ConsumptionFacts]]:
    """Yield the devices that several claims can have and that consume counters."""
    for facts, body in world.slices:
        sharable = {device.device: device for device in body.sharable}
        for consumption in body.consumes if sharable else ():
            if consumption.device in sharable:
                yield facts, body, sharable[consumption.device], consumption


def _shared_beside_others(world: World) -> Met:
    """Yield devices that can be shared and consume a counter set of which another device consumes, too."""
    users = grouped(
        ((body.driver, body.pool, consumption.counter_set), consumption.device)
        for _, body in world.slices
        for consumption in body.consumes
    )
    for facts, body, _, consumption in _sharing(world):
        if len(set(users[body.driver, body.pool, consumption.counter_set])) > 1:
            yield facts, consumption.path


def _shared_once(world: World) -> Met:
    """Yield devices that can be shared and whose counter set has no room for them twice."""
    totals = _totals(world)
    for facts, body, _, consumption in _sharing(world):
        total = totals.get((body.driver, body.pool, consumption.counter_set), {})
        amounts = ((name, known_quantity(text)) for name, text in consumption.counters)
        if any(name in total and amount is not None and 2 * amount > total[name] for name, amount in amounts):
            yield facts, consumption.path


def _totals(world: World) -> dict[tuple[str, str, str], dict[str, Fraction]]:
    """Return what each counter set has."""
    return {
        (body.driver, body.pool, name): {
            counter: amount for counter, text in counters if (amount := known_quantity(text)) is not None
        }
        for _, body in world.slices
        for _, name, counters in body.counter_sets
    }


def _admin_takes_counters(world: World) -> Met:
    """Yield requests for admin access to all devices of a driver that together consume more than there is."""
    totals, spent = _totals(world), dict[tuple[str, str, str, str], "Fraction"]()
    for _, body in world.slices:
        for consumption in body.consumes:
            for counter, text in consumption.counters:
                key = body.driver, body.pool, consumption.counter_set, counter
                spent[key] = spent.get(key, parse_quantity("0")) + (known_quantity(text) or 0)
    over = {key[0] for key, amount in spent.items() if amount > totals.get(key[:3], {}).get(key[3], amount)}

    def meets(request: RequestFacts) -> bool:
        every = request.admin and request.mode == "All" and not request.selectors
        return every and all(_is_whole(body) for _, body in world.classes(request.device_class))

    return _of_drivers("adminAccess", lambda _: over, meets)(world)


def _is_whole(body: Class) -> bool:
    """Say whether a class selects by the driver alone."""
    from dralint.references.selectors import DRIVER, demands  # few claims ask for all devices as administrator

    texts = [selector.expression for selector in body.selectors]
    others = any(word in text for text in texts for word in ("attributes", "capacity"))
    return demands(body.selectors).keys() == {DRIVER} and not others


_ALL = _all_mode(lambda *_: True)

TRIGGERS: dict[str, Trigger] = {
    "counts_overflow": _counts_overflow,
    "all_mode": _ALL,
    "all_after_the_first": _all_mode(lambda _, request: request.parent is not None and request.path[-1] != 0),
    "all_before_the_last": lambda world: (
        (facts, (*request.path, "allocationMode"))
        for facts, claim in world.claims
        for following, request in enumerate(claim.requests, 1)
        if request.mode == "All"
        and request.parent is not None
        and any(other.parent == request.parent for other in claim.requests[following:])
    ),
    "all_of_a_selecting_class": _all_mode(
        lambda world, request: any(body.selectors for _, body in world.classes(request.device_class))
    ),
    "all_with_counters": _all_of(lambda world: _of_slices(world, lambda body: body.consumes)),
    "all_of_shared": _all_of(lambda world: _of_slices(world, lambda body: body.sharable)),
    "all_over_nodes": _all_of(
        lambda world: (
            members[0][1].driver for members in _pools(world) if len({body.nodes for _, body in members}) > 1
        )
    ),
    "all_beside_an_incomplete_pool": lambda world: (
        _ALL(world) if any(len(members) < members[0][1].number for members in _pools(world)) else ()
    ),
    "distinct_in_one_request": partial(_distinct, least=3),
    "distinct_alone": partial(_distinct, least=0),
    "tolerates_eviction": _tolerates_eviction,
    "more_than_sixteen": _more_than_sixteen,
    "several_admin_devices": _requests(
        "count", lambda _, request: request.admin and request.mode == "ExactCount" and (request.number or 0) > 1
    ),
    "capacity_of_several": _of_drivers(
        "capacity",
        lambda world: _of_slices(world, lambda body: sum(device.capacity for device in body.sharable) > 1),
        lambda request: request.capacity,
    ),
    "class_config_for_all": _class_config_for_all,
    "list_attribute": _list_attribute,
    "config_of_several": lambda world: (
        (facts, (*config.path[:-2], "requests"))
        for facts, claim in world.claims
        for config in claim.configs
        if len(config.requests) > 1
    ),
    "annotated_template": lambda world: (
        (facts, ("spec", "metadata", "annotations")) for facts, claim in world.claims if claim.annotated
    ),
    "costly_selector": _costly_selector,
    "share_that_is_forgotten": lambda world: (
        (facts, (*_RESULTS, number))
        for facts, _, results, _ in _allocated(world)
        for number, result in enumerate(results)
        if "shareID" in result and not result.get("consumedCapacity")
    ),
    "allocated_without_time": _allocated_without_time,
    "reserved_by_others": lambda world: (
        (facts, (*_USERS, number))
        for facts, _, _, users in _allocated(world)
        for number, user in enumerate(users)
        if not _is_pod(user)
    ),
    "reserved_by_the_dead": _reserved_by_the_dead,
    "device_given_twice": _device_given_twice,
    "finished_beside_others": _finished_beside_others,
    # A fault of a kubelet concerns all Pods with claims alike.
    "any_pod": lambda world: [
        (facts, pod.entries[0].path) for facts, _, pod in world.workloads if pod.entries and pod.uses
    ][:1],
    "claim_after_a_shared_one": _claim_after_a_shared_one,
    "shared_by_nodes_and_new": _shared_by_nodes_and_new,
    "shared_by_pods": _entries(_shares),
    "more_than_32_pods": _entries(
        lambda _, _facts, workload, pod, entry: (
            entry.claim is not None and MOST_CONSUMERS_BEFORE < workload.replicas * pod.number <= MOST_CONSUMERS
        )
    ),
    "template_of_a_group": _template_of_a_group,
    "gang_shares_claim": partial(_grouped, field="workloadRef"),
    "pod_group_shares_claim": partial(_grouped, field="schedulingGroup"),
    "claim_name_erased": _claim_name_erased,
    "two_templates": lambda world: (
        (facts, several[1].path) for facts, _, pod in world.workloads if len(several := _templates(pod)) > 1
    ),
    "thousand_pods": lambda world: (
        (facts, workload.replicas_path or pod.path)
        for facts, workload, pod in world.workloads
        if workload.replicas * pod.number > _MANY and _templates(pod)
    ),
    "two_drivers": lambda world: (
        (facts, pod.entries[0].path)
        for facts, _, pod in world.workloads
        if len({driver for entry in pod.entries for driver in world.drivers_for(facts, entry)}) > 1
    ),
    "extended_in_init": _extended_in_init,
    "extended_in_job": lambda world: (
        (facts, asked[0][0]) for facts, _, asked in _extended(world) if facts.kind in ("Job", "CronJob")
    ),
    "extended_of_native": _extended_of_native,
    "zero_left_behind": _zero_left_behind,
    "any_rule": _rules(lambda _: True),
    "rule_without_selector": _rules(
        lambda rule: not rule.selects and dict(rule.taint).get("effect") in ("NoSchedule", "NoExecute")
    ),
    "evicts_extended": _evicts_extended,
    "role_for_status_only": _role_for_status_only,
    "pools_of_one_name": _pools_of_one_name,
    "device_twice_in_a_pool": lambda world: (
        [(facts, claim.top) for facts, claim in world.claims[:1]]
        if any(map(_has_a_device_twice, _pools(world)))
        else ()
    ),
    # A step can also be 0 in 64 bits.
    "step_that_divides_by_zero": lambda world: (
        (facts, path) for facts, path, key, amount in _steps(world) if key == "step" and amount % _WRAPS == 0
    ),
    "fraction_of_capacity": _fraction_of_capacity,
    "capacity_beyond_a_range": _capacity_beyond_a_range,
    "counter_beyond_64_bits": _counter_beyond_64_bits,
    "shared_beside_others": _shared_beside_others,
    "shared_without_capacity": lambda world: (
        (facts, each.path) for facts, _, device, each in _sharing(world) if not device.capacity
    ),
    "shared_once": _shared_once,
    "admin_takes_counters": _admin_takes_counters,
}
"""`trigger` of rules/known-bugs.yaml → the objects that meet the fault, each with the path to blame."""
