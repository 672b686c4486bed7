"""A real editor: Neovim shows what the server finds, applies its fix, and writes the file."""

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

from tests.conftest import BAD_CLAIM
from tests.packaging.test_readme import block

ROOT, DATA = Path(__file__).parents[2], Path(__file__).parent / "data"
BROKEN = BAD_CLAIM.replace("\n  name: train\n  namespace: team-a", " {name: gpu} # 🖥")


VERSION = re.compile(r"NVIM v(\d+)\.(\d+)")
RECIPES = {"neovim-0.7": (0, 7), "neovim-0.8": (0, 8), "neovim-0.11": (0, 11)}
"""Recipe of docs/editor.md → the first Neovim that it is for."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("nvim") is None, reason="there is no Neovim; .ci/run installs it"),
]


def neovim(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Neovim in a folder, with `dralint` on its PATH."""
    program = tmp_path / "bin" / "dralint"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dralint "$@"\n')
    program.chmod(0o755)
    alone = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    own = {"DRALINT": str(program), "PYTHONPATH": str(ROOT), "PATH": f"{program.parent}:{os.environ['PATH']}"}
    command = ["nvim", "--headless", "-i", "NONE", "-n", *arguments]
    environment = {**os.environ, **alone, **own}
    return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)


def printed(done: subprocess.CompletedProcess[str]) -> list[Any]:
    """Return the lines of JSON that a script has printed."""
    return [json.loads(line[: line.rindex("}") + 1]) for line in done.stderr.splitlines() if line.startswith("{")]


def test_the_recipe_starts_one_server_for_all_buffers_of_a_folder(tmp_path: Path) -> None:
    version = VERSION.search(subprocess.run(["nvim", "--version"], capture_output=True, text=True).stdout)
    assert version is not None
    there = int(version[1]), int(version[2])
    (tmp_path / ".git").mkdir()
    for name in ("claim.yaml", "pod.yaml"):
        (tmp_path / name).write_text(BROKEN)
    for recipe in [
        recipe for recipe, first in RECIPES.items() if first <= there and (first > (0, 7) or there < (0, 8))
    ]:
        folder = tmp_path / recipe
        shutil.copytree(tmp_path, folder, ignore=shutil.ignore_patterns("neovim-*"))
        (folder / "init.lua").write_text(block(ROOT / "docs/editor.md", recipe))
        done = neovim(folder, "-u", "init.lua", "-c", f"luafile {DATA / 'buffers.lua'}", "claim.yaml")

        assert (done.returncode, recipe) == (0, recipe), done.stderr
        assert printed(done) == [{"roots": [str(folder)], "diagnostics": 1}]


def test_neovim_shows_a_finding_at_its_line_and_applies_its_fix(tmp_path: Path) -> None:
    (tmp_path / "claim.yaml").write_text(BROKEN)
    done = neovim(tmp_path, "-u", "NONE", "-c", f"luafile {DATA / 'edit.lua'}", "claim.yaml")

    assert done.returncode == 0, done.stderr
    assert printed(done) == [
        {
            "line": 9,
            "column": 9,
            "code": "DRA101",
            "message": 'unknown field "deviceClasName"\ndid you mean "deviceClassName"?',
        },
        {"title": "Replace `deviceClasName` by `deviceClassName`"},
    ]
    assert (tmp_path / "claim.yaml").read_text() == BROKEN.replace("deviceClasName", "deviceClassName")
