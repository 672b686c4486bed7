"""Reducing an API server's OpenAPI v3 document to what dralint reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dralint.kubernetes.types import Shape, structs
from dralint.schema import openapi

TYPE = "io.k8s.api.resource.v1.ResourceClaim"
META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
DURATION = "io.k8s.apimachinery.pkg.apis.meta.v1.Duration"
EITHER = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def document() -> dict[str, Any]:
    """An OpenAPI v3 document as a server gives it, with one kind."""
    claim = {
        "description": "A claim.",
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string", "description": "The version."},
            "kind": {"type": "string"},
            "metadata": {"default": {}, "description": "Its metadata.", "allOf": [ref(META)]},
            "names": {
                "type": "array",
                "items": {"type": "string", "default": ""},
                "x-kubernetes-list-type": "set",
            },
            "wait": ref(DURATION),
            "port": {"allOf": [ref(EITHER)]},
            "counts": {"type": "object", "additionalProperties": {"type": "integer", "format": "int32"}},
        },
        "required": ["names", "metadata"],
        "x-kubernetes-group-version-kind": [{"group": "resource.k8s.io", "kind": "ResourceClaim", "version": "v1"}],
    }
    gvk = {"group": "resource.k8s.io", "kind": "ResourceClaim", "version": "v1"}
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "v1.38.2"},
        "paths": {
            "/apis/resource.k8s.io/v1/": {"get": {}},
            "/apis/resource.k8s.io/v1/resourceclaims": {"get": {"x-kubernetes-group-version-kind": gvk}},
            "/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims": {
                "post": {"x-kubernetes-group-version-kind": gvk}
            },
            "/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims/{name}": {"put": {}},
        },
        "components": {
            "schemas": {
                TYPE: claim,
                META: {"type": "object", "properties": {"name": {"type": "string", "example": "x"}}},
                DURATION: {"type": "string"},
                EITHER: {"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]},
                "io.k8s.api.resource.v1.Unrelated": {"type": "object"},
            }
        },
    }


def test_keeps_kinds_and_the_types_they_are_made_of() -> None:
    trimmed = openapi.combine("1.38", {"v1.json": document()}, {"core": {}})

    assert trimmed["kinds"] == {
        "resource.k8s.io/v1": [{"kind": "ResourceClaim", "namespaced": True, "plural": "resourceclaims"}]
    }
    assert trimmed["release"] == "1.38"
    assert trimmed["schemas"]["v1"] == {"core": {}}
    assert set(trimmed["schemas"]["resource.k8s.io/v1"]) == {TYPE, META}
    assert "description" not in json.dumps(trimmed)


def test_shapes_survive() -> None:
    trimmed = openapi.combine("1.38", {"v1.json": document()}, {})
    claim = structs(trimmed["schemas"]["resource.k8s.io/v1"])["ResourceClaim"]

    assert claim.required == {"metadata", "names"}
    assert claim.fields["metadata"] == Shape("struct", "ObjectMeta", present=True)
    assert claim.fields["names"] == Shape("list", of=Shape("string"))
    assert claim.fields["counts"] == Shape("map", of=Shape("int32"))
    assert claim.fields["wait"] == Shape("string")
    assert claim.fields["port"] == Shape("any")


def test_core_types_come_from_the_document_of_the_core_group() -> None:
    pod = "io.k8s.api.core.v1.PodResourceClaim"
    core = {
        "paths": {"/api/v1/namespaces/{namespace}/pods": {}},
        "components": {"schemas": {pod: {"type": "object", "properties": {"name": {"type": "string"}}}}},
    }
    trimmed = openapi.combine("1.38", {"v1.json": document(), "core.json": core}, {"old": {}})

    assert set(trimmed["schemas"]["v1"]) == {pod}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"kind: ResourceClaim\n", "f.json is not JSON (Expecting value: line 1 column 1 (char 0)); get one by: "),
        (b'{"swagger": "2.0"}', "f.json is an OpenAPI v2 document, dralint reads v3; get one by: "),
        (b"{}", "f.json is not an OpenAPI v3 document: it has no `components.schemas` or no `paths`; get one by: "),
        (b"[1]", "f.json is not an OpenAPI v3 document: it has no `components.schemas` or no `paths`; get one by: "),
        (b"[" * 200_000, "f.json is not JSON (maximum recursion depth exceeded"),
        (b"\xff\xfe", "f.json is not JSON ("),
    ],
    ids=["yaml", "v2", "empty", "list", "deep", "bytes"],
)
def test_other_text_is_refused_with_what_to_do(raw: bytes, message: str) -> None:
    with pytest.raises(openapi.OpenApiError) as caught:
        openapi.parse(raw, "f.json")

    assert str(caught.value).startswith(message)


def changed(path: tuple[str, ...], value: object) -> dict[str, Any]:
    whole = document()
    at: Any = whole
    for part in path[:-1]:
        at = at[part]
    at[path[-1]] = value
    return whole


FIELDS = ("components", "schemas", TYPE, "properties")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("paths",), {"/apis/apps/v1/": {}}, "has no kinds of resource.k8s.io (it is about /apis/apps/v1/)"),
        (("components", "schemas", META), 7, f"refers to the schema {META}, which it does not have"),
        (("components", "schemas", TYPE), {}, "has no schema for ResourceClaim of resource.k8s.io/v1"),
        ((*FIELDS, "names"), {"type": "array"}, f"has a list without `items`, in {TYPE}"),
        ((*FIELDS, "names"), 1, f"has a schema that is not an object, in {TYPE}"),
        ((*FIELDS, "names"), {"$ref": "x.json"}, f"has a reference that leads out of the document, in {TYPE}"),
        ((*FIELDS, "names"), {"allOf": []}, f"has an empty `allOf`, in {TYPE}"),
        ((*FIELDS, "names"), {"allOf": [{}]}, f"has an `allOf` that is not a reference, in {TYPE}"),
        ((*FIELDS, "names"), {"enum": [1]}, f"has `enum` that is not a list of strings, in {TYPE}"),
        ((*FIELDS, "names"), {"type": "integer", "format": "int8"}, f"has an integer of the format 'int8', in {TYPE}"),
    ],
)
@pytest.mark.slow
def test_a_broken_document_is_refused_with_the_place(path: tuple[str, ...], value: object, message: str) -> None:
    with pytest.raises(openapi.OpenApiError) as caught:
        openapi.combine("1.38", {"v1.json": changed(path, value)}, {})

    assert str(caught.value) == f"v1.json: {message}"


def test_a_schema_nested_beyond_measure_is_refused() -> None:
    nested: dict[str, Any] = {"type": "string"}
    for _ in range(60):
        nested = {"type": "array", "items": nested}
    with pytest.raises(openapi.OpenApiError) as caught:
        openapi.combine("1.38", {"v1.json": changed((*FIELDS, "names"), nested)}, {})

    assert str(caught.value) == f"v1.json: has a schema that is nested too deeply, in {TYPE}"
