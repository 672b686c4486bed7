"""The Pods of custom resources: where they declare claims, and where containers and devices use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.path import at, list_of
from dralint.kubernetes.custom_kinds import ITEMS, VALUES, CustomKind, Pattern, PodPlace, custom_kind
from dralint.kubernetes.pod_types import CONTAINERS
from dralint.manifest.objects import is_patch
from dralint.records import NamedTuple
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path

DEVICE_KEYS = {"name": "claimName", "request": "requestName"}
"""Keys by which a device of a virtual machine names a claim and its request → the keys of a container."""
_NAMES = ("resourceClaimName", "resourceClaimTemplateName")


class Listed(NamedTuple):
    """An entry of a list of claims: its place, and the entry in the form of a Pod."""

    path: Path
    entry: Any


class Used(NamedTuple):
    """A use of a claim: its place, the use in the form of a container, and the key that names the request there."""

    path: Path
    use: dict[str, Any]
    key: str = "request"


class CustomPod(NamedTuple):
    """One Pod spec of a custom resource.

    `path` leads to the parent of its list. `own` means that no other Pods share the list, `closed` that only `entries`
    can declare a claim. `containers` are those outside of the Pod spec.
    """

    path: Path
    place: PodPlace
    entries: tuple[Listed, ...]
    containers: tuple[Path, ...]
    devices: tuple[Path, ...]
    own: bool
    closed: bool


def known_kind(item: ApiObject) -> CustomKind | None:
    """Return what is known of the kind of an object; None for a kind of Kubernetes itself."""
    return custom_kind(item.group, item.kind) if "." in item.group else None


def matches(data: Any, pattern: Pattern, path: Path = ()) -> Iterator[Path]:
    """Yield the places in the data that match a pattern; `path` leads to the data."""
    if not pattern:
        yield path
    elif pattern[0] == ITEMS:
        for position, member in enumerate(data if isinstance(data, list) else ()):
            yield from matches(member, pattern[1:], (*path, position))
    elif pattern[0] == VALUES:
        for key, member in data.items() if isinstance(data, dict) else ():
            yield from matches(member, pattern[1:], (*path, key))
    elif isinstance(data, dict) and pattern[0] in data:
        yield from matches(data[pattern[0]], pattern[1:], (*path, pattern[0]))


def beside(data: dict[str, Any], pattern: Pattern, other: Pattern, path: Path) -> Iterator[Path]:
    """Yield the places of a pattern that share the beginning of another pattern's place."""
    common = 0
    while common < min(len(pattern), len(other), len(path)) and pattern[common] == other[common]:
        common += 1
    yield from matches(at(data, path[:common]), pattern[common:], path[:common])


def custom_pods(item: ApiObject, kind: CustomKind) -> Iterator[CustomPod]:
    """Yield the Pod specs of a custom resource of a known kind that concern claims."""
    for place in kind.pods:
        last = max((n for n, part in enumerate(place.at, 1) if part in (ITEMS, VALUES)), default=0)
        for start in matches(item.data, place.at[:last]):
            pod = _pod(item, place, (*start, *place.at[last:]))
            if pod is not None:
                yield pod


def _pod(item: ApiObject, place: PodPlace, path: Path) -> CustomPod | None:
    data = item.data
    spec = at(data, path)
    own = isinstance(spec, dict) and place.list in spec
    lists = [path] if own else []
    if not own:
        lists += next(([found] for p in place.otherwise for found in _holders(data, p, place, path)), [])
    lists += [found for pattern in place.also for found in _holders(data, pattern, place, path)]
    entries: list[Listed] = []
    names: set[str] = set()
    for holder in lists:
        held = at(data, (*holder, place.list))
        inner = {str(entry.get("name")) for entry in list_of(held) if isinstance(entry, dict)}
        for position, entry in enumerate(list_of(held)):
            where = (*holder, place.list, position)
            if place.list != "resourceClaims":
                entry = _unnamed(entry, position)
                if entry is None:
                    continue
            elif isinstance(entry, dict) and str(entry.get("name")) in names:
                continue  # merged with the one of the other list
            entries.append(Listed(where, entry))
        names |= inner
    patches = [found for pattern in place.patches for found in beside(data, pattern, place.at, path)]
    patched = [_patch_of(at(data, found)) for found in patches]
    for where, patch in zip(patches, patched, strict=True):
        held = list_of(patch.get("resourceClaims")) if patch is not None else []
        inner = {str(entry.get("name")) for entry in held if isinstance(entry, dict)}
        entries = [one for one in entries if not (isinstance(one.entry, dict) and str(one.entry.get("name")) in inner)]
        entries += [Listed(where, entry) for entry in held]
    containers = [found for pattern in place.containers for found in beside(data, pattern, place.at, path)]
    containers = [found for found in containers if _uses(at(data, found))]
    devices = [found for pattern in place.devices for found in beside(data, pattern, place.at, path)]
    devices = [found for found in devices if _names_claim(at(data, found))]
    inside = isinstance(spec, dict) and any(
        _uses(container) for name in CONTAINERS for container in list_of(spec.get(name))
    )
    if not (own or entries or containers or devices or inside):
        return None
    if not own and not (containers or devices or inside):
        return None  # its claims are in another list, and judged there
    listed = own or any(one.path not in patches for one in entries)
    more = place.layered or any(True for pattern in place.unless for _ in beside(data, pattern, place.at, path))
    shared = own and not place.also
    return CustomPod(
        path,
        place,
        tuple(entries),
        tuple(containers),
        tuple(devices),
        shared,
        (listed or not more) and None not in patched,
    )


def _patch_of(text: Any) -> dict[str, Any] | None:
    """Return the data of a patch that is written as a text of YAML or JSON; None where it can mean anything.

    That is so for a text with parameters, with directives of a patch, or that cannot be read.
    """
    if not isinstance(text, str) or "{{" in text:
        return None
    data = [document.data for document in read(text.encode()) if document.state == "read"]
    return data[0] if len(data) == 1 and isinstance(data[0], dict) and not is_patch(data[0]) else None


def _holders(data: dict[str, Any], pattern: Pattern, place: PodPlace, path: Path) -> Iterator[Path]:
    """Yield the places of a pattern that have a list of claims."""
    for found in beside(data, pattern, place.at, path):
        holder = at(data, found)
        if isinstance(holder, dict) and isinstance(holder.get(place.list), list):
            yield found


def _unnamed(entry: Any, position: int) -> dict[str, Any] | None:
    """Return an entry without a name in the form of a Pod; None where the controller makes its claim."""
    if not isinstance(entry, dict) or not any(key in entry for key in _NAMES):
        return None
    return {"name": f"claim-{position}", **{key: entry[key] for key in _NAMES if key in entry}}


def uses(item: ApiObject, pod: CustomPod) -> Iterator[Used]:
    """Yield the uses of a Pod's claims, in containers and devices."""
    data = item.data
    for path in (*container_places(data, pod), *pod.containers):
        for position, use in enumerate(list_of(at(data, (*path, "resources", "claims")))):
            if isinstance(use, dict):
                yield Used((*path, "resources", "claims", position), use)
    for path in pod.devices:
        yield Used(path, as_use(at(data, path)), DEVICE_KEYS["request"])


def container_places(data: dict[str, Any], pod: CustomPod) -> Iterator[Path]:
    """Yield the places of the containers in the Pod spec itself."""
    spec = at(data, pod.path)
    for name in CONTAINERS:
        found = list_of(spec.get(name)) if isinstance(spec, dict) else []
        yield from ((*pod.path, name, position) for position in range(len(found)))


def as_use(device: dict[str, Any]) -> dict[str, Any]:
    """Return the use of a claim by a device, in the form of a container."""
    return {key: device[other] for key, other in DEVICE_KEYS.items() if other in device}


def _uses(container: Any) -> bool:
    resources = container.get("resources") if isinstance(container, dict) else None
    return isinstance(resources, dict) and any(key.lower().startswith("claim") for key in resources)


def _names_claim(device: Any) -> bool:
    return isinstance(device, dict) and any(key in device for key in DEVICE_KEYS.values())
