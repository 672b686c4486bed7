"""What `fix` and `migrate` share: options, the diff or the written files, and messages on standard error."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from dralint.cli import output
from dralint.edit.apply import FileText, unified
from dralint.fix.files import write
from dralint.report.safe import printable, without_commands

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dralint.finding.report import Report
    from dralint.fix.files import R, RewrittenFiles


write_option = click.option("--write", is_flag=True, help="Write the files. Without this option, print a diff.")
check_option = click.option(
    "--check", is_flag=True, help="Print only the names of files that would change; end with status 1 if there are any."
)


def from_stdin(paths: Sequence[str], *, writes: bool) -> bool:
    """Say whether the input is standard input; UsageError if it is not alone, or if files are to be written."""
    if "-" in paths and (len(paths) > 1 or writes):
        raise click.UsageError("standard input (-) must be the only path: its result goes to standard output")
    return "-" in paths


def put_out(
    made: RewrittenFiles[R], color: str, *, stdin: bool, names: bool, writes: bool, copies: Mapping[str, Path] | None
) -> None:
    """Write the files, or print the result (of standard input), the diff, or the names of the files that change.

    Files that cannot be written are left out of what was made, and become failures of the report.
    """
    if stdin and not names:
        output.write_bytes(b"".join(file.result for file in made.files))
    elif writes or copies is not None:
        failures = write(made.changed if copies is None else made.files, copies)
        made.report.failures += failures
        failed = {failure.file for failure in failures}
        made.files = [file for file in made.files if file.source.name not in failed]
    elif names:
        listed = without_commands("".join(f"{printable(file.source.name)}\n" for file in made.changed))
        output.write_bytes(listed.encode("utf-8", "backslashreplace"))
    else:
        colored = output.colored(color, sys.stdout, os.environ)
        for file in made.changed:
            text = unified(file.source.name, FileText(file.before).text, file.edits, color=colored)
            if colored or sys.stdout.isatty():  # elsewhere it is a patch with the bytes of the file
                text = output.safe_lines(text, painted=colored)
            else:
                text = output.for_programs(text)
            output.write_bytes(text.encode("utf-8", "surrogateescape"))


def tell_skipped(report: Report) -> None:
    """Tell which documents were skipped."""
    for one in report.skipped:
        say(f"{one.file}: document {one.document} skipped: {one.reason}")


def say(text: str) -> None:
    """Write a line to standard error."""
    output.tell(f"dralint: {text}")
