"""Strict decoding, in the words that people get."""

from __future__ import annotations

from typing import Any

import pytest

from dralint.decode.decoder import valid_time
from dralint.finding.problem import path_text
from dralint.kubernetes.release import Release
from dralint.lint.release_judge import Judge, pruned
from dralint.manifest.objects import ApiObject


def problems(data: dict[str, Any], release: str = "1.34") -> list[tuple[str, str, str, str | None, str | None]]:
    head = {"metadata": {"name": "a"}}
    judge = Judge(Release.parse(release))
    item = ApiObject((), data["apiVersion"], data["kind"], {**head, **data})
    return [(p.rule, path_text(p.path), p.message, p.reason, p.hint) for p in judge.check(item)]


def claim(request: dict[str, Any], version: str = "v1") -> dict[str, Any]:
    return {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": "ResourceClaim",
        "spec": {"devices": {"requests": [{"name": "gpu", **request}]}},
    }


def test_a_field_in_the_wrong_case_is_recognised() -> None:
    other = {"Spec" if key == "spec" else key: value for key, value in claim({}).items()}
    what = 'unknown field "Spec"; field names are case-sensitive'

    assert problems(other)[0] == ("DRA101", "Spec", what, "Unknown", 'did you mean "spec"?')
    both = claim({"exactly": {"deviceClassName": "c"}})
    assert problems({**both, "Spec": {"devices": {}}}) == [
        ("DRA101", "Spec", what, "Unknown", "`spec` is there as well: keep one of the two")
    ]
    for same in (None, both["spec"]):
        assert problems({**both, "Spec": same}) == [
            ("DRA101", "Spec", what, "Unknown", "remove it: `spec` is there as well")
        ]


@pytest.mark.parametrize(
    ("count", "message", "hint"),
    [
        ("two", 'expected an integer, got the string "two"', "did you mean 2?"),
        ("2", 'expected an integer, got the string "2"', "remove the quotes: 2"),
        (True, "expected an integer, got true", "write a whole number"),
        ([1], "expected an integer, got a list", "this field is not a list: write 1"),
        (1.5, "expected an integer, got the number 1.5", "write a whole number"),
    ],
)
def test_a_wrong_type_says_what_was_expected_and_found(count: object, message: str, hint: str | None) -> None:
    found = problems(claim({"exactly": {"deviceClassName": "c", "count": count}}))

    assert found == [("DRA102", "spec.devices.requests[0].exactly.count", message, "TypeInvalid", hint)]


def test_a_boolean_for_a_string_says_why_yaml_made_it_one() -> None:
    assert problems({**claim({}), "spec": {}, "metadata": {"name": "a", "labels": {"x": True}}}) == [
        (
            "DRA102",
            "metadata.labels",
            "expected a string for `x`, got true",
            "TypeInvalid",
            "quote it: YAML reads y, yes, on, true and their opposites as a boolean unless they are quoted",
        )
    ]


def test_nothing_below_a_wrong_type_is_reported() -> None:
    assert [row[:2] for row in problems({**claim({}), "spec": {"devices": []}})] == [("DRA102", "spec.devices")]


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("2026-01-02T03:04:05Z", True),
        ("2026-01-02T03:04:05.123456+01:00", True),
        ("2024-02-29T00:00:00Z", True),
        ("2000-02-29T00:00:00Z", True),
        ("1900-02-29T00:00:00Z", False),
        ("2026-02-29T00:00:00Z", False),
        ("2026-04-30T00:00:00Z", True),
        ("2026-04-31T00:00:00Z", False),
        ("2026-00-01T00:00:00Z", False),
        ("2026-12-31T23:59:59Z", True),
        ("2026-13-01T00:00:00Z", False),
        ("2026-01-02T03:60:05Z", False),
        ("2026-01-02T03:04:60Z", False),
        ("2026-01-02T03:04:05+24:60", True),
        ("2026-01-02T03:04:05+25:00", False),
        ("2026-01-02T03:04:05+10:61", False),
        ("2026-01-01", False),
        ("2026-01-02T24:00:00Z", False),
        ("2026-01-02t03:04:05z", False),
        ("", False),
    ],
)
def test_times_are_those_of_rfc_3339(text: str, fine: bool) -> None:
    assert valid_time(text) is fine


def test_pruning_shares_what_stays() -> None:
    data = {"a": {"b": 1}, "c": {"d": 2}}
    left = pruned(data, [(("a",), "b"), (("a",), "x"), (("x", "y"), "z"), (("c", "d"), "e"), ((), "a")])

    assert left == {"c": {"d": 2}}
    assert pruned(data, [(("a",), "b")])["c"] is data["c"]


def test_pruning_leaves_the_original_alone() -> None:
    data = {"a": [{"b": 1, "c": 2}, 3], "d": {"e": 4}}

    assert pruned(data, [(("a", 0), "b"), (("a",), 1), ((), "d")]) == {"a": [{"c": 2}, None]}
    assert data == {"a": [{"b": 1, "c": 2}, 3], "d": {"e": 4}}
