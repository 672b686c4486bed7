"""The examples of dralint/cel/README.md are true."""

from __future__ import annotations

import doctest
from pathlib import Path

README = Path(__file__).parents[2] / "dralint" / "cel" / "README.md"


def test_python_examples() -> None:
    result = doctest.testfile(str(README), module_relative=False, encoding="utf-8")

    assert (result.failed, result.attempted > 10) == (0, True)
