"""What README and docs say to type works as it stands: in a folder with the files that the page shows, and no others.

A page shows a file as a YAML block whose first line is a comment with its path. `_GIVEN` has the files of a reader.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import BAD_CLAIM, Run
from tests.packaging.test_readme import DOCS, PAGES, ROOT, block, name, yaml_blocks

_NETWORK, _BUILD, _OTHER = "it downloads", "it builds the extension or an image", "it is another program"
_NOT_RUN = {
    "python3 -m venv .venv && .venv/bin/pip install": _NETWORK,
    "pip install ": _NETWORK,
    "pip wheel ": _NETWORK,
    "pipx install ": _NETWORK,
    "uv tool install ": _NETWORK,
    "uvx ": _NETWORK,
    "cosign ": _NETWORK,
    "git clone ": _NETWORK,
    "cd editors/vscode": _BUILD,
    "npm ": _BUILD,
    "code ": _BUILD,
    "docker ": _BUILD,
    "kubeconform ": _OTHER,
    "dralint check --watch": "it runs until Ctrl-C",
}
"""The beginnings of lines that the test leaves out, with the reason."""

_GIVEN = {
    "deploy/claim.yaml": "migrate/claim.yaml",
    "deploy/training.yaml": "good/training.yaml",
    "charts/gpu/rendered/claim.yaml": "good/training.yaml",
    "x.yaml": "bad/claim.yaml",
    "clusters/claim.yaml": "good/training.yaml",
    "manifests/claim.yaml": "good/training.yaml",
    "v1beta1/claim.yaml": "migrate/claim.yaml",
    "old.yaml": "good/training.yaml",
    "new.yaml": "good/training.yaml",
    "old/claim.yaml": "good/training.yaml",
    "new/claim.yaml": "good/training.yaml",
    "pod.yaml": "simulate/works.yaml",
    "pods.yaml": "simulate/works.yaml",
    "examples/bad/claim.yaml": "bad/claim.yaml",
    "must-gather.local.1234/all.yaml": "simulate/inventory.yaml",
}
"""The files that a reader has, as copies of examples."""

_VERSIONS = "apps/v1\nresource.k8s.io/v1\nv1\n"
_PRINT = f"cat '{ROOT}/examples/"
_PROGRAMS = {
    "kubectl": f"case $1 in api-versions) printf '{_VERSIONS}' ;; *) {_PRINT}simulate/inventory.yaml' ;; esac",
    "helm": f"{_PRINT}good/training.yaml'",
    "kustomize": f"{_PRINT}good/training.yaml'",
    "dralint": f'echo "$*" >> "$TYPED"; \'{sys.executable}\' -P -m dralint "$@"; status=$?; '
    'echo "$status" >> "$TYPED"; exit "$status"',
}
"""The programs of the pages, as scripts; that of dralint notes what is typed, and its exit status."""


def shown_files(page: Path) -> dict[str, str]:
    """Return the files that a page shows, by path."""
    return dict(re.findall(r"(?ms)^```yaml\n# ([\w./-]+\.\w+)\n(.*?)^```", page.read_text("utf-8")))


def typed(page: Path) -> list[str]:
    """Return the lines that a page says to type: in shell blocks, and as the script of a CI system."""
    text = page.read_text("utf-8")
    lines = "".join(re.findall(r"(?ms)^```sh\n(.*?)^```", text)).replace("\\\n", "").splitlines()
    recipes = "".join(re.findall(r"(?ms)^```yaml\n(.*?)^```", text))
    return [line for line in lines if line] + re.findall(r"(?m)^ *- ((?:dralint|pip) .*)$", recipes)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository that has the files of a reader, and go there."""
    bin_, folder = tmp_path / "bin", tmp_path / "repository"
    bin_.mkdir()
    for program, script in _PROGRAMS.items():
        (bin_ / program).write_text(f"#!/bin/sh\n{script}\n")
        (bin_ / program).chmod(0o755)
    for path, source in _GIVEN.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "examples" / source, folder / path)
    (folder / ".dralint.yaml").write_text("exclude: [vendor/]\n")
    monkeypatch.chdir(folder)
    for setting, value in {
        "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "TYPED": str(tmp_path / "typed"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }.items():
        monkeypatch.setenv(setting, value)
    (tmp_path / "typed").touch()
    me = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    for words in (("init", "-q", "-b", "main"), ("add", "."), (*me, "commit", "-q", "-m", "first"), ("tag", "v1")):
        subprocess.run(["git", *words], check=True)
    for tag in ("v2", "v1.2.0"):
        subprocess.run(["git", "tag", tag], check=True)
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if typed(page)], ids=name)
@pytest.mark.slow
def test_what_a_page_says_to_type_works(page: Path, reader: Path) -> None:
    for path, text in shown_files(page).items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    lines = [line for line in typed(page) if not line.startswith(tuple(_NOT_RUN))]
    done = subprocess.run(["bash"], input="\n".join(lines), capture_output=True, text=True, check=False, timeout=120)
    calls = (reader / "typed").read_text().splitlines()
    wrong = [call for call, status in zip(calls[::2], calls[1::2], strict=True) if status not in "01"]

    assert (wrong, re.findall(r"(?m)^(?:bash|cat): .*", done.stderr)) == ([], []), done.stderr
    assert len(calls) == 2 * sum(len(re.findall(r"\bdralint ", line.partition(" #")[0])) for line in lines)


def test_what_is_left_out_is_on_a_page() -> None:
    lines = [line for page in PAGES for line in typed(page)]

    assert [start for start in _NOT_RUN if not any(line.startswith(start) for line in lines)] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
@pytest.mark.slow
@pytest.mark.usefixtures("reader")
def test_the_configurations_of_a_page_work(page: Path, run: Run) -> None:
    known = set(json.loads((ROOT / "dralint/config/config.schema.json").read_text("utf-8"))["properties"])
    for path, text in shown_files(page).items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    for one in yaml_blocks(page):
        if isinstance(one, dict) and set(one) <= known:
            Path(".dralint.yaml").write_text(json.dumps(one))
            outcome = run("check", "deploy")

            assert (outcome.status, outcome.stderr) == (0, "")


_SILENT = ["exit-zero: true", "fail-on: never", "ignore: [DRA]", "select: [DRA9]", "exclude: ['*']"]
_SILENT += ["severity: {DRA101: off}", "ignores: [{rules: DRA101}]", "baseline: accepted.json"]


@pytest.mark.parametrize("way", ["stranger-none", "stranger-main"])
@pytest.mark.slow
def test_a_stranger_cannot_silence_the_commands_for_pull_requests(way: str, reader: Path, run: Run) -> None:
    Path("deploy/claim.yaml").write_text(BAD_CLAIM)
    run("baseline", "write", "--output", "accepted.json", "deploy")
    commands = block(DOCS / "ci.md", way)
    places = [(".dralint.yaml", line) for line in _SILENT] + [("deploy/.dralint.yaml", line) for line in _SILENT[2:4]]
    for place, line in places:
        Path(".dralint.yaml").write_text("{}")
        Path(place).write_text(f"{line}\n")
        own = subprocess.run(["dralint", "check", "deploy"], capture_output=True, text=True, check=False)
        done = subprocess.run(["bash", "-e"], input=commands, capture_output=True, text=True, check=False)

        assert (own.returncode, line) == (0, line)
        assert (done.returncode, "claim.yaml:11:9  error  DRA101" in done.stdout) == (1, True), done.stderr
