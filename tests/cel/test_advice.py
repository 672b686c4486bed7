"""Advice on expressions, which the API server does not give."""

from __future__ import annotations

import pytest

from dralint.cel import environment
from dralint.cel.advice import advice

GUARDED = [
    'device.driver == "d" && device.attributes["d"].x == 1',
    'device.attributes["d"].x == 1 && device.driver == "d"',
    'has(device.attributes["d"].x) && device.attributes["d"].x == 1',
    'has(device.attributes.d.x) && device.attributes["d"].x == 1',
    '"x" in device.attributes["d"] && device.attributes["d"]["x"] == 1',
    '!has(device.attributes["d"].x) || device.attributes["d"].x == 1',
    'has(device.attributes["d"].x) ? device.attributes["d"].x == 1 : false',
    'device.attributes["d"].?x.orValue(false)',
    'cel.bind(d, device.attributes["d"], has(d.x) && d.x == 1)',
    'device.attributes["d"].exists(k, k == "x")',
    'device.driver == "d"',
    'device.driver != "nvidia.com/gpu"',
    'device.driver == "${DOMAIN}/gpu"',
    'device.driver == "d" && device.attributes["d"].driver == "nvidia.com/gpu"',
    "has(device.attributes.nvlink.links)",
    '"nvlink" in device.attributes',
]


@pytest.mark.parametrize("expression", GUARDED)
def test_is_silent_where_a_lookup_is_guarded(expression: str) -> None:
    compilation = environment("1.37").compile(expression)
    assert compilation.ok

    assert advice(compilation) == ()


def test_says_nothing_about_what_is_refused() -> None:
    assert advice(environment("1.37").compile("1 +")) == ()
