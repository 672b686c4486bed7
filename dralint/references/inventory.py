"""The known devices: those of ResourceSlices, of the newest generation of each pool, with their nodes."""

from __future__ import annotations

from itertools import product
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.cel.device_values import DeviceError
from dralint.cel.devices import device_of
from dralint.finding.problem import at
from dralint.kubernetes import taints
from dralint.kubernetes.release import in_range
from dralint.references.facts import TaintRule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.cel.machine import Device
    from dralint.kubernetes.release import Release
    from dralint.references.facts import Facts, RequestFacts
    from dralint.references.world import World

ANYWHERE = ""
"""The node of a device that is not for one node alone."""


class Taint(NamedTuple):
    """A taint of a device; `source` is its DeviceTaintRule, if that is in the input."""

    spec: dict[str, Any]
    source: Facts | None = None


class KnownDevice(NamedTuple):
    """A device: `node` is that of its slice, or ANYWHERE; `facts` and `position` are its place."""

    device: Device
    node: str
    taints: tuple[Taint, ...]
    facts: Facts
    position: int
    alike: int = 0

    @property
    def identity(self) -> tuple[str, str, str]:
        """What the scheduler knows the device by."""
        return self.device.driver, self.device.pool, self.device.name

    def value(self, attribute: str) -> Any:
        """Return the value of an attribute by its full name; None where the device has none."""
        attributes = self.device.attributes
        if attribute in attributes:
            return attributes[attribute]
        domain, _, name = attribute.partition("/")
        return attributes.get(name) if domain == self.device.driver else None


class KnownDevices(NamedTuple):
    """The devices; `whole` means that these are all of the cluster, not only of the drivers that have some."""

    items: tuple[KnownDevice, ...]
    whole: bool

    @property
    def drivers(self) -> list[str]:
        """The drivers that have devices, in order."""
        return list(dict.fromkeys(item.device.driver for item in self.items))


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
    items: list[KnownDevice] = []
    alike: dict[tuple[object, ...], int] = {}
    for facts, spec, key, generation in held:
        if generation < max(newest[key], newest.get((*key[:2], _EVERY), generation)):
            continue
        node = spec.get("nodeName")
        devices = spec.get("devices")
        for position, entry in enumerate(devices if isinstance(devices, list) else ()):
            if not isinstance(entry, dict):
                continue
            try:
                device = device_of(entry, spec)
            except DeviceError:
                continue
            own = at(entry, ("basic", "nodeName")) or entry.get("nodeName") or node
            where = own if isinstance(own, str) else ANYWHERE
            look = device.driver, repr(device.attributes), repr(device.capacity), device.allow_multiple_allocations
            number = alike.setdefault(look, len(alike))
            items.append(KnownDevice(device, where, _taints(entry), facts, position, number))
    return KnownDevices(tuple(items), whole)


_EVERY = "every"


def _nodes(spec: dict[str, Any]) -> str:
    """Return the nodes that see a slice: a newer slice of the same pool only replaces it where both are seen."""
    if spec.get("allNodes") is True:
        return _EVERY
    devices = spec.get("devices") if spec.get("perDeviceNodeSelection") is True else ()
    each = [[entry.get(k) for k in _PLACES] for entry in devices or () if isinstance(entry, dict)]
    return repr(([spec.get(key) for key in _PLACES], each))


_PLACES = ("nodeName", "nodeSelector", "allNodes")


def _taints(entry: dict[str, Any]) -> tuple[Taint, ...]:
    value = at(entry, ("basic", "taints")) or entry.get("taints")
    return tuple(Taint(taint) for taint in (value if isinstance(value, list) else ()) if isinstance(taint, dict))


def untolerated(request: RequestFacts, several: Iterable[Taint], release: Release) -> list[Taint]:
    """Return the taints that exclude a device from a request in a release."""
    if any(not isinstance(toleration, dict) for toleration in request.tolerations):
        return []  # the meaning is unknown
    matter = in_range(taints.EFFECTS_MATTER, release)
    return [t for t in several if taints.untolerated([t.spec], request.tolerations, effects_matter=matter)]


def with_rules(stock: KnownDevices, world: World, *, sure: bool) -> KnownDevices:
    """Return the inventory with the taints of the DeviceTaintRules in the input.

    `sure` leaves out the rules that have no effect in a release that judges them, or none in one of its patches.
    """
    rules = [
        (facts, rule)
        for facts, rule in world.index.holding(TaintRule)
        if not rule.narrowed and ("effect", "None") not in rule.taint and (not sure or _is_applied(world, facts, rule))
    ]
    if not rules:
        return stock
    selecting: dict[tuple[str | None, ...], list[tuple[int, Taint]]] = {}
    for number, (facts, rule) in enumerate(rules):
        of = selecting.setdefault((rule.driver, rule.pool, rule.device), [])
        of.append((number, Taint(dict(rule.taint), facts)))
    items = []
    for item in stock.items:
        ways = product(*((None, name) for name in item.identity))
        extra = sorted((each for way in ways for each in selecting.get(way, ())), key=itemgetter(0))
        items.append(item._replace(taints=(*item.taints, *(taint for _, taint in extra))) if extra else item)
    return stock._replace(items=tuple(items))


def _is_applied(world: World, facts: Facts, rule: TaintRule) -> bool:
    """Say whether a rule surely taints devices in each release that judges it."""
    return all(
        taints.gate_of_rules(release) in world.gates(release)
        and (rule.selects or in_range(taints.NO_SELECTOR_TAINTS, release))
        for release in world.releases(facts)
    )
