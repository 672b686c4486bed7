"""Names in manifests, and what they connect: definition, references, rename, and the objects of a text."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.edit.apply import UnplaceableError, moved
from dralint.edit.place import EditPlanner
from dralint.editor.cursor import Span, document_at, span_of
from dralint.editor.schema import kind_of
from dralint.finding.problem import at, dict_of, list_of
from dralint.kubernetes import shipped
from dralint.kubernetes.formats import FORMATS
from dralint.kubernetes.release import LAST_CLASSIC
from dralint.kubernetes.types import WORKLOADS, pod_types, typed_values
from dralint.kubernetes.workloads import IMPLICIT
from dralint.manifest.objects import objects
from dralint.yaml.nodes import ALIAS, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.editor.cursor import OpenDocument
    from dralint.editor.workspace import Workspace
    from dralint.finding.finding import Edit
    from dralint.kubernetes.types import KnownField
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path
    from dralint.yaml.nodes import Node


REQUEST, POD_CLAIM, COUNTER_SET, DRIVER, TAINT = "request", "claim of the Pod", "counter set", "driver", "taint"
ATTRIBUTE = "attribute"

DEFINED = {
    ("DeviceRequest", "name"): REQUEST,
    ("DeviceSubRequest", "name"): REQUEST,
    ("CounterSet", "name"): COUNTER_SET,
    ("core.PodResourceClaim", "name"): POD_CLAIM,
    ("PodGroupResourceClaim", "name"): POD_CLAIM,
    ("ResourceSliceSpec", "driver"): DRIVER,
    ("DeviceTaint", "key"): TAINT,
}
"""Type and field → what the field names."""

USED = {
    ("DeviceRequest", "deviceClassName"): "DeviceClass",
    ("DeviceSubRequest", "deviceClassName"): "DeviceClass",
    ("ExactDeviceRequest", "deviceClassName"): "DeviceClass",
    ("core.PodResourceClaim", "resourceClaimName"): "ResourceClaim",
    ("core.PodResourceClaim", "resourceClaimTemplateName"): "ResourceClaimTemplate",
    ("core.ClaimSource", "resourceClaimName"): "ResourceClaim",
    ("core.ClaimSource", "resourceClaimTemplateName"): "ResourceClaimTemplate",
    ("PodGroupResourceClaim", "resourceClaimName"): "ResourceClaim",
    ("PodGroupResourceClaim", "resourceClaimTemplateName"): "ResourceClaimTemplate",
    ("DeviceConstraint", "requests"): REQUEST,
    ("DeviceClaimConfiguration", "requests"): REQUEST,
    ("DeviceAllocationConfiguration", "requests"): REQUEST,
    ("DeviceRequestAllocationResult", "request"): REQUEST,
    ("DeviceConstraint", "matchAttribute"): ATTRIBUTE,
    ("DeviceConstraint", "distinctAttribute"): ATTRIBUTE,
    ("core.ResourceClaim", "name"): POD_CLAIM,
    ("core.ResourceClaim", "request"): REQUEST,
    ("DeviceCounterConsumption", "counterSet"): COUNTER_SET,
    ("OpaqueDeviceConfiguration", "driver"): DRIVER,
    ("DeviceTaintSelector", "driver"): DRIVER,
    ("DeviceToleration", "key"): TAINT,
}
"""Type and field → what the field refers to."""

_DRIVERS = re.compile(
    r"""device\.(?:driver\s*[!=]=\s*|(?:attributes|capacity)\[)(?P<quote>["'])(?P<driver>[^"'\\]+)(?P=quote)"""
)
"""The names of drivers in an expression; the domain of an attribute is one, too."""
_NAMED_KINDS = ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate")

Scope = tuple[object, ...]
"""The scope of a name. An unknown part is None, and equals everything."""


class Mention(NamedTuple):
    """A name in a text.

    Attributes:
        role: what it names: a kind, or one of the constants above.
        name: the name; for an alternative, it begins with the name of its request, `gpu/large`.
        defines: whether it is the definition; otherwise it is a reference.
        path: the value, from the document on.
        part: the characters of the value that are the name.
        span: their place in the text.
    """

    role: str
    scope: Scope
    name: str
    defines: bool
    file: str
    document: int
    path: Path
    part: tuple[int, int]
    span: Span


def mentions_in(workspace: Workspace, file: str, held: OpenDocument) -> Iterator[Mention]:
    """Yield the names in a document."""
    for item in objects(held.document.data) if held.document.state == "read" else ():
        for one in _mentions(workspace, file, held, item):
            full = (*item.path, *one.path)
            span = _span(held, full, one.part)
            if span is not None:
                document = held.document.index
                yield Mention(one.role, one.scope, one.name, one.defines, file, document, full, one.part, span)


def mention_at(workspace: Workspace, file: str, offset: int) -> Mention | None:
    """Return the name at an offset of a text; in `request/alternative`, the one that has the offset."""
    held = document_at(workspace, file, offset)
    found = () if held is None else mentions_in(workspace, file, held)
    there = [one for one in found if one.span.start <= offset <= one.span.end]
    return min(there, key=lambda one: (one.span.end - one.span.start, one.defines), default=None)


def mentions_of(workspace: Workspace, wanted: Mention) -> Iterator[Mention]:
    """Yield all places with the same name, in the order of the files; those of the inventory come last."""
    word = wanted.name.rpartition("/")[2].encode("utf-8", "surrogatepass")
    for file in dict.fromkeys([*workspace.names, *workspace.inventory]):
        if word not in (workspace.raw(file) or b""):
            continue
        for held in workspace.held(file):
            if held.document.state == "read" and held.document.text.encode("utf-8", "surrogatepass").find(word) >= 0:
                yield from (one for one in mentions_in(workspace, file, held) if is_same(one, wanted))


def is_same(one: Mention, other: Mention) -> bool:
    """Say whether two names mean the same thing."""
    return (
        one.role == other.role
        and one.name == other.name
        and len(one.scope) == len(other.scope)
        and all(a is None or b is None or a == b for a, b in zip(one.scope, other.scope, strict=True))
    )


class _Name(NamedTuple):
    """A name in an object, as `Mention` has it; `path` begins at the object, `part` is within the text there."""

    role: str
    scope: Scope
    name: str
    defines: bool
    path: Path
    part: tuple[int, int]


def _mentions(workspace: Workspace, file: str, held: OpenDocument, item: ApiObject) -> Iterator[_Name]:
    namespace = item.namespace or workspace.settings.namespace
    here: Scope = (item.kind, namespace, item.name or (file, held.document.index, item.path))
    for path, text, field in _strings(workspace, file, item):
        whole = (0, len(text))
        if (field.owner, field.name) == ("ObjectMeta", "name"):
            if path == ("metadata", "name") and item.kind in _NAMED_KINDS:
                scope: Scope = () if item.kind == "DeviceClass" else (namespace,)
                yield _Name(item.kind, scope, text, True, path, whole)
            continue
        if field.name in ("expression", "selector"):
            for match in _DRIVERS.finditer(text):
                yield _Name(DRIVER, (), match["driver"], False, path, match.span("driver"))
            continue
        role = DEFINED.get((field.owner, field.name))
        defines = role is not None
        role = role or USED.get((field.owner, field.name))
        if role is None or not text:
            continue
        if role == REQUEST:
            yield from _requests(item, path, text, field.owner, here, namespace, defines=defines)
        elif role == POD_CLAIM:
            if item.kind not in WORKLOADS:
                continue  # fields of other names may also use it
            yield _Name(role, (file, held.document.index, item.path, pod_of(path)), text, defines, path, whole)
        elif role == COUNTER_SET:
            pool = at(item.data, ("spec", "pool", "name"))
            yield _Name(role, (at(item.data, ("spec", "driver")), pool), text, defines, path, whole)
        elif role in _NAMED_KINDS and role != "DeviceClass":
            yield _Name(role, (namespace,), text, defines, path, whole)
        else:
            yield _Name(role, (), text, defines, path, whole)


def _strings(workspace: Workspace, file: str, item: ApiObject) -> Iterator[tuple[Path, str, KnownField]]:
    """Yield the strings in known fields of an object; in a Pod spec, also in the fields of older releases."""
    kind = kind_of(workspace, file, item.api_version, item.kind)
    walks = [] if kind is None else [typed_values(kind.types, kind.name, item.data)]
    for path in item.pod_specs() if kind is None or item.kind in WORKLOADS else ():
        for release in (workspace.linter(file).releases.versions.known[-1], LAST_CLASSIC):
            types = pod_types(shipped.structs_of(str(release), "v1"), release)
            walks.append(typed_values(types, "core.PodSpec", at(item.data, path), path))
    places: dict[Path, tuple[Path, str, KnownField]] = {}
    for path, value, field in chain(*walks):
        if field is not None and field.shape.shape == "string" and isinstance(value, str):
            places.setdefault(path, (path, value, field))
    yield from places.values()


def _requests(
    item: ApiObject, path: Path, text: str, owner: str, here: Scope, namespace: str | None, *, defines: bool
) -> Iterator[_Name]:
    """Yield the request that a string names, and its alternative."""
    whole = (0, len(text))
    if owner == "DeviceSubRequest":
        parent = at(item.data, (*path[:-3], "name"))
        yield _Name(REQUEST, here, f"{parent}/{text}", True, path, whole)
        return
    if defines:
        yield _Name(REQUEST, here, text, True, path, whole)
        return
    if owner == "core.ResourceClaim":
        found = claim_of(item, path, namespace)
        if found is None:
            return
        here = found
    first, slash, _ = text.partition("/")
    yield _Name(REQUEST, here, first, False, path, (0, len(first)))
    if slash:
        yield _Name(REQUEST, here, text, False, path, (len(first) + 1, len(text)))


def claim_of(item: ApiObject, path: Path, namespace: str | None) -> Scope | None:
    """Return the scope of the requests of the claim that a container uses."""
    name = at(item.data, (*path[:-1], "name"))
    for entry in named_in(item.data, (*pod_of(path), "resourceClaims")):
        for kind in ("ResourceClaim", "ResourceClaimTemplate") if entry["name"] == name else ():
            claim = entry.get(f"r{kind[1:]}Name")
            if isinstance(claim, str):
                return kind, namespace, claim
    return None


def named_in(data: object, path: Path) -> list[dict[str, Any]]:
    """Return the entries of a list at a path that have a name."""
    return [one for one in list_of(at(data, path)) if isinstance(dict_of(one).get("name"), str)]


def pod_of(path: Path) -> Path:
    """Return the path of the Pod spec that contains an entry of resourceClaims, or a use of one."""
    for number, step in enumerate(path):
        if step in ("resourceClaims", "containers", "initContainers", "ephemeralContainers"):
            return path[:number]
        if step == "resources" and path[number + 1 : number + 2] == ("claims",):
            return path[:number]
    return path


def _span(held: OpenDocument, path: Path, part: tuple[int, int]) -> Span | None:
    places = held.document.character_offsets(path)
    if places is None or part[1] >= len(places):
        return span_of(held, path)
    return Span(held.start + places[part[0]], held.start + places[part[1]])


_RENAMED = {
    REQUEST: "dns-label",
    POD_CLAIM: "dns-label",
    "DeviceClass": "dns-subdomain",
    "ResourceClaim": "dns-subdomain",
    "ResourceClaimTemplate": "dns-subdomain",
}
"""What can be renamed → the format of its names."""


class Location(NamedTuple):
    """A part of a text."""

    file: str
    span: Span


class RenameError(ValueError):
    """The name at the cursor cannot become that name; the message has the reason."""


class Symbol(NamedTuple):
    """An object of a text, or a named part of it; `whole` is all of it, `name_span` its name."""

    name: str
    kind: str
    whole: Span
    name_span: Span
    children: tuple[Symbol, ...] = ()


def definition(workspace: Workspace, name: str, offset: int) -> list[Location]:
    """Return the definition of the name at an offset; for a driver, its ResourceSlices."""
    return [Location(one.file, one.span) for one in _all(workspace, name, offset) if one.defines]


def references(workspace: Workspace, name: str, offset: int, *, definitions: bool = True) -> list[Location]:
    """Return all places of the workspace that use the name at an offset.

    Args:
        definitions: whether to return the definitions, too.
    """
    found = _all(workspace, name, offset)
    return [Location(one.file, one.span) for one in found if definitions or not one.defines]


def _all(workspace: Workspace, name: str, offset: int) -> Iterable[Mention]:
    mention = mention_at(workspace, name, offset)
    return () if mention is None else mentions_of(workspace, mention)


def highlights(workspace: Workspace, name: str, offset: int) -> list[Mention]:
    """Return the places of a text that use the name at an offset, its definition included."""
    mention = mention_at(workspace, name, offset)
    if mention is None:
        return []
    word = mention.name.rpartition("/")[2]
    there = (held for held in workspace.held(name) if word in held.document.text)
    return [one for held in there for one in mentions_in(workspace, name, held) if is_same(one, mention)]


def renamed_at(workspace: Workspace, name: str, offset: int) -> tuple[Span, str] | None:
    """Return the name at an offset that can be renamed, and its place; None where there is none."""
    mention = mention_at(workspace, name, offset)
    if mention is None or mention.role not in _RENAMED:
        return None
    names = set(workspace.names)
    if not any(one.defines and one.file in names for one in mentions_of(workspace, mention)):
        return None
    return mention.span, mention.name.rpartition("/")[2]


def rename(workspace: Workspace, name: str, offset: int, new: str) -> dict[str, tuple[Edit, ...]]:
    """Return the edits that rename the name at an offset wherever it is used.

    Raises:
        RenameError: there is nothing to rename, the new name is invalid or taken, or a place cannot be edited.
    """
    mention = mention_at(workspace, name, offset)
    if mention is None or renamed_at(workspace, name, offset) is None:
        raise RenameError("there is no name that can be changed here")
    wrong = FORMATS[_RENAMED[mention.role]].check(new)
    if wrong:
        raise RenameError(f'"{new}" {wrong.text}')
    head, slash, _ = mention.name.rpartition("/")
    taken = mentions_of(workspace, mention._replace(name=f"{head}{slash}{new}"))
    if any(one.defines for one in taken):
        raise RenameError(f'"{new}" is the name of another {mention.role}')
    edits: dict[str, list[Edit]] = {}
    implicit = f"{IMPLICIT}{mention.name}".encode()
    if mention.role == "DeviceClass" and any(implicit in (workspace.raw(file) or b"") for file in workspace.names):
        raise RenameError(f"a Pod requests {implicit.decode()}, an extended resource of this class; rename that first")
    names = set(workspace.names)  # without the inventory, which describes a cluster
    for one in mentions_of(workspace, mention):
        if one.file in names:
            edits.setdefault(one.file, []).extend(_renaming(workspace, one, new))
    return {file: tuple(made) for file, made in edits.items()}


def _renaming(workspace: Workspace, one: Mention, new: str) -> list[Edit]:
    held = next(held for held in workspace.held(one.file) if held.document.index == one.document)
    try:
        return moved(EditPlanner(held.document).replace_part(one.path, *one.part, new), held.start)
    except UnplaceableError as error:
        raise RenameError(f"{one.file}: the name cannot be edited: {error}") from error


def symbols(workspace: Workspace, name: str) -> list[Symbol]:
    """Return the objects of a text, with their requests, devices and claims."""
    out: list[Symbol] = []
    for held, item in workspace.objects(name):
        whole = span_of(held, item.path)
        if whole is not None and item.kind:
            start = Span(whole.start, min(whole.start + 1, whole.end))
            named = span_of(held, (*item.path, "metadata", "name")) or start
            out.append(Symbol(item.name or item.kind, item.kind, whole, named, tuple(_parts(held, item))))
    return out


_MOST_SYMBOLS = 200


def workspace_symbols(workspace: Workspace, words: str) -> list[tuple[str, Symbol]]:
    """Return the objects of all texts whose kind and name contain all words, with their texts; at most 200."""
    wanted = words.lower().split()
    names: list[str] = []
    for facts in workspace.facts():
        if all(word in f"{facts.kind} {facts.name} {facts.namespace or ''}".lower() for word in wanted):
            names.append(facts.file)
        if len(names) == _MOST_SYMBOLS:
            break
    out: list[tuple[str, Symbol]] = []
    for name in dict.fromkeys(names):
        found = symbols(workspace, name)
        out += [(name, one) for one in found if all(word in f"{one.kind} {one.name}".lower() for word in wanted)]
    return out[:_MOST_SYMBOLS]


def folds(workspace: Workspace, name: str) -> list[Span]:
    """Return the parts of a text to fold: objects, and values of several lines, each from its key on."""
    text = workspace.text(name)
    out: dict[int, Span] = {}
    for held in workspace.held(name):
        root = held.document.root if held.document.state == "read" else None
        for node, key in () if root is None else walk(root):
            there = Span(held.start + key.start, held.start + node.start + len(_bare(held, node)))
            first, last = (text.position(offset).line for offset in there)
            if first < last and node.kind != ALIAS:
                out.setdefault(first, there)
    return [out[line] for line in sorted(out)]


def _bare(held: OpenDocument, node: Node) -> str:
    """Return the text of a value, without the blank lines and comments behind it."""
    lines = held.document.text[node.start : node.end].splitlines(keepends=True)
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return "".join(lines).rstrip()


_LISTS = (
    (("spec", "devices", "requests"), "request"),
    (("spec", "spec", "devices", "requests"), "request"),
    (("spec", "devices"), "device"),
    (("spec", "sharedCounters"), "counter set"),
)


def _parts(held: OpenDocument, item: ApiObject) -> Iterator[Symbol]:
    lists = [*_LISTS, *(((*spec, "resourceClaims"), "claim") for spec in item.pod_specs())]
    for path, kind in lists:
        for number, entry in enumerate(list_of(at(item.data, path))):
            name, there = dict_of(entry).get("name"), (*item.path, *path, number)
            whole, named = span_of(held, there), span_of(held, (*there, "name"))
            if isinstance(name, str) and whole is not None and named is not None:
                yield Symbol(name, kind, whole, named)
