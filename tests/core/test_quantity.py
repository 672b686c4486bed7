"""Quantities, held against what apimachinery makes of the same texts (tests/data/quantities)."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dralint.kubernetes.quantity import Quantity, parse_quantity, read_quantity

RECORDED = Path(__file__).parent.parent / "data" / "quantities" / "apimachinery.json.gz"


def spelled(quantity: Quantity) -> str:
    """Return the decimal text of a quantity as Go's AsDec().String() does."""
    unscaled, scale = quantity.decimal_text()
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    text = f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
    return f"-{text}" if unscaled < 0 else text


def test_texts_are_read_as_apimachinery_reads_them() -> None:
    different = []
    for text, expected in json.loads(gzip.decompress(RECORDED.read_bytes())):
        try:
            quantity = read_quantity(text)
        except ValueError:
            found = None
        else:
            found = [quantity.integer(), quantity.integer(3), spelled(quantity)]
        if found != expected:
            different.append((text, expected, found))

    assert different == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("40Gi", Fraction(40 * 2**30)),
        ("1.5Gi", Fraction(3 * 2**29)),
        ("100m", Fraction(1, 10)),
        ("1e3", Fraction(1000)),
        ("1E", Fraction(10**18)),
        ("0.1n", Fraction(1, 10**9)),
        ("16Ei", Fraction(2**63 - 1)),
        (" 1 ", Fraction(1)),
    ],
)
def test_the_exact_value(text: str, value: Fraction) -> None:
    assert parse_quantity(text) == value


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("", "is empty"),
        ("40 GB", "is not a quantity"),
        ("1K", 'has the unknown suffix "K"'),
        ("1e", 'has the unknown suffix "e"'),
        ("9" * 2000, "has 2000 characters"),
    ],
)
def test_what_is_no_quantity_says_why(text: str, start: str) -> None:
    with pytest.raises(ValueError, match=f"^{start}"):
        read_quantity(text)


@given(st.text(alphabet="0123456789.+-eEinumkKMGTP ", max_size=30))
def test_any_text_is_a_quantity_or_a_value_error(text: str) -> None:
    try:
        value = read_quantity(text).integer()
    except ValueError:
        value = 0

    assert -(2**63) <= value < 2**63
