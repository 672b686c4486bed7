"""The known devices, what requests can get of them, and what claims, Pods and taint rules ask that no device has."""

from __future__ import annotations

from collections import Counter
from functools import cache, cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint import work
from dralint.cel.advice import uses_device
from dralint.cel.device_values import DeviceError
from dralint.cel.machine import Undecided
from dralint.finding import rule_ids
from dralint.finding.problem import at, dict_of, list_of
from dralint.finding.rule_ids import (
    ROLL_OUT_WITHOUT_ROOM,
    SELECTOR_FAILS,
    TAINT_RULE_SELECTS_NOTHING,
    TOLERATION_EVICTS,
    TOLERATION_OF_NO_TAINT,
    TOO_FEW_DEVICES,
    TOO_MANY_PODS,
)
from dralint.finding.words import quoted
from dralint.kubernetes.near import closest, did_you_mean, near
from dralint.kubernetes.quantity import known_quantity, shortest
from dralint.kubernetes.release import in_range
from dralint.kubernetes.taints import (
    EFFECTIVE,
    EFFECTS_MATTER,
    NO_SELECTOR_TAINTS,
    gate_of_rules,
    spell,
    spell_toleration,
    tolerates,
    untolerated,
)
from dralint.kubernetes.workloads import IMPLICIT
from dralint.records import grouped
from dralint.references.extended import serving
from dralint.references.facts import NAME, Class, Elsewhere, TaintRule, is_among, is_open
from dralint.references.misspelt_names import is_misspelt
from dralint.references.selectors import DRIVER, compiled, demands
from dralint.simulate.claims import slice_to_v1
from dralint.simulate.inventory import Slice, apply_rules
from dralint.simulate.selection import Selector, explain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from dralint.cel.machine import Device as CelDevice
    from dralint.cel.machine import Evaluation
    from dralint.kubernetes.release import Release
    from dralint.references.facts import ClaimFacts, Facts, Found, PodSpec, RequestFacts, SelectorFacts, WorkloadFacts
    from dralint.references.world import World
    from dralint.simulate.inventory import Device
    from dralint.yaml import Path


PENDING = "Pods that use the claim stay Pending (`cannot allocate all claims`)"
_ENDS = "the scheduling of every Pod that uses it may end with an error"
_TAINTS, _CAPACITY = "DRADeviceTaints", "DRAConsumableCapacity"


class KnownDevices(NamedTuple):
    """The devices, with their slices and the files of these.

    `whole` means that these are all of the cluster, not only of the drivers that have some.
    """

    items: tuple[Device, ...]
    slices: tuple[Slice, ...]
    files: frozenset[str]
    whole: bool

    @property
    def devices(self) -> list[CelDevice]:
        """The devices as expressions see them."""
        return [item.seen() for item in self.items]

    @property
    def drivers(self) -> list[str]:
        """The drivers that have devices, in order."""
        return list(dict.fromkeys(item.id.driver for item in self.items))


def inventory_of(slices: Iterable[tuple[Facts, dict[str, Any]]], *, whole: bool) -> KnownDevices:
    """Return the devices of slices, with their facts and as they are written; unreadable ones are left out."""
    newest: dict[tuple[str, str, str], int] = {}
    held: list[tuple[Facts, dict[str, Any], tuple[str, str, str], int]] = []
    seen: set[str] = set()
    for facts, data in slices:
        spec, pool = at(data, ("spec",)), at(data, ("spec", "pool"))
        if not isinstance(spec, dict) or not isinstance(pool, dict):
            continue
        if facts.name is not None:
            if facts.name in seen:
                continue
            seen.add(facts.name)
        key = str(spec.get("driver")), str(pool.get("name")), _nodes(spec)
        generation = pool.get("generation", 0)
        generation = generation if isinstance(generation, int) else 0
        newest[key] = max(newest.get(key, generation), generation)
        held.append((facts, spec, key, generation))
    held = [each for each in held if each[3] >= max(newest[each[2]], newest.get((*each[2][:2], _EVERY), each[3]))]
    found = tuple(Slice(facts.name or "", _readable(spec)) for facts, spec, _, _ in held)
    items = tuple(device for each in found for device in each.devices if _is_readable(device))
    return KnownDevices(items, found, frozenset(facts.file for facts, *_ in held), whole)


_PLAIN = ("allowMultipleAllocations", "nodeName")


def _readable(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the spec of a slice in its v1 form, with what the rules read of its devices, in its right type."""
    devices = [
        {
            "name": str(device.get("name", "")),
            **{key: dict_of(device.get(key)) for key in ("attributes", "capacity")},
            "taints": [taint for taint in list_of(device.get("taints")) if isinstance(taint, dict)],
            **{key: device[key] for key in _PLAIN if key in device},
        }
        for device in list_of(slice_to_v1(spec).get("devices"))
        if isinstance(device, dict)
    ]
    pool = {**spec["pool"], "name": str(spec["pool"].get("name", ""))}
    return {**spec, "driver": str(spec.get("driver", "")), "pool": pool, "devices": devices}


def _is_readable(device: Device) -> bool:
    try:
        device.seen(skip=False)
    except DeviceError:
        return False
    return True


_EVERY = "every"


def _nodes(spec: dict[str, Any]) -> str:
    """Return the nodes that see a slice: a newer slice of the same pool only replaces it where both are seen."""
    if spec.get("allNodes") is True:
        return _EVERY
    devices = spec.get("devices") if spec.get("perDeviceNodeSelection") is True else ()
    each = [[entry.get(k) for k in _PLACES] for entry in devices or () if isinstance(entry, dict)]
    return repr(([spec.get(key) for key in _PLACES], each))


_PLACES = ("nodeName", "nodeSelector", "allNodes")


def rules_of(world: World, *, sure: bool) -> list[dict[str, Any]]:
    """Return the DeviceTaintRules in the input that name devices, as the simulation reads them.

    `sure` leaves out the rules that have no effect in a release that judges them, or none in one of its patches.
    """
    return [
        {
            "name": facts.name,
            "deviceSelector": {"driver": rule.driver, "pool": rule.pool, "device": rule.device},
            "taint": dict(rule.taint),
        }
        for facts, rule in world.index.holding(TaintRule)
        if not rule.narrowed and ("effect", "None") not in rule.taint and (not sure or _is_applied(world, facts, rule))
    ]


def _is_applied(world: World, facts: Facts, rule: TaintRule) -> bool:
    """Say whether a rule surely taints devices in each release that judges it."""
    return all(
        gate_of_rules(release) in world.gates(release) and (rule.selects or in_range(NO_SELECTOR_TAINTS, release))
        for release in world.releases(facts)
    )


class Narrowed(NamedTuple):
    """The result of a selector on some devices: those that it leaves (None where unknown), those that it fails on, and
    why. `undecided` names the limit of dralint that is reached; otherwise empty."""

    passed: DeviceGroup | None
    failed: tuple[Device, ...] = ()
    first: Evaluation | None = None
    reason: str = ""
    hint: str | None = None
    undecided: str = ""


class DeviceGroup:
    """Some devices together; it keeps what selectors and tolerations leave of them."""

    def __init__(self, items: tuple[Device, ...]) -> None:
        self.items = items
        self.narrowed: Callable[[str], Narrowed] = cache(self._narrow)
        self._free: dict[tuple[str, Release], DeviceGroup] = {}

    @cached_property
    def most(self) -> int:
        """How many of them one node has or reaches at most."""
        numbers = Counter(str(item.place.get("nodeName") or "") for item in self.items)
        return numbers.pop("", 0) + max(numbers.values(), default=0)

    @cached_property
    def taints(self) -> list[Mapping[str, Any]]:
        """The taints of all, each once."""
        return list({spell(taint): taint for item in self.items for taint in item.taints}.values())

    @cached_property
    def largest(self) -> dict[str, Fraction]:
        """The capacities that they have, each with the largest value."""
        found: dict[str, Fraction] = {}
        for item in self.items:
            for name, amount in item.seen().capacity.items():
                found[name] = max(found.get(name, amount.value), amount.value)
        return found

    @cached_property
    def shareable(self) -> bool:
        """Whether one of them may be allocated several times."""
        return any(item.allow_multiple for item in self.items)

    def _narrow(self, expression: str) -> Narrowed:
        """Return what a selector leaves of the devices; equal devices are evaluated once."""
        compilation = compiled(expression)
        if compilation is None or compilation.root is None:
            return Narrowed(None)
        selector = Selector(expression, compilation, allow_multiple=True)
        outcomes: dict[object, Evaluation] = {}
        found: list[tuple[Device, Evaluation]] = []
        for item in self.items:
            content = selector.content(item)
            if content not in outcomes:
                outcome = selector.outcome(item)
                if isinstance(outcome, Undecided):
                    said = not outcome.limited or not uses_device(compilation.root)
                    return Narrowed(None, undecided="" if said else outcome.why)
                outcomes[content] = outcome
            found.append((item, outcomes[content]))
        failed = [each for each in found if each[1].error is not None]
        passed = tuple(item for item, outcome in found if outcome.matches)
        reason: tuple[str, str | None] = ("", None)
        if found and (failed or not passed):
            reason = explain([item.seen() for item in self.items], compilation.root)
        first = (failed or found)[0][1] if found else None
        return Narrowed(DeviceGroup(passed), tuple(item for item, _ in failed), first, *reason)

    def free(self, tolerations: Sequence[Any], release: Release) -> DeviceGroup | None:
        """Return those whose taints tolerations tolerate in a release; None where no work is left to find out."""
        key = repr(tolerations), release
        if key not in self._free:
            work.pause()
            if work.current().left <= 0:
                return None
            work.current().take(len(self.items))
            items = tuple(item for item in self.items if not _untolerated(item.taints, tolerations, release))
            self._free[key] = DeviceGroup(items)
        return self._free[key]


_NONE = DeviceGroup(())


class Candidates(NamedTuple):
    """The devices that a request or alternative can get; none if `found` has the reason, or if it is unknown."""

    devices: DeviceGroup = _NONE
    found: tuple[Found, ...] = ()
    known: bool = True


class Supply:
    """The inventory of a world, and what requests can get from it."""

    def __init__(self, world: World, stock: KnownDevices) -> None:
        self.world = world
        self.stock = stock
        self.drivers = stock.drivers
        apply_rules(stock.slices, rules_of(world, sure=True))
        self._whole = DeviceGroup(stock.items)
        self.of_class: Callable[[str], tuple[DeviceGroup, list[Found]] | None] = cache(self._class)

    def classes(self) -> Iterator[Found]:
        """Yield the classes that select nothing or fail."""
        for name in dict.fromkeys(str(facts.name) for facts in self.world.index.all("DeviceClass")):
            got = self.of_class(name)
            yield from got[1] if got is not None else ()

    def _class(self, name: str) -> tuple[DeviceGroup, list[Found]] | None:
        """Return the devices of a class and its problems; None where unknown."""
        known = self.world.classes(name)
        if not known or any(not body.plain or body.selectors != known[0][1].selectors for _, body in known):
            return None
        facts, body = known[0]
        asked = demands(body.selectors).get(DRIVER)
        if asked is not None and not any(driver in asked for driver in self.drivers):
            if not self.stock.whole or any(is_among(str(driver), self.world.scope.drivers) for driver in asked):
                return None
            return _NONE, [self._no_driver(facts, body.selectors, sorted(map(str, asked)))]
        if not self.stock.whole and asked is None:
            return None  # devices of other drivers may be there, too
        return self.narrow(facts, body.selectors, self._whole, "the class")

    def _no_driver(self, facts: Facts, selectors: tuple[SelectorFacts, ...], asked: list[str]) -> Found:
        there = ", ".join(self.drivers) or "none"
        message = f"there is no device of the driver {' or '.join(map(quoted, asked))}, only of {there}: "
        path = next((s.path for s in selectors if DRIVER in demands([s])), selectors[0].path)
        meant = [name for name in near(asked[0], self.drivers) if _is_same(asked[0], name)]
        elsewhere = f"if it runs elsewhere, name it in the configuration: `known: {{drivers: [{asked[0]}]}}`"
        hint = did_you_mean(meant) or elsewhere
        if facts.name in self.used or is_open(str(facts.name)) or any(is_misspelt(asked[0], name) for name in meant):
            message += "Pods with claims of this class stay Pending (`cannot allocate all claims`)"
            return self.world.found(facts, rule_ids.SELECTOR_MATCHES_NOTHING, path, message, hint)
        message += "a Pod with a claim of this class would stay Pending, and no claim here names it"
        return self.world.found(facts, rule_ids.CLASS_OF_ABSENT_DRIVER, path, message, hint)

    @cached_property
    def used(self) -> frozenset[str]:
        """The names of the classes that claims name, or whose extended resource Pods ask for."""
        names = set(self.world.named_classes)
        for _, _, pod in self.world.workloads:
            for _, name, _ in pod.extended:
                names.add(name.removeprefix(IMPLICIT))
                names.update(str(facts.name) for facts, _ in self.world.offering.get(name, ()))
        return frozenset(names)

    def offering(self, name: str) -> tuple[str, Class] | None:
        """Return the one class that offers an extended resource; None for several, as nobody knows which is newest."""
        found = self.world.offering.get(name, [])
        return (str(found[0][0].name), found[0][1]) if len({facts.name for facts, _ in found}) == 1 else None

    def offered(self, name: str) -> DeviceGroup:
        """Return the devices that can be an extended resource; none where unknown."""
        serves = self.offering(name)
        got = None if serves is None else self.of_class(serves[0])
        return _NONE if got is None else got[0]

    def narrow(
        self, facts: Facts, selectors: Iterable[SelectorFacts], devices: DeviceGroup, whose: str
    ) -> tuple[DeviceGroup, list[Found]] | None:
        """Return the devices that pass selectors, and why there are none; None if dralint cannot judge a selector."""
        for selector in selectors:
            if is_open(selector.expression):
                return None
            got = devices.narrowed(selector.expression)
            if got.undecided:
                return _NONE, [self._undecided(facts, selector.path, "which devices this selects", got.undecided)]
            if got.passed is None:
                return None
            if got.failed:
                return _NONE, [self._fails(facts, selector, len(devices.items), got)]
            if devices.items and not got.passed.items:
                return _NONE, [self._matches_none(facts, selector, len(devices.items), got, whose)]
            devices = got.passed
        return devices, []

    def _undecided(self, facts: Facts, path: Path, what: str, why: str) -> Found:
        message = f"not decided {what}: {why}"
        return self.world.found(
            facts, rule_ids.NOT_DECIDED, path, message, "divide the input, or shorten the selectors"
        )

    def _fails(self, facts: Facts, selector: SelectorFacts, of: int, got: Narrowed) -> Found:
        number = len(got.failed)
        first = "/".join(got.failed[0].id)
        error = "" if got.first is None else got.first.error
        which = "the only device," if of == 1 else f"{number} of {of} devices, the first is"
        why = f"{got.reason}; " if got.reason else ""
        ending = _ENDS if facts.kind == "DeviceClass" or number < of else _ENDS.replace("may end", "ends")
        message = f"the selector fails on {which} {first} ({error}): {why}{ending}"
        return self.world.found(facts, rule_ids.SELECTOR_FAILS, selector.path, message, got.hint)

    def _matches_none(self, facts: Facts, selector: SelectorFacts, of: int, got: Narrowed, whose: str) -> Found:
        shown = " ".join(("" if got.first is None else got.first.decided_by).split())
        none = "does not match the only device" if of == 1 else f"matches none of the {of} devices"
        text = f"`{shown[:80]}` {none}"
        if whose != "the class":
            text += " of the class"
        why = f": {got.reason}" if got.reason else ""
        what = PENDING if facts.kind != "DeviceClass" else PENDING.replace("use the claim", "use the class")
        return self.world.found(
            facts, rule_ids.SELECTOR_MATCHES_NOTHING, selector.path, f"{text}{why}; {what}", got.hint
        )

    # Requests.

    def choice(self, facts: Facts, request: RequestFacts) -> Candidates:
        """Return what a request or alternative can get."""
        unknown = Candidates(known=False)
        of_class = None if request.device_class is None else self.of_class(request.device_class)
        if of_class is None or not of_class[0].items:
            return unknown  # reported for the class
        got = self.narrow(facts, request.selectors, of_class[0], "the request")
        if got is None:
            return unknown
        devices, found = got
        if not devices.items:
            decided = all(each.problem.rule != rule_ids.NOT_DECIDED for each in found)
            return Candidates(_NONE, tuple(found), decided)
        found = list(self._capacity(facts, request, devices))
        if found:
            return Candidates(_NONE, tuple(found))
        releases = self.world.releases_with(_TAINTS, facts) if devices.taints else []
        free = devices.free(request.tolerations, releases[-1]) if releases else devices
        if free is None:
            undecided = self._undecided(facts, request.path, "which taints of devices it tolerates", work.spent())
            return unknown._replace(found=(undecided,))
        if not free.items:
            return Candidates(_NONE, (self._tainted(facts, request, devices, releases),))
        few = self._too_few(facts, request, free)
        return Candidates(free, () if few is None else (few,))

    def _tainted(self, facts: Facts, request: RequestFacts, devices: DeviceGroup, releases: list[Release]) -> Found:
        several = _untolerated(devices.taints, request.tolerations, releases[-1])
        shown = ", ".join(spell(taint) for taint in several[:3])
        said = [spell_toleration(each) for each in request.tolerations]
        tolerated = f"the request tolerates only {', '.join(said)}" if said else "the request has no tolerations"
        name = next((str(taint["rule"]) for taint in several if taint.get("rule")), "")
        by = f" by the DeviceTaintRule {quoted(name)}" if name else ""
        message = f"{_all(len(devices.items))} tainted{by} ({shown}), and {tolerated}: {PENDING}"
        key = several[0].get("key")
        hint = f"add {{key: {key}, operator: Exists}} to tolerations, or wait until the taint is removed"
        elsewhere = [Elsewhere("the rule", rule, NAME) for rule in self.world.index.named("DeviceTaintRule", name)[:1]]
        path: Path = (*request.path, "tolerations") if request.tolerations else request.path
        return self.world.found(
            facts, rule_ids.DEVICES_TAINTED, path, message, hint, *elsewhere, target="key", releases=releases
        )

    def _too_few(self, facts: Facts, request: RequestFacts, devices: DeviceGroup) -> Found | None:
        if request.number is None or request.admin or devices.shareable:
            return None
        most, every = devices.most, len(devices.items)
        if request.number <= most:
            return None
        message = (
            f"{request.number} devices of one node are requested, but no node has more than {most} that match"
            f"{f' ({every} over all nodes)' if every != most else ''}: {PENDING}"
        )
        hint = f"request at most {most}" if most else None
        return self.world.found(facts, rule_ids.TOO_FEW_DEVICES, (*request.path, "count"), message, hint)

    def _capacity(self, facts: Facts, request: RequestFacts, devices: DeviceGroup) -> Iterator[Found]:
        releases = self.world.releases_with(_CAPACITY, facts)
        if not releases:
            return
        for name, wanted in request.capacity:
            path = (*request.path, "capacity", "requests", name)
            largest = devices.largest.get(name)
            if largest is None:
                known = sorted(devices.largest)
                has = f"they have {', '.join(known)}" if known else "they have none"
                message = f"no device of the request has a capacity {quoted(name)}, {has}: {PENDING}"
                hint = closest(name, known)
                yield self.world.found(
                    facts, rule_ids.CAPACITY_NOT_THERE, path, message, hint, target="key", releases=releases
                )
                continue
            amount = known_quantity(str(wanted))
            if amount is not None and amount > largest:
                most = shortest(largest)
                message = f"{wanted} of {name} are requested, but no device has more than {most}: {PENDING}"
                hint = f"request at most {most}"
                yield self.world.found(facts, rule_ids.CAPACITY_NOT_THERE, path, message, hint, releases=releases)


def _untolerated(
    several: Iterable[Mapping[str, Any]], tolerations: Sequence[Any], release: Release
) -> list[Mapping[str, Any]]:
    """Return the taints that exclude a device in a release; none where a toleration is unknown."""
    if any(not isinstance(toleration, dict) for toleration in tolerations):
        return []
    return untolerated(several, tolerations, effects_matter=in_range(EFFECTS_MATTER, release))


def _all(number: int) -> str:
    return "the only device is" if number == 1 else f"all {number} devices are"


def _is_same(one: str, other: str) -> bool:
    """Say whether the name of one driver can mean another: `gpu` of another domain, or a typing mistake."""
    return one.partition(".")[0] == other.partition(".")[0] or is_misspelt(one, other)


def supply(world: World) -> Iterator[Found]:
    """Yield requests that the inventory of the world cannot satisfy."""
    if world.stock is None or not world.stock.items:
        return
    stock = Supply(world, world.stock)
    yield from stock.classes()
    for facts, claim in world.claims:
        if claim.plain and not claim.allocated:
            yield from _claim(stock, facts, claim)
    yield from _extended(stock)
    if world.stock.whole:
        yield from _rules(stock)
        yield from _numbers_of_pods(stock)


def _claim(stock: Supply, facts: Facts, claim: ClaimFacts) -> list[Found]:
    """Return the problems of single requests; the simulation judges all of them together, with the constraints."""
    leaves = (request for request in claim.requests if request.mode != "")
    requests = grouped((request.parent or request.name, stock.choice(facts, request)) for request in leaves)
    found: list[Found] = []
    for alternatives in requests.values():
        failing = [choice for choice in alternatives if choice.known and (choice.found or not choice.devices.items)]
        every = len(failing) == len(alternatives)
        found += [each for choice in failing for each in choice.found if every or each.problem.rule == SELECTOR_FAILS]
    return found + [each for alternatives in requests.values() for c in alternatives if not c.known for each in c.found]


def _extended(stock: Supply) -> Iterator[Found]:
    """Yield extended resources if no node has as many as a Pod wants."""
    for facts, _, pod in stock.world.workloads:
        for device_class, each in _resources(stock, facts, pod):
            most = each.devices.most
            if each.number > most and each.releases:
                message = (
                    f"{each.number} devices of one node are requested, but no node has more than {most} of the class "
                    f"{quoted(device_class)}: the Pod stays Pending (`cannot allocate all claims`)"
                )
                hint = f"request at most {most}"
                yield stock.world.found(facts, TOO_FEW_DEVICES, each.path, message, hint, releases=each.releases)


def _rules(stock: Supply) -> Iterator[Found]:
    """Yield DeviceTaintRules that select no device."""
    for facts, rule in stock.world.index.holding(TaintRule):
        if rule.narrowed:
            continue
        if rule.driver is not None and is_among(rule.driver, stock.world.scope.drivers):
            continue
        items: Sequence[Device] = stock.stock.items
        for field in ("driver", "pool", "device"):
            wanted = getattr(rule, field)
            if wanted is None or is_open(wanted):
                continue
            left = [item for item in items if getattr(item.id, field) == wanted]
            if not left:
                there = list(dict.fromkeys(getattr(item.id, field) for item in items))
                within = {"pool": rule.driver, "device": rule.pool or rule.driver}.get(field)
                message = (
                    f"no device{f' of {within}' if within else ''} has the {field} {quoted(wanted)}; there are "
                    f"{', '.join(there[:8])}: the rule taints nothing, and no event is recorded"
                )
                path = ("spec", "deviceSelector", field)
                yield stock.world.found(facts, TAINT_RULE_SELECTS_NOTHING, path, message, closest(wanted, there))
                break
            items = left


_MOST_SHOWN, _MOST_COMPARED = 4, 200
_EVICTS = "NoExecute"


def tolerations(world: World) -> Iterator[Found]:
    """Yield tolerations that give a request no additional device, although devices have other taints."""
    if world.stock is None or not world.stock.whole:
        return
    claims = [(facts, request) for facts, request in world.requests() if request.tolerations]
    if not claims:
        return
    by_key: dict[str, dict[str, Mapping[str, Any]]] = {}
    evicting: dict[str, dict[str, Mapping[str, Any]]] = {}
    apply_rules(world.stock.slices, rules_of(world, sure=False))
    for item in world.stock.items:
        for taint in item.taints:
            shown, effect = spell(taint), taint.get("effect")
            if effect in EFFECTIVE:
                by_key.setdefault(str(taint.get("key")), {})[shown] = taint
            if effect == _EVICTS:
                evicting.setdefault(item.id.driver, {})[shown] = taint
    for facts, request in claims if by_key else ():
        releases = world.releases_with(_TAINTS, facts)
        evict = [
            each
            for driver in sorted(world.drivers_of(request.device_class))
            for each in islice(evicting.get(driver, {}).items(), _MOST_COMPARED)
        ]
        for position, toleration in enumerate(request.tolerations if releases else ()):
            if isinstance(toleration, dict):
                path = (*request.path, "tolerations", position)
                yield from _nobodys(world, facts, path, toleration, by_key, releases)
                yield from _evicted(world, facts, request, path, toleration, evict, releases)


def _evicted(
    world: World,
    facts: Facts,
    request: RequestFacts,
    path: Path,
    toleration: dict[str, Any],
    evicting: list[tuple[str, Mapping[str, Any]]],
    releases: list[Release],
) -> Iterator[Found]:
    """Yield a toleration without an effect, for a taint that evicts: the scheduler uses it, the eviction does not."""
    others = [other for other in request.tolerations if isinstance(other, dict) and other.get("effect") == _EVICTS]
    for shown, taint in evicting if not toleration.get("effect") else ():
        if tolerates(toleration, taint) and not any(tolerates(other, taint) for other in others):
            message = (
                f"the toleration lets the Pod have a device with the taint {shown}, and the Pod is evicted "
                "at once: only a toleration with effect NoExecute keeps it"
            )
            yield world.found(facts, TOLERATION_EVICTS, path, message, "write effect: NoExecute", releases=releases)
            return


def _nobodys(
    world: World,
    facts: Facts,
    path: Path,
    toleration: dict[str, Any],
    by_key: dict[str, dict[str, Mapping[str, Any]]],
    releases: list[Release],
) -> Iterator[Found]:
    """Yield a toleration of a key that tolerates no taint that keeps a request from a device."""
    key, value = toleration.get("key"), toleration.get("value")
    if not isinstance(key, str) or not key or is_open(key) or (isinstance(value, str) and is_open(value)):
        return
    same = by_key.get(key, {})
    if len(same) > _MOST_COMPARED or any(tolerates(toleration, taint) for taint in same.values()):
        return
    if same:
        shown = ", ".join(islice(same, _MOST_SHOWN))
        message = f"the toleration matches no taint of the inventory; the taints of the key {quoted(key)} are {shown}"
        hint: str | None = f"tolerate every value and effect: {{key: {key}, operator: Exists}}"
    else:
        known = ", ".join(islice(by_key, _MOST_SHOWN))
        message = f"no device of the inventory has a taint {quoted(key)}; there are {known}"
        hint = closest(key, islice(by_key, _MOST_COMPARED))
    yield world.found(facts, TOLERATION_OF_NO_TAINT, (*path, "key"), message, hint, releases=releases)


_LASTING = frozenset({"ReplicationController", "Deployment", "ReplicaSet", "StatefulSet"})
_PENDING = "Pending (`cannot allocate all claims`)"
_ONE_BY_ONE = "write strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}, which ends a Pod before it makes one"


def _numbers_of_pods(stock: Supply) -> Iterator[Found]:
    """Yield workloads whose Pods need more devices than an inventory has, and roll-outs with no device to spare.

    What is compared is certain: of the devices that match a request, each Pod gets its own. What else keeps a Pod from
    them only makes it worse, and devices that Pods can share are left out. Jobs are left out, too: their Pods end.
    """
    for facts, workload, pod in stock.world.workloads:
        if facts.kind not in _LASTING or workload.keeps:
            continue
        for each in _each_wants(stock, facts, pod):
            found = _together(stock, facts, workload, each)
            if found is not None:
                yield found
                break


class _Wanted(NamedTuple):
    """What each Pod takes: its path, its words, how many, of which devices, and in which releases."""

    path: Path
    what: str
    number: int
    devices: DeviceGroup
    releases: Sequence[Release] | None = None


def _each_wants(stock: Supply, facts: Facts, pod: PodSpec) -> Iterator[_Wanted]:
    """Yield what each Pod takes."""
    for entry in pod.entries:
        known = stock.world.only_claim(facts, entry) if entry.template is not None else None
        if known is None:
            continue
        template, claim = known
        several: dict[DeviceGroup, tuple[str, int]] = {}
        for request in claim.requests:
            if request.number is None or request.admin or request.parent:
                continue
            choice = stock.choice(template, request)
            devices = choice.devices
            if choice.known and not choice.found and devices.items and not devices.shareable:
                what, number = several.get(devices, (f"request {quoted(request.name)}", 0))
                several[devices] = what, number + request.number
        for devices, (what, number) in several.items():
            yield _Wanted(entry.field, f"that match the {what} of {quoted(entry.template)}", number, devices)
    yield from (each for _, each in _resources(stock, facts, pod) if each.number)


def _resources(stock: Supply, facts: Facts, pod: PodSpec) -> Iterator[tuple[str, _Wanted]]:
    """Yield the extended resources that are devices, each with the class that offers it."""
    for path, name, amount in pod.extended:
        devices, serves = stock.offered(name), stock.offering(name)
        if devices.items and serves is not None and amount.isdecimal() and not devices.shareable:
            releases = serving(stock.world, facts, name, serves[1])
            yield serves[0], _Wanted(path, f"for {name}", int(amount), devices, releases)


def _together(stock: Supply, facts: Facts, workload: WorkloadFacts, each: _Wanted) -> Found | None:
    """Return what becomes of the Pods if each of them takes its devices."""
    pods, wanted, there = workload.replicas, each.number, len(each.devices.items)
    room = there // wanted
    if pods > room > 0:
        has = f"{pods} Pods need {pods * wanted} devices, and the inventory has {there} {each.what}"
        message = f"{has}: at least {pods - room} of them stay {_PENDING}"
        path, hint = workload.replicas_path, f"write at most {room}"
        return stock.world.found(facts, TOO_MANY_PODS, path, message, hint, releases=each.releases)
    if pods == room and workload.surges:
        take = (
            f"{pods} Pod{'s' * (pods > 1)} take{'s' * (pods == 1)} {pods * wanted} of the {there} devices {each.what}"
        )
        message = f"a roll-out starts a new Pod before it ends an old one, and waits for ever: {take}"
        return stock.world.found(facts, ROLL_OUT_WITHOUT_ROOM, each.path, message, _ONE_BY_ONE, releases=each.releases)
    return None
