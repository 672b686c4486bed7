"""The classic API, 1.26 to 1.30: claims with a driver's controller, parameters, and slices of named resources."""

from __future__ import annotations

import pytest

from tests.slice_manifests import Said, block, reasons, said


def claim(status: str) -> str:
    """Return a claim of v1alpha2; its status begins in line 8."""
    return (
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: a\n"
        "spec:\n  resourceClassName: gpu.example.com\nstatus:\n" + block(status, 2)
    )


def instance(attributes: str) -> str:
    """Return a slice of 1.30; the attributes begin in line 10."""
    return (
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceSlice\nmetadata:\n  name: a\n"
        "nodeName: node-1\ndriverName: gpu.example.com\nnamedResources:\n  instances:\n  - name: gpu-0\n"
        "    attributes:\n" + block(attributes, 4)
    )


@pytest.mark.parametrize(("shareable", "refused"), [("true", False), ("false", True)])
def test_only_a_shareable_allocation_is_reserved_twice(shareable: str, refused: bool) -> None:
    users = "reservedFor: [{resource: pods, name: a, uid: a}, {resource: pods, name: b, uid: b}]"
    text = claim(f"driverName: gpu.example.com\nallocation: {{shareable: {shareable}}}\n{users}")

    assert reasons(text, "1.30") == ([("status.reservedFor", "Forbidden")] if refused else [])


def test_deallocation_of_a_claim_that_is_in_use_or_not_allocated() -> None:
    users = "reservedFor: [{resource: pods, name: a, uid: a}]"
    used = claim(f"driverName: gpu.example.com\nallocation: {{}}\ndeallocationRequested: true\n{users}")

    assert sorted(reasons(used, "1.30")) == [
        ("status.deallocationRequested", "Forbidden"),
        ("status.reservedFor", "Forbidden"),
    ]
    assert reasons(claim("deallocationRequested: true"), "1.30") == [("status", "Forbidden")]


def test_an_attribute_of_an_instance_has_one_value() -> None:
    text = instance("- {name: a}\n- {name: b, string: x, bool: false}\n- {name: c, intSlice: {ints: []}}")

    values = "quantity, bool, int, intSlice, string, stringSlice, version"
    path = "namedResources.instances[0].attributes"
    assert said(text, "1.30") == [
        Said("DRA215", f"{path}[0]", 11, f"the attribute has no value: exactly one of {values} must be set"),
        Said("DRA215", f"{path}[1]", 12, "the attribute has 2 values (bool, string): exactly one must be set"),
    ]


def test_a_slice_without_named_resources_is_blamed_as_a_whole() -> None:
    text = instance("[]").partition("namedResources")[0]

    assert reasons(text, "1.30") == [("", "Required")]


def test_a_missing_model_is_blamed_on_the_entry() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaimParameters\nmetadata:\n  name: a\n"
        "driverRequests:\n- driverName: gpu.example.com\n  requests:\n  - {}\n"
    )

    message = "`namedResources` is required and is missing"
    assert said(text, "1.30") == [Said("DRA212", "driverRequests[0].requests[0]", 8, message)]


def test_duplicate_nodes_are_not_looked_at_up_to_1_30_and_are_in_1_31() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1alpha3\nkind: PodSchedulingContext\nmetadata:\n  name: a\n"
        "spec:\n  potentialNodes: [A, A]\n"
    )

    nodes = "spec.potentialNodes"
    assert sorted(reasons(text, "1.31")) == [
        (f"{nodes}[0]", "Invalid"),
        (f"{nodes}[1]", "Duplicate"),
        (f"{nodes}[1]", "Invalid"),
    ]
    assert sorted(reasons(text.replace("v1alpha3", "v1alpha2"), "1.30")) == [
        (f"{nodes}[0]", "Invalid"),
        (f"{nodes}[1]", "Duplicate"),
    ]


def test_two_scheduling_states_of_one_claim_are_blamed_on_the_entry() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1alpha2\nkind: PodSchedulingContext\nmetadata:\n  name: a\nspec: {}\n"
        "status:\n  resourceClaims:\n  - {name: a}\n  - {name: a, unsuitableNodes: [B]}\n"
    )

    assert sorted(reasons(text, "1.28")) == [
        ("status.resourceClaims[1]", "Duplicate"),
        ("status.resourceClaims[1].unsuitableNodes[0]", "Invalid"),
    ]
