"""`dralint diff`: what an update meets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Unpack

import click

from dralint.cli import configuration, options
from dralint.cli.configuration import ConfiguredCommand
from dralint.cli.deliver import deliver
from dralint.cli.output import tell
from dralint.report import FORMATS
from dralint.report.printable import printable

if TYPE_CHECKING:
    from dralint.config.settings import Settings


@click.command(cls=ConfiguredCommand, short_help="Check changed manifests as updates.")
@click.argument("paths", nargs=-1, metavar="OLD NEW | [PATH]...")
@click.option(
    "--git",
    "revision",
    metavar="REV",
    help="Compare the working tree with this revision, or two revisions (REV..REV2). PATHs limit the report.",
)
@configuration.options
@options.common
def diff(paths: tuple[str, ...], revision: str | None, settings: Settings, **chosen: Unpack[options.Common]) -> None:
    """Check the objects of NEW as updates of the objects of OLD.

    OLD and NEW are two files (one can be - for standard input), or two directories. Files of directories are paired by
    their relative path. With --git, dralint checks the manifests that differ from a revision. Objects are paired by
    kind, namespace and name. An object without a counterpart is checked as a new object.

    dralint also checks references between the objects of NEW. With --git it does not, because it reads only the files
    that differ. `dralint check --changed REV` does.

    Exit status: 0 no finding at or above --fail-on, 1 findings, 2 wrong usage or a path that does not exist,
    3 could not finish.
    """
    from dralint.files.git import SourceError, from_git, from_paths
    from dralint.update.linter import Updates

    files = options.output_files(chosen["output_file"], list(FORMATS))
    try:
        if revision is not None:
            sources = from_git(revision, paths, settings.exclude)
        elif len(paths) == 2:
            sources = from_paths(paths[0], paths[1], settings.exclude)
        else:
            raise click.UsageError("give two paths, OLD and NEW, or --git REV and any number of paths")
    except SourceError as problem:
        raise click.UsageError(str(problem)) from problem
    options.keep_inputs(files, (text.name for text in (*sources.old, *sources.new)))
    excerpts = options.wants_excerpts(chosen, files)
    updates = Updates(settings)
    report = updates.compare(sources.old, sources.new, excerpts=excerpts, together=sources.whole)
    report.failures[:0] = sources.failures
    report.left_out = sources.left_out
    if revision is not None and not (report.files or report.failures or report.left_out):
        report.unchanged = f"no manifest differs {'in' if '..' in revision else 'from'} {printable(revision)}"
    status = deliver(report, settings, chosen, files)
    if updates.unrelated and not chosen["quiet"] and revision is not None:
        since = f" {revision}" if ".." not in revision else ""
        told = f"what lies between objects is left out with --git: `dralint check --changed{since}` judges it"
        tell(f"dralint: {told}")
    sys.exit(status)
