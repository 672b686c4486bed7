"""Objects that no rule compares with anything as long as the input has nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.kubernetes.workloads import GROUP
from dralint.manifest.objects import mappings

if TYPE_CHECKING:
    from dralint.manifest.objects import ApiObject

_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate")
_COMPARED = frozenset({"config", "parametersRef", "selectors"})
"""Fields of claims that rules ask about even if there is only the claim; see `rules`."""


def stands_alone(item: ApiObject) -> bool:
    """Say whether `rules` has no rule for the object by itself, so that nobody needs its facts."""
    if item.group != GROUP or item.kind not in _CLAIMS:
        return False
    return all(_COMPARED.isdisjoint(mapping) for _, mapping in mappings(item.data))
