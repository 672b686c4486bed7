"""The known devices: those of ResourceSlices, of the newest generation of each pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.cel.device_values import DeviceError
from dralint.finding.problem import at, dict_of, list_of
from dralint.kubernetes import taints
from dralint.kubernetes.release import in_range
from dralint.references.facts import TaintRule
from dralint.simulate.claims import slice_to_v1
from dralint.simulate.inventory import Slice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.cel.machine import Device as CelDevice
    from dralint.references.facts import Facts
    from dralint.references.world import World
    from dralint.simulate.inventory import Device


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
        taints.gate_of_rules(release) in world.gates(release)
        and (rule.selects or in_range(taints.NO_SELECTOR_TAINTS, release))
        for release in world.releases(facts)
    )
