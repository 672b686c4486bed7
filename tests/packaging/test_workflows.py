"""The workflows of the repository: they name actions by commit, and no job has more permissions than it needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.stem)
def workflow(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_every_action_is_named_by_a_commit(workflow: Path) -> None:
    used = [line.strip(" -") for line in workflow.read_text("utf-8").splitlines() if "uses:" in line]

    assert used
    assert [line for line in used if not PINNED.fullmatch(line)] == []


def test_the_action_itself_names_others_by_a_commit() -> None:
    used = [line.strip(" -") for line in (ROOT / "action.yml").read_text("utf-8").splitlines() if "uses:" in line]

    assert [line.partition("@")[0] for line in used] == ["uses: actions/setup-python", "uses: actions/cache"]
    assert [line for line in used if not re.fullmatch(PINNED.pattern + r"(?: .*)?", line)] == []


def test_the_same_action_has_the_same_commit_everywhere() -> None:
    commits: dict[str, set[str]] = {}
    for path in (*WORKFLOWS, ROOT / "action.yml"):
        for action, commit in re.findall(r"uses: ([\w/-]+)@(\S+)", path.read_text("utf-8")):
            commits.setdefault(action, set()).add(commit)

    assert [action for action, found in commits.items() if len(found) > 1] == []


def test_a_workflow_can_only_read_unless_a_job_says_more(workflow: Path) -> None:
    data: dict[str, Any] = YAML(typ="safe").load(workflow.read_text("utf-8"))

    assert data["permissions"] == {"contents": "read"}
    assert "secrets.PYPI" not in workflow.read_text("utf-8")


def test_what_is_installed_has_hashes_or_is_this_checkout() -> None:
    """Where something is judged, built or published, a line that installs requires hashes or no network."""
    files = [*WORKFLOWS, *(ROOT / ".ci").iterdir(), ROOT / "action/install", ROOT / "Dockerfile"]
    lines = [line for path in files for line in path.read_text("utf-8").splitlines()]
    installing = [line for line in lines if re.search(r"\bpip[\"']? (install|wheel|download) |^pip_install --", line)]
    held = (
        "--require-hashes",
        "--no-deps --no-build-isolation",
        "--no-index",
        '--no-deps "$work"/dist',
    )

    assert len(installing) > 10
    assert [line for line in installing if not any(one in line for one in held) and "pip_install()" not in line] == []
    assert [line for line in lines if re.search(r"\b(npm install|npx|pipx|uvx?) ", line)] == []


def test_the_image_starts_from_a_digest() -> None:
    bases = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)

    assert len(bases) == 2
    assert [base for base in bases if not re.fullmatch(r"python:3\.13-slim@sha256:[0-9a-f]{64}", base)] == []
