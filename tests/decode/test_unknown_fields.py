"""The right place of a misplaced field, in words that can be followed literally."""

from __future__ import annotations

from typing import Any

import pytest

from dralint.finding.problem import path_text
from dralint.kubernetes.release import Release
from dralint.lint.release_judge import Judge
from dralint.manifest.objects import ApiObject

Told = tuple[str, str, str, str | None]


def told(data: dict[str, Any], release: str = "1.37") -> list[Told]:
    judge = Judge(Release.parse(release))
    item = ApiObject((), data["apiVersion"], data["kind"], {"metadata": {"name": "a"}, **data})
    return [(p.rule, path_text(p.path), p.message, p.hint) for p in judge.check(item)]


def claim(devices: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": {"devices": devices}}


@pytest.mark.parametrize("field", ["operator", "tolerationSeconds"])
def test_what_only_a_toleration_has_is_left_out_of_a_taint(field: str) -> None:
    device = {"name": "a", "taints": [{"key": "a.b/c", "effect": "NoExecute", field: 1}]}
    slice_ = {"driver": "d.e", "nodeName": "n", "pool": {"name": "p", "resourceSliceCount": 1}, "devices": [device]}
    found = told({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": slice_}, "1.37")

    assert [(rule, path) for rule, path, _, hint in found if hint and hint.startswith("remove it: a toleration ")] == [
        ("DRA101", f"spec.devices[0].taints[0].{field}")
    ]


def test_each_flat_request_of_a_long_list_is_one_mistake() -> None:
    requests = [{"name": f"gpu-{number}", "deviceClassName": "g", "count": 2} for number in range(12)]
    found = told(claim({"requests": requests}))

    assert [path for _, path, _, _ in found] == [
        f"spec.devices.requests[{number}].deviceClassName" for number in range(12)
    ]


def test_what_an_unknown_field_leaves_missing_is_not_told_again() -> None:
    taints = {"taints": {"key": "a.b/c", "effect": "NoExecute"}}
    found = told({"apiVersion": "resource.k8s.io/v1beta2", "kind": "DeviceTaintRule", "spec": taints}, "1.37")

    assert [(rule, path) for rule, path, _, _ in found if rule not in ("DRA505", "DRA510")] == [
        ("DRA101", "spec.taints")
    ]


@pytest.mark.parametrize("key", ["deviceClas", "deviceClss", "clas", "devicClass"])
def test_a_misspelt_word_for_the_class_means_the_class(key: str) -> None:
    found = told(claim({"requests": [{"name": "gpu", key: "g"}]}))

    where = "in v1 it belongs under `exactly:` (only v1alpha3 and v1beta1 have it here)"
    assert (found[0][0], found[0][2]) == ("DRA107", f'unknown field "{key}", probably "deviceClassName": {where}')
