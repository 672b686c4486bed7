"""`dralint fix`: what findings offer to repair, repaired."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Unpack

import click

from dralint.cli import configuration, options, output, rewriting
from dralint.cli.configuration import ConfiguredCommand

if TYPE_CHECKING:
    from pathlib import Path

    from dralint.fix.files import Fixing

_LINES = 5
"""Lines of a file whose fixes are left out that are named, before they are counted."""


class _Fix(ConfiguredCommand):
    of_a_call = frozenset({"write", "check", "unsafe-fixes"})


@click.command(cls=_Fix, short_help="Repair what findings know how to repair.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--write", is_flag=True, help="Write the files; otherwise a diff is printed.")
@click.option("--unsafe-fixes", is_flag=True, help="Apply also fixes that guess what was meant.")
@click.option("--check", is_flag=True, help="Print only the files that would change; exit status 1 if there are any.")
@configuration.options
@options.judging
@options.whole_input
@click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="What findings call the text from `-`.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colours in the diff.")
@click.option("-q", "--quiet", is_flag=True, help="No summary.")
@click.option("-v", "--verbose", is_flag=True, help="Say what was fixed, taken back and skipped.")
def fix(
    paths: tuple[str, ...],
    write: bool,
    unsafe_fixes: bool,
    check: bool,
    stdin_filename: str,
    color: str,
    quiet: bool,
    verbose: bool,
    namespace: str | None,
    complete: bool,
    known_class: tuple[str, ...],
    slices: tuple[Path, ...],
    **chosen: Unpack[options.Judging],
) -> None:
    """Repair manifests where findings know how; comments and layout stay.

    PATH is a file, a directory, a glob or - for standard input, whose outcome goes to standard output; the default is
    the current directory. Without --write a diff is printed. Changed is only what can mean nothing else (with
    --unsafe-fixes, guesses are made, too); deprecated API versions are migrated where every release that judges serves
    a newer one by default. What would bring a new finding is taken back.

    Exit status: 0 no errors are left, 1 errors are left (or, with --check, something would change), 2 wrong usage or a
    path that does not exist, 3 could not finish.
    """
    from dralint.files.discover import discover
    from dralint.files.rewritten import once
    from dralint.fix.files import fix as fix_files

    if write and check:
        raise click.UsageError("choose one of --write and --check")
    stdin = "-" in paths
    if stdin and (len(paths) > 1 or write):
        raise click.UsageError("standard input (-) stands alone: its outcome goes to standard output")
    whole = options.Input(namespace=namespace, complete=complete, known_class=known_class, slices=slices)
    settings = options.judging_settings(chosen, whole)
    try:
        found = discover(paths or (".",), chosen["exclude"], stdin_filename)
    except ValueError as error:
        raise click.UsageError(f"--exclude: {error}") from error
    stock = discover(tuple(map(str, slices)), (), stdin_filename).sources if slices else ()
    fixing = fix_files(once(found.sources), settings, unsafe=unsafe_fixes, inventory=stock)
    fixing.report.failures[:0] = found.failures
    if stdin and not check:
        output.write_bytes(b"".join(file.before if file.after is None else file.after for file in fixing.files))
    elif write:
        _write(fixing)
    else:
        rewriting.show(fixing.changed, color, names=check)
    if verbose:
        _tell(fixing)
    if not quiet:
        _tell_left(fixing, unsafe=unsafe_fixes)
    for failure in fixing.report.failures:
        rewriting.say(f"{failure.file}: {failure.message}")
    for name in found.missing:
        rewriting.say(f"the path {name!r} does not exist")
    if not quiet:
        rewriting.say(_summary(fixing, done=write or stdin, unsafe=unsafe_fixes))
    failed, left = bool(fixing.report.failures), fixing.report.count("error") > 0
    sys.exit(3 if failed else 2 if found.missing else 1 if left or (check and fixing.changed) else 0)


def _write(fixing: Fixing) -> None:
    from dralint.files.rewritten import write

    failures = write(fixing.changed)
    fixing.report.failures += failures
    failed = {failure.file for failure in failures}
    fixing.files = [file for file in fixing.files if file.source.name not in failed]


def _tell(fixing: Fixing) -> None:
    for finding in fixing.fixed:
        rewriting.say(f"{finding.file}:{finding.line}: {finding.rule} fixed: {finding.message}")
    for finding in fixing.taken_back:
        text = "its fix would bring another finding"
        rewriting.say(f"{finding.file}:{finding.line}: {finding.rule} left alone, {text}: {finding.message}")
    for skipped in fixing.report.skipped:
        rewriting.say(f"{skipped.file}: document {skipped.document} skipped: {skipped.reason}")


def _tell_left(fixing: Fixing, *, unsafe: bool) -> None:
    """Say, in a line a file, which fixes were promised and not made, and what would come with them."""
    from dralint.finding.words import listed
    from dralint.fix.rounds import applies

    left: dict[str, list[int]] = {}
    for finding in fixing.report.findings:
        if fixing.uncovered.get(finding.file) and applies(finding, unsafe=unsafe):
            left.setdefault(finding.file, []).append(finding.line)
    for file, lines in left.items():
        first, other = fixing.uncovered[file][0], len(fixing.uncovered[file]) - 1
        numbers = [*map(str, lines[:_LINES]), *([f"{len(lines) - _LINES} more"] if len(lines) > _LINES else [])]
        where = f"{'' if first.file == file else f'{first.file}:'}line {first.line}"
        one = len(lines) == 1
        stays = "stays as it is: its fix" if one else "stay as they are: the fixes"
        told = f"{first.rule} in {where}{f' and {other} more' if other else ''}: {first.message}"
        rewriting.say(f"{file}: line{'' if one else 's'} {listed(numbers, quote='')} {stays} would uncover {told}")


def _summary(fixing: Fixing, *, done: bool, unsafe: bool) -> str:
    from dralint.report.words import counted, counts, fixable, problems, severities, skipped

    report = fixing.report
    verb = "fixed" if done else "to fix"
    text = f"{counted(report.files, 'file')}, {counted(report.objects, 'object')}: "
    fixed, left = problems(fixing.fixed), problems(report.findings)
    many = f"{counted(len(fixed), 'finding') if fixed else 'something'} in {counted(len(fixing.changed), 'file')}"
    text += f"{many if fixed or fixing.changed else 'nothing'} {verb}"
    text += f"; {severities(counts(left))} left" if left or fixing.changed else ""
    guesses = [] if unsafe else [f for f in report.findings if f.fix is not None and not f.fix.safe]
    return text + fixable(guesses) + skipped(report)
