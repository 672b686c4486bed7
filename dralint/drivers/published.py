"""Whether devices in published slices are those of a pack: another program can use the same driver name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dralint.cel.eval.devices import DeviceError, device_of
from dralint.drivers.devices import ATTRIBUTES, CAPACITY, full_name, type_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.drivers.devices import Name
    from dralint.drivers.pack import Pack
    from dralint.yaml import Path


def contradiction(pack: Pack, data: dict[str, Any]) -> tuple[Path, str] | None:
    """Return the first value in a ResourceSlice that no version of the driver publishes, with what is wrong with it."""
    spec = data.get("spec")
    devices = spec.get("devices") if isinstance(spec, dict) else None
    for number, entry in enumerate(devices if isinstance(devices, list) else ()):
        if not isinstance(entry, dict):
            continue
        try:
            device = device_of(entry, spec if isinstance(spec, dict) else {})
        except DeviceError:
            continue
        inner = ("basic",) if isinstance(entry.get("basic"), dict) else ()
        for which, values in ((ATTRIBUTES, device.attributes), (CAPACITY, device.capacity)):
            for text, value in values.items():
                wrong = _wrong(pack, full_name(which, pack.driver, text), value)
                if wrong is not None:
                    return ("spec", "devices", number, *inner, which, text), wrong
    return None


def _wrong(pack: Pack, name: Name, value: object) -> str | None:
    rows = list(_rows(pack, name))
    if name.domain != pack.driver:
        return None  # a standard attribute, or one of others
    if not rows:
        if name.which == ATTRIBUTES and pack.data.get("userAttributes"):
            return None
        noun = "attribute" if name.which == ATTRIBUTES else "capacity"
        return f"no version of the driver publishes the {noun} {name.name}"
    types = {"quantity"} if name.which == CAPACITY else {row["type"].partition(" of ")[0] for row in rows}
    if type_of(value) not in types:
        return f"{name.name} is a {type_of(value)} here, and the driver publishes a {' or '.join(sorted(types))}"
    return None


def _rows(pack: Pack, name: Name) -> Iterator[dict[str, Any]]:
    for entry, _, _ in pack.entries("attributes" if name.which == ATTRIBUTES else "capacities"):
        if full_name(name.which, pack.driver, entry["name"]) == name or (
            "names" in entry and name.domain == pack.driver and re.fullmatch(entry["names"], name.name)
        ):
            yield entry
