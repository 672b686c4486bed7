"""The pools that a node sees: which slices are relevant, whether pools are complete and valid, and their order.

Source: k8s.io/dynamic-resource-allocation/structured/internal/*/pools_*.go (GatherPools), v1.34.4 to v1.37.0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.quantity import nano
from dralint.kubernetes.taints import NodeSelectorError
from dralint.records import grouped
from dralint.simulate.inventory import reaches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.inventory import ClusterNode, Device, InUse, Slice

Key = tuple[str, str]


class GatherError(ValueError):
    """A slice that stops the attempt; the text is the scheduler's."""


@dataclass(eq=False)
class Pool:
    """A pool as one node sees it.

    Attributes:
        slices: the relevant slices of the newest generation.
        wanted: how many slices the first of them says that there are.
        invalid: why the pool is invalid, empty otherwise.
        devices: what it offers, in search order (nothing where it is incomplete, but for 1.34).
        counted: all slices of that generation that were looked at: their allocated devices are charged.
    """

    driver: str
    name: str
    slices: Sequence[Slice]
    complete: bool
    wanted: int
    invalid: str = ""
    devices: Sequence[Device] = ()
    counted: Sequence[Slice] = ()

    @property
    def key(self) -> Key:
        """Driver and name."""
        return self.driver, self.name

    @property
    def usable(self) -> bool:
        """Whether devices can be taken from it."""
        return self.complete and not self.invalid

    def __str__(self) -> str:
        return f"{self.driver}/{self.name}"


@dataclass
class View:
    """What a node sees: its pools in search order, and those that vanished because there is a newer generation."""

    pools: list[Pool]
    obsolete: list[Key]
    devices: list[Device] = field(default_factory=list)
    _free: tuple[InUse | None, int, int] = (None, 0, 0)

    def first_free(self, in_use: InUse) -> int:
        """Return the position of the first device that is not allocated; until one is given back, none before it is."""
        known, returned, at = self._free
        if known is not in_use or returned != in_use.returned:
            at = 0
        while at < len(self.devices) and self.devices[at].id in in_use.exclusive:
            at += 1
        self._free = in_use, in_use.returned, at
        return at

    @cached_property
    def pool_of(self) -> Mapping[Key, Pool]:
        """The pools by driver and name."""
        return {pool.key: pool for pool in self.pools}


class Pools:
    """The slices of a cluster, indexed so that each node's pools are found quickly.

    `left_out` says whether slices are left out because of compatibility groups; with `ignore_counters` no device
    consumes any counter, and `backwards` takes pools and slices in the opposite order, which is another possible one in
    releases that leave it open.
    """

    def __init__(
        self, slices: Sequence[Slice], behaviour: Behaviour, *, ignore_counters: bool = False, backwards: bool = False
    ) -> None:
        self._behaviour = behaviour
        self._ignore_counters = ignore_counters
        self._made: dict[tuple[int, ...], Pool | None] = {}
        self._backwards = backwards
        self._last: tuple[ClusterNode, View] | None = None
        self._position = {id(s): -i if backwards else i for i, s in enumerate(slices)}
        known = [s for s in slices if not self._grouped(s)]
        self.left_out = len(known) < len(slices)
        self._by_pool = grouped((s.key, s) for s in known)
        used = [s for s in known if not self._skipped(s)]
        anywhere = behaviour.has("counter_slices_everywhere")
        self._everywhere = grouped((s.key, s) for s in used if s.counters and anywhere)
        others = [s for s in used if not (s.counters and anywhere)]
        self._by_node = grouped((s.spec["nodeName"], s) for s in others if s.spec.get("nodeName"))
        self._elsewhere = [s for s in others if not s.spec.get("nodeName")]

    def _skipped(self, s: Slice) -> bool:
        behaviour = self._behaviour
        counts = bool(s.counters) and behaviour.has("skips_counter_slices_without_gate")
        return not behaviour.has("partitions") and (s.spec.get("perDeviceNodeSelection") is not None or counts)

    def _grouped(self, s: Slice) -> bool:
        known = self._ignore_counters or self._behaviour.has("groups")
        return s.grouped and not known and self._behaviour.has("skips_grouped_slices_without_gate")

    def view(self, node: ClusterNode) -> View:
        """Return what a node sees; GatherError where a node selector cannot be read.

        The last node is often asked again: about the next Pod.
        """
        if self._last is None or self._last[0] is not node:
            self._last = node, self._view(node)
        return self._last[1]

    def _view(self, node: ClusterNode) -> View:
        there = (*self._by_node.get(node.name, ()), *(s for s in self._elsewhere if self._relevant(s, node)))
        relevant = grouped((s.key, s) for s in there)
        for key in relevant.keys() & self._everywhere.keys():
            relevant[key] = relevant[key] + self._everywhere[key]
        seen = [(key, self._pool(slices)) for key, slices in relevant.items()]
        # Of other nodes' pools only the counters are seen; they matter where something is wrong with them.
        seen += [(key, pool) for key, pool in self._troubled if key not in relevant]
        obsolete = [key for key, pool in seen if pool is None]
        pools = [pool for _, pool in seen if pool is not None]
        pools.sort(key=lambda pool: pool.key, reverse=self._backwards)
        if self._behaviour.has("binding_pools_last"):
            pools.sort(key=lambda pool: pool.usable and any(d.binding for d in pool.devices))
        return View(pools, obsolete, [d for pool in pools for d in pool.devices])

    @cached_property
    def _troubled(self) -> list[tuple[Key, Pool | None]]:
        made = [(key, self._pool(slices)) for key, slices in self._everywhere.items()]
        return [(key, pool) for key, pool in made if pool is None or not pool.usable]

    def _relevant(self, s: Slice, node: ClusterNode) -> bool:
        try:
            hit = reaches(s.spec, node)
            if hit is None and s.spec.get("perDeviceNodeSelection") is True:
                hit = any(reaches(device, node) for device in s.spec.get("devices") or ())
        except NodeSelectorError as error:
            msg = f"gather pool information: failed to perform node selection for slice {s.name}: {error}"
            raise GatherError(msg) from None
        return bool(hit)

    def _pool(self, relevant: list[Slice]) -> Pool | None:
        """Return the pool that the relevant slices make, None where it is obsolete."""
        identity = tuple(id(s) for s in relevant)
        if identity not in self._made:
            self._made[identity] = self._build(sorted(relevant, key=lambda s: self._position[id(s)]))
        return self._made[identity]

    def _build(self, relevant: list[Slice]) -> Pool | None:
        behaviour = self._behaviour
        generation = max(s.generation for s in relevant)
        kept = [s for s in relevant if s.generation == generation]
        wanted = kept[0].count
        looked = kept
        complete = len(kept) == wanted
        if not complete and behaviour.has("consults_other_nodes"):
            everywhere = self._by_pool[kept[0].key]
            if any(s.generation > generation for s in everywhere):
                return None
            looked = [s for s in everywhere if s.generation == generation]
            complete = len(looked) == wanted
        if behaviour.has("binding_slices_last"):
            kept = sorted(kept, key=lambda s: s.binding)
        pool = Pool(kept[0].driver, kept[0].pool, kept, complete, wanted, counted=looked)
        if not complete and not behaviour.has("uses_incomplete_pools"):
            return pool
        counters_of(looked)  # raises where an amount is none
        pool.invalid = _duplicate_device(kept)
        validates = behaviour.has("validates_counters") and behaviour.has("partitions")
        if not pool.invalid and validates and not self._ignore_counters:
            pool.invalid = _counter_problem(looked)
        offered = [s for s in kept if not (s.counters and validates)]
        if not pool.invalid or behaviour.has("invalid_pool_is_fatal"):
            pool.devices = tuple(d for s in offered for d in s.devices)
        return pool


def _duplicate_device(slices: Sequence[Slice]) -> str:
    seen: set[str] = set()
    for s in slices:
        for device in s.devices:
            if device.id.device in seen:
                return f"duplicate device name {device.id.device}"
            seen.add(device.id.device)
    return ""


def _counter_problem(slices: Sequence[Slice]) -> str:
    sets: dict[str, Mapping[str, Any]] = {}
    for s in slices:
        for entry in s.counters:
            name = entry.get("name") or ""
            if name in sets:
                return f"duplicate counter set name {name}"
            sets[name] = entry.get("counters") or {}
    for s in slices:
        for device in s.spec.get("devices") or ():
            for entry in device.get("consumesCounters") or ():
                name = entry.get("counterSet") or ""
                there = sets.get(name)
                if there is None:
                    return f"device {device.get('name')} consumes from counter set {name}, which the pool lacks"
                for counter in entry.get("counters") or ():
                    if counter not in there:
                        return (
                            f"device {device.get('name')} consumes counter {counter} of counter set {name}, which the"
                            " pool lacks"
                        )
    return ""


def counters_of(slices: Sequence[Slice]) -> dict[str, dict[str, int]]:
    """Return counter set → counter → nano units of the slices."""
    return {
        entry.get("name") or "": {
            name: nano((value or {}).get("value")) for name, value in (entry.get("counters") or {}).items()
        }
        for s in slices
        for entry in s.counters
    }
