"""Which files the patterns of a configuration mean: written as in .gitignore, from the folder that they stand in."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


def matches(patterns: tuple[str, ...], base: str, file: str) -> bool:
    """Say whether one of the patterns means the file.

    Args:
        base: the folder from which the patterns count, absolute.
        file: a path as findings name it, from the working directory.
    """
    place = os.path.relpath(os.path.abspath(file), base)
    return not place.startswith("..") and _spec(patterns).match_file(place)


@cache
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    from dralint.files.ignore import spec_of

    return spec_of(patterns)
