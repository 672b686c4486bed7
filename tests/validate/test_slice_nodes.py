"""Which nodes can use the devices of a slice."""

from __future__ import annotations

import pytest

from tests.slice_manifests import Said, said, slice_of

CHOICES = "`nodeName`, `nodeSelector`, `allNodes` (or `perDeviceNodeSelection`, where that is enabled)"
NONE = f"the slice does not say which nodes can use its devices: exactly one of {CHOICES} must be set"


@pytest.mark.parametrize("choice", ["nodeName: node-1", "allNodes: true", "nodeSelector: {nodeSelectorTerms: [{}]}"])
@pytest.mark.parametrize(("release", "version"), [("1.31", "v1alpha3"), ("1.33", "v1beta2"), ("1.37", "v1")])
def test_one_choice_is_enough(choice: str, release: str, version: str) -> None:
    assert said(slice_of(spec=choice, version=version), release) == []


def test_no_choice_is_reported_at_the_spec() -> None:
    assert said(slice_of(spec=""), "1.34") == [Said("DRA250", "spec", 5, NONE)]


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ('nodeName: ""', "`nodeName` is empty"),
        ("allNodes: false", "`allNodes` is false"),
    ],
)
def test_an_empty_choice_is_an_error_where_fields_are_optional(field: str, message: str) -> None:
    key = field.partition(":")[0]

    assert said(slice_of(spec=field), "1.34") == [
        Said("DRA250", "spec", 5, NONE),
        Said("DRA250", f"spec.{key}", 8, message),
    ]
    assert said(slice_of(spec=field, version="v1beta1"), "1.34") == [Said("DRA250", "spec", 5, NONE)]


def test_devices_choose_where_the_slice_leaves_it_to_them() -> None:
    text = slice_of("- name: a\n  nodeName: node-1\n- name: b\n  allNodes: true\n", spec="perDeviceNodeSelection: true")

    assert said(text, "1.36") == []


@pytest.mark.parametrize(
    ("operator", "values", "message"),
    [
        ("In", "[]", "operator In needs at least one value"),
        ("Exists", "[a]", "operator Exists takes no values"),
        ("Gt", '["1", "2"]', "operator Gt takes exactly one value, not 2"),
    ],
)
def test_an_operator_takes_its_number_of_values(operator: str, values: str, message: str) -> None:
    term = f"{{matchExpressions: [{{key: a, operator: {operator}, values: {values}}}]}}"
    text = slice_of(spec=f"nodeSelector:\n  nodeSelectorTerms:\n  - {term}")

    path = "spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].values"
    assert said(text, "1.34") == [Said("DRA227", path, 10, message)]
