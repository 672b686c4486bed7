"""Completions at a place of a manifest: missing fields, values, whole objects, parts of expressions."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.drivers.shipped import CLASSES
from dralint.editor import cel, configuration
from dralint.editor.cursor import MARK, Place, Span, cursor_at, is_unclosed, open_place
from dralint.editor.navigation import (
    ATTRIBUTE,
    DEFINED,
    DRIVER,
    POD_CLAIM,
    REQUEST,
    TAINT,
    USED,
    claim_of,
    named_in,
    pod_of,
)
from dralint.editor.schema import form_text, keys_at, limits_of, parameter_at, required, rooted
from dralint.explain.fields import type_text
from dralint.finding.problem import at, dict_of
from dralint.kubernetes import shipped
from dralint.kubernetes.formats import STANDARD_DOMAIN, STANDARD_NAMES
from dralint.kubernetes.release import LAST_CLASSIC
from dralint.kubernetes.types import OF_THE_SERVER, field_at
from dralint.kubernetes.workloads import POD_SPECS
from dralint.migrate import convert
from dralint.new.objects import NEWEST, dump
from dralint.references.facts import ClaimFacts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.editor.schema import Kind
    from dralint.editor.workspace import Workspace
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.served import ApiVersions
    from dralint.kubernetes.types import KnownField, Shape
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path


class Item(NamedTuple):
    """A completion at the cursor.

    Attributes:
        label: the text in the list; text: the text to write. A snippet has places to fill in, `${1:name}`.
        span: the part of the text to replace.
        kind: `field`, `value`, `snippet`, `reference`, or a part of an expression: `function`, `attribute`, ...
        rank: items of a lower rank come first.
    """

    label: str
    text: str
    span: Span
    kind: str
    detail: str = ""
    says: str = ""
    snippet: bool = False
    rank: int = 1

    @property
    def plain(self) -> str:
        """The text for an editor without snippets: names are in the places to fill in."""
        return re.sub(r"\$\{\d+:([^}]*)\}", r"\1", self.text) if self.snippet else self.text


def complete(workspace: Workspace, name: str, offset: int) -> list[Item]:
    """Return the completions at an offset of a text."""
    text = workspace.text(name)
    line, column = text.position(offset)
    comment = configuration.in_comment(text.line(line)[:column])
    if comment is not None:
        return _in_comment(workspace, name, line, Span(offset - column + comment[0], offset), comment[1])
    expression, asked = _expression_or_place(workspace, name, offset)
    if expression is not None:
        return [_of_expression(expression, one, offset) for one in cel.candidates(workspace, expression)]
    if configuration.is_configuration(name):
        return [] if asked is None else list(_of_configuration(asked))
    in_json = asked is not None and asked.held.document.text.lstrip().startswith("{")
    if name.endswith(".json") and not in_json:
        return []  # what is offered is YAML
    if asked is None:
        return list(_objects(workspace, name, offset))
    found = list(_of_object(workspace, name, offset, asked))
    if in_json:
        found = [_in_json(one, text.text) for one in found]
    return sorted(found, key=lambda one: one.rank)


def signature_help(workspace: Workspace, name: str, offset: int) -> cel.Signatures | None:
    """Return the forms of the call in an expression at an offset; None outside of one."""
    found, _ = _expression_or_place(workspace, name, offset)
    return None if found is None else cel.signatures(workspace, found)


def _expression_or_place(workspace: Workspace, name: str, offset: int) -> tuple[cel.Expression | None, Place | None]:
    """Return the expression at an offset, or the place to complete there."""
    text = workspace.text(name)
    line, column = text.position(offset)
    expression = None if is_unclosed(text.line(line), column) else _expression(workspace, name, offset)
    asked = open_place(workspace, name, offset) if expression is None else None
    if asked is not None and not asked.is_key:
        expression = _unfinished(workspace, name, asked, offset)
    return expression, asked


def _of_object(workspace: Workspace, name: str, offset: int, asked: Place) -> Iterator[Item]:
    """Yield the completions of a key or value of an object."""
    kind, path = rooted(workspace, name, asked.item, asked.path)
    if not asked.is_key:
        place = None if kind is None else field_at(kind.types, kind.name, path)
        if asked.path in (("apiVersion",), ("kind",)):
            yield from _types(workspace, name, asked)
        elif kind is not None and place is not None:
            yield from _values(workspace, name, kind, place, asked)
        else:
            yield from _values_of_parameter(workspace, asked)
        return
    parent = None if kind is None else field_at(kind.types, kind.name, path[:-1])
    for key, says in keys_at(workspace, asked.item, asked.path[:-1]).items():
        yield Item(key, f"{key}: ", asked.span, "reference", says)
    if kind is not None and parent is not None:
        yield from _fields(kind, parent.shape, asked)
        if parent.inside and parent.shape.shape == "string":
            yield from _values(workspace, name, kind, parent, asked)
        yield from _counters(parent, asked)
    yield from _parameters(workspace, asked)
    if not asked.path[:-1] and (_SIGNS & asked.item.data.keys() or asked.item.data.keys() == {MARK}):
        yield from _type_meta(asked)
        yield from _objects(workspace, name, offset) if len(asked.item.data) == 1 else ()


_SIGNS = frozenset({"apiVersion", "kind", "metadata"})
"""A mapping with one of these keys is probably an object of Kubernetes."""


def _in_comment(
    workspace: Workspace, name: str, line: int, span: Span, found: list[configuration.Candidate]
) -> list[Item]:
    """Return the completions in a comment; the rules with a finding in this line or the next one come first."""
    near = {one.rule for one in workspace.findings().get(name, ()) if one.line - 1 in (line, line + 1)}
    items = [Item(one.text, one.text, span, "value", one.detail, one.says, rank=one.text not in near) for one in found]
    return sorted(items, key=lambda one: one.rank)


def _of_configuration(asked: Place) -> Iterator[Item]:
    """Yield the keys or values of dralint's own configuration."""
    path, data = asked.path, asked.item.data
    if asked.is_key:
        for one in configuration.keys(path[:-1], at(data, path[:-1])):
            after = f"\n{' ' * (asked.column + 2)}" if one.block and not asked.flow else " "
            yield Item(one.text, f"{one.text}:{after}", asked.span, "field", one.detail, one.says)
    for one in configuration.values(path[:-1] if asked.is_key else path):
        yield Item(one.text, one.text, asked.span, "value", one.detail, one.says)


def _in_json(item: Item, text: str) -> Item:
    """Return an item with the quotes that JSON needs, if they are missing."""
    if item.span.start and text[item.span.start - 1] == '"':
        closed = text[item.span.end : item.span.end + 1] == '"'
        if item.kind != "field" or not closed or re.match(r"\s*:", text[item.span.end + 1 :]):
            return item._replace(text=item.label)
        return item._replace(text=f'{item.label}": ', span=Span(item.span.start, item.span.end + 1))
    quoted = item.label if item.label in ("true", "false") else json.dumps(item.label)
    return item._replace(text=f"{quoted}: " if item.kind == "field" else quoted)


def _expression(workspace: Workspace, name: str, offset: int) -> cel.Expression | None:
    """Return the expression that ends or continues at an offset, in a text that can be read."""
    text = workspace.text(name).text
    end = offset - (len(text[:offset]) - len(text[:offset].rstrip(" ")))
    cursor = cursor_at(workspace, name, end)
    found = None if cursor is None else cel.expression_at(workspace, name, cursor, end)
    if found is None or end == offset:
        return found
    if found.at < len(found.text):
        return None
    blanks = list(range(end + 1, offset + 1))
    return found._replace(text=found.text + text[end:offset], at=found.at + len(blanks), places=found.places + blanks)


_CHARACTER = {"'": re.compile(r"''|."), '"': re.compile(r"\\?."), "": re.compile(r".")}
"""Quote → a character of a value within such quotes, on one line."""


def _unfinished(workspace: Workspace, name: str, asked: Place, offset: int) -> cel.Expression | None:
    """Return the expression before an offset in a document that cannot be read yet."""
    written = workspace.text(name).text[asked.span.start : offset]
    parts = [*_CHARACTER[asked.quote].finditer(written)]
    places = [*(asked.span.start + part.start() for part in parts), offset]
    text = "".join(part[0][-1] for part in parts)
    return cel.expression_of(workspace, name, asked.item, asked.path, text, places, len(text))


# Fields.

_NOT_WRITTEN = (*OF_THE_SERVER, "deletionGracePeriodSeconds", "deletionTimestamp")
"""Fields of metadata that nobody writes."""


def _fields(kind: Kind, shape: Shape, asked: Place) -> Iterator[Item]:
    """Yield the fields of a type that the object does not have yet."""
    listed = shape.shape == "list"
    inner = shape.of if listed and shape.of is not None else shape
    struct = kind.types.get(inner.type) if inner.shape == "struct" else None
    if struct is None:
        return
    parent = at(asked.item.data, asked.path[:-1])
    there = set(parent) - {MARK} if isinstance(parent, dict) and not listed else set()
    wanted = required(kind, struct.name)
    top = not asked.path[:-1]
    hidden = _NOT_WRITTEN if struct.name == "ObjectMeta" else ("apiVersion", "kind") if top else ()
    for field, of in sorted(struct.fields.items()):
        if field in there or field in hidden:
            continue
        after = " " if asked.flow else _after(of.shape, asked.column, listed=listed)
        text = field if asked.rest.lstrip().startswith(":") else f"{field}:{after}"
        says = shipped.of_field(struct.name, field) or ""
        rank = 0 if field in wanted else 3 if field == "status" else 1 if field in _FIELDS_OF_SNIPPETS else 2
        detail = type_text(of) + (" (required)" if field in wanted else "")
        yield Item(
            field, ("- " if listed and not asked.flow else "") + text, asked.span, "field", detail, says, rank=rank
        )


def _after(shape: str, column: int, *, listed: bool = False) -> str:
    """Return the text after a key and its colon."""
    indent = " " * (column + (4 if listed else 2))
    if shape == "list":
        return f"\n{indent[2:]}- "
    return f"\n{indent}" if shape in ("struct", "object", "map", "any") else " "


def _parameters(workspace: Workspace, asked: Place) -> Iterator[Item]:
    """Yield the fields that opaque parameters can still get."""
    parent = parameter_at(workspace, asked.item, asked.path[:-1])
    for field, form in () if parent is None else parent.wanted(at(asked.item.data, asked.path[:-1])):
        after = " " if asked.flow else _after(form["type"], asked.column)
        rank = 0 if form.get("required") is True else 1
        says = f"Parameters of {parent.driver}." if parent is not None else ""
        yield Item(field, f"{field}:{after}", asked.span, "field", form_text(field, form), says, rank=rank)


def _values_of_parameter(workspace: Workspace, asked: Place) -> Iterator[Item]:
    found = parameter_at(workspace, asked.item, asked.path)
    for value, detail in () if found is None else found.values():
        yield Item(value, value, asked.span, "value", detail, rank=2 if detail else 1)


def _type_meta(asked: Place) -> Iterator[Item]:
    for field in ("apiVersion", "kind"):
        if field not in asked.item.data:
            yield Item(field, f"{field}: ", asked.span, "field", "string (required)", rank=0)


def _counters(parent: KnownField, asked: Place) -> Iterator[Item]:
    """Yield the counters of the counter set that a device consumes, where they are keys."""
    if (parent.owner, parent.name) != ("DeviceCounterConsumption", "counters") or parent.inside:
        return
    wanted = at(asked.item.data, (*asked.path[:-2], "counterSet"))
    indent = " " * (asked.column + 2)
    for one in named_in(asked.item.data, ("spec", "sharedCounters")):
        for name in dict_of(one.get("counters")) if one["name"] == wanted else ():
            yield Item(str(name), f"{name}:\n{indent}value: ", asked.span, "reference", f"counter of {wanted}")


# Values.


def _types(workspace: Workspace, name: str, asked: Place) -> Iterator[Item]:
    """Yield the served API versions, or the kinds."""
    releases = workspace.linter(name).releases
    judging = releases.chosen or releases.versions.known[-1:]
    pairs = sorted({pair for release in judging for pair in releases.versions.served(release)} | set(POD_SPECS))
    other = asked.item.kind if asked.path == ("apiVersion",) else asked.item.api_version
    position = 0 if asked.path == ("apiVersion",) else 1
    fitting = [pair for pair in pairs if pair[1 - position] == other] or pairs
    default = {version for release in judging for version in releases.versions.default(release)}
    for value in dict.fromkeys(pair[position] for pair in fitting):
        if value.endswith("List"):
            continue
        says = shipped.of_type(value) or "" if position else ""
        yield Item(value, value, asked.span, "value", says=says, rank=0 if position or value in default else 1)


def _values(workspace: Workspace, name: str, kind: Kind, place: KnownField, asked: Place) -> Iterator[Item]:
    row = limits_of(kind, place.owner, place.name)
    allowed = row.get("enum") or row.get("items", {}).get("enum")
    for value in allowed or ():
        yield Item(str(value), str(value), asked.span, "value", rank=0 if value == row.get("default") else 1)
    if place.shape.shape == "boolean":
        yield from (Item(value, value, asked.span, "value") for value in ("true", "false"))
    ranks = {cel.STANDARD: 0, cel.PACK: 2}
    yield from (
        Item(value, value, asked.span, "reference", detail, rank=ranks.get(detail, 1))
        for value, detail in names_to_write(workspace, place, asked.item, asked.path)
    )


def names_to_write(workspace: Workspace, place: KnownField, item: ApiObject, path: Path) -> Iterator[tuple[str, str]]:
    """Yield the names that a field can refer to, each with its source."""
    role = USED.get((place.owner, place.name)) or DEFINED.get((place.owner, place.name))
    if role == REQUEST:
        if place.owner == "core.ResourceClaim":
            yield from _requests_of_claim(workspace, item, path)
        elif (place.owner, place.name) in USED:
            yield from _requests(item)
    elif role == POD_CLAIM and (place.owner, place.name) in USED:
        yield from _pod_claims(item, path)
    elif role in ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate"):
        yield from _named(workspace, role, item.namespace)
        if role == "DeviceClass":
            yield from ((one, cel.PACK) for one in sorted(CLASSES))
    elif role == DRIVER:
        yield from cel.domains(workspace, "attributes").items()
    elif role == ATTRIBUTE:
        named = repr(item.data)  # the drivers of a claim, and the classes that are called after them
        for domain, source in cel.domains(workspace, "attributes").items():
            if source != cel.PACK or domain in named:
                shared = STANDARD_NAMES if domain == STANDARD_DOMAIN else ()
                for one in cel.names(workspace, "attributes", domain):
                    yield f"{domain}/{one}", cel.STANDARD if one in shared else source
    elif role == TAINT:
        yield from ((key, "taint of a device") for key in taint_keys(workspace))
    elif (place.owner, place.name) in USED:  # a counter set
        yield from ((one["name"], "counter set") for one in named_in(item.data, ("spec", "sharedCounters")))


def taint_keys(workspace: Workspace) -> list[str]:
    """Return the keys of the taints of the devices in a workspace."""
    items = cel.stock_of(workspace).items
    found = {str(taint.get("key")) for one in items for taint in one.taints if taint.get("key")}
    for facts in workspace.facts():
        if facts.kind == "DeviceTaintRule":
            found |= {value for field, value in getattr(facts.body, "taint", ()) if field == "key"}
    return sorted(found)


def _named(workspace: Workspace, kind: str, namespace: str | None) -> Iterator[tuple[str, str]]:
    for facts in sorted(workspace.facts(), key=lambda one: one.name or ""):
        here = kind == "DeviceClass" or None in (namespace, facts.namespace) or namespace == facts.namespace
        if facts.kind == kind and facts.name is not None and here:
            yield facts.name, facts.file.rpartition("/")[2]


def _requests(item: ApiObject) -> Iterator[tuple[str, str]]:
    for spec in (("spec", "devices", "requests"), ("spec", "spec", "devices", "requests")):
        for one in named_in(item.data, spec):
            yield one["name"], "request"
            for inner in named_in(one, ("firstAvailable",)):
                yield f"{one['name']}/{inner['name']}", "alternative"


def _pod_claims(item: ApiObject, path: Path) -> Iterator[tuple[str, str]]:
    for entry in named_in(item.data, (*pod_of(path), "resourceClaims")):
        yield entry["name"], str(entry.get("resourceClaimName") or entry.get("resourceClaimTemplateName") or "")


def _requests_of_claim(workspace: Workspace, item: ApiObject, path: Path) -> Iterator[tuple[str, str]]:
    """Yield the requests of the claim that a container uses."""
    found = claim_of(item, path, item.namespace)
    if found is None:
        return
    kind, namespace, claim = found
    for facts in workspace.facts():
        same = None in (namespace, facts.namespace) or namespace == facts.namespace
        if facts.kind == kind and facts.name == claim and same and isinstance(facts.body, ClaimFacts):
            names = dict.fromkeys(request.full_name.partition("/")[0] for request in facts.body.requests)
            yield from ((one, f"request of {claim}") for one in names)


# Whole objects, and expressions.


def _objects(workspace: Workspace, name: str, offset: int) -> Iterator[Item]:
    """Yield whole objects, where a document begins."""
    text = workspace.text(name)
    line, column = text.position(offset)
    word = text.line(line)[:column]
    if not re.fullmatch(r"\w*", word) or (line and not re.match(r"---|\s*(?:#.*)?$", text.line(line - 1))):
        return
    releases = workspace.linter(name).releases
    for label, body in _snippets(releases.versions, releases.newest):
        says = shipped.of_type(label) or ""
        yield Item(label, body, Span(offset - len(word), offset), "snippet", "a whole object", says, snippet=True)


def _of_expression(expression: cel.Expression, one: cel.Candidate, offset: int) -> Item:
    start = expression.span(one.start, one.start).start
    rank = 0 if one.kind in ("attribute", "value", "domain", "operator", "field") and one.detail != cel.PACK else 1
    return Item(one.text, one.text, Span(start, offset), one.kind, one.detail, rank=rank)


# Whole objects with places to fill in.

_REQUEST = {"name": "${2:device}", "exactly": {"deviceClassName": "${3:class}"}}
_SPECS: dict[str, tuple[str, dict[str, Any]]] = {
    "ResourceClaim": ("${1:name}", {"devices": {"requests": [_REQUEST]}}),
    "ResourceClaimTemplate": ("${1:name}", {"spec": {"devices": {"requests": [_REQUEST]}}}),
    "DeviceClass": (
        "${1:gpu.example.com}",
        {"selectors": [{"cel": {"expression": 'device.driver == "${2:gpu.example.com}"'}}]},
    ),
}
"""Kind → name and spec in the newest API version."""
_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "${1:name}"},
    "spec": {
        "resourceClaims": [{"name": "${2:device}", "resourceClaimTemplateName": "${3:template}"}],
        "containers": [
            {"name": "${4:main}", "image": "${5:image}", "resources": {"claims": [{"name": "${2:device}"}]}}
        ],
    },
}
_FIELDS_OF_SNIPPETS = frozenset(re.findall(r'"([a-z]\w+)":', json.dumps([_SPECS, _POD])))
"""The fields of whole objects: what most objects have, so that it is offered before the rest."""


def _snippets(versions: ApiVersions, release: Release) -> Iterator[tuple[str, str]]:
    """Yield the kinds that a release serves in an API version with devices, each with a whole object."""
    for kind, (name, spec) in _SPECS.items():
        version = versions.by_default(kind, release) or next(iter(versions.versions(kind, release)), None)
        if version in convert.VERSIONS:
            data = {"apiVersion": NEWEST, "kind": kind, "metadata": {"name": name}, "spec": spec}
            yield kind, dump(convert.object(data, NEWEST, version)[0])
    if release > LAST_CLASSIC:
        yield "Pod", dump(_POD)
