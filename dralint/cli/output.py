"""The one way of text out of the program: nothing of the input steers a terminal, ends a line or turns text around.

Reports are made safe by `dralint.report` and arrive as bytes, as does what `fix -` and `migrate -` make of standard
input, which stays what it is.
"""

from __future__ import annotations

import re
import sys

import click

from dralint.report.printable import printable

_COLOUR = r"(\x1b\[[0-9;]*m)"


def tell(*lines: str) -> None:
    """Write lines to standard error; a line end within one is shown, not made."""
    for line in lines:
        click.echo(printable(line), err=True)


def tell_report(text: str, *, painted: bool) -> None:
    """Write a report of several lines to standard error."""
    click.echo(safe_lines(text, painted=painted), err=True, color=painted)


def show_line(line: str) -> None:
    """Write a line to standard output; a line end within it is shown, not made."""
    click.echo(printable(line))


def show_text(text: str = "", *, painted: bool = False) -> None:
    """Write text of several lines to standard output, a line end behind it.

    Args:
        text: the text; `painted`, it may have colours of our own.
        painted: whether these are shown.
    """
    click.echo(safe_lines(text, painted=painted), color=painted)


def safe_lines(text: str, *, painted: bool = False) -> str:
    """Return text fit to be shown: its line ends and tabs stay, and its colours where it is `painted`."""
    if not painted:
        return "\n".join(line if line.isprintable() else _with_tabs(line) for line in text.split("\n"))
    return "".join(part if number % 2 else safe_lines(part) for number, part in enumerate(re.split(_COLOUR, text)))


def write_bytes(octets: bytes) -> None:
    """Write bytes to standard output; a reader that has seen enough changes nothing.

    OSError where it cannot be written otherwise.
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
