"""Objects of v1alpha1 and v1alpha2, which have another model: shows how to rewrite them by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.edit import write
from dralint.finding.problem import Problem
from dralint.finding.rule_ids import NO_COUNTERPART
from dralint.migrate.target import NoTargetError
from dralint.migrate.version_differences import VERSIONS

if TYPE_CHECKING:
    from dralint.manifest.objects import ApiObject
    from dralint.migrate.target import Target

_BECOMES = {
    "ResourceClass": "DeviceClass",
    "ResourceClaim": "ResourceClaim",
    "ResourceClaimTemplate": "ResourceClaimTemplate",
    "ResourceSlice": "ResourceSlice",
}
_WHY = {
    "ResourceClass": "a DeviceClass chooses devices by CEL selectors; the content of parametersRef goes into the "
    "opaque configuration of the driver",
    "ResourceClaim": "a claim lists its requests; the content of parametersRef goes into selectors, "
    "or into the opaque configuration of the driver",
    "ResourceSlice": "the driver creates its ResourceSlices: update the driver, and remove the manifest",
    "ResourceClaimParameters": "its content goes into the opaque configuration (`config`) of each ResourceClaim that "
    "refers to it",
    "ResourceClassParameters": "its content goes into the opaque configuration (`config`) of each DeviceClass that "
    "refers to it",
    "PodScheduling": "the scheduler manages such objects: remove the manifest",
    "PodSchedulingContext": "the scheduler manages such objects: remove the manifest",
}
_WHY["ResourceClaimTemplate"] = _WHY["ResourceClaim"]


def problem(item: ApiObject, target: Target) -> Problem | None:
    """Return how to replace an object of an API version with another model; the hint has a skeleton.

    None for a kind that no such API version has.
    """
    becomes = _BECOMES.get(item.kind)
    why = _WHY.get(item.kind)
    if why is None:
        return None
    hint = why
    if becomes is not None:
        try:
            version, _ = target.version_for(becomes)
        except NoTargetError:
            version = VERSIONS[-1]
        skeleton = write.block(_skeleton(item, becomes, version), -2).lstrip("\n")
        hint = f"{why}; the new object begins as\n{skeleton}"
    message = f"{item.api_version} has another model, which cannot be translated; dralint leaves the object unchanged"
    return Problem(NO_COUNTERPART, ("apiVersion",), message, None, hint)


def _skeleton(item: ApiObject, kind: str, version: str) -> dict[str, Any]:
    """Return the new object, filled with what the old one shows."""
    metadata = item.data.get("metadata")
    kept = metadata if isinstance(metadata, dict) else {}
    out: dict[str, Any] = {
        "apiVersion": version,
        "kind": kind,
        "metadata": {key: kept[key] for key in ("name", "generateName", "namespace", "labels") if kept.get(key)},
    }
    spec = item.data.get("spec")
    if kind == "DeviceClass":
        driver = item.data.get("driverName")
        name = driver if isinstance(driver, str) else "DRIVER"
        out["spec"] = {"selectors": [{"cel": {"expression": f'device.driver == "{name}"'}}]}
    elif kind == "ResourceSlice":
        out["spec"] = {
            "driver": item.data.get("driverName") or "DRIVER",
            "nodeName": item.data.get("nodeName") or "NODE",
            "pool": {"name": item.data.get("nodeName") or "POOL", "generation": 1, "resourceSliceCount": 1},
            "devices": [],
        }
    else:
        inner = spec.get("spec") if kind == "ResourceClaimTemplate" and isinstance(spec, dict) else spec
        class_name = inner.get("resourceClassName") if isinstance(inner, dict) else None
        fields = {"deviceClassName": class_name or "CLASS"}
        nested = VERSIONS.index(version) >= VERSIONS.index("resource.k8s.io/v1beta2")
        request = {"name": "device", "exactly": fields} if nested else {"name": "device", **fields}
        claim = {"devices": {"requests": [request]}}
        out["spec"] = {"spec": claim} if kind == "ResourceClaimTemplate" else claim
    return out
