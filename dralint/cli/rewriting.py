"""What the commands that rewrite manifests have in common: the diff, and what is said beside it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from dralint.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.files.rewritten import Rewritten


def show(files: Sequence[Rewritten], color: str, *, names: bool) -> None:
    """Print the diff of the files that change, or (`names`) what they are called."""
    if names:
        from dralint.report.printable import printable

        to_stdout("".join(f"{printable(file.source.name)}\n" for file in files).encode("utf-8", "backslashreplace"))
        return
    from dralint.edit.diff import unified
    from dralint.edit.file_text import FileText

    colored = options.colored(color, sys.stdout, os.environ)
    for file in files:
        text = unified(file.source.name, FileText(file.before).text, file.edits, color=colored)
        to_stdout(text.encode("utf-8", "surrogateescape"))


def to_stdout(content: bytes) -> None:
    """Write bytes to standard output; a reader that has seen enough is none of our business."""
    from dralint.cli.main import silence

    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    except BrokenPipeError:  # a reader that has seen enough
        silence(sys.stdout)


def say(text: str) -> None:
    """Write a line to standard error."""
    from dralint.report.printable import printable

    click.echo(f"dralint: {printable(text)}", err=True)
