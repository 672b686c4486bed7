"""Writes back files that a command has rewritten, each completely or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dralint.finding.report import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dralint.files.source import Source
    from dralint.finding.finding import Edit


class Rewritten(Protocol):
    """One file: its bytes before and after (None: it stays the same)."""

    @property
    def source(self) -> Source:
        """Where it was read."""

    @property
    def before(self) -> bytes:
        """Its bytes as they were read."""

    @property
    def after(self) -> bytes | None:
        """Its new bytes."""

    @property
    def edits(self) -> Sequence[Edit]:
        """The edits that turn the old text into the new one."""


def once(sources: Iterable[Source]) -> list[Source]:
    """Return the sources without other names of the same file (links, other case); the name without a link stays."""
    kept: dict[object, Source] = {}
    for source in sources:
        key = _identity(source)
        known = kept.get(key)
        if known is None or (_passes_link(known) and not _passes_link(source)):
            kept[key] = source
    return list(kept.values())


def _identity(source: Source) -> object:
    """Return the identity that all names of a file share; hard links are separate files, because each is replaced."""
    if source.path is None:
        return None
    try:
        status = os.stat(source.path)  # noqa: PTH116 - the path is a string
    except (OSError, ValueError):
        return source.path
    return (status.st_dev, status.st_ino) if status.st_nlink == 1 else os.path.realpath(source.path)


def _passes_link(source: Source) -> bool:
    return source.path is not None and os.path.realpath(source.path) != os.path.abspath(source.path)  # noqa: PTH100


def in_place(source: Source) -> Path | None:
    """Return the path of a file; None for standard input."""
    return None if source.path is None else Path(source.path)


def write(files: Iterable[Rewritten], place: Callable[[Source], Path | None] = in_place) -> list[Failure]:
    """Write each file where `place` says, completely or not at all; return those that could not be written.

    A file that replaces its own input is written only if the input has not changed since.
    """
    from dralint.files.atomic import ForbiddenError, write_atomically

    failures: list[Failure] = []
    for file in files:
        path = place(file.source)
        if path is None:
            continue
        itself = file.source.path is not None and path == Path(file.source.path)
        content = file.before if file.after is None else file.after
        try:
            write_atomically(
                path,
                content,
                instead_of=file.before if itself else None,
                folder=file.source.folder if itself else "",
                make_folder=not itself,
            )
        except ForbiddenError as error:
            failures.append(Failure(file.source.name if itself else str(path), f"left alone: {error.reason}"))
        except OSError as error:
            name = file.source.name if itself else str(path)
            failures.append(Failure(name, f"cannot be written: {error.strerror or error}"))
    return failures
