"""Slips of one letter (dralint/kubernetes/near.py)."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from dralint.kubernetes.near import distance, is_slip

WORDS = st.text("abc-", min_size=1, max_size=6)


@given(WORDS, WORDS)
def test_a_slip_is_one_letter_away_or_another_case(value: str, name: str) -> None:
    assume(value != name)

    assert not is_slip(value, name) or distance(value, name) == 1
    assert is_slip(value.upper(), value) == (value.upper() != value)
    assert is_slip(f"{value}driver", f"{value}drivers")
    assert is_slip(f"{value}driver", f"{value}dirver")
    assert not is_slip(f"{value}driver", f"{value}direvr")
