"""Finds the configuration file that applies: the nearest one upwards. `config.file` reads it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dralint.config.configuration import ConfigurationError, Mistake
from dralint.files.write_guard import in_git_folder, upwards, way_out

if TYPE_CHECKING:
    from pathlib import Path

NAMES = (".dralint.yaml", ".dralint.yml")
PYPROJECT = "pyproject.toml"
LARGEST = 1 << 20


def find(start: str, known: dict[str, Path | None] | None = None) -> Path | None:
    """Return the nearest configuration file in a folder or above it, but not above its repository; None for none.

    Args:
        start: the folder.
        known: the answers for other folders; it gets those for the folders on the way.

    Raises:
        ConfigurationError: dralint does not read the nearest one, because it is a link out of the repository, or a
            pipe or the like.
    """
    passed: list[str] = []
    found: Path | None = None
    for folder in upwards(start):
        if known is not None and folder in known:
            found = known[folder]
            break
        passed.append(folder)
        found = _in_folder(folder)
        if found is not None or os.path.lexists(os.path.join(folder, ".git")):
            break
    if known is not None:
        known |= dict.fromkeys(passed, found)
    return found


def _in_folder(folder: str) -> Path | None:
    for name in (*NAMES, PYPROJECT):
        file = os.path.join(folder, name)
        if _speaks(file) if name == PYPROJECT else os.path.lexists(file) and not os.path.isdir(file):
            from pathlib import Path  # most runs have no such file

            found = Path(file)
            _check_readable(found)
            return found
    return None


def _check_readable(file: Path) -> None:
    """Refuse a file whose content a pull request must not show: a refused configuration is quoted."""
    out = way_out(str(file), str(file.parent))
    if out is not None:
        link, left = out
        wrong = f"is a link that leads out of {left}" if file.is_symlink() else f"the link {link} leads out of {left}"
    elif in_git_folder(os.path.realpath(file)):
        wrong = "is a link that leads into a folder of git"
    elif not file.is_file():
        wrong = "is not a regular file"
    else:
        return
    hint = "--config names another file, --no-config none"
    raise ConfigurationError(file, [Mistake(f"{wrong}; dralint does not read it", 0, 0, hint)])


def _speaks(file: str) -> bool:
    try:
        if not os.path.isfile(file):
            return False
        with open(file, "rb") as stream:
            return b"tool.dralint" in stream.read(LARGEST)
    except OSError:
        return False
