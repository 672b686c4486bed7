"""The parts of the types of Pods and workloads that resource claims need; the shipped OpenAPI has only the types
inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.kubernetes.release import Release, in_range
from dralint.kubernetes.types import Shape, Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
"""The lists of containers in a Pod spec."""

TRIMMED = frozenset(
    """
    core.PodSpec core.Container core.PodStatus PodGroupStatus PodGroupSpec PodGroupTemplate JobSpec
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)
"""The types with more fields than this module has."""

_STRING = Shape("string")
_CLAIM_NAMES = {"name": _STRING, "resourceClaimName": _STRING, "resourceClaimTemplateName": _STRING}


def _list_of(name: str) -> Shape:
    return Shape("list", of=Shape("struct", name))


def pod_types(core: Mapping[str, Struct], release: Release) -> dict[str, Struct]:
    """Return the types of the core group together with those around claims, as a release has them.

    Sources: core/v1/types.go, batch/v1/types.go and scheduling/v1alpha2 to v1beta1/types.go of k8s.io/api.
    """
    resources = Shape("struct", "core.ResourceRequirements")
    spec: dict[str, Shape] = {"resourceClaims": _list_of("core.PodResourceClaim")}
    spec |= {name: _list_of("core.Container") for name in CONTAINERS}
    if in_range("1.32..", release):
        spec["resources"] = resources
    statuses = _list_of("PodResourceClaimStatus")
    claims = {"resourceClaims": _list_of("PodGroupResourceClaim")}
    own = [
        Struct("core.PodSpec", spec),
        Struct("core.Container", {"resources": resources}),
        Struct("core.PodStatus", {"resourceClaimStatuses": statuses} if in_range("1.28..", release) else {}),
        Struct("PodGroupStatus", {"resourceClaimStatuses": statuses}),
        Struct("PodResourceClaimStatus", {"name": _STRING, "resourceClaimName": _STRING}),
        Struct("PodGroupSpec", claims),
        Struct("PodGroupTemplate", claims if in_range("1.36..", release) else {}),
        Struct("PodGroupResourceClaim", _CLAIM_NAMES),
        Struct("JobSpec", {"scheduling": Shape("struct", "JobScheduling")} if in_range("1.37..", release) else {}),
        Struct("JobScheduling", claims),
    ]
    return {**core, **{struct.name: struct for struct in own}}
