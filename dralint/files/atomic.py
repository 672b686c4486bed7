"""Writes files for all of dralint: completely or not at all, and never where dralint must not write."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
from typing import TYPE_CHECKING

from dralint.files.write_guard import refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from dralint.files.source import Source


_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTORS = ("/dev/fd", "/proc/self/fd")
_DEVICES = frozenset({"/dev/null", "/dev/full", "/dev/tty"})
"""The devices that users write to."""


class ChangedError(OSError):
    """A file has changed since dralint read it."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EBUSY, "it has changed since it was read", str(path))


class ForbiddenError(OSError):
    """dralint must not write a file at this place."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(errno.EPERM, f"dralint does not write there: {reason}", str(path))
        self.reason = reason


def write_atomically(
    path: Path, content: bytes, *, instead_of: bytes | None = None, folder: str = "", make_folder: bool = False
) -> None:
    """Write a file so that no program sees half of it; OSError when it cannot be written.

    A pipe is written to, never replaced; the target of a link is replaced, not the link. Mode and owner stay the same;
    other names of the file (hard links) keep the old content. A file that already has the content is not written.

    Args:
        path: the file.
        content: all of its new bytes.
        instead_of: the present content, if only that may be replaced.
        folder: the folder that the user has named and that contains the file.
        make_folder: whether to make missing folders above the file.

    Raises:
        ForbiddenError: dralint never writes there (`files.write_guard`).
        ChangedError: the file has other content; it stays as it is.
        OSError: it cannot be written; it stays as it is. A file of another owner is refused too, unless dralint runs
            as root and can give it back to that owner.
    """
    if _written_to(path, content, folder, "wb"):
        return
    if make_folder and not path.parent.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
    with _signals_held():
        _replace(path, content, instead_of)


def _replace(path: Path, content: bytes, instead_of: bytes | None) -> None:
    target = path.resolve()
    before = target.stat() if target.exists() else None
    prefix = f".{target.name[:100]}."
    handle, name = _without_name(target.parent), ""
    if handle is None:
        import tempfile  # few runs write a file, and it takes 7 ms

        handle, name = tempfile.mkstemp(dir=target.parent, prefix=prefix)
    made: int | str = name or handle
    try:
        with open(handle, "wb") as stream:  # noqa: PTH123 - there is a descriptor
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            if before is not None and instead_of is not None:
                _keep_owner(made, before)
                if not os.access(target, os.W_OK):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            os.chmod(made, before.st_mode & 0o7777 if before is not None else 0o666 & ~_umask())  # noqa: PTH101
            if instead_of is not None:
                found = None if before is None else target.read_bytes()
                if found == content:  # another program has written the same
                    return
                if found != instead_of:
                    raise ChangedError(path)
            name = name or _with_name(handle, target.parent, prefix)
        os.replace(name, target)  # noqa: PTH105
        name = ""
    finally:
        if name:
            os.unlink(name)  # noqa: PTH108


def _without_name(folder: Path) -> int | None:
    """Open a new file that has no name yet, so that nothing stays if dralint is killed; None where none can be made.

    Only Linux has such files, and only on some file systems.
    """
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600)
    except OSError:
        return None  # the way with a name reports why, if it fails too


def _with_name(handle: int, folder: Path, prefix: str) -> str:
    """Give an open file without a name a new one in a folder, and return its path."""
    place = os.open(folder, os.O_RDONLY)
    try:
        while True:
            name = os.path.join(folder, prefix + os.urandom(4).hex())  # noqa: PTH118 - a text as that of mkstemp
            with contextlib.suppress(FileExistsError):
                # Only with a folder's descriptor does Python follow the link in /proc to the file.
                os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=place, follow_symlinks=True)
                return name
    finally:
        os.close(place)


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals that would end the program wait, so that no half-written file stays."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def append(path: Path, content: bytes) -> None:
    """Append to a file, or make it if it does not exist; OSError when it cannot be written.

    Other names of the file (hard links) keep the old content: one of them may lie in a folder of git.
    """
    if _written_to(path, content, "", "ab"):
        return
    if path.exists() and path.stat().st_nlink > 1:
        before = path.read_bytes()
        write_atomically(path, before + content, instead_of=before)
        return
    with path.open("ab") as stream:
        stream.write(content)


def _written_to(path: Path, content: bytes, folder: str, mode: str) -> bool:
    """Write to a special file (a descriptor of this process, a pipe, one of a few devices), and say whether the path is
    one; ForbiddenError where dralint must not write."""
    descriptor = _descriptor(path)
    if descriptor is None:
        reason = refusal(str(path), folder)
        if reason is not None:
            raise ForbiddenError(path, reason)
        kind = path.stat().st_mode if path.exists() else stat.S_IFREG
        if stat.S_ISREG(kind):
            return False
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISFIFO(kind) and str(path.resolve()) not in _DEVICES:
            raise ForbiddenError(path, "it is a device")
    # Other programs may share the descriptor: what was written to it before stays.
    with open(os.dup(descriptor) if descriptor is not None else path, mode) as stream:  # noqa: PTH123
        stream.write(content)
    return True


def _descriptor(path: Path) -> int | None:
    """Return the descriptor of this process for a path such as /dev/stdout or /dev/fd/63; None for others."""
    name = str(path)
    if name in _STREAMS:
        return _STREAMS[name]
    folder, _, number = name.rpartition("/")
    return int(number) if folder in _DESCRIPTORS and number.isascii() and number.isdecimal() else None


def _keep_owner(made: int | str, before: os.stat_result) -> None:
    """Give a new file the owner and group of the file that it replaces; OSError where that is not allowed."""
    own = os.stat(made)  # noqa: PTH116 - a descriptor, or a name as a string
    if hasattr(os, "chown") and (own.st_uid, own.st_gid) != (before.st_uid, before.st_gid):
        os.chown(made, before.st_uid, before.st_gid)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
