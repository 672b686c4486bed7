"""Checks that need the metadata of a Pod and its claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.problem import Problem
from dralint.finding.rule_ids import CLAIMS_NOT_ALLOWED_HERE, DNS_SUBDOMAIN
from dralint.finding.words import quoted
from dralint.kubernetes.formats import dns_subdomain

if TYPE_CHECKING:
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path


_MIRROR = "kubernetes.io/config.mirror"
_GENERATED, _LONGEST_PREFIX = "x2x4x", 58


def pod_metadata(does: frozenset[str], item: ApiObject, part: Path, view: dict[str, Any]) -> list[Problem]:
    """Return the problems that depend on the metadata of a Pod (the template of a Pod has none yet)."""
    metadata = item.data.get("metadata")
    claims = view.get("resourceClaims")
    if not isinstance(metadata, dict) or not claims:
        return []
    problems: list[Problem] = []
    here = (*part, "resourceClaims")
    annotations = metadata.get("annotations")
    if "mirror-pod-without-claims" in does and isinstance(annotations, dict) and _MIRROR in annotations:
        message = "a Pod that mirrors a static Pod cannot have claims"
        hint = "static Pods cannot use claims: create an ordinary Pod"
        related = (("marks it as a mirror", ("metadata", "annotations", _MIRROR)),)
        problems.append(
            Problem(CLAIMS_NOT_ALLOWED_HERE, here, message, "Forbidden", hint, target="key", related=related)
        )
    if "pod-claim-name-combined" in does:
        name, prefix = item.data["metadata"].get("name"), metadata.get("generateName")
        if not name and isinstance(prefix, str) and prefix:
            name = prefix[:_LONGEST_PREFIX] + _GENERATED
        for position, claim in enumerate(claims):
            entry = claim or {}
            if entry.get("name") and (entry.get("source") or {}).get("resourceClaimTemplateName") is not None:
                combined = f"{name}-{entry['name']}"
                fault = dns_subdomain(combined) if isinstance(name, str) and name else None
                if fault is not None and dns_subdomain(entry["name"]) is None:
                    message = f"the claim made from the template would be called {quoted(combined)}, which {fault.text}"
                    hint = "give the Pod, or this entry, another name"
                    problems.append(Problem(DNS_SUBDOMAIN, (*here, position, "name"), message, "Invalid", hint))
    return problems
