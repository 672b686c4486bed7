"""Pairs the objects of both sides of an update, and prepares live objects as its old side."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint.files.git import Text
from dralint.kubernetes.served import CLUSTER_SCOPED
from dralint.manifest.objects import objects, objects_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Document


Key = tuple[str, str, str]
"""Kind, namespace (empty where there is none) and name."""

_OF_THE_SERVER = ("metadata", "status")
_NAME = "the inventory"


def old_side(live: Iterable[tuple[Key, Mapping[str, Any]]], written: Mapping[Key, str]) -> list[Text]:
    """Return the live objects of manifests as a text, without what the API server keeps whatever a manifest has.

    `written` has the changed objects, each with the namespace that the manifest itself names.
    """
    found = []
    for key, item in live:
        if key in written:
            metadata = {"name": key[2], **({"namespace": written[key]} if written[key] else {})}
            found.append({**{name: item[name] for name in item if name not in _OF_THE_SERVER}, "metadata": metadata})
    raw = json.dumps({"apiVersion": "v1", "kind": "List", "items": found}).encode()
    return [Text(_NAME, _NAME, lambda: raw, reported=False)] if found else []


def key_of(item: Mapping[str, Any]) -> Key:
    """Return under which key a live object is known."""
    metadata = item.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return str(item.get("kind")), str(metadata.get("namespace") or ""), str(metadata.get("name"))


def written_in(raws: Iterable[bytes], namespace: str) -> dict[Key, str]:
    """Return the objects of manifests, with the namespace that each names; the others are in `namespace` or none."""
    found: dict[Key, str] = {}
    for raw in raws:
        for _, item in objects_of(raw):
            own = item.namespace or ""
            for inside in (own,) if own else (namespace, ""):
                found[item.kind, inside, item.name or ""] = own
    return found


@dataclass(frozen=True, slots=True, eq=False)
class PlacedObject:
    """One object of one side, and its place."""

    file: str
    key: str
    document: Document
    item: ApiObject

    @property
    def named(self) -> bool:
        """Whether it has its own name; an object without one is created again each time."""
        name = self.item.name
        return name is not None and not name.endswith("*")

    @property
    def identity(self) -> tuple[str, str, str, str | None]:
        """The identity of the object in the cluster, whatever its API version is."""
        namespace = "" if self.item.kind in CLUSTER_SCOPED else self.item.namespace or ""
        return (self.item.group, self.item.kind, namespace, self.item.name)


@dataclass(slots=True)
class Side:
    """All objects of one side, in order."""

    objects: list[PlacedObject] = field(default_factory=list)

    def add(self, text: Text, documents: Iterable[Document]) -> None:
        """Add the objects of one file."""
        for document in documents:
            if document.state == "read":
                self.objects += [PlacedObject(text.name, text.key, document, item) for item in objects(document.data)]


@dataclass(slots=True)
class Pairs:
    """The result of pairing: `old` by new object, and `replaced` where another object has the place of an old one."""

    old: dict[PlacedObject, PlacedObject] = field(default_factory=dict)
    replaced: dict[PlacedObject, PlacedObject] = field(default_factory=dict)


def pair(old: Side, new: Side) -> Pairs:
    """Pair the objects with the same identity: first those in files of the same key, then all others.

    A single object left on each side of one file is paired too: it was renamed, or changed its kind. Of several, those
    with the same kind, or else the same name, are paired.
    """
    pairs = Pairs()
    left, unmatched = _match(old.objects, new.objects, pairs, lambda found: (found.key, found.identity))
    left, unmatched = _match(left, unmatched, pairs, lambda found: found.identity)
    by_kind = _match(left, unmatched, pairs, lambda found: (found.key, found.item.group, found.item.kind), renamed=True)
    _match(*by_kind, pairs, lambda found: (found.key, found.item.group, found.item.name), renamed=True)
    return pairs


def _match(
    old: list[PlacedObject],
    new: list[PlacedObject],
    pairs: Pairs,
    key: Callable[[PlacedObject], object],
    *,
    renamed: bool = False,
) -> tuple[list[PlacedObject], list[PlacedObject]]:
    """Pair objects with the same key in their order; return those that are left on both sides."""
    waiting: dict[object, list[PlacedObject]] = {}
    for found in reversed(old):
        if found.named:
            waiting.setdefault(key(found), []).append(found)
    unmatched: list[PlacedObject] = []
    used: set[int] = set()
    for found in new:
        candidates = waiting.get(key(found))
        if not candidates or not found.named:
            unmatched.append(found)
            continue
        before = candidates.pop()
        used.add(id(before))
        (pairs.replaced if renamed else pairs.old)[found] = before
    return [found for found in old if id(found) not in used], unmatched
