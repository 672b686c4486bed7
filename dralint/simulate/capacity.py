"""Consumable capacity: how much a request takes of a device, and whether the device has it.

Source: k8s.io/dynamic-resource-allocation/structured/internal/*/consumable_capacity.go, v1.34.4 to v1.37.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.kubernetes.quantity import as_int64, spell
from dralint.simulate.amounts import NANO, is_binary, nano, quantity, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.simulate.behaviours import Behaviour

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
    if not behaviour.fractions or nano(limits.get("step")) < _MILLI:
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
