"""Devices out of ResourceSlices in YAML or JSON files, for trying expressions out.

The one module of the package that knows Kubernetes objects. What cannot be read is left out, never a reason to stop.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dralint.cel.eval.machine import Device
from dralint.cel.values.literals import parse_semver
from dralint.cel.values.values import QuantityValue
from dralint.kubernetes.quantity import parse_quantity
from dralint.yaml import number_text, read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dralint.yaml import Path as FieldPath


LARGEST_FILE: Final = 128 * 1024 * 1024
"""Bytes of a file that are still read, as many as of a manifest."""
_AT_ONCE: Final = 1024 * 1024


class SlicesError(ValueError):
    """There is no device to be had: no file can be read, or none has a ResourceSlice with devices."""


class SkippedDocument(NamedTuple):
    """A device, document or file that was left out, where it stands, and why. Lines count from 1, in the file."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class DeviceError(ValueError):
    """A device cannot be read; `path` is the value to blame, from the device on."""

    def __init__(self, message: str, *path: str) -> None:
        super().__init__(message)
        self.path = path


def read_devices(path: Path) -> tuple[list[Device], list[SkippedDocument]]:
    """Return the devices of all ResourceSlices in a file, or in the YAML and JSON files below a directory.

    What cannot be read is left out and returned besides. SlicesError where no device is left and nothing was left out,
    or where the file itself cannot be read.
    """
    whole = path.is_dir()
    files = [path]
    if whole:
        # Pipes and devices that have such a name might never end.
        files = sorted(p for p in path.rglob("*") if p.suffix in (".yaml", ".yml", ".json") and p.is_file())
    elif path.is_char_device():
        msg = f"{path} is a device of the system, no file"
        raise SlicesError(msg)
    devices: list[Device] = []
    skipped: list[SkippedDocument] = []
    for file in files:
        try:
            raw = _read(file)
        except OSError as error:
            message = f"cannot read the file: {error.strerror}"
            if not whole:
                msg = f"cannot read {file}: {error.strerror}"
                raise SlicesError(msg) from None
            skipped.append(SkippedDocument(str(file), 1, message))
            continue
        for document in read(raw):
            if document.state == "unreadable":
                line, message = document.fault
                skipped.append(SkippedDocument(str(file), line, f"the document is left out: {message}"))
                continue
            for at, outcome in _devices(document.data, ()):
                if isinstance(outcome, Device):
                    devices.append(outcome)
                    continue
                line = document.span((*at, *outcome.path)).line
                skipped.append(SkippedDocument(str(file), line, str(outcome)))
    if not devices and not skipped:
        msg = f"{path} has no ResourceSlice with devices"
        raise SlicesError(msg)
    return devices, skipped


def _read(path: Path) -> bytes:
    """Return the bytes of a file; OSError where it cannot be read, or has more than `LARGEST_FILE`."""
    parts: list[bytes] = []
    left = LARGEST_FILE if path.stat().st_size <= LARGEST_FILE else -1
    with path.open("rb") as file:
        while left >= 0 and (part := file.read(_AT_ONCE)):
            parts.append(part)
            left -= len(part)
    if left < 0:
        raise OSError(errno.EFBIG, f"it has more than {LARGEST_FILE >> 20} MiB; split it into several files")
    return b"".join(parts)


def _devices(data: Any, at: FieldPath) -> Iterator[tuple[FieldPath, Device | DeviceError]]:
    """Yield the path of each device, and the device or why there is none."""
    if not isinstance(data, dict):
        return
    items = data.get("items")
    if isinstance(items, list):
        for position, item in enumerate(items):
            if isinstance(item, dict) and "items" not in item:
                yield from _devices({"kind": "ResourceSlice", **item}, (*at, "items", position))
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


def device_of(entry: dict[str, Any], spec: dict[str, Any]) -> Device:
    """Return a device of a slice, from its entry and the spec of the slice; DeviceError where it has no sense."""
    basic = entry.get("basic")
    inner = ("basic",) if isinstance(basic, dict) else ()
    body = basic if isinstance(basic, dict) else entry
    name = str(entry.get("name", ""))
    values: dict[str, dict[str, Any]] = {"attributes": {}, "capacity": {}}
    for field, convert in (("attributes", _attribute), ("capacity", _capacity)):
        one = field.removesuffix("s")
        for key, value in _entries(body, field):
            try:
                values[field][str(key)] = convert(value)
            except ValueError as error:
                msg = f"the device {name[:80]!r} is left out: its {one} {str(key)[:80]!r} {error}"
                raise DeviceError(msg, *inner, field, key) from None
    pool = spec.get("pool")
    return Device(
        driver=str(spec.get("driver", "")),
        attributes=values["attributes"],
        capacity=values["capacity"],
        allow_multiple_allocations=body.get("allowMultipleAllocations") is True,
        name=name,
        pool=str(pool.get("name", "")) if isinstance(pool, dict) else "",
    )


def _entries(body: dict[str, Any], key: str) -> list[tuple[str, Any]]:
    value = body.get(key)
    return list(value.items()) if isinstance(value, dict) else []


_KINDS = {"bool": bool, "int": int, "string": str, "version": str}


def _attribute(value: Any) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        ((kind, inner),) = value.items()
        many = kind in ("bools", "ints", "strings", "versions")
        items = inner if many and isinstance(inner, list) else [inner]
        wanted = _KINDS.get(kind.removesuffix("s") if many else kind)
        if wanted is not None and all(type(item) is wanted for item in items):
            if kind.startswith("version"):
                items = [_version(item) for item in items]
            return items if many else items[0]
    msg = "needs one value, of the type that its key says: bool, int, string or version"
    raise ValueError(msg)


def _version(text: str) -> Any:
    try:
        return parse_semver(text)
    except ValueError as error:
        msg = f'"{text[:60]}" {error}'
        raise ValueError(msg) from None


def _capacity(value: Any) -> Any:
    amount = value.get("value") if isinstance(value, dict) else value
    if isinstance(amount, bool) or not isinstance(amount, str | int | float):
        msg = "needs a value: a quantity such as 40Gi"
        raise ValueError(msg)
    text = number_text(amount) if isinstance(amount, int | float) else amount
    try:
        return QuantityValue(parse_quantity(text))
    except ValueError as error:
        msg = f'"{text[:60]}" {error}'
        raise ValueError(msg) from None
