"""What a judge makes of problems of decoding and of fields that a gate removes."""

from __future__ import annotations

import pytest

from tests.conftest import GOOD_CLAIM
from tests.judged import judged

CLAIM = GOOD_CLAIM.replace("\n  name: train\n  namespace: team-a", " {name: train, namespace: a}")


def said(text: str, release: str) -> list[tuple[str, str]]:
    report = judged(text, release)
    return [(finding.rule, finding.path) for finding in report.findings]


def test_few_problems_of_validation_are_reported_besides_one_of_decoding() -> None:
    names = "".join(f"    - name: GPU_{n}\n      exactly: {{deviceClassName: a}}\n" for n in range(9))
    text = f"{CLAIM}{names}    config: 5\n"

    assert said(text, "1.37") == [
        ("DRA201", "spec.devices.requests[1].name"),
        ("DRA201", "spec.devices.requests[2].name"),
        ("DRA201", "spec.devices.requests[3].name"),
        ("DRA102", "spec.devices.config"),
        ("DRA109", "spec.devices.config"),
    ]


def test_a_mistake_that_repeats_along_a_list_is_told_each_time() -> None:
    text = f"{CLAIM}    constraints: [{', '.join('5' for _ in range(16))}]\n"

    assert said(text, "1.37") == [("DRA102", f"spec.devices.constraints[{n}]") for n in range(16)]


def test_at_most_a_hundred_unknown_fields_are_told() -> None:
    text = CLAIM.replace("namespace: a}", ", ".join(f"x{n}: 1" for n in range(120)) + "}")
    found = said(text, "1.37")

    assert found.count(("DRA109", "metadata.x99")) == 1
    assert [rule for rule, _ in found].count("DRA101") == 100


def test_a_reference_is_judged_beside_a_mistake_elsewhere() -> None:
    text = CLAIM.replace("namespace: a}", "label: {}}") + "    constraints: [{requests: [zz], matchAttribute: a.b/c}]\n"

    assert said(text, "1.37") == [
        ("DRA101", "metadata.label"),
        ("DRA203", "spec.devices.constraints[0].requests[0]"),
    ]


@pytest.mark.parametrize("value", ["[]", "null"])
def test_the_removal_of_an_empty_field_is_no_finding(value: str) -> None:
    assert said(f"{CLAIM}        tolerations: {value}\n", "1.35") == []


@pytest.mark.slow
def test_removals_from_a_status_are_not_reported() -> None:
    result = "{request: gpu, driver: a.com, pool: a, device: a, shareID: 6ba7b810-9dad-11d1-80b4-00c04fd430c8}"
    text = f"{CLAIM}status:\n  allocation:\n    devices:\n      results:\n      - {result}\n"

    assert said(text, "1.34") == []


def test_what_is_told_besides_is_the_first_in_the_manifest() -> None:
    config = "    config: [{opaque: {driver: A_B}}]\n"
    request = "    requests:\n    - {exactly: {count: -1, deviceClassName: A_B}, name: A_B}\n"
    text = f"{CLAIM.partition('    requests')[0]}    constraints: 5\n{config}{request}"

    assert said(text, "1.37") == [
        ("DRA102", "spec.devices.constraints"),
        ("DRA109", "spec.devices.constraints"),
        ("DRA212", "spec.devices.config[0].opaque.parameters"),
        ("DRA204", "spec.devices.config[0].opaque.driver"),
        ("DRA240", "spec.devices.requests[0].exactly.count"),
    ]


def test_a_field_that_stands_a_level_too_deep_is_not_told_as_missing_besides() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata: {name: a, driverName: gpu.example.com}\n"
    )

    assert said(text, "1.30") == [("DRA505", "apiVersion"), ("DRA108", "metadata.driverName")]


def test_a_mistake_that_stops_the_server_is_counted_from_seventeen_on() -> None:
    text = f"{CLAIM}    constraints: [{', '.join('5' for _ in range(17))}]\n"

    assert said(text, "1.37") == [
        *(("DRA102", f"spec.devices.constraints[{n}]") for n in range(3)),
        ("DRA109", "spec.devices.constraints[2]"),
    ]
