"""The status of claims since 1.31."""

from __future__ import annotations

import pytest

from tests.validate.claim_text import claim, said

REQUESTS = "requests:\n- {name: gpu, exactly: {deviceClassName: a}}"
RESULT = "{request: gpu, driver: a.com, pool: p, device: d}"
ALLOCATION = f"allocation:\n  devices:\n    results:\n    - {RESULT}\n"
BINDING = "DRADeviceBindingConditions=true,DRAResourceClaimDeviceStatus=true"


def test_a_claim_that_is_being_deleted_cannot_be_reserved() -> None:
    text = claim(REQUESTS, status=f"{ALLOCATION}reservedFor:\n- {{resource: pods, name: a, uid: b}}")
    deleted = text.replace("namespace: a", "namespace: a, deletionTimestamp: 2026-01-02T03:04:05Z")

    assert said(text) == []
    assert [(rule, path) for rule, path, _, _ in said(deleted)] == [("DRA229", "status.reservedFor")]


def test_deallocation_needs_an_allocation_and_nobody_who_uses_it() -> None:
    requests = "requests:\n- {name: gpu, deviceClassName: a}"
    reserved = "reservedFor:\n- {resource: pods, name: a, uid: b}\n"
    switched = "DRAControlPlaneController=true"
    alone = claim(requests, "v1alpha3", "deallocationRequested: true")
    used = claim(requests, "v1alpha3", f"{ALLOCATION}{reserved}deallocationRequested: true")

    assert [(rule, path) for rule, path, _, _ in said(alone, "1.31", switched)] == [("DRA229", "status")]
    assert [(rule, path) for rule, path, _, _ in said(used, "1.31", switched)] == [
        ("DRA229", "status.reservedFor"),
        ("DRA229", "status.deallocationRequested"),
    ]


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("driver: a.com, pool: p, device: e", "device a.com/p/e is not allocated to this claim"),
        (
            "driver: a.com, pool: p, device: d, shareID: 6ba7b810-9dad-11d1-80b4-00c04fd430c8",
            "device a.com/p/d (share 6ba7b810-9dad-11d1-80b4-00c04fd430c8) is not allocated to this claim",
        ),
    ],
)
def test_only_an_allocated_device_has_a_status(device: str, message: str) -> None:
    text = claim(REQUESTS, status=f"{ALLOCATION}devices:\n- {{{device}}}")

    assert said(text) == [("DRA229", "status.devices[0]", 15, message)]


def test_an_allocated_device_is_told_apart_by_driver_pool_and_device() -> None:
    assert said(claim(REQUESTS, status=f"{ALLOCATION}devices:\n- {{driver: a.com, pool: p, device: d}}")) == []


@pytest.mark.parametrize(
    ("conditions", "paths"),
    [
        ("bindingConditions: [a]", ["bindingFailureConditions"]),
        ("bindingFailureConditions: [a], bindingConditions: []", ["bindingConditions"]),
        ("bindingFailureConditions: [b, a], bindingConditions: [a]", ["bindingFailureConditions[1]"]),
        ("bindingFailureConditions: [b], bindingConditions: [a]", []),
    ],
)
def test_binding_conditions_come_in_pairs_of_different_lists(conditions: str, paths: list[str]) -> None:
    text = claim(REQUESTS, status=ALLOCATION.replace("device: d}", f"device: d, {conditions}}}"))
    result = "status.allocation.devices.results[0]"

    assert [(rule, path, line) for rule, path, line, _ in said(text, "1.36", BINDING)] == [
        ("DRA243", f"{result}.{path}", 13) for path in paths
    ]


@pytest.mark.parametrize(
    ("operations", "refused"),
    [
        ("[NodePrepareResources]", True),
        ("[NodePrepareResources, NodeUnprepareResources]", False),
        ("[NodeUnprepareResources]", False),
        ('["*"]', False),
    ],
)
def test_preparation_is_skipped_only_with_its_undoing(operations: str, refused: bool) -> None:
    text = claim(REQUESTS, status=ALLOCATION.replace("device: d}", f"device: d, skipNodeOperations: {operations}}}"))
    found = said(text, switched="DRAOptionalNodeOperations=true,NodeDeclaredFeatures=true")
    path = "status.allocation.devices.results[0].skipNodeOperations"

    assert [(rule, at) for rule, at, _, _ in found] == ([("DRA244", path)] if refused else [])


@pytest.mark.parametrize(("release", "refused"), [("1.36", False), ("1.37", True)])
def test_tolerations_of_results_are_looked_at_since_1_37(release: str, refused: bool) -> None:
    tolerations = "tolerations: [{operator: Exists, value: x}]"
    text = claim(REQUESTS, status=ALLOCATION.replace("device: d}", f"device: d, {tolerations}}}"))
    path = "status.allocation.devices.results[0].tolerations[0].value"

    assert [(rule, at) for rule, at, _, _ in said(text, release)] == ([("DRA241", path)] if refused else [])


@pytest.mark.parametrize(("release", "field"), [("1.32", ".type"), ("1.36", ".type"), ("1.37", "")])
def test_a_condition_that_comes_twice_is_reported_at_its_type_until_1_36(release: str, field: str) -> None:
    ready = "{type: Ready, status: 'True', reason: A, message: '', lastTransitionTime: 2026-01-02T03:04:05Z}"
    version = "v1beta1" if release == "1.32" else "v1"
    requests = "requests:\n- {name: gpu, deviceClassName: a}" if release == "1.32" else REQUESTS
    status = f"{ALLOCATION}devices:\n- {{driver: a.com, pool: p, device: d, conditions: [{ready}, {ready}]}}"
    found = said(
        claim(requests, version, status), release, "DRAResourceClaimDeviceStatus=true" if field == ".type" else ""
    )

    assert [(rule, path) for rule, path, _, _ in found] == [("DRA214", f"status.devices[0].conditions[1]{field}")]
