"""Moves edits from a document to its file; has the error for changes without a place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.finding import Edit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.yaml import Path


class UnplaceableError(Exception):
    """The layout of the text has no place for the change; the message has the reason."""


def moved(edits: Iterable[Edit], by: int) -> list[Edit]:
    """Return the edits of a text as edits of another one that contains it from the offset `by` on."""
    return [Edit(edit.start + by, edit.end + by, edit.text) for edit in edits] if by else list(edits)


def reached(data: Any, path: Path) -> Any:
    """Return the value at the path; KeyError, IndexError or TypeError where the path leads nowhere."""
    for step in path:
        data = data[step]
    return data
