"""The examples of dralint/cel/README.md are true."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from click.testing import CliRunner
from newest import NEWEST

from dralint.cli.cel import cel

README = Path(__file__).parents[2] / "dralint" / "cel" / "README.md"


def test_python_examples() -> None:
    result = doctest.testfile(str(README), module_relative=False, encoding="utf-8")

    assert (result.failed, result.attempted > 10) == (0, True)


def test_command_examples() -> None:
    text = README.read_text(encoding="utf-8")
    block = re.search(r"```console\n(.*?)```", text, re.DOTALL)
    assert block is not None
    shown = re.findall(r"^\$ dralint cel (.*)\n((?:(?!\$ ).*\n)*)", block[1], re.MULTILINE)
    compared = 0
    for command, output in shown:
        if "--slices" in command:
            continue
        options, _, expression = command.rstrip().removesuffix("'").partition("'")
        result = CliRunner().invoke(cel, [*options.split(), expression])
        assert result.output.strip() == output.strip().replace("Kubernetes 1.37", f"Kubernetes {NEWEST}")
        compared += 1

    assert compared == 2
