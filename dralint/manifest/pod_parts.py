"""The parts of a Pod or workload that concern claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from dralint.finding.path import at
from dralint.kubernetes.pod_types import CONTAINERS
from dralint.kubernetes.workloads import POD_SPECS, STATUS_TYPES, is_group_of_pods
from dralint.manifest.claim_lists import claim_lists
from dralint.manifest.custom_pods import DEVICE_KEYS, as_use, custom_pods, known_kind
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.kubernetes.custom_kinds import CustomKind
    from dralint.manifest.custom_pods import CustomPod
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
    """Say whether a field name is meant for claims."""
    return key.lower().startswith(("claim", "resourceclaim"))


def has_claims(resources: Any) -> bool:
    """Say whether the resources of a container have claims."""
    return isinstance(resources, dict) and any(about_claims(key) for key in resources)


def holds_claims(key: str, value: Any) -> bool:
    """Say whether a field of a container is clearly a misspelt `resources` with claims."""
    return key not in _CONTAINER_FIELDS and isinstance(value, dict) and "claims" in value


_OF_RESOURCES = ("limits", "requests")
"""Fields next to the claims of a container, also where these are in the wrong place."""
_OF_ANY_KEY = ("nodeSelector", "overhead", "selector")
"""Fields of Pods and workloads that are maps, so that their keys can be any text."""


def is_claim(value: object, key: str) -> TypeGuard[dict[str, Any]]:
    """Say whether a field is clearly a claim of a Pod with its name as the key, where a list belongs."""
    return key not in _OF_ANY_KEY and _names_claim(value)


def _names_claim(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict) and ("resourceClaimName" in value or "resourceClaimTemplateName" in value)


def _is_about_claims(key: str, value: Any) -> bool:
    """Say whether a field of a Pod spec is clearly a misspelt list of claims, or one claim."""
    named = isinstance(value, list) and bool(value) and _names_claim(value[0])
    return named or about_claims(key) or is_claim(value, key)


class PodPart(NamedTuple):
    """A part of an object that concerns claims: its path, its type, and the view of it.

    `sure` means that it is certainly a Pod spec, `closed` that no other place declares its claims. A part with `moved`
    is put together: the first path of a pair is in the view, the second one is its place in the object.
    """

    path: Path
    type: str
    view: dict[str, Any]
    sure: bool = False
    closed: bool = True
    moved: tuple[tuple[Path, Path], ...] = ()

    def place_of(self, path: Path) -> Path:
        """Return the path in the object for a path of the view."""
        for length in range(len(path), 0, -1):
            for inner, place in self.moved:
                if inner == path[:length]:
                    return (*place, *path[length:])
        return (*self.path, *path)


def claim_parts(item: ApiObject) -> list[PodPart]:
    """Return the parts of an object that concern claims."""
    whole = (item.api_version, item.kind) in POD_SPECS
    kind = known_kind(item)
    parts = [] if kind is None else list(_custom_parts(item, kind))
    known = {part.path for part in parts}
    parts += [
        PodPart(path, "core.PodSpec", view)
        for path in item.pod_specs()
        if path not in known and (view := _pod_view(at(item.data, path), whole=whole)) is not None
    ]
    parts += [PodPart(*found) for found in claim_lists(item)]
    status, type_name = item.data.get("status"), STATUS_TYPES.get(item.kind)
    if type_name is not None and (whole or is_group_of_pods(item.group, item.kind)) and isinstance(status, dict):
        view = {key: value for key, value in status.items() if key == "resourceClaimStatuses"}
        parts += [PodPart(("status",), type_name, view)] if view else []
    return parts


def _custom_parts(item: ApiObject, kind: CustomKind) -> Iterator[PodPart]:
    """Yield the Pod specs of a custom resource of a known kind."""
    for pod in custom_pods(item, kind):
        spec = at(item.data, pod.path)
        view = _pod_view(spec, whole=False) if isinstance(spec, dict) else None
        if pod.place.simple and view is not None:
            yield PodPart(pod.path, "core.PodSpec", view, sure=True, closed=pod.closed)
        else:
            view, moved = _together(item, pod, view or {})
            yield PodPart(pod.path, "core.PodSpec", view, sure=True, closed=pod.closed, moved=moved)


def _together(
    item: ApiObject, pod: CustomPod, view: dict[str, Any]
) -> tuple[dict[str, Any], tuple[tuple[Path, Path], ...]]:
    """Return the view of a Pod spec whose lists and containers are in several places, and the places of its parts."""
    moved: list[tuple[Path, Path]] = []
    view = {key: value for key, value in view.items() if key in CONTAINERS}
    if pod.entries:
        view["resourceClaims"] = [entry for _, entry in pod.entries]
        moved += [(("resourceClaims", number), listed.path) for number, listed in enumerate(pod.entries)]
        moved.append((("resourceClaims",), pod.entries[0].path[:-1]))
    containers = [*view.get("containers", ())]
    for path in pod.containers:
        moved.append((("containers", len(containers)), path))
        containers.append({"resources": at(item.data, (*path, "resources"))})
    if pod.devices:
        base: Path = ("containers", len(containers), "resources", "claims")
        for number, path in enumerate(pod.devices):
            moved += [((*base, number, key), (*path, name)) for key, name in DEVICE_KEYS.items()]
            moved.append(((*base, number), path))
        containers.append({"resources": {"claims": [as_use(at(item.data, path)) for path in pod.devices]}})
    if containers:
        view["containers"] = containers
    return view, tuple(moved)


def _pod_view(spec: Any, *, whole: bool) -> dict[str, Any] | None:
    """Return the claim parts of a Pod spec; None when it has none.

    Fields with a similar name stay in place (`whole`: in the kinds of Kubernetes itself), so that decoding refuses
    them.
    """
    view: dict[str, Any] = {
        key: value for key, value in spec.items() if key == "resourceClaims" or (whole and _is_about_claims(key, value))
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
            resources = ("resources", *(_OF_RESOURCES if whole and any(map(about_claims, container)) else ()))
            part = {
                key: value
                for key, value in container.items()
                if key in resources
                or (whole and (key.lower() == "resources" or about_claims(key) or holds_claims(key, value)))
            }
            found = found or any(has_claims(value) or about_claims(key) for key, value in part.items())
            kept.append(part)
        view[kind] = kept
    if "resources" in spec and (whole or found or has_claims(spec["resources"])):
        view["resources"] = spec["resources"]
        found = True
    return view if found else None
