"""Finds the configuration that judges each file: the nearest one, from its folder upwards.

The working directory's configuration has the settings of the run, and judges the files that have no other one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dralint.config.find_file import find
from dralint.config.paths import WHOLE
from dralint.config.resolve import resolve
from dralint.config.settings import Override
from dralint.config.table import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from dralint.config.configuration import Configuration
    from dralint.config.settings import Settings

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
        overrides += [Override(WHOLE, os.path.abspath(folder), changes), *held.overrides]  # noqa: PTH100
        if held is not settings:
            added: dict[str, Any] = {name: (*getattr(whole, name), *getattr(held, name)) for name in _ADDED}
            whole = whole._replace(**added)
    return whole._replace(overrides=tuple(overrides))
