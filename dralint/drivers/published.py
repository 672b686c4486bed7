"""Compares devices in published slices with a pack: another program can use the same driver name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.cel.eval.device_values import DeviceError, values_of
from dralint.drivers.devices import ATTRIBUTES, CAPACITY, full_name, type_of
from dralint.drivers.patterns import is_all_of
from dralint.finding.path import at
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.drivers.devices import Name
    from dralint.drivers.pack import Pack
    from dralint.yaml import Path


def contradiction(pack: Pack, data: dict[str, Any]) -> tuple[Path, str] | None:
    """Return the first value in a ResourceSlice that no version of the driver publishes, with the problem."""
    spec = data.get("spec")
    devices = spec.get("devices") if isinstance(spec, dict) else None
    for number, entry in enumerate(devices if isinstance(devices, list) else ()):
        if not isinstance(entry, dict):
            continue
        try:
            _, attributes, capacity = values_of(entry)
        except DeviceError:
            continue
        inner = ("basic",) if isinstance(entry.get("basic"), dict) else ()
        for which, values in ((ATTRIBUTES, attributes), (CAPACITY, capacity)):
            for text, value in values.items():
                wrong = _wrong(pack, full_name(which, pack.driver, text), value)
                if wrong is not None:
                    return ("spec", "devices", number, *inner, which, text), wrong
    return None


class DevicePart(NamedTuple):
    """A device that is a part of another one: the path of the value that shows this, and the number of the whole."""

    path: Path
    name: str
    whole: str
    number: int


def uncounted(pack: Pack, data: dict[str, Any]) -> Iterator[DevicePart]:
    """Yield the devices of a ResourceSlice that are parts of another one in it without a shared counter."""
    for row, _, _ in pack.entries("attributes"):
        if "parent" not in row:
            continue
        several = list(_devices(data))
        wholes = {
            value: (number, entry)
            for number, _, entry in reversed(several)
            for value, _ in _values(pack, entry, row["parent"])
        }
        for number, path, entry in several:
            for value, text in _values(pack, entry, row["name"]):
                whole, other = wholes.get(value, (number, entry))
                if whole != number and _counter_sets(entry).isdisjoint(_counter_sets(other)):
                    name, of = (str(at(data, ("spec", "devices", each, "name"))) for each in (number, whole))
                    yield DevicePart((*path, ATTRIBUTES, text), name, of, whole)


def _devices(data: dict[str, Any]) -> Iterator[tuple[int, Path, dict[str, Any]]]:
    """Yield the data of each device in a ResourceSlice, with its number and path."""
    several = at(data, ("spec", "devices"))
    for number, entry in enumerate(several if isinstance(several, list) else ()):
        if isinstance(entry, dict):
            inner = entry.get("basic")
            path: Path = ("spec", "devices", number)
            yield (number, (*path, "basic"), inner) if isinstance(inner, dict) else (number, path, entry)


def _values(pack: Pack, entry: dict[str, Any], name: str) -> Iterator[tuple[str, str]]:
    """Yield the text that a device has for an attribute of the driver, and the attribute as the slice writes it."""
    for text in (name, f"{pack.driver}/{name}"):
        value = at(entry, (ATTRIBUTES, text, "string"))
        if isinstance(value, str) and value:
            yield value, text


def _counter_sets(entry: dict[str, Any]) -> set[str]:
    """Return the names of the counter sets whose counters a device consumes."""
    several = entry.get("consumesCounters")
    found = (at(each, ("counterSet",)) for each in several if isinstance(several, list)) if several else ()
    return {name for name in found if isinstance(name, str)}


def _wrong(pack: Pack, name: Name, value: object) -> str | None:
    rows = list(_rows(pack, name))
    if name.domain != pack.driver:
        return None  # a standard attribute, or one of another domain
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
            "names" in entry and name.domain == pack.driver and is_all_of(entry["names"], name.name)
        ):
            yield entry
