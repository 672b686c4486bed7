"""`dralint completion`: the test runs each shell that is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from dralint.cli.completion import VARIABLE
from dralint.cli.main import dralint
from tests.conftest import Run

ROOT = Path(__file__).parents[2]
_BASH = """
source <(dralint completion bash)
COMP_LINE=$1; COMP_POINT=${#COMP_LINE}
_dralint_completion dralint
printf '%s\\n' "${COMPREPLY[@]}"
"""
_FISH = """
dralint completion fish | source
complete --do-complete $argv[1]
"""
# A shell at a terminal of its own, in which compadd tells what it is given, and ends after the first tab.
_ZSH = """
zmodload zsh/zpty
zpty asked zsh -f -i
zpty -w asked 'PROMPT=; autoload -Uz compinit; compinit -u -D; source <(dralint completion zsh)'
zpty -w asked 'compadd() {
  local -a hits
  if [[ ${@[1,(i)(-|--)]} != *-[OAD]\\ * ]]; then
    builtin compadd -A hits "$@"; print -rl -- "OFFERED:"${^hits}
  fi
  builtin compadd "$@"
}'
zpty -w asked 'ask() { zle complete-word; print -r -- "EN""D"; exit }; zle -N ask; bindkey "^I" ask; print REA""DY'
zpty -r asked begun '*READY*'
zpty -w -n asked "$1"$'\\t'
zpty -r asked answer '*END*'
print -r -- $answer
"""
_ASK = {
    "bash": ["bash", "--noprofile", "--norc", "-c", _BASH, "bash"],
    "fish": ["fish", "--no-config", "-c", _FISH],
    "zsh": ["zsh", "-f", "-c", _ZSH, "zsh"],
}


def asked(shell: str, folder: Path, line: str) -> list[str]:
    """Return what a shell would offer for the last word of a command line in a folder."""
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    program = folder / "dralint"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dralint "$@"\n')
    program.chmod(0o755)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("DRALINT")},
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HOME": str(folder),
        "TERM": "dumb",
    }
    done = subprocess.run(
        [*_ASK[shell], line], cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == ""
    if shell == "zsh":
        return re.findall(r"OFFERED:([^\r\n]+)", done.stdout)
    return [offered.partition("\t")[0] for offered in done.stdout.splitlines()]


@pytest.mark.parametrize("shell", _ASK)
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("dralint comp", ["completion"]),
        ("dralint check --select DRA30", [f"DRA30{n}" for n in range(1, 7)]),
        ("dralint rules --select DRA101,unknown-f", ["DRA101,unknown-field"]),
        ("dralint check --kubernetes-version 1.3", [f"1.3{minor}" for minor in range(8)]),
        ("dralint check --kubernetes-version 1.34,1.33..1.3", [f"1.34,1.33..1.3{minor}" for minor in range(3, 8)]),
        ("dralint diff --feature-gates DRAAdm", ["DRAAdminAccess=true", "DRAAdminAccess=false"]),
        ("dralint explain draconsum", ["DRAConsumableCapacity"]),
        ("dralint check --fail-on n", ["never"]),
        ("dralint migrate --to resource.k8s.io/v1b", ["resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2"]),
        (
            "dralint explain ResourceClaim.spec.devices.co",
            [
                "ResourceClaim.spec.devices.config",
                "ResourceClaim.spec.devices.config.opaque",
                "ResourceClaim.spec.devices.config.requests",
                "ResourceClaim.spec.devices.constraints",
                "ResourceClaim.spec.devices.constraints.distinctAttribute",
                "ResourceClaim.spec.devices.constraints.matchAttribute",
                "ResourceClaim.spec.devices.constraints.requests",
            ],
        ),
    ],
)
@pytest.mark.slow
def test_a_shell_offers_what_there_is(tmp_path: Path, shell: str, line: str, offered: list[str]) -> None:
    assert sorted(asked(shell, tmp_path, line)) == sorted(offered)


@pytest.mark.parametrize(
    ("shell", "before"),
    [("bash", ""), ("zsh", "--feature-gates=DRAAdminAccess="), ("fish", "--feature-gates=DRAAdminAccess=")],
)
def test_a_value_may_follow_an_equals_sign(tmp_path: Path, shell: str, before: str) -> None:
    # bash divides words there, and replaces what follows alone
    assert asked(shell, tmp_path, "dralint check --feature-gates=DRAAdminAccess=t") == [f"{before}true"]


@pytest.mark.parametrize(("shell", "name"), [("fish", "claims/"), ("zsh", "claims")])
def test_where_dralint_has_nothing_to_say_files_are_offered(tmp_path: Path, shell: str, name: str) -> None:
    (tmp_path / "claims").mkdir()

    assert name in asked(shell, tmp_path, "dralint check cla")


def test_bash_offers_files_by_itself(tmp_path: Path, run: Run) -> None:
    (tmp_path / "claims").mkdir()

    assert asked("bash", tmp_path, "dralint check cla") == [""]  # what printf makes of no candidate
    assert "complete -o default " in run("completion", "bash").stdout


def test_an_unknown_shell_is_wrong_usage(run: Run) -> None:
    outcome = run("completion", "bsh")

    assert outcome.status == 2
    assert "did you mean 'bash'?" in outcome.stderr


OWN = """\
pack: 1
driver: fpga.acme.io
versions: [v1.0.0]
classes:
- {name: big-fpga.acme.io, cel: device.driver == "fpga.acme.io"}
attributes:
- {name: luts, type: int}
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose configuration has a pack of its own."""
    (tmp_path / "pack.yaml").write_text(OWN)
    (tmp_path / ".dralint.yaml").write_text("driver-packs: [pack.yaml]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "start", "offered"),
    [
        (["explain"], "big-fp", "big-fpga.acme.io"),
        (["pack", "show"], "fpg", "fpga.acme.io"),
        (["new", "claim", "--driver"], "fpg", "fpga.acme.io"),
    ],
)
def test_a_pack_of_the_configuration_is_completed(own: Path, words: list[str], start: str, offered: str) -> None:
    shell = ShellComplete(dralint, {}, "dralint", VARIABLE)

    assert [item.value for item in shell.get_completions(words, start)] == [offered]
    (own / "pack.yaml").write_text("driver: fpga.acme.io\n")
    assert shell.get_completions(words, start) == []
