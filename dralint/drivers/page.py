"""A pack as text for people: what selectors can use, and the parameters."""

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
    yield from (entry_line(entry, driver) for entry in said.get(key, ()))


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


def _classes(said: dict[str, Any]) -> Iterator[str]:
    yield from (class_line(row) for row in said.get("classes", ()))


def class_line(row: dict[str, Any]) -> str:
    """Return the line of a class."""
    name = row.get("extendedResource")
    name = name["value"] if isinstance(name, dict) else name
    return f"{row['name']}{f' (extended resource {name})' if name else ''}" + (
        f": {row['cel']}" if "cel" in row else ""
    )


def _gates(said: dict[str, Any]) -> Iterator[str]:
    yield from (gate_line(gate, row) for gate, row in said.get("gates", {}).items())


def gate_line(gate: str, row: dict[str, Any]) -> str:
    """Return the line of a feature gate of the driver."""
    return f"{gate}: {'on' if row['default'] else 'off'} by default"


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
        yield f"{name}: {'; '.join(parts)}"
        inner = field.get("fields") or field.get("items", {}).get("fields") or {}
        yield from (f"  {line}" for line in field_lines(inner))
