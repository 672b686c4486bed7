"""Mistakes in an expression that have one meaning, so that a safe fix repairs them, and those that are guesses."""

from __future__ import annotations

import pytest

from dralint.edit.apply import apply
from tests.judged import judged

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: train}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        selectors:
        - cel:
            expression: |-
              """
MODEL = 'device.attributes["gpu.example.com"].model'


def mended(expression: str) -> tuple[str, bool]:
    """Return the rule, the expression with the first fix that is offered, and whether that is safe."""
    text = CLAIM + expression + "\n"
    finding = judged(text).findings[0]
    assert (finding.path, finding.line) == ("spec.devices.requests[0].exactly.selectors[0].cel.expression", 13)
    assert finding.fix is not None
    return apply(text, finding.fix.edits).removeprefix(CLAIM).rstrip("\n"), finding.fix.safe


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('device.atributes["gpu.example.com"].model == "a100"', f'{MODEL} == "a100"'),
        ('devices.driver == "a"', 'device.driver == "a"'),
        (f'{MODEL}.startswith("a")', f'{MODEL}.startsWith("a")'),
        (f'{MODEL}.contain("a")', f'{MODEL}.contains("a")'),
        (f'{MODEL} == "a" and device.driver == "b"', f'{MODEL} == "a" && device.driver == "b"'),
        (f'{MODEL} == "a" or device.driver == "b"', f'{MODEL} == "a" || device.driver == "b"'),
        (f'{MODEL} == "a" & device.driver == "b"', f'{MODEL} == "a" && device.driver == "b"'),
        (f'{MODEL} == "a" &amp;&amp; device.driver == "b"', f'{MODEL} == "a" && device.driver == "b"'),
        (f'{MODEL} === "a"', f'{MODEL} == "a"'),
        (f'{MODEL} !== "a"', f'{MODEL} != "a"'),
        (f'{MODEL} ≠ "a"', f'{MODEL} != "a"'),
        (f"{MODEL} == “a”", f'{MODEL} == "a"'),
        (f"{MODEL} == a100", f'{MODEL} == "a100"'),
        ('device.attributes.gpu.example.com.model == "a"', f'{MODEL} == "a"'),
    ],
)
def test_a_slip_with_one_meaning_is_mended_safely(written: str, meant: str) -> None:
    assert mended(written) == (meant, True)


@pytest.mark.parametrize(
    ("written", "guess"),
    [
        (f'{MODEL} = "a"', f'{MODEL} == "a"'),  # or `>=`, `!=`
    ],
)
def test_what_may_be_something_else_is_a_guess(written: str, guess: str) -> None:
    assert mended(written) == (guess, False)
