"""What the options of the command line mean; what is wrong with them is said in one sentence, with exit status 2."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dralint.engine import Settings


def settings(
    versions: Sequence[str] = (),
    gates: Sequence[str] = (),
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    ignore_status: bool = False,
    schemas: Path | None = None,
) -> Settings:
    """Return the settings of a run; click.UsageError where an option has a wrong value."""
    from dralint import choices

    try:
        return choices.settings(
            versions, gates, select=select, ignore=ignore, ignore_status=ignore_status, schemas=schemas
        )
    except choices.ChoiceError as error:
        raise click.UsageError(str(error)) from error


def output_files(texts: Sequence[str], formats: Sequence[str]) -> list[tuple[str, Path]]:
    """Return format and path of each --output-file.

    Raises:
        click.UsageError: no `=`, an unknown format, or a folder that does not exist.
    """
    out: list[tuple[str, Path]] = []
    for text in texts:
        format_, equals, path = text.partition("=")
        if not equals or not path:
            raise click.UsageError(f"--output-file: {text!r} is not of the form FORMAT=PATH")
        if format_ not in formats:
            raise click.UsageError(f"--output-file: no format {format_!r}; there are {', '.join(formats)}")
        file = Path(path)
        if not file.parent.is_dir():
            raise click.UsageError(f"--output-file: the folder {str(file.parent)!r} does not exist")
        if file.is_dir():
            raise click.UsageError(f"--output-file: {path!r} is a folder")
        out.append((format_, file))
    return out


def colored(choice: str, stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Say whether to colour what goes to the stream: the option, then NO_COLOR, then FORCE_COLOR, then the terminal."""
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0", "false"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def terminal_width(stream: TextIO, environment: Mapping[str, str]) -> int:
    """Return the columns to lay text out for: COLUMNS, then the terminal's (120 at most), then 80."""
    columns = environment.get("COLUMNS", "")
    if columns.isdecimal() and 0 < int(columns) <= 1000:
        return int(columns)
    try:
        return min(os.get_terminal_size(stream.fileno()).columns or 80, 120) if stream.isatty() else 80
    except (OSError, ValueError):
        return 80
