"""Each room of dralint has a budget of logical lines: growth is a decision, with its reason in the commit."""

from __future__ import annotations

from pathlib import Path

import pytest
from radon.raw import analyze

PACKAGE = Path(__file__).parents[2] / "dralint"

BUDGET = {
    "__init__": 17,
    "__main__": 43,
    "api": 132,
    "cel": 7026,
    "cli": 2785,
    "config": 989,
    "decode": 1442,
    "drivers": 2646,
    "edit": 1645,
    "editor": 2533,
    "explain": 657,
    "files": 1729,
    "finding": 907,
    "fix": 357,
    "kubernetes": 2004,
    "lint": 5386,
    "manifest": 662,
    "migrate": 717,
    "new": 653,
    "opaque": 555,
    "records": 71,
    "references": 4162,
    "report": 1019,
    "schema": 613,
    "search": 898,
    "server": 856,
    "simulate": 6919,
    "suppress": 338,
    "triage": 849,
    "update": 744,
    "upgrade": 378,
    "validate": 2986,
    "work": 85,
    "yaml": 2909,
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
