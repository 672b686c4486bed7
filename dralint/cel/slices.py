"""Devices out of ResourceSlices in YAML or JSON files, for trying expressions out.

The one module of the package that knows Kubernetes objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.cel.evaluation import Device
from dralint.cel.literals import parse_quantity, parse_semver

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class SlicesError(ValueError):
    """A file cannot be read, or what it holds is no ResourceSlice; the text says where."""


def read_devices(path: Path) -> Iterator[Device]:
    """Yield the devices of all ResourceSlices in a file, or in the YAML and JSON files below a directory."""
    from dralint.reading import read

    files = [path]
    if path.is_dir():
        files = sorted(p for p in path.rglob("*") if p.suffix in (".yaml", ".yml", ".json"))
    found = False
    for file in files:
        try:
            raw = file.read_bytes()
        except OSError as error:
            msg = f"cannot read {file}: {error.strerror}"
            raise SlicesError(msg) from None
        for document in read(raw):
            if document.state == "unreadable":
                first = document.problems[0]
                msg = f"{file}: {first.message}"
                raise SlicesError(msg)
            for device in _devices(document.data, str(file)):
                found = True
                yield device
    if not found:
        msg = f"{path} has no ResourceSlice with devices"
        raise SlicesError(msg)


def _devices(data: Any, where: str) -> Iterator[Device]:
    if not isinstance(data, dict):
        return
    items = data.get("items")
    if isinstance(items, list):
        for item in items:
            yield from _devices({"kind": "ResourceSlice", **item} if isinstance(item, dict) else item, where)
        return
    spec = data.get("spec")
    if data.get("kind") != "ResourceSlice" or not isinstance(spec, dict):
        return
    devices = spec.get("devices")
    pool = spec.get("pool")
    for entry in devices if isinstance(devices, list) else ():
        if not isinstance(entry, dict):
            continue
        basic = entry.get("basic")
        body = basic if isinstance(basic, dict) else entry
        name = str(entry.get("name", ""))
        yield Device(
            driver=str(spec.get("driver", "")),
            attributes={
                str(k): _attribute(v, f"{where}: device {name}, attribute {k}") for k, v in _entries(body, "attributes")
            },
            capacity={
                str(k): _capacity(v, f"{where}: device {name}, capacity {k}") for k, v in _entries(body, "capacity")
            },
            allow_multiple_allocations=body.get("allowMultipleAllocations") is True,
            name=name,
            pool=str(pool.get("name", "")) if isinstance(pool, dict) else "",
        )


def _entries(body: dict[str, Any], key: str) -> list[tuple[str, Any]]:
    value = body.get(key)
    return list(value.items()) if isinstance(value, dict) else []


def _attribute(value: Any, where: str) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        ((kind, inner),) = value.items()
        many = kind in ("bools", "ints", "strings", "versions")
        items = inner if many and isinstance(inner, list) else [inner]
        wanted = {"bool": bool, "int": int, "string": str, "version": str}.get(kind.removesuffix("s") if many else kind)
        if wanted is not None and all(type(item) is wanted for item in items):
            if wanted is str and kind.startswith("version"):
                try:
                    items = [parse_semver(item) for item in items]
                except ValueError as error:
                    msg = f"{where}: {items} {error}"
                    raise SlicesError(msg) from None
            return items if many else items[0]
    msg = f"{where}: one of bool, int, string and version is expected"
    raise SlicesError(msg)


def _capacity(value: Any, where: str) -> Any:
    amount = value.get("value") if isinstance(value, dict) else value
    try:
        return parse_quantity(str(amount))
    except ValueError as error:
        msg = f'{where}: "{amount}" {error}'
        raise SlicesError(msg) from None
