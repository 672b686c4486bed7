"""Pods and workloads whose kind, API version or list of claims is under a misspelt key."""

from __future__ import annotations

import pytest

from tests.conftest import Run

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  resourceClaims: [{name: gpu, resourceClaimName: a}]
  containers: [{name: main, resources: {claims: [{name: gpu}]}}]
"""


@pytest.mark.parametrize(
    ("right", "wrong", "found"),
    [
        (
            "apiVersion",
            "ApiVersion",
            ("DRA101", "ApiVersion", 1, 'unknown field "ApiVersion"; field names are case-sensitive'),
        ),
        ("kind", "Kind", ("DRA101", "Kind", 2, 'unknown field "Kind"; field names are case-sensitive')),
        ("kind", "kindd", ("DRA012", "kind", 2, "`kind` is missing")),
        ("resourceClaims", "resurceClaims", ("DRA101", "spec.resurceClaims", 5, 'unknown field "resurceClaims"')),
    ],
)
def test_a_misspelt_key_is_told_and_mended(
    run: Run, check: Run, right: str, wrong: str, found: tuple[str, str, int, str]
) -> None:
    text = POD.replace(right, wrong, 1)
    outcome = check("-", stdin=text)

    assert [(f["rule"], f["path"], f["line"], f["message"]) for f in outcome.report["findings"]] == [found]
    assert outcome.report["findings"][0]["hint"] == f'did you mean "{right}"?'
    assert run("fix", "-", stdin=text).stdout == POD


@pytest.mark.parametrize("line", ["kinds: Pod", "knd: Pods", "sort: Pod", ""])
def test_what_has_no_kind_of_a_workload_is_passed_over(check: Run, line: str) -> None:
    text = POD.replace("kind: Pod", line or "# no kind")

    assert [f["rule"] for f in check("-", stdin=text).report["findings"]] == (
        ["DRA012"] if line == "kinds: Pod" else []
    )
