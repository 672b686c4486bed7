"""What a driver refuses when it prepares a claim on the node, and how Pods may use its claims."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.problem import at
from dralint.finding.rule_ids import (
    DEVICE_ATTRIBUTE_VALUE,
    DRIVER_DROPS_PARAMETERS,
    DRIVER_GATE_OFF,
    DRIVER_REFUSES_CLAIM,
    REQUESTS_DIFFER_FROM_CLAIM,
)
from dralint.finding.words import quoted
from dralint.kubernetes.near import listed
from dralint.kubernetes.quantity import known_quantity, parse_quantity
from dralint.records import grouped
from dralint.references.facts import NAME, ClaimFacts, Class, Elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dralint.drivers.choice import Choice, TargetVersions
    from dralint.drivers.selectors import Reached, SelectorReach
    from dralint.references.facts import Config, Entry, Facts, Found, PodSpec, RequestFacts, Use, WorkloadFacts
    from dralint.references.world import World
    from dralint.yaml import Path

    DataOf = Callable[[Facts], Any]


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
    for facts, body in world.index.holding(Class):
        yield from _of_class(world, choice, facts, body)
    for facts, claim in world.claims:
        if claim.plain and not claim.allocated and _concerned(reach, claim):
            asked = [
                _Asked(request, reached)
                for request in claim.requests
                if request.device_class is not None and (reached := reach.of_request(request)) is not None
            ]
            if any(each.reached.kinds for each in asked):
                yield from _gates(world, facts, claim, asked)
                yield from _requests(world, facts, claim, asked)
                yield from _configurations(world, facts, claim, asked)


def _concerned(reach: SelectorReach, claim: ClaimFacts) -> bool:
    """Say whether a claim has, or may need, something that drivers check; most claims need no further look."""
    return bool(claim.configs) or any(
        request.admin or ((target := reach.target_of(request)) is not None and _needs_more(target))
        for request in claim.requests
    )


def _needs_more(target: TargetVersions) -> bool:
    """Say whether a driver needs a configuration or a gate for some kind of device in some version."""
    kinds = (target.pack.at(version).get("kinds", {}) for version in target.versions)
    return any("needsConfig" in row or "gate" in row for rows in kinds for row in rows.values())


def _gates(world: World, facts: Facts, claim: ClaimFacts, asked: list[_Asked]) -> Iterator[Found]:
    """Yield requests for devices that exist only with a gate of the driver; what a configuration says is enough."""
    for each in asked:
        target = each.reached.target
        said = target.pack.at(target.newest)
        rows = [said.get("kinds", {}).get(device.kind, {}) for device in each.reached.devices.get(target.newest, ())]
        gates = {row.get("gate") for row in rows}
        name = gates.pop() if len(gates) == 1 else None
        on = None if name is None else target.gate(target.newest)(name)
        needing = {row["kind"] for row in _kinds(target) if row.get("gate") == name}
        of_config = any(config.type is not None and config.type[1] in needing for config in claim.configs)
        if name is None or on or (on is None and of_config):
            continue
        since = said["gates"][name].get("since")
        off = "is off" + (f" by default since {since}" if since and not said["gates"][name]["default"] else "")
        kinds = listed(sorted({device.kind for device in each.reached.devices[target.newest]}), "or", "")
        message = f"devices of kind {kinds} exist only with the driver's gate {name}, which {off}"
        if on is False:
            message += ": no device matches, and Pods that use the claim stay Pending"
        hint = f"turn it on in the driver's chart, then use --driver-gates {target.pack.driver}:{name}=true"
        rule = DRIVER_GATE_OFF if on is None else DEVICE_ATTRIBUTE_VALUE
        where = (*each.request.path, "deviceClassName")
        yield world.found(facts, rule, where, f"{message} ({target.label})", hint)


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
        mine = [c for c in claim.configs if c.driver == target.pack.driver and request.is_among(c.requests)]
        has = any(config.type is None or config.type[1] == needs[0] or config.requests for config in mine if needs)
        if needs and all(needs) and len(set(needs)) == 1 and not has:
            message = f"devices of kind {kinds} need a {needs[0]}, and the claim has none: {_STUCK} ({target.label})"
            hint = target.pack.data["kinds"][next(iter(each.reached.kinds))].get("hint")
            yield world.found(facts, DRIVER_REFUSES_CLAIM, (*request.path, "deviceClassName"), message, hint)


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
        covered = [each for each in mine if each.request.is_among(config.requests)]
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


_TOGETHER = frozenset({"Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"})
"""Kinds whose Pods run at the same time as others of the input."""


def usage(world: World, reach: SelectorReach, data_of: DataOf) -> Iterator[Found]:
    """Yield the problems of how the Pods of the input use claims.

    Args:
        world: the objects of the input.
        reach: the devices that requests can get.
        data_of: returns the data of an object of the input, None where it cannot be read.
    """
    asked: dict[int, list[tuple[RequestFacts, Reached]]] = {}
    for facts, workload, pod in world.workloads:
        entries = {entry.name: entry for entry in pod.entries}
        amounts: dict[Path, list[tuple[Fraction, Facts, Reached]]] = {}
        users_of = grouped((use.entry, use) for use in pod.uses if "containers" in use.path)
        for entry in entries.values():
            known = world.only_claim(facts, entry)
            if known is None:
                continue
            target, claim = known
            if id(target) not in asked:
                asked[id(target)] = [(r, found) for r in claim.requests if (found := reach.of_request(r)) is not None]
            several = asked[id(target)]
            users = users_of.get(entry.name, [])
            yield from _containers(world, facts, entry, several, users)
            yield from _pods(world, facts, workload, entry, several)
            for use in users:
                amount = _amount(claim, several, use)
                if amount is not None:
                    amounts.setdefault(use.path[:-2], []).append((amount[0], target, amount[1]))
        if amounts:
            yield from _beside(world, facts, pod, amounts, data_of)


def _containers(
    world: World, facts: Facts, entry: Entry, several: list[tuple[RequestFacts, Reached]], users: list[Use]
) -> Iterator[Found]:
    """Yield a claim that several containers use although its driver gives a claim to one container."""
    for request, reached in several:
        target = reached.target
        mine = [use for use in users if request.is_used(use)]
        if not target.pack.data.get("oneContainer") or len({use.path[:-1] for use in mine}) < 2:
            continue
        message = (
            f"several containers use the claim {quoted(entry.name)}: the driver gives a claim to one container, and "
            f"the others fail with CreateContainerError ({target.label})"
        )
        first = Elsewhere("the first container", facts, (*mine[0].path, "name"))
        hint = "write a claim for each container"
        yield world.found(facts, DRIVER_REFUSES_CLAIM, (*mine[1].path, "name"), message, hint, first)
        return


def _pods(
    world: World, facts: Facts, workload: WorkloadFacts, entry: Entry, several: list[tuple[RequestFacts, Reached]]
) -> Iterator[Found]:
    """Yield a claim that several Pods name although its driver gives a claim to one Pod."""
    refusing = [reached.target for _, reached in several if reached.target.pack.data.get("onePod")]
    if not refusing or entry.claim is None or facts.kind not in _TOGETHER:
        return
    users = (user for user, _ in world.users.get((world.scope.namespace_of(facts), entry.claim), ()))
    earlier = next((user for user in users if user.kind in _TOGETHER and _place(user) < _place(facts)), None)
    if workload.replicas < 2 and earlier is None:
        return
    message = (
        f"several Pods share the claim {quoted(entry.claim)}: the driver prepares a claim for one Pod, and the others "
        f"stay in ContainerCreating ({refusing[0].label})"
    )
    elsewhere = [] if earlier is None else [Elsewhere("another Pod", earlier, NAME)]
    hint = "name a ResourceClaimTemplate, so that each Pod gets a claim of its own"
    yield world.found(facts, DRIVER_REFUSES_CLAIM, entry.field, message, hint, *elsewhere)


def _place(facts: Facts) -> tuple[str, int]:
    return facts.file, facts.document


def _amount(
    claim: ClaimFacts, several: list[tuple[RequestFacts, Reached]], use: Use
) -> tuple[Fraction, Reached] | None:
    """Return how much of a node resource a container gets from a claim; None where unknown, or where it gets none."""
    total, reaching = Fraction(0), None
    reached = {id(request): found for request, found in several}
    for request in claim.requests:
        if not request.is_used(use):
            continue
        found = reached.get(id(request))
        rule = None if found is None else found.target.pack.data.get("nodeResource")
        if rule is None:
            continue
        if request.parent is not None or request.number is None or request.mode != "ExactCount":
            return None
        reaching = found
        capacity = dict(request.capacity).get(rule["capacity"])
        if isinstance(capacity, bool) or not (
            request.number > 1 if capacity is None else isinstance(capacity, str | int)
        ):
            return None  # one device can be a group: the claim gets all of it, or the default
        total += request.number * (1 if capacity is None else parse_quantity(str(capacity)))
    return None if reaching is None else (total, reaching)


def _beside(
    world: World,
    facts: Facts,
    pod: PodSpec,
    amounts: dict[Path, list[tuple[Fraction, Facts, Reached]]],
    data_of: DataOf,
) -> Iterator[Found]:
    """Yield containers whose request for a node resource differs from the amount of their claims."""
    data = data_of(facts)
    if data is None or at(data, (*pod.path, "resources")) is not None:
        return
    for path, found in amounts.items():
        target = found[0][2].target
        rule = target.pack.data["nodeResource"]
        resource, total = rule["resource"], sum((amount for amount, _, _ in found), Fraction(0))
        key = next((k for k in ("requests", "limits") if at(data, (*path, k, resource)) is not None), None)
        value = None if key is None else at(data, (*path, key, resource))
        if key is None or not isinstance(value, str | int) or isinstance(value, bool):
            continue
        wanted = known_quantity(str(value))
        if wanted is not None and wanted != total:
            message = (
                f"the claims of the container have {total} {rule['unit']}, and the container requests {resource}: "
                f"{value}: the scheduler and the kubelet count only the request ({target.label})"
            )
            claims = Elsewhere("the claim", found[0][1], NAME)
            hint = f"write {resource}: {total}"
            where = (*path, key, resource)
            yield world.found(facts, REQUESTS_DIFFER_FROM_CLAIM, where, message, hint, claims)
