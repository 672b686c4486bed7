"""How much of a device a request takes, and whether it is there: capacity, counters, compatibility groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.kubernetes.quantity import NANO, as_int64, is_binary, nano, quantity, spell, text_of
from dralint.records import grouped
from dralint.simulate.pools import counters_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.inventory import Device, InUse, Slice
    from dralint.simulate.pools import Pool


_MAX = 2**63 - 1
_MILLI = NANO // 1000


class CapacityError(ValueError):
    """A request that the device's arithmetic cannot represent; the text is the scheduler's."""


class Need(NamedTuple):
    """How much one request takes of one capacity, and how much there is: nano units, and the text for the result."""

    amount: int
    text: str
    value: int


def needs(
    capacities: Mapping[str, Any], requested: Mapping[str, Any], behaviour: Behaviour, *, free: bool = False
) -> dict[str, Need] | None:
    """Return what a request takes of each capacity of a device; None where the device cannot serve it at all.

    Args:
        capacities: `capacity` of the device.
        requested: `capacity.requests` of the request.
        free: as if there were no requirements and every capacity cost nothing.

    Raises:
        CapacityError: an amount that cannot be represented (1.37).
    """
    if free:
        return {name: Need(0, "0", nano((c or {}).get("value"))) for name, c in capacities.items()}
    if any(name not in capacities for name in requested):
        return None
    found: dict[str, Need] = {}
    for name, capacity in capacities.items():
        value = (capacity or {}).get("value")
        policy = (capacity or {}).get("requestPolicy") or {}
        try:
            amount = _consumption(value, policy, requested.get(name), behaviour)
            if behaviour.has("refuses_odd_capacity") and nano(amount) < 0:
                raise CapacityError("capacity value is negative")
            if not _allowed(amount, policy, behaviour):
                return None
        except CapacityError as error:
            raise CapacityError(f'capacity "{name}": {error}') from None
        found[name] = Need(nano(amount), amount, nano(value))
    return found


def _consumption(value: Any, policy: Mapping[str, Any], requested: Any, behaviour: Behaviour) -> str:
    """Return the text of the quantity that a request takes."""
    if requested is None:
        default = policy.get("default")
        return text_of(value if default is None else default)
    limits = policy.get("validRange") or {}
    if limits.get("min") is not None:
        return _in_range(text_of(requested), limits, behaviour)
    values = policy.get("validValues") or ()
    enough = [v for v in values if nano(v) >= nano(requested)]
    return text_of(min(enough, key=nano)) if enough else text_of(requested)


def _in_range(requested: str, limits: Mapping[str, Any], behaviour: Behaviour) -> str:
    low, step = limits["min"], limits.get("step")
    if nano(requested) < nano(low):
        return text_of(low)
    if step is None:
        return requested
    if _in_thousandths(limits, behaviour):
        start, width = nano(low) // _MILLI, nano(step) // _MILLI
        wanted = _milli(requested)
        rounded = start + -(-(wanted - start) // width) * width
        if rounded > _MAX:
            raise _unrepresentable(f"rounding up {requested} passes the largest milli value")
        return spell(rounded * _MILLI, binary=is_binary(step))
    if behaviour.has("refuses_odd_capacity") and nano(requested) > _MAX * NANO:
        raise _unrepresentable(f"request {requested} is not a representable integer value")
    start, width, wanted = quantity(low).integer(), quantity(step).integer(), quantity(requested).integer()
    if width == 0:
        raise _unrepresentable(f"the step {step} is zero")
    distance = as_int64(wanted - start)
    rounded = start + as_int64(_up(distance, width) * width)
    if behaviour.has("refuses_odd_capacity"):
        if rounded > _MAX:
            raise _unrepresentable(f"rounding up {requested} passes the largest integer value")
        return spell(rounded * NANO, binary=is_binary(step))
    return spell(as_int64(rounded) * NANO, binary=True)


def _allowed(amount: str, policy: Mapping[str, Any], behaviour: Behaviour) -> bool:
    default = policy.get("default")
    if default is not None and _identical(amount, text_of(default)):
        return True
    limits = policy.get("validRange")
    if limits:
        if limits.get("max") is not None and nano(amount) > nano(limits["max"]):
            return False
        step = limits.get("step")
        if step is None:
            return True
        low = limits.get("min")
        if _in_thousandths(limits, behaviour):
            return (nano(amount) - nano(low)) % nano(step) == 0
        width = quantity(step).integer()
        return width != 0 and as_int64(quantity(amount).integer() - quantity(low).integer()) % width == 0
    values = policy.get("validValues")
    return not values or any(nano(v) == nano(amount) for v in values)


def _identical(left: str, right: str) -> bool:
    """Say whether two quantities are the same object to Go: number, scale and form of the suffix."""
    return quantity(left) == quantity(right) and is_binary(left) == is_binary(right)


def _in_thousandths(limits: Mapping[str, Any], behaviour: Behaviour) -> bool:
    if not behaviour.has("fractions") or nano(limits.get("step")) < _MILLI:
        return False
    amounts = [nano(limits[name]) for name in ("min", "max", "step") if limits.get(name) is not None]
    return all(amount % _MILLI == 0 and amount // _MILLI <= _MAX for amount in amounts)


def _milli(requested: str) -> int:
    amount = nano(requested)
    if amount % _MILLI or amount // _MILLI > _MAX:
        raise _unrepresentable(f"request {requested} is not a representable milli value")
    return amount // _MILLI


def _unrepresentable(what: str) -> CapacityError:
    return CapacityError(f"capacity request cannot be represented in the device's range arithmetic: {what}")


def _up(distance: int, width: int) -> int:
    """Divide as Go does, towards zero, then up by one where something is left."""
    quotient = abs(distance) // abs(width) * (1 if (distance < 0) == (width < 0) else -1)
    return quotient + (1 if distance % width else 0)


Counter = tuple[str, str]
"""Counter set and counter."""


class Left(NamedTuple):
    """What is left of counters in nano units, and whether one of them is overdrawn."""

    counters: dict[Counter, int]
    overdrawn: bool


class Ledger:
    """What is left of the counters of all pools; computed once for a Pod, on the first node that asks."""

    def __init__(self, behaviour: Behaviour, in_use: InUse) -> None:
        self._behaviour = behaviour
        self._in_use = in_use
        self._left: dict[object, Left] = {}
        self._placed: dict[object, dict[str, list[frozenset[str]]]] = {}

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
            slices = (device.slice,) if self._behaviour.has("counters_by_slice") else pool.counted
            sets = counters_of(slices)
            left = {(s, name): value for s, counters in sets.items() for name, value in counters.items()}
            for used in self._allocated(slices):
                for counter, amount in used.charges:
                    if counter in left:
                        left[counter] -= amount
            found = self._left[key] = Left(left, any(value < 0 for value in left.values()))
        return found

    def placed(self, device: Device, pool: Pool) -> dict[str, list[frozenset[str]]]:
        """Return compatibility groups that admit the same devices as those of all allocated ones, by counter set."""
        key = self.key(device)
        if key not in self._placed:
            consumed = (each for used in self._allocated(pool.counted) for each in used.consumes)
            placed = grouped((each.counter_set, each.groups) for each in consumed)
            self._placed[key] = {name: _together(groups) for name, groups in placed.items()}
        return self._placed[key]

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
        self._placed: dict[tuple[object, str], list[frozenset[str]]] = {}

    def take(self, device: Device, pool: Pool) -> bool:
        """Charge a device, and place it on its counter sets.

        False, and nothing charged, where a counter does not suffice, or the compatibility groups do not let it in.
        """
        left, overdrawn = self._ledger.left(device, pool)
        key = self._ledger.key(device)
        if overdrawn:
            return False
        sets = device.consumes if self._groups else ()
        before = self._ledger.placed(device, pool) if self._groups else {}
        for each in sets:
            there = [*before.get(each.counter_set, ()), *self._placed.get((key, each.counter_set), ())]
            if not _admits(there, each.groups):
                return False
        for each in sets:
            self._placed.setdefault((key, each.counter_set), []).append(each.groups)
        used = self._used.setdefault(key, {})
        for counter, amount in device.charges:
            used[counter] = used.get(counter, 0) + amount
        if any(counter in left and used[counter] > left[counter] for counter, _ in device.charges):
            self.give_back(device, charged=True)
            return False
        return True

    def give_back(self, device: Device, *, charged: bool) -> None:
        """Take the charge of a device back; do nothing for a device that was not charged."""
        if not charged:
            return
        key = self._ledger.key(device)
        for counter, amount in device.charges:
            self._used[key][counter] -= amount
        for each in device.consumes if self._groups else ():
            self._placed[key, each.counter_set].pop()


def _together(placed: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Return one or two sets of groups that admit the same devices as all of them, which may be thousands."""
    common = placed[0].intersection(*placed)
    return [common] if common or not any(placed) else [common, next(filter(None, placed))]


def _admits(placed: Sequence[frozenset[str]], groups: frozenset[str]) -> bool:
    """Say whether a device with these compatibility groups may join those of a counter set.

    All of them have a group in common, or none of them has groups.
    """
    if not groups:
        return not any(placed)
    return bool(groups.intersection(*placed))
