"""Connects names and references: definition, references, rename; and the objects of a text as an outline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.edit.edit import UnplaceableError, moved
from dralint.edit.place import EditPlanner
from dralint.editor.cursor import span_of
from dralint.editor.names import POD_CLAIM, REQUEST, mention_at, mentions_of
from dralint.editor.text import Span
from dralint.finding.problem import at
from dralint.kubernetes.formats import FORMATS
from dralint.manifest.objects import objects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.editor.cursor import OpenDocument
    from dralint.editor.names import Mention
    from dralint.editor.workspace import Workspace
    from dralint.finding.finding import Edit
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path

_RENAMED = {
    REQUEST: "dns-label",
    POD_CLAIM: "dns-label",
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
    mention = mention_at(workspace, name, offset)
    found = [] if mention is None else mentions_of(workspace, mention)
    return [Location(one.file, one.span) for one in found if one.defines]


def references(workspace: Workspace, name: str, offset: int, *, definitions: bool = True) -> list[Location]:
    """Return all places of the workspace that use the name at an offset.

    Args:
        definitions: whether to return the definitions, too.
    """
    mention = mention_at(workspace, name, offset)
    found = [] if mention is None else mentions_of(workspace, mention)
    return [Location(one.file, one.span) for one in found if definitions or not one.defines]


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
    for held in workspace.held(name):
        if held.document.state != "read":
            continue
        for item in objects(held.document.data):
            whole = span_of(held, item.path)
            if whole is not None and item.kind:
                named = span_of(held, (*item.path, "metadata", "name")) or _first(whole)
                children = tuple(_parts(held, item))
                out.append(Symbol(item.name or item.kind, item.kind, whole, named, children))
    return out


def _first(span: Span) -> Span:
    return Span(span.start, min(span.start + 1, span.end))


_LISTS = (
    (("spec", "devices", "requests"), "request"),
    (("spec", "spec", "devices", "requests"), "request"),
    (("spec", "devices"), "device"),
    (("spec", "sharedCounters"), "counter set"),
)


def _parts(held: OpenDocument, item: ApiObject) -> Iterator[Symbol]:
    lists = [*_LISTS, *(((*spec, "resourceClaims"), "claim") for spec in item.pod_specs())]
    for path, kind in lists:
        entries = at(item.data, path)
        for number, entry in enumerate(entries if isinstance(entries, list) else ()):
            part = _part(held, (*item.path, *path, number), entry, kind)
            if part is not None:
                yield part


def _part(held: OpenDocument, path: Path, entry: object, kind: str) -> Symbol | None:
    name = entry.get("name") if isinstance(entry, dict) else None
    whole, named = span_of(held, path), span_of(held, (*path, "name"))
    if not isinstance(name, str) or whole is None or named is None:
        return None
    return Symbol(name, kind, whole, named)
