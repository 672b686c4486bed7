"""Layouts for other tools, and the one file that dispatches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.schema import schemas
from tests import objects

R134 = Release.parse("1.34")


CORE = shipped.openapi("1.34")["schemas"]["v1"]


def of_release(release: str = "1.34") -> dict[tuple[str, str], dict[str, Any]]:
    return schemas.of_document(Release.parse(release), shipped.openapi(release))


@pytest.mark.parametrize(
    ("layout", "path"),
    [
        (schemas.LAYOUT, "resourceclaim-resource-v1.json"),
        ("{{ .Group }}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json", "resource.k8s.io/resourceclaim_v1.json"),
        (
            "{{ .NormalizedKubernetesVersion }}-standalone{{ .StrictSuffix }}/{{.Kind}}.json",
            "v1.34.0-standalone-strict/ResourceClaim.json",
        ),
        ("{{.Release}}.json", "1.34.json"),
    ],
)
def test_layout_fields_mean_what_they_mean_to_kubeconform(layout: str, path: str) -> None:
    assert schemas.place(layout, R134, "resource.k8s.io/v1", "ResourceClaim") == path


@pytest.mark.parametrize("layout", ["../{{.Kind}}.json", "/{{.Kind}}.json", "", "a/", "c:{{.Kind}}", "a\\..\\b"])
def test_layout_stays_below_the_folder(layout: str) -> None:
    with pytest.raises(schemas.LayoutError, match="which is not a file below the folder"):
        schemas.place(layout, R134, "resource.k8s.io/v1", "ResourceClaim")


def test_layout_with_an_unknown_field_lists_the_known_ones() -> None:
    with pytest.raises(schemas.LayoutError) as caught:
        schemas.place("{{.Resource}}.json", R134, "resource.k8s.io/v1", "ResourceClaim")

    assert str(caught.value).startswith("the layout names '{{.Resource}}'; there is: Group, Kind, KindSuffix, ")


def test_layout_gives_every_schema_its_own_file() -> None:
    with pytest.raises(schemas.LayoutError) as caught:
        schemas.layout_files("{{.ResourceKind}}.json", {R134: of_release()})

    assert str(caught.value) == (
        "the layout gives DeviceClass of resource.k8s.io/v1 in 1.34 and DeviceClass of resource.k8s.io/v1beta1 in 1.34"
        " the same file 'deviceclass.json'; put {{.KindSuffix}} into it"
    )


@pytest.fixture(scope="module")
def bundle() -> Draft202012Validator:
    schema = schemas.bundle(R134, of_release(), CORE)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def claim(api_version: str, request: dict[str, Any]) -> dict[str, Any]:
    return {**objects.claim("a", "", {"name": "gpu", **request}), "apiVersion": api_version}


@pytest.mark.slow
def test_bundle_dispatches_by_api_version_and_kind(bundle: Draft202012Validator) -> None:
    flat = {"deviceClassName": "gpu.example.com"}

    assert bundle.is_valid(claim("resource.k8s.io/v1beta1", flat))
    assert bundle.is_valid(claim("resource.k8s.io/v1", {"exactly": flat}))
    assert not bundle.is_valid(claim("resource.k8s.io/v1", flat))
    assert not bundle.is_valid(claim("resource.k8s.io/v1beta1", {"exactly": flat}))


@pytest.mark.slow
def test_bundle_leaves_other_groups_alone(bundle: Draft202012Validator) -> None:
    assert bundle.is_valid({"apiVersion": "apps/v1", "kind": "ControllerRevision", "spec": 1, "anything": 1})
    assert bundle.is_valid({"apiVersion": "example.com/v1", "kind": "ResourceClaim", "spec": 1})
    assert bundle.is_valid({})


ENTRY = {"name": "gpu", "resourceClaimTemplateName": "one-gpu"}


def deployment(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 2, "template": {"spec": spec}}}


@pytest.mark.slow
def test_bundle_judges_what_pods_say_of_claims_and_leaves_the_rest_open(bundle: Draft202012Validator) -> None:
    container = {"name": "main", "image": "x", "resources": {"claims": [{"name": "gpu"}], "limits": {"cpu": 1}}}

    assert bundle.is_valid(deployment(resourceClaims=[ENTRY], containers=[container], nodeName="n", nodeSelector=None))
    assert bundle.is_valid({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "c"}], "more": 1}})
    assert bundle.is_valid(deployment(resourceClaims=None, containers=None))


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"resourceClaims": [{"name": "gpu"}]}, "resourceClaims/0"),
        ({"resourceClaims": [{**ENTRY, "resourceClaimName": "a"}]}, "resourceClaims/0"),
        ({"resourceClaims": [{**ENTRY, "source": {}}]}, "resourceClaims/0"),
        ({"resourceClaims": [{**ENTRY, "name": "GPU"}]}, "resourceClaims/0/name"),
        ({"containers": [{"resources": {"claims": [{"nam": "gpu"}]}}]}, "containers/0/resources/claims/0"),
        ({"initContainers": [{"resources": {"claims": "gpu"}}]}, "initContainers/0/resources/claims"),
    ],
)
def test_bundle_finds_mistakes_in_the_claims_of_a_pod(
    bundle: Draft202012Validator, spec: dict[str, Any], path: str
) -> None:
    (error, *_) = bundle.iter_errors(deployment(**spec))

    assert "/".join(map(str, error.absolute_path)) == f"spec/template/spec/{path}"


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield the schemas in a schema, without those that say what is not allowed."""
    if isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            if key not in ("not", "default", "enum", "const", "required"):
                yield from parts(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from parts(value)


def test_an_editor_is_offered_nothing_that_nobody_writes(bundle: Draft202012Validator) -> None:
    offered = [value for part in parts(bundle.schema) if isinstance(part.get("enum"), list) for value in part["enum"]]

    assert "ExactCount" in offered
    assert {"", None}.isdisjoint(offered)
    assert not [part for part in parts(bundle.schema) if "null" in part.get("type", "")]


def test_an_editor_shows_no_pattern_and_no_name_of_a_type(bundle: Draft202012Validator) -> None:
    without_sentence = [
        part
        for part in parts(bundle.schema)
        if isinstance(part.get("pattern"), str) and "patternErrorMessage" not in part
    ]
    assert [part["pattern"] for part in without_sentence] == [r"^resource\.k8s\.io(/|$)"]  # which asks what it is about

    assert isinstance(bundle.schema, dict)
    titles = {name: schema["title"] for name, schema in bundle.schema["$defs"].items()}
    assert titles["v1beta2.ExactDeviceRequest"] == "exact device request"
    assert titles["v1.CELDeviceSelector"] == "CEL device selector"
    assert titles["v1.ResourceClaim"] == "ResourceClaim of resource.k8s.io/v1"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"], "enum": ["a", "", None], "default": "a"},
        {"type": "string", "enum": ["a", ""]},
        {"type": ["string", "number", "null"], "pattern": "^[a-z0-9]*$"},
        {"type": ["object", "null"], "required": ["a"], "anyOf": [{"required": ["b"]}, {"required": ["c"]}]},
        {"type": ["array", "null"], "items": {"type": ["integer", "null"], "minimum": 0}, "maxItems": 2},
        {"enum": ["a", None]},
    ],
)
def test_the_form_for_editors_has_the_same_verdicts(schema: dict[str, Any]) -> None:
    before, after = Draft202012Validator(schema), Draft202012Validator(schemas.for_editors(schema))

    for value in (
        *(None, "", "a", "b", "A", 0, 1, -1, 1.5, True, {}, {"a": 1}, {"a": 1, "b": 2}, {"a": None, "c": 1}, {"b": 1}),
        *([], [1], [None, 2], [-1], [1, 2, 3], ["a"]),
    ):
        assert before.is_valid(value) == after.is_valid(value), value


@pytest.mark.slow
def test_bundle_knows_the_served_api_versions(bundle: Draft202012Validator) -> None:
    errors = [error.message for error in bundle.iter_errors({"apiVersion": "resource.k8s.io/v2", "kind": "X"})]

    served = "'resource.k8s.io/v1', 'resource.k8s.io/v1alpha3', 'resource.k8s.io/v1beta1', 'resource.k8s.io/v1beta2'"
    assert errors == [f"'resource.k8s.io/v2' is not one of [{served}]"]


def test_bundle_refers_to_itself_alone() -> None:
    schema = schemas.bundle(R134, of_release(), CORE)
    text = json.dumps(schema)

    assert text.count('"$ref": "') == text.count('"$ref": "#/$defs/')
    assert {name.split(".")[0] for name in schema["$defs"]} == {"pods", "v1", "v1alpha3", "v1beta1", "v1beta2"}
