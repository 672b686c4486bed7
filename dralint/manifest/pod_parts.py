"""The parts of a Pod or workload that speak of claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.path import at
from dralint.kubernetes.pod_types import CONTAINERS
from dralint.kubernetes.workloads import POD_SPECS, SERVED, STATUS_TYPES
from dralint.manifest.claim_lists import claim_lists

if TYPE_CHECKING:
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path


_CONTAINER_FIELDS = frozenset(
    {
        "args",
        "command",
        "env",
        "envFrom",
        "image",
        "imagePullPolicy",
        "lifecycle",
        "livenessProbe",
        "name",
        "ports",
        "readinessProbe",
        "resizePolicy",
        "resources",
        "restartPolicy",
        "restartPolicyRules",
        "securityContext",
        "startupProbe",
        "stdin",
        "stdinOnce",
        "targetContainerName",
        "terminationMessagePath",
        "terminationMessagePolicy",
        "tty",
        "volumeDevices",
        "volumeMounts",
        "workingDir",
    }
)


def about_claims(key: str) -> bool:
    """Say whether the name of a field is meant for claims."""
    return key.lower().startswith(("claim", "resourceclaim"))


def has_claims(resources: Any) -> bool:
    """Say whether the resources of a container speak of claims."""
    return isinstance(resources, dict) and any(about_claims(key) for key in resources)


def holds_claims(key: str, value: Any) -> bool:
    """Say whether a field of a container can only be meant as its resources, misspelt, with claims."""
    return key not in _CONTAINER_FIELDS and isinstance(value, dict) and "claims" in value


def _names_claims(value: Any) -> bool:
    """Say whether a field of a Pod spec can only be meant as its claims, misspelt: its entries name claims."""
    return (
        isinstance(value, list)
        and bool(value)
        and isinstance(value[0], dict)
        and ("resourceClaimName" in value[0] or "resourceClaimTemplateName" in value[0])
    )


class PodPart(NamedTuple):
    """A part of an object that speaks of claims: where it lies, of which type it is, and the view of it."""

    path: Path
    type: str
    view: dict[str, Any]


def claim_parts(item: ApiObject) -> list[PodPart]:
    """Return the parts of an object that speak of claims."""
    whole = (item.api_version, item.kind) in POD_SPECS
    parts = [
        PodPart(path, "core.PodSpec", view)
        for path in item.pod_specs()
        if (view := _pod_view(at(item.data, path), whole=whole)) is not None
    ]
    parts += [PodPart(*found) for found in claim_lists(item)]
    status, type_name = item.data.get("status"), STATUS_TYPES.get(item.kind)
    if type_name is not None and (whole or item.api_version in SERVED) and isinstance(status, dict):
        view = {key: value for key, value in status.items() if key == "resourceClaimStatuses"}
        parts += [PodPart(("status",), type_name, view)] if view else []
    return parts


def _pod_view(spec: Any, *, whole: bool) -> dict[str, Any] | None:
    """Return what a Pod spec says of claims; None when it says nothing.

    Fields with a similar name are kept where they stand (`whole`: in the kinds of Kubernetes itself), for decoding to
    refuse them.
    """
    view: dict[str, Any] = {
        key: value
        for key, value in spec.items()
        if key == "resourceClaims" or (whole and (about_claims(key) or _names_claims(value)))
    }
    found = bool(view)
    for kind in CONTAINERS:
        containers = spec.get(kind)
        if not isinstance(containers, list):
            continue
        kept: list[Any] = []
        for container in containers:
            if not isinstance(container, dict):
                kept.append(None)
                continue
            part = {
                key: value
                for key, value in container.items()
                if key == "resources"
                or (whole and (key.lower() == "resources" or about_claims(key) or holds_claims(key, value)))
            }
            found = found or any(has_claims(value) or about_claims(key) for key, value in part.items())
            kept.append(part)
        view[kind] = kept
    if "resources" in spec and (whole or found or has_claims(spec["resources"])):
        view["resources"] = spec["resources"]
        found = True
    return view if found else None
