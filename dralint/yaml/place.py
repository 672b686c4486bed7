"""JSON data, paths into it, and errors of texts."""

from __future__ import annotations

from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Path: TypeAlias = tuple[str | int, ...]
Edits: TypeAlias = tuple[tuple[int, int, str], ...]
"""Parts of a text (start, end) and their replacements."""


class TextError(Exception):
    """The error of a text that cannot be read; `start`, `end`, `related` and `edits` use offsets in that text."""

    def __init__(
        self,
        message: str,
        start: int,
        end: int | None = None,
        *,
        hint: str | None = None,
        kind: str = "yaml-syntax",
        related: tuple[tuple[str, int, int], ...] = (),
        edits: Edits = (),
        sure: bool = True,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = start + 1 if end is None else end
        self.hint = hint
        self.kind = kind
        self.related = related
        self.edits = edits
        self.sure = sure

    def moved(self, by: int) -> TextError:
        """Return the same error in a text that begins elsewhere."""
        return TextError(
            self.message,
            self.start + by,
            self.end + by,
            hint=self.hint,
            kind=self.kind,
            related=tuple((message, start + by, end + by) for message, start, end in self.related),
            edits=tuple((start + by, end + by, text) for start, end, text in self.edits),
            sure=self.sure,
        )
