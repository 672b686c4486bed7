"""Rule ids are in one generated module; the rest of dralint uses their names."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from dralint.finding import catalogue, rule_ids

PACKAGE = Path(__file__).parents[2] / "dralint"


def test_each_rule_has_its_id_under_its_name() -> None:
    ids = {name: value for name, value in vars(rule_ids).items() if name.isupper()}

    assert ids == {rule.name.upper().replace("-", "_"): rule.id for rule in catalogue.rules().values()}


@pytest.mark.slow
def test_no_other_module_writes_a_rule_id() -> None:
    written = [
        f"{file.relative_to(PACKAGE)}:{node.lineno}: {node.value}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if file.name != "rule_ids.py"
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"DRA\d{3}", node.value)
    ]

    assert written == []
