"""How a command ends: the report where it is wanted, what it does not show on standard error, and the exit status."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from dralint.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dralint.config.settings import Settings
    from dralint.finding.report import Failure, Report


def deliver(
    report: Report,
    settings: Settings,
    chosen: options.Common,
    files: Sequence[tuple[str, Path]],
    *,
    missing: Sequence[str] = (),
    show: bool = True,
) -> int:
    """Write the report to standard output (unless `show` is false) and to the files; return the exit status.

    Failures become findings of the report, unless --select or --ignore leaves their rules out: then, and where the
    report is not shown, they go to standard error.

    Args:
        files: format and path of each further report.
        missing: paths that were given and do not exist.
    """
    from dralint import report as reports
    from dralint.report.printable import printable

    width = options.terminal_width(sys.stdout, os.environ)
    colored = options.colored(chosen["color"], sys.stdout, os.environ)
    failed = bool(report.failures)
    untold = _tell_failures(report, settings)
    style = reports.Style(width, colored, chosen["quiet"], chosen["verbose"])
    status = 1 if any(report.count(severity) for severity in options.FAIL_ON[chosen["fail_on"]]) else 0
    for name in missing:
        click.echo(f"dralint: the path {printable(name)!r} does not exist", err=True)
        status = 2
    for name, path in files:
        try:
            from dralint.files.atomic import write_atomically  # few runs write files

            text = reports.render(name, report, reports.Style(verbose=chosen["verbose"]))
            write_atomically(path, text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            click.echo(f"dralint: {printable(str(path))} cannot be written: {error.strerror}", err=True)
            status = 3
    if show:
        _show(reports.render(chosen["format_"], report, style), chosen["format_"])
    for failure in untold:
        click.echo(f"dralint: {printable(failure.file)}: {printable(failure.message)}", err=True)
    return 3 if failed else status


def _tell_failures(report: Report, settings: Settings) -> list[Failure]:
    """Make findings of the failures; return those that the settings do not want to see there."""
    if not report.failures:
        return []
    from dralint.config.selection import wanted
    from dralint.finding import catalogue
    from dralint.lint.locate import failure_finding

    rules = catalogue.rules()
    untold = [failure for failure in report.failures if not wanted(rules[failure.rule], settings)]
    report.findings += [
        failure_finding(rules[failure.rule], failure) for failure in report.failures if failure not in untold
    ]
    report.sort()
    return untold


def _show(text: str, format_: str) -> None:
    """Write to standard output; what its encoding lacks is escaped, and JSON is UTF-8 whatever the locale.

    OSError where it cannot be written, but for a reader that stops early; the command line tells of that in one place.
    """
    encoding = "utf-8" if format_ == "json" else sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode(encoding, "backslashreplace"))
        sys.stdout.flush()
    except BrokenPipeError:  # a reader that has seen enough does not change what was found
        from dralint.cli.main import silence

        silence(sys.stdout)
