"""`dralint migrate`: rewrites manifests to another API version."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dralint import report as reports
from dralint.cli import options, output
from dralint.cli.fix import check_option, from_stdin, put_out, say, tell_skipped, write_option
from dralint.cli.options import ConfiguredCommand
from dralint.cli.output import tell_report, tell_unread, wrong_usage
from dralint.files.atomic import once
from dralint.files.discover import discover
from dralint.finding import catalogue
from dralint.finding.words import counted
from dralint.fix.migration import migrate as migrate_files
from dralint.lint.report_builder import failure_finding
from dralint.migrate.rewrite import Target, TargetError
from dralint.report.words import skipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.config.settings import Settings
    from dralint.files.source import Source
    from dralint.finding.report import Report
    from dralint.fix.migration import Migration


@click.command(cls=ConfiguredCommand, short_help="Rewrite manifests to another API version.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options.configuration
@click.option(
    "--to",
    required=True,
    metavar="API_VERSION|RELEASE",
    shell_complete=options.complete_targets,
    help="The API version to write: resource.k8s.io/v1; or a release such as 1.34, for the newest API version that it"
    " serves by default; or a range such as 1.32..1.36, for one that all of them serve.",
)
@write_option
@check_option
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write migrated copies of all files into this folder, and do not change the files.",
)
@options.option("exclude")
@options.color
@options.option("quiet", help="Do not print the summary.")
@options.option("verbose", help="List what was skipped, with the reason.")
def migrate(
    paths: tuple[str, ...],
    to: str,
    write: bool,
    check: bool,
    output: Path | None,
    settings: Settings,
    color: str,
    quiet: bool,
    verbose: bool,
) -> None:
    """Rewrite manifests to another API version of resource.k8s.io. Comments and layout stay.

    PATH is a file, a directory, a glob, or - for standard input, whose result goes to standard output. The default is
    the current directory. Without --write or --output, print a diff. dralint does not change an object that would lose
    a field, and reports it on standard error.

    Exit status: 0 all objects are migrated or would be, 1 some objects stay as they are (or, with --check, a file would
    change), 2 wrong usage or a path that does not exist, 3 could not finish.
    """
    if sum((write, check, output is not None)) > 1:
        raise click.UsageError("choose one of --write, --check and --output")
    with wrong_usage(TargetError, of="--to: "):
        target = Target.parse(to)
    writes = write or output is not None
    stdin = from_stdin(paths, writes=writes)
    found = discover(paths or (".",), settings.exclude)
    copies = None if output is None else _copies(found.sources, paths or (".",), output)
    migration = migrate_files(once(found.sources) if output is None else found.sources, target, excerpts=True)
    report = migration.report
    report.failures[:0] = found.failures
    report.left_out = found.left_out
    put_out(migration, color, stdin=stdin, names=check, writes=write, copies=copies)
    status = _tell(report, found.missing, color)
    if verbose:
        tell_skipped(report)
    if not quiet:
        say(_summary(migration, str(target), done=writes or stdin))
    sys.exit(max(status, 1) if check and migration.changed else status)


def _copies(sources: Sequence[Source], paths: Sequence[str], output: Path) -> dict[str, Path]:
    """Return the path of each file's copy: below --output, as the file is below the named folder."""
    out: dict[str, Path] = {}
    taken: dict[Path, str] = {}
    folders = [os.path.normpath(path) for path in paths if Path(path).is_dir()]
    for source in sources:
        if source.path is None:
            continue
        name = os.path.normpath(source.path)
        under = [folder for folder in folders if folder == "." or name.startswith(folder + os.sep)]
        relative = os.path.relpath(name, max(under, key=len)) if under else Path(name).name
        copy = output / relative
        if ".." in Path(relative).parts or copy in taken:
            other = f": {taken[copy]!r} goes there too" if copy in taken else ""
            raise click.UsageError(f"--output: {source.name!r} needs its own place in {str(output)!r}{other}")
        if copy.resolve() == Path(source.path).resolve():
            raise click.UsageError(f"--output: {source.name!r} would be written over itself; use --write for that")
        taken[copy] = source.name
        out[source.path] = copy
    return out


def _tell(report: Report, missing: Sequence[str], color: str) -> int:
    """Write findings and failures to standard error; return the exit status."""
    rules = catalogue.rules()
    failed = bool(report.failures)
    report.findings += [failure_finding(rules[failure.rule], failure) for failure in report.failures]
    report.sort()
    if report.findings:
        width = output.terminal_width(sys.stderr, os.environ)
        style = reports.Style(width, output.colored(color, sys.stderr, os.environ), quiet=True)
        text = reports.render("text", report, style).removesuffix("\n")
        tell_report(text, painted=style.color)
    tell_unread((), missing)
    return 3 if failed else 2 if missing else 1 if report.findings else 0


def _summary(migration: Migration, target: str, *, done: bool) -> str:
    report = migration.report
    verb = "migrated" if done else "to migrate"
    text = (
        f"{counted(report.files, 'file')}, {counted(report.objects, 'object')}: {counted(migration.moved, 'object')} "
        f"in {counted(len(migration.changed), 'file')} {verb} to {target}"
    )
    alone = sum(finding.object is not None for finding in report.findings)
    if alone:
        text += f", {counted(alone, 'object')} left alone"
    return text + skipped(report)
