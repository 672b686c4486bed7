"""Makes a pack from what a cluster publishes: the devices in the slices of a driver, and its classes."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

from dralint.cel.eval.device_values import DeviceError
from dralint.cel.eval.devices import device_of
from dralint.drivers.devices import type_of
from dralint.manifest.objects import objects_of
from dralint.references.collect import facts_of
from dralint.references.drivers import drivers_of_class
from dralint.references.facts import Class

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.cel.eval.machine import Device

_HEADER = """\
# A driver pack of dralint, made of what a cluster publishes. Before you use it:
# - write the version of the driver, and add its other versions;
# - check which attributes each device has (`always`), and which have no other values (`closed: true`);
# - add `parameters`, if the driver reads any.
"""
_MOST_EXAMPLES = 5
_MOST_KINDS = 8
_IDENTIFIER = re.compile(r"(?i)uuid|serial|mac|guid|busid|address|pcieroot|\bid\b")


def packs(files: Iterable[bytes], version: str) -> dict[str, str]:
    """Return a pack as YAML for each driver that has devices in the files of an inventory."""
    devices: dict[str, list[Device]] = {}
    classes: dict[str, dict[str, dict[str, str]]] = {}
    for raw in files:
        for document, item in objects_of(raw):
            spec = item.data.get("spec")
            if item.kind == "ResourceSlice" and isinstance(spec, dict):
                for device in _devices(spec):
                    devices.setdefault(device.driver, []).append(device)
            found = facts_of(item, "", document.index)
            if found is not None and isinstance(found.body, Class) and found.name is not None:
                for driver in drivers_of_class(found.body) or ():
                    cel = " && ".join(f"({s.expression})" for s in found.body.selectors)
                    one = found.body.selectors[0].expression if len(found.body.selectors) == 1 else cel
                    row = {"name": found.name, "cel": one}
                    if found.body.extended is not None:
                        row["extendedResource"] = found.body.extended
                    classes.setdefault(str(driver), {})[found.name] = row
    return {
        driver: _text(_pack(driver, several, classes.get(driver, {}), version)) for driver, several in devices.items()
    }


def _devices(spec: dict[str, Any]) -> list[Device]:
    entries = spec.get("devices")
    out = []
    for entry in entries if isinstance(entries, list) else ():
        try:
            out.append(device_of(entry, spec))
        except (DeviceError, AttributeError):
            continue
    return out


def _pack(driver: str, devices: list[Device], classes: dict[str, dict[str, str]], version: str) -> dict[str, Any]:
    pack: dict[str, Any] = {"pack": 1, "driver": driver, "versions": [version]}
    kinds = _kinds(driver, devices)
    if len(kinds) > 1:
        pack["kinds"] = {kind: {"where": {f"{driver}/type": kind}} for kind in kinds}
    pack["attributes"] = _rows(
        [(device.attributes, kind) for kind, several in kinds.items() for device in several], kinds
    )
    capacities = _rows([(device.capacity, kind) for kind, several in kinds.items() for device in several], kinds)
    if capacities:
        pack["capacities"] = [{k: v for k, v in row.items() if k not in ("type", "examples")} for row in capacities]
    if classes:
        pack["classes"] = [row for _, row in sorted(classes.items())]
    return pack


def _kinds(driver: str, devices: list[Device]) -> dict[str, list[Device]]:
    """Return the devices by the value of their attribute `type`, if it has few values."""
    out: dict[str, list[Device]] = {}
    for device in devices:
        value = device.attributes.get("type", device.attributes.get(f"{driver}/type"))
        out.setdefault(value if isinstance(value, str) else "", []).append(device)
    return {"": devices} if "" in out or len(out) > _MOST_KINDS else out


def _rows(several: list[tuple[dict[str, Any], str]], kinds: dict[str, list[Device]]) -> list[dict[str, Any]]:
    names = dict.fromkeys(name for values, _ in several for name in values)
    rows: list[dict[str, Any]] = []
    for name in names:
        there = [(values[name], kind) for values, kind in several if name in values]
        found = list(dict.fromkeys(kind for _, kind in there))
        types = sorted({type_of(value) for value, _ in there})
        row: dict[str, Any] = {"name": name, "type": {"list": "list of string"}.get(types[0], types[0])}
        if len(found) < len(kinds):
            row["kinds"] = found
        if len(there) == sum(len(kinds[kind]) for kind in found):
            row["always"] = True
        examples = list(dict.fromkeys(value for value, _ in there if isinstance(value, str | int)))
        identifies = len(there) > 1 and len(examples) == len(there)
        if examples and types[0] in ("string", "int") and not identifies and not _IDENTIFIER.search(name):
            row["examples"] = examples[:_MOST_EXAMPLES]
        rows.append(row)
    return rows


def _text(pack: dict[str, Any]) -> str:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.default_flow_style = None
    yaml.width = 160
    out = io.StringIO()
    yaml.dump(pack, out)
    return _HEADER + out.getvalue()
