"""How much of dralint one finding enters: who follows it with a debugger should come to an end."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "bench/path.py"
MOST = {"field": (61, 390, 1, 1), "template": (74, 519, 1, 1), "write": (64, 426, 2, 2)}
"""Of each way: modules, functions, how often a reader reads the same text, and a release judges the same object."""


@pytest.mark.slow
@pytest.mark.parametrize("way", MOST)
def test_one_finding_enters_few_modules_and_functions_and_nothing_is_read_again(way: str) -> None:
    run = subprocess.run([sys.executable, str(PROGRAM), way], capture_output=True, text=True, check=True)
    found = re.fullmatch(rf"{way}: (\d+) modules, (\d+) functions, read (\d+), judged (\d+)\n", run.stdout)

    assert found is not None
    for count, most in zip(map(int, found.groups()), MOST[way], strict=True):
        assert count <= most, f"python {PROGRAM.name} --list {way} shows them"
