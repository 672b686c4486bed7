"""`dralint check`: findings on manifests."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from dralint.commands import options
from dralint.commands.outcome import FAIL_ON, deliver
from dralint.report import FORMATS, NEEDS_EXCERPTS


@click.command(short_help="Check manifests.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
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
@click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="What findings call the text from `-`.")
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
@click.option("-q", "--quiet", is_flag=True, help="Findings only, no summary.")
@click.option("-v", "--verbose", is_flag=True, help="Say what was skipped, and why.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes; by default as many as pay.")
@click.option(
    "--schemas",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder that `dralint schema generate` has written; its releases are known as well.",
)
def check(
    paths: tuple[str, ...],
    versions: tuple[str, ...],
    feature_gates: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str,
    ignore_status: bool,
    exclude: tuple[str, ...],
    stdin_filename: str,
    format_: str,
    output_files: tuple[str, ...],
    color: str,
    quiet: bool,
    verbose: bool,
    jobs: int | None,
    schemas: Path | None,
) -> None:
    """Check manifests: what would the API server say?

    PATH is a file, a directory, a glob or - for standard input; the default is the current directory.

    Exit status: 0 nothing found at or above --fail-on, 1 findings, 2 wrong usage or a path that does not exist,
    3 could not finish.
    """
    from dralint.discover import discover
    from dralint.run import run

    settings = options.settings(
        versions, feature_gates, select=select, ignore=ignore, ignore_status=ignore_status, schemas=schemas
    )
    files = options.output_files(output_files, list(FORMATS))
    try:
        found = discover(paths or (".",), exclude, stdin_filename)
    except ValueError as error:
        raise click.UsageError(f"--exclude: {error}") from error
    formats = {format_, *(name for name, _ in files)}

    from dralint.progress import for_run

    progress = for_run(len(found.sources), quiet=quiet)
    try:
        report = run(
            found.sources,
            settings,
            jobs=jobs,
            excerpts=not formats.isdisjoint(NEEDS_EXCERPTS),
            advance=None if progress is None else progress.advance,
        )
    finally:
        if progress is not None:
            progress.finish()
    report.failures[:0] = found.failures

    status = deliver(
        report,
        format_,
        files,
        fail_on=fail_on,
        color=color,
        quiet=quiet,
        verbose=verbose,
        missing=found.missing,
        show=bool(found.sources or not found.missing),
    )
    sys.exit(status)
