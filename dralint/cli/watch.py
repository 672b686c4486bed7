"""`check --watch`: checks again when a file changes, until Ctrl-C. It compares the times and sizes of the files."""

from __future__ import annotations

import os
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import click

from dralint.cli.configuration import ARGUMENTS, MADE_SETTINGS
from dralint.cli.output import shown, tell
from dralint.config import baseline
from dralint.config.configuration import ConfigurationError, find
from dralint.files import kustomize
from dralint.files.discover import STDIN, discover, printable_name
from dralint.files.source import plain
from dralint.finding.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dralint.config.settings import Settings

_PAUSE, _SHARE = 0.5, 9
"""The seconds between two looks at the files. After a look that takes long, dralint waits nine times as long."""
_NAMED = 3
"""The number of changed files to name before the rest is counted."""
_ONCE = ("add_ignore", "output_file", "show_settings")
"""Options for a single run."""
_State = dict[str, tuple[int, int, int] | None]


def watch(context: click.Context, paths: Sequence[str], *, quiet: bool) -> int:
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
    baseline.load.cache_clear()
    kustomize.patches.cache_clear()
    try:
        arguments = list(context.meta[ARGUMENTS])
        with context.command.make_context(context.info_name, arguments, context.parent) as again:
            again.params["watch"] = False
            context.command.invoke(again)
    except click.ClickException as error:
        tell(*shown(error))
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
    named: tuple[Any, ...] = (context.obj and context.obj.file, settings.baseline)
    named += tuple(file for _, file in (*settings.driver_schemas, *settings.driver_packs))
    files = {*names, *_configurations(names), *(os.path.relpath(file) for file in named if file)}
    return {name: _identity(name) for name in (*files, *found.missing)}


def _configurations(names: Sequence[str]) -> set[str]:
    """Return the configurations that judge the files, as paths from the working directory."""
    known: dict[str, Path | None] = {}
    for folder in {os.curdir, *map(os.path.dirname, names)}:
        try:
            find(os.path.abspath(folder), known)  # noqa: PTH100 - a link is not followed
        except ConfigurationError as error:
            known[str(error.file)] = error.file
    return {os.path.relpath(file) for file in known.values() if file is not None}


def _identity(name: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(name)  # noqa: PTH116 - most are plain strings
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
