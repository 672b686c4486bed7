"""The assumptions of the rules between objects: namespaces, patches, templates, releases, standard input."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import CLASS, Run
from tests.references.placed_pod import NAMESPACE, POD, TEMPLATE

NOWHERE = ("DRA402", "spec.resourceClaims[0].resourceClaimTemplateName", 22, 32)


def both(template: str = TEMPLATE, pod: str = POD) -> str:
    return f"{template}---\n{pod}"


def test_standard_input_is_read_once_and_located(check: Run) -> None:
    assert check("-", stdin=both(pod=MISSPELT)).findings == [NOWHERE]


MISSPELT = POD.replace(": one-gpu", ": one-gpuu")


def test_of_several_namesakes_the_nearest_is_named(check: Run, workdir: Path) -> None:
    def named(*namespaces: str) -> str:
        return "".join(f"---\n{TEMPLATE.replace('namespace: ml', f'namespace: {name}')}" for name in namespaces)

    (workdir / "a/b").mkdir(parents=True)
    pod = workdir / "a/b/pod.yaml"
    (workdir / "aa.yaml").write_text(named("alpha", "ml-pci"))
    pod.write_text(POD)
    told = []
    for folder in (".", "a", "a/b", "a/b/pod.yaml"):
        if folder.endswith(".yaml"):
            pod.write_text(POD + named("x", "ml-gpu", "z"))
        else:
            (workdir / folder / "near.yaml").write_text(named("x", f"m-{len(folder)}"))
        (finding,) = check(".").report["findings"]
        told.append((finding["related"][0]["file"], finding["message"].split('"')[3]))

    assert told == [
        ("aa.yaml", "ml-pci"),
        ("a/near.yaml", "m-1"),
        ("a/b/near.yaml", "m-3"),
        ("a/b/pod.yaml", "ml-gpu"),
    ]


SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-a}
spec:
  driver: cpu.example.com
  nodeName: node-a
  pool: {name: node-a, generation: 1, resourceSliceCount: 1}
  devices: [{name: cpu-0}]
"""


OTHER = TEMPLATE.replace("one-gpu", "two").replace("gpu.example.com", "nic")
NAMESPACED = "apiVersion: v1\nkind: Namespace\nmetadata: {name: inference-prod}\n---\n" + TEMPLATE.replace(
    "namespace: ml", "namespace: inference-prd"
)
SLICES = ("--slices", "slices.yaml")


@pytest.mark.parametrize(
    ("configuration", "text", "options", "rules"),
    [
        ("known: {classes: gpu.example.com}", TEMPLATE, ("--complete",), []),
        ("known: {classes: '*.example.com'}", TEMPLATE, ("--complete",), []),
        ("known: {classes: [nic]}", TEMPLATE, ("--complete",), ["DRA404"]),
        (
            "known-class: nic\nknown: {classes: [other, gpu.example.com]}",
            f"{TEMPLATE}---\n{OTHER}",
            ("--complete",),
            [],
        ),
        ("known: {classes: gpu.example.com}", OTHER, ("--complete", "--known-class", "nic"), []),
        ("known: {classes: ['*']}", NAMESPACED, ("--complete",), ["DRA408"]),
        ("known: {classes: ['*'], namespaces: inference-p*}", NAMESPACED, ("--complete",), []),
        ("known: {}", CLASS, SLICES, ["DRA714"]),
        ("known: {}", f"{CLASS}---\n{TEMPLATE}", SLICES, ["DRA430"]),
        ("known: {drivers: nic.example.com}", CLASS, SLICES, ["DRA714"]),
        ("known: {drivers: gpu.example.com}", CLASS, SLICES, []),
    ],
)
def test_names_are_known_from_the_configuration(
    check: Run, workdir: Path, configuration: str, text: str, options: tuple[str, ...], rules: list[str]
) -> None:
    (workdir / "known.yaml").write_text(configuration)
    (workdir / "slices.yaml").write_text(SLICE)

    assert [rule for rule, *_ in check("--config", "known.yaml", *options, "-", stdin=text).findings] == rules


def test_a_patch_is_no_object_of_its_own(check: Run, tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text("patches:\n- path: patch.yaml\n")
    (tmp_path / "patch.yaml").write_text(POD.replace(": one-gpu", ": one-gpuu"))
    (tmp_path / "template.yaml").write_text(TEMPLATE)

    assert check(tmp_path).findings == []


def test_several_processes_find_the_same(check: Run, tmp_path: Path) -> None:
    (tmp_path / "template.yaml").write_text(TEMPLATE)
    for number in range(20):
        pod = POD.replace("name: train", f"name: train-{number}").replace(": one-gpu", ": one-gpuu")
        (tmp_path / f"pod-{number:02}.yaml").write_text(pod)

    one, two = check("--jobs", 1, tmp_path), check("--jobs", 2, tmp_path)

    assert one.stdout == two.stdout
    assert [f["rule"] for f in one.report["findings"]] == ["DRA402"] * 20
    assert {Path(f["related"][0]["file"]).name for f in one.report["findings"]} == {"template.yaml"}


@pytest.mark.parametrize(("label", "rules"), [("owner", ["DRA707"]), ("chart", []), ("version", [])])
def test_what_a_chart_notes_on_a_template_is_not_meant_for_its_claims(check: Run, label: str, rules: list[str]) -> None:
    template = TEMPLATE.replace(NAMESPACE, f"{NAMESPACE}  labels:\n    example.com/{label}: a\n")

    assert [rule for rule, *_ in check("-", stdin=template).findings] == rules


def test_of_a_rule_a_thousand_problems_of_one_pod_are_told(check: Run) -> None:
    entries = "".join(f"  - {{name: c{number}, resourceClaimName: c{number}}}\n" for number in range(1002))
    head = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: a}]\n  resourceClaims:\n"
    found = [f for f in check("-", stdin=head + entries).report["findings"] if f["line"] > 6]

    assert [sum(f["rule"] == rule for f in found) for rule in ("DRA705", "DRA109")] == [1000, 1]
    more = next(f for f in found if f["rule"] == "DRA109")
    assert (more["line"], more["path"], more["message"], more["hint"]) == (
        1006,
        "spec.resourceClaims[999]",
        "dralint does not list every problem of DRA705 here, because the list would be too long",
        "repair these first, then check again: 2 more problems of this rule are not shown yet",
    )
