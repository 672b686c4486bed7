"""The values of options that name files and folders."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pathlib import Path


class FilePath(click.Path):
    """A path; pathlib, which starts slowly, is only imported when an option is given."""

    def coerce_path_result(self, value: Any) -> Path:
        """Return the path of a value from the command line."""
        from pathlib import Path

        return Path(os.fsdecode(value))
