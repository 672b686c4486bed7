"""An edit: a span of a file's text, and what takes its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace text[start:end] by `text`; offsets count Unicode characters, a byte order mark is none of them."""

    start: int
    end: int
    text: str

    def moved(self, by: int) -> Edit:
        """Return the same edit in a text in which this one starts `by` characters further on."""
        return Edit(self.start + by, self.end + by, self.text)


class UnplaceableError(Exception):
    """The layout of the text leaves no place for what is to be changed; the text says why."""


def moved(edits: Iterable[Edit], by: int) -> list[Edit]:
    """Return the edits of a document as edits of the file, in which the document starts at the offset `by`."""
    return [edit.moved(by) for edit in edits] if by else list(edits)
