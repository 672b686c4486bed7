"""Special files, in places that dralint or git reads: nothing waits for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import BAD_CLAIM, GOOD_CLAIM, Run
from tests.folders import git

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name")

PLACES = ["pipe", "device"]


@pytest.fixture
def repository(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    Path("good.yaml").write_text(GOOD_CLAIM)
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        git(workdir, *command)
    return workdir


def place(name: str, kind: str) -> None:
    """Put a pipe or an endless device where a file is expected."""
    if kind == "pipe":
        os.mkfifo(name)
    else:
        Path(name).symlink_to("/dev/zero")


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize(
    "name",
    [".gitignore", ".dralint.yaml", ".dralint.yml", "pyproject.toml", "kustomization.yaml", "Chart.yaml", "a.yaml"],
)
@pytest.mark.slow
def test_no_command_waits_for_an_odd_file(run: Run, repository: Path, name: str, kind: str) -> None:
    place(name, kind)
    status = 2 if name.startswith(".dralint") else 0  # a configuration that cannot be read is an error

    assert run("check", ".").status == status
    assert run("fix", "--write", ".").status == status


@pytest.mark.parametrize("kind", PLACES)
def test_a_patch_that_is_odd_is_not_read(run: Run, repository: Path, kind: str) -> None:
    place("patch.yaml", kind)
    Path("kustomization.yaml").write_text("resources: [good.yaml]\npatches: [{path: patch.yaml}]\n")

    assert run("check", "--complete", ".").status == 0  # it may be about claims


@pytest.mark.parametrize("key", ["baseline", "slices", "schemas"])
def test_a_configuration_names_no_odd_file(run: Run, repository: Path, key: str) -> None:
    os.mkfifo("odd")
    Path(".dralint.yaml").write_text(f"{key}: odd\n")
    outcome = run("check", ".")

    assert (outcome.status, outcome.stdout) == (2, "")
    assert f"`{key}`: 'odd' is outside of the repository, or is not a regular file" in outcome.stderr


_GITS_OWN = (".git/HEAD", ".git/config", ".git/index")


@pytest.mark.parametrize("odd", [".gitignore", "excludes", ".git/info/exclude", *_GITS_OWN])
@pytest.mark.slow
def test_git_does_not_wait_for_a_file_without_an_end(run: Run, repository: Path, odd: str) -> None:
    Path(odd).unlink(missing_ok=True)
    os.mkfifo(odd)
    if odd == "excludes":
        git(repository, "config", "core.excludesFile", str(repository / odd))
    outcome = run("diff", "--git", "HEAD")

    assert outcome.status == 2
    assert "git cannot read " in outcome.stderr
    assert "it is not a regular file" in outcome.stderr


@pytest.mark.slow
def test_git_does_not_wait_for_a_configuration_that_includes_a_pipe(
    run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "config", "include.path", str(repository / "odd"))
    os.mkfifo("odd")
    monkeypatch.setattr("dralint.files.git._SHORT_TIMEOUT", 1)

    assert run("diff", "--git", "HEAD").status == 2
    assert "git rev-parse took longer than 1 seconds" in run("check", "--changed", "HEAD").stderr


def test_git_is_not_taken_from_the_tree(run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("git").write_text("#!/bin/sh\ntouch HIT\n")
    Path("git").chmod(0o755)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")

    assert run("diff", "--git", "HEAD").status == 0
    assert not Path("HIT").exists()


def test_a_configuration_above_the_repository_is_not_used(
    run: Run, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(".dralint.yaml").write_text("exit-zero: true\n")
    Path("repo/sub").mkdir(parents=True)
    Path("repo/sub/bad.yaml").write_text(BAD_CLAIM)
    monkeypatch.chdir("repo/sub")

    assert run("check", "bad.yaml").status == 0
    Path("../.git").mkdir()
    assert run("check", "bad.yaml").status == 1
    Path("../.dralint.yaml").write_text("exit-zero: true\n")
    assert run("check", "bad.yaml").status == 0


@pytest.mark.parametrize(
    ("arguments", "status"), [(["check"], 1), (["fix"], 1), (["migrate", "--to", "v1"], 0), (["check", "."], 3)]
)
@pytest.mark.slow
def test_without_a_working_directory_absolute_paths_are_judged(
    tmp_path: Path, arguments: list[str], status: int
) -> None:
    (tmp_path / "bad.yaml").write_text(BAD_CLAIM.replace("deviceClasName: gpu.example.com", "nosuch: 1"))
    (tmp_path / "gone").mkdir()
    program = (
        "import os, sys; os.rmdir(os.getcwd()); from dralint.cli.main import dralint; dralint(prog_name='dralint')"
    )
    paths = [] if "." in arguments else [str(tmp_path / "bad.yaml")]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments, *paths], cwd=tmp_path / "gone", capture_output=True, text=True
    )

    assert done.returncode == status, done.stderr
    assert ("dralint: the working directory does not exist\n" in done.stderr) == (status == 3)


def test_bytes_that_are_no_text_are_not_lost(run: Run, workdir: Path) -> None:
    raw = b"\xff\xfe" + BAD_CLAIM.encode("utf-16-le") + b"\n"
    old = b"\xfe\xff" + BAD_CLAIM.replace("v1\n", "v1beta1\n").encode("utf-16-be") + b"\xd8\x00"
    Path("a.yaml").write_bytes(raw)
    Path("b.yaml").write_bytes(old)
    run("fix", "--write", "--unsafe-fixes", ".")
    run("migrate", "--to", "v1", "--write", ".")

    assert (Path("a.yaml").read_bytes(), Path("b.yaml").read_bytes()) == (raw, old)
