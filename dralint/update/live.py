"""Prepares live objects as the old side of an update: keeps only what a manifest can change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dralint.files.comparison_side import Text
from dralint.manifest.objects import objects_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
