"""How much of dralint one misspelt field enters: who follows it with a debugger should come to an end."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "bench/path.py"
MOST_MODULES, MOST_FUNCTIONS = 65, 395


@pytest.mark.slow
def test_one_misspelt_field_enters_few_modules_and_functions() -> None:
    run = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, check=True)
    found = re.fullmatch(r"(\d+) modules, (\d+) functions\n", run.stdout)

    assert found is not None
    assert int(found[1]) <= MOST_MODULES, f"python {PROGRAM.name} --list shows them"
    assert int(found[2]) <= MOST_FUNCTIONS, f"python {PROGRAM.name} --list shows them"
