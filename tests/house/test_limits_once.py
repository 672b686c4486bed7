"""A limit is only in the table (rules/limits.yaml): no check has its own number or list of words."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dralint.kubernetes import shipped

ROOT = Path(__file__).parents[2]
ROOMS = ("dralint/validate", "dralint/decode")
COUNTS = frozenset({"maxItems", "maxLength", "maxBytes", "minimum", "maximum", "shown", "most"})
PLAIN = frozenset({0, 1, 2})
"""Numbers that every program counts with."""

OTHERWISE = {
    ("dralint/validate/declared_names.py", 10): "names that a message lists",
    ("dralint/validate/cascade.py", 16): "repetitions that are told",
}
"""Numbers in checks that are in the table by chance, and what they are."""


def rows(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield keyword and value of the rows of the table, each of a value that differs by release."""
    for keyword, held in value.items():
        if keyword in COUNTS | {"enum"}:
            for one in held.values() if isinstance(held, dict) else (held,):
                yield keyword, one
        elif isinstance(held, dict):
            yield from rows(held)


def table() -> list[tuple[str, Any]]:
    index = shipped.index()
    return [*rows(index["limits"]), *rows(index["totals"])]


def trees() -> Iterator[tuple[str, ast.Module]]:
    for room in ROOMS:
        for file in sorted((ROOT / room).rglob("*.py")):
            yield file.relative_to(ROOT).as_posix(), ast.parse(file.read_text("utf-8"))


def bounds(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield line and number of what may be a limit: constants of the module, and what something is compared with."""
    places: list[ast.AST] = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            places += [node.left, *node.comparators]
    for place in places:
        parts = place.elts if isinstance(place, ast.Tuple) else [place]
        for part in parts:
            if isinstance(part, ast.Constant) and type(part.value) is int:
                yield part.lineno, part.value


@pytest.mark.slow
def test_no_number_of_the_table_stands_in_a_check() -> None:
    numbers = {held for keyword, held in table() if keyword in COUNTS} - PLAIN
    found = {(name, number): line for name, tree in trees() for line, number in bounds(tree) if number in numbers}
    twice = [f"{name}:{line}: {number}" for (name, number), line in found.items() if (name, number) not in OTHERWISE]

    assert twice == []
    assert set(OTHERWISE) <= set(found)


@pytest.mark.slow
def test_no_list_of_words_of_the_table_stands_in_a_check() -> None:
    enums = {frozenset(held) for keyword, held in table() if keyword == "enum"}
    twice = [
        f"{name}:{node.lineno}"
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Tuple | ast.List | ast.Set)
        and all(isinstance(part, ast.Constant) for part in node.elts)
        and frozenset(part.value for part in node.elts if isinstance(part, ast.Constant)) in enums
    ]

    assert twice == []


def test_each_behaviour_of_the_table_is_read() -> None:
    code = "".join(path.read_text("utf-8") for path in sorted((ROOT / "dralint").rglob("*.py")))

    assert [name for name in shipped.index()["behaviours"] if f'"{name}"' not in code] == []
