"""Writes all text of dralint: no input can control a terminal or a CI system, end a line or reverse its direction.

`dralint.report` makes reports safe and passes them as bytes. The results of `fix -` and `migrate -` are bytes too,
because they must not change.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import sys
from typing import TYPE_CHECKING, TextIO

import click

from dralint.report.printable import printable, without_commands

if TYPE_CHECKING:
    from dralint.config.configuration import ConfigurationError

_CI = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
"""Variables of the systems that read commands from the log of a job."""
_COLOUR = r"(\x1b\[[0-9;]*m)"


class RefusedConfiguration(click.ClickException):
    """A configuration with mistakes: wrong usage, with file, line and column of each mistake on a line."""

    exit_code = 2

    def __init__(self, error: ConfigurationError) -> None:
        super().__init__(str(error))
        self.lines = error.lines


def shown(error: click.ClickException) -> list[str]:
    """Return the lines that click shows for an error, which has one line."""
    if isinstance(error, RefusedConfiguration):
        return error.lines
    message = error.format_message()
    with io.StringIO() as text:
        error.show(text)
        return text.getvalue().removesuffix("\n").replace(message, printable(message)).split("\n")


def silence(stream: TextIO | None) -> None:
    """Discard the buffered output: writing it at the end would fail again and change the exit status."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def tell(*lines: str) -> None:
    """Write lines to standard error; a line end inside of one is shown as a character."""
    for line in lines:
        click.echo(without_commands(printable(line)), err=True)


def tell_report(text: str, *, painted: bool) -> None:
    """Write a report of several lines to standard error."""
    click.echo(safe_lines(text, painted=painted), err=True, color=painted)


def show_line(line: str) -> None:
    """Write a line to standard output; a line end inside of it is shown as a character."""
    click.echo(without_commands(printable(line)))


def show_text(text: str = "", *, painted: bool = False) -> None:
    """Write text of several lines and a final line end to standard output.

    Args:
        text: the text; if `painted`, it can have dralint's colours.
        painted: whether to show these.
    """
    click.echo(safe_lines(text, painted=painted), color=painted)


def show_json(text: str) -> None:
    """Write JSON and a line end to standard output."""
    from dralint.report.safe import escape_json

    click.echo(escape_json(text))


def show_yaml(text: str) -> None:
    """Write YAML and a line end to standard output."""
    click.echo(for_programs(_printable_lines(text)))


def for_programs(text: str) -> str:
    """Return text of standard output that programs take as it is, such as a patch; in the log of a CI job, without
    commands.

    A file gets the text as it is there, too.
    """
    if not any(map(os.environ.get, _CI)):
        return text
    try:
        is_file = stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        is_file = False
    return text if is_file else without_commands(text)


def safe_lines(text: str, *, painted: bool = False) -> str:
    """Return text that is safe to show: its line ends and tabs stay, and its colours if it is `painted`."""
    parts = re.split(_COLOUR, text) if painted else [text]
    return without_commands("".join(part if n % 2 else _printable_lines(part) for n, part in enumerate(parts)))


def _printable_lines(text: str) -> str:
    return "\n".join(line if line.isprintable() else _with_tabs(line) for line in text.split("\n"))


def write_bytes(octets: bytes) -> None:
    """Write bytes to standard output; ignore a reader that stops early.

    OSError where it cannot be written for another reason.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(octets)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)


def _with_tabs(line: str) -> str:
    return "\t".join(map(printable, line.split("\t")))
