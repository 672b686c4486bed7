"""Paragraphs and tables: whole lines in a pipe, broken ones on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.report import Style
from dralint.report.screen import draw

if TYPE_CHECKING:
    from dralint.report.screen import Part

PLACES: list[Part] = [
    ("two nodes", "bold"),
    [
        [("node", "bold"), "devices"],
        ["node-a", "gpu-0 of the pool node-a"],
        ["b", "gpu-1, gpu-2 and eight other devices"],
    ],
    "  the reason is that no device of the second node matches",
]


def test_a_pipe_gets_columns_and_whole_lines() -> None:
    assert draw(PLACES, Style()) == (
        "two nodes\n"
        "node    devices\n"
        "node-a  gpu-0 of the pool node-a\n"
        "b       gpu-1, gpu-2 and eight other devices\n"
        "  the reason is that no device of the second node matches\n"
    )


def test_a_terminal_breaks_the_last_column_and_paragraphs_between_words() -> None:
    assert draw(PLACES, Style(width=40)) == (
        "two nodes\n"
        "node    devices\n"
        "node-a  gpu-0 of the pool node-a\n"
        "b       gpu-1, gpu-2 and eight other\n"
        "        devices\n"
        "  the reason is that no device of the\n"
        "    second node matches\n"
    )


def test_a_wide_terminal_shows_the_text_of_a_pipe() -> None:
    assert draw(PLACES, Style(width=200)) == draw(PLACES, Style())


def test_colours_do_not_move_the_columns() -> None:
    painted = draw(PLACES, Style(color=True))

    assert painted.startswith("\x1b[1mtwo nodes\x1b[0m\n\x1b[1mnode\x1b[0m    devices\nnode-a  gpu-0")


def test_a_long_name_keeps_its_letters_in_a_narrow_terminal() -> None:
    shown = draw([[["n" * 60, "yes", "gpu-0"]]], Style(width=40))

    assert shown == f"{'n' * 60}  yes  gpu-0\n"


def test_no_control_character_of_the_input_reaches_the_terminal() -> None:
    for style in (Style(), Style(width=80, color=True)):
        shown = draw(["a\x1b[31mb\nc", [["\x1b]8;;x", "[bold]y[/bold]"]]], style)
        assert shown == "a\u241b[31mb\u240ac\n\u241b]8;;x  [bold]y[/bold]\n"
