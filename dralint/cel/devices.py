"""The devices of a ResourceSlice, as expressions see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.cel.device_values import DeviceError, values_of
from dralint.cel.machine import Device

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dralint.yaml import Path as FieldPath


def devices_of(slice_: dict[str, Any]) -> Iterator[tuple[FieldPath, Device | DeviceError]]:
    """Yield the path of each device of a ResourceSlice, and the device or why there is none."""
    spec = slice_.get("spec")
    devices = spec.get("devices") if isinstance(spec, dict) else None
    for position, entry in enumerate(devices if isinstance(devices, list) else ()):
        if isinstance(entry, dict):
            where = ("spec", "devices", position)
            try:
                yield where, device_of(entry, slice_["spec"])
            except DeviceError as error:
                yield where, error


def device_of(entry: Mapping[str, Any], spec: Mapping[str, Any], *, skip: bool = False) -> Device:
    """Return a device from its entry and the spec of its slice; DeviceError where it is invalid.

    `skip` leaves out the values that are invalid.
    """
    body, attributes, capacity = values_of(entry, skip=skip)
    pool = spec.get("pool")
    return Device(
        driver=str(spec.get("driver", "")),
        attributes=attributes,
        capacity=capacity,
        allow_multiple_allocations=body.get("allowMultipleAllocations") is True,
        name=str(entry.get("name", "")),
        pool=str(pool.get("name", "")) if isinstance(pool, dict) else "",
    )
