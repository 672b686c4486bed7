"""Packs as files: reads and checks them, makes one from what a cluster publishes, and shows one."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.cel.device_values import shown
from dralint.cel.machine import Device, devices_of
from dralint.drivers.devices import type_of
from dralint.drivers.pack import Pack, mistake, shipped
from dralint.drivers.shipped import DRIVERS
from dralint.kubernetes.near import closest
from dralint.manifest.objects import objects_of
from dralint.records import grouped
from dralint.references.collect import facts_of
from dralint.references.facts import Class
from dralint.references.selectors import drivers_of_class
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.yaml import Document, Path


_BY_NAME = ("attributes", "capacities", "classes", "renamed")
_OF_DEVICES = ("versions", "unreleased", "gates", "kinds", "attributes", "capacities", "userAttributes", "parameters")
"""The parts that a pack gets from the pack of another driver; charts, images and classes belong to that driver."""


def extended(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return the pack that `own` makes of `base`; for another driver, the names of devices are in its domain."""
    found = dict(base)
    if own["driver"] != base["driver"]:
        text = json.dumps({key: base[key] for key in _OF_DEVICES if key in base})
        found = json.loads(text.replace(f'"{base["driver"]}/', f'"{own["driver"]}/'))
    for key, value in own.items():
        there = found.get(key)
        if key == "extends":
            continue
        if key == "versions" and there is not None:
            found[key] = [*there, *(version for version in value if version not in there)]
        elif key in _BY_NAME and there is not None:
            found[key] = _merged(there, value, "name")
        elif key in ("gates", "kinds") and there is not None:
            found[key] = {**there, **value}
        elif key == "parameters" and there is not None:
            found[key] = {**there, **value}
            if "kinds" in there and "kinds" in value:
                found[key]["kinds"] = _merged(there["kinds"], value["kinds"], "kind")
        else:
            found[key] = value
    return found


def _merged(base: list[dict[str, Any]], own: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """Return the entries of both lists; an entry replaces those of the same name."""
    names = {entry[key] for entry in own}
    return [*(entry for entry in base if entry[key] not in names), *own]


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
            for _, device in devices_of(item.data) if item.kind == "ResourceSlice" else ():
                if isinstance(device, Device):
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
    types = ((each.attributes.get("type", each.attributes.get(f"{driver}/type")), each) for each in devices)
    out = grouped((value if isinstance(value, str) else "", device) for value, device in types)
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


LARGEST = 4 << 20
"""The largest pack that is read, in bytes."""


class PackMistake(NamedTuple):
    """A mistake in a pack, with the line of its file."""

    line: int
    text: str


class PackError(ValueError):
    """A file that is not a valid pack; the message has the mistake and its line."""


def read_pack(raw: bytes) -> dict[str, Any]:
    """Return the pack of a file.

    Raises:
        PackError: the file is not a valid pack.
    """
    wrong = mistakes(raw)
    if wrong:
        raise PackError(f"line {wrong[0].line}: {wrong[0].text}")
    found: Any = _documents(raw)[0].data
    return _whole(found)


def _whole(data: dict[str, Any]) -> dict[str, Any]:
    """Return a pack with the parts of the one that it extends."""
    base = shipped(str(data.get("extends")))
    return dict(data) if base is None else extended(base.data, data)


def load(file: str) -> Pack:
    """Return the pack of a file that was checked before. Raises PackError or OSError where it has changed since."""
    return Pack(read_pack(FilePath(file).read_bytes()))


def _documents(raw: bytes) -> list[Document]:
    return [document for document in read(raw) if document.state != "empty"]


def mistakes(raw: bytes) -> list[PackMistake]:
    """Return the mistakes in a file as a pack, by line."""
    if len(raw) > LARGEST:
        return [PackMistake(1, f"the file is larger than {LARGEST >> 20} MiB")]
    documents = _documents(raw)
    if len(documents) != 1:
        return [PackMistake(1, "a pack is one YAML document, and the file has " + ("several" if documents else "none"))]
    document = documents[0]
    if document.problems:
        return [PackMistake(problem.span.line, problem.message) for problem in document.problems]
    if document.state != "read" or not isinstance(document.data, dict):
        return [PackMistake(1, document.reason or "a pack is a mapping")]
    extends = document.data.get("extends", "")
    if isinstance(extends, str) and extends and extends not in DRIVERS:
        tip = closest(extends, DRIVERS) or "`dralint pack show` lists the drivers"
        return [_mistake(document, ("extends",), f"dralint has no pack of {extends!r}; {tip}")]
    found = list(_against_schema(document)) or list(_beyond_schema(document))
    return sorted(found, key=lambda mistake: mistake.line)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of packs."""
    found: dict[str, Any] = json.loads((FilePath(__file__).parent / "pack.schema.json").read_bytes())
    return found


def _against_schema(document: Document) -> Iterator[PackMistake]:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    for error in Draft202012Validator(schema()).iter_errors(_filled(document.data)):
        inner = best_match([error]) or error
        yield _mistake(document, tuple(inner.absolute_path), inner.message[:200])


def _filled(data: Any) -> dict[str, Any]:
    """Return a pack with the required keys that the extended pack has."""
    base = shipped(str(data.get("extends")))
    if base is None:
        return dict(data)
    filled = {"versions": base.versions, **data}
    if isinstance(data.get("parameters"), dict):
        filled["parameters"] = {**base.data.get("parameters", {}), **data["parameters"]}
    return filled


def _beyond_schema(document: Document) -> Iterator[PackMistake]:
    """Yield names that do not exist: of versions, kinds of devices and gates."""
    data: Any = document.data
    whole = _whole(data)
    known = {
        "since": whole["versions"],
        "until": whole["versions"],
        "unreleased": whole["versions"],
        "kinds": list(whole.get("kinds", {})),
        "devices": list(whole.get("kinds", {})),
        "gate": list(whole.get("gates", {})),
    }
    what = {"kinds": "kind of device", "devices": "kind of device", "gate": "feature gate"}
    for path, key, value in _named(data, ()):
        for name in value if isinstance(value, list) else [value]:
            if key in known and isinstance(name, str) and name not in known[key]:
                tip = closest(name, known[key]) or f"it has {', '.join(known[key]) or 'none'}"
                yield _mistake(document, path, f"the pack has no {what.get(key, 'version')} {name!r}; {tip}")
    for section in ("attributes", "capacities"):
        for number, row in enumerate(data.get(section, ())):
            for key in ("names", "pattern"):
                if key in row and (wrong := mistake(row[key])) is not None:
                    yield _mistake(document, (section, number, key), wrong)
    for number, row in enumerate(data.get("faults", ())):
        for name, pattern in row["trigger"].get("selects", {}).items():
            if (wrong := mistake(pattern)) is not None:
                yield _mistake(document, ("faults", number, "trigger", "selects", name), wrong)


def _named(value: Any, path: Path) -> Iterator[tuple[Path, str, Any]]:
    """Yield the values of all keys that are a text or a list, except for names of fields of parameters."""
    if isinstance(value, dict):
        for key, each in value.items():
            if path[-1:] != ("fields",) and (isinstance(each, str) or (isinstance(each, list) and key != "versions")):
                yield (*path, key), key, each
            yield from _named(each, (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _named(each, (*path, number))


def _mistake(document: Document, path: Path, text: str) -> PackMistake:
    place = ".".join(map(str, path))
    return PackMistake(document.span(path).line, f"{place}: {text}" if place else text)


_SIGNS = (
    ("required", "required"),
    ("min", "at least {}"),
    ("max", "at most {}"),
    ("format", "{}"),
    ("gate", "gate {}"),
)


def page(pack: Pack, version: str) -> Iterator[str]:
    """Yield the lines about a driver in a version."""
    said = pack.at(version)
    yield f"{pack.driver} {version}"
    yield f"versions: {', '.join(pack.versions)}"
    for title, lines in (
        ("kinds of devices", _lines_of_kinds(said)),
        ("attributes", (entry_line(entry, pack.driver) for entry in said.get("attributes", ()))),
        ("capacities", (entry_line(entry, pack.driver) for entry in said.get("capacities", ()))),
        ("classes", map(class_line, said.get("classes", ()))),
        ("feature gates", (gate_line(gate, row) for gate, row in said.get("gates", {}).items())),
        ("parameters", _parameters(said)),
        ("known faults", (f"{row['effect']} ({row['issue']})" for row in said.get("faults", ()))),
    ):
        found = list(lines)
        if found:
            yield ""
            yield f"{title}:"
            yield from (f"  {line}" for line in found)


def _lines_of_kinds(said: dict[str, Any]) -> Iterator[str]:
    for kind, row in said.get("kinds", {}).items():
        where = ", ".join(f"{name} is {value}" for name, value in row.get("where", {}).items())
        gate = f" (gate {row['gate']})" if "gate" in row else ""
        yield f"{kind}{': ' if where else ''}{where}{gate}"


def entry_line(entry: dict[str, Any], driver: str) -> str:
    """Return the line of an attribute or capacity."""
    name = entry["name"] if "/" in entry["name"] else f"{driver}/{entry['name']}"
    parts = [entry.get("type", "quantity")]
    parts += [f"of {', '.join(entry['kinds'])}"] if "kinds" in entry else []
    values = ", ".join(f'"{value}"' if value == "" else shown(value) for value in entry.get("values", ()))
    if values:
        parts.append(f"only {values}" if entry.get("closed") else f"for example {values}")
    elif "examples" in entry:
        parts.append(f"for example {', '.join(map(str, entry['examples']))}")
    return f"{name}: {'; '.join(parts)}"


def class_line(row: dict[str, Any]) -> str:
    """Return the line of a class."""
    name = row.get("extendedResource")
    name = name["value"] if isinstance(name, dict) else name
    return f"{row['name']}{f' (extended resource {name})' if name else ''}" + (
        f": {row['cel']}" if "cel" in row else ""
    )


def gate_line(gate: str, row: dict[str, Any]) -> str:
    """Return the line of a feature gate of the driver."""
    alone = f"; it excludes {', '.join(row['excludes'])}" if "excludes" in row else ""
    return f"{gate}: {'on' if row['default'] else 'off'} by default{alone}"


def _parameters(said: dict[str, Any]) -> Iterator[str]:
    rules = said.get("parameters")
    if rules is None:
        return
    if rules.get("ignored"):
        yield "the driver never reads parameters"
        return
    for row in rules.get("kinds", ()):
        yield f"apiVersion: {rules['apiVersion']}, kind: {row['kind']}"
        yield from (f"  {line}" for line in field_lines(row["fields"]))
    yield from field_lines(rules.get("fields", {}))


def field_lines(fields: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of fields of parameters."""
    for name, field in fields.items():
        parts = [field["type"]]
        parts += [
            words.format(field[key]) for key, words in _SIGNS if field.get(key) is not None and field[key] is not False
        ]
        parts += [" or ".join(map(str, field["enum"]))] if "enum" in field else []
        parts += [f"{value} needs the feature gate {gate}" for value, gate in field.get("gates", {}).items()]
        yield f"{name}: {'; '.join(parts)}"
        inner = field.get("fields") or field.get("items", {}).get("fields") or {}
        yield from (f"  {line}" for line in field_lines(inner))
