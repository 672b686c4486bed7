"""Quantities, compared with apimachinery's results for the same texts (tests/data/quantities)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dralint.cel import values
from dralint.kubernetes.quantity import Quantity, parse_quantity, read_quantity, strict_quantity

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


@pytest.mark.slow
def test_random_texts_have_the_values_of_parse_quantity_and_of_a_decoded_manifest() -> None:
    """Each entry: the text, [unscaled, scale] of ParseQuantity or null, that of UnmarshalJSON or 0 for the same."""
    different = []
    for text, parsed, decoded in json.loads(gzip.decompress((RECORDED.parent / "random.json.gz").read_bytes())):
        of_cel, of_manifest = exact(strict_quantity, text), exact(read_quantity, text)
        decoded = parsed if decoded == 0 else decoded
        if (of_cel, of_manifest) != (fraction(parsed), fraction(decoded)) or exact(
            values.parse_quantity, text
        ) != of_cel:
            different.append((text, parsed, of_cel, decoded, of_manifest))

    assert different == []


def exact(read: Callable[[str], Any], text: str) -> Fraction | None:
    try:
        quantity = read(text)
    except ValueError:
        return None
    found: Fraction = quantity.exact if isinstance(quantity, Quantity) else quantity.value
    return found


def fraction(recorded: tuple[str, int] | None) -> Fraction | None:
    return None if recorded is None else Fraction(int(recorded[0])) / Fraction(10) ** recorded[1]


@pytest.mark.parametrize(
    "text", ["9" * 2000, "0." + "0" * 5000 + "1", "1" * 300_000 + "e-299999", "1" * 300_000 + "Ki"]
)
def test_a_long_text_is_a_quantity_and_read_at_once(text: str) -> None:
    assert parse_quantity(text) > 0


def test_only_a_manifest_may_have_blanks_around_a_quantity() -> None:
    assert read_quantity("40Gi ") == strict_quantity("40Gi")
    with pytest.raises(ValueError, match=r"^is not a quantity"):
        strict_quantity("40Gi ")


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("", "is empty"),
        ("40 GB", "is not a quantity"),
        ("1K", 'has the unknown suffix "K"'),
        ("1e", 'has the unknown suffix "e"'),
        ("-e-28", "has no digits"),
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
