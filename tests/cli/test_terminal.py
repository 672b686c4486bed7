"""What dralint knows of the terminal of a report."""

from __future__ import annotations

import io
import os
import pty
import sys

import pytest

from dralint.cli.output import linked, report_width


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "links"),
    [
        ({}, False),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM_PROGRAM": "WezTerm", "TERM": "xterm-256color"}, True),
        ({"TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"TERM_PROGRAM": "vscode", "TERM": "dumb"}, False),
        ({"VTE_VERSION": "4600"}, False),
        ({"VTE_VERSION": "7600"}, True),
        ({"WT_SESSION": "x"}, True),
        ({"TERM_PROGRAM": "vscode", "FORCE_HYPERLINK": "0"}, False),
        ({"FORCE_HYPERLINK": "1"}, True),
    ],
)
def test_links_are_for_terminals_that_are_known_to_show_them(environment: dict[str, str], links: bool) -> None:
    assert linked(Terminal(), environment) is links


def test_what_is_no_terminal_has_no_links_and_no_width() -> None:
    assert not linked(io.StringIO(), {"TERM_PROGRAM": "WezTerm"})
    assert report_width(io.StringIO(), {"COLUMNS": "60"}) is None


def test_a_terminal_is_used_in_its_full_width() -> None:
    termios = pytest.importorskip("termios")
    fcntl = pytest.importorskip("fcntl")
    parent, child = pty.openpty()
    fcntl.ioctl(
        child, termios.TIOCSWINSZ, (50).to_bytes(2, sys.byteorder) + (200).to_bytes(2, sys.byteorder) + bytes(4)
    )
    with os.fdopen(child, "w") as stream:
        assert report_width(stream, {}) == 200
        assert report_width(stream, {"COLUMNS": "90"}) == 90
    os.close(parent)
