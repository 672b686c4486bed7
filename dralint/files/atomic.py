"""Writing a file at once or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTORS = ("/dev/fd", "/proc/self/fd")


class ChangedError(OSError):
    """A file is no longer what it was when it was read."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EBUSY, "it has changed since it was read", str(path))


def write_atomically(path: Path, content: bytes, *, instead_of: bytes | None = None) -> None:
    """Write a file so that nobody ever sees half of it; OSError when it cannot be written.

    What is no plain file (a device, a pipe) is written to, never replaced; a link's target is replaced, not the link.
    Mode and owner stay what they were.

    Args:
        path: the file.
        content: all of its new bytes.
        instead_of: what it is to hold until then, where that matters.

    Raises:
        ChangedError: the file holds something else; it is left as it is.
        OSError: it cannot be written; it is left as it is. A file of another owner, which only root can give back to
            that owner, is refused, too.
    """
    descriptor = _descriptor(path)
    if descriptor is not None or (path.exists() and not path.is_file()):
        # A descriptor is shared with whoever has opened it: what was written to it before stays.
        with open(os.dup(descriptor) if descriptor is not None else path, "wb") as stream:  # noqa: PTH123
            stream.write(content)
        return
    target = path.resolve()
    before = target.stat() if target.exists() else None
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    try:
        with open(handle, "wb") as stream:  # noqa: PTH123 - mkstemp gives a descriptor
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if before is not None and instead_of is not None:
            _keep_owner(name, before)
            if not os.access(target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        os.chmod(name, before.st_mode & 0o7777 if before is not None else 0o666 & ~_umask())  # noqa: PTH101
        if instead_of is not None and (before is None or target.read_bytes() != instead_of):
            raise ChangedError(path)
        os.replace(name, target)  # noqa: PTH105
    except BaseException:
        os.unlink(name)  # noqa: PTH108
        raise


def _descriptor(path: Path) -> int | None:
    """Return which descriptor of this process a path such as /dev/stdout or /dev/fd/63 stands for, None for none."""
    name = str(path)
    if name in _STREAMS:
        return _STREAMS[name]
    folder, _, number = name.rpartition("/")
    return int(number) if folder in _DESCRIPTORS and number.isascii() and number.isdecimal() else None


def _keep_owner(name: str, before: os.stat_result) -> None:
    """Give a new file the owner and group of the one that it is to replace; OSError where that is not allowed."""
    own = os.stat(name)  # noqa: PTH116 - the name is a string
    if hasattr(os, "chown") and (own.st_uid, own.st_gid) != (before.st_uid, before.st_gid):
        os.chown(name, before.st_uid, before.st_gid)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
