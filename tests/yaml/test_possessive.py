"""Possessive groups: the replacement for the earliest releases of Python 3.11 matches the same."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import dralint
from dralint.yaml.scalars import with_atomic_groups

ROOT = Path(__file__).parents[2]
TEXTS = [path.read_text("utf-8") for path in sorted((ROOT / "examples").rglob("*.yaml"))] + [
    "a: [b, c]  # x\n\n  - {d: 'e''f', g: \"h\\n\"}\n---\n%YAML 1.1\n",
    '{"a": [1.5e3, "b\\u0041\\"c", {"d": null}]}',
    "x: {{ .Values.a }} ${B:-${C}} $(D) {% if e %}\n",
]


@pytest.mark.parametrize(
    ("pattern", "without"),
    [
        ("(?:a|b)*+c", "(?>(?:a|b)*)c"),
        ("(?:a)++", "(?>(?:a)+)"),
        ("((?:ab?c)*+)d", "((?>(?:ab?c)*))d"),
        ("(?:(?:a)?+b)*+", "(?>(?:(?>(?:a)?)b)*)"),
        (r"[)*+]\)*+(a)*", r"[)*+]\)*+(a)*"),
        ("[])*+]*+x++", "[])*+]*+x++"),
    ],
)
def test_groups_become_atomic(pattern: str, without: str) -> None:
    assert with_atomic_groups(pattern) == without


def possessive() -> list[re.Pattern[str]]:
    found: dict[str, re.Pattern[str]] = {}
    for module in pkgutil.walk_packages(dralint.__path__, "dralint."):
        if module.name != "dralint.__main__":
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, re.Pattern):
                    text = value.pattern.decode("latin-1") if isinstance(value.pattern, bytes) else value.pattern
                    found[text] = re.compile(text, value.flags & ~re.UNICODE)
    return [pattern for text, pattern in found.items() if re.search(r"\)[*+?]\+|\(\?>", text)]


@pytest.mark.parametrize("pattern", possessive(), ids=lambda pattern: pattern.pattern[:30])
@pytest.mark.slow
def test_the_other_form_matches_the_same(pattern: re.Pattern[str]) -> None:
    other = re.compile(with_atomic_groups(pattern.pattern), pattern.flags & ~re.UNICODE)

    for text in TEXTS:
        for start in range(0, len(text), 3):
            one, two = pattern.match(text, start), other.match(text, start)
            assert (one and (one.span(), one.groups())) == (two and (two.span(), two.groups())), text[start:]


@pytest.mark.slow
def test_no_other_module_compiles_such_a_pattern_by_itself() -> None:
    wrong = []
    for file in sorted((ROOT / "dralint").rglob("*.py")):
        text = file.read_text("utf-8")
        if not re.search(r"\)[*+?]\+", text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
                written = ast.get_source_segment(text, node) or ""
                if re.search(r"\)[*+?]\+", written):
                    wrong.append(f"{file.relative_to(ROOT)}:{node.lineno}: use dralint.yaml.scalars.compiled")

    assert wrong == []
