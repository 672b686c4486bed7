"""The contents of a cluster: nodes, classes, slices with their devices, taint rules, and devices in use.

Source of taint rules: k8s.io/dynamic-resource-allocation/resourceslice/tracker (applyPatches), v1.34.4 to v1.37.0.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.cel.machine import device_of
from dralint.kubernetes.quantity import nano
from dralint.kubernetes.taints import selects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dralint.cel.machine import Device as CelDevice


class DeviceId(NamedTuple):
    """The identity of a device."""

    driver: str
    pool: str
    device: str

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> DeviceId:
        """Return the device of a result of an allocation."""
        return cls(*(result.get(key) or "" for key in cls._fields))

    @classmethod
    def parse(cls, text: str) -> DeviceId:
        """Return the device of DRIVER/POOL/DEVICE; a pool may have more slashes."""
        driver, _, rest = text.partition("/")
        pool, _, device = rest.rpartition("/")
        return cls(driver, pool, device)

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


class Consumption(NamedTuple):
    """How much a device takes from one counter set: (counter, nano units), and its compatibility groups."""

    counter_set: str
    counters: tuple[tuple[str, int], ...]
    groups: frozenset[str]


class Device:
    """A device of a slice. `spec` is the entry of the slice, `taints` are its own; those of rules come on top."""

    __slots__ = (
        *("_consumes", "_look", "_seen"),
        *("allow_multiple", "binding", "extra_taints", "id", "slice", "spec", "verdicts"),
    )

    def __init__(self, slice_: Slice, spec: Mapping[str, Any]) -> None:
        self.slice = slice_
        self.spec = spec
        self.id = DeviceId(slice_.driver, slice_.pool, spec.get("name") or "")
        self.allow_multiple = spec.get("allowMultipleAllocations") is True
        self.binding = bool(spec.get("bindingConditions"))
        self.extra_taints: tuple[Mapping[str, Any], ...] = ()
        self.verdicts: dict[object, Any] = {}
        self._consumes: tuple[Consumption, ...] | None = None
        self._look: tuple[str, str] | None = None
        self._seen: CelDevice | None = None

    def seen(self, *, skip: bool = True) -> CelDevice:
        """Return the device as expressions see it.

        DeviceError where a value cannot be read; `skip` leaves such values out.
        """
        if self._seen is None:
            self._seen = device_of(self.spec, self.slice.spec, skip=skip)
        return self._seen

    @property
    def look(self) -> tuple[str, str]:
        """Attributes and capacity as text: equal devices share it."""
        if self._look is None:
            attributes, capacity = self.spec.get("attributes"), self.spec.get("capacity")
            self._look = sys.intern(repr(attributes)), sys.intern(repr(capacity))
        return self._look

    @property
    def place(self) -> Mapping[str, Any]:
        """What says for which nodes it is: the device itself, or its slice."""
        return self.spec if self.slice.spec.get("perDeviceNodeSelection") is True else self.slice.spec

    @property
    def taints(self) -> Sequence[Mapping[str, Any]]:
        """The taints of the device and of taint rules."""
        own: Sequence[Mapping[str, Any]] = self.spec.get("taints") or ()
        return own if not self.extra_taints else (*own, *self.extra_taints)

    @property
    def consumes(self) -> tuple[Consumption, ...]:
        """How much the device takes from counters."""
        if self._consumes is None:
            self._consumes = tuple(
                Consumption(
                    entry.get("counterSet") or "",
                    tuple((name, nano((c or {}).get("value"))) for name, c in (entry.get("counters") or {}).items()),
                    frozenset(entry.get("compatibilityGroups") or ()),
                )
                for entry in self.spec.get("consumesCounters") or ()
            )
        return self._consumes

    @property
    def charges(self) -> Iterator[tuple[tuple[str, str], int]]:
        """How much the device takes from each counter, identified by its set and its name."""
        for consumption in self.consumes:
            for name, amount in consumption.counters:
                yield (consumption.counter_set, name), amount


class Slice:
    """A ResourceSlice (v1). `devices` are made when they are first needed."""

    __slots__ = ("_devices", "binding", "count", "driver", "generation", "grouped", "name", "pool", "spec", "touched")

    def __init__(self, name: str, spec: Mapping[str, Any]) -> None:
        pool = spec.get("pool") or {}
        self.name = name
        self.spec = spec
        self.driver: str = spec.get("driver") or ""
        self.pool: str = pool.get("name") or ""
        self.generation: int = pool.get("generation") or 0
        self.count: int = pool.get("resourceSliceCount") or 0
        entries: Sequence[Mapping[str, Any]] = spec.get("devices") or ()
        self.binding = any(d.get("bindingConditions") for d in entries)
        self.grouped = any(c.get("compatibilityGroups") for d in entries for c in d.get("consumesCounters") or ())
        self.touched = False
        self._devices: tuple[Device, ...] | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Driver and name of the pool."""
        return self.driver, self.pool

    @property
    def counters(self) -> Sequence[Mapping[str, Any]]:
        """The counter sets of the slice."""
        return self.spec.get("sharedCounters") or ()

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices, as listed."""
        if self._devices is None:
            self._devices = tuple(Device(self, d) for d in self.spec.get("devices") or ())
        return self._devices


def _consumed(result: Mapping[str, Any]) -> dict[str, int]:
    """Return capacity → nano units of a share; ValueError for an amount that is none."""
    return {name: nano(amount) for name, amount in (result.get("consumedCapacity") or {}).items()}


@dataclass
class InUse:
    """Allocated devices: `exclusive` has their claims, `shares` what is taken of each.

    The value of `exclusive` is the claim that has the device, empty where unknown. `shares` has capacity → nano units,
    and nothing for shares without consumedCapacity; `holders` has the claims of shares. `returned` counts devices
    that were given back.
    """

    exclusive: dict[DeviceId, str] = field(default_factory=dict)
    shares: dict[DeviceId, Counter[str]] = field(default_factory=dict)
    holders: dict[DeviceId, list[str]] = field(default_factory=dict)
    returned: int = field(default=0, compare=False)

    def add(self, result: Mapping[str, Any], holder: str, *, capacity: bool) -> None:
        """Count a result of an allocation; `capacity` says whether shares are known (DRAConsumableCapacity)."""
        if result.get("adminAccess") is True:
            return
        device = DeviceId.of(result)
        if not (result.get("shareID") and capacity):
            self.exclusive[device] = holder
            return
        self.shares.setdefault(device, Counter()).update(_consumed(result))
        self.holders.setdefault(device, []).append(holder)

    def drop(self, result: Mapping[str, Any], holder: str, *, capacity: bool) -> None:
        """Give back the devices of a result of an allocation."""
        device = DeviceId.of(result)
        if result.get("adminAccess") is True:
            return
        if not (result.get("shareID") and capacity):
            self.exclusive.pop(device, None)
            self.returned += 1
            return
        holders = self.holders.get(device, [])
        if holder not in holders:
            return
        holders.remove(holder)
        self.shares[device].subtract(_consumed(result))
        if not holders:
            del self.shares[device], self.holders[device]

    def copy(self) -> InUse:
        """Return a copy that can change."""
        return InUse(
            dict(self.exclusive),
            {device: given.copy() for device, given in self.shares.items()},
            {device: list(names) for device, names in self.holders.items()},
        )


@dataclass
class Inventory:
    """The objects of a cluster that decide on allocation, in their v1 form.

    Attributes:
        nodes: in the order in which they are tried.
        classes: DeviceClasses by name.
        slices: ResourceSlices.
        taint_rules: specs of DeviceTaintRules.
        in_use: what is allocated.
    """

    nodes: Sequence[ClusterNode]
    classes: Mapping[str, Mapping[str, Any]]
    slices: Sequence[Slice]
    taint_rules: Sequence[Mapping[str, Any]] = ()
    in_use: InUse = field(default_factory=InUse)


def slices_of(objects: Iterable[Mapping[str, Any]]) -> list[Slice]:
    """Return ResourceSlices (v1) as slices, sorted by name: the order of 1.36, and a possible one before."""
    found = [Slice((o.get("metadata") or {}).get("name") or "", o.get("spec") or {}) for o in objects]
    return sorted(found, key=lambda s: s.name)


def apply_rules(
    slices: Iterable[Slice],
    rules: Sequence[Mapping[str, Any]],
    narrowed: Callable[[Mapping[str, Any], Device], bool] | None = None,
) -> None:
    """Put the taints of rules on the devices of slices; those of an earlier call are gone.

    Args:
        rules: the specs of those that the scheduler applies, each with the `name` of the rule.
        narrowed: says whether a rule that selects a device by its name also does so by class and selectors (1.34).
    """
    for s in slices:
        relevant = [rule for rule in rules if _may_match(rule, s)]
        if not relevant and not s.touched:
            continue
        s.touched = bool(relevant)
        for device in s.devices:
            device.extra_taints = tuple(
                {**(rule.get("taint") or {}), "rule": rule.get("name") or ""}
                for rule in relevant
                if (rule.get("deviceSelector") or {}).get("device") in (None, device.id.device)
                and (narrowed is None or narrowed(rule, device))
            )


def _may_match(rule: Mapping[str, Any], s: Slice) -> bool:
    selector = rule.get("deviceSelector") or {}
    return selector.get("driver") in (None, s.driver) and selector.get("pool") in (None, s.pool)


@dataclass(frozen=True)
class ClusterNode:
    """A node: its labels, the features it declares (status.declaredFeatures), status.allocatable, and its kubelet.

    One that is `guessed` is known by name alone, from slices. `cordoned` is spec.unschedulable.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()
    allocatable: Mapping[str, Any] = field(default_factory=dict)
    guessed: bool = False
    taints: tuple[Mapping[str, Any], ...] = ()
    cordoned: bool = False
    kubelet: str = ""


def reaches(spec: Mapping[str, Any], node: ClusterNode) -> bool | None:
    """Say whether a slice's spec or a device names the node; None where it does not say for which nodes it is.

    NodeSelectorError if the nodeSelector cannot be read.
    """
    name = spec.get("nodeName")
    if name:
        return bool(name == node.name)
    if spec.get("allNodes") is True:
        return True
    selector = spec.get("nodeSelector")
    return None if selector is None else selects(selector, node.name, node.labels)
