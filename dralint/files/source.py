"""What is read: a file, standard input, or one side of an update."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Source:
    """One file to read: `name` is how findings call it, `path` what to open (None: standard input).

    `held` is what has been read already.
    """

    name: str
    path: str | None
    held: bytes | None = None

    def read(self) -> bytes:
        """Return the bytes; OSError where the file cannot be read."""
        if self.held is not None:
            return self.held
        if self.path is None:
            return read_stdin()
        with open(self.path, "rb") as file:
            return file.read()


def read_stdin() -> bytes:
    """Return the bytes of standard input; OSError where it cannot be read."""
    import sys

    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed", "standard input")
    content: bytes = sys.stdin.buffer.read()
    return content


class Text(NamedTuple):
    """A file of one side: the name that findings use, the name that pairs it with the other side, how to read it.

    One that is not `reported` is looked at only for objects that have moved from or to it.
    """

    name: str
    key: str
    read: Callable[[], bytes]
    reported: bool = True
