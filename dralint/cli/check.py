"""`dralint check`: finds problems in manifests."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dralint.cli import configuration, options, output
from dralint.cli.configuration import ConfiguredCommand, shown
from dralint.cli.write_reports import deliver
from dralint.files.atomic import once, write_atomically
from dralint.files.discover import discover
from dralint.files.source import Source
from dralint.report import FORMATS
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.config.settings import Settings
    from dralint.finding.report import Report


@click.command(cls=ConfiguredCommand, short_help="Check manifests.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@configuration.options
@options.common
@options.whole_input
@options.stdin_filename
@click.option(
    "--changed",
    is_flag=False,
    flag_value="",
    metavar="[REV]",
    help="Report only files changed since the merge base with REV (default: the main branch), and what the API server"
    " refuses of their changes. All files are checked.",
)
@click.option(
    "--watch", is_flag=True, help="Check again when a file changes. Ctrl-C ends, with the status of the last run."
)
@click.option(
    "--show-settings",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Show the settings (for FILE) and the source of each, and check nothing.",
)
@click.option(
    "--add-ignore",
    is_flag=False,
    flag_value="",
    metavar="[REASON]",
    help="Write a comment above each line with findings. The comment suppresses them.",
)
@options.option("jobs")
def check(
    paths: tuple[str, ...],
    stdin_filename: str,
    changed: str | None,
    watch: bool,
    show_settings: str | None,
    add_ignore: str | None,
    jobs: int | None,
    settings: Settings,
    **chosen: Any,
) -> None:
    """Check manifests as the API server does.

    PATH is a file, a directory, a glob, or - for standard input. The default is the current directory.

    Exit status: 0 no finding at or above --fail-on, 1 findings, 2 wrong usage or a path that does not exist,
    3 could not finish.
    """
    from dralint.lint.pool import run  # `check --help` does not need it

    if watch:
        from dralint.cli.watch import watch as watched

        sys.exit(watched(click.get_current_context(), paths, quiet=chosen["quiet"]))
    if show_settings is not None:
        found = discover(paths or (".",), settings.exclude)
        found.sources += [Source(show_settings, show_settings)] if show_settings else []
        settings = configuration.for_files(settings, found)
        others = configuration.others(found)
        for line in shown(click.get_current_context(), settings, show_settings, others):
            output.show_line(line)
        return
    only = None
    if changed is not None:
        from dralint.cli.diff import OnlyChanged  # few runs compare with a revision

        only = OnlyChanged(changed)
    files = options.output_files(chosen["output_file"], list(FORMATS))
    found = discover(paths or (".",), settings.exclude, stdin_filename)
    settings = configuration.for_files(settings, found)
    if add_ignore is not None:
        found.sources = once(found.sources)
    stock = discover(settings.slices, (), stdin_filename, documents=False).sources
    if files:
        options.refuse_to_overwrite_inputs(
            files, (source.path for source in (*found.sources, *stock) if source.path is not None)
        )
    with output.progress(len(found.sources), quiet=chosen["quiet"]) as advance:
        report = run(
            found.sources,
            settings,
            jobs=jobs,
            excerpts=options.wants_excerpts(chosen, files),
            inventory=stock,
            advance=advance,
        )
    report.failures[:0] = found.failures
    report.left_out = found.left_out
    if only is not None:
        only.apply(report, (source.path for source in found.sources if source.path is not None), settings)

    if add_ignore is not None:
        sys.exit(_add_ignores(report, found.sources, add_ignore))
    show = bool(found.sources or found.failures or not found.missing)
    sys.exit(deliver(report, settings, chosen, files, missing=found.missing, show=show))


def _add_ignores(report: Report, sources: Sequence[Source], reason: str) -> int:
    """Add comments to the files that suppress the findings; return the exit status."""
    from dralint.suppress.comments import with_comments

    places = {source.name: source for source in sources}
    status, written, left = 0, 0, 0
    for name, group in groupby(report.findings, key=lambda finding: finding.file):
        findings, source = list(group), places.get(name)
        raw = None if source is None or source.path is None else source.whole()
        changed = None
        if source is not None and raw is not None:
            documents = list(read(source._replace(held=raw).read()))
            changed = with_comments(raw, documents, findings, " ".join(reason.split()))
        if changed is None or source is None or source.path is None:
            left += len(findings)
            continue
        try:
            write_atomically(Path(source.path), changed, instead_of=raw, folder=source.folder)
            written += 1
        except OSError as error:
            output.tell(f"dralint: {name} cannot be written: {error.strerror or error}")
            status = 3
    text = f"{written} file{'' if written == 1 else 's'} changed"
    findings_are = "finding is in a file" if left == 1 else "findings are in files"
    output.show_line(text + (f"; {left} {findings_are} that cannot carry comments" if left else ""))
    return status
