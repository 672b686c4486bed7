"""`dralint check`: finds problems in manifests."""

from __future__ import annotations

import os
import sys
from itertools import groupby
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import click

from dralint.cli import options, output
from dralint.cli.options import ARGUMENTS, MADE_SETTINGS, ConfiguredCommand, shown
from dralint.cli.output import tell
from dralint.cli.write_reports import deliver
from dralint.config.configuration import ConfigurationError, find
from dralint.files import kustomize
from dralint.files.atomic import once, write_atomically
from dralint.files.discover import STDIN, discover, printable_name
from dralint.files.source import Source, plain, stamp
from dralint.finding.words import counted
from dralint.report import FORMATS
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.config.settings import Settings
    from dralint.finding.report import Report


@click.command(cls=ConfiguredCommand, short_help="Check manifests.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options.configuration
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
        sys.exit(_watch(click.get_current_context(), paths, quiet=chosen["quiet"]))
    if show_settings is not None:
        found = discover(paths or (".",), settings.exclude)
        if show_settings:
            found.sources.append(Source(show_settings, show_settings))
            found.homes.add(str(Path(show_settings).parent))
        settings = options.for_files(settings, found)
        others = options.others(found)
        for line in shown(click.get_current_context(), settings, show_settings, others):
            output.show_line(line)
        return
    only = None
    if changed is not None:
        from dralint.cli.diff import OnlyChanged  # few runs compare with a revision

        only = OnlyChanged(changed)
    files = options.output_files(chosen["output_file"], list(FORMATS))
    found = discover(paths or (".",), settings.exclude, stdin_filename)
    settings = options.for_files(settings, found)
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


# `--watch`: checks again when a file changes, until Ctrl-C. It compares the times and sizes of the files.

_PAUSE, _SHARE = 0.5, 9
"""The seconds between two looks at the files. After a look that takes long, dralint waits nine times as long."""
_NAMED = 3
"""The number of changed files to name before the rest is counted."""
_ONCE = ("add_ignore", "output_file", "show_settings")
"""Options for a single run."""
_State = dict[str, tuple[int, ...] | None]


def _watch(context: click.Context, paths: Sequence[str], *, quiet: bool) -> int:
    """Run `check` now and after each change; return the status of the last run when Ctrl-C ends the program.

    Each run reads the configuration again. A run that a mistake in it ends does not end the program.
    """
    _check_usable(context, paths)
    status: int | None = None
    try:
        while True:
            seen, settings = _state(paths, context), context.meta[MADE_SETTINGS]
            status = _run(context)
            if settings != context.meta[MADE_SETTINGS]:  # other files can count now
                seen = _state(paths, context)
            if not quiet:
                tell(f"dralint: watching {counted(len(seen), 'file')}; Ctrl-C ends")
            changed = _next_change(seen, paths, context)
            if not quiet:
                tell(f"dralint: {changed}")
    except KeyboardInterrupt:
        if status is None:
            raise
        return status


def _check_usable(context: click.Context, paths: Sequence[str]) -> None:
    if STDIN in (*paths, *context.meta[MADE_SETTINGS].slices):
        raise click.UsageError("--watch: standard input does not change; name files or folders")
    if os.environ.get("CI"):
        raise click.UsageError("--watch: it ends only with Ctrl-C, and the variable CI is set; leave it out")
    for name in _ONCE:
        if context.params[name] not in (None, ()):
            option = name.replace("_", "-")
            raise click.UsageError(f"--watch: --{option} is for a single run; leave one of them out")


def _run(context: click.Context) -> int:
    from dralint.config import baseline  # a single run has read nothing before

    baseline.load.cache_clear()
    kustomize.patches.cache_clear()
    try:
        arguments = list(context.meta[ARGUMENTS])
        with context.command.make_context(context.info_name, arguments, context.parent) as again:
            again.params["watch"] = False
            context.command.invoke(again)
    except click.ClickException as error:
        tell(*output.shown(error))
        return error.exit_code
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 0
    return 0


def _next_change(seen: _State, paths: Sequence[str], context: click.Context) -> str:
    """Wait until the files differ; return which ones, as a phrase."""
    spent = 0.0
    while True:
        sleep(max(_PAUSE, _SHARE * spent))
        before = monotonic()
        now = _state(paths, context)
        spent = monotonic() - before
        if now != seen:
            return _phrase(seen, now)


def _phrase(seen: _State, now: _State) -> str:
    differing = sorted(name for name in {**seen, **now} if seen.get(name) != now.get(name))
    words = [
        f"{printable_name(plain(name))} {'deleted' if not now.get(name) else 'changed' if seen.get(name) else 'added'}"
        for name in differing[:_NAMED]
    ]
    return ", ".join(words) + (f" and {len(differing) - _NAMED:,} more" if len(differing) > _NAMED else "")


def _state(paths: Sequence[str], context: click.Context) -> _State:
    """Return time, size and number of each file that a run reads; None for one that does not exist."""
    settings: Settings = context.meta[MADE_SETTINGS]
    found = discover(paths or (".",), settings.exclude)
    found.sources += discover(settings.slices, documents=False).sources
    names = [source.path for source in found.sources if source.path is not None]
    named = [*settings.files, *([context.obj.file] if context.obj else [])]
    files = {*names, *_configurations(names), *map(os.path.relpath, named)}
    return {name: stamp(name) for name in (*files, *found.missing)}


def _configurations(names: Sequence[str]) -> set[str]:
    """Return the configurations that judge the files, as paths from the working directory."""
    known: dict[str, Path | None] = {}
    for folder in {os.curdir, *map(os.path.dirname, names)}:
        try:
            find(os.path.abspath(folder), known)  # noqa: PTH100 - a link is not followed
        except ConfigurationError as error:
            known[str(error.file)] = error.file
    return {os.path.relpath(file) for file in known.values() if file is not None}
