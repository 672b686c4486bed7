"""Reads devices from ResourceSlices in YAML or JSON files, to try expressions on them.

Apart from `device_values`, only this module of the package knows Kubernetes objects. It skips what it cannot read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.cel.device_values import DeviceError, values_of
from dralint.cel.machine import Device
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from dralint.yaml import Path as FieldPath


class SlicesError(ValueError):
    """There are no devices: no file can be read, or none has a ResourceSlice with devices."""


class SkippedDocument(NamedTuple):
    """A skipped device, document or file, its place, and the reason. Lines count from 1, in the file."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


def read_devices(path: Path, read_file: Callable[[Path], bytes]) -> tuple[list[Device], list[SkippedDocument]]:
    """Return the devices of all ResourceSlices in a file, or in the YAML and JSON files below a directory.

    `read_file` returns the bytes of a file, OSError where it cannot be read. What cannot be read is skipped, and
    returned as the second value. SlicesError where there is no device and nothing was skipped, or where the file itself
    cannot be read.
    """
    whole = path.is_dir()
    files = [path]
    if whole:
        # Pipes and devices that have such a name might never end.
        files = sorted(p for p in path.rglob("*") if p.suffix in (".yaml", ".yml", ".json") and p.is_file())
    elif path.is_char_device():
        raise SlicesError(f"{path} is a device of the system, no file")
    devices: list[Device] = []
    skipped: list[SkippedDocument] = []
    for file in files:
        try:
            raw = read_file(file)
        except OSError as error:
            message = f"cannot read the file: {error.strerror}"
            if not whole:
                raise SlicesError(f"cannot read {file}: {error.strerror}") from None
            skipped.append(SkippedDocument(str(file), 1, message))
            continue
        for document in read(raw):
            if document.state == "unreadable":
                line, message = document.fault
                skipped.append(SkippedDocument(str(file), line, f"the document is left out: {message}"))
                continue
            for at, outcome in devices_of(document.data):
                if isinstance(outcome, Device):
                    devices.append(outcome)
                    continue
                line = document.span((*at, *outcome.path)).line
                skipped.append(SkippedDocument(str(file), line, str(outcome)))
    if not devices and not skipped:
        raise SlicesError(f"{path} has no ResourceSlice with devices")
    return devices, skipped


def devices_of(data: Any, at: FieldPath = ()) -> Iterator[tuple[FieldPath, Device | DeviceError]]:
    """Yield the path of each device, and the device or why there is none."""
    if not isinstance(data, dict):
        return
    items = data.get("items")
    if isinstance(items, list):
        for position, item in enumerate(items):
            if isinstance(item, dict) and "items" not in item:
                yield from devices_of({"kind": "ResourceSlice", **item}, (*at, "items", position))
        return
    spec = data.get("spec")
    if data.get("kind") != "ResourceSlice" or not isinstance(spec, dict):
        return
    devices = spec.get("devices")
    for position, entry in enumerate(devices if isinstance(devices, list) else ()):
        if isinstance(entry, dict):
            where = (*at, "spec", "devices", position)
            try:
                yield where, device_of(entry, spec)
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
