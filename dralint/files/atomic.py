"""Writing a file at once or not at all."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever sees half of it; OSError when it cannot be written.

    What is no plain file (a device, a pipe) is written to, never replaced; a link's target is replaced, not the link.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    try:
        with open(handle, "wb") as stream:  # noqa: PTH123 - mkstemp gives a descriptor
            stream.write(content)
        os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())  # noqa: PTH101
        os.replace(name, target)  # noqa: PTH105
    except BaseException:
        os.unlink(name)  # noqa: PTH108
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
