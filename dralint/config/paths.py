"""Matches files with patterns of a configuration (as in .gitignore, relative to its folder), and returns their
settings."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from dralint.files.write_guard import within

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from dralint.config.settings import Settings


WHOLE = ("*",)
"""The patterns of a whole folder."""


def matches(patterns: tuple[str, ...], base: str, file: str) -> bool:
    """Say whether one of the patterns matches the file.

    Args:
        base: the folder that the patterns are relative to, absolute.
        file: a path as in findings, relative to the working directory.
    """
    if patterns == WHOLE:
        return within(os.path.abspath(file), base)
    place = os.path.relpath(os.path.abspath(file), base)
    return not place.startswith("..") and _spec(patterns).match_file(place)


@cache
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    from dralint.files.ignore import spec_of

    return spec_of(patterns)


def settings_of(file: str, settings: Settings) -> Settings:
    """Return the settings for a file: overrides apply in their order, so the last one wins."""
    if not settings.overrides:
        return settings
    held = settings
    for override in settings.overrides:
        if matches(override.paths, override.base, file):
            held = held._replace(**dict(override.changes))
    return held
