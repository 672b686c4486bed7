"""The status of claims since 1.31."""

from __future__ import annotations

import pytest

from tests.validate.claim_text import claim, said

REQUESTS = "requests:\n- {name: gpu, exactly: {deviceClassName: a}}"
RESULT = "{request: gpu, driver: a.com, pool: p, device: d}"
ALLOCATION = f"allocation:\n  devices:\n    results:\n    - {RESULT}\n"
BINDING = "DRADeviceBindingConditions=true,DRAResourceClaimDeviceStatus=true"
RESULTS = "status.allocation.devices.results[0]"
OPERATIONS = "DRAOptionalNodeOperations=true,NodeDeclaredFeatures=true"
FLAT = "requests:\n- {name: gpu, deviceClassName: a}"
RESERVED = "reservedFor:\n- {resource: pods, name: a, uid: b}\n"
SHARE = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
CONTROLLER = "DRAControlPlaneController=true"
DELETED = "namespace: a, deletionTimestamp: 2026-01-02T03:04:05Z"


def allocated(more: str = "", fields: str = "") -> str:
    """Return a claim with a device (line 13), more fields of its result, and more of its status (from line 14)."""
    result = f"device: d, {fields}}}" if fields else "device: d}"
    return claim(REQUESTS, status=ALLOCATION.replace("device: d}", result) + more)


@pytest.mark.parametrize(
    ("text", "release", "gates", "expected"),
    [
        (allocated(RESERVED), "1.37", "", []),
        (allocated(RESERVED).replace("namespace: a", DELETED), "1.37", "", [("DRA229", "status.reservedFor", 14)]),
        # deallocation needs an allocation, and nobody who uses it
        (claim(FLAT, "v1alpha3", "deallocationRequested: true"), "1.31", CONTROLLER, [("DRA229", "status", 10)]),
        (claim(FLAT, "v1alpha3", f"{ALLOCATION}{RESERVED}deallocationRequested: true"), "1.31", CONTROLLER, [
            ("DRA229", "status.reservedFor", 14),
            ("DRA229", "status.deallocationRequested", 16),
        ]),
        # only a device that is allocated has a status: it is told apart by driver, pool and device
        (allocated("devices:\n- {driver: a.com, pool: p, device: d}"), "1.37", "", []),
        (allocated("devices:\n- {driver: a.com, pool: p, device: e}"), "1.37", "", [
            ("DRA229", "status.devices[0]", 15),
        ]),
        (allocated("devices:\n- {driver: a.com, pool: q, device: d}"), "1.37", "", [
            ("DRA229", "status.devices[0]", 15),
        ]),
        # binding conditions come in pairs of different lists
        (allocated("", "bindingConditions: [a]"), "1.36", BINDING, [
            ("DRA243", f"{RESULTS}.bindingFailureConditions", 13),
        ]),
        (allocated("", "bindingFailureConditions: [a], bindingConditions: []"), "1.36", BINDING, [
            ("DRA243", f"{RESULTS}.bindingConditions", 13),
        ]),
        (allocated("", "bindingFailureConditions: [b, a], bindingConditions: [a]"), "1.36", BINDING, [
            ("DRA243", f"{RESULTS}.bindingFailureConditions[1]", 13),
        ]),
        (allocated("", "bindingFailureConditions: [b], bindingConditions: [a]"), "1.36", BINDING, []),
        # preparation is skipped only with its undoing
        (allocated("", "skipNodeOperations: [NodePrepareResources]"), "1.37", OPERATIONS, [
            ("DRA244", f"{RESULTS}.skipNodeOperations", 13),
        ]),
        (allocated("", "skipNodeOperations: [NodePrepareResources, NodeUnprepareResources]"), "1.37", OPERATIONS, []),
        (allocated("", "skipNodeOperations: [NodeUnprepareResources]"), "1.37", OPERATIONS, []),
        (allocated("", 'skipNodeOperations: ["*"]'), "1.37", OPERATIONS, []),
        # tolerations of results are looked at since 1.37
        (allocated("", "tolerations: [{operator: Exists, value: x}]"), "1.36", "", []),
        (allocated("", "tolerations: [{operator: Exists, value: x}]"), "1.37", "", [
            ("DRA241", f"{RESULTS}.tolerations[0].value", 13),
        ]),
    ],
)  # fmt: skip
def test_what_is_said_of_a_status(text: str, release: str, gates: str, expected: list[tuple[str, str, int]]) -> None:
    assert [row[:3] for row in said(text, release, gates)] == expected


def test_a_share_that_is_not_allocated_is_named() -> None:
    text = allocated(f"devices:\n- {{driver: a.com, pool: p, device: d, shareID: {SHARE}}}")

    message = f"device a.com/p/d (share {SHARE}) is not allocated to this claim"
    assert said(text) == [("DRA229", "status.devices[0]", 15, message)]


@pytest.mark.parametrize(("release", "field"), [("1.32", ".type"), ("1.36", ".type"), ("1.37", "")])
def test_a_condition_that_comes_twice_is_reported_at_its_type_until_1_36(release: str, field: str) -> None:
    ready = "{type: Ready, status: 'True', reason: A, message: '', lastTransitionTime: 2026-01-02T03:04:05Z}"
    version = "v1beta1" if release == "1.32" else "v1"
    requests = FLAT if release == "1.32" else REQUESTS
    status = f"{ALLOCATION}devices:\n- {{driver: a.com, pool: p, device: d, conditions: [{ready}, {ready}]}}"
    found = said(
        claim(requests, version, status), release, "DRAResourceClaimDeviceStatus=true" if field == ".type" else ""
    )

    assert [(rule, path) for rule, path, _, _ in found] == [("DRA214", f"status.devices[0].conditions[1]{field}")]
