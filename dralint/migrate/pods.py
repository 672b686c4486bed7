"""Pods and workloads: converts `source` of an entry of resourceClaims, which Kubernetes had up to 1.30.

No release accepts `source` together with an API version of the newer model, or the flat form together with one of the
older. So an object does not change if the claims and templates that it names stay in the older model.

Source: core/v1/types.go of k8s.io/api v0.30.14 and v0.31.14 (PodResourceClaim).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dralint.finding.path import at
from dralint.kubernetes.served import CLASSIC, shape
from dralint.manifest.objects import objects
from dralint.migrate.changes import Conversion

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Document, Path

_NAMES = {"resourceClaimName": "ResourceClaim", "resourceClaimTemplateName": "ResourceClaimTemplate"}
MAY_BE_CLASSIC = re.compile(rb"resource\.k8s\.io/v1alpha[12]\b")
"""A text without these bytes has no object of the older model."""


class Partner(NamedTuple):
    """A claim or template of the older model that Pods can name."""

    kind: str
    namespace: str | None
    name: str
    api_version: str


def partners(documents: Iterable[Document]) -> frozenset[Partner]:
    """Return the claims and templates of the older model."""
    return frozenset(
        Partner(item.kind, item.namespace, item.name, item.api_version)
        for document in documents
        if document.state == "read"
        for item in objects(document.data)
        if item.kind in _NAMES.values() and shape(item.api_version, item.kind) == CLASSIC and item.name is not None
    )


def staying(item: ApiObject, classic: frozenset[Partner]) -> tuple[Path, Partner] | None:
    """Return the first `source` of an object that names one of the partners, and the partner of the newest version."""
    newest = _newest(classic)
    for change in changes(item) if newest else ():
        for field, name in at(item.data, change.path).items():
            if isinstance(name, str) and (near := _near(newest, item, _NAMES[field], name)):
                return (*change.path, field), max(near, key=lambda partner: partner.api_version)
    return None


@lru_cache(maxsize=1)
def _newest(classic: frozenset[Partner]) -> dict[tuple[str | None, ...], Partner]:
    """Return the newest partner of each kind and name, and of each kind, name and namespace."""
    return {
        key: partner
        for partner in sorted(classic, key=lambda each: each.api_version)
        for key in ((partner.kind, partner.name), (partner.kind, partner.name, partner.namespace))
    }


def _near(newest: dict[tuple[str | None, ...], Partner], item: ApiObject, kind: str, name: str) -> list[Partner]:
    """Return the partners of a kind and name that are, or may be, in the namespace of an object."""
    keys: list[tuple[str | None, ...]] = [(kind, name)]
    if item.namespace is not None:
        keys = [(kind, name, item.namespace), (kind, name, None)]
    return [newest[key] for key in keys if key in newest]


def changes(item: ApiObject) -> list[Conversion]:
    """Return the changes that turn the claims of an object with Pod specs into the form of 1.31 and later."""
    out: list[Conversion] = []
    for spec in item.pod_specs():
        claims = at(item.data, (*spec, "resourceClaims"))
        for position, entry in enumerate(claims if isinstance(claims, list) else ()):
            source = entry.get("source") if isinstance(entry, dict) else None
            if isinstance(source, dict) and source and set(source) <= set(_NAMES) and not set(_NAMES) & set(entry):
                out.append(Conversion("unwrap", (*spec, "resourceClaims", position, "source")))
    return out
