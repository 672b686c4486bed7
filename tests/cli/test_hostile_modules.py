"""Nothing is imported from the working directory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import BAD_CLAIM

MODULES = ("json", "tomllib", "jsonschema", "difflib", "textwrap", "hashlib", "glob", "tempfile", "rich", "pathspec")
CONSOLE_SCRIPT = "import sys; del sys.path[0]; from dralint.__main__ import main; main()"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (*MODULES, "sitecustomize", "ruamel", "multiprocessing", "pickle"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the tree')\n")
    (tmp_path / "bad.yaml").write_text(BAD_CLAIM)
    (tmp_path / ".gitignore").write_text("*.x\n")
    (tmp_path / "pyproject.toml").write_text("[tool.dralint]\nfail-on = 'errors'\n")
    return tmp_path


@pytest.mark.parametrize("arguments", [["-m", "dralint"], ["-c", CONSOLE_SCRIPT]])
@pytest.mark.parametrize("command", [["check", "--format", "sarif", "--no-config"], ["check"]])
@pytest.mark.slow
def test_modules_of_the_tree_are_not_imported(tree: Path, arguments: list[str], command: list[str]) -> None:
    if "-m" in arguments:
        (tree / "sitecustomize.py").unlink()  # `python -m` itself imports that
    environment = {**os.environ, "PYTHONPATH": os.pathsep if "-m" in arguments else ""}
    done = subprocess.run(
        [sys.executable, *arguments, *command], cwd=tree, env=environment, capture_output=True, text=True
    )

    assert "imported from the tree" not in done.stderr + done.stdout
    assert done.returncode == (1 if "--no-config" in command else 2)
