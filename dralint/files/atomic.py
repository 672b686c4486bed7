"""Writing a file at once or not at all."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTORS = ("/dev/fd", "/proc/self/fd")


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever sees half of it; OSError when it cannot be written.

    What is no plain file (a device, a pipe) is written to, never replaced; a link's target is replaced, not the link.
    """
    descriptor = _descriptor(path)
    if descriptor is not None or (path.exists() and not path.is_file()):
        # A descriptor is shared with whoever has opened it: what was written to it before stays.
        with open(os.dup(descriptor) if descriptor is not None else path, "wb") as stream:  # noqa: PTH123
            stream.write(content)
        return
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    try:
        with open(handle, "wb") as stream:  # noqa: PTH123 - mkstemp gives a descriptor
            stream.write(content)
        os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())  # noqa: PTH101
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
