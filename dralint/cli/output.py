"""Writes all text of dralint: no input can control a terminal, end a line or reverse the direction of text.

`dralint.report` makes reports safe and passes them as bytes. The results of `fix -` and `migrate -` are bytes too,
because they must not change.
"""

from __future__ import annotations

import re
import sys

import click

from dralint.report.printable import printable

_COLOUR = r"(\x1b\[[0-9;]*m)"


def tell(*lines: str) -> None:
    """Write lines to standard error; a line end inside of one is shown as a character."""
    for line in lines:
        click.echo(printable(line), err=True)


def tell_report(text: str, *, painted: bool) -> None:
    """Write a report of several lines to standard error."""
    click.echo(safe_lines(text, painted=painted), err=True, color=painted)


def show_line(line: str) -> None:
    """Write a line to standard output; a line end inside of it is shown as a character."""
    click.echo(printable(line))


def show_text(text: str = "", *, painted: bool = False) -> None:
    """Write text of several lines and a final line end to standard output.

    Args:
        text: the text; if `painted`, it can have dralint's colours.
        painted: whether to show these.
    """
    click.echo(safe_lines(text, painted=painted), color=painted)


def safe_lines(text: str, *, painted: bool = False) -> str:
    """Return text that is safe to show: its line ends and tabs stay, and its colours if it is `painted`."""
    if not painted:
        return "\n".join(line if line.isprintable() else _with_tabs(line) for line in text.split("\n"))
    return "".join(part if number % 2 else safe_lines(part) for number, part in enumerate(re.split(_COLOUR, text)))


def write_bytes(octets: bytes) -> None:
    """Write bytes to standard output; ignore a reader that stops early.

    OSError where it cannot be written for another reason.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(octets)
        sys.stdout.flush()
    except BrokenPipeError:
        from dralint.cli.main import silence

        silence(sys.stdout)


def _with_tabs(line: str) -> str:
    return "\t".join(map(printable, line.split("\t")))
