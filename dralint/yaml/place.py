"""JSON data, paths into it, places in a text, and the problems of reading it."""

from __future__ import annotations

from typing import Final, TypeAlias

from dralint.records import NamedTuple


class Span(NamedTuple):
    """A part of the file; lines and columns (in Unicode code points) count from 1, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class ReadingProblem(NamedTuple):
    """The reason why a document, or a part of it, could not be read.

    `kind` is one of invalid-utf8, yaml-syntax, json-syntax, duplicate-key, missing-separator, bad-key, no-json-form,
    no-object, excessive-aliasing, too-deep, bad-separator, ignored-after-document-end, only-yaml, too-large. `related`
    has other places that explain it. `edits` of the document's text would mend it; they are `sure` if they have one
    possible meaning.
    """

    kind: str
    message: str
    span: Span
    path: Path = ()
    hint: str | None = None
    related: tuple[tuple[str, Span], ...] = ()
    edits: Edits = ()
    sure: bool = False


MAX_DEPTH: Final = 10_000
"""go-yaml's limit for nested flow collections and for indentations, and the JSON decoder's for all nesting."""

MOST_LEVELS: Final = 1_000
"""Levels of nesting that dralint reads in YAML: as many as libyaml 0.2.6. The API server takes 10,000."""

BREAKS: Final = "\n\r\x85\u2028\u2029"
"""The characters that end a line of YAML 1.1; CR and LF together end one."""


def line_start(text: str, pos: int) -> int:
    """Return the offset at which the line of text[pos] starts."""
    while pos and text[pos - 1] not in BREAKS:
        pos -= 1
    return pos


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
