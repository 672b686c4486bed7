"""`dralint diff`: checks changed objects as updates; also what `check --changed` reports."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from dralint.cli import options
from dralint.cli.options import ConfiguredCommand
from dralint.cli.output import tell, wrong_usage
from dralint.cli.write_reports import deliver
from dralint.files.discover import discover
from dralint.files.git import SourceError, Sources, Text, changed_files, from_git, from_paths
from dralint.lint.inventory_reader import InventoryReader
from dralint.report import FORMATS
from dralint.report.safe import printable
from dralint.update.linter import Updates, key_of, old_side, written_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dralint.config.settings import Settings
    from dralint.finding.report import Report


@click.command(cls=ConfiguredCommand, short_help="Check changed manifests as updates.")
@click.argument("paths", nargs=-1, metavar="OLD NEW | [PATH]...")
@click.option(
    "--inventory",
    multiple=True,
    metavar="FILE",
    help="Compare the manifests at PATH with the live objects of a cluster, as kubectl dumps it; repeatable.",
)
@click.option(
    "--git",
    "revision",
    metavar="REV",
    help="Compare the working tree with this revision, or two revisions (REV..REV2). PATHs limit the report.",
)
@options.configuration
@options.common
def diff(
    paths: tuple[str, ...],
    revision: str | None,
    inventory: tuple[str, ...],
    settings: Settings,
    **chosen: Any,
) -> None:
    """Check the objects of NEW as updates of the objects of OLD.

    OLD and NEW are two files (one can be - for standard input), or two directories. Files of directories are paired by
    their relative path. With --git, dralint checks the manifests that differ from a revision. Objects are paired by
    kind, namespace and name. An object without a counterpart is checked as a new object.

    With --inventory, OLD is a cluster. A live object keeps what the server and controllers write, such as its status.
    dralint reports each change that the server refuses.

    dralint also checks references between the objects of NEW. With --git it does not, because it reads only the files
    that differ. `dralint check --changed REV` does.

    Exit status: 0 no finding at or above --fail-on, 1 findings, 2 wrong usage or a path that does not exist,
    3 could not finish.
    """
    files = options.output_files(chosen["output_file"], list(FORMATS))
    with wrong_usage(SourceError):
        if inventory and revision is not None:
            raise click.UsageError("--inventory and --git are two old sides: give one of them")
        if inventory:
            sources = _from_inventory(inventory, paths, settings)
        elif revision is not None:
            sources = from_git(revision, paths, settings.exclude)
        elif len(paths) == 2:
            sources = from_paths(paths[0], paths[1], settings.exclude)
        else:
            raise click.UsageError("give two paths, OLD and NEW, or --git REV or --inventory FILE and any paths")
    options.refuse_to_overwrite_inputs(files, (text.name for text in (*sources.old, *sources.new)))
    excerpts = options.wants_excerpts(chosen, files)
    updates = Updates(settings)
    report = updates.compare(sources.old, sources.new, excerpts=excerpts, together=sources.whole)
    report.failures[:0] = sources.failures
    if inventory:
        # The live object has no place in a file.
        report.findings = [finding._replace(related=()) for finding in report.findings]
    report.left_out = sources.left_out
    if revision is not None and not (report.files or report.failures or report.left_out):
        report.unchanged = f"no manifest differs {'in' if '..' in revision else 'from'} {printable(revision)}"
    status = deliver(report, settings, chosen, files)
    if updates.unrelated and not chosen["quiet"] and revision is not None:
        since = f" {revision}" if ".." not in revision else ""
        note = f"what lies between objects is left out with --git: `dralint check --changed{since}` judges it"
        tell(f"dralint: {note}")
    sys.exit(status)


def _from_inventory(inventory: Sequence[str], paths: Sequence[str], settings: Settings) -> Sources:
    """Return manifests and, as the old side, the live objects that they change."""
    if not paths:
        raise click.UsageError("give the manifests that are compared with the inventory")
    if [*inventory, *paths].count("-") > 1:
        raise click.UsageError("standard input (-) can be read once")
    there, brought = discover(inventory, documents=False), discover(paths, settings.exclude, documents=False)
    for path in (*there.missing, *brought.missing):
        raise click.UsageError(f"the path {path!r} does not exist")
    new = [source._replace(held=source.whole()) for source in brought.sources]
    written = written_in((source.read() for source in new), settings.namespace or "default")
    dump, live = InventoryReader(settings.gates), []
    for source in there.sources:
        live += [(key, item.typed) for item, _ in dump.objects(source) if (key := key_of(item.typed)) in written]
    return Sources(
        old_side(live, written),
        [Text(source.name, source.name, source.read) for source in new],
        [*there.failures, *brought.failures, *dump.faults],
        brought.left_out,
    )


_OF_UPDATES = "DRA6"
"""How the ids of rules about updates begin."""
_SHOWN = 10
"""So many characters of a commit name it in a finding."""


class OnlyChanged:
    """The files that have changed since the merge base with a revision; a UsageError if git does not know it."""

    def __init__(self, revision: str) -> None:
        with wrong_usage(SourceError):
            self._files, self._since = changed_files(revision)

    def apply(self, report: Report, paths: Iterable[str], settings: Settings) -> None:
        """Keep the findings of changed files, and add what the server refuses of their changes, of files at `paths`."""
        report.findings = [finding for finding in report.findings if os.path.realpath(finding.file) in self._files]
        own = {os.path.realpath(path): path for path in paths if os.path.realpath(path) in self._files}
        if not own or not self._since:
            return
        sources = from_git(self._since[:_SHOWN], (), settings.exclude)
        updates = Updates(settings).compare(sources.old, sources.new, excerpts=True)
        names = {finding.file: own.get(os.path.realpath(finding.file)) for finding in updates.findings}
        for finding in updates.findings:
            path = names[finding.file]
            if path is not None and finding.rule.startswith(_OF_UPDATES):
                report.findings.append(finding._replace(file=path))
        for (name, line, column), text in updates.excerpts.items():
            report.excerpts.setdefault((names.get(name) or name, line, column), text)
        report.sort()
