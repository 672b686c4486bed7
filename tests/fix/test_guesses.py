"""A guess makes its finding go away, and nothing worse comes in its place."""

from __future__ import annotations

import pytest

from dralint.finding.finding import Finding
from tests.judged import fixed, judged

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
spec:
  devices:
    requests:
    - name: card
      {}
"""
SELECTED = CLAIM.format(
    "exactly:\n        deviceClassName: c\n        selectors:\n        - cel:\n            expression: {}"
)


def found(text: str) -> list[Finding]:
    return judged(text).findings


def guessed(text: str) -> str:
    return fixed(text, unsafe=True)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("device.driver == 'x' || ['b'].exist(s, s == 'a')", "device.driver == 'x' || ['b'].exists(s, s == 'a')"),
        ("device.driver == a.example.com", 'device.driver == "a.example.com"'),
        ("device.driver == 'a' and device.driver != 'b' or true", None),
        ("attrs.dna != ''", None),
        ('"device.driver == \\"a\\x01\\" |"', None),
        ("device.driver == 'a' and device.capacity['d'] = ", None),
        ('"a" in device.attributes["d"]  # why', None),
        ('"a" in device.attributes["d"] &&\n              "b" in device.attributes["d"]', None),
        ('"a\\"b" == device.driver', None),
        (
            '"a" in device.attributes["d"] && device.driver = "x"',
            '"a" in device.attributes["d"] && device.driver == "x"',
        ),
        ("`device.driver == 'x'`", None),
        ("@device.driver == 'x'", None),
    ],
)
def test_a_selector_compiles_afterwards_or_stays(written: str, meant: str | None) -> None:
    text = SELECTED.format(written)
    after = guessed(text)

    if meant is not None:
        assert after in (SELECTED.format(meant), SELECTED.format(f"'{meant}'"))
    elif after != text:
        assert not {finding.rule for finding in found(after)} & {"DRA301", "DRA302", "DRA303", "DRA311"}


def test_a_reference_to_an_alternative_stays_where_the_list_of_them_is_misspelt() -> None:
    text = CLAIM.format("firstAvailabl:\n      - {name: large, deviceClassName: c}")
    text += "    constraints:\n    - {requests: [card/large], matchAttribute: d/a}\n"

    assert "card/large" in guessed(text)


def test_the_quotes_of_a_selector_in_double_quotes_need_no_escape() -> None:
    text = SELECTED.format("\"device.capacity['d'].memory.isGreaterThan(40Gi)\"")

    assert guessed(text) == text.replace("(40Gi)", "(quantity('40Gi'))")
