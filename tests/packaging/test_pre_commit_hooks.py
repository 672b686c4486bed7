"""The hooks that other repositories use: their manifest, and runs of the real pre-commit with them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from identify.identify import tags_from_filename
from pre_commit.clientlib import load_manifest
from ruamel.yaml import YAML

from tests.conftest import BAD_CLAIM, GOOD_CLAIM
from tests.packaging.test_readme import block

ROOT = Path(__file__).parents[2]
HOOKS: dict[str, dict[str, Any]] = {hook["id"]: hook for hook in load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))}

Commit = Callable[..., tuple[int, str]]


def test_the_hooks_are_what_they_are_documented_to_be() -> None:
    assert {name: (hook["entry"], hook["pass_filenames"]) for name, hook in HOOKS.items()} == {
        "dralint": ("dralint check", True),
        "dralint-all": ("dralint check", False),
        "dralint-diff": ("dralint diff --git HEAD --select DRA6 --quiet", True),
        "dralint-fix": ("dralint fix --write", True),
    }
    assert {(hook["language"], hook["require_serial"]) for hook in HOOKS.values()} == {("python", True)}


@pytest.mark.parametrize("name", HOOKS)
def test_the_hooks_take_yaml_and_json_files(name: str) -> None:
    types = set(HOOKS[name]["types_or"])

    assert [bool(types & tags_from_filename(name)) for name in ("a.yaml", "b/c.yml", "d.json", "e.py", "f.txt")] == [
        True,
        True,
        True,
        False,
        False,
    ]


@pytest.fixture
def commit(tmp_path: Path) -> Commit:
    """Write files into a repository and commit them: the status of the commit, and what the named hook printed.

    The hooks are those of the manifest but for the language: what they run is the dralint of this checkout, as a
    test installs nothing.
    """
    repository, bin_ = tmp_path / "repository", tmp_path / "bin"
    bin_.mkdir()
    program = bin_ / "dralint"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dralint "$@"\n')
    program.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
        "PATH": f"{bin_}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PRE_COMMIT_HOME": str(tmp_path / "home"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.com",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.com",
    }

    def git(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(["git", *arguments], cwd=repository, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    repository.mkdir()
    git("init", "--quiet")

    def committed(hook: str, **files: str) -> tuple[int, str]:
        row = {key: HOOKS[hook][key] for key in ("id", "name", "entry", "types_or", "pass_filenames", "require_serial")}
        config = {"repos": [{"repo": "local", "hooks": [{**row, "language": "system"}]}]} if hook else {"repos": []}
        with (repository / ".pre-commit-config.yaml").open("w") as file:
            YAML(typ="safe").dump(config, file)
        for name, text in files.items():
            (repository / f"{name}.yaml").write_text(text)
        subprocess.run(["pre-commit", "install"], cwd=repository, env=environment, capture_output=True, check=True)
        git("add", ".")
        return git("commit", "--message", "change")

    return committed


@pytest.mark.slow
def test_a_commit_is_held_back_by_what_it_changes(commit: Commit) -> None:
    status, text = commit("dralint", good=GOOD_CLAIM)
    assert (status, "dralint...." in text) == (0, True)

    status, text = commit("dralint", bad=BAD_CLAIM)
    assert status == 1
    assert "bad.yaml:11:9  error  DRA101 unknown-field  [fixable]\n" in text
    assert "good.yaml" not in text


def test_the_hook_with_pinned_versions_is_the_hook_of_the_manifest() -> None:
    (repository,) = YAML(typ="safe").load(block(ROOT / "docs/ci.md", "system"))["repos"]
    (hook,) = repository["hooks"]
    own = HOOKS["dralint"]

    # the fixture `commit` runs such a hook: the language `system`, with the dralint on the PATH
    assert repository["repo"] == "local"
    assert hook == {key: own[key] for key in hook} | {"language": "system"}


@pytest.mark.slow
def test_the_whole_repository_is_judged_with_its_references(commit: Commit) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: team-a}\nspec:\n  resourceClaims:\n  - name: gpu\n"
    status, text = commit("dralint-all", claim=GOOD_CLAIM, pod=f"{pod}    resourceClaimName: train\n")
    assert status == 0, text

    # the claim that has gone is not in what changes
    status, text = commit("dralint-all", pod=f"{pod}    resourceClaimNam: train\n")
    assert status == 1
    assert "pod.yaml:7:5  error  DRA101 unknown-field  [fixable]\n" in text


@pytest.mark.slow
def test_updates_are_held_against_what_is_committed(commit: Commit) -> None:
    status, text = commit("dralint", claim=GOOD_CLAIM)
    assert status == 0, text

    status, text = commit("dralint-diff", claim=GOOD_CLAIM.replace("gpu.example.com", "other.example.com"))
    assert status == 1
    assert "claim.yaml:11:26  error  DRA601" in text
    assert commit("dralint-diff", claim=GOOD_CLAIM.replace("metadata:", "metadata:\n  labels: {a: b}"))[0] == 0


@pytest.mark.slow
def test_what_one_hook_reports_no_other_one_repeats(commit: Commit) -> None:
    assert commit("dralint", claim=GOOD_CLAIM)[0] == 0
    updated = GOOD_CLAIM.replace("gpu.example.com", "other.example.com")
    status, text = commit("dralint-diff", claim=updated, bad=BAD_CLAIM)

    assert status == 1
    assert "DRA601" in text
    assert "bad.yaml" not in text
    assert "DRA601" not in commit("dralint", claim=updated, bad=BAD_CLAIM)[1]


@pytest.mark.slow
def test_safe_repairs_are_written_and_hold_a_commit_back_once(commit: Commit, tmp_path: Path) -> None:
    status, text = commit("dralint-fix", bad=BAD_CLAIM)
    written = (tmp_path / "repository" / "bad.yaml").read_text()

    assert status == 1
    assert "files were modified by this hook" in text
    assert written == BAD_CLAIM.replace("deviceClasName", "deviceClassName")
    assert commit("dralint-fix", bad=written)[0] == 0
