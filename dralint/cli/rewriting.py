"""What `fix` and `migrate` share: the diff, and messages on standard error."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from dralint.cli import output
from dralint.edit.apply import FileText
from dralint.edit.diff import unified
from dralint.report.safe import printable, without_commands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.files.atomic import Rewritten


def show(files: Sequence[Rewritten], color: str, *, names: bool) -> None:
    """Print the diff of the files that change, or (`names`) only their names."""
    if names:
        output.write_bytes(
            without_commands("".join(f"{printable(file.source.name)}\n" for file in files)).encode(
                "utf-8", "backslashreplace"
            )
        )
        return

    colored = output.colored(color, sys.stdout, os.environ)
    for file in files:
        text = unified(file.source.name, FileText(file.before).text, file.edits, color=colored)
        if colored or sys.stdout.isatty():  # elsewhere it is a patch with the bytes of the file
            text = output.safe_lines(text, painted=colored)
        else:
            text = output.for_programs(text)
        output.write_bytes(text.encode("utf-8", "surrogateescape"))


def say(text: str) -> None:
    """Write a line to standard error."""
    output.tell(f"dralint: {text}")
