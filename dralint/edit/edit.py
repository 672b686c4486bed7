"""Edits as such: moved from a document into its file, and what is raised where there is no place for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.finding import Edit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.yaml import Path


class UnplaceableError(Exception):
    """The layout of the text leaves no place for what is to be changed; the text says why."""


def moved(edits: Iterable[Edit], by: int) -> list[Edit]:
    """Return the edits of a text as those of another one, in which it starts at the offset `by`."""
    return [Edit(edit.start + by, edit.end + by, edit.text) for edit in edits] if by else list(edits)


def reached(data: Any, path: Path) -> Any:
    """Return what lies at the path; KeyError, IndexError or TypeError where it leads nowhere."""
    for step in path:
        data = data[step]
    return data
