"""What selectors require of a device: contradictions, and configuration for another driver."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple, Union

from dralint import work
from dralint.cel import environment
from dralint.cel.parser import parse
from dralint.cel.tree import Call, ListLiteral, Literal, is_driver, lookup_of, names_in
from dralint.finding.problem import meant
from dralint.finding.rule_ids import CONFIG_FOR_OTHER_DRIVER, SELECTORS_CONTRADICT
from dralint.finding.words import quoted
from dralint.kubernetes import shipped
from dralint.kubernetes.near import closest
from dralint.kubernetes.release import Release
from dralint.references.facts import NAME, Class, Elsewhere, is_open

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.cel import Compilation
    from dralint.cel.compile import Environment
    from dralint.cel.tree import Node
    from dralint.references.facts import ClaimFacts, Facts, Found, RequestFacts, SelectorFacts
    from dralint.references.world import World


_LONGEST = 10 << 10
"""Bytes of the longest selector that the API server accepts."""


def compiled(expression: str) -> Compilation | None:
    """Return a compiled selector; None for a refused one, and beyond what may be compiled.

    The environment keeps its answers.
    """
    if not work.current().may_compile(_environment(), expression):
        return None
    compilation = _environment().compile(expression)
    return compilation if compilation.ok and compilation.root is not None else None


def refused_tree(expression: str) -> Node | None:
    """Return the tree of a selector whose types are refused; None for any other one, or without a tree."""
    judge = _environment()
    if not work.current().may_compile(judge, expression) or not judge.compile(expression).is_refused:
        return None
    return parse(expression, _environment().declarations.dialect).root


@cache
def _environment() -> Environment:
    return environment(max(shipped.index()["releases"]["releases"], key=Release.parse))


Key = tuple[str, ...]
Value = Union[str, int, bool]  # noqa: UP007
Demands = dict[Key, frozenset[Value]]
"""The required values of each key: `("driver",)` or ("attributes", DOMAIN, NAME)."""

DRIVER: Key = ("driver",)


@lru_cache(maxsize=4096)
def _demands_of(expression: str) -> tuple[tuple[Key, frozenset[Value]], ...]:
    compilation = compiled(expression)
    if compilation is None or compilation.root is None:
        return ()
    return tuple(_demands(compilation.root, 0).items())


_DEEPEST = 60


def _demands(node: Node, depth: int) -> Demands:
    """Return what an expression requires to be true."""
    if not isinstance(node, Call) or depth > _DEEPEST:
        return {}
    if node.function == "_&&_":
        return joined(_demands(term, depth + 1) for term in node.args)
    if node.function == "_||_":
        sides = [_demands(term, depth + 1) for term in node.args]
        shared = set(sides[0]).intersection(*sides[1:])
        return {key: frozenset().union(*(side[key] for side in sides)) for key in shared}
    if node.function == "_==_":
        for operand, other in (node.args, node.args[::-1]):
            key, value = _asked(operand), _literal(other)
            if key is not None and value is not None:
                return {key: frozenset({value})}
    if node.function == "@in":
        key = _asked(node.args[0])
        values = _literals(node.args[1])
        if key is not None and values is not None:
            return {key: values}
    return {}


def joined(several: Iterable[Demands]) -> Demands:
    """Return the requirements of all together; an empty set is a contradiction."""
    out: Demands = {}
    for demands in several:
        for key, values in demands.items():
            out[key] = out[key] & values if key in out else values
    return out


def _asked(node: Node) -> Key | None:
    if is_driver(node):
        return DRIVER
    lookup = lookup_of(node)
    if lookup is None or len(lookup.parts) != 3 or lookup.parts[0] != "attributes" or None in lookup.parts:
        return None
    return tuple(part for part in lookup.parts if part is not None)


def _literal(node: Node) -> Value | None:
    value = node.value if isinstance(node, Literal) else None
    return value if isinstance(value, str | int | bool) else None


def _literals(node: Node) -> frozenset[Value] | None:
    if not isinstance(node, ListLiteral):
        return None
    values = [_literal(item) for item in node.children()]
    return None if None in values else frozenset(value for value in values if value is not None)


def demands(selectors: Iterable[SelectorFacts]) -> Demands:
    """Return what selectors require together."""
    return joined(dict(_demands_of(s.expression)) for s in selectors if not is_open(s.expression))


def drivers_of_class(body: Class) -> frozenset[Value] | None:
    """Return the drivers whose devices a class can select; None where any may be."""
    return demands(body.selectors).get(DRIVER)


_NOTHING = "no device can match: Pods that use the claim stay Pending (`cannot allocate all claims`)"


def selectors(world: World) -> Iterator[Found]:
    """Yield selectors that can match nothing, and configuration without an effect."""
    for facts, body in world.index.holding(Class):
        yield from _own_contradiction(world, facts, body.selectors, {}, None)
        yield from _class_config(world, facts, body)
    sound: set[tuple[str | None, tuple[str, ...]]] = set()
    for facts, claim in world.claims:
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
        other = f"write driver: {drivers[0]}, or name other requests"
        hint, repair = meant(config.driver, drivers, config.path, otherwise=other)
        elsewhere = Elsewhere("the class", reached.proof, NAME)
        guess = None if repair is None else repair._replace(safe=False)
        yield world.found(facts, CONFIG_FOR_OTHER_DRIVER, config.path, message, hint, elsewhere, repair=guess)


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


def looked_up(expression: str) -> list[tuple[str, str, str]]:
    """Return what an expression looks up by literal names, even if only by `has` or `in`."""
    compilation = compiled(expression)
    return [] if compilation is None or compilation.root is None else names_in(compilation.root)
