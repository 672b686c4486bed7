"""Finds the configuration file that applies: the nearest one upwards. `config.file` reads it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dralint.files.write_guard import upwards

if TYPE_CHECKING:
    from pathlib import Path

NAMES = (".dralint.yaml", ".dralint.yml")
PYPROJECT = "pyproject.toml"
WRITING = frozenset({"add-ignore", "output", "output-file", "write"})
"""Options that make dralint write files. A configuration comes with a pull request, so it has none of them."""
LARGEST = 1 << 20


def find(start: str) -> Path | None:
    """Return the nearest configuration file in a folder or above it, but not above its repository; None for none."""
    for folder in upwards(start):
        for name in (*NAMES, PYPROJECT):
            file = os.path.join(folder, name)
            if os.path.isfile(file) and (name != PYPROJECT or _speaks(file)):
                from pathlib import Path  # most runs have no such file

                return Path(file)
        if os.path.lexists(os.path.join(folder, ".git")):
            break
    return None


def _speaks(file: str) -> bool:
    try:
        with open(file, "rb") as stream:
            return b"tool.dralint" in stream.read(LARGEST)
    except OSError:
        return False
