"""`dralint fix`: applies the fixes of findings."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from dralint.cli import configuration, options, output, rewriting
from dralint.cli.configuration import ConfiguredCommand
from dralint.files.atomic import once
from dralint.files.discover import discover
from dralint.finding.words import counted
from dralint.fix.files import applies
from dralint.fix.files import fix as fix_files
from dralint.report.words import fixable, problems, severities, skipped

if TYPE_CHECKING:
    from dralint.config.settings import Settings
    from dralint.fix.files import Fixing

_LINES = 5
"""The number of findings with withdrawn fixes to name before the rest is counted."""


@click.command(cls=ConfiguredCommand, short_help="Repair manifests where the correction is known.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@rewriting.write_option
@click.option("--unsafe-fixes", is_flag=True, help="Also apply fixes that guess what was meant.")
@rewriting.check_option
@configuration.options
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
    stdin = rewriting.from_stdin(paths, writes=write)
    found = discover(paths or (".",), settings.exclude, stdin_filename)
    settings = configuration.for_files(settings, found)
    stock = discover(settings.slices, (), stdin_filename, documents=False).sources
    fixing = fix_files(once(found.sources), settings, unsafe=unsafe_fixes, inventory=stock)
    fixing.report.failures[:0] = found.failures
    fixing.report.left_out = found.left_out
    rewriting.put_out(fixing, color, stdin=stdin, names=check, writes=write, copies=None)
    if verbose:
        for finding in fixing.gone:
            rewriting.say(f"{finding.file}:{finding.line}: {finding.rule} fixed: {finding.message}")
        rewriting.tell_skipped(fixing.report)
    if not quiet:
        _tell_taken_back(fixing)
    output.tell_unread(fixing.report.failures, found.missing)
    if not quiet:
        rewriting.say(_summary(fixing, done=write or stdin, unsafe=unsafe_fixes))
    failed, left = bool(fixing.report.failures), fixing.report.count("error") > 0
    sys.exit(3 if failed else 2 if found.missing else 1 if left or (check and fixing.changed) else 0)


def _tell_taken_back(fixing: Fixing) -> None:
    """Print the fixes that were withdrawn although they were offered: none, unless dralint has a bug."""
    for finding in fixing.taken_back[:_LINES]:
        where = f"{finding.file}:{finding.line}: {finding.rule}"
        rewriting.say(f"{where} stays: its fix does more than it should; please report this with the manifest")
    if left := len(fixing.taken_back[_LINES:]):
        rewriting.say(f"{left:,} more findings stay for the same reason")


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
