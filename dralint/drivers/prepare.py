"""Reports what a driver refuses when it prepares a claim on the node, as far as the claim shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.rule_ids import DRIVER_DROPS_PARAMETERS, DRIVER_REFUSES_CLAIM
from dralint.finding.words import quoted
from dralint.kubernetes.near import listed
from dralint.references.facts import Class

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.drivers.choice import Choice
    from dralint.drivers.selected_devices import Reached, SelectorReach
    from dralint.drivers.target_versions import TargetVersions
    from dralint.references.facts import ClaimFacts, Config, Facts, RequestFacts
    from dralint.references.problem import Found
    from dralint.references.world import World
    from dralint.yaml import Path

_STUCK = "the driver refuses the claim on the node, and the Pod stays in ContainerCreating"


class _Asked(NamedTuple):
    request: RequestFacts
    reached: Reached

    def rows(self, key: str) -> list[Any]:
        """Return the rows of the pack for each kind of device that the request can get, by version."""
        out = []
        for version, several in self.reached.devices.items():
            kinds = self.reached.target.pack.at(version).get("kinds", {})
            out += [kinds.get(device.kind, {}).get(key) for device in several]
        return out


def prepare(world: World, reach: SelectorReach, choice: Choice) -> Iterator[Found]:
    """Yield what drivers refuse or ignore when they prepare the claims of the input."""
    for facts in world.index.facts:
        if isinstance(facts.body, Class):
            yield from _of_class(world, choice, facts, facts.body)
    for facts, claim in world.claims():
        if claim.plain and not claim.allocated and _concerned(reach, claim):
            asked = [
                _Asked(request, reached)
                for request in claim.requests
                if request.device_class is not None and (reached := reach.of_request(request)) is not None
            ]
            if any(each.reached.kinds for each in asked):
                yield from _requests(world, facts, claim, asked)
                yield from _configurations(world, facts, claim, asked)


def _concerned(reach: SelectorReach, claim: ClaimFacts) -> bool:
    """Say whether a claim has, or may need, something that drivers check; most claims need no further look."""
    return bool(claim.configs) or any(
        request.admin or ((target := reach.target_of(request)) is not None and _needs_config(target))
        for request in claim.requests
    )


def _needs_config(target: TargetVersions) -> bool:
    """Say whether a driver needs a configuration for some kind of device in some version."""
    kinds = (target.pack.at(version).get("kinds", {}) for version in target.versions)
    return any("needsConfig" in row for rows in kinds for row in rows.values())


def _of_class(world: World, choice: Choice, facts: Facts, body: Class) -> Iterator[Found]:
    for config in body.configs:
        target = choice.target(config.driver)
        does = None if target is None or target.is_example else _everywhere(target, "classConfig")
        if target is not None and does is not None:
            where = (*config.path[:-1], "parameters")
            if does == "refused":
                message = f"the driver refuses the configuration of a DeviceClass: {_STUCK}"
                rule = DRIVER_REFUSES_CLAIM
            else:
                message, rule = "the driver ignores the configuration of a DeviceClass", DRIVER_DROPS_PARAMETERS
            yield world.found(facts, rule, where, f"{message} ({target.label})", "write it in the claim")


def _everywhere(target: TargetVersions, key: str) -> str | None:
    """Return what all versions require of configurations; None where they differ."""
    found = {target.pack.at(version).get("parameters", {}).get(key) for version in target.versions}
    return found.pop() if len(found) == 1 else None


def _requests(world: World, facts: Facts, claim: ClaimFacts, asked: list[_Asked]) -> Iterator[Found]:
    for each in asked:
        request, target = each.request, each.reached.target
        kinds = listed(sorted(each.reached.kinds), "or", "")
        if request.admin and each.rows("adminAccess") and all(on is False for on in each.rows("adminAccess")):
            message = f"the driver refuses admin access to devices of kind {kinds}: {_STUCK} ({target.label})"
            yield world.found(facts, DRIVER_REFUSES_CLAIM, (*request.path, "adminAccess"), message)
        needs = each.rows("needsConfig")
        mine = [c for c in claim.configs if c.driver == target.pack.driver and _covers(c, request)]
        has = any(config.type is None or config.type[1] == needs[0] or config.requests for config in mine if needs)
        if needs and all(needs) and len(set(needs)) == 1 and not has:
            message = f"devices of kind {kinds} need a {needs[0]}, and the claim has none: {_STUCK} ({target.label})"
            hint = target.pack.data["kinds"][next(iter(each.reached.kinds))].get("hint")
            yield world.found(facts, DRIVER_REFUSES_CLAIM, (*request.path, "deviceClassName"), message, hint)


def _covers(config: Config, request: RequestFacts) -> bool:
    return not config.requests or request.full_name in config.requests or request.parent in config.requests


def _configurations(world: World, facts: Facts, claim: ClaimFacts, asked: list[_Asked]) -> Iterator[Found]:
    seen: dict[tuple[str, tuple[str, str] | None, tuple[str, ...]], Config] = {}
    for config in claim.configs:
        mine = [each for each in asked if each.reached.target.pack.driver == config.driver]
        if not mine or config.type is None:
            continue
        target = mine[0].reached.target
        kind, place = config.type[1], (*config.path[:-1], "parameters")
        row = next((r for r in _kinds(target) if r["kind"] == kind), None)
        if row is None:
            continue
        covered = [each for each in mine if _covers(config, each.request)]
        yield from _of_other_kind(world, facts, config, row, covered, asked, place)
        yield from _one_device(world, facts, config, row, covered, place)
        key = config.driver, config.type, tuple(sorted(config.requests))
        if key in seen:
            order = target.pack.at(target.newest)["parameters"].get("order")
            if order in ("first", "last"):
                unused = config if order == "first" else seen[key]
                message = f"of several configurations for the same requests, the driver uses the {order} alone"
                where = (*unused.path[:-1], "parameters")
                yield world.found(facts, DRIVER_DROPS_PARAMETERS, where, f"{message} ({target.label})", "remove one")
        seen[key] = config


def _kinds(target: TargetVersions) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = target.pack.at(target.newest).get("parameters", {}).get("kinds", [])
    return found


def _of_other_kind(
    world: World,
    facts: Facts,
    config: Config,
    row: dict[str, Any],
    covered: list[_Asked],
    asked: list[_Asked],
    place: Path,
) -> Iterator[Found]:
    """Yield a configuration for devices of another kind: for a named request it fails, other requests do not get it."""
    wanted = set(row.get("devices", ()))
    if not wanted or not covered:
        return
    others = [each for each in covered if each.reached.kinds and not each.reached.kinds & wanted]
    label = covered[0].reached.target.label
    for_kind = f"{row['kind']} is for devices of kind {listed(sorted(wanted), 'or', '')}"
    if config.requests and others:
        request = others[0]
        got = listed(sorted(request.reached.kinds), "or", "")
        message = f"{for_kind}, and the request {request.request.full_name} gets kind {got}: {_STUCK} ({label})"
        rule = DRIVER_DROPS_PARAMETERS if covered[0].reached.target.is_vague else DRIVER_REFUSES_CLAIM
        yield world.found(facts, rule, (*place, "kind"), message)
    elif not config.requests and len(others) == len(covered) == len(asked):
        message = f"{for_kind}, and no request gets one: the driver ignores the configuration ({label})"
        yield world.found(facts, DRIVER_DROPS_PARAMETERS, (*place, "kind"), message)


def _one_device(
    world: World, facts: Facts, config: Config, row: dict[str, Any], covered: list[_Asked], place: Path
) -> Iterator[Found]:
    """Yield a configuration for several devices if the driver accepts only one."""
    fitting = [each for each in covered if each.reached.kinds <= set(row.get("devices", ()))]
    tops = {each.request.parent or each.request.name for each in fitting}
    number = sum(each.request.number or 0 for each in fitting)
    if row.get("oneDevice") and number > 1 and len(tops) == len(fitting):
        label = fitting[0].reached.target.label
        message = f"a {row['kind']} is for one device, and this one is for {quoted(number)}: {_STUCK} ({label})"
        yield world.found(
            facts, DRIVER_REFUSES_CLAIM, (*place, "kind"), message, "write one for each request of a device"
        )
