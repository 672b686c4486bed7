"""Kustomizations, Flux and Argo CD put objects into namespaces and change their names: what they may mend is silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.folders import write
from tests.references.placed_pod import NAMESPACE, POD, TEMPLATE

OTHER = POD.replace(NAMESPACE, "  namespace: team-a\n")
NOWHERE = ("DRA402", "spec.resourceClaims[0].resourceClaimTemplateName", 9, 32)
LISTED = "resources:\n- pod.yaml\n- template.yaml\n"


@pytest.fixture(autouse=True)
def _a_repository(tmp_path: Path) -> None:
    """Keep what other tests have left beside the folder away from the search for overlays."""
    (tmp_path / ".git").mkdir()


def base(kustomization: str = LISTED, pod: str = OTHER) -> dict[str, str]:
    return {"base/kustomization.yaml": kustomization, "base/pod.yaml": pod, "base/template.yaml": TEMPLATE}


def test_a_kustomization_that_sets_no_namespace_changes_nothing(check: Run, tmp_path: Path) -> None:
    write(tmp_path, {**base(), "overlays/prod/kustomization.yaml": "resources: [../../base]\nnameSuffix: -one\n"})

    assert check(tmp_path).findings == [NOWHERE]


@pytest.mark.parametrize(
    "overlay",
    [
        {"base/kustomization.yaml": f"namespace: prod\n{LISTED}"},
        {"overlays/prod/kustomization.yaml": "namespace: prod\nresources: [../../base]\n"},
        {"overlays/prod/kustomization.yml": "namespace: prod\nbases: [../../base/]\n"},
        {
            "overlays/prod/kustomization.yaml": "namespace: prod\nresources: [../all]\n",
            "overlays/test/kustomization.yaml": "namespace: test\nresources: [../all]\n",
            "overlays/all/kustomization.yaml": "resources: [../../base]\n",
        },
        {
            "overlays/prod/kustomization.yaml": "resources: [../../base]\ncomponents: [../../place]\n",
            "place/kustomization.yaml": "kind: Component\nnamespace: prod\n",
        },
        {"overlays/prod/kustomization.yaml": "resources: [../../base]\ntransformers: [place.yaml]\n"},
        {"overlays/prod/kustomization.yaml": "resources: [../../base]\nreplacements: [{path: place.yaml}]\n"},
    ],
)
@pytest.mark.parametrize("whole", ["all", "base"])
@pytest.mark.slow
def test_the_namespace_of_a_kustomization_holds_for_all_it_builds_on(
    check: Run, tmp_path: Path, overlay: dict[str, str], whole: str
) -> None:
    write(tmp_path, base() | overlay)

    assert check(tmp_path if whole == "all" else tmp_path / "base").findings == []


def test_one_of_the_two_is_put_into_the_namespace_of_the_other(check: Run, tmp_path: Path) -> None:
    files = base("resources: [template.yaml]\nnamespace: team-a\n")
    write(tmp_path, files)
    assert check(tmp_path).findings == []

    (tmp_path / "base/kustomization.yaml").write_text("resources: [template.yaml]\nnamespace: team-b\n")
    (found,) = check(tmp_path).report["findings"]
    assert (found["rule"], found["line"]) == ("DRA402", 9)
    assert 'is in namespace "team-b", but the Pod is in namespace "team-a"' in found["message"]


def test_what_is_missing_stays_missing(check: Run, tmp_path: Path) -> None:
    write(tmp_path, base(f"namespace: prod\n{LISTED}", OTHER.replace(": one-gpu", ": two-cats")))

    (found,) = check("--complete", "--known-class", "*", tmp_path).report["findings"]
    assert (found["rule"], found["message"].partition(";")[0]) == (
        "DRA402",
        'there is no ResourceClaimTemplate "two-cats" in namespace "prod"',
    )


def test_the_names_of_an_overlay_count(check: Run, tmp_path: Path) -> None:
    pod = OTHER.replace("team-a", "ml").replace(": one-gpu", ": my-one-gpu-2")
    files = base("resources: [template.yaml]\n", pod)
    overlay = "namePrefix: my-\ncomponents: [../suffix]\nresources: [../../base]\n"
    write(tmp_path, files | {"overlays/suffix/kustomization.yaml": "kind: Component\nnameSuffix: '-2'\n"})
    assert check("--complete", "--known-class", "*", tmp_path).findings == [NOWHERE]

    write(tmp_path, {"overlays/my/kustomization.yaml": overlay})
    assert check("--complete", "--known-class", "*", tmp_path).findings == []


def test_a_patch_that_is_about_claims_may_change_them(check: Run, tmp_path: Path) -> None:
    overlay = "resources: [../../base]\npatches:\n- path: pod.yaml\n"
    write(tmp_path, base() | {"overlays/prod/kustomization.yaml": overlay})
    patch = "apiVersion: v1\nkind: Pod\nmetadata: {name: train}\nspec:\n  "

    (tmp_path / "overlays/prod/pod.yaml").write_text(patch + "hostNetwork: true\n")
    assert check(tmp_path).findings == [NOWHERE]
    (tmp_path / "overlays/prod/pod.yaml").write_text(patch + "resourceClaims: []\n")
    assert check(tmp_path).findings == []


@pytest.mark.parametrize(
    "text", ["resources: [../base]\n", "resources: [.]\n", "resources: 1\n", "[", "namespace: {}\n"]
)
def test_a_kustomization_that_is_none_breaks_nothing(check: Run, tmp_path: Path, text: str) -> None:
    write(tmp_path, base(text))

    assert [found for found in check(tmp_path).findings if found[0].startswith("DRA4")] in ([], [NOWHERE])


FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: flux-system}
spec: {path: ./base, %s}
"""
ARGO = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: app, namespace: argocd}
spec: {source: {path: base, %s}, destination: {namespace: prod}}
"""


@pytest.mark.parametrize(
    ("text", "silent"),
    [
        (FLUX % "targetNamespace: prod", True),
        (FLUX % "prune: true", False),
        (FLUX.replace("./base", "./elsewhere") % "targetNamespace: prod", False),
        (ARGO % "kustomize: {namespace: prod}", True),
        (ARGO % "repoURL: x", False),
        ("apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {sources: 1, source: []}\n", False),
    ],
)
def test_what_deploys_a_directory_may_set_its_namespace(check: Run, tmp_path: Path, text: str, silent: bool) -> None:
    write(tmp_path, {"base/pod.yaml": OTHER, "base/template.yaml": TEMPLATE, "apps/app.yaml": text})

    assert check(tmp_path).findings == ([] if silent else [NOWHERE])


def test_argo_puts_what_names_no_namespace_somewhere(check: Run, tmp_path: Path) -> None:
    pod = POD.replace(NAMESPACE, "")
    write(tmp_path, {"base/pod.yaml": pod, "base/template.yaml": TEMPLATE})
    complete = ("--complete", "--known-class", "*", tmp_path)
    assert [found[0] for found in check(*complete).findings] == ["DRA402"]

    write(tmp_path, {"apps/app.yaml": ARGO % "repoURL: x"})
    assert check(*complete).findings == []


def test_an_overlay_deep_in_a_repository_counts(check: Run, tmp_path: Path) -> None:
    write(tmp_path, base())
    assert check(tmp_path / "base").findings == [NOWHERE]

    write(tmp_path, {"a/b/c/d/e/kustomization.yaml": "namespace: prod\nresources: [../../../../../base]\n"})
    assert check(tmp_path / "base").findings == []


def test_a_search_for_overlays_that_does_not_end_proves_nothing(
    check: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, base() | {f"{number}/x": "" for number in range(6)})
    assert check(tmp_path / "base").findings == [NOWHERE]

    monkeypatch.setattr("dralint.files.kustomize._MOST_DIRECTORIES", 5)
    assert check(tmp_path / "base").findings == []


HERE = OTHER.replace("team-a", "ml")


@pytest.mark.parametrize(
    ("overlays", "rules"),
    [
        ({"dev": "namePrefix: dev-\nresources: [../../base]\n"}, ["DRA446"]),
        ({"dev": "nameSuffix: '-2'\nresources: [../../base]\n", "prod": "resources: [../../base]\n"}, ["DRA446"]),
        ({"dev": "resources: [../../base]\n"}, []),
        ({"dev": "namePrefix: dev-\nresources: [../../base]\nconfigurations: [names.yaml]\n"}, []),
        ({"dev": "namePrefix: dev-\nresources: [../../base]\nreplacements: [{path: names.yaml}]\n"}, []),
        ({"dev": "namePrefix: dev-\nresources: [../../base/template.yaml]\n"}, []),
    ],
)
def test_a_reference_that_kustomize_does_not_rename_with_its_target(
    check: Run, tmp_path: Path, overlays: dict[str, str], rules: list[str]
) -> None:
    write(tmp_path, base(pod=HERE))
    write(tmp_path, {f"overlays/{name}/kustomization.yaml": text for name, text in overlays.items()})

    assert [rule for rule, *_ in check(tmp_path).findings] == rules


def test_the_target_of_a_reference_may_be_built_without_the_prefix_as_well(check: Run, tmp_path: Path) -> None:
    write(tmp_path, base("resources: [pod.yaml, ../plain]\n", HERE) | {"plain/template.yaml": TEMPLATE})
    write(tmp_path, {"plain/kustomization.yaml": "resources: [template.yaml]\nnamePrefix: a-\n"})
    assert [rule for rule, *_ in check(tmp_path).findings] == ["DRA446"]

    write(tmp_path, {"base/kustomization.yaml": "resources: [pod.yaml, template.yaml, ../plain]\n"})
    assert check(tmp_path).findings == []
