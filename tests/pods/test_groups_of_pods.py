"""PodGroup and Workload of `scheduling.k8s.io`: which releases serve which version, in every command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dralint.config.settings import Settings
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter
from tests.conftest import Run

CLAIMS = "resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]"
POD_GROUP = "apiVersion: %s\nkind: PodGroup\nmetadata: {name: a}\nspec:\n  %s\n"
WORKLOAD = "apiVersion: %s\nkind: Workload\nmetadata: {name: a}\nspec:\n  podGroupTemplates:\n  - name: w\n    %s\n"
NOT_SERVED = "DRA501"


def said(text: str, *releases: str) -> list[tuple[str, str, int, str, str | None]]:
    """Return the findings of an object in some releases, without those about the gate and the enabling."""
    settings = Settings(releases=tuple(map(Release.parse, releases)))
    report = Linter(settings).check("a.yaml", text.encode()).report
    report.sort()
    kept = [one for one in report.findings if one.rule not in ("DRA502", "DRA505")]
    return [(one.rule, one.path, one.line, one.message, one.hint) for one in kept]


def test_nothing_else_is_said_of_an_object_that_is_not_served() -> None:
    text = POD_GROUP % ("scheduling.k8s.io/v1alpha2", CLAIMS.replace("Name:", "Nane:"))

    assert [rule for rule, *_ in said(text, "1.37")] == [NOT_SERVED]
    assert [rule for rule, *_ in said(text, "1.36")] == ["DRA101"]


def test_the_workload_of_1_35_has_no_claims() -> None:
    found = said(WORKLOAD % ("scheduling.k8s.io/v1alpha1", CLAIMS), "1.35")

    assert [(rule, path, message) for rule, path, _, message, _ in found] == [
        ("DRA101", "spec.podGroupTemplates[0].resourceClaims", 'unknown field "resourceClaims"')
    ]


@pytest.mark.parametrize("version", ["kueue.x-k8s.io/v1beta1", "scheduling.volcano.sh/v1beta1"])
def test_kinds_of_other_groups_are_silent(version: str) -> None:
    assert said(WORKLOAD % (version, CLAIMS), "1.30") == []
    assert said(POD_GROUP % (version, CLAIMS), "1.30") == []


def test_an_upgrade_names_what_is_no_longer_served(run: Run) -> None:
    text = POD_GROUP % ("scheduling.k8s.io/v1alpha2", CLAIMS)
    done = run("upgrade", "--from", "1.36", "--to", "1.37", "-", stdin=text)

    assert "scheduling.k8s.io/v1alpha2 is not served from 1.37 on" in done.stdout
    assert done.status == 1


def test_an_upgrade_names_what_begins_to_be_served(run: Run) -> None:
    text = POD_GROUP % ("scheduling.k8s.io/v1beta1", CLAIMS)
    done = run("upgrade", "--from", "1.36", "--to", "1.37", "-", stdin=text)

    assert "PodGroup of scheduling.k8s.io/v1beta1 is not served before 1.37" in done.stdout
    assert done.status == 0


def test_what_the_cluster_serves_decides(run: Run, tmp_path: Path) -> None:
    served = tmp_path / "versions"
    text = POD_GROUP % ("scheduling.k8s.io/v1alpha3", CLAIMS)
    served.write_text("v1\nresource.k8s.io/v1\nscheduling.k8s.io/v1beta1\n")
    done = run("check", "--api-versions", str(served), "--format", "json", "-", stdin=text)

    assert [(one["rule"], one["message"]) for one in json.loads(done.stdout)["findings"]][:1] == [
        (NOT_SERVED, "the cluster does not serve scheduling.k8s.io/v1alpha3 (--api-versions)")
    ]
