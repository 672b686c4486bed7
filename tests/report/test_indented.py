"""The JSON output equals that of the standard library."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dralint.report.json import indented

TEXT = st.text('ab"\\\n\x1b\u2028é😀', max_size=5)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=20)


@settings(deadline=None)
@given(VALUES)
@pytest.mark.slow
def test_values_are_written_as_by_the_standard_library(value: Any) -> None:
    assert indented(value) == json.dumps(value, indent=1, ensure_ascii=False)


@pytest.mark.parametrize("values", [[], [1], ["a", {"b": []}]])
def test_an_iterator_is_written_as_a_list(values: list[Any]) -> None:
    assert indented({"a": iter(values)}) == json.dumps({"a": values}, indent=1)
