"""A real editor: Neovim shows what the server finds, applies its fix, and writes the file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EDIT = Path(__file__).parent / "data" / "edit.lua"
BROKEN = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu} # 🖥
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClasName: gpu.example.com
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvim") is None, reason="there is no Neovim; .ci/run installs it")
def test_neovim_shows_a_finding_at_its_line_and_applies_its_fix(tmp_path: Path) -> None:
    (tmp_path / "claim.yaml").write_text(BROKEN)
    program = tmp_path / "dralint"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dralint "$@"\n')
    program.chmod(0o755)
    alone = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}

    done = subprocess.run(
        ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {EDIT}", "claim.yaml"],
        cwd=tmp_path,
        env={**os.environ, **alone, "DRALINT": str(program), "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr
    printed = [json.loads(line[: line.rindex("}") + 1]) for line in done.stderr.splitlines() if line.startswith("{")]
    assert printed == [
        {
            "line": 9,
            "column": 9,
            "code": "DRA101",
            "message": 'unknown field "deviceClasName"\ndid you mean "deviceClassName"?',
        },
        {"title": "Replace `deviceClasName` by `deviceClassName`"},
    ]
    assert (tmp_path / "claim.yaml").read_text() == BROKEN.replace("deviceClasName", "deviceClassName")
