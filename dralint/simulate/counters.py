"""Counters of partitionable devices, and the compatibility groups on counter sets.

Sources: k8s.io/dynamic-resource-allocation/structured/internal/*/allocator_*.go (checkAvailableCounters) and
experimental/compatibility_groups.go, v1.34.4 to v1.37.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dralint.simulate.pools import counters_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.inventory import Device, InUse, Slice
    from dralint.simulate.pools import Pool

Counter = tuple[str, str]
"""Counter set and counter."""


class Left(NamedTuple):
    """What is left of counters in nano units, and whether one of them is overdrawn."""

    counters: dict[Counter, int]
    overdrawn: bool


@dataclass(frozen=True, slots=True)
class Placed:
    """The devices placed on a counter set: whether some have no groups, and what the others have in common."""

    plain: bool = False
    common: frozenset[str] | None = None

    def admits(self, groups: frozenset[str]) -> bool:
        """Say whether a device with these groups may join."""
        if not groups:
            return self.common is None
        return not self.plain and (self.common is None or bool(self.common & groups))

    def add(self, groups: frozenset[str]) -> Placed:
        """Return what there is with one more device."""
        if not groups:
            return Placed(plain=True, common=self.common)
        return Placed(self.plain, groups if self.common is None else self.common & groups)


_NOTHING = Placed()


class Ledger:
    """What is left of the counters of all pools; computed once for a Pod, on the first node that asks."""

    def __init__(self, behaviour: Behaviour, in_use: InUse) -> None:
        self._behaviour = behaviour
        self._in_use = in_use
        self._left: dict[object, Left] = {}
        self._placed: dict[object, dict[str, Placed]] = {}

    def key(self, device: Device) -> object:
        """Return under what the counters of a device are kept."""
        if self._behaviour.has("counters_by_slice"):
            return device.slice.name
        return device.id.pool if self._behaviour.has("counters_by_pool_name") else device.slice.key

    def left(self, device: Device, pool: Pool) -> Left:
        """Return what is left where the device takes from."""
        key = self.key(device)
        found = self._left.get(key)
        if found is None:
            if self._behaviour.has("counters_by_slice"):
                slices: Sequence[Slice] = (device.slice,)
                sets: Mapping[str, Mapping[str, int]] = counters_of(slices)
            else:
                slices, sets = pool.counted, pool.counters
            left = {(s, name): value for s, counters in sets.items() for name, value in counters.items()}
            for used in self._allocated(slices):
                for counter, amount in used.charges:
                    if counter in left:
                        left[counter] -= amount
            found = self._left[key] = Left(left, any(value < 0 for value in left.values()))
        return found

    def placed(self, device: Device, pool: Pool) -> dict[str, Placed]:
        """Return which groups the allocated devices of a pool leave, by counter set."""
        key = self.key(device)
        found = self._placed.get(key)
        if found is None:
            found = self._placed[key] = {}
            for used in self._allocated(pool.counted):
                for consumption in used.consumes:
                    before = found.get(consumption.counter_set, _NOTHING)
                    found[consumption.counter_set] = before.add(consumption.groups)
        return found

    def _allocated(self, slices: Sequence[Slice]) -> Iterable[Device]:
        exclusive, shares = self._in_use.exclusive, self._in_use.shares
        shared = self._behaviour.has("counts_shared_devices")
        if not exclusive and not shares:
            return
        for s in slices:
            for device in s.devices:
                if device.id in exclusive or (shared and device.id in shares):
                    yield device


class Account:
    """What the devices of one attempt on one node take from counters."""

    __slots__ = ("_groups", "_ledger", "_placed", "_used")

    def __init__(self, ledger: Ledger, *, groups: bool) -> None:
        self._ledger = ledger
        self._groups = groups
        self._used: dict[object, dict[Counter, int]] = {}
        self._placed: dict[tuple[object, str], Placed] = {}

    def admits(self, device: Device, pool: Pool) -> bool:
        """Say whether the compatibility groups let a device in."""
        if not self._groups:
            return True
        key = self._ledger.key(device)
        before = self._ledger.placed(device, pool)
        return all(
            self._placed.get((key, c.counter_set), before.get(c.counter_set, _NOTHING)).admits(c.groups)
            for c in device.consumes
        )

    def take(self, device: Device, pool: Pool) -> bool:
        """Charge a device; false, and nothing charged, where a counter does not suffice."""
        left, overdrawn = self._ledger.left(device, pool)
        if overdrawn:
            return False
        used = self._used.setdefault(self._ledger.key(device), {})
        for counter, amount in device.charges:
            used[counter] = used.get(counter, 0) + amount
        if any(counter in left and used[counter] > left[counter] for counter, _ in device.charges):
            self.give_back(device)
            return False
        return True

    def give_back(self, device: Device) -> None:
        """Take the charge of a device back."""
        used = self._used[self._ledger.key(device)]
        for counter, amount in device.charges:
            used[counter] -= amount

    def join(self, device: Device, pool: Pool) -> list[tuple[tuple[object, str], Placed | None]]:
        """Place a device on its counter sets; return what `leave` needs."""
        if not self._groups:
            return []
        key = self._ledger.key(device)
        before = self._ledger.placed(device, pool)
        undo: list[tuple[tuple[object, str], Placed | None]] = []
        for c in device.consumes:
            at = (key, c.counter_set)
            known = self._placed.get(at)
            undo.append((at, known))
            self._placed[at] = (known or before.get(c.counter_set, _NOTHING)).add(c.groups)
        return undo

    def leave(self, undo: list[tuple[tuple[object, str], Placed | None]]) -> None:
        """Undo a `join`."""
        for at, known in reversed(undo):
            if known is None:
                self._placed.pop(at, None)
            else:
                self._placed[at] = known
