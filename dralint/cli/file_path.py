"""The values of options that name files and folders."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pathlib import Path


class FilePath(click.Path):
    """A path that exists; pathlib, which takes long to start, is imported where an option is given."""

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True) -> None:
        super().__init__(exists=True, file_okay=file_okay, dir_okay=dir_okay)

    def coerce_path_result(self, value: Any) -> Path:
        """Return the path of what was given on the command line."""
        from pathlib import Path

        return Path(os.fsdecode(value))
