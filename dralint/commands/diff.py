"""`dralint diff`: what an update meets."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from dralint.commands import options
from dralint.commands.outcome import FAIL_ON, deliver
from dralint.report import FORMATS, NEEDS_EXCERPTS


@click.command(short_help="Judge changed manifests as updates.")
@click.argument("paths", nargs=-1, metavar="OLD NEW | [PATH]...")
@click.option(
    "--git",
    "revision",
    metavar="REV",
    help="Compare the working tree with this revision, or REV..REV2 with each other; PATHs limit what is looked at.",
)
@click.option(
    "--kubernetes-version",
    "versions",
    multiple=True,
    metavar="RELEASE",
    help="The release that judges: 1.34, v1.34.4, latest, or a range as 1.32..1.36; repeatable. Without it, the newest"
    " release that serves each object.",
)
@click.option(
    "--feature-gates", multiple=True, metavar="GATE=BOOL,...", help="Switch feature gates, also AllAlpha and AllBeta."
)
@click.option("--select", multiple=True, metavar="RULE,...", help="Only these rules: ids, prefixes of ids, or names.")
@click.option("--ignore", multiple=True, metavar="RULE,...", help="Not these rules.")
@click.option(
    "--fail-on",
    type=click.Choice(list(FAIL_ON)),
    default="error",
    show_default=True,
    help="The least severity that makes the exit status 1.",
)
@click.option("--ignore-status", is_flag=True, help="Leave the status of objects out.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave files out; written as in .gitignore; repeatable.")
@click.option(
    "--format", "format_", type=click.Choice(list(FORMATS)), default="text", show_default=True, help="The format."
)
@click.option(
    "--output-file",
    "output_files",
    multiple=True,
    metavar="FORMAT=PATH",
    help="Write a report to a file as well; repeatable.",
)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colours in text.")
@click.option(
    "--schemas",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder that `dralint schema generate` has written; its releases are known as well.",
)
@click.option("-q", "--quiet", is_flag=True, help="Findings only, no summary.")
@click.option("-v", "--verbose", is_flag=True, help="Say what was skipped, and why.")
def diff(
    paths: tuple[str, ...],
    revision: str | None,
    versions: tuple[str, ...],
    feature_gates: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str,
    ignore_status: bool,
    exclude: tuple[str, ...],
    format_: str,
    output_files: tuple[str, ...],
    color: str,
    schemas: Path | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Judge what stands in NEW as an update of what stands in OLD.

    OLD and NEW are two files (one of them - for standard input), or two directories whose files are paired by their
    relative path. With --git, the manifests that differ from a revision are judged. Objects are paired by kind,
    namespace and name; one without a counterpart is judged as a new object.

    Exit status: 0 nothing found at or above --fail-on, 1 findings, 2 wrong usage or a path that does not exist,
    3 could not finish.
    """
    from dralint.updates.run import Updates
    from dralint.updates.sources import SourceError, from_git, from_paths

    settings = options.settings(versions, feature_gates, select=select, ignore=ignore, ignore_status=ignore_status)
    files = options.output_files(output_files, list(FORMATS))
    try:
        if revision is not None:
            sources = from_git(revision, paths, exclude)
        elif len(paths) == 2:
            sources = from_paths(paths[0], paths[1], exclude)
        else:
            raise click.UsageError("give two paths, OLD and NEW, or --git REV and any number of paths")
    except SourceError as problem:
        raise click.UsageError(str(problem)) from problem
    formats = {format_, *(name for name, _ in files)}
    report = Updates(settings).compare(sources.old, sources.new, excerpts=not formats.isdisjoint(NEEDS_EXCERPTS))
    report.failures[:0] = sources.failures

    status = deliver(report, format_, files, fail_on=fail_on, color=color, quiet=quiet, verbose=verbose)
    sys.exit(status)
