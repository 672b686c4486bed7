"""Reduces the OpenAPI v3 documents of an API server to what dralint reads: kinds, fields and their shapes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.types import SCALARS, short_name
from dralint.kubernetes.workloads import GROUP
from dralint.schema.schemas import references

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

KEPT = frozenset(
    """
    $ref additionalProperties allOf default enum format items oneOf properties required type
    x-kubernetes-list-map-keys x-kubernetes-list-type x-kubernetes-map-type x-kubernetes-patch-merge-key
    x-kubernetes-patch-strategy
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)
"""The keywords that remain; descriptions, examples and the like go."""

CORE = "v1"
CORE_TYPES = ("PodResourceClaim", "ResourceRequirements")
"""Of the core group, only the types with claims of Pods are kept."""

_REFERENCE = "#/components/schemas/"
_PATH = re.compile(r"/apis/([^/]+)/([^/]+)/(namespaces/\{namespace\}/)?([a-z0-9]+)\Z")
_GET = f"get one by: kubectl get --raw /openapi/v3/apis/{GROUP}/v1"
_PODS = "/api/v1/namespaces/{namespace}/pods"
_DEPTH = 40


class OpenApiError(ValueError):
    """The text is not an OpenAPI v3 document that dralint can use; the message has the reason and what to do."""


def parse(raw: bytes, name: str) -> dict[str, Any]:
    """Return the OpenAPI v3 document in a file's bytes; OpenApiError (naming the file) when it is not one."""
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise OpenApiError(f"{name} is not JSON ({error}); {_GET}") from error
    if isinstance(document, dict) and "swagger" in document:
        raise OpenApiError(f"{name} is an OpenAPI v2 document, dralint reads v3; {_GET}")
    components = document.get("components") if isinstance(document, dict) else None
    found = components.get("schemas") if isinstance(components, dict) else None
    if not isinstance(document, dict) or not isinstance(found, dict) or not isinstance(document.get("paths"), dict):
        msg = f"{name} is not an OpenAPI v3 document: it has no `components.schemas` or no `paths`; {_GET}"
        raise OpenApiError(msg)
    return document


def version_of(document: Mapping[str, Any]) -> str | None:
    """Return the version that the server put into its document, such as `v1.38.0`."""
    info = document.get("info")
    version = info.get("version") if isinstance(info, dict) else None
    return version if isinstance(version, str) else None


def combine(release: str, documents: Mapping[str, Mapping[str, Any]], core: Mapping[str, Any]) -> dict[str, Any]:
    """Return the trimmed OpenAPI of a release from the documents of its API versions.

    `tag` in it is what the server has called itself, if all documents say the same of this release.

    Args:
        release: such as `1.38`.
        documents: name of a file → what `parse` returned; one of the core group (/openapi/v3/api/v1) may be among them.
        core: the core types of another release, taken when no document has them.

    Raises OpenApiError (naming the file) when there are no kinds of the group, or a schema cannot be read.
    """
    kinds: dict[str, list[dict[str, Any]]] = {}
    schemas: dict[str, dict[str, Any]] = {CORE: dict(core)}
    for name, document in documents.items():
        try:
            found, types = _parts(document)
        except OpenApiError as error:
            raise OpenApiError(f"{name}: {error}") from error
        kinds |= found
        schemas |= types
    if not kinds:
        raise OpenApiError(f"{', '.join(documents)}: no kinds of {GROUP}")
    tags = {version_of(document) or "" for document in documents.values()}
    tag = tags.pop() if len(tags) == 1 else ""
    return {
        "kinds": kinds,
        "release": release,
        "schemas": schemas,
        "tag": tag if tag.startswith(f"v{release}.") else "",
    }


def _parts(document: Mapping[str, Any]) -> tuple[dict[str, list[dict[str, Any]]], dict[str, dict[str, Any]]]:
    """Return the kinds and the types of one document, by API version."""
    source = document["components"]["schemas"]
    found = served(document)
    if found:
        return found, {
            api_version: closure(source, [_schema_of(source, api_version, row["kind"]) for row in rows])
            for api_version, rows in found.items()
        }
    if _PODS in document["paths"]:
        roots = [name for name in source if name.startswith("io.k8s.api.core.") and short_name(name)[5:] in CORE_TYPES]
        return {}, {CORE: closure(source, roots)}
    raise OpenApiError(f"has no kinds of {GROUP} (it is about {next(iter(document['paths']), 'nothing')})")


def served(document: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return API version → kinds of the group that the document's paths can create: {kind, namespaced, plural}."""
    out: dict[str, list[dict[str, Any]]] = {}
    for path, item in document["paths"].items():
        match = _PATH.match(path)
        if match is None or match[1] != GROUP or not isinstance(item, dict):
            continue
        post = item.get("post")
        gvk = post.get("x-kubernetes-group-version-kind") if isinstance(post, dict) else None
        kind = gvk.get("kind") if isinstance(gvk, dict) else None
        if isinstance(kind, str):
            row = {"kind": kind, "namespaced": match[3] is not None, "plural": match[4]}
            out.setdefault(f"{match[1]}/{match[2]}", []).append(row)
    return {version: sorted(rows, key=lambda row: str(row["plural"])) for version, rows in out.items()}


def _schema_of(source: Mapping[str, Any], api_version: str, kind: str) -> str:
    group, _, version = api_version.partition("/")
    wanted = {"group": group, "kind": kind, "version": version}
    for name, schema in source.items():
        marks = schema.get("x-kubernetes-group-version-kind") if isinstance(schema, dict) else None
        if isinstance(marks, list) and wanted in marks and short_name(name) == kind:
            return name
    raise OpenApiError(f"has no schema for {kind} of {api_version}")


def closure(source: Mapping[str, Any], roots: Iterable[str]) -> dict[str, Any]:
    """Return the trimmed schemas that the roots are made of; OpenApiError when one is missing or cannot be read."""
    out: dict[str, Any] = {}
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name in out:
            continue
        if not isinstance(source.get(name), dict):
            raise OpenApiError(f"refers to the schema {name}, which it does not have")
        out[name] = trim(source[name], name, source)
        todo.extend(references(out[name]))
    short: dict[str, str] = {}
    for name in out:
        other = short.setdefault(short_name(name), name)
        if other != name:
            raise OpenApiError(f"has two types of one name: {other} and {name}")
    return dict(sorted(out.items()))


def _inlined(schema: Mapping[str, Any], source: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema that replaces a reference to a scalar without a type of its own; None for any other schema.

    A scalar that is not a plain string, number or boolean (an integer or string, for example) accepts any value.
    """
    parts = schema.get("allOf")
    first = parts[0] if isinstance(parts, list) and parts else None
    target = schema.get("$ref", first.get("$ref") if isinstance(first, dict) else None)
    if not isinstance(target, str):
        return None
    name = target.removeprefix(_REFERENCE)
    to = source.get(name)
    if not isinstance(to, dict) or short_name(name) in SCALARS or "properties" in to or to.get("type") == "object":
        return None
    if to.get("type") in ("string", "boolean", "number", "integer") and to.get("format") != "int-or-string":
        return trim({key: to[key] for key in ("type", "format", "enum") if key in to}, name, source)
    return {}


def trim(schema: object, name: str, source: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """Return a schema with the keywords that count; OpenApiError (naming the type) if it does not have that form."""
    if not isinstance(schema, dict) or depth > _DEPTH:
        msg = f"has a schema that is {'nested too deeply' if depth > _DEPTH else 'not an object'}, in {name}"
        raise OpenApiError(msg)
    inlined = _inlined(schema, source)
    if inlined is not None:
        return inlined
    out: dict[str, Any] = {}
    for key in sorted(KEPT & schema.keys()):
        value = schema[key]
        if key == "properties":
            if not isinstance(value, dict):
                raise OpenApiError(f"has `properties` that are not an object, in {name}")
            out[key] = {field: trim(inner, name, source, depth + 1) for field, inner in sorted(value.items())}
        elif key == "items" or (key == "additionalProperties" and not isinstance(value, bool)):
            out[key] = trim(value, name, source, depth + 1)
        elif key in ("allOf", "oneOf"):
            if not isinstance(value, list) or not value:
                raise OpenApiError(f"has an empty `{key}`, in {name}")
            out[key] = [trim(inner, name, source, depth + 1) for inner in value]
        elif key == "$ref" and not (isinstance(value, str) and value.startswith(_REFERENCE)):
            raise OpenApiError(f"has a reference that leads out of the document, in {name}")
        elif key in ("required", "enum"):
            if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
                raise OpenApiError(f"has `{key}` that is not a list of strings, in {name}")
            out[key] = sorted(value)
        else:
            out[key] = value
    if out.get("type") == "array" and "items" not in out:
        raise OpenApiError(f"has a list without `items`, in {name}")
    if "allOf" in out and "$ref" not in out["allOf"][0]:
        raise OpenApiError(f"has an `allOf` that is not a reference, in {name}")
    if out.get("type") == "integer" and out.get("format", "int64") not in ("int32", "int64"):
        raise OpenApiError(f"has an integer of the format {str(out['format'])[:40]!r}, in {name}")
    return out
