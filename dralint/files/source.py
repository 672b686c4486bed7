"""The inputs of a run: files, or standard input."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from typing import BinaryIO

from dralint.records import NamedTuple

DOCUMENTS = (".md", ".markdown", ".rst")
"""Suffixes of documents with code blocks."""
LARGEST_FILE = 128 * 1024 * 1024
"""The largest file or standard input that is read, in bytes: some devices and pipes have no end."""
_AT_ONCE = 1024 * 1024


class Source(NamedTuple):
    """One file to read: `name` is its name in findings, `path` the file to open (None: standard input).

    `held` has the content that is already read; `named` says whether the user has named the file itself; `folder` is
    the named folder that contains the file.
    """

    name: str
    path: str | None
    held: bytes | None = None
    named: bool = False
    folder: str = ""

    @property
    def is_document(self) -> bool:
        """Whether it is Markdown or reStructuredText, with manifests in code blocks."""
        return self.name.lower().endswith(DOCUMENTS)

    def read(self) -> bytes:
        """Return the bytes of the manifests: of a document only its code blocks; errors as those of `whole`."""
        raw = self.whole()
        if not self.is_document:
            return raw
        from dralint.files.code_blocks import Blocks  # few files are documents

        return Blocks(raw, self.name).text()

    def whole(self) -> bytes:
        """Return the bytes; OSError where the file cannot be read, or has more than `LARGEST_FILE`."""
        if self.held is not None:
            return self.held
        return read_stdin() if self.path is None else read_file(self.path)


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file; OSError where it cannot be read, or is too large."""
    with open(path, "rb", 0) as file:  # without a buffer, as all of it is read at once
        return _all_of(file, os.fstat(file.fileno()).st_size, LARGEST_FILE)


def read_plain(path: str | os.PathLike[str], most: int) -> bytes:
    """Return the bytes of a regular file; OSError for a pipe, a device and the like, without waiting for it."""
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))
        return _all_of(file, status.st_size, most)


def stamp(path: str) -> tuple[int, ...] | None:
    """Return what tells a file from itself at another time; None for one that does not exist."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def read_stdin() -> bytes:
    """Return the bytes of standard input; OSError where it cannot be read, or has more than `LARGEST_FILE`."""
    return _all_of(stdin(), 0, LARGEST_FILE)


def stdin() -> BinaryIO:
    """Return the stream of standard input; OSError where it is closed."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed", "standard input")
    return sys.stdin.buffer


def too_large(most: int = LARGEST_FILE) -> OSError:
    """Return the error for a file above the limit."""
    return OSError(errno.EFBIG, f"it has more than {most >> 20} MiB; split it into several files")


def _all_of(file: BinaryIO, size: int, most: int) -> bytes:
    """Return the rest of a file with an expected size of `size` bytes."""
    if size > most:
        raise too_large(most)
    first = file.read(size + 1) if size else b""
    if size and len(first) == size:
        return first
    kept = io.BytesIO()
    kept.write(first)
    while part := file.read(_AT_ONCE):
        kept.write(part)
        if kept.tell() > most:
            raise too_large(most)
    return kept.getvalue()


def plain(path: str) -> str:
    """Return a path without a leading `./`."""
    return path[2:] if path.startswith("./") else path
