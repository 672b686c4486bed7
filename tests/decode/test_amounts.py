"""Proposals for an amount that is not a quantity."""

from __future__ import annotations

import pytest

from dralint.decode.wrong_type import amount_meant

EITHER = "the first counts in thousands, the second in units of 1024"


@pytest.mark.parametrize(
    ("text", "hint", "sure"),
    [
        ("40GB", f"write 40G or 40Gi: {EITHER}", False),
        ("40 gig", f"write 40G or 40Gi: {EITHER}", False),
        ("40meg", f"write 40M or 40Mi: {EITHER}", False),
        ("40 kilo", f"write 40k or 40Ki: {EITHER}", False),
        ("40 kib", 'did you mean "40Ki"?', True),
        ("40 mebibytes", 'did you mean "40Mi"?', True),
        ("40 bytes", 'did you mean "40"?', True),
        ("1,5Gi", 'did you mean "1.5Gi"?', False),
        ("1,000Mi", 'did you mean "1000Mi"?', False),
        ("1 000", 'did you mean "1000"?', False),
        ("40Zi", "write 40 with a suffix that Kubernetes knows, such as M or Gi, or without one", False),
        ("40 megabits", "write 40 with a suffix that Kubernetes knows, such as M or Gi, or without one", False),
        ("much", "write a number with a suffix that Kubernetes knows, such as Gi or M, without a space", False),
        ("1.2.3", "write a number with a suffix that Kubernetes knows, such as Gi or M, without a space", False),
    ],
)
def test_an_amount_is_proposed_where_one_is_meant(text: str, hint: str, sure: bool) -> None:
    advice = amount_meant(text)

    assert (advice.hint, advice.sure) == (hint, sure)
