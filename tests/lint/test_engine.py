"""The linter: places, lists, releases, and the findings in each."""

from __future__ import annotations

import pytest

from dralint.finding.finding import Finding
from dralint.finding.report import Report
from tests.judged import judged

CLAIM = """\
apiVersion: resource.k8s.io/{version}
kind: ResourceClaim
metadata:
  name: {name}
spec: {{}}
"""


def rows(report: Report) -> list[tuple[str, str, int, int]]:
    return [(f.rule, f.path, f.line, f.column) for f in report.findings]


def only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


def test_findings_of_several_releases_are_one() -> None:
    finding = only(judged(CLAIM.format(version="v1", name="A"), "1.35", "1.34"))

    assert (finding.rule, finding.releases) == ("DRA202", ("1.34", "1.35"))


def on_range(text: str, *releases: str) -> list[tuple[str, tuple[str, ...], str | None]]:
    """Return rule, releases and hint of what is said on several releases."""
    return [(f.rule, f.releases, f.hint) for f in judged(text, *releases).findings]


def test_on_a_range_a_version_that_not_all_serve_names_one_that_they_do() -> None:
    assert on_range(CLAIM.format(version="v1", name="a"), "1.33", "1.34", "1.36") == [
        (
            "DRA501",
            ("1.33",),
            "use resource.k8s.io/v1beta2; all of 1.33 to 1.36 serve it; resource.k8s.io/v1 begins with 1.34",
        )
    ]


def test_the_status_is_judged_as_if_written_to_the_subresource() -> None:
    text = CLAIM.format(version="v1", name="a") + "status:\n  reservedFor:\n  - {resource: pods, name: b}\n"
    report = judged(text, "1.34")

    assert ("DRA212", "status.reservedFor[0].uid", 8, 5) in rows(report)
    assert all(f.message.endswith("(judged as if written to the status subresource)") for f in report.findings)
    assert rows(judged(text, "1.34", ignore_status=True)) == []


@pytest.mark.parametrize("written", ["1.10", "0123", "007", "0x1F", "1_000", "5e10", "1e3"])
def test_a_number_is_to_be_quoted_as_it_is_written(written: str) -> None:
    text = f"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: a, labels: {{b: {written}}}}}\n"
    finding = only(judged(text, "1.34"))

    assert (finding.rule, finding.hint) == ("DRA102", f'quote it: "{written}"')


def test_what_is_not_listed_is_said_once_for_all_releases() -> None:
    names = "".join(
        f"    - name: GPU_{n}\n      deviceClassName: a\n      tolerations: [{{operator: X}}]\n" for n in range(9)
    )
    head = "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: a}\nspec:\n  devices:\n"
    report = judged(f"{head}    config: 5\n    requests:\n{names}", "1.33", "1.34", "1.35", "1.36", "1.37")

    assert [f.releases for f in report.findings if f.rule == "DRA109"] == [("1.33", "1.34", "1.35", "1.36", "1.37")]


@pytest.mark.slow
def test_of_a_rule_a_thousand_problems_of_an_object_are_told() -> None:
    head = CLAIM.format(version="v1", name="a").replace(
        "spec: {}\n", "spec:\n  devices:\n    requests:\n    - name: r\n"
    )
    entry = "        - {key: k, operator: Exists, value: x, effect: Never}\n"
    text = f"{head}      exactly:\n        deviceClassName: c\n        tolerations:\n{entry * 1002}"
    report = judged(text, "1.34")
    found = rows(report)

    assert [sum(row[0] == rule for row in found) for rule in ("DRA213", "DRA241", "DRA109")] == [1000, 1000, 2]
    more = [f for f in report.findings if f.rule == "DRA109"]
    assert [(f.line, f.message, f.hint) for f in more] == [
        (
            1011,
            f"dralint does not list every problem of {rule} here, because the list would be too long",
            "repair these first, then check again: 2 more problems of this rule are not shown yet",
        )
        for rule in ("DRA241", "DRA213")
    ]


def test_on_a_range_a_misspelt_field_is_told_once_though_the_releases_know_other_fields() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: a}\nspec:\n  devices:\n"
        "    requests:\n    - {name: gpu, deviceClassName: c, alocationMode: All}\n"
    )
    found = [f for f in judged(text, "1.32", "1.37").findings if f.line == 7]

    assert [(f.rule, f.path, f.message) for f in found] == [
        ("DRA101", "spec.devices.requests[0].alocationMode", 'unknown field "alocationMode"')
    ]
