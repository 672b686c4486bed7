"""Objects that no rule between objects and no driver pack asks about, as long as the input has nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.drivers.shipped import CONCERNED
from dralint.kubernetes.workloads import GROUP
from dralint.manifest.objects import mappings

if TYPE_CHECKING:
    from dralint.manifest.objects import ApiObject

_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate")
_COMPARED = frozenset({"config", "parametersRef", "selectors"})
"""Fields of claims that rules ask about even if there is only the claim; see `rules`."""


def stands_alone(item: ApiObject) -> bool:
    """Say whether neither `rules` nor a shipped driver pack has anything about the object by itself."""
    if item.group != GROUP or item.kind not in _CLAIMS:
        return False
    return all(
        _COMPARED.isdisjoint(mapping) and str(mapping.get("deviceClassName")) not in CONCERNED
        for _, mapping in mappings(item.data)
    )
