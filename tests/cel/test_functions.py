"""What functions and operators yield, by the CEL specification and the libraries of Kubernetes.

Sources: cel-spec doc/langdef.md, cel-go ext (strings, lists, sets), pkg/cel/library of k8s.io/apiserver.
"""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from dralint.cel import environment
from dralint.cel.machine import Device, Evaluation
from dralint.cel.values import QuantityValue, Semver
from tests.cel.ran import OUTCOMES, ran

DEVICE = Device(
    driver="a.com",
    # Values that no constant folding sees.
    attributes={"seven": 7, "minus": -7, "zero": 0, "text": "a,b,c", "yes": True, "version": Semver(1, 2, 3)},
    capacity={"memory": QuantityValue(Fraction(2**30), 0), "half": QuantityValue(Fraction(1, 2), 3)},
    name="d",
)
WORDS = {
    "A": 'device.attributes["a.com"]',
    "M": 'device.capacity["a.com"].memory',
    "H": 'device.capacity["a.com"].half',
    "T": 'timestamp("2026-03-01T00:00:00Z")',
    "MAX": "9223372036854775807",
    "MIN": "(-9223372036854775807 - 1)",
}


def run(expression: str) -> Evaluation:
    for word, meaning in WORDS.items():
        expression = re.sub(rf"\b{word}\b", meaning, expression)
    compilation = environment("1.37", kind="derived").compile(expression)
    assert compilation.ok, compilation.issues
    return ran(compilation, DEVICE)


@pytest.mark.parametrize("expression", OUTCOMES["holds"])
@pytest.mark.slow
def test_it_is_so(expression: str) -> None:
    outcome = run(expression)

    assert (outcome.matches, outcome.error) == (True, None)


@pytest.mark.parametrize(("expression", "error"), OUTCOMES["fails"].items())
def test_it_fails(expression: str, error: str) -> None:
    outcome = run(expression)

    assert (outcome.matches, outcome.error) == (None, error)


INTEGERS = ["1", "0", "-1500m", "1500m", "1e3", "9223372036854775807", "1Gi", "1Ei", "100Ti", "1000m", "2.0", "1.5Gi"]


def test_a_quantity_that_is_kept_as_a_decimal_number_gives_no_integer() -> None:
    given = {text: run(f"quantity('{text}').isInteger()").matches for text in INTEGERS}

    assert [text for text, is_integer in given.items() if is_integer] == ["1", "0", "1e3", "1Gi"]
    assert run("quantity('100Ti').asInteger() == 1").error == "the quantity is not an integer"
    assert run("quantity('100Ti') == quantity('102400Gi')").matches is True


@pytest.mark.parametrize(
    ("expression", "is_integer"),
    [
        ("quantity('1').add(quantity('1e3')).isInteger()", True),
        ("quantity('1').sub(quantity('1m')).add(quantity('1m')).isInteger()", False),
        ("quantity('0').add(quantity('1m')).isInteger()", False),
        ("quantity('1').add(quantity('0.0')).isInteger()", True),
        ("quantity('100Ti').sub(1).isInteger()", False),
        ("quantity('9e18').add(quantity('9e17')).isInteger()", False),
    ],
)
def test_a_sum_gives_an_integer_where_64_bits_hold_it_without_digits(expression: str, is_integer: bool) -> None:
    assert run(expression).matches is is_integer


@pytest.mark.parametrize(("release", "matches"), [("1.35", True), ("1.36", True), ("1.37", None)])
def test_a_list_of_a_negative_number_of_elements_is_empty_until_1_36(release: str, matches: bool | None) -> None:
    outcome = ran(environment(release).compile("lists.range(-1).size() == 0"), Device("d"))

    assert outcome.matches is matches
    assert matches or outcome.error == "lists.range(-1): the size must be between 0 and 1,000,000"
