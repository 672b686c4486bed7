"""Possessive groups: Python before 3.11.5 matches them wrongly, so that atomic groups take their place."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "dralint"


def test_no_pattern_has_a_possessive_group() -> None:
    wrong = [
        f"{file.relative_to(PACKAGE)}:{number}: write (?>(?:...)*)"
        for file in sorted(PACKAGE.rglob("*.py"))
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if re.search(r"\)[*+?]\+", line)
    ]

    assert wrong == []
