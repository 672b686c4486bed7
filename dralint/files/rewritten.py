"""Files that a command has rewritten, written back: each at once or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dralint.finding.report import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dralint.files.source import Source
    from dralint.finding.finding import Edit


class Rewritten(Protocol):
    """One file: its bytes before and after (None: it stays as it is)."""

    @property
    def source(self) -> Source:
        """Where it was read."""

    @property
    def before(self) -> bytes:
        """Its bytes as they were read."""

    @property
    def after(self) -> bytes | None:
        """Its bytes as they are to be."""

    @property
    def edits(self) -> Sequence[Edit]:
        """The edits of its text that lead there."""


def in_place(source: Source) -> Path | None:
    """Return where a file lies; None for standard input."""
    return None if source.path is None else Path(source.path)


def write(files: Iterable[Rewritten], place: Callable[[Source], Path | None] = in_place) -> list[Failure]:
    """Write files where `place` says, each at once or not at all; return those that could not be written.

    A file that takes the place of what was read is written only while it still is what was read.
    """
    from dralint.files.atomic import write_atomically

    failures: list[Failure] = []
    for file in files:
        path = place(file.source)
        if path is None:
            continue
        itself = file.source.path is not None and path == Path(file.source.path)
        content = file.before if file.after is None else file.after
        try:
            if not itself:
                path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content, instead_of=file.before if itself else None)
        except OSError as error:
            name = file.source.name if itself else str(path)
            failures.append(Failure(name, f"cannot be written: {error.strerror or error}"))
    return failures
