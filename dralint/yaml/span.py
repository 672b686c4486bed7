"""Places in a file, and the problems of reading it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.records import NamedTuple

if TYPE_CHECKING:
    from dralint.yaml.place import Edits, Path


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
