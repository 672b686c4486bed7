"""A syntax error comes with what to write."""

from __future__ import annotations

import pytest

from dralint.cel import environment
from dralint.cel.advice import is_certain


@pytest.mark.parametrize(
    ("expression", "instead", "certain"),
    [
        ("size(device.driver) =! 1", "size(device.driver) != 1", False),
        ("size(device.driver) ! = 1", "size(device.driver) != 1", False),
        ("size(device.driver) > = 1", "size(device.driver) >= 1", False),
        ('device.driver in ["a" "b"]', 'device.driver in ["a", "b"]', False),
        ('device.driver == "x"; ', 'device.driver == "x" ', True),
        ('device.driver == "x"; true', 'device.driver == "x" && true', True),
        ('device.driver == "x";true', 'device.driver == "x" && true', True),
        ('device.driver == "x" AND true', 'device.driver == "x" && true', True),
        ('device.driver == "x" or true', 'device.driver == "x" || true', True),
        ('device.driver <> "x"', 'device.driver != "x"', True),
    ],
)
def test_the_hint_can_be_followed_and_is_certain_where_a_sign_stands_for_one_operator(
    expression: str, instead: str, certain: bool
) -> None:
    issue = environment("1.37").compile(expression).issues[0]

    assert issue.replacement is not None
    _, start, end, text = issue.replacement
    assert expression[:start] + text + expression[end:] == instead
    assert is_certain(issue, expression) is certain
