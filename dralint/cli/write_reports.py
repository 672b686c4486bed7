"""Ends a command: writes reports, prints on standard error what they do not show, and sets the exit status."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from dralint import report as reports
from dralint.cli import options, output
from dralint.cli.output import tell, tell_unread, write_bytes
from dralint.config.settings import wanted
from dralint.config.table import FAIL_ON, MIN_SEVERITY
from dralint.files import atomic
from dralint.files.atomic import repository_of, within, working_directory
from dralint.finding import catalogue
from dralint.lint.report_builder import failure_finding
from dralint.report import FORMATS, Style, words
from dralint.report.safe import printable, safe_report

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dralint.config.settings import Settings
    from dralint.finding.report import Failure, Report

OK, FINDINGS, USAGE, UNFINISHED = 0, 1, 2, 3
"""The exit status: nothing to say, findings, wrong usage or a missing path, could not finish; the highest one wins."""


def deliver(
    report: Report,
    settings: Settings,
    chosen: options.Chosen,
    files: Sequence[tuple[str, Path]],
    *,
    missing: Sequence[str] = (),
    show: bool = True,
) -> int:
    """Write the report to standard output (unless `show` is false) and to the files; return the exit status.

    Failures become findings of the report. They go to standard error if the report is not shown, or if --select or
    --ignore excludes their rules.

    Args:
        files: format and path of each further report.
        missing: paths from the command line that do not exist.
    """
    failed = bool(report.failures)
    untold = _tell_failures(report, settings) if failed else []
    shown = MIN_SEVERITY[chosen["min_severity"]]
    kept = [finding for finding in report.findings if finding.severity in shown]
    report.hidden += len(report.findings) - len(kept)
    report.findings = kept
    failing = FAIL_ON["never" if chosen["exit_zero"] else chosen["fail_on"]]
    status = FINDINGS if any(finding.is_one_of(failing) for finding in kept) else OK
    tell_unread((), map(printable, missing))
    status = USAGE if missing else status
    placed = any(reports.FORMATS[name].placed for name in (chosen["format_"], *(name for name, _ in files)))
    top, below = _repository(os.environ) if placed else ("", "")
    flags = {name: chosen[name] for name in ("quiet", "verbose", "show_all", "statistics", "show_files")}
    # Reports in files are neither wrapped nor coloured.
    style = Style(**flags, failing=failing or ("error",), below=below, top=top)
    for name, path in files:
        if not write_file(path, reports.render(name, report, style), append=reports.FORMATS[name].append):
            status = UNFINISHED
    if show:
        colored = output.colored(chosen["color"], sys.stdout, os.environ)
        width = output.report_width(sys.stdout, os.environ)
        links = colored and output.linked(sys.stdout, os.environ)
        here = style._replace(width=width, color=colored, links=links)
        to_stdout(reports.render(chosen["format_"], report, here), chosen["format_"])
        if chosen["format_"] != "text":
            _tell_besides(report, here)
    tell_unread(untold)
    return UNFINISHED if failed else status


def _repository(environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the top of the repository around the working directory, and the path from there to it (`deploy`).

    The top is the nearest folder with a `.git`, else GITHUB_WORKSPACE or CI_PROJECT_DIR if they are above it; without
    any, it is the working directory itself.
    """
    here = working_directory()
    named = (os.path.realpath(environment.get(name) or os.devnull) for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"))
    top = repository_of(here) or next((folder for folder in named if within(here, folder)), here)
    below = os.path.relpath(here, top)
    return top, "" if below == "." else below.replace(os.sep, "/")


def _tell_besides(report: Report, style: Style) -> None:
    """Print on standard error the requested details that the format does not show."""
    safe = safe_report(report.but(findings=[], excerpts={})) if style.show_files else report
    lines = words.files(safe) if style.show_files else []
    lines += words.statistics(report) if style.statistics else []
    if not style.quiet and (nothing := words.nothing_judged(report)):
        lines.append(f"dralint: warning: {nothing}")
    if not style.quiet:
        lines += [f"dralint: {phrase}" for phrase in words.without_text(report)]
    tell(*lines)


def write_file(path: Path, text: str, *, append: bool = False) -> bool:
    """Write a report to a file; say whether that was possible, and why not on standard error."""
    write = atomic.append if append else atomic.write_atomically
    try:
        write(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        tell(f"dralint: {path} cannot be written: {error.strerror}")
        return False
    return True


def _tell_failures(report: Report, settings: Settings) -> list[Failure]:
    """Turn the failures into findings; return those whose rules the settings exclude."""
    rules = catalogue.rules()
    untold = [failure for failure in report.failures if not wanted(rules[failure.rule], settings)]
    report.findings += [
        failure_finding(rules[failure.rule], failure) for failure in report.failures if failure not in untold
    ]
    report.sort()
    return untold


def to_stdout(text: str, format_: str) -> None:
    """Write to standard output; characters that its encoding lacks are escaped, unless the format is always UTF-8.

    OSError where it cannot be written, unless the reader has stopped early; the command line reports that in one place.
    """
    encoding = "utf-8" if FORMATS[format_].utf8 else sys.stdout.encoding or "utf-8"
    write_bytes(text.encode(encoding, "backslashreplace"))
