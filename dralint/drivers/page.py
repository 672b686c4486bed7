"""A pack as text for people: what there is to select on, and what the parameters are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.drivers.devices import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.drivers.pack import Pack

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
        ("kinds of devices", _kinds(said)),
        ("attributes", _entries(said, "attributes", pack.driver)),
        ("capacities", _entries(said, "capacities", pack.driver)),
        ("classes", _classes(said)),
        ("feature gates", _gates(said)),
        ("parameters", _parameters(said)),
    ):
        found = list(lines)
        if found:
            yield ""
            yield f"{title}:"
            yield from (f"  {line}" for line in found)


def _kinds(said: dict[str, Any]) -> Iterator[str]:
    for kind, row in said.get("kinds", {}).items():
        where = ", ".join(f"{name} is {value}" for name, value in row.get("where", {}).items())
        gate = f" (gate {row['gate']})" if "gate" in row else ""
        yield f"{kind}{': ' if where else ''}{where}{gate}"


def _entries(said: dict[str, Any], key: str, driver: str) -> Iterator[str]:
    for entry in said.get(key, ()):
        name = entry["name"] if "/" in entry["name"] else f"{driver}/{entry['name']}"
        parts = [entry.get("type", "quantity")]
        parts += [f"of {', '.join(entry['kinds'])}"] if "kinds" in entry else []
        values = ", ".join(f'"{value}"' if value == "" else shown(value) for value in entry.get("values", ()))
        if values:
            parts.append(f"only {values}" if entry.get("closed") else f"for example {values}")
        elif "examples" in entry:
            parts.append(f"for example {', '.join(map(str, entry['examples']))}")
        yield f"{name}: {'; '.join(parts)}"


def _classes(said: dict[str, Any]) -> Iterator[str]:
    for row in said.get("classes", ()):
        extended = f" (extended resource {row['extendedResource']})" if "extendedResource" in row else ""
        yield f"{row['name']}{extended}" + (f": {row['cel']}" if "cel" in row else "")


def _gates(said: dict[str, Any]) -> Iterator[str]:
    for gate, row in said.get("gates", {}).items():
        yield f"{gate}: {'on' if row['default'] else 'off'} by default"


def _parameters(said: dict[str, Any]) -> Iterator[str]:
    rules = said.get("parameters")
    if rules is None:
        return
    if rules.get("ignored"):
        yield "the driver never reads parameters"
        return
    for row in rules.get("kinds", ()):
        yield f"apiVersion: {rules['apiVersion']}, kind: {row['kind']}"
        yield from (f"  {line}" for line in _fields(row["fields"]))
    yield from _fields(rules.get("fields", {}))


def _fields(fields: dict[str, Any]) -> Iterator[str]:
    for name, field in fields.items():
        parts = [field["type"]]
        parts += [
            words.format(field[key]) for key, words in _SIGNS if field.get(key) is not None and field[key] is not False
        ]
        parts += [" or ".join(map(str, field["enum"]))] if "enum" in field else []
        yield f"{name}: {'; '.join(parts)}"
        inner = field.get("fields") or field.get("items", {}).get("fields") or {}
        yield from (f"  {line}" for line in _fields(inner))
