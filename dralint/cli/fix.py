"""`dralint fix`: applies the fixes of findings; also what `migrate` shares with it: options, output, messages."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from dralint.cli import options, output
from dralint.cli.options import ConfiguredCommand
from dralint.edit.apply import FileText, unified
from dralint.files.atomic import once
from dralint.files.discover import discover
from dralint.finding.words import counted
from dralint.fix.files import applies, write
from dralint.fix.files import fix as fix_files
from dralint.report.safe import printable, without_commands
from dralint.report.words import fixable, problems, severities, skipped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dralint.config.settings import Settings
    from dralint.finding.report import Report
    from dralint.fix.files import Fixing, R, RewrittenFiles


write_option = click.option("--write", is_flag=True, help="Write the files. Without this option, print a diff.")
check_option = click.option(
    "--check", is_flag=True, help="Print only the names of files that would change; end with status 1 if there are any."
)


@click.command(cls=ConfiguredCommand, short_help="Repair manifests where the correction is known.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@write_option
@click.option("--unsafe-fixes", is_flag=True, help="Also apply fixes that guess what was meant.")
@check_option
@options.configuration
@options.judging
@options.whole_input
@options.stdin_filename
@options.color
@options.option("quiet", help="Do not print the summary.")
@options.option("verbose", help="List what was fixed, taken back and skipped.")
def fix(
    paths: tuple[str, ...],
    write: bool,
    unsafe_fixes: bool,
    check: bool,
    stdin_filename: str,
    color: str,
    quiet: bool,
    verbose: bool,
    settings: Settings,
) -> None:
    """Repair manifests where the correction is known. Comments and layout stay.

    PATH is a file, a directory, a glob, or - for standard input, whose result goes to standard output. The default is
    the current directory. Without --write, print a diff.

    dralint changes only what has one possible meaning. With --unsafe-fixes it also guesses. With --kubernetes-version
    it also rewrites deprecated and removed API versions, if all releases serve a newer one by default. It does not
    apply a fix that would lead to another error.

    Exit status: 0 no errors remain, 1 errors remain (or, with --check, a file would change), 2 wrong usage or a path
    that does not exist, 3 could not finish.
    """
    if write and check:
        raise click.UsageError("choose one of --write and --check")
    stdin = from_stdin(paths, writes=write)
    found = discover(paths or (".",), settings.exclude, stdin_filename)
    settings = options.for_files(settings, found)
    stock = discover(settings.slices, (), stdin_filename, documents=False).sources
    fixing = fix_files(once(found.sources), settings, unsafe=unsafe_fixes, inventory=stock)
    fixing.report.failures[:0] = found.failures
    fixing.report.left_out = found.left_out
    put_out(fixing, color, stdin=stdin, names=check, writes=write, copies=None)
    if verbose:
        for finding in fixing.gone:
            say(f"{finding.file}:{finding.line}: {finding.rule} fixed: {finding.message}")
        tell_skipped(fixing.report)
    if not quiet:
        for finding in fixing.taken_back:  # none, unless dralint has a bug
            where = f"{finding.file}:{finding.line}: {finding.rule}"
            say(f"{where} stays: its fix does more than it should; please report this with the manifest")
    output.tell_unread(fixing.report.failures, found.missing)
    if not quiet:
        say(_summary(fixing, done=write or stdin, unsafe=unsafe_fixes))
    failed, left = bool(fixing.report.failures), fixing.report.count("error") > 0
    sys.exit(3 if failed else 2 if found.missing else 1 if left or (check and fixing.changed) else 0)


def _summary(fixing: Fixing, *, done: bool, unsafe: bool) -> str:
    report = fixing.report
    verb = "fixed" if done else "to fix"
    text = f"{counted(report.files, 'file')}, {counted(report.objects, 'object')}: "
    gone, left = problems(fixing.gone), problems(report.findings)
    promised = [finding for finding in gone if applies(finding, unsafe=unsafe)]
    more = len(gone) - len(promised) + max(0, len(fixing.made) - len(promised))
    many = f"{counted(len(promised), 'finding')} in {counted(len(fixing.changed), 'file')}"
    text += f"{many} {verb}" if fixing.changed else f"nothing {verb}"
    text += f", and {more:,} more with {'it' if len(promised) == 1 else 'them'}" if more else ""
    text += f"; {severities(left)} left" if left or fixing.changed else ""
    guesses = [] if unsafe else [f for f in report.findings if f.fix is not None and not f.fix.safe]
    return text + fixable(guesses) + skipped(report)


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
