"""Known faults of drivers that claims and Pods meet: the `faults` of the packs."""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any

from dralint.drivers.pack import is_in
from dralint.finding.problem import at
from dralint.finding.rule_ids import DRIVER_FAULT, POSSIBLE_DRIVER_FAULT
from dralint.kubernetes.quantity import known_quantity
from dralint.references.selectors import DRIVER, demands

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dralint.drivers.choice import TargetVersions
    from dralint.drivers.prepare import DataOf
    from dralint.drivers.selectors import SelectorReach
    from dralint.references.facts import ClaimFacts, Config, Entry, Facts, Found, PodSpec, RequestFacts
    from dralint.references.world import World
    from dralint.yaml import Path


def faults(world: World, reach: SelectorReach, data_of: DataOf) -> Iterator[Found]:
    """Yield the known faults of drivers that the claims and Pods of the input meet.

    A proven fault of the version that runs is told for each object. All others are told once in a run. As long as the
    version is unknown, these are the faults that the newest release has, except for those that concern every claim.

    Args:
        world: the objects of the input.
        reach: the devices that requests can get.
        data_of: returns the data of an object of the input, None where it cannot be read.
    """
    said: set[tuple[str, str]] = set()
    for facts, path, target, row in (*_of_claims(world, reach), *_of_pods(world, reach, data_of)):
        sure = bool(row.get("proven")) and target.version is not None
        key = target.pack.driver, row["issue"]
        if not sure and key in said:
            continue
        said.add(key)
        mend = _mend(target, row)
        fixed = f", fixed in {mend}" if mend else ""
        update = f"update to {mend}; until then: " if mend else ""
        message = f"{row['effect']} (known fault of {key[0]} {target.newest}: {row['issue']}{fixed})"
        rule = DRIVER_FAULT if sure else POSSIBLE_DRIVER_FAULT
        yield world.found(facts, rule, path, message, f"{update}{row['instead']}")


def _mend(target: TargetVersions, row: dict[str, Any]) -> str | None:
    """Return the first release without the fault; None where there is none."""
    pack = target.pack
    if "until" not in row:
        return None
    later = pack.versions[pack.versions.index(row["until"]) + 1 :]
    return next((version for version in later if version in pack.released), None)


def _rows(target: TargetVersions, *, pods: bool) -> list[dict[str, Any]]:
    """Return the faults of the version that judges, of claims alone or of how Pods use them."""
    version = target.newest
    on = target.gate(version)
    rows = target.pack.at(version).get("faults", ())
    mine = (row for row in rows if ("pods" in row["trigger"]) is pods)
    told = (row for row in mine if target.version is not None or not row.get("every"))
    return [row for row in told if "gate" not in row or on(row["gate"]) is True]


Asked = list[tuple["RequestFacts", "TargetVersions", frozenset[str]]]


def _asked(reach: SelectorReach, claim: ClaimFacts) -> Asked:
    out: Asked = []
    for request in claim.requests:
        target = reach.target_of(request)
        if target is not None and target.pack.data.get("faults"):
            reached = reach.of_request(request)
            out.append((request, target, frozenset(reached.kinds if reached is not None else ())))
    return out


def _of_claims(world: World, reach: SelectorReach) -> Iterator[tuple[Facts, Path, TargetVersions, dict[str, Any]]]:
    for facts, claim in world.claims:
        if not claim.plain:
            continue
        asked = _asked(reach, claim)
        for target in {id(target): target for _, target, _ in asked}.values():
            mine = [(request, kinds) for request, there, kinds in asked if there is target]
            for row in _rows(target, pods=False):
                path = _met(reach, claim, target, mine, row["trigger"])
                if path is not None:
                    yield facts, path, target, row


def _met(
    reach: SelectorReach,
    claim: ClaimFacts,
    target: TargetVersions,
    mine: Sequence[tuple[RequestFacts, frozenset[str]]],
    on: dict[str, Any],
) -> Path | None:
    """Return where a claim meets the conditions of a fault; None where it does not."""
    requests = [request for request, kinds in mine if _is_asked(reach, request, kinds, on)]
    if not requests:
        return None
    if on.get("otherDrivers") and not _others(reach, claim, target):
        return None
    if on.get("several") and not _several(requests):
        return None
    if "unlike" in on and _are_alike(reach, claim, target, requests, on["unlike"]):
        return None
    if "whole" in on:
        return _part(claim, requests, on["whole"])
    if "config" in on or "parameters" in on:
        config = next((config for config in claim.configs if _is_such(config, claim, target, requests, on)), None)
        return None if config is None else (*config.path[:-1], "parameters")
    return (*requests[-1].path, on["field"]) if "field" in on else (*requests[-1].path, "deviceClassName")


def _part(claim: ClaimFacts, requests: Sequence[RequestFacts], whole: dict[str, int]) -> Path | None:
    """Return the constraint that holds another number of devices to one value than the devices that have it."""
    for constraint in claim.constraints:
        held = [request for request in requests if request.is_among(constraint.requests)]
        numbers = [None if request.parent is not None else request.number for request in held]
        size = None if constraint.distinct or not numbers else whole.get(constraint.attribute)
        if size is not None and None not in numbers and sum(number or 0 for number in numbers) != size:
            return constraint.path
    return None


def _is_asked(reach: SelectorReach, request: RequestFacts, kinds: frozenset[str], on: dict[str, Any]) -> bool:
    """Say whether a request meets the conditions on requests."""
    if "kinds" in on and not (kinds and kinds <= set(on["kinds"])):
        return False
    if "mode" in on and request.mode != on["mode"]:
        return False
    if on.get("admin") and not request.admin:
        return False
    amounts = dict(request.capacity)
    if "lacks" in on and on["lacks"] in amounts:
        return False
    if "fraction" in on and not _is_fraction(amounts.get(on["fraction"])):
        return False
    if "selects" in on:
        required = demands(reach.selectors_of(request) or request.selectors)
        for name, pattern in on["selects"].items():
            domain, _, short = name.rpartition("/")
            values = required.get(("attributes", domain, short), ())
            if not values or not all(is_in(pattern, str(value)) for value in values):
                return False
    return True


def _is_fraction(amount: Any) -> bool:
    value = None if isinstance(amount, bool) or not isinstance(amount, str | int) else known_quantity(str(amount))
    return value is not None and (value.denominator != 1 or value <= 0)


def _others(reach: SelectorReach, claim: ClaimFacts, target: TargetVersions) -> bool:
    """Say whether a claim surely has devices of another driver."""
    for request in claim.requests:
        drivers = demands(reach.selectors_of(request) or ()).get(DRIVER)
        if drivers and target.pack.driver not in drivers:
            return True
    return False


def _several(requests: Sequence[RequestFacts]) -> bool:
    tops = {request.parent or request.name for request in requests}
    return len(tops) > 1 or any((request.number or 0) > 1 for request in requests)


def _are_alike(
    reach: SelectorReach, claim: ClaimFacts, target: TargetVersions, requests: Sequence[RequestFacts], name: str
) -> bool:
    """Say whether a constraint, or a selector of each request, may hold the devices to one value of an attribute."""
    domain, _, short = name.rpartition("/")
    if any(constraint.attribute == name for constraint in claim.constraints):
        return True
    key = ("attributes", domain, short)
    return all(key in demands(reach.selectors_of(r) or r.selectors) for r in requests)


def _is_such(
    config: Config, claim: ClaimFacts, target: TargetVersions, requests: Sequence[RequestFacts], on: dict[str, Any]
) -> bool:
    """Say whether a configuration of the driver meets the conditions on configurations."""
    if config.driver != target.pack.driver:
        return False
    covered = [r for r in requests if r.is_among(config.requests)]
    which = on.get("config")
    if not covered or (which == "without requests" and config.requests):
        return False
    if which == "of alternatives" and not any(request.parent is not None for request in covered):
        return False
    wanted = on.get("parameters", {})
    return not wanted or _has(config, wanted)


def _has(config: Config, wanted: dict[str, Any]) -> bool:
    """Say whether the parameters of a configuration have the values; null means that there is none."""
    value = None if config.parameters is None else marshal.loads(config.parameters)
    return value is not None and all(at(value, tuple(path.split("."))) == each for path, each in wanted.items())


def _of_pods(
    world: World, reach: SelectorReach, data_of: DataOf
) -> Iterator[tuple[Facts, Path, TargetVersions, dict[str, Any]]]:
    """Yield the faults that depend on how Pods use claims."""
    for facts, _, pod in world.workloads:
        claims = ((entry, world.only_claim(facts, entry)) for entry in pod.entries)
        found = [(entry, known[1]) for entry, known in claims if known is not None]
        asked = {id(claim): _asked(reach, claim) for _, claim in found}
        for target in {id(target): target for several in asked.values() for _, target, _ in several}.values():
            for row in _rows(target, pods=True):
                hit = [
                    entry
                    for entry, claim in found
                    if _met(
                        reach, claim, target, [(r, k) for r, t, k in asked[id(claim)] if t is target], row["trigger"]
                    )
                ]
                if hit and (path := _used(facts, pod, hit, row["trigger"]["pods"], data_of)) is not None:
                    yield facts, path, target, row


def _used(facts: Facts, pod: PodSpec, hit: Iterable[Entry], how: str, data_of: DataOf) -> Path | None:
    """Return where a Pod uses such claims in the way of a fault; None where it does not."""
    names = [entry.name for entry in hit]
    if how == "restarted":
        data = data_of(facts)
        ends = data is None or at(data, (*pod.path, "restartPolicy")) == "Never"
        return None if ends else next(entry.path for entry in pod.entries if entry.name == names[0])
    if how == "of several users":
        users = {_user(data_of(facts), pod, use.path): use.path for use in pod.uses if use.entry in names}
        users.pop(None, None)
        return (*next(reversed(users.values())), "name") if len(users) > 1 else None
    uses: dict[Path, str] = {}
    for use in pod.uses:
        if use.entry in names and "containers" in use.path:
            if use.path[:-1] in uses and uses[use.path[:-1]] != use.entry:
                return (*use.path, "name")
            uses[use.path[:-1]] = use.entry
    return None


def _user(data: Any, pod: PodSpec, use: Path) -> Any:
    """Return the user of the container with this entry of `resources.claims`; None if the manifest does not say it."""
    own = at(data, (*use[:-3], "securityContext", "runAsUser"))
    return at(data, (*pod.path, "securityContext", "runAsUser")) if own is None else own
