"""The values of plain scalars that no recorded text has (facts: go-yaml v2, resolve.go), and how Go prints numbers."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from dralint.yaml import JsonFloat, number_text
from dralint.yaml.scalars import json_number, key_text, resolve


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("oN", "oN"),
        ("-0x1f", -31),
        ("+18446744073709551615", 18446744073709551615.0),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_a_plain_scalar_means_what_go_yaml_says(text: str, value: Any) -> None:
    assert resolve(text) == value
    assert type(resolve(text)) is type(value)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1, "1"),
        (1.5, "1.5"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.25e-10, "1.25e-10"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (-2.5, "-2.5"),
        (123456789.125, "123456789.125"),
        (JsonFloat("1.0"), "1.0"),
        (JsonFloat("1E400"), "1E400"),
    ],
)
def test_numbers_are_printed_as_go_prints_them(number: int | float, text: str) -> None:
    assert number_text(number) == text


def test_a_yaml_float_with_an_integral_value_is_an_integer_in_json() -> None:
    assert json_number(1000.0) == 1000
    assert type(json_number(1000.0)) is int
    assert json_number(18446744073709551616.0) == 18446744073709552000
    assert type(json_number(1e21)) is float
    assert json_number(1.5) == 1.5


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (1, "1"),
        (True, "true"),
        (1.5, "1.5"),
        (0.1, "0.1"),
        (100000.0, "100000"),
        (1e6, "1e+06"),
        (1e-5, "1e-05"),
        (1e300, ".inf"),
        (float("-inf"), "-.inf"),
        (float("nan"), ".nan"),
        (0.123456789, "0.12345679"),
        ("x", "x"),
        (None, None),
        (2**63, None),
    ],
)
def test_a_key_becomes_the_string_that_kubernetes_makes_of_it(key: Any, text: str | None) -> None:
    assert key_text(key) == text


def test_a_json_float_survives_pickling_with_its_text() -> None:
    number = pickle.loads(pickle.dumps(JsonFloat("1.0")))

    assert number == 1.0
    assert number_text(number) == "1.0"
