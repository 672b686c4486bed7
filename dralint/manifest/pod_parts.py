"""The parts of Pods, workloads, groups of Pods and custom resources that concern claims; objects astray."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeGuard

from dralint.finding.problem import Problem, at, list_of
from dralint.finding.rule_ids import DISPLACED_FIELD, UNKNOWN_FIELD
from dralint.kubernetes.near import near
from dralint.kubernetes.served import is_ours
from dralint.kubernetes.types import CONTAINERS
from dralint.kubernetes.workloads import (
    CLAIMS,
    GROUP,
    ITEMS,
    POD_SPECS,
    STATUS_TYPES,
    VALUES,
    CustomKind,
    Pattern,
    PodPlace,
    is_group_of_pods,
)
from dralint.manifest.objects import is_patch, known_kind, mappings, objects, type_meta
from dralint.records import NamedTuple
from dralint.yaml import ReadingProblem, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Document, Path


_JOBS: dict[tuple[str, str], Path] = {
    ("batch/v1", "Job"): ("spec",),
    ("batch/v1", "CronJob"): ("spec", "jobTemplate", "spec"),
}


def claim_lists(item: ApiObject) -> list[tuple[Path, str, dict[str, Any]]]:
    """Return (path, type, view) of each part of the object that lists claims of a group of Pods."""
    job = _JOBS.get((item.api_version, item.kind))
    if job is not None:
        scheduling = at(item.data, (*job, "scheduling"))
        if isinstance(scheduling, dict) and CLAIMS in scheduling:
            return [(job, "JobSpec", {"scheduling": {CLAIMS: scheduling[CLAIMS]}})]
    if not is_group_of_pods(item.group, item.kind):
        return []
    if item.kind == "PodGroup":
        return _with_claims(("spec",), item.data.get("spec"), "PodGroupSpec")
    return _templates(item.data)


def _with_claims(path: Path, value: Any, type_name: str) -> list[tuple[Path, str, dict[str, Any]]]:
    if isinstance(value, dict) and CLAIMS in value:
        return [(path, type_name, {CLAIMS: value[CLAIMS]})]
    return []


def _templates(workload: dict[str, Any]) -> list[tuple[Path, str, dict[str, Any]]]:
    """Return the templates of Pod groups of a Workload, including those in composite templates."""
    out: list[tuple[Path, str, dict[str, Any]]] = []
    todo: list[tuple[Path, Any]] = [(("spec",), workload.get("spec"))]
    while todo:
        path, value = todo.pop()
        if not isinstance(value, dict):
            continue
        for position, template in enumerate(list_of(value.get("podGroupTemplates"))):
            out += _with_claims((*path, "podGroupTemplates", position), template, "PodGroupTemplate")
        for position, composite in enumerate(list_of(value.get("compositePodGroupTemplates"))):
            todo.append(((*path, "compositePodGroupTemplates", position), composite))
    return out


DEVICE_KEYS = {"name": "claimName", "request": "requestName"}
"""Keys by which a device of a virtual machine names a claim and its request → the keys of a container."""
_NAMES = ("resourceClaimName", "resourceClaimTemplateName")


class Listed(NamedTuple):
    """An entry of a list of claims: its place, and the entry in the form of a Pod."""

    path: Path
    entry: Any


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


_MOST_PODS = 1 << 31


def number_of(item: ApiObject, pod: CustomPod) -> tuple[int, list[Path]]:
    """Return how many Pods of a Pod spec there are, and the places of the numbers; one that is missing counts as 1."""
    number, factor, paths = 1, 1, []
    for pattern in pod.place.number:
        factor = 1
        for path in beside(item.data, pattern, pod.place.at, pod.path):
            paths.append(path)
            written = at(item.data, path)
            factor *= written if isinstance(written, int) and 0 <= written < _MOST_PODS else 1
        number *= factor
    if factor and any(True for pattern in pod.place.fewer for _ in beside(item.data, pattern, pod.place.at, pod.path)):
        number = number // factor * (factor - 1)
    return number, paths


def as_use(device: dict[str, Any]) -> dict[str, Any]:
    """Return the use of a claim by a device, in the form of a container."""
    return {key: device[other] for key, other in DEVICE_KEYS.items() if other in device}


def _uses(container: Any) -> bool:
    resources = container.get("resources") if isinstance(container, dict) else None
    return isinstance(resources, dict) and any(key.lower().startswith("claim") for key in resources)


def _names_claim(device: Any) -> bool:
    return isinstance(device, dict) and any(key in device for key in DEVICE_KEYS.values())


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
    return key not in _OF_ANY_KEY and _is_claim_entry(value)


def _is_claim_entry(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict) and ("resourceClaimName" in value or "resourceClaimTemplateName" in value)


def _is_about_claims(key: str, value: Any) -> bool:
    """Say whether a field of a Pod spec is clearly a misspelt list of claims, or one claim."""
    named = isinstance(value, list) and bool(value) and _is_claim_entry(value[0])
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
            view = {key: value for key, value in (view or {}).items() if key in CONTAINERS}
            view, moved = put_together(item, pod, view)
            yield PodPart(pod.path, "core.PodSpec", view, sure=True, closed=pod.closed, moved=moved)


def put_together(
    item: ApiObject, pod: CustomPod, spec: dict[str, Any]
) -> tuple[dict[str, Any], tuple[tuple[Path, Path], ...]]:
    """Return a Pod spec with the claims and containers that are in other places, and the places of its parts."""
    moved: list[tuple[Path, Path]] = []
    spec = dict(spec)
    if pod.entries:
        spec["resourceClaims"] = [entry for _, entry in pod.entries]
        moved += [(("resourceClaims", number), listed.path) for number, listed in enumerate(pod.entries)]
        moved.append((("resourceClaims",), pod.entries[0].path[:-1]))
    containers = [*spec.get("containers", ())]
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
        spec["containers"] = containers
    return spec, tuple(moved)


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


NO_OBJECT, MISSING = "no-object", "missing-separator"
_MOST = 1000
"""At most this many items that are not objects are reported."""
_LOST = {
    MISSING: rf"""(?m)^[ -]*["']?apiVersion["']?[ \t]*:[ \t]*["']?{re.escape(GROUP)}/""",
    "ignored-after-document-end": r"(?m)^ *resourceClaims:",
}
"""The cause that keeps an object from being read → what a text with such an object contains."""


def unjudged(document: Document, items: list[ApiObject]) -> Iterator[ReadingProblem]:
    """Yield the problems of a document that loses objects; `items` are the judged ones.

    These are a list of objects in place of one, a list item that is not an object, and an object that is joined with a
    second one or cut off, if nothing is left to judge. Source: unstructuredJSONScheme of
    pkg/apis/meta/v1/unstructured/helpers.go of k8s.io/apimachinery v0.37.0, which kubectl decodes with.
    """
    if document.state != "read":
        return
    if isinstance(document.data, list):
        inside = [item for value in document.data for item in objects(value)]
        if any(is_ours(item.api_version) or claim_parts(item) for item in inside):
            yield ReadingProblem(
                NO_OBJECT,
                f"expected one object, found a list of {len(document.data)}: kubectl does not accept a list here",
                document.span(()),
                (),
                "write each object as a separate document, with `---` between them, or put them below `items:` of a "
                "`kind: List`",
            )
        return
    if not items:
        for kind, lost in _LOST.items():
            known = [problem for problem in document.problems if problem.kind == kind]
            if known and re.search(lost, document.text):
                yield from known
    if not isinstance(document.data, dict) or "items" not in document.data:
        return
    strays = (stray for stray in _strays(document.data) if items or stray[2].startswith(f"{GROUP}/"))
    for number, (path, value, _) in enumerate(islice(strays, _MOST), 1):
        more = " (further ones are not listed)" if number == _MOST else ""
        yield ReadingProblem(
            NO_OBJECT,
            f"expected an object as item of the list, found {_named(value)}: kubectl refuses the whole list{more}",
            document.span(path),
            path,
            "remove the item, or write an object",
        )


def _strays(data: Any) -> Iterator[tuple[Path, Any, str]]:
    """Yield the list items that are not objects: path, value, and the API version of the list."""
    todo: list[tuple[Path, Any]] = [((), data)]
    while todo:
        path, value = todo.pop()
        kind, items = type_meta(value, "kind"), value.get("items")
        if isinstance(kind, str) and kind.endswith("List") and isinstance(items, list):
            version = type_meta(value, "apiVersion")
            for position, item in enumerate(items):
                if isinstance(item, dict):
                    todo.append(((*path, "items", position), item))
                else:
                    yield (*path, "items", position), item, version if isinstance(version, str) else ""


def _named(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f'the string "{value[:40]}"'
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else f"the number {value}"


# Claims outside of the Pod spec, where Kubernetes' own kinds have no such field. Sources: types.go of k8s.io/api
# core/v1, apps/v1 and batch/v1 (v1.26.15 to v1.37.0).

_STEPS = ("spec", "template", "jobTemplate")


def displaced_claims(item: ApiObject) -> list[Problem]:
    """Return the fields outside of the Pod spec, in one of Kubernetes' own kinds, that declare or use claims.

    The type there does not have the field, so the API server's strict decoding refuses it.
    """
    home = POD_SPECS.get((item.api_version, item.kind))
    if home is None:
        return []
    out: list[Problem] = []
    for depth in range(len(home) + 1):
        level = at(item.data, home[:depth])
        if not isinstance(level, dict):
            break
        out += _of_level(level, home, depth)
    return out


def _of_level(level: dict[str, Any], home: Path, depth: int) -> Iterator[Problem]:
    """Yield the fields of one level on the way to the Pod spec."""
    here, outside = home[:depth], depth < len(home)
    following = str(home[depth]) if outside else ""
    for key, value in level.items():
        if outside and (about_claims(key) or (key in CONTAINERS and _speaks({key: value}))):
            yield _displaced((*here, key), home)
        elif outside and key == "metadata" and isinstance(value, dict):
            yield from (_displaced((*here, key, name), home) for name in value if about_claims(name))
        elif key != following and isinstance(value, dict | list) and _is_step(key, following) and _speaks(value):
            yield _wrong_step((*here, key), home, depth)
        elif outside and key not in (*_STEPS, following, "status") and is_claim(value, key):
            yield _displaced((*here, key), home)


def _displaced(path: Path, home: Path) -> Problem:
    key, spec = path[-1], _dotted(home)
    if key == "resourceClaims" or key in CONTAINERS:
        levels = len(home) - len(path) + 1
        deeper = "one level" if levels == 1 else f"{levels} levels"
        where = f"move it into the Pod spec, {deeper} deeper" if path[:-1] == home[: len(path) - 1] else "move it there"
        return _problem(DISPLACED_FIELD, path, f"; it belongs under `{spec}:`", where)
    return _problem(UNKNOWN_FIELD, path, "", f"a Pod declares its claims under `{spec}.resourceClaims:`")


def _wrong_step(path: Path, home: Path, depth: int) -> Problem:
    key = path[-1]
    following = home[depth] if depth < len(home) else ""
    if key in home[depth + 1 :]:
        parent = _dotted(home[: home.index(key, depth + 1)])
        return _problem(DISPLACED_FIELD, path, f"; it belongs under `{parent}:`", f"move it under `{parent}:`")
    if following and _like(str(key), str(following)):
        return _problem(UNKNOWN_FIELD, path, "", f'did you mean "{following}"?')
    return _problem(UNKNOWN_FIELD, path, "", f"move the claims in it under `{_dotted(home)}:`")


def _problem(rule: str, path: Path, text: str, hint: str | None) -> Problem:
    return Problem(rule, path, f'unknown field "{path[-1]}"{text}', "Unknown", hint, target="key")


def _dotted(path: Path) -> str:
    return ".".join(map(str, path))


def _is_step(key: str, following: str) -> bool:
    """Say whether a key is a step on some way to a Pod spec, or resembles the next one (empty: none does)."""
    return key in _STEPS or (following != "" and _like(key, following))


def _like(key: str, name: str) -> bool:
    return bool(near(key, [name], 0.72))


def _speaks(value: Any) -> bool:
    """Say whether the value declares or uses claims somewhere."""
    found: Any = value if isinstance(value, dict) else {"": value}
    return any(
        "resourceClaims" in mapping or (isinstance(mapping.get("resources"), dict) and "claims" in mapping["resources"])
        for _, mapping in mappings(found)
    )
