"""Hints about expressions fit the YAML style around them, and an expression that YAML cuts is reported."""

from __future__ import annotations

import pytest

from dralint.finding.finding import Finding
from dralint.lint.text_hints import within
from tests.conftest import CLASS
from tests.judged import judged

EXPRESSION = 'device.driver == "gpu.example.com"'


def finding(scalar: str) -> Finding:
    report = judged(CLASS.replace(EXPRESSION, scalar))
    assert len(report.findings) == 1, [f.message for f in report.findings]
    return report.findings[0]


@pytest.mark.parametrize(
    ("scalar", "hint"),
    [
        ("device.driver == 1", 'write device.driver == "1"'),
        ("'device.driver == 1'", 'write device.driver == "1"'),
        ('"device.driver == 1"', "write device.driver == '1'"),
        (">-\n        device.driver == 1", 'write device.driver == "1"'),
        ("'device.driver.equals(''a'')'", "write device.driver == ''a''"),
        (
            '"device.driver"',
            r'compare it: device.driver == "value" (within these quotes of YAML, " is written \")',
        ),
        ("device.driver", 'compare it: device.driver == "value"'),
        (r'"device.driver.matches(\"\\d\")"', r"write r\"\\d\""),
    ],
)
def test_a_hint_is_written_for_the_scalar_it_goes_into(scalar: str, hint: str) -> None:
    assert finding(scalar).hint == hint


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
