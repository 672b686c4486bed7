"""Which objects a document holds."""

from __future__ import annotations

import pytest

from dralint.kubernetes.served import ApiVersions, is_own, nearly_ours
from dralint.manifest.objects import ApiObject, objects


def test_items_of_a_typed_list_take_their_type_from_the_list() -> None:
    data = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimList", "items": [{"metadata": {"name": "a"}}]}

    assert [(o.path, o.api_version, o.kind, o.name) for o in objects(data)] == [
        (("items", 0), "resource.k8s.io/v1", "ResourceClaim", "a")
    ]


def test_the_type_is_found_whatever_the_case_of_its_key() -> None:
    (item,) = objects({"ApiVersion": "v1", "KIND": "Pod"})

    assert (item.api_version, item.kind) == ("v1", "Pod")


def test_an_object_of_wrong_types_has_no_name() -> None:
    item = ApiObject((), "v1", "Pod", {"metadata": {"name": 7, "namespace": None}})

    assert (item.name, item.namespace) == (None, None)


def test_finds_pod_specs_in_kinds_that_are_not_known() -> None:
    spec = {"resourceClaims": [{"name": "a", "resourceClaimName": "b"}], "containers": [{"name": "c"}]}
    (item,) = objects({"apiVersion": "x/v1", "kind": "Y", "spec": {"groups": [{"template": spec}]}})

    assert item.pod_specs() == [("spec", "groups", 0, "template")]


POD = {"resourceClaims": [{"name": "a", "resourceClaimName": "b"}], "containers": [{"name": "c"}]}


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("HelmRelease", {"spec": {"chart": POD}}),
        ("Application", {"spec": {"source": {"helm": {"valuesObject": POD}}}}),
        ("Kustomization", {"helmCharts": [{"valuesInline": POD}]}),
        ("Cluster", {"spec": {"values": {"worker": POD}}}),
        ("Cluster", {"spec": {"helmValues": POD}}),
        ("TrainJob", {"spec": {"podTemplateOverrides": [{"spec": POD}]}}),
    ],
)
def test_values_of_charts_and_patches_are_no_pod_specs(kind: str, data: dict[str, object]) -> None:
    (item,) = objects({"apiVersion": "x.example.com/v1", "kind": kind, **data})

    assert item.pod_specs() == []


@pytest.mark.parametrize(
    "change",
    [
        {"resourceClaims": [{"name": "a", "templateRef": "b"}]},
        {"resourceClaims": [{"name": "a", "resourceClaimName": "b"}, {"name": "c", "optional": True}]},
        {"resourceClaims": [{"name": "a"}]},
        {"resourceClaims": ["a"]},
        {"resourceClaims": []},
        {"containers": []},
        {"containers": ["main"]},
        {"containers": [{"containerRef": "main"}]},
    ],
)
def test_what_has_fields_that_no_pod_has_is_no_pod_spec(change: dict[str, object]) -> None:
    (item,) = objects({"apiVersion": "x.example.com/v1", "kind": "Y", "spec": {**POD, **change}})

    assert item.pod_specs() == []


def test_a_dispatcher_is_no_patch() -> None:
    (item,) = objects({"apiVersion": "x.example.com/v1", "kind": "Y", "spec": {"dispatcher": POD}})

    assert item.pod_specs() == [("spec", "dispatcher")]


def test_a_deployment_has_its_pod_spec_in_the_template() -> None:
    data = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": {"spec": {"containers": []}}}}
    (item,) = objects(data)

    assert item.pod_specs() == [("spec", "template", "spec")]


def test_what_is_no_object_holds_none() -> None:
    assert [list(objects(data)) for data in (None, 1, "x", [], [{"kind": "Pod"}])] == [[], [], [], [], []]


@pytest.mark.parametrize("group", ["gpu.example.com", "resource.x-k8s.io", "dra.k8s.io", "storage.k8s.io", "x" * 10**6])
def test_other_groups_are_not_taken_for_a_slip(group: str) -> None:
    assert not nearly_ours(group)


@pytest.mark.parametrize(("group", "own"), [("", True), ("apps", True), ("storage.k8s.io", True), ("a.k8s.io", False)])
def test_groups_of_kubernetes_itself_are_known(group: str, own: bool) -> None:
    assert is_own(group) == own


@pytest.mark.parametrize(
    ("api_version", "kind", "ours"),
    [
        ("resources.k8s.io/v1", "ResourceClaims", True),
        ("resource.k8s.oi/v1", "DeviceClasses", True),
        ("resources.k8s.io/v1", "resourceClaim", True),
        ("resources.k8s.io/v1", "ResourceQuota", False),
        ("resources.example.com/v1", "ResourceClaims", False),
        ("apps/v1", "ResourceClaims", True),
        ("apps/v1", "ReplicaSets", False),
    ],
)
def test_a_slip_in_both_the_group_and_the_kind_is_seen(api_version: str, kind: str, ours: bool) -> None:
    assert ApiVersions().ours(api_version, kind) == ours
