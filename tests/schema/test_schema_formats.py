"""The JSON Schema keywords of a format never refuse what its check accepts."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dralint.kubernetes.formats import FORMATS
from dralint.kubernetes.quantity import parse_quantity
from dralint.schema.schemas import PATTERNS, SCALARS

SEEDS = (
    "gpu", "gpu-0", "a.b.c", "GPU.example.com", "gpu.example.com", "rack-1/node-7", "gpu.example.com/model", "model",
    "_x9", "1.2.3", "1.2.3-rc.1+build.5", "0.0.0", "123e4567-e89b-12d3-a456-426614174000", "DeviceReady", "A_b:c,d",
    "10.9.8.0/24", "2001:db8::1/64", "::ffff:1.2.3.4/120", "example.com/gpu", "a/b/c", "app.kubernetes.io/name", "",
    "x" * 63, "x" * 64, "a." * 126 + "a", "a" * 63 + "/" + "b" * 32, "é", "a\n", "vnd.example.com/res_1",
)  # fmt: skip
ALPHABET = "abzABZ019-._/:+,\n é"


def refused(schema: dict[str, Any], text: str) -> bool:
    """Say whether the keywords refuse the text; whatever they are, they are among these."""
    assert set(schema) <= {"pattern", "maxLength", "minLength"}, schema
    too_long = len(text) > schema.get("maxLength", len(text)) or len(text) < schema.get("minLength", 0)
    return too_long or ("pattern" in schema and re.search(schema["pattern"], text) is None)


def mutations() -> st.SearchStrategy[str]:
    def mutate(pair: tuple[str, int]) -> str:
        text, seed = pair
        rng = random.Random(seed)
        chars = list(text)
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(chars) + 1)
            chars[at : at + rng.randrange(2)] = rng.choice(ALPHABET) * rng.choice((0, 1, 1, 2))
        return "".join(chars)

    return st.tuples(st.sampled_from(SEEDS), st.integers(0, 10**9)).map(mutate)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=120, deadline=None, derandomize=True)
@given(text=mutations() | st.text(ALPHABET, max_size=20))
@pytest.mark.slow
def test_keywords_never_refuse_what_the_check_takes(name: str, text: str) -> None:
    format_ = FORMATS[name]
    if format_.check(text) is None:
        assert not refused(format_.schema, text), (text, format_.schema)


@pytest.mark.parametrize("name", FORMATS)
def test_some_value_of_each_format_is_taken_by_both(name: str) -> None:
    taken = [text for text in SEEDS if FORMATS[name].check(text) is None]

    assert taken
    assert [text for text in taken if refused(FORMATS[name].schema, text)] == []


@settings(max_examples=400, deadline=None, derandomize=True)
@given(text=st.text("0159+-. eEinumkKMGTP\t\x85\xa0", max_size=8))
@pytest.mark.slow
def test_the_pattern_of_a_quantity_takes_what_the_parser_takes(text: str) -> None:
    matches = re.search(SCALARS["Quantity"]["pattern"], text) is not None
    try:
        parse_quantity(text)
    except ValueError:
        # without a digit it depends on the suffix
        assert not matches or re.match(r"[\s+-]*\.?[0-9]", text) is None, json.dumps(text)
    else:
        assert matches, json.dumps(text)


def test_an_editor_has_a_sentence_for_each_pattern_of_a_format() -> None:
    assert {form.title for form in FORMATS.values() if "pattern" in form.schema} == set(PATTERNS)
    assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in PATTERNS.values())
