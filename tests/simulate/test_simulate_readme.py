"""The examples of the documentation are real: each command is run and its output compared."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from dralint.cli.main import dralint

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "dralint/simulate/README.md"
BLOCK = re.compile(r"```console\n\$ dralint ([^\n]*)\n(.*?)```", re.DOTALL)


def output(command: str) -> str:
    return CliRunner().invoke(dralint, shlex.split(command)).stdout


def test_the_examples_are_what_the_command_prints(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(ROOT)
    text = PAGE.read_text("utf-8")
    made = BLOCK.sub(lambda match: f"```console\n$ dralint {match[1]}\n{output(match[1])}```", text)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(made, "utf-8")

    assert text.count("$ dralint simulate") == 7
    assert PAGE.read_text("utf-8") == made


@pytest.mark.parametrize("name", ["misspelt", "nine-gpus", "tainted", "same-root", "bandwidth"])
def test_an_answer_fits_on_one_screen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    printed = output(f"simulate examples/simulate/{name}.yaml --inventory examples/simulate/inventory.yaml")

    assert 0 < len(printed.splitlines()) <= 24
