"""dralint judges the content of a field with the wrong name, place or form as if the field were right."""

from __future__ import annotations

import pytest

from tests.judged import judged

HEAD = "apiVersion: resource.k8s.io/{}\nkind: ResourceClaim\nmetadata: {{name: a}}\nspec:\n  devices:\n    requests:\n"


def said(text: str, release: str = "1.37") -> list[tuple[str, str, int]]:
    report = judged(text, release)
    return [(f.rule, f.path.removeprefix("spec.devices.requests[0]."), f.line) for f in report.findings if f.reason]


def test_what_lies_under_exactly_in_v1beta1_is_judged() -> None:
    text = HEAD.format("v1beta1") + "    - name: gpu\n      exactly:\n        deviceClassName: A B\n        count: -1\n"

    assert said(text, "1.33") == [
        ("DRA107", "exactly", 8),
        ("DRA202", "exactly.deviceClassName", 9),
        ("DRA240", "exactly.count", 10),
    ]


def test_what_lies_in_a_misspelt_field_in_a_misspelt_field_is_judged() -> None:
    text = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec:\n  device:\n    request:\n"
    text += "    - name: gpu\n      exactly:\n        deviceClasName: gpu\n        count: -1\n"

    assert said(text) == [
        ("DRA101", "spec.device", 5),
        ("DRA101", "spec.device.request", 6),
        ("DRA101", "spec.device.request[0].exactly.deviceClasName", 9),
        ("DRA240", "spec.device.request[0].exactly.count", 10),
    ]


def test_what_lies_in_an_object_that_should_be_a_list_is_judged() -> None:
    text = (
        HEAD.format("v1")
        + "      name: gpu\n      exactly:\n        deviceClasName: gpu\n        allocationMode: Exact\n"
    )

    assert said(text) == [
        ("DRA102", "spec.devices.requests", 7),
        ("DRA101", "spec.devices.requests.exactly.deviceClasName", 9),
        ("DRA213", "spec.devices.requests.exactly.allocationMode", 10),
    ]


@pytest.mark.parametrize("field", ["count: 1", "allocationMode: All"])
def test_what_is_right_in_the_wrong_place_has_no_other_finding(field: str) -> None:
    text = HEAD.format("v1") + f"    - name: gpu\n      deviceClassName: a\n      {field}\n"

    assert {row[0] for row in said(text)} == {"DRA107"}
