"""The shapes of Pods and of kinds that embed them or list claims for them, as far as claims need them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.kubernetes.pod_types import pod_types
from dralint.kubernetes.release import in_range
from dralint.kubernetes.types import Shape, Struct
from dralint.kubernetes.workloads import GROUPED, POD_SPECS, WITHOUT_CLAIMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dralint.kubernetes.release import Release

_GROUPS = ("PodGroup", "Workload")
WORKLOADS = (*(kind for _, kind in POD_SPECS), *_GROUPS)
"""The kinds that `workload_types` knows."""

_POD_GROUP = [
    Struct("PodGroup", {"spec": Shape("struct", "PodGroupSpec"), "status": Shape("struct", "PodGroupStatus")}),
]
_WORKLOAD = [
    Struct("Workload", {"spec": Shape("struct", "WorkloadSpec")}),
    Struct("WorkloadSpec", {"podGroupTemplates": Shape("list", of=Shape("struct", "PodGroupTemplate"))}),
]
_BETWEEN = {"template": "PodTemplateSpec", "jobTemplate": "JobTemplateSpec"}


def workload_types(
    kind: str, core: Mapping[str, Struct], release: Release
) -> Iterator[tuple[str, Mapping[str, Struct]]]:
    """Yield each API version of a kind of WORKLOADS that the release serves, with the types; the kind is one of them.

    Args:
        core: the types of the core group, from the trimmed OpenAPI of the release.

    Sources: the `types.go` of core/v1, apps/v1, batch/v1 and scheduling/v1alpha2 to v1beta1 of k8s.io/api.
    """
    known = pod_types(core, release)
    if kind in _GROUPS:
        own = _POD_GROUP if kind == "PodGroup" else _WORKLOAD
        for (api_version, name), span in sorted(GROUPED.items(), reverse=True):
            if name == kind and in_range(span, release):
                structs = [Struct(kind, {})] if api_version == WITHOUT_CLAIMS else own
                yield api_version, {**known, **{struct.name: struct for struct in structs}}
        return
    for (api_version, name), path in POD_SPECS.items():
        if name == kind:
            own = _chain(kind, path, known)
            yield api_version, {**known, **{struct.name: struct for struct in own}}


def _chain(kind: str, path: tuple[str, ...], known: Mapping[str, Struct]) -> list[Struct]:
    """Return the types from the kind down to its Pod spec."""
    out: list[Struct] = []
    owner = kind
    for number, field in enumerate(path):
        own = f"{owner.removesuffix('TemplateSpec')}Spec"
        below = "core.PodSpec" if number == len(path) - 1 else _BETWEEN.get(field, own)
        fields = dict(known[owner].fields) if owner in known else {}
        fields[field] = Shape("struct", below)
        if owner == "Pod":
            fields["status"] = Shape("struct", "core.PodStatus")
        out.append(Struct(owner, fields))
        owner = below
    return out
