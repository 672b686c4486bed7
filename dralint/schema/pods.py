"""The JSON Schemas of Pods and workloads: they check only claims, and leave all other fields open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.kubernetes import shipped
from dralint.kubernetes.pod_types import TRIMMED, pod_types
from dralint.kubernetes.workloads import POD_SPECS
from dralint.schema.transforms import Builder, reference, union

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.kubernetes.release import Release

SPEC, _ENTRY = "core.PodSpec", "core.PodResourceClaim"
_NAMES = ("resourceClaimName", "resourceClaimTemplateName")


class PodBuilder(Builder):
    """Builds the schemas of the types around claims that a release has in Pods."""

    def __init__(self, release: Release, core: Mapping[str, Any]) -> None:
        super().__init__(release, core, shipped.index())
        self.structs = pod_types(self.structs, release)
        for name, struct in self.structs.items():
            self.sources.setdefault(name, {"properties": {field: {} for field in struct.fields}})

    def struct(self, type_: str) -> dict[str, Any]:
        """Return the schema of a type; one that has more fields than dralint knows is open."""
        schema = super().struct(type_)
        if type_ in TRIMMED:
            del schema["additionalProperties"]
        if type_ == _ENTRY:
            schema |= union(self.structs[type_], {"oneOf": _NAMES, "set": "present"})
        return schema


def branches() -> list[tuple[str, str, dict[str, Any]]]:
    """Return API version, kind and schema of each kind that has a Pod spec; it refers to the definition of that."""
    out = []
    for (api_version, kind), path in POD_SPECS.items():
        schema = reference(SPEC)
        for part in reversed(path):
            schema = {"type": ["object", "null"], "properties": {part: schema}}
        out.append((api_version, kind, schema))
    return out
