"""The values of an option that has few: a wrong one is told with the one that was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # older releases of click cannot subscribe it

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
"""What people write → what it is called here."""


class OneOf(_Choice):
    """One of some words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the value; click.BadParameter, with the nearest one, where it is none of the words."""
        try:
            return str(super().convert(value, param, ctx))
        except click.BadParameter as error:
            meant = nearest(str(value), list(map(str, self.choices)), _MEANT)
            if meant is None:
                raise
            text = f"{error.message.rstrip('.')}; did you mean {meant!r}?"
            raise click.BadParameter(text, ctx, param) from error


def nearest(word: str, words: list[str], meant: dict[str, str]) -> str | None:
    """Return which of the words a wrong one stands for; None where it is like none of them."""
    from dralint.kubernetes.near import near  # only where there is something to suggest

    known = meant.get(word.lower())
    if known in words:
        return known
    return next(iter(near(word, words)), None)
