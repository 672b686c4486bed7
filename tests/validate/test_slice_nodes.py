"""Which nodes can use the devices of a slice."""

from __future__ import annotations

import pytest

from tests.slice_manifests import EVERYTHING, Said, reasons, said, slice_of

CHOICES = "`nodeName`, `nodeSelector`, `allNodes` (or `perDeviceNodeSelection`, where that is enabled)"
NONE = f"the slice does not say which nodes can use its devices: exactly one of {CHOICES} must be set"


@pytest.mark.parametrize("choice", ["nodeName: node-1", "allNodes: true", "nodeSelector: {nodeSelectorTerms: [{}]}"])
@pytest.mark.parametrize(("release", "version"), [("1.31", "v1alpha3"), ("1.33", "v1beta2"), ("1.37", "v1")])
def test_one_choice_is_enough(choice: str, release: str, version: str) -> None:
    assert said(slice_of(spec=choice, version=version), release) == []


def test_no_choice_is_reported_at_the_spec() -> None:
    assert said(slice_of(spec=""), "1.34") == [Said("DRA250", "spec", 5, NONE)]


def test_two_choices_are_underlined_at_the_second() -> None:
    text = slice_of(spec="nodeName: node-1\nallNodes: true")

    message = f"`nodeName` and `allNodes` are set: exactly one of {CHOICES} must be set"
    assert said(text, "1.34") == [Said("DRA250", "spec", 9, message)]


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


def test_a_choice_that_a_gate_removes_leaves_none() -> None:
    text = slice_of(spec="perDeviceNodeSelection: true")

    assert reasons(text, "1.35", "") == [("spec", "Required")]
    assert reasons(text, "1.35", EVERYTHING) == []


def test_a_selector_of_a_slice_has_one_term() -> None:
    text = slice_of(spec="nodeSelector:\n  nodeSelectorTerms:\n  - {}\n  - {}")

    message = "a slice takes exactly one node selector term, not 2"
    assert said(text, "1.34") == [Said("DRA227", "spec.nodeSelector.nodeSelectorTerms", 11, message)]


def test_devices_choose_where_the_slice_leaves_it_to_them() -> None:
    text = slice_of("- name: a\n  nodeName: node-1\n- name: b\n  allNodes: true\n", spec="perDeviceNodeSelection: true")

    assert said(text, "1.36") == []


def test_a_device_without_a_choice_is_reported_where_it_must_choose() -> None:
    text = slice_of("- name: a\n- name: b\n  nodeName: node-1\n  allNodes: true\n", spec="perDeviceNodeSelection: true")

    one_of = "exactly one of `nodeName`, `nodeSelector`, `allNodes` must be set"
    assert said(text, "1.36") == [
        Said(
            "DRA250",
            "spec.devices[0]",
            10,
            f"the device does not say which nodes can use it: spec.perDeviceNodeSelection is true, so {one_of}",
        ),
        Said("DRA250", "spec.devices[1]", 13, f"`nodeName` and `allNodes` are set: {one_of}"),
    ]


def test_a_device_cannot_choose_by_itself_and_its_choice_is_not_looked_at() -> None:
    text = slice_of("- name: a\n  nodeName: Not/A/Node\n")

    message = "the device sets `nodeName`, but its slice does not set `perDeviceNodeSelection`"
    assert said(text, "1.36") == [Said("DRA250", "spec.devices[0]", 11, message)]


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


def test_the_only_field_to_select_nodes_by_is_the_name() -> None:
    term = "{matchFields: [{key: metadata.labels, operator: Exists, values: [a]}]}"
    text = slice_of(spec=f"nodeSelector:\n  nodeSelectorTerms:\n  - {term}")

    path = "spec.nodeSelector.nodeSelectorTerms[0].matchFields[0]"
    assert said(text, "1.34") == [
        Said(
            "DRA227",
            f"{path}.key",
            10,
            '"metadata.labels" is not a field to select nodes by; the only one is metadata.name',
        ),
        Said("DRA213", f"{path}.operator", 10, '"Exists" is not an operator here; allowed: In, NotIn'),
    ]


def test_a_device_for_no_node_is_refused() -> None:
    text = slice_of("- name: a\n  allNodes: false", spec="perDeviceNodeSelection: true")

    assert [found[:2] for found in said(text, "1.37")] == [
        ("DRA250", "spec.devices[0]"),
        ("DRA250", "spec.devices[0].allNodes"),
    ]
    assert said(text, "1.37")[1].message == "`allNodes` is false"
