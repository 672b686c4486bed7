"""Positions of a text in the units of an editor."""

from __future__ import annotations

import pytest

from dralint.editor.cursor import Position, Span, Text, Units

TEXT = "name: a\r\nü: 😀b\n"


@pytest.mark.parametrize(("units", "character"), [("utf-8", 8), ("utf-16", 5), ("utf-32", 4)])
def test_an_offset_has_a_position_in_each_unit(units: Units, character: int) -> None:
    text = Text(TEXT)
    offset = TEXT.index("b")

    assert text.position(offset, units) == Position(1, character)
    assert text.offset(1, character, units) == offset


def test_a_position_within_a_character_is_that_before_it() -> None:
    text = Text(TEXT)

    assert text.offset(1, 4, "utf-16") == TEXT.index("😀")


@pytest.mark.parametrize(("line", "character", "offset"), [(0, 99, 7), (9, 0, len(TEXT)), (-1, 3, 0)])
def test_a_position_outside_of_the_text_is_the_nearest_inside(line: int, character: int, offset: int) -> None:
    assert Text(TEXT).offset(line, character, "utf-16") == offset


def test_a_byte_order_mark_has_no_column() -> None:
    assert Text("\ufeffkind: Pod\n").span(1, 1, 1, 5) == Span(1, 5)
