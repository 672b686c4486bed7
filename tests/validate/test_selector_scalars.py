"""Hints about expressions fit the YAML style around them, and an expression that YAML cuts is reported."""

from __future__ import annotations

import pytest

from dralint.lint.text_hints import within


@pytest.mark.parametrize(
    ("text", "style", "written"),
    [
        ('a "b"', '"', "a 'b'"),
        ('a\\ "b"', '"', r"a\\ \"b\""),
        (r"\d", '"', r"\\d"),
        ("it's", "'", "it''s"),
        ('"', "'", '"'),
    ],
)
def test_text_within_quotes(text: str, style: str, written: str) -> None:
    assert within(text, style) == written
