"""Places where dralint never writes, whatever the command line is."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from dralint.files.atomic import ForbiddenError, append, in_git_folder, write_atomically
from tests.conftest import GOOD_CLAIM, OLD_CLAIM, Run


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    (tmp_path / "repo/.git/hooks").mkdir(exist_ok=True)
    return tmp_path / "repo"


@pytest.mark.parametrize(
    "place", [".git/config", ".git/hooks/pre-commit", ".GIT/x", ".git./x", ".g\u200cit/x", "git~1/x", "sub/.git"]
)
def test_nothing_is_written_in_a_folder_of_git(repository: Path, place: str) -> None:
    for write in (write_atomically, append):
        with pytest.raises(ForbiddenError, match="it lies in a folder of git"):
            write(repository / place, b"new")

    with pytest.raises(ForbiddenError):
        write_atomically(repository / place, b"new", make_folder=True)


def test_no_link_leads_into_a_folder_of_git(repository: Path) -> None:
    (repository / "hooks").symlink_to(".git/hooks")
    (repository / "a.yaml").symlink_to(".git/config")

    for name in ("hooks/pre-commit", "a.yaml"):
        with pytest.raises(ForbiddenError, match="it lies in a folder of git"):
            write_atomically(repository / name, b"new")


def test_what_is_appended_reaches_no_other_name_of_the_file(repository: Path) -> None:
    hook, report = repository / ".git/hooks/pre-commit", repository / "report.md"
    hook.write_bytes(b"#!/bin/sh\n")
    report.hardlink_to(hook)

    append(report, b"new\n")

    assert (hook.read_bytes(), report.read_bytes()) == (b"#!/bin/sh\n", b"#!/bin/sh\nnew\n")


def test_a_folder_of_git_is_known_by_what_is_in_it(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare, apart = repository.parent / "bare", repository.parent / "apart"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    subprocess.run(["git", "init", "-q", f"--separate-git-dir={apart}", str(repository.parent / "tree")], check=True)
    worktree = repository.parent / "worktree"
    for command in (
        ["-c", "user.name=n", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
        ["worktree", "add", "-q", str(worktree)],
    ):
        subprocess.run(["git", "-C", str(repository), *command], check=True)

    assert [in_git_folder(str(folder / "hooks/x")) for folder in (bare, apart)] == [True, True]
    assert in_git_folder(str(worktree / ".git"))
    assert not in_git_folder(str(worktree / "a.yaml"))
    assert not in_git_folder(str(repository.parent / "x/config"))
    monkeypatch.setenv("GIT_DIR", str(repository.parent / "x"))
    assert in_git_folder(str(repository.parent / "x/config"))


def test_a_working_tree_in_a_bare_repository_is_none_of_its_folders(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    (bare / "main").mkdir()
    (bare / "main/.git").write_text("gitdir: ../worktrees/main\n")

    write_atomically(bare / "main/a.yaml", b"new")

    assert (bare / "main/a.yaml").read_bytes() == b"new"


def test_a_link_in_a_repository_leads_nothing_out_of_it(repository: Path) -> None:
    outside = repository.parent / "home/prod.yaml"
    outside.parent.mkdir()
    outside.write_bytes(b"old")
    (repository / "x.yaml").symlink_to("y.yaml")
    (repository / "y.yaml").symlink_to(outside)
    (repository.parent / "z.yaml").symlink_to(repository / "x.yaml")

    for name in (repository / "x.yaml", repository.parent / "z.yaml"):
        with pytest.raises(ForbiddenError, match=r"the link \S+/repo/x.yaml leads out of the repository, to \S+prod"):
            write_atomically(name, b"new")
    assert outside.read_bytes() == b"old"


def test_a_device_that_is_not_one_of_a_few_is_not_written_to(tmp_path: Path) -> None:
    with pytest.raises(ForbiddenError, match="it is a device"):
        write_atomically(Path("/dev/zero"), b"new")


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", ".", "--output-file", "json=.git/hooks/x"],
        ["check", ".", "--output-file", "markdown=.git/config"],
        ["diff", "old.yaml", "old.yaml", "--output-file", "json=.git/config"],
        ["baseline", "write", ".", "--output", ".git/config"],
        ["migrate", "--to", "v1", "--output", ".git/new", "."],
        ["fix", "--write", "--kubernetes-version", "1.36", ".git/a.yaml"],
        ["migrate", "--to", "v1", "--write", ".git/a.yaml"],
        ["check", "--add-ignore=x", ".git/a.yaml"],
        ["schema", "export", "--output", ".git/schemas"],
        ["schema", "export", "--bundle", ".git/config", "--force"],
    ],
)
@pytest.mark.slow
def test_no_command_writes_in_a_folder_of_git(
    run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(repository)
    Path("old.yaml").write_text(OLD_CLAIM)
    Path(".git/a.yaml").write_text(OLD_CLAIM.replace("name: a", "name: A_"))
    Path("good.yaml").write_text(GOOD_CLAIM)

    def content() -> dict[str, bytes]:
        return {
            f"{folder}/{name}": Path(folder, name).read_bytes()
            for folder, _, names in os.walk(".git")
            for name in names
        }

    before, folders = content(), sorted(folder for folder, _, _ in os.walk(".git"))
    outcome = run(*arguments)

    assert "it lies in a folder of git" in outcome.stderr + outcome.stdout
    assert outcome.status == 3
    assert content() == before
    assert sorted(folder for folder, _, _ in os.walk(".git")) == folders
