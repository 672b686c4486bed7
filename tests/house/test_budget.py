"""Each room of dralint has a budget of logical lines: growth is a decision, with its reason in the commit."""

from __future__ import annotations

from pathlib import Path

import pytest
from radon.raw import analyze

PACKAGE = Path(__file__).parents[2] / "dralint"

BUDGET = {
    "__init__": 20,
    "__main__": 50,
    "api": 133,
    "cel": 7159,
    "cli": 2899,
    "config": 1002,
    "decode": 1446,
    "drivers": 2698,
    "edit": 1698,
    "editor": 2614,
    "explain": 669,
    "files": 1766,
    "finding": 908,
    "fix": 362,
    "kubernetes": 1982,
    "lint": 5508,
    "manifest": 674,
    "migrate": 783,
    "new": 664,
    "opaque": 571,
    "records": 72,
    "references": 4326,
    "report": 1053,
    "schema": 630,
    "search": 903,
    "server": 865,
    "simulate": 7500,
    "suppress": 357,
    "triage": 880,
    "update": 793,
    "upgrade": 423,
    "validate": 3091,
    "work": 88,
    "yaml": 3007,
}
"""Logical lines of each room, as `radon raw -s` counts them; a lighter room lowers its number."""


def logical_lines() -> dict[str, int]:
    """Return the logical lines of each room; a module outside of the rooms counts by its name."""
    found: dict[str, int] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        found[room] = found.get(room, 0) + analyze(path.read_text("utf-8")).lloc
    return found


@pytest.mark.slow
def test_no_room_is_larger_than_its_budget() -> None:
    found = logical_lines()

    assert found.keys() == BUDGET.keys()
    assert {room: lines for room, lines in found.items() if lines > BUDGET[room]} == {}
    assert {room: lines for room, lines in found.items() if lines < BUDGET[room] * 0.97 - 10} == {}, "lower its budget"
