"""The page of each driver as Markdown, from its pack; `drivers/generate.py` writes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_REPOSITORY = re.compile(r"^[\w-]+/[\w.-]*\w")
"""The repository at the beginning of the source of a pack."""
_LIMITS = (
    ("required", "required"),
    ("min", "at least {}"),
    ("max", "at most {}"),
    ("format", "{}"),
    ("gate", "gate {}"),
)


def index(packs: Mapping[str, dict[str, Any]]) -> str:
    """Return the list of the drivers."""
    lines = [
        "# Drivers",
        "",
        "What dralint knows of drivers: their devices, attributes, classes and parameters, by version.",
    ]
    lines += ["[Driver packs](../docs/drivers.md) describes what it does with this.", ""]
    lines += ["| driver | vendor | versions | parameters |", "|---|---|---|---|"]
    for driver, pack in packs.items():
        kinds = ", ".join(kind["kind"] for kind in pack.get("parameters", {}).get("kinds", ()))
        versions = pack["versions"]
        span = versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"
        lines.append(f"| [{driver}]({driver}.md) | {pack.get('vendor', '')} | {span} | {kinds} |")
    return "\n".join(
        [*lines, "", "<!-- `python drivers/generate.py` writes this page and the pages of the drivers. -->", ""]
    )


def page(pack: dict[str, Any]) -> str:
    """Return the page of a driver."""
    return "\n".join(_lines(pack)) + "\n"


def _lines(pack: dict[str, Any]) -> Iterator[str]:
    driver = pack["driver"]
    yield from (f"# {driver}", "")
    source = _REPOSITORY.sub(r"[\g<0>](https://github.com/\g<0>)", pack.get("source", ""), count=1)
    facts = {"vendor": pack.get("vendor"), "source": source, "versions": ", ".join(pack["versions"])}
    facts |= {"not released": ", ".join(pack.get("unreleased", ())), "read": pack.get("read")}
    yield from _table(("", ""), ((name, text) for name, text in facts.items() if text))
    sections = (
        ("Kinds of devices", ("kind", "selected by", "versions"), _kinds(pack)),
        ("Attributes", ("attribute", "type", "devices", "values", "versions"), _attributes(pack)),
        ("Capacities", ("capacity", "devices", "examples", "versions"), _capacities(pack)),
        ("Classes", ("class", "selector", "extended resource", "versions"), _classes(pack)),
        ("Feature gates", ("gate", "default", "versions"), _gates(pack)),
        ("Known faults", ("fault", "proven", "source", "versions"), _faults(pack)),
    )
    for title, head, rows in sections:
        found = list(rows)
        if found:
            yield from ("", f"## {title}", "")
            yield from _table(head, found)
    rules = pack.get("parameters")
    if rules is not None:
        yield from ("", "## Parameters", "")
        yield from _parameters(rules)
    for row in pack.get("makes", ()):
        yield from (
            "",
            f"The driver makes a ResourceClaimTemplate from each {row['kind']}. Its name is in `{row['template']}`.",
        )


def _table(head: tuple[str, ...], rows: Any) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |"


def _span(entry: dict[str, Any]) -> str:
    since, until = entry.get("since"), entry.get("until")
    words = [f"since {since}"] if isinstance(since, str) else []
    words += [f"up to {until}"] if isinstance(until, str) else []
    words += [f"gate {entry['gate']}"] if "gate" in entry else []
    return ", ".join(words)


def _code(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{text}`" if text else '`""`'


def _plain(value: Any) -> Any:
    return value["value"] if isinstance(value, dict) else value


def _kinds(pack: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for kind, row in pack.get("kinds", {}).items():
        where = ", ".join(f"`{name}` is {_code(value)}" for name, value in row.get("where", {}).items())
        yield kind, where, _span(row)


def _attributes(pack: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for row in pack.get("attributes", ()):
        name = row["name"] if "/" in row["name"] else f"{pack['driver']}/{row['name']}"
        values = [_code(_plain(value)) for value in row.get("values", ())]
        shown = f"{'only' if row.get('closed') else 'for example'} {', '.join(values)}" if values else ""
        if not values and "examples" in row:
            shown = f"for example {', '.join(map(_code, row['examples']))}"
        yield f"`{name}`", row["type"], ", ".join(row.get("kinds", ())), shown, _span(row)


def _capacities(pack: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for row in pack.get("capacities", ()):
        name = row["name"] if "/" in row["name"] else f"{pack['driver']}/{row['name']}"
        yield f"`{name}`", ", ".join(row.get("kinds", ())), ", ".join(map(_code, row.get("examples", ()))), _span(row)


def _classes(pack: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for row in pack.get("classes", ()):
        extended = row.get("extendedResource")
        named = (
            ""
            if extended is None
            else f"{_code(_plain(extended))} {_span(extended) if isinstance(extended, dict) else ''}"
        )
        yield f"`{row['name']}`", _code(row["cel"]) if "cel" in row else "", named.strip(), _span(row)


def _faults(pack: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for row in pack.get("faults", ()):
        yield row["effect"], "yes" if row.get("proven") else "", _linked(row["issue"]), _span(row)


def _linked(issue: str) -> str:
    """Return issues and changes as `OWNER/REPOSITORY#NUMBER`, each with its link."""
    return re.sub(r"([\w-]+/[\w.-]+)#(\d+)", r"[\g<0>](https://github.com/\1/issues/\2)", issue)


def _gates(pack: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for gate, row in pack.get("gates", {}).items():
        yield gate, "on" if row["default"] else "off", _span(row)


def _parameters(rules: dict[str, Any]) -> Iterator[str]:
    if rules.get("ignored"):
        yield "The driver never reads parameters."
        return
    if "since" in rules:
        yield from (f"The driver reads parameters since {rules['since']}.", "")
    strict = rules.get("strict")
    if isinstance(strict, dict):
        yield from (f"The driver refuses unknown fields since {strict['since']}; before, it ignores them.", "")
    else:
        yield from (f"The driver {'refuses' if strict else 'ignores'} unknown fields.", "")
    for kind in rules.get("kinds", ()):
        span = _span(kind)
        yield f"- apiVersion `{rules['apiVersion']}`, kind `{kind['kind']}`{f' ({span})' if span else ''}"
        yield from _fields(kind["fields"], "  ")
    yield from _fields(rules.get("fields", {}), "")


def _fields(fields: dict[str, Any], indent: str) -> Iterator[str]:
    for name, field in fields.items():
        parts = [field["type"]]
        for key, words in _LIMITS:
            value = field.get(key)
            if value is not None and value is not False and not isinstance(value, dict):
                parts.append(words.format(value))
        parts += [" or ".join(_code(_plain(value)) for value in field["enum"])] if "enum" in field else []
        span = _span({key: field[key] for key in ("since", "until") if key in field})
        yield f"{indent}- `{name}`: {'; '.join([*parts, *([span] if span else [])])}"
        inner = field.get("fields") or field.get("items", {}).get("fields") or {}
        yield from _fields(inner, indent + "  ")
