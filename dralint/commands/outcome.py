"""How a command ends: the report where it is wanted, failures on standard error, and the exit status."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from dralint.commands import options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dralint.finding import Report


def deliver(
    report: Report,
    chosen: options.Common,
    files: Sequence[tuple[str, Path]],
    *,
    missing: Sequence[str] = (),
    show: bool = True,
) -> int:
    """Write the report to standard output (unless `show` is false) and to the files; return the exit status.

    Args:
        files: format and path of each further report.
        missing: paths that were given and do not exist.
    """
    from dralint import report as reports
    from dralint.report.printable import printable

    width = options.terminal_width(sys.stdout, os.environ)
    colored = options.colored(chosen["color"], sys.stdout, os.environ)
    style = reports.Style(width, colored, chosen["quiet"], chosen["verbose"])
    status = 1 if any(report.count(severity) for severity in options.FAIL_ON[chosen["fail_on"]]) else 0
    for name in missing:
        click.echo(f"dralint: the path {printable(name)!r} does not exist", err=True)
        status = 2
    for name, path in files:
        try:
            from dralint.atomic import write_atomically  # few runs write files

            text = reports.render(name, report, reports.Style(verbose=chosen["verbose"]))
            write_atomically(path, text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            click.echo(f"dralint: {printable(str(path))} cannot be written: {error.strerror}", err=True)
            status = 3
    if show:
        _show(reports.render(chosen["format_"], report, style), chosen["format_"])
    for failure in report.failures:
        click.echo(f"dralint: {printable(failure.file)}: {printable(failure.message)}", err=True)
        status = 3
    return status


def _show(text: str, format_: str) -> None:
    """Write to standard output; what its encoding lacks is escaped, and JSON is UTF-8 whatever the locale."""
    encoding = "utf-8" if format_ == "json" else sys.stdout.encoding or "utf-8"
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode(encoding, "backslashreplace"))
    sys.stdout.flush()
