"""The GitHub Action: its steps are run by bash, with a workspace and the files that a runner gives them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from dralint import __version__
from tests.conftest import BAD_CLAIM, GOOD_CLAIM
from tests.packaging.test_readme import block, yaml_blocks

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = YAML(typ="safe").load((ROOT / "action.yml").read_text("utf-8"))
BASH = shutil.which("bash") or "bash"
FAKE = '#!/bin/sh\nexec "{python}" -I -m dralint "$@"\n'


REQUIREMENTS, INSTALL, CHECK = "Find the requirements", "Install dralint", "Check"


def runner(
    tmp_path: Path, name: str, *, python: str = sys.executable, **inputs: str
) -> subprocess.CompletedProcess[str]:
    """Run a step of the action as a runner does: its inputs as it says, its folder and files in the environment."""
    (step,) = (step for step in ACTION["runs"]["steps"] if step["name"] == name)
    given = {name: row["default"] for name, row in ACTION["inputs"].items()} | {
        name.replace("_", "-"): value for name, value in inputs.items()
    }
    assert set(given) == set(ACTION["inputs"])
    (tmp_path / "bin").mkdir(exist_ok=True)
    (tmp_path / "workspace").mkdir(exist_ok=True)
    environment = {
        **os.environ,
        **{
            key: re.sub(
                r"\$\{\{ (?:inputs\.)?([\w.-]+) \}\}",
                lambda m: {**given, "steps.python.outputs.python-path": python}[m[1]],
                value,
            )
            for key, value in step["env"].items()
        },
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_WORKSPACE": str(tmp_path / "workspace"),
        "RUNNER_TEMP": str(tmp_path),
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(tmp_path / "workspace"),
        **{f"GITHUB_{name}": str(tmp_path / name) for name in ("OUTPUT", "PATH", "STEP_SUMMARY")},
    }
    return subprocess.run(
        [BASH, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=tmp_path / "workspace",
        env=environment,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with a bad and a good claim, and dralint as the first step leaves it."""
    program = tmp_path / "dralint" / "bin" / "dralint"
    program.parent.mkdir(parents=True)
    program.write_text(FAKE.format(python=sys.executable))
    program.chmod(0o755)
    (program.parent / "python").symlink_to(sys.executable)
    folder = tmp_path / "workspace"
    (folder / "good").mkdir(parents=True)
    (folder / "bad.yaml").write_text(BAD_CLAIM)
    (folder / "good" / "it is.yaml").write_text(GOOD_CLAIM)
    return folder


@pytest.mark.slow
def test_findings_become_annotations_summary_and_sarif(tmp_path: Path, workspace: Path) -> None:
    done = runner(tmp_path, CHECK, sarif_file="dralint.sarif")

    assert done.returncode == 1
    assert done.stdout.startswith("::error file=bad.yaml,line=11,endLine=11,col=9,")
    assert "DRA101" in (tmp_path / "STEP_SUMMARY").read_text()
    assert json.loads((workspace / "dralint.sarif").read_bytes())["runs"][0]["results"][0]["ruleId"] == "DRA101"
    assert (tmp_path / "OUTPUT").read_text() == "status=1\n"


@pytest.mark.slow
def test_what_is_not_asked_for_is_not_there(tmp_path: Path, workspace: Path) -> None:
    done = runner(
        tmp_path, CHECK, annotations="false", summary="false", args="--fail-on never bad.yaml 'good/it is.yaml'"
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("bad.yaml:11:9  error  DRA101 unknown-field  [fixable]\n")
    assert "2 files, 2 objects: " in done.stdout
    assert not (tmp_path / "STEP_SUMMARY").exists()
    assert sorted(path.name for path in workspace.iterdir()) == ["bad.yaml", "good"]


@pytest.mark.slow
def test_arguments_are_words_and_never_run(tmp_path: Path, workspace: Path) -> None:
    done = runner(tmp_path, CHECK, args='$(touch hit) `touch hit` "$HOME" ; touch hit')

    assert done.returncode == 2
    assert not (workspace / "hit").exists()
    assert runner(tmp_path, CHECK, args="").returncode == 1  # the current directory, as without arguments


def test_a_quote_that_is_left_open_is_wrong_usage(tmp_path: Path, workspace: Path) -> None:
    done = runner(tmp_path, CHECK, args="'open")

    assert (done.returncode, done.stdout, done.stderr) == (2, "", "dralint: args: No closing quotation\n")
    assert (tmp_path / "OUTPUT").read_text() == "status=2\n"


@pytest.mark.slow
def test_no_step_runs_or_imports_what_the_tree_brings(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("shlex", "venv", "pip", "sitecustomize", "usercustomize", "json", "click", "dralint"):
        (workspace / f"{name}.py").write_text("import pathlib; pathlib.Path(__file__, '../HIT').resolve().touch()\n")
    for name in ("python3", "dralint", "pip", "bash", "git"):
        (workspace / name).write_text(f"#!/bin/sh\ntouch {workspace}/HIT\n")
        (workspace / name).chmod(0o755)
    (workspace / "pip.conf").write_text("[install]\nindex-url = http://127.0.0.1:9\n")
    (tmp_path / "bin").mkdir(exist_ok=True)
    (tmp_path / "bin" / "git").write_text("#!/bin/sh\nexit 1\n")  # nothing is fetched
    (tmp_path / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f":.:bin:{os.environ['PATH']}:")
    monkeypatch.setenv("PYTHONSTARTUP", "shlex.py")
    check = runner(tmp_path, CHECK, args="bad.yaml")
    shutil.rmtree(tmp_path / "dralint")
    fetched = runner(tmp_path, INSTALL, version="-")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    install = runner(tmp_path, INSTALL)

    assert check.returncode == 1
    assert fetched.returncode != 0
    assert install.returncode != 0
    assert "No matching distribution found for " in install.stderr
    assert (tmp_path / "dralint" / "pyvenv.cfg").exists()
    assert not (workspace / "HIT").exists()


@pytest.mark.parametrize(("version", "source"), [("", str(ROOT)), ("v1", "{tmp_path}/dralint-source")])
def test_the_action_installs_itself_or_a_revision_with_hashes(tmp_path: Path, version: str, source: str) -> None:
    source = source.format(tmp_path=tmp_path)
    python, git = tmp_path / "bin" / "python", tmp_path / "bin" / "git"
    python.parent.mkdir()
    python.write_text(
        '#!/bin/sh\nmkdir -p "$4/bin"\nprintf \'#!/bin/sh\\necho "$@"\\n\' > "$4/bin/python"\n'
        'chmod +x "$4/bin/python"\n'
    )
    git.write_text('#!/bin/sh\necho git "$@"\n')
    python.chmod(0o755)
    git.chmod(0o755)
    done = runner(tmp_path, INSTALL, python=str(python), version=version)
    install = "-I -m pip install --quiet --disable-pip-version-check"
    fetch = [
        f"git init --quiet {source}",
        f"git -C {source} fetch --quiet --depth 1 -- https://github.com/dralint/dralint v1",
        f"git -C {source} checkout --quiet FETCH_HEAD",
    ]

    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        [
            *(fetch if version else []),
            f"{install} --require-hashes -r {source}/requirements/run.txt -r {source}/requirements/build.txt",
            f"{install} --no-deps --no-build-isolation {source}",
        ],
    )
    assert (tmp_path / "PATH").read_text() == f"{tmp_path}/dralint/bin\n"


@pytest.mark.slow
def test_the_action_runs_in_a_folder_of_the_checkout(tmp_path: Path, workspace: Path) -> None:
    good = runner(tmp_path, CHECK, working_directory="good")
    missing = runner(tmp_path, CHECK, working_directory="missing")

    assert (good.returncode, missing.returncode) == (0, 2)
    assert (tmp_path / "OUTPUT").read_text() == "status=0\nstatus=2\n"


@pytest.mark.slow
def test_on_windows_the_programs_are_in_another_folder(tmp_path: Path, workspace: Path) -> None:
    (tmp_path / "dralint" / "bin").rename(tmp_path / "dralint" / "Scripts")

    assert runner(tmp_path, CHECK, annotations="false", summary="false").returncode == 1


def test_the_downloads_are_kept_for_the_same_requirements_and_version(tmp_path: Path) -> None:
    for version in ("", "v1", ""):
        assert runner(tmp_path, REQUIREMENTS, version=version).returncode == 0
    first, other, again = (tmp_path / "OUTPUT").read_text().splitlines()

    assert re.fullmatch(r"hash=[0-9a-f]{64}", first)
    assert (first == again, first == other) == (True, False)


@pytest.mark.slow
def test_a_file_name_that_is_a_command_of_the_runner_gives_none(tmp_path: Path, workspace: Path) -> None:
    name = "::error title=pwned::hello.yaml"
    (workspace / name).write_text(BAD_CLAIM)
    for inputs in ({"annotations": "true"}, {"annotations": "false"}, {"args": "--show-files --statistics -v ."}):
        done = runner(tmp_path, CHECK, **inputs)
        lines = (done.stdout + done.stderr).splitlines()

        assert done.returncode == 1
        assert [line for line in lines if re.match(r"\s*::error title=pwned", line)] == []
        assert any("pwned" in line for line in lines)


def test_the_documented_workflow_has_the_permissions_that_it_needs_and_the_tag_of_this_version() -> None:
    page = ROOT / "docs/ci.md"
    job = YAML(typ="safe").load(block(page, "workflow"))["jobs"]["dralint"]
    tags = re.findall(r"(?:rev: |dralint/dralint@)(\S+)", page.read_text("utf-8"))

    shortest = next(one for one in yaml_blocks(page) if "jobs" in one)
    assert shortest["permissions"] == {"contents": "read"}
    assert job["permissions"] == {"contents": "read", "security-events": "write"}
    assert job["steps"][0]["with"] == {"persist-credentials": False}
    assert set(job["steps"][1]["with"]) <= set(ACTION["inputs"])
    assert tags == [f"v{__version__}"] * 3


def test_the_image_has_what_the_wheel_needs_and_no_root() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    copied = [name for line in re.findall(r"^COPY (.*) /source", text, re.MULTILINE) for name in line.split()]

    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert {"dralint", "requirements", "rules", "schemas", "pyproject.toml", "README.md", "LICENSE"} == set(copied)
    assert re.search(r"^USER 65532:65532$", text.partition("AS build")[2], re.MULTILINE)
