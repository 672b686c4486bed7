"""Recognizes claims that no rule between objects and no driver pack checks, as long as the input has nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.drivers.shipped import CONCERNED
from dralint.kubernetes.workloads import GROUP
from dralint.manifest.objects import mappings

if TYPE_CHECKING:
    from dralint.manifest.objects import ApiObject

_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate")
_COMPARED = frozenset({"config", "parametersRef", "selectors"})
"""Fields of claims that rules between objects (`rules`) check even in an input with only one claim."""


def needs_no_comparison(item: ApiObject) -> bool:
    """Say whether neither a rule between objects nor a shipped driver pack checks anything in the object alone."""
    if item.group != GROUP or item.kind not in _CLAIMS:
        return False
    return all(
        _COMPARED.isdisjoint(mapping) and str(mapping.get("deviceClassName")) not in CONCERNED
        for _, mapping in mappings(item.data)
    )
