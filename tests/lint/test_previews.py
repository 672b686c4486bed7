"""A release whose tag is that of a pre-release: it judges where it is named, with its name, and nowhere else."""

from __future__ import annotations

import pytest

from dralint.cel import table
from dralint.config import choices
from dralint.config.settings import Settings
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.kubernetes.served import ApiVersions, End, full_name, known_releases
from dralint.lint.linter import Linter
from tests.conftest import Run

PREVIEW = max(map(Release.parse, shipped.index()["releases"]["previews"]))
BEFORE = known_releases()[-1]
OLD = """\
apiVersion: resource.k8s.io/v1alpha3
kind: DeviceTaintRule
metadata: {name: a}
spec:
  deviceSelector: {driver: gpu.example.com}
  taint: {key: a, effect: NoExecute}
"""


def test_it_is_named_with_its_tag() -> None:
    assert full_name(str(PREVIEW)) == "1.38 (alpha.2)"
    assert full_name(str(BEFORE)) == "1.37"


def test_it_is_no_known_release() -> None:
    assert PREVIEW not in known_releases()
    assert BEFORE < PREVIEW


@pytest.mark.parametrize("text", ["1.36..", "latest"])
def test_no_range_contains_it_that_does_not_name_it(text: str) -> None:
    assert choices.releases([text])[-1] == BEFORE


@pytest.mark.parametrize("text", ["1.36..1.38", "1.38", "1.37-1.38"])
def test_it_judges_where_it_is_named(text: str) -> None:
    assert choices.releases([text])[-1] == PREVIEW


def test_a_release_that_nobody_knows_is_answered_with_the_preview_besides() -> None:
    with pytest.raises(choices.ChoiceError) as error:
        choices.releases(["1.99"])

    assert error.value.reason.endswith("1.36, 1.37, 1.38 (alpha.2) as a preview")


def test_ends_of_api_versions_are_those_that_each_release_announces() -> None:
    versions = ApiVersions()
    alpha = "resource.k8s.io/v1alpha3"

    assert versions.ends(alpha, "DeviceTaintRule", BEFORE) == End(Release(1, 36), Release(1, 39))
    assert versions.ends(alpha, "DeviceTaintRule", PREVIEW) == End(Release(1, 36))
    assert versions.ends(alpha, "ResourcePoolStatusRequest", BEFORE) == End(Release(1, 39), Release(1, 42))
    assert versions.ends(alpha, "ResourcePoolStatusRequest", PREVIEW) is None
    assert versions.ends("resource.k8s.io/v1beta2", "ResourceClaim", PREVIEW) == End(Release(1, 36), Release(1, 39))


def test_a_deprecation_without_an_announced_end_names_none() -> None:
    report = Linter(Settings(releases=(PREVIEW,))).check("rule.yaml", OLD.encode()).report

    (found,) = report.findings
    assert (found.rule, found.path, found.line) == ("DRA503", "apiVersion", 1)
    assert found.message.startswith(
        "resource.k8s.io/v1alpha3 DeviceTaintRule is deprecated since 1.36; it is served only"
    )


def test_what_it_no_longer_serves_is_refused() -> None:
    text = "apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n"
    report = Linter(Settings(releases=(PREVIEW,))).check("class.yaml", text.encode()).report

    assert [(f.rule, f.path, f.line) for f in report.findings] == [("DRA501", "apiVersion", 1)]


def test_parts_of_a_url_have_a_size_in_it(run: Run) -> None:
    parts = 'url(device.driver).getHost().matches("a+b")'
    before, now = (run("cel", "--kubernetes-version", name, parts).stdout for name in ("1.37", "1.38"))

    assert before.startswith("rejected by Kubernetes 1.37 (")
    assert now.startswith("accepted by Kubernetes 1.38 (alpha.2): type bool, estimated cost ")


def test_expressions_are_not_held_against_a_preview_that_nobody_names() -> None:
    assert table.later(str(known_releases()[-2])) == (str(BEFORE),)
    assert table.later(str(BEFORE)) == ()
