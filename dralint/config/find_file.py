"""Finds the configuration file that applies, to a run and to each of its files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dralint.config.configuration import ConfigurationError, Mistake
from dralint.config.resolve import resolve
from dralint.config.settings import WHOLE, Override
from dralint.config.table import SETTINGS
from dralint.files.write_guard import in_git_folder, upwards, way_out

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from dralint.config.configuration import Configuration
    from dralint.config.settings import Settings


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


_FIELDS = {row.key: tuple(row.fields) for row in SETTINGS.values() if row.reach == "file"}
"""Key → the settings that the nearest configuration has for a file."""
_ADDED = {name for row in SETTINGS.values() if row.reach == "addition" for name in row.fields} - {"overrides"}
"""The settings that the nearest configurations add to those of the run."""
JUDGING_FILES = frozenset(row.key for row in SETTINGS.values() if row.reach != "run")
"""The keys that count in the nearest configuration of a file; the others are about the run."""


def nearest(folders: Iterable[str], own: Path | None) -> list[Path]:
    """Return the nearest configurations of folders, from the topmost on, without that of the working directory.

    Raises:
        ConfigurationError: one of them must not be read.
    """
    found = set(_judging(folders).values()) - {own}
    return sorted((file for file in found if file is not None), key=lambda file: (len(file.parts), file))


def _judging(folders: Iterable[str]) -> dict[str, Path | None]:
    """Return the nearest configuration of each folder, by its absolute path."""
    known: dict[str, Path | None] = {}
    places = map(os.path.abspath, folders)
    return {place: find(place, known) for place in places}


def with_nearest(
    settings: Settings, folders: Iterable[str], own: Configuration | None, chosen: Collection[str] = ()
) -> Settings:
    """Return the settings of a run with those that the nearest configurations have for its files, as overrides.

    Args:
        settings: those of the run.
        folders: those of the files.
        own: the configuration of the working directory.
        chosen: the keys that a caller has chosen; these win.

    Raises:
        ConfigurationError: one of the configurations cannot be used.
    """
    judging = _judging(folders)
    others = set(judging.values()) - {None, own.file if own is not None else None}
    if not others:
        return settings
    from dralint.config.file import load  # most runs have no other configuration

    above = {file.parent for file in others if file is not None}
    # Below one of them, the working directory's can be nearer, or a repository may have none.
    rest = {Path(place) if file is None else file.parent for place, file in judging.items() if file not in others}
    always = {"strict"}.intersection(chosen)
    of_run = {key: value for key, value in (own.values if own is not None else {}).items() if key == "strict"}
    parts = [(folder, settings) for folder in rest if not above.isdisjoint(folder.parents)]
    for file in filter(None, others):
        configuration = load(file).only(JUDGING_FILES.difference(chosen))
        configuration.values |= of_run
        parts.append((configuration.folder, resolve(dict.fromkeys(always, True), configuration)))
    same = [name for key in chosen for name in _FIELDS.get(key, ())]
    overrides = [*settings.overrides]
    whole = settings
    for folder, held in sorted(parts, key=lambda part: len(part[0].parts)):
        names = dict.fromkeys(name for names in _FIELDS.values() for name in names if name not in same)
        changes = tuple((name, getattr(held, name)) for name in names)
        overrides += [Override(WHOLE, os.path.abspath(folder), changes), *held.overrides]
        if held is not settings:
            added: dict[str, Any] = {name: (*getattr(whole, name), *getattr(held, name)) for name in _ADDED}
            whole = whole._replace(**added)
    return whole._replace(overrides=tuple(overrides))
