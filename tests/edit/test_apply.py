"""Edits of one text are combined and applied together; overlapping edits are refused."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dralint.edit.apply import OverlapError, apply, between, combine, in_lines, moved
from dralint.finding.finding import Edit

TEXT = "one two three"


def test_edits_are_made_whatever_their_order() -> None:
    assert apply(TEXT, [Edit(8, 13, "3"), Edit(0, 3, "1"), Edit(4, 4, "and ")]) == "1 and two 3"


def test_what_is_inserted_at_one_place_stays_in_the_order_given() -> None:
    assert apply(TEXT, [Edit(3, 3, ","), Edit(3, 3, " or")]) == "one, or two three"


def test_the_same_edit_twice_is_made_once() -> None:
    assert apply(TEXT, [Edit(0, 3, "1"), Edit(0, 3, "1"), Edit(3, 3, "!"), Edit(3, 3, "!")]) == "1! two three"


def test_edits_that_touch_do_not_overlap() -> None:
    assert apply(TEXT, [Edit(0, 4, ""), Edit(4, 8, "2 "), Edit(4, 4, "then ")]) == "then 2 three"


@pytest.mark.parametrize("other", [Edit(2, 5, ""), Edit(1, 1, "x"), Edit(0, 3, "other"), Edit(0, 2, "1")])
def test_edits_that_overlap_are_refused(other: Edit) -> None:
    with pytest.raises(OverlapError, match=r"the edits of \d+\.\.\d+ and \d+\.\.\d+ overlap"):
        combine([Edit(0, 3, "1"), other])


def test_an_edit_outside_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match="has 13 characters"):
        apply(TEXT, [Edit(13, 14, "")])


def test_a_missing_last_line_end_is_counted_on_and_still_missing() -> None:
    added = [Edit(5, 5, "b: 2\n")]

    assert apply("a: 1", in_lines("a: 1", added)) == "a: 1\nb: 2"
    assert apply("a: 1\n", in_lines("a: 1\n", added)) == "a: 1\nb: 2\n"


def test_edits_of_a_document_become_edits_of_the_file() -> None:
    assert moved([Edit(0, 1, "x")], 10) == [Edit(10, 11, "x")]


@given(st.text("ab\n", max_size=30), st.text("ab\n", max_size=30))
def test_the_edits_between_two_texts_make_one_of_the_other(old: str, new: str) -> None:
    assert apply(old, between(old, new)) == new


def test_the_edits_between_long_texts_of_equal_lines_take_no_time() -> None:
    lines = "r: 1\n" * 9000
    old, new = f"a:\n{lines}b\n{lines}c\n", f"{lines}b\na:\n{lines}  c\n"
    started = time.process_time()
    edits = between(old, new)

    assert apply(old, edits) == new
    assert time.process_time() - started < 1
