"""Pods and workloads: converts `source` of an entry of resourceClaims, which Kubernetes had up to 1.30.

No release accepts `source` together with an API version of the newer model, or the flat form together with one of the
older. So an object does not change if the claims and templates that it names stay in the older model.

Source: core/v1/types.go of k8s.io/api v0.30.14 and v0.31.14 (PodResourceClaim).
"""

from __future__ import annotations

import re
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


def staying(item: ApiObject, classic: Iterable[Partner]) -> tuple[Path, Partner] | None:
    """Return the first `source` of an object that names one of the partners, and the partner of the newest version."""
    near = [each for each in classic if each.namespace == item.namespace or None in (each.namespace, item.namespace)]
    near.sort(key=lambda each: each.api_version)
    by_name = {(partner.kind, partner.name): partner for partner in near}
    for change in changes(item) if by_name else ():
        for field, name in at(item.data, change.path).items():
            partner = by_name.get((_NAMES[field], name)) if isinstance(name, str) else None
            if partner is not None:
                return (*change.path, field), partner
    return None


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
