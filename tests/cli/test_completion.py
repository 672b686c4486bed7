"""`dralint completion`: bash is asked itself; of the others the script is looked at."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run

ROOT = Path(__file__).parents[2]
_ASK = """
source <(dralint completion bash)
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_dralint_completion dralint
printf '%s\\n' "${COMPREPLY[@]}"
"""


def asked(tmp_path: Path, *words: str) -> list[str]:
    """Return what bash would offer for the last word of a command line."""
    program = tmp_path / "dralint"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dralint "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", _ASK, "bash", "dralint", *words], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("comp",), ["completion"]),
        (("check", "--select", "DRA30"), ["DRA301", "DRA302", "DRA303", "DRA304", "DRA305", "DRA306"]),
        (("rules", "--select", "DRA101,unknown-f"), ["DRA101,unknown-field"]),
        (("check", "--kubernetes-version", "1.3"), [f"1.3{minor}" for minor in range(8)]),
        (("check", "--kubernetes-version", "1.33..1.36"), ["1.33..1.36"]),
        (("diff", "--feature-gates", "DRAAdm"), ["DRAAdminAccess=true", "DRAAdminAccess=false"]),
        (
            ("explain", "ResourceClaim.spec.devices.c"),
            [
                "ResourceClaim.spec.devices.config",
                "ResourceClaim.spec.devices.config.opaque",
                "ResourceClaim.spec.devices.config.requests",
                "ResourceClaim.spec.devices.constraints",
            ],
        ),
        (("explain", "draconsum"), ["DRAConsumableCapacity"]),
        (("check", "--fail-on", "n"), ["never"]),
    ],
)
def test_bash_offers_what_there_is(tmp_path: Path, words: tuple[str, ...], offered: list[str]) -> None:
    assert set(offered) <= set(asked(tmp_path, *words))
    assert all(word.lower().startswith(words[-1].lower()) for word in asked(tmp_path, *words))


@pytest.mark.parametrize(
    ("shell", "line"), [("zsh", "#compdef dralint"), ("fish", "complete --no-files --command dralint")]
)
def test_other_shells_get_a_script_of_their_own(run: Run, shell: str, line: str) -> None:
    outcome = run("completion", shell)

    assert outcome.status == 0
    assert line in outcome.stdout
    assert f"_DRALINT_COMPLETE={shell}_complete" in outcome.stdout


def test_an_unknown_shell_is_wrong_usage(run: Run) -> None:
    outcome = run("completion", "bsh")

    assert outcome.status == 2
    assert "did you mean 'bash'?" in outcome.stderr
