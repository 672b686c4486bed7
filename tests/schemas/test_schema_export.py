"""Layouts for other tools, and the one file that dispatches."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.schema import export, files

R134 = Release.parse("1.34")


def schemas(release: str = "1.34") -> dict[tuple[str, str], dict[str, Any]]:
    return files.of_document(Release.parse(release), shipped.openapi(release))


@pytest.mark.parametrize(
    ("layout", "path"),
    [
        (export.LAYOUT, "resourceclaim-resource-v1.json"),
        ("{{ .Group }}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json", "resource.k8s.io/resourceclaim_v1.json"),
        (
            "{{ .NormalizedKubernetesVersion }}-standalone{{ .StrictSuffix }}/{{.Kind}}.json",
            "v1.34.0-standalone-strict/ResourceClaim.json",
        ),
        ("{{.Release}}.json", "1.34.json"),
    ],
)
def test_layout_fields_mean_what_they_mean_to_kubeconform(layout: str, path: str) -> None:
    assert export.place(layout, R134, "resource.k8s.io/v1", "ResourceClaim") == path


@pytest.mark.parametrize("layout", ["../{{.Kind}}.json", "/{{.Kind}}.json", "", "a/", "c:{{.Kind}}", "a\\..\\b"])
def test_layout_stays_below_the_folder(layout: str) -> None:
    with pytest.raises(export.LayoutError, match="which is no file below the folder"):
        export.place(layout, R134, "resource.k8s.io/v1", "ResourceClaim")


def test_layout_with_an_unknown_field_lists_the_known_ones() -> None:
    with pytest.raises(export.LayoutError) as caught:
        export.place("{{.Resource}}.json", R134, "resource.k8s.io/v1", "ResourceClaim")

    assert str(caught.value).startswith("the layout names '{{.Resource}}'; there is: Group, Kind, KindSuffix, ")


def test_layout_gives_every_schema_its_own_file() -> None:
    with pytest.raises(export.LayoutError) as caught:
        export.layout_files("{{.ResourceKind}}.json", {R134: schemas()})

    assert str(caught.value) == (
        "the layout gives DeviceClass of resource.k8s.io/v1 in 1.34 and DeviceClass of resource.k8s.io/v1beta1 in 1.34"
        " the same file 'deviceclass.json'; put {{.KindSuffix}} into it"
    )


@pytest.fixture(scope="module")
def bundle() -> Draft202012Validator:
    schema = export.bundle(R134, schemas())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def claim(api_version: str, request: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": api_version,
        "kind": "ResourceClaim",
        "metadata": {"name": "a"},
        "spec": {"devices": {"requests": [{"name": "gpu", **request}]}},
    }


def test_bundle_dispatches_by_api_version_and_kind(bundle: Draft202012Validator) -> None:
    flat = {"deviceClassName": "gpu.example.com"}

    assert bundle.is_valid(claim("resource.k8s.io/v1beta1", flat))
    assert bundle.is_valid(claim("resource.k8s.io/v1", {"exactly": flat}))
    assert not bundle.is_valid(claim("resource.k8s.io/v1", flat))
    assert not bundle.is_valid(claim("resource.k8s.io/v1beta1", {"exactly": flat}))


def test_bundle_leaves_other_groups_alone(bundle: Draft202012Validator) -> None:
    assert bundle.is_valid({"apiVersion": "apps/v1", "kind": "Deployment", "anything": 1})
    assert bundle.is_valid({})


def test_bundle_knows_the_served_api_versions(bundle: Draft202012Validator) -> None:
    errors = [error.message for error in bundle.iter_errors({"apiVersion": "resource.k8s.io/v2", "kind": "X"})]

    served = "'resource.k8s.io/v1', 'resource.k8s.io/v1alpha3', 'resource.k8s.io/v1beta1', 'resource.k8s.io/v1beta2'"
    assert errors == [f"'resource.k8s.io/v2' is not one of [{served}]"]


def test_bundle_refers_to_itself_alone() -> None:
    schema = export.bundle(R134, schemas())
    text = json.dumps(schema)

    assert text.count('"$ref": "') == text.count('"$ref": "#/$defs/')
    assert {name.split(".")[0] for name in schema["$defs"]} == {"v1", "v1alpha3", "v1beta1", "v1beta2"}
