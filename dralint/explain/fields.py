"""The facts of one field: its type, limits and feature gate, by API version and release; limits on several fields."""

from __future__ import annotations

import re
import textwrap
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from dralint.finding import catalogue
from dralint.kubernetes import gates, shipped
from dralint.kubernetes.formats import FORMATS
from dralint.kubernetes.near import closest
from dralint.kubernetes.release import Release, in_range
from dralint.kubernetes.served import preference
from dralint.kubernetes.shipped import UNION, resolve
from dralint.kubernetes.types import WORKLOADS, Shape, structs, workload_types
from dralint.manifest.objects import objects_of
from dralint.report.words import release_spans

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from dralint.kubernetes.types import Struct
    from dralint.yaml import Document, Path


T = TypeVar("T")
_MOST_LINES, _FEWEST = 14, 2


def excerpt(kind: str, steps: Sequence[str], api_versions: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return an example of a field in one of the API versions, preferably one of the first; None without an example.

    It is the rule whose page has the rest, and the lines of YAML with the field in them.

    Of several examples, it is the first that has more than one line and fits on a screen.
    """
    if not steps:
        return None
    found: list[tuple[tuple[int, int], str, list[str]]] = []
    for rule in catalogue.rules().values():
        for example in rule.examples.get("good", ()):
            text = str(example.get("manifest", ""))
            if f"{steps[-1]}:" not in text or kind not in text or "encoding" in example:
                continue
            for api_version, lines in _found(text, kind, steps):
                if api_version not in api_versions or len(lines) > _MOST_LINES:
                    continue
                rank = (api_versions.index(api_version), abs(len(lines) - 2 * _FEWEST) if len(lines) > 1 else 99)
                found.append((rank, rule.id, lines))
    return min(found, key=itemgetter(0))[1:] if found else None


def _found(text: str, kind: str, steps: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    for document, item in objects_of(text.encode()):
        if item.kind == kind:
            for path in _paths(item.data, steps):
                yield item.api_version, _lines(document, text, (*item.path, *path))


def _paths(value: object, steps: Sequence[str]) -> Iterator[Path]:
    """Yield the places of a field in a value: in each item of lists, under each key of maps."""
    if isinstance(value, list):
        for position, item in enumerate(value):
            for path in _paths(item, steps):
                yield (position, *path)
    elif isinstance(value, dict) and steps:
        if steps[0] in value:
            for path in _paths(value[steps[0]], steps[1:]) if len(steps) > 1 else [()]:
                yield (steps[0], *path)
        else:
            for key, inner in value.items():
                if isinstance(inner, dict) and steps[0] in inner:
                    for path in _paths(inner, steps):
                        yield (key, *path)


def _lines(document: Document, text: str, path: Path) -> list[str]:
    """Return the lines from the key of a field to the end of its value, moved to the left."""
    key, value = document.key_span(path), document.span(path)
    lines = text.splitlines()[key.line - 1 : max(key.line, value.end_line - (value.end_column == 1))]
    if lines and key.column > 1:
        lines[0] = " " * (key.column - 1) + lines[0][key.column - 1 :]
    return textwrap.dedent("\n".join(lines)).rstrip().splitlines()


_BRACKETS = re.compile(r"\[[^\]]*\]")
_LAYERS = ("exactly", "basic", "source")
"""Fields that some API versions or releases put around what others have directly."""

_SCALARS = {
    "any": "any object",
    "boolean": "boolean",
    "int32": "integer (32 bits)",
    "int64": "integer (64 bits)",
    "number": "number",
    "quantity": "quantity",
    "string": "string",
    "time": "time (RFC 3339)",
}
_SPELLED_OUT = {
    "a DNS label": "a-z, 0-9 and -, no - at the ends, at most 63 characters",
    "a DNS subdomain": "a-z, 0-9, - and dots, at most 253 characters",
    "a driver name": "a DNS subdomain, at most 63 characters",
    "a pool name": "DNS subdomains with / between them, at most 253 characters",
    "a C identifier": "letters, digits and _, no digit first, at most 32 characters",
    "a qualified name": "NAME or DOMAIN/NAME; the domain a DNS subdomain of at most 63 characters, the name a C"
    " identifier of at most 32",
    "a fully qualified name": "DOMAIN/NAME; the domain a DNS subdomain of at most 63 characters, the name a C"
    " identifier of at most 32",
    "a label key": "NAME or DOMAIN/NAME; the name at most 63 letters, digits, -, _ and .",
    "a label value": "at most 63 letters, digits, -, _ and .",
    "a semantic version": "such as 1.2.3, at most 64 characters",
    "an extended resource": "DOMAIN/NAME, the domain not one of Kubernetes' own",
    "an address with a prefix length": "such as 192.0.2.1/24",
}
"""Title of a format → its rules."""


class UnknownFieldError(ValueError):
    """No release has such a kind or field; the text lists what exists."""


class Field(NamedTuple):
    """A field in one API version of one release.

    `owner` is the type that has it, `meaning` a sentence of dralint (None where there is none), `limits` its rows of
    the table in words, `members` the fields below it, `union` which of these exclude each other, in words.
    """

    api_version: str
    release: Release
    owner: str
    name: str
    type: str
    limits: tuple[str, ...]
    members: tuple[str, ...]
    meaning: str | None = None
    union: tuple[str, ...] = ()


def find(path: str) -> list[Field]:
    """Return the field wherever it exists, the newest release first.

    For Pods and kinds that embed them or list claims for them, only the fields that concern claims are known.

    Args:
        path: `KIND.FIELD.PATH` as a manifest has it; indices and keys in brackets are ignored.

    Raises:
        UnknownFieldError: no release has the kind, or the field in it.
    """
    kind, *steps = split(path)
    found: list[Field] = []
    nearest: tuple[int, list[str], str] = (-1, [], "")
    for release, api_version, name, types in served(kind):
        owner, shape, reached = _follow(types, name, steps)
        if reached < len(steps) or shape is None:
            if reached > nearest[0]:
                nearest = (reached, sorted(types[owner].fields) if owner else [], steps[reached] if steps else "")
            continue
        last = steps[-1] if steps else ""
        limits = tuple(_limits(types, owner, last, release))
        inner = types.get(shape.innermost.type)
        union = () if inner is None else tuple(unions(inner.name, inner.fields, release))
        members = tuple(sorted(inner.fields)) if inner is not None and shape.innermost.shape == "struct" else ()
        says = shipped.of_field(owner, last) if last else shipped.of_type(owner)
        found.append(Field(api_version, release, owner, last, type_text(shape), limits, members, says, union))
    if not found:
        raise UnknownFieldError(_unknown(kind, kinds(), steps, nearest))
    return found


def _limits(types: Mapping[str, Struct], owner: str, name: str, release: Release) -> Iterator[str]:
    """Yield the limits of a field: its own row, and what it may hold or exclude together with others."""
    yield from words(resolve(shipped.index()["limits"].get(owner, {}).get(name, {}), release) or {})
    yield from totals(owner, name, release)
    for text in unions(owner, types[owner].fields, release):
        if name in text.partition(" of ")[2].split(", "):
            yield f"{text} is set"


def elsewhere(path: str) -> list[tuple[Release, str, str]]:
    """Return the places of a field where this path does not exist, for example with or without `exactly`.

    Each has its release, API version and path.
    """
    kind, *steps = split(path)
    found: list[tuple[Release, str, str]] = []
    for release, api_version, name, types in served(kind):
        if _exists(types, name, steps):
            continue
        places = [[*steps[:at], layer, *steps[at:]] for layer in _LAYERS for at in range(len(steps))]
        places += [[*steps[:at], *steps[at + 1 :]] for at, step in enumerate(steps) if step in _LAYERS]
        there = next((place for place in places if place and _exists(types, name, place)), None)
        if there is not None:
            found.append((release, api_version, ".".join([name, *there])))
    return found


def kinds() -> list[str]:
    """Return the kinds that any release has in its API group, and those around Pods, sorted."""
    found = set(WORKLOADS)
    for release in shipped.index()["releases"]["releases"]:
        for rows in shipped.openapi(release)["kinds"].values():
            found.update(row["kind"] for row in rows)
    return sorted(found)


def split(path: str) -> list[str]:
    """Return the kind and the fields of a path, without indices and keys in brackets."""
    return _BRACKETS.sub("", path).strip().strip(".").split(".")


def served(kind: str) -> Iterator[tuple[Release, str, str, Mapping[str, Struct]]]:
    """Yield release, API version, the kind as it is spelled, and the types, wherever the kind is served."""
    wanted = kind.lower()
    workload = next((name for name in WORKLOADS if name.lower() == wanted), None)
    for release in sorted(map(Release.parse, shipped.index()["releases"]["releases"]), reverse=True):
        document = shipped.openapi(str(release))
        if workload is not None:
            core = shipped.structs_of(str(release), "v1")
            for api_version, types in workload_types(workload, core, release):
                yield release, api_version, workload, types
            continue
        for api_version, rows in sorted(document["kinds"].items(), key=lambda item: preference(item[0])):
            names = {row["kind"].lower(): row["kind"] for row in rows}
            if wanted in names:
                yield release, api_version, names[wanted], shipped.structs_of(str(release), api_version)


def _exists(types: Mapping[str, Struct], kind: str, steps: list[str]) -> bool:
    _, shape, reached = _follow(types, kind, steps)
    return shape is not None and reached == len(steps)


def gate_of(field: Field) -> str | None:
    """Return the feature gate that guards the field in its release, None when there is none."""
    for gate, row in shipped.index()["gates"].items():
        for span, fields in row.get("fields", {}).items():
            if f"{field.owner}.{field.name}" in fields and in_range(span, field.release):
                return str(gate)
    return None


def by_value(found: Iterable[tuple[Release, T]]) -> list[tuple[T, str]]:
    """Return the different values, each with the releases that have it."""
    groups: dict[T, set[Release]] = {}
    for release, value in found:
        groups.setdefault(value, set()).add(release)
    return [(value, release_spans(list(map(str, sorted(releases))))) for value, releases in groups.items()]


def gate_stage(gate: str, release: Release) -> str:
    """Return `alpha, off by default`, and what the API server does with the field while the gate is off."""
    stage = gates.stage(gate, release)
    if stage is None:
        return "not there"
    switch = "locked on" if stage.locked else "on by default" if stage.default else "off by default"
    return f"{stage.name}, {switch}"


def type_text(shape: Shape) -> str:
    """Return a shape in words: `list of DeviceRequest`, `map of quantity`, `string`."""
    if shape.shape == "struct":
        return shape.type.removeprefix("core.")
    if shape.shape in ("list", "map") and shape.of is not None:
        return f"{shape.shape} of {type_text(shape.of)}"
    return _SCALARS.get(shape.shape, shape.shape)


def words(row: Mapping[str, Any], subject: str = "") -> Iterator[str]:
    """Yield what the keywords of the table say, one phrase for each."""
    lead = f"{subject}: " if subject else ""
    for keyword, value in row.items():
        if keyword in ("items", "keys", "values"):
            yield from words(value, {"items": "each entry", "keys": "each key", "values": "each value"}[keyword])
            continue
        text = _phrase(keyword, value)
        if text is not None:
            yield lead + text


_PHRASES = {
    "default": "left out it becomes {}",
    "required": "must not be missing or empty",
    "object": "must be an object",
    "maxItems": "at most {:,} entries",
    "maxLength": "at most {:,} bytes",
    "maxBytes": "at most {:,} bytes as compact JSON",
    "minimum": "at least {:,}",
    "maximum": "at most {:,}",
}
"""Keyword of the table → what it says."""


def _phrase(keyword: str, value: Any) -> str | None:
    if keyword == "format":
        title = FORMATS[value].title if value in FORMATS else str(value)
        return f"{title} ({_SPELLED_OUT[title]})" if title in _SPELLED_OUT else title
    if keyword == "enum":
        return "one of " + ", ".join(map(str, value))
    if keyword == "unique":
        return "entries all different" if value == "set" else f"entries that differ in {', '.join(value)}"
    if keyword == "empty":
        return None if value in ("ok", "checked") else _PHRASES["required"]
    return _PHRASES[keyword].format(value) if keyword in _PHRASES else None


def _follow(types: Mapping[str, Struct], kind: str, steps: list[str]) -> tuple[str, Shape | None, int]:
    """Return the type that has the last field reached, that field's shape, and how many steps exist."""
    shape = Shape("struct", kind)
    owner = kind
    for number, step in enumerate(steps):
        if shape.innermost.shape != "struct":
            return "", None, number
        owner = shape.innermost.type
        if step not in types[owner].fields:
            return owner, None, number
        shape = types[owner].fields[step]
    return owner, shape, len(steps)


def _unknown(kind: str, known: list[str], steps: list[str], nearest: tuple[int, list[str], str]) -> str:
    if kind.lower() not in (name.lower() for name in known):
        tip = closest(kind, known) or f"kinds are {', '.join(known)}"
        return f'no release has the kind "{kind}"; {tip}'
    reached, fields, name = nearest
    where = ".".join([kind, *steps[:reached]])
    if not fields:
        return f"{where} has no fields"
    concern = " that concerns claims" if kind.lower() in (name.lower() for name in WORKLOADS) else ""
    tip = closest(name, fields) or f"it has {', '.join(fields)}"
    return f'{where} has no field "{name}"{concern}; {tip}'


_LEADS = (("oneOf", "exactly one of"), ("anyOf", "at least one of"))


def totals(owner: str, name: str, release: Release) -> Iterator[str]:
    """Yield how many entries a field of a type may have together with others."""
    for row in shipped.index()["totals"].values():
        counts = shipped.same_as(owner) == row["type"] and name in (row["field"], *row.get("also", ()))
        most = (resolve(row, release) or {}).get("most") if counts else None
        if most is not None:
            yield f"at most {most:,} {row['what']}"


def unions(type_: str, having: Collection[str], release: Release) -> Iterator[str]:
    """Yield which fields `having` of a type exclude each other; skip a type that lacks one of them."""
    row = resolve(shipped.index()["limits"].get(type_, {}).get(UNION, {}), release) or {}
    for keyword, lead in _LEADS:
        members = row.get(keyword, ())
        if len(members) > 1 and set(members) <= set(having):
            yield f"{lead} {', '.join(members)}"


def of_rule(rule: str) -> dict[str, list[str]]:
    """Return the limits of several fields together that a rule is about, each with its releases, the newest first."""
    catalogue = shipped.index()
    found: dict[str, list[str]] = {}
    known = sorted(map(Release.parse, catalogue["releases"]["releases"]), reverse=True)
    for row in catalogue["totals"].values():
        for release in known if row["rule"] == rule else ():
            there = {name for types in _types(release) for name in (types.get(row["type"]) or {})}
            most = (resolve(row, release) or {}).get("most")
            if most is not None and row["field"] in there:
                found.setdefault(f"at most {most:,} {row['what']}", []).append(str(release))
    for type_, rows in catalogue["limits"].items():
        for release in known if rows.get(UNION, {}).get("rule") == rule else ():
            for having in filter(None, (types.get(type_) for types in _types(release))):
                for text in unions(type_, having, release):
                    releases = found.setdefault(f"in a {type_}: {text}", [])
                    if str(release) not in releases:
                        releases.append(str(release))
    return found


def _types(release: Release) -> Iterator[dict[str, frozenset[str]]]:
    """Yield the fields of all types, for each API version that a release serves; types have their table names."""
    for schemas in shipped.openapi(str(release))["schemas"].values():
        out: dict[str, frozenset[str]] = {}
        for name, struct in structs(schemas).items():
            for called in {name, shipped.same_as(name)}:
                out[called] = out.get(called, frozenset()) | struct.fields.keys()
        yield out
