"""The content of a document: its API objects, which of them dralint judges, and what it passes over."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import at, list_of
from dralint.kubernetes.workloads import CUSTOM_GROUPS, ENVELOPES, POD_SPECS, CustomKind, custom_kind
from dralint.records import NamedTuple
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.yaml import Document, Path


FREE_FORM_KINDS = frozenset(
    {
        "Application",
        "ApplicationSet",
        "ClusterPolicy",
        "Component",
        "Composition",
        "ConfigMap",
        "CustomResourceDefinition",
        "HelmChart",
        "HelmChartConfig",
        "HelmRelease",
        "Kustomization",
        "Policy",
        "ResourceGraphDefinition",
        "Secret",
        "Template",
    }
)
"""Kinds, other than Kubernetes' workloads, with values of charts, patches, patterns or schemas, not Pod specs."""

_FREE_FORM = r"(?:^|_)(?:values|patch|pattern|override)|Values|Patch|Pattern|Override"
_CLAIM_FIELDS = frozenset({"name", "resourceClaimName", "resourceClaimTemplateName", "source"})
_DATA = frozenset(
    {"annotations", "attributes", "capacity", "counters", "labels", "matchLabels", "nodeSelector", "parameters"}
)
"""Fields that hold maps or free-form data."""
_DEPTH = 12


class ApiObject(NamedTuple):
    """One API object: `path` leads to it in its document (in a List, below `items`).

    `around` is the namespace of its parent object, if that passes it on.
    """

    path: Path
    api_version: str
    kind: str
    data: dict[str, Any]
    around: str | None = None

    @property
    def typed(self) -> dict[str, Any]:
        """Its data with its API version and kind, which it may have from a list."""
        return {**self.data, "apiVersion": self.api_version, "kind": self.kind}

    @property
    def group(self) -> str:
        """The group of its API version, empty for the core group."""
        return self.api_version.rpartition("/")[0] if "/" in self.api_version else ""

    @property
    def name(self) -> str | None:
        """`metadata.name`, or `metadata.generateName` with a star, if they are strings."""
        name, prefix = self._metadata("name"), self._metadata("generateName")
        return name or (f"{prefix}*" if prefix else None)

    @property
    def namespace(self) -> str | None:
        """`metadata.namespace`, if it is a string, or the namespace of the envelope."""
        return self._metadata("namespace") or self.around

    def _metadata(self, key: str) -> str | None:
        metadata = self.data.get("metadata")
        value = metadata.get(key) if isinstance(metadata, dict) else None
        return value if isinstance(value, str) and value else None

    def pod_specs(self) -> list[Path]:
        """Return the paths of the object's Pod specs that concern resource claims."""
        known = POD_SPECS.get((self.api_version, self.kind))
        if known is not None:
            return [known] if isinstance(at(self.data, known), dict) else []
        if self.kind in FREE_FORM_KINDS or not self.kind:
            return []  # a fragment, or values of a chart

        kind = known_kind(self)
        if kind is not None:
            from dralint.manifest.pod_parts import matches  # few objects are of these kinds

            drops = {path for pattern in kind.drops for path in matches(self.data, pattern)}
            places = [path for pod in kind.pods for path in matches(self.data, pod.at)]
            found = [path for path in places if list_of(self._claims(path))]
            found += [path for path, value in mappings(self.data) if self._is_form(path, value) and path not in drops]
            return list(dict.fromkeys(found))
        return [path for path, value in mappings(self.data) if self._is_form(path, value)] or self._undeclaring()

    def _claims(self, path: Path) -> Any:
        spec = at(self.data, path)
        return spec.get("resourceClaims") if isinstance(spec, dict) else None

    def _is_form(self, path: Path, value: dict[str, Any]) -> bool:
        return self._is_pod_spec(value) and not _free_form(path)

    def _undeclaring(self) -> list[Path]:
        """Return the Pod templates in an unknown kind whose containers use claims without any declaration."""
        found: list[Path] = []
        for path, value in mappings(self.data):
            if "resourceClaims" in value:
                return []
            if path[-1:] == ("spec",) and path[-2:-1] in _TEMPLATES and _uses_claims(value) and not _free_form(path):
                found.append(path)
        return found if "." in self.group else []

    def surely_embeds(self, value: dict[str, Any]) -> bool:
        """Say whether a value that looks like a Pod spec is one, whatever its claim fields are called.

        This is so in the groups of custom workloads, and where a container lists one of the claims.
        """
        return self.group in CUSTOM_GROUPS or _lists_one(
            list_of(value.get("containers")), list_of(value.get("resourceClaims"))
        )

    def _is_pod_spec(self, value: dict[str, Any]) -> bool:
        return _looks_like_pod_spec(value) and (self.surely_embeds(value) or _has_claims(value["resourceClaims"]))


def known_kind(item: ApiObject) -> CustomKind | None:
    """Return what is known of the kind of an object; None for a kind of Kubernetes itself."""
    return custom_kind(item.group, item.kind) if "." in item.group else None


class Place(NamedTuple):
    """An object in a document of a file."""

    file: str
    document: Document
    item: ApiObject


def _looks_like_pod_spec(value: dict[str, Any]) -> bool:
    claims, containers = value.get("resourceClaims"), value.get("containers")
    if not isinstance(claims, list) or not isinstance(containers, list) or not claims or not containers:
        return False
    return all(isinstance(entry, dict) and ("name" in entry or "image" in entry) for entry in containers)


_TEMPLATES = (("template",), ("podTemplate",))


def _uses_claims(spec: dict[str, Any]) -> bool:
    """Say whether a mapping is a whole Pod spec with a container that uses a claim."""
    containers = list_of(spec.get("containers"))
    return bool(containers) and (
        all(isinstance(container, dict) and {"name", "image"} <= container.keys() for container in containers)
        and any(
            isinstance(use, dict) and isinstance(use.get("name"), str)
            for container in containers
            for use in list_of(at(container, ("resources", "claims")))
        )
    )


def _has_claims(claims: list[Any]) -> bool:
    """Say whether entries can only be claims of a Pod: other lists of that name have fields that no Pod has."""
    return all(isinstance(entry, dict) and entry.keys() <= _CLAIM_FIELDS for entry in claims) and any(
        len(entry) > 1 for entry in claims
    )


def _lists_one(containers: list[Any], claims: list[Any]) -> bool:
    """Say whether a container lists one of the claims by its name."""
    names = {entry["name"] for entry in claims if isinstance(entry, dict) and isinstance(entry.get("name"), str)}
    used = [use for container in containers for use in list_of(at(container, ("resources", "claims")))]
    return any(isinstance(use, dict) and isinstance(use.get("name"), str) and use["name"] in names for use in used)


def _free_form(path: Path) -> bool:
    return any(isinstance(part, str) and re.search(_FREE_FORM, part) for part in path)


def is_manifest(item: ApiObject) -> bool:
    """Say whether an object is meant as one: values of a chart may have a `kind` too, but nothing else of it."""
    if item.api_version or type_meta(item.data, "apiVersion") is not None:
        return True
    return "metadata" in item.data or "spec" in item.data


def mappings(data: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the mappings in the data with their paths, down to the greatest depth of any manifest."""
    todo: list[tuple[Path, Any]] = [((), data)]
    while todo:
        path, value = todo.pop()
        if isinstance(value, dict):
            yield path, value
            if len(path) < _DEPTH:
                todo.extend(((*path, key), member) for key, member in value.items() if isinstance(member, dict | list))
        elif isinstance(value, list) and len(path) < _DEPTH:
            todo.extend(
                ((*path, position), item) for position, item in enumerate(value) if isinstance(item, dict | list)
            )


DIRECTIVES = ("$patch", "$retainKeys", "$deleteFromPrimitiveList/", "$setElementOrder/")
"""The beginnings of keys that only strategic merge patches have."""


def is_patch(data: Any) -> bool:
    """Say whether a document is a strategic merge patch: it has a directive that only patches have.

    They are not directives in maps, whose keys are data, and in the fields of a vendor. Source:
    pkg/util/strategicpatch/patch.go of k8s.io/apimachinery v0.37.0.
    """
    return isinstance(data, dict) and any(
        key.startswith(DIRECTIVES) for path, mapping in mappings(data) if _DATA.isdisjoint(path) for key in mapping
    )


def type_meta(data: dict[str, Any], key: str) -> Any:
    """Return `apiVersion` or `kind` in any case, as the API server finds it."""
    if key in data:
        return data[key]
    lower = key.lower()
    return next((value for name, value in data.items() if name.lower() == lower), None)


def objects_of(raw: bytes, relevant: re.Pattern[bytes] | None = None) -> Iterator[tuple[Document, ApiObject]]:
    """Yield the objects of a text, each with its document; unreadable documents have none.

    Args:
        relevant: matches the documents to read; None for all.
    """
    for document in read(raw, relevant=relevant):
        if document.state == "read":
            for item in objects(document.data):
                yield document, item


def objects(data: Any) -> Iterator[ApiObject]:
    """Yield the objects of a document; the items of lists, even nested ones, come one by one.

    An object without an apiVersion or kind gets an empty one; an item of a typed list takes them from the list, as in
    kubectl.
    """
    todo: list[tuple[Path, Any, str, str, str | None]] = [((), data, "", "", None)]
    while todo:
        path, value, api_version, kind, around = todo.pop()
        if not isinstance(value, dict):
            continue
        own_version, own_kind = type_meta(value, "apiVersion"), type_meta(value, "kind")
        if own_version is None and own_kind is None:
            own_version, own_kind = api_version, kind
        version = own_version if isinstance(own_version, str) else ""
        name = own_kind if isinstance(own_kind, str) else ""
        items = value.get("items")
        if name.endswith("List") and items is None and "items" in value:
            continue  # kubectl sends nothing
        if name.endswith("List") and isinstance(items, list):
            inner = name.removesuffix("List")
            inherited = (version, inner) if inner else ("", "")
            found = [((*path, "items", position), item, *inherited, None) for position, item in enumerate(items)]
            todo.extend(reversed(found))
            continue
        one = ApiObject(path, version, name, value, around)
        if name in ENVELOPES and (wrapped := _inside(one)):
            todo.extend(reversed(wrapped))
        else:
            yield one


def _inside(item: ApiObject) -> list[tuple[Path, Any, str, str, str | None]]:
    """Return the whole objects in an envelope: path, value, API version and kind of a list, inherited namespace."""
    kind = known_kind(item)
    if kind is None:
        return []
    from dralint.manifest.pod_parts import matches

    passed = item.namespace if kind.passes_namespace else None
    places = [path for pattern in kind.envelope for path in matches(item.data, pattern)]
    return [((*item.path, *path), at(item.data, path), "", "", passed) for path in places]


_JUDGED = (
    rb"resource(?:\.k8s|Claim|Sharing)|[cC]laims|Resource(?:Claim|Slice|Class|PoolStatus)|Device(?:Class|TaintRule)"
    rb"|draResources|deviceClassMappings|requestName"
)
_REFERRED_TO = (
    rb"|(?:resource|deviceclass)\.kubernetes\.io/|kind[\"']?:[ ]*[\"']?(?:Namespace|RuntimeClass)\b"
    rb"|grove\.io/mnnvl|dra-device-class|gpuMemoryService|computeDomain|pods/binding|limits\.[\w.-]+/"
)
_NOT_SURE = (b"", b"\xef", b"\xfe", b"\xff")
"""Beginnings of a file without a document, or perhaps with a byte order mark."""
_WORDS = (
    *(b"resource.", b"laims", b"Resource", b"evice", b"resourceC", b"Namespace", b"RuntimeClass"),
    *(
        b"requestName",
        b"resourceSharing",
        b"grove.io/mnnvl",
        b"gpuMemoryService",
        b"computeDomain",
        b"pods/binding",
        b"limits.",
    ),
)
"""Each match of these patterns has one of these words."""


class Relevance(NamedTuple):
    """Patterns for bytes: a document without a match has nothing that is `judged`, or nothing that others name."""

    judged: re.Pattern[bytes]
    named: re.Pattern[bytes]


_CHART = _JUDGED + _REFERRED_TO + rb"|kind[\"']?:[ ]*[\"']?(?:DaemonSet|Deployment)\b"
"""With what a driver's chart installs next to its classes: a mistake in its YAML stops all of them."""
_USUAL = Relevance(re.compile(_JUDGED), re.compile(_JUDGED + _REFERRED_TO))
RELEVANT = _USUAL.judged
"""Bytes of each document with an object of the group or with claims of Pods."""


# `find` takes a fifth of the time of `in` here, which tries the bytes as a number first.


def relevance_of(raw: bytes) -> Relevance:
    """Return the patterns of relevant documents in a file."""
    if raw.find(b"containers:") >= 0 and any(
        raw.find(b"\n" + margin + b"resources:") >= 0 for margin in set(re.findall(rb"\n( +)containers:", raw))
    ):
        return _with_resources_of_pods()
    return _of_a_chart() if raw.find(b"DeviceClass") >= 0 and _INSTALLS.search(raw) is not None else _USUAL


def is_passed_over(raw: bytes, relevance: Relevance) -> bool:
    """Say whether a file is certainly one document without relevant content: it has no separator and no mark."""
    if raw[:1] in _NOT_SURE or raw.find(b"---") >= 0:
        return False
    if relevance is not _USUAL:
        return relevance.named.search(raw) is None
    for word in _WORDS:  # ten times as quick as the patterns
        if raw.find(word) >= 0:
            return relevance.named.search(raw) is None
    return True


def speaks(raw: bytes) -> bool:
    """Say whether a text may have something to judge."""
    return relevance_of(raw).judged.search(raw) is not None


_INSTALLS = re.compile(rb"^kind: *DeviceClass\b", re.MULTILINE)


@cache
def _of_a_chart() -> Relevance:
    """Return the patterns for a file that has a DeviceClass, and may have the rest of its driver's chart."""
    return Relevance(_USUAL.judged, re.compile(_CHART))


@cache
def _with_resources_of_pods() -> Relevance:
    """Return the patterns for files in which resources may be next to the containers of a Pod, in the same column."""
    of_pods = (
        rb"|\n( {2,16})(containers|resources):"
        rb"(?>(?:[^\n]*+\n(?>\1(?!(?:containers|resources):)|[ \t]*+(?:#|(?=\r?\n))))*)"
        rb"[^\n]*+\n\1(?!\2)(?:containers|resources):"
    )
    return Relevance(re.compile(_JUDGED + of_pods), re.compile(_JUDGED + of_pods + _REFERRED_TO))
