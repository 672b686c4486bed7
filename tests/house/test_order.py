"""The rooms of `dralint` have one order: a table has the imports of each, and the test compares them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "dralint"

ORDER = (
    "records",
    "work",
    "yaml",
    "kubernetes",
    "finding",
    "edit",
    "cel",
    "manifest",
    "decode",
    "validate",
    "simulate",
    "references",
    "opaque",
    "drivers",
    "files",
    "report",
    "config",
    "suppress",
    "migrate",
    "search",
    "lint",
    "fix",
    "update",
    "schema",
    "new",
    "explain",
    "upgrade",
    "triage",
    "editor",
    "api",
    "server",
    "cli",
)
"""The rooms from the ground up: each may import those before it."""

NOT_BELOW = {
    "edit": {"records", "yaml", "finding"},
    "cel": {"records", "work", "yaml", "kubernetes"},
    "files": {"records", "yaml", "finding", "edit", "manifest"},
    "config": {"records", "kubernetes", "finding", "yaml", "files", "opaque", "drivers", "report"},
    "suppress": {"records", "config", "finding", "kubernetes", "yaml"},
    "simulate": {"records", "yaml", "kubernetes", "finding", "cel", "manifest"},
    "schema": {"records", "kubernetes", "files"},
    "report": {"records", "finding", "kubernetes"},
}
"""Rooms that may import less than all that stands before them."""

PUBLIC = ("__init__", "__main__")


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the room of each import of dralint in a file, lazy ones and those for types alone too."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            modules = [node.module] if node.module != "dralint" else [f"dralint.{name.name}" for name in node.names]
        elif isinstance(node, ast.Import):
            modules = [name.name for name in node.names]
        else:
            continue
        for module in modules:
            parts = module.split(".")
            if parts[0] == "dralint" and len(parts) > 1 and not parts[1].startswith("__"):
                yield node.lineno, parts[1]


def room_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else file.stem


def allowed(room: str) -> set[str]:
    return NOT_BELOW.get(room, set(ORDER[: ORDER.index(room)])) | {room}


@pytest.mark.slow
def test_a_room_imports_only_what_stands_below_it() -> None:
    wrong = [
        f"{file.relative_to(ROOT)}:{line}: {room_of(file)} must not import {other}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if room_of(file) not in PUBLIC
        for line, other in imports(file)
        if other not in allowed(room_of(file))
    ]

    assert wrong == []


def test_every_module_stands_in_a_room() -> None:
    rooms = {room_of(file) for file in PACKAGE.rglob("*.py")}

    assert rooms == {*ORDER, *PUBLIC}


def test_the_table_allows_only_what_stands_below() -> None:
    upward = {room: others - set(ORDER[: ORDER.index(room)]) for room, others in NOT_BELOW.items()}

    assert {room: others for room, others in upward.items() if others} == {}


def test_contributing_shows_the_same_order() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    rows = [line.split("|")[1].strip(" `") for line in text.splitlines() if line.startswith("| `")]

    assert rows == list(ORDER)
