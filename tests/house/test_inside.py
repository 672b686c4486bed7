"""docs/inside.md follows a finding; what it names exists, and a misspelt field enters it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STEPS, PLACES = (ROOT / "docs/inside.md").read_text("utf-8").split("## Where to look")
_NAMED = re.compile(r"`(\w+/\w+\.py)`|`([\w.]+)`")


def named() -> list[tuple[str, str]]:
    """Return the functions that the steps name, each with the module before it."""
    found, module = [], ""
    for file, name in _NAMED.findall(STEPS):
        module = file or module
        if name:
            found.append((module, name))
    return found


def test_a_finding_takes_at_most_eight_steps() -> None:
    assert len(re.findall(r"^\d+\. ", STEPS, re.MULTILINE)) <= 8


@pytest.mark.parametrize("module", sorted({file for file, _ in _NAMED.findall(STEPS + PLACES) if file}))
def test_a_module_exists(module: str) -> None:
    assert (ROOT / "dralint" / module).is_file()


@pytest.mark.slow
def test_a_misspelt_field_enters_what_the_steps_name() -> None:
    run = subprocess.run(
        [sys.executable, str(ROOT / "bench/path.py"), "--list"], capture_output=True, text=True, check=True
    )
    entered = {(line.partition(":")[0], line.rpartition(" ")[2]) for line in run.stdout.splitlines()}

    assert {each for each in named() if each not in entered} == set()


def test_what_the_places_name_is_defined() -> None:
    for module, name in re.findall(r"`(\w+/\w+\.py)` \(`(\w+)`\)", PLACES):
        names = [n.name for n in ast.parse((ROOT / "dralint" / module).read_text("utf-8")).body if hasattr(n, "name")]
        assert name in names
