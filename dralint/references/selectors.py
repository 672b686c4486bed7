"""Selectors that contradict each other, and configuration for a driver that the class of the request cannot give."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.finding.rule_ids import CONFIG_FOR_OTHER_DRIVER, SELECTORS_CONTRADICT
from dralint.finding.words import quoted
from dralint.kubernetes.near import closest
from dralint.references.drivers import DRIVER, demands, drivers_of_class, joined
from dralint.references.facts import Class
from dralint.references.names import is_open
from dralint.references.problem import NAME, Elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.references.drivers import Demands, Key, Value
    from dralint.references.facts import ClaimFacts, Facts, RequestFacts, SelectorFacts
    from dralint.references.problem import Found
    from dralint.references.world import World


_NOTHING = "no device can match: Pods that use the claim stay Pending (`cannot allocate all claims`)"


def selectors(world: World) -> Iterator[Found]:
    """Yield selectors that can match nothing, and configuration without an effect."""
    for facts in world.index.facts:
        if isinstance(facts.body, Class):
            yield from _own_contradiction(world, facts, facts.body.selectors, {}, None)
            yield from _class_config(world, facts, facts.body)
    sound: set[tuple[str | None, tuple[str, ...]]] = set()
    for facts, claim in world.claims():
        for request in claim.requests:
            asked = request.device_class, tuple(selector.expression for selector in request.selectors)
            if asked in sound:
                continue
            problems = list(_request(world, facts, request))
            if not problems:
                sound.add(asked)
            yield from problems
        yield from _claim_configs(world, facts, claim)


def _request(world: World, facts: Facts, request: RequestFacts) -> Iterator[Found]:
    if not request.selectors:
        return
    found = world.classes(request.device_class)
    before = [(entry, demands(body.selectors)) for entry, body in found]
    # Of several classes of one name, any may be the one in the cluster.
    problems = [list(_own_contradiction(world, facts, request.selectors, asked, entry)) for entry, asked in before]
    if not before:
        problems = [list(_own_contradiction(world, facts, request.selectors, {}, None))]
    if all(problems):
        yield from problems[0]


def _own_contradiction(
    world: World, facts: Facts, several: tuple[SelectorFacts, ...], before: Demands, device_class: Facts | None
) -> Iterator[Found]:
    """Yield the first selector that leaves nothing to match; `before` has the requirements of the class."""
    asked = dict(before)
    if any(not values for values in asked.values()):
        return  # reported for the class
    for selector in several:
        own = demands([selector])
        both = joined([asked, own])
        key = next((key for key, values in both.items() if not values), None)
        if key is None:
            asked = both
            continue
        earlier, here = asked.get(key), own.get(key)
        name = _named(key)
        elsewhere: tuple[Elsewhere, ...] = ()
        if not here or not earlier:
            message = f"the selector requires several values of {name} at once; {_NOTHING}"
            if key == DRIVER:
                message = f"the selector requires two drivers, but a device has one; {_NOTHING}"
            hint = "join alternatives with ||, or require one of them"
        else:
            there = "the previous selectors require"
            if device_class is not None and key in before:
                there = f"the class {quoted(device_class.name)} requires"
                selectors_of_class = device_class.body.selectors if isinstance(device_class.body, Class) else ()
                path = next(s.path for s in selectors_of_class if key in demands([s]))
                elsewhere = (Elsewhere("the selector of the class", device_class, path),)
            message = f"the selector requires {name} {_values(here)}, {there} {_values(earlier)}; {_NOTHING}"
            hint = "choose another class, or require what it selects" if elsewhere else "require one of them"
        yield world.found(facts, SELECTORS_CONTRADICT, selector.path, message, hint, *elsewhere)
        return


def _named(key: Key) -> str:
    return "the driver" if key == DRIVER else f"the attribute {key[1]}/{key[2]}"


def _values(values: frozenset[Value]) -> str:
    return " or ".join(sorted(quoted(value) for value in values))


def _class_config(world: World, facts: Facts, body: Class) -> Iterator[Found]:
    drivers = drivers_of_class(body) if body.plain else None
    for config in body.configs:
        if not drivers or config.driver in drivers or is_open(config.driver):
            continue
        message = (
            f"the class selects devices of {_values(drivers)}, the configuration is for the driver "
            f"{quoted(config.driver)}: no driver uses it, and no event is recorded"
        )
        hint = closest(config.driver, map(str, drivers)) or f"write driver: {min(map(str, drivers))}"
        path = body.selectors[0].path
        yield world.found(
            facts, CONFIG_FOR_OTHER_DRIVER, config.path, message, hint, Elsewhere("the selector", facts, path)
        )


class _Reached(NamedTuple):
    """The requests that a configuration is for, in words: the drivers of their devices, and a class that says so."""

    names: str
    drivers: frozenset[Value]
    proof: Facts


def _claim_configs(world: World, facts: Facts, claim: ClaimFacts) -> Iterator[Found]:
    """Yield that no request that a configuration is for can get a device of its driver."""
    if not claim.plain or not claim.configs:
        return
    named: dict[str, dict[int, RequestFacts]] = {}
    for position, request in enumerate(claim.requests):
        for name in (request.full_name, request.parent):
            if name is not None:
                named.setdefault(name, {})[position] = request
    known: dict[tuple[str, ...], _Reached | None] = {}
    for config in claim.configs:
        if is_open(config.driver):
            continue
        if config.requests not in known:
            chosen = {at: request for name in config.requests for at, request in named.get(name, {}).items()}
            wanted = [request for _, request in sorted(chosen.items())] if config.requests else claim.requests
            known[config.requests] = _reached(world, wanted)
        reached = known[config.requests]
        if reached is None or config.driver in reached.drivers:
            continue
        drivers = sorted(map(str, reached.drivers))
        message = (
            f"the configuration is for the driver {quoted(config.driver)}, and the devices of {reached.names} are of "
            f"{_values(reached.drivers)}: no driver uses it, and no event is recorded"
        )
        hint = closest(config.driver, drivers) or f"write driver: {drivers[0]}, or name other requests"
        elsewhere = Elsewhere("the class", reached.proof, NAME)
        yield world.found(facts, CONFIG_FOR_OTHER_DRIVER, config.path, message, hint, elsewhere)


def _reached(world: World, requests: Iterable[RequestFacts]) -> _Reached | None:
    """Return what is known of requests together; None where one of them may get a device of any driver."""
    names: dict[str, None] = {}
    drivers: set[Value] = set()
    proof: Facts | None = None
    for request in requests:
        if request.device_class is None:
            continue
        names[request.full_name] = None
        found = world.classes(request.device_class)
        if not found:
            return None
        for entry, body in found:
            of_request = demands((*body.selectors, *request.selectors)).get(DRIVER) if body.plain else None
            if of_request is None:
                return None
            drivers |= of_request
            proof = proof or entry
    return _Reached(", ".join(names), frozenset(drivers), proof) if drivers and proof is not None else None
