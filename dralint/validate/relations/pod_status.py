"""Checks the status of a Pod or a group of Pods: which claims were made for it.

Sources: ValidatePodResourceClaimStatuses in pkg/apis/core/validation/validation.go (v1.28.15 to v1.37.0),
pkg/apis/scheduling/validation/validation.go (v1.36.3 to v1.37.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.path import at
from dralint.finding.problem import Problem
from dralint.finding.rule_ids import DUPLICATE_ENTRY, UNKNOWN_POD_CLAIM
from dralint.finding.words import ordinal, quoted
from dralint.kubernetes.formats import dns_subdomain
from dralint.kubernetes.near import closest
from dralint.validate.constraints import FORMAT_RULES

if TYPE_CHECKING:
    from dralint.kubernetes.limit_rows import Limits
    from dralint.manifest.objects import ApiObject


_PATH = ("status", "resourceClaimStatuses")


def claim_statuses(does: frozenset[str], limits: Limits, item: ApiObject, status: dict[str, Any]) -> list[Problem]:
    """Return the problems of the status entries: unknown or repeated names."""
    statuses = status.get("resourceClaimStatuses") or []
    group = item.kind == "PodGroup"
    if group and len(statuses) > limits.limit("PodGroupStatus", _PATH[-1], "maxItems"):
        return []  # the table reports that, and no entry counts
    claims = at(item.data, ("spec", "resourceClaims"))
    names = {
        claim["name"]
        for claim in (claims if isinstance(claims, list) else [])
        if isinstance(claim, dict) and isinstance(claim.get("name"), str)
    }
    out: list[Problem] = []
    seen: dict[str, int] = {}
    for position, entry in enumerate(statuses):
        value = entry or {}
        place = (*_PATH, position)
        name, made = value.get("name") or "", value.get("resourceClaimName")
        if name not in names:
            known = f"it has: {', '.join(sorted(names)[:8])}" if names else "it has none"
            text = f"{quoted(name)} is not the name of an entry in resourceClaims of the spec; {known}"
            hint = closest(name, names) or "name an entry of spec.resourceClaims"
            out.append(Problem(UNKNOWN_POD_CLAIM, (*place, "name"), text, "Invalid", hint))
        if name in seen:
            text = f"`name` {quoted(name)} is already used by the {ordinal(seen[name])} entry"
            out.append(Problem(DUPLICATE_ENTRY, place if group else (*place, "name"), text, "Duplicate", "remove it"))
        seen.setdefault(name, position)
        fault = None if made is None else dns_subdomain(made)
        if fault is not None:
            blamed = "name" if "pod-status-blames-name" in does else "resourceClaimName"
            text = f"{quoted(made)} {fault.text}"
            where = (*place, "resourceClaimName")
            rule = FORMAT_RULES["a DNS subdomain"]
            out.append(Problem(rule, (*place, blamed), text, fault.reason, fault.advice, where))
    return out
