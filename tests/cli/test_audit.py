"""Every command over a hostile checkout: which files are opened for writing, which programs run, what is imported."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dralint.files import git as git_command
from tests.cli.test_help import EVERY
from tests.conftest import BAD_CLAIM, GOOD_CLAIM, OLD_CLAIM
from tests.folders import git, write
from tests.schema.test_openapi import document

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pipes with a name, and processes that fork")

MODULES = ("json", "difflib", "hashlib", "tomllib", "textwrap", "glob", "rich", "jsonschema", "pathspec", "pickle")
KEYS = {
    **dict.fromkeys(("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass"), "{hit}"),
    **dict.fromkeys(
        ("diff.external", "diff.x.textconv", "diff.x.command", "filter.x.clean", "filter.x.smudge"), "{hit}"
    ),
    **dict.fromkeys(("filter.x.process", "credential.helper", "gpg.program", "core.alternateRefsCommand"), "{hit}"),
    **dict.fromkeys(("alias.ls-files", "alias.rev-parse", "pager.diff-tree", "uploadpack.packObjectsHook"), "!{hit}"),
    "filter.x.required": "true",
    "core.hooksPath": "{tree}/hooks",
    "remote.origin.promisor": "true",
    "remote.origin.url": "ext::{hit}",
}
QUESTIONS = {
    ("rev-parse", "--show-toplevel"),
    ("rev-parse", "--verify", "--quiet", "HEAD^{commit}"),
    ("rev-parse", "--verify", "--quiet", "side^{commit}"),
    ("ls-tree", "-r", "-z", "--full-tree", "HEAD"),
    ("ls-files", "-z", "-t", "--stage"),
    ("ls-files", "-z", "--others", "--exclude-standard"),
    ("cat-file", "-s", "ID"),
    ("cat-file", "blob", "ID"),
    ("merge-base", "HEAD", "HEAD"),
    ("merge-base", "HEAD", "SIDE"),
}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout that tries whatever it can; `HIT` beside it is there once something of it has run."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    tree = tmp_path / "tree"
    tree.mkdir()
    git(tree, "init", "-q", "-b", "main")
    hit = tmp_path / "hit"
    hit.write_text(f"#!/bin/sh\ntouch {tmp_path}/HIT\n")
    hit.chmod(0o755)
    texts = {"bad.yaml": BAD_CLAIM, "old.yaml": OLD_CLAIM, "sub/good.yaml": GOOD_CLAIM, "changed.yaml": GOOD_CLAIM}
    write(tree, texts)
    (tree / ".gitattributes").write_text("* filter=x diff=x\n")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "x")
    git(tree, "branch", "side", git(tree, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "y"))
    for key, value in KEYS.items():
        git(tree, "config", key, value.format(hit=hit, tree=tree))
    for folder in (tree / "hooks", tree / ".git/hooks"):
        folder.mkdir(exist_ok=True)
        for name in ("post-index-change", "fsmonitor-watchman", "reference-transaction", "post-checkout"):
            shutil.copy(hit, folder / name)
    (tree / "changed.yaml").write_text(GOOD_CLAIM.replace("gpu.example.com", "fpga.example.com"))
    (tree / "[core]\nfsmonitor=x;\x1b]0;x\x07.yaml").write_text(BAD_CLAIM)
    for name in (*MODULES, "sitecustomize", "usercustomize"):
        (tree / f"{name}.py").write_text(f"import os\nos.system({str(hit)!r})\n")
    (tree / "dralint").mkdir()
    (tree / "dralint/__init__.py").write_text(f"import os\nos.system({str(hit)!r})\n")
    shutil.copy(hit, tree / "git")
    (tmp_path / "home").mkdir()
    (tmp_path / "home/prod.yaml").write_text(OLD_CLAIM)
    (tree / "vendor").symlink_to("../home")
    (tree / "out.yaml").symlink_to("../home/prod.yaml")
    (tree / "name.yaml").symlink_to("old.yaml")
    (tree / "report.json").symlink_to(".git/config")
    (tree / "hook.json").symlink_to("../home/prod.yaml")
    for name in ("pipe.yaml", "kustomization.yaml", "Chart.yaml"):
        os.mkfifo(tree / name)
    (tree / "plain").mkdir()
    (tree / "plain/a.yaml").write_text(BAD_CLAIM)
    (tree / ".configured").mkdir()  # hidden: each file is judged by the configuration that is nearest to it
    (tree / ".configured/.dralint.yaml").write_text("output-file: text=../.git/hooks/pre-commit\nwrite: true\n")
    (tree / ".configured/a.yaml").write_text(BAD_CLAIM)
    (tree / "openapi.json").write_text(json.dumps(document()))
    (tree / ".deep").mkdir()
    (tree / ".deep/pyproject.toml").write_text(f"[tool.dralint]\n{'a.' * 20_000}a = 1\n")
    return tree


def audited(tree: Path, commands: list[tuple[str, list[str]]]) -> list[list[Any]]:
    """Run commands, each in a folder of the tree; return what they did: number, kind, and what."""
    listing, log = tree.parent / "commands.json", tree.parent / "log"
    listing.write_text(json.dumps([(str(tree / folder), arguments) for folder, arguments in commands]))
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PATH": f":.:{os.environ['PATH']}"}
    probe = Path(__file__).with_name("audit_probe.py")
    subprocess.run([sys.executable, str(probe), str(listing), str(log)], env=environment, check=True, timeout=300)
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()]


READING = [
    ["check"],
    ["check", "--jobs", "2", "--complete", "."],
    ["check", "--format", "sarif", "--changed", "HEAD"],
    ["check", "--show-settings"],
    ["diff", "--git", "HEAD"],
    ["diff", "old.yaml", "changed.yaml"],
    ["simulate", "sub", "--inventory", "sub"],
    ["simulate", "sub", "--inventory", "sub", "--output-file", "html=report.json"],
    ["triage", "."],
    ["new", "claim", "--driver", "gpu.nvidia.com"],
    ["pack", "show", "gpu.nvidia.com"],
    ["pack", "make", "bad.yaml", "sub/good.yaml"],
    ["pack", "check", "bad.yaml", "report.json"],
    ["server"],
    ["migrate", "--to", "v1"],
    ["migrate", "--to", "v1", "--check", "."],
    ["fix"],
    ["fix", "--unsafe-fixes", "--check", "."],
    ["upgrade", "--from", "1.33", "--to", "1.36"],
    ["cel", "device.driver == 'x'"],
    ["baseline", "show", "report.json"],
    ["completion", "bash"],
    ["rules"],
    ["explain", "DRA101"],
    ["explain", "gpu.nvidia.com"],
    ["schema", "list"],
    ["schema", "config"],
    ["schema", "show", "latest", "v1/ResourceClaim"],
    ["check", "--output-file", "json=report.json"],
    ["check", "--output-file", "json=hook.json"],
    ["check", "--output-file", "markdown=.git/hooks/pre-commit"],
    ["baseline", "write", "--output", ".git/config"],
    ["schema", "export", "--bundle", "report.json", "--force"],
    ["schema", "export", "--output", ".git/hooks"],
    ["schema", "generate", "openapi.json", "--kubernetes-version", "1.39", "--output", ".git"],
    ["check", "--changed", "side"],
    ["migrate", "--to", "v1", "--write", "out.yaml", "vendor"],
]
"""Commands that write nothing: they are not asked to, or may not."""
OLDEST = ("podscheduling", "resourceclaim", "resourceclaimtemplate", "resourceclass")
NEWEST = "resource.k8s.io_v1_ResourceClaim"
WRITING: list[tuple[list[str], set[str]]] = [
    (["check", "--output-file", "json=r.json", "--output-file", "markdown=r.md"], {"r.json", "r.md"}),
    (["baseline", "write"], {".dralint-baseline.json"}),
    (["schema", "export", "--bundle", "b.json"], {"b.json"}),
    (
        ["schema", "export", "--kubernetes-version", "1.26", "--output", "layout"],
        {"layout", *(f"layout/{kind}-resource-v1alpha1.json" for kind in OLDEST)},
    ),
    (
        ["schema", "generate", "openapi.json", "--kubernetes-version", "1.39", "--output", "new"],
        {"new", "new/upstream", "new/upstream/1.39.json", "new/1.39", f"new/1.39/{NEWEST}.json", "new/index.json"},
    ),
    (["migrate", "--to", "v1", "--output", "copies", "sub"], {"copies", "copies/good.yaml"}),
    (["migrate", "--to", "v1", "--write"], {"old.yaml"}),
    (["fix", "--write", "bad.yaml"], {"bad.yaml"}),
    (["check", "--add-ignore=why", "plain/a.yaml"], {"plain/a.yaml"}),
]
"""Commands that write, and what."""


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_command_is_run_over_the_hostile_checkout(words: tuple[str, ...]) -> None:
    assert [row for row in (*READING, *(row for row, _ in WRITING)) if row[: len(words)] == list(words)]


@pytest.mark.slow
def test_a_hostile_checkout_gets_nothing_run_nor_anything_written_that_was_not_asked_for(tree: Path) -> None:
    commands = [("", arguments) for arguments in READING]
    commands += [
        (folder, arguments) for folder in (".configured", ".deep") for arguments in (["check"], ["fix", "--write"])
    ]
    first_writing = len(commands)
    commands += [("", arguments) for arguments, _ in WRITING]
    before = {path: path.read_bytes() for path in sorted(tree.glob(".git/**/*")) if path.is_file()}
    rows = audited(tree, commands)
    ends = {number: what[0] for number, kind, *what in rows if kind == "end"}

    assert {number: end for number, end in ends.items() if end not in (0, 1, 2, 3)} == {}
    assert [ends[number] for number in range(len(READING), first_writing)] == [2, 2, 2, 2]
    assert [row for row in rows if row[1] == "socket"] == []
    assert not (tree.parent / "HIT").exists()
    assert {path: path.read_bytes() for path in sorted(tree.glob(".git/**/*")) if path.is_file()} == before
    assert (tree.parent / "home/prod.yaml").read_text() == OLD_CLAIM
    _hold_writes(tree, rows, [set()] * first_writing + [wanted for _, wanted in WRITING])
    _hold_programs(tree, rows)
    _hold_modules(tree, rows)


def _hold_writes(tree: Path, rows: list[list[Any]], wanted: list[set[str]]) -> None:
    """Hold that each command has opened for writing what it may, or a file beside it that took its place.

    Such a file has no name until it is whole, where the system can do that: its folder is opened, and it is linked.
    """
    for number, names in enumerate(wanted):
        paths = {path for n, kind, *what in rows if n == number and kind == "write" for path in what} - {os.devnull}
        paths = {path for path in paths if not path.startswith("/proc/self/fd/")}
        found = {os.path.relpath(path, tree) for path in paths}
        beside = {
            name
            for name in found
            for other in names
            if Path(name) == Path(other).parent
            or (Path(name).parent == Path(other).parent and Path(name).name.startswith(f".{Path(other).name}."))
        }
        assert (number, found - (beside - names)) == (number, names)


def _hold_programs(tree: Path, rows: list[list[Any]]) -> None:
    real = shutil.which("git")
    head, side = git(tree, "rev-parse", "HEAD"), git(tree, "rev-parse", "side")
    blobs = set(git(tree, "ls-tree", "-r", "--format=%(objectname)", "HEAD").split())
    started = [what[0] for _, kind, *what in rows if kind == "start"]
    settings = list(git_command._SETTINGS)
    asked = {
        tuple(
            {head: "HEAD", side: "SIDE", f"{head[:10]}^{{commit}}": "HEAD^{commit}"}.get(
                word, "ID" if word in blobs else word
            )
            for word in command[1 + len(settings) :]
        )
        for command in started
    }

    assert {command[0] for command in started} == {real}
    assert all(command[1 : 1 + len(settings)] == settings for command in started)
    assert asked <= QUESTIONS, asked - QUESTIONS
    assert {question[0] for question in asked} >= {"rev-parse", "ls-tree", "ls-files", "cat-file", "merge-base"}


def _hold_modules(tree: Path, rows: list[list[Any]]) -> None:
    assert [what for _, kind, *what in rows if kind == "module" and what[1].startswith(str(tree))] == []
