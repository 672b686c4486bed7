"""Pools of ResourceSlices: checks all slices of a pool together, as a node sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.problem import meant
from dralint.finding.rule_ids import POOL_COUNTERS, POOL_DUPLICATE_DEVICE, POOL_INCOMPLETE, POOL_ON_TWO_NODES
from dralint.finding.words import counted, quoted
from dralint.kubernetes.formats import dns_label
from dralint.kubernetes.near import listed
from dralint.kubernetes.quantity import known_quantity
from dralint.kubernetes.release import Release
from dralint.records import grouped
from dralint.references.collect import ALL_NODES, SOME_NODES
from dralint.references.facts import Elsewhere, SliceFacts, is_open

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import ConsumptionFacts, Facts, Found
    from dralint.references.world import World

_STRICT = Release(1, 35)
"""The first release that uses no device of an incomplete pool, and finds counter sets in all slices of a pool."""
_PARTITIONS = "DRAPartitionableDevices"

Member = tuple["Facts", SliceFacts]
Owners = dict[tuple[str, str], dict[str, Member]]
"""Driver and name of a counter set → the pools that have it, each with one of its slices."""


def pools(world: World) -> Iterator[Found]:
    """Yield the problems of the pools of the slices in the input."""
    by_pool = grouped(
        ((body.driver, body.pool), (facts, body))
        for facts, body in world.index.holding(SliceFacts)
        if not is_open(body.pool) and not is_open(body.driver)
    )
    owners: dict[tuple[str, str], dict[str, Member]] = {}
    for (driver, _), members in by_pool.items():
        for facts, body in members:
            for _, name, _ in body.counter_sets:
                owners.setdefault((driver, name), {}).setdefault(body.pool, (facts, body))
    for members in by_pool.values():
        different = _different(members)
        if different is None:
            continue
        by_node = grouped((member[1].nodes, member) for member in different)
        yield from _two_nodes(world, by_node)
        for node, seen in by_node.items():
            # A selector may match any node: only slices for all nodes certainly meet others.
            together = (
                seen if node == SOME_NODES else [*seen, *(by_node.get(ALL_NODES, []) if node != ALL_NODES else [])]
            )
            unsure = bool(by_node.get(SOME_NODES)) and len(by_node) > 1
            yield from _pool(world, together, owners, unsure=unsure)


def _different(members: list[Member]) -> list[Member] | None:
    """Return the slices of a pool, each object once; None where one name has slices of different content."""
    by_name: dict[str, Member] = {}
    out: list[Member] = []
    for facts, body in members:
        known = None if facts.name is None else by_name.setdefault(facts.name, (facts, body))
        if known is None or known[0] is facts:
            out.append((facts, body))
        elif known[1] != body:
            return None
    return out


def _pool(world: World, members: list[Member], owners: Owners, *, unsure: bool) -> Iterator[Found]:
    newest = max(body.generation for _, body in members)
    current = [member for member in members if member[1].generation == newest]
    older = [member for member in members if member[1].generation != newest]
    together = current[0][1].nodes != SOME_NODES and _belong_together(world, current)
    duplicates = list(_duplicates(world, current)) if together else []
    yield from duplicates
    if unsure or any(body.nodes == SOME_NODES for _, body in current) or duplicates:
        return
    yield from _count(world, current, older)
    yield from _counters(world, current, owners)


def _belong_together(world: World, members: list[Member]) -> bool:
    """Say whether slices are of one pool at one time; those in several files may have been saved at different times."""
    one_file = len({facts.file for facts, _ in members}) == 1
    return one_file or world.scope.complete or len(members) <= members[0][1].number


def _duplicates(world: World, members: list[Member]) -> Iterator[Found]:
    first: dict[str, tuple[Facts, int]] = {}
    for facts, body in members:
        for position, name in enumerate(body.devices.split("\n")):
            if not name or is_open(name):
                continue
            other, place = first.setdefault(name, (facts, position))
            if other is facts:
                continue
            message = (
                f"the pool {quoted(body.pool)} already has a device {quoted(name)}, in the slice {quoted(other.name)}: "
                "the pool is invalid, and the scheduler allocates none of its devices"
            )
            hint = "give the device another name, or the slices different pools"
            elsewhere = Elsewhere("the device of the same name", other, ("spec", "devices", place, "name"))
            yield world.found(
                facts, POOL_DUPLICATE_DEVICE, ("spec", "devices", position, "name"), message, hint, elsewhere
            )


def _count(world: World, current: list[Member], older: list[Member]) -> Iterator[Found]:
    facts, body = current[0]
    there = len(current)
    if not _belong_together(world, current):
        return
    if any(other.number != body.number for _, other in current):
        yield from _counts(world, current)
        return
    if there == body.number or body.number < 1:
        return
    slices = counted(body.number, "slice")
    pool = f"the pool {quoted(body.pool)}"
    left = older[0] if older else None
    path = ("spec", "pool", "resourceSliceCount")
    if left is not None and there < body.number <= there + len(older):
        message = (
            f"the scheduler ignores this slice of generation {left[1].generation}, because {pool} is at generation "
            f"{body.generation} in the slice {quoted(facts.name)}; that generation has {there} of its {slices}"
        )
        hint = f"write generation: {body.generation}, or remove the slice and write resourceSliceCount: {there}"
        elsewhere = Elsewhere(f"generation {body.generation}", facts, ("spec", "pool", "generation"))
        yield world.found(left[0], POOL_INCOMPLETE, ("spec", "pool", "generation"), message, hint, elsewhere)
        return
    releases = [release for release in world.releases(facts) if release >= _STRICT]
    if not releases or (there < body.number and not world.scope.complete):
        return
    message = f"{pool} has {there} of {slices}: the scheduler allocates none of its devices until all exist"
    if there > body.number:
        message = f"{pool} has {there} slices, but must have {body.number}: the scheduler allocates none of its devices"
    hint = f"write resourceSliceCount: {there}, or add the slices that are missing"
    if there > body.number:
        hint = f"write resourceSliceCount: {there} in all of them, or give the others another pool"
    yield world.found(facts, POOL_INCOMPLETE, path, message, hint, releases=releases)


def _counts(world: World, current: list[Member]) -> Iterator[Found]:
    """Yield that slices of one pool and generation have different slice counts."""
    there = len(current)
    wrong = next(member for member in reversed(current) if member[1].number != there)
    facts, body = wrong
    releases = [release for release in world.releases(facts) if release >= _STRICT]
    if not releases:
        return
    other = next(member for member in current if member[1].number != body.number)
    right = other[1].number == there
    message = (
        f"this slice of the pool {quoted(body.pool)} has resourceSliceCount: {body.number}, but the slice "
        f"{quoted(other[0].name)} of the same generation has {other[1].number}: if the scheduler reads the wrong "
        "number, it allocates no device of the pool"
    )
    hint = f"write resourceSliceCount: {there}" if right else "write the same resourceSliceCount into all slices"
    path = ("spec", "pool", "resourceSliceCount")
    elsewhere = Elsewhere(f"the slice {quoted(other[0].name)}", other[0], path)
    yield world.found(facts, POOL_INCOMPLETE, path, message, hint, elsewhere, releases=releases)


def _counters(world: World, members: list[Member], owners: Owners) -> Iterator[Found]:
    """Yield counter sets and counters that devices use and the pool lacks, or has too little of."""
    whole = len(members) == members[0][1].number
    sets: dict[str, tuple[Facts, tuple[str | int, ...], dict[str, str]]] = {}
    for facts, body in members:
        for path, name, amounts in body.counter_sets:
            sets.setdefault(name, (facts, path, dict(amounts)))
    for facts, body in members:
        releases = [r for r in world.releases(facts) if r >= _STRICT and _PARTITIONS in world.gates(r)]
        for use in body.consumes if releases else ():
            if is_open(use.counter_set) or any(map(is_open, sets)):
                continue
            if use.counter_set in sets:
                yield from _counter(world, facts, use, sets[use.counter_set], releases)
                continue
            near = meant(use.counter_set, sets, (*use.path, "counterSet"))
            if not whole and not world.scope.complete:
                continue
            message = (
                f"no slice of the pool {quoted(body.pool)} has the counter set {quoted(use.counter_set)}: the "
                "pool is invalid, and the scheduler allocates none of its devices"
            )
            has = f"it has {', '.join(sets)}" if sets else "it has none"
            first = next(iter(sets.values()), None)
            elsewhere = () if first is None else (Elsewhere("the counter sets", first[0], (*first[1], "name")),)
            others = owners.get((body.driver, use.counter_set), {})
            if len(others) == 1:
                pool, (owner, other) = next(iter(others.items()))
                has += f", and the pool {quoted(pool)} has one of that name, which this one cannot use"
                place = next(path for path, name, _ in other.counter_sets if name == use.counter_set)
                elsewhere = (Elsewhere(f"the counter set of the pool {quoted(pool)}", owner, (*place, "name")),)
            path, guess = (*use.path, "counterSet"), None if near.repair is None else near.repair._replace(safe=False)
            hint = near.hint or "add the counter set to the pool, or name another"
            where = f"{message}; {has}"
            yield world.found(facts, POOL_COUNTERS, path, where, hint, *elsewhere, releases=releases, repair=guess)


def _counter(
    world: World,
    facts: Facts,
    use: ConsumptionFacts,
    counter_set: tuple[Facts, tuple[str | int, ...], dict[str, str]],
    releases: list[Release],
) -> Iterator[Found]:
    owner, path, amounts = counter_set
    for name, wanted in use.counters:
        place = (*use.path, "counters", name)
        if name not in amounts:
            message = (
                f"the counter set {quoted(use.counter_set)} has no counter {quoted(name)}, only {', '.join(amounts)}: "
                "the pool is invalid, and the scheduler allocates none of its devices"
            )
            elsewhere = Elsewhere("the counter set", owner, (*path, "counters"))
            left = [counter for counter in amounts if counter not in dict(use.counters)]
            otherwise = "add it to the counter set, or remove it here"
            hint, repair = meant(name, amounts, place, key=True, taken=dict(use.counters), otherwise=otherwise)
            if dns_label(name) is not None:  # no counter set can have it
                hint = f"did you mean {listed(left, 'or')}?" if left else "remove it: the rest is taken already"
            yield world.found(
                facts,
                POOL_COUNTERS,
                place,
                message,
                hint,
                elsewhere,
                target="key",
                releases=releases,
                repair=repair and repair._replace(safe=False),
            )
            continue
        asked, there = known_quantity(wanted), known_quantity(amounts[name])
        if asked is not None and there is not None and asked > there >= 0:
            message = (
                f"the device {quoted(use.device)} takes {wanted} of {name}, and the counter set "
                f"{quoted(use.counter_set)} has {amounts[name]}: the device can never be allocated"
            )
            elsewhere = Elsewhere("the counter", owner, (*path, "counters", name))
            hint = f"take at most {amounts[name]}"
            yield world.found(facts, POOL_COUNTERS, place, message, hint, elsewhere, releases=releases)


def _two_nodes(world: World, by_node: dict[str, list[Member]]) -> Iterator[Found]:
    """Yield that two nodes use one pool name with devices of the same name: to the scheduler, they are the same."""
    first: dict[str, tuple[Facts, str, int]] = {}
    for node, members in by_node.items():
        if node in (ALL_NODES, SOME_NODES) or is_open(node):
            continue
        for facts, body in members:
            for position, name in enumerate(body.devices.split("\n")):
                other, there, place = first.setdefault(name, (facts, node, position))
                if not name or there == node or is_open(name):
                    continue
                message = (
                    f"the pool {quoted(body.pool)} is on {there}, too: driver, pool and name identify a device, so the "
                    f"scheduler takes {quoted(name)} of both nodes for one device, and uses only one of the two"
                )
                hint = f"write name: {node}, so that each node has a pool of its own"
                elsewhere = (
                    Elsewhere(f"the pool on {there}", other, ("spec", "pool", "name")),
                    Elsewhere(f"{name} on {there}", other, ("spec", "devices", place, "name")),
                )
                yield world.found(facts, POOL_ON_TWO_NODES, ("spec", "pool", "name"), message, hint, *elsewhere)
                break
