"""The types of options: words from a short list, with a suggestion for a wrong one, and paths."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pathlib import Path

    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # older releases of click do not support subscripts

_MEANT = {
    "annotations": "github",
    "code-quality": "gitlab",
    "codeclimate": "gitlab",
    "errors": "error",
    "false": "never",
    "html": "markdown",
    "line": "concise",
    "md": "markdown",
    "no": "never",
    "none": "never",
    "off": "never",
    "on": "always",
    "oneline": "concise",
    "plain": "text",
    "short": "concise",
    "summary": "markdown",
    "true": "always",
    "txt": "text",
    "warn": "warning",
    "warnings": "warning",
    "xml": "junit",
    "yes": "always",
}
"""What people write → its name here."""


class OneOf(_Choice):
    """One of a few words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the value; click.BadParameter, with a suggestion, if it is not one of the words."""
        try:
            return str(super().convert(value, param, ctx))
        except click.BadParameter as error:
            meant = nearest(str(value), list(map(str, self.choices)), _MEANT)
            if meant is None:
                raise
            text = f"{error.message.rstrip('.')}; did you mean {meant!r}?"
            raise click.BadParameter(text, ctx, param) from error


def nearest(word: str, words: list[str], meant: dict[str, str]) -> str | None:
    """Return the word that a wrong one stands for; None if none is similar."""
    from dralint.kubernetes.near import near  # only where there is something to suggest

    known = meant.get(word.lower())
    if known in words:
        return known
    return next(iter(near(word, words)), None)


class FilePath(click.Path):
    """A path; pathlib, which starts slowly, is only imported when an option is given."""

    def coerce_path_result(self, value: Any) -> Path:
        """Return the path of a value from the command line."""
        from pathlib import Path

        return Path(os.fsdecode(value))
