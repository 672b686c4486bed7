"""Each file is judged by the nearest configuration, from its folder upwards."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dralint.editor.workspace import Folder
from tests.conftest import BAD_CLAIM, OLD_CLAIM, Calls, Run

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: a}]
"""

pytestmark = pytest.mark.usefixtures("workdir")


def tree(files: Mapping[str, str], *, repository: bool = True) -> None:
    if repository:
        Path(".git").mkdir()
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def claims(*names: str) -> dict[str, str]:
    return {name: OLD_CLAIM.replace("name: a\n", f"name: {Path(name).stem}\n") for name in names}


def found(check: Run, *arguments: str) -> list[tuple[str, str]]:
    findings: list[dict[str, Any]] = check(*arguments).report["findings"]
    return [(finding["rule"], finding["file"]) for finding in findings]


def test_the_nearest_configuration_judges_a_file(check: Run) -> None:
    tree(
        claims("a.yaml", "team/b.yaml", "team/x/y/c.yaml", "other/d.yaml")
        | {"team/.dralint.yaml": "ignore: DRA503\n", "team/x/.dralint.yaml": 'kubernetes-version: "1.33"\n'}
    )

    assert found(check, ".") == [("DRA503", "a.yaml"), ("DRA503", "other/d.yaml"), ("DRA505", "team/x/y/c.yaml")]
    assert found(check, "team/b.yaml") == []


def test_a_nearer_configuration_replaces_that_of_the_working_directory(check: Run) -> None:
    tree(claims("a.yaml", "b/b.yaml") | {".dralint.yaml": "ignore: DRA503\n", "b/.dralint.yaml": "severity: {}\n"})

    assert found(check, ".") == [("DRA503", "b/b.yaml")]


def test_what_judges_does_not_depend_on_the_working_directory(check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(claims("a.yaml", "b/b.yaml") | {".dralint.yaml": "ignore: DRA503\n", "b/.dralint.yaml": "complete: false\n"})
    monkeypatch.chdir("b")

    assert found(check, "..") == [("DRA503", "../b/b.yaml")]


def test_the_working_directory_judges_what_has_no_configuration(check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(claims("a.yaml", "b/b.yaml") | {"b/.dralint.yaml": "ignore: DRA503\n"})
    monkeypatch.chdir("b")

    assert found(check, "..") == []


def test_pyproject_counts_only_with_its_table(check: Run) -> None:
    tree(
        claims("a/a.yaml", "b/b.yaml")
        | {".dralint.yaml": "ignore: DRA503\n", "a/pyproject.toml": "[tool.ruff]\n"}
        | {"b/pyproject.toml": "[tool.dralint]\nselect = ['DRA5']\n"}
    )

    assert found(check, ".") == [("DRA503", "b/b.yaml")]


def test_a_configuration_above_another_repository_does_not_count(check: Run) -> None:
    tree(claims("b/c/b.yaml") | {"b/.dralint.yaml": "ignore: DRA503\n"})
    Path("b/c/.git").mkdir()

    assert found(check, ".") == [("DRA503", "b/c/b.yaml")]


@pytest.mark.parametrize("option", ["--no-config", "--config=.dralint.yaml"])
def test_a_named_configuration_is_the_only_one(check: Run, option: str) -> None:
    tree(claims("b/b.yaml") | {".dralint.yaml": "jobs: 1\n", "b/.dralint.yaml": "ignore: DRA503\n"})

    assert found(check, option, ".") == [("DRA503", "b/b.yaml")]


def test_the_command_line_wins_in_every_folder(check: Run) -> None:
    tree(claims("b/b.yaml") | {"b/.dralint.yaml": 'kubernetes-version: "1.33"\nselect: DRA1\n'})

    assert found(check, "--kubernetes-version", "1.35", "--select", "DRA5", ".") == [
        ("DRA503", "b/b.yaml"),
    ]


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ("severity: {DRA503: off}\n", []),
        ("severity: {DRA503: error}\n", ["error"]),
        ("ignores: [{rules: DRA503}]\n", []),
        ("ignores: [{rules: DRA503, paths: deep/}]\n", []),
        ("ignores: [{rules: DRA503, paths: b/}]\n", ["warning"]),
        ("overrides: [{paths: deep/, ignore: DRA5}]\n", []),
        ("overrides: [{paths: b/, ignore: DRA5}]\n", ["warning"]),
        ("exclude: [deep/]\n", []),
        ("exclude: ['*.yml']\n", ["warning"]),
        ("format: concise\nfail-on: never\njobs: 1\n", ["warning"]),
    ],
)
def test_each_key_counts_below_its_folder(check: Run, configuration: str, expected: list[str]) -> None:
    tree(claims("b/deep/b.yaml", "deep/a.yaml", "deep/a.yml") | {"b/.dralint.yaml": configuration})

    findings = check(".").report["findings"]

    assert [one["file"] for one in findings if one["severity"] == "warning"][-2:] == ["deep/a.yaml", "deep/a.yml"]
    assert [one["severity"] for one in findings if one["file"].startswith("b/")] == expected


def test_options_of_the_run_come_from_the_working_directory(run: Run) -> None:
    tree(
        claims("b/b.yaml")
        | {".dralint.yaml": "format: concise\nfail-on: warning\n", "b/.dralint.yaml": "format: json\n"}
    )

    outcome = run("check", ".")

    assert (outcome.status, outcome.stdout[:12]) == (1, "b/b.yaml:1:1")


def test_references_between_differently_configured_folders_are_judged(check: Run) -> None:
    template = OLD_CLAIM.replace("kind: ResourceClaim", "kind: ResourceClaimTemplate").replace(
        "name: a\n", "name: ab\n"
    )
    tree({"b/.dralint.yaml": "select: [DRA4]\n", "c/.dralint.yaml": "ignore: DRA503\n"})
    Path("b/template.yaml").write_text(template)
    Path("c/pod.yaml").write_text(POD.replace("TemplateName: a", "TemplateName: abc"))
    report = check(".", "--complete", "--known-class=gpu.example.com").report

    assert [(one["rule"], one["file"]) for one in report["findings"]] == [("DRA402", "c/pod.yaml")]
    assert "abc" in report["findings"][0]["message"]


def test_known_names_of_every_folder_count(check: Run) -> None:
    tree(claims("a.yaml", "b/b.yaml") | {"b/.dralint.yaml": "known: {classes: gpu.example.com}\n"})

    assert [rule for rule, _ in found(check, "--complete", ".")] == ["DRA503", "DRA503"]


def test_a_mistake_has_its_place(run: Run) -> None:
    tree(claims("b/b.yaml") | {"b/.dralint.yaml": "ignore: DRA503\nfail-one: x\n"})

    outcome = run("check", ".")

    assert outcome.status == 2
    assert 'b/.dralint.yaml:2:1: unknown key "fail-one" (did you mean "fail-on"?)' in outcome.stderr


def test_fix_and_baselines_use_the_nearest_configuration(run: Run) -> None:
    tree({"a.yaml": BAD_CLAIM, "b/b.yaml": BAD_CLAIM, "b/.dralint.yaml": "ignore: DRA101\n"})

    assert run("baseline", "write", "--output", "out.json", ".").stdout.startswith("out.json: 1 finding accepted")
    assert run("fix", "--check", ".").stdout.split() == ["a.yaml"]


def test_the_settings_say_which_configuration_judges(run: Run) -> None:
    tree(claims("a.yaml", "b/b.yaml", "b/c/c.yaml") | {"b/.dralint.yaml": "ignore: DRA503\n"})
    Path("pyproject.toml").write_text("[tool.dralint]\nignore = ['DRA7']\n")

    lines = run("check", "--show-settings").stdout.splitlines()
    of_b = run("check", "--show-settings=b/c/c.yaml").stdout.splitlines()
    of_a = run("check", "--show-settings=a.yaml").stdout.splitlines()

    assert lines[:2] == [
        f"configuration: {Path.cwd() / 'pyproject.toml'}",
        "configuration for the files below b: b/.dralint.yaml",
    ]
    assert of_b[-5:] == [
        "for b/c/c.yaml:",
        "  releases: []  (b/.dralint.yaml)",
        "  gates: []  (b/.dralint.yaml)",
        "  select: []  (b/.dralint.yaml)",
        "  ignore: [DRA503]  (b/.dralint.yaml)",
    ]
    assert of_a[-1] == "  ignore: [DRA7]  (as for all files)"


def test_the_settings_of_a_file_that_no_folder_shows_are_those_of_its_configuration(run: Run) -> None:
    tree(
        claims("a.yaml", "b/b.yaml", "c/c.yaml")
        | {"b/.dralint.yaml": "ignore: DRA503\n", "c/.dralint.yaml": "exclude: '*'\n"}
    )
    lines = run("check", "c", "--show-settings=b/b.yaml").stdout.splitlines()

    assert "configuration for the files below b: b/.dralint.yaml" in lines
    assert "configuration for the files below c: c/.dralint.yaml" not in lines
    assert "  ignore: [DRA503]  (b/.dralint.yaml)" in lines


def test_only_folders_with_a_configuration_or_repository_are_looked_at_again(run: Run, calls: Calls) -> None:
    tree(claims(*(f"b/c/{number}.yaml" for number in range(20)), "b/d/x.yaml", "b/e/x.yaml"))
    Path("b/e/pyproject.toml").write_text("")
    looked = calls(os.path, "lexists")
    run("check", "b")

    here = str(Path.cwd())
    assert looked.count((f"{here}/b/c/.dralint.yaml",)) == 0
    assert looked.count((f"{here}/b/e/.dralint.yaml",)) == 1
    assert looked.count((f"{here}/b/.dralint.yaml",)) == 1


def test_an_editor_uses_the_nearest_configuration() -> None:
    tree(claims("a.yaml", "b/b.yaml") | {"b/.dralint.yaml": "ignore: DRA503\n"})
    folder = Folder(os.curdir)
    folder.load()
    before = {Path(name).name: [one.rule for one in found] for name, found in folder.workspace.findings().items()}

    Path("b/.dralint.yaml").write_text("severity: {DRA503: error}\n")
    folder.changed([str(Path("b/.dralint.yaml").absolute())])
    after = {Path(name).name: [one.severity for one in found] for name, found in folder.workspace.findings().items()}

    assert before == {"a.yaml": ["DRA503"]}
    assert after == {"a.yaml": ["warning"], "b.yaml": ["error"]}


def test_the_working_directory_is_nearer_than_what_is_above_it(check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(claims("a.yaml", "b/b.yaml", "b/c/c.yaml") | {".dralint.yaml": "select: DRA1\n"})
    Path("b/.dralint.yaml").write_text("kubernetes-version: '1.35'\n")
    monkeypatch.chdir("b")

    assert found(check, "../a.yaml", "b.yaml", "c") == [("DRA503", "b.yaml"), ("DRA503", "c/c.yaml")]
