"""Places in a file, and what reading has found there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dralint.yaml.place import Edits, Path


class Span(NamedTuple):
    """A stretch of the file; lines and columns (of Unicode code points) count from 1, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class ReadingProblem(NamedTuple):
    """Why a document, or a part of it, could not be read.

    `kind` is one of invalid-utf8, yaml-syntax, json-syntax, duplicate-key, missing-separator, bad-key,
    no-json-form, no-object, excessive-aliasing, too-deep, bad-separator, ignored-after-document-end, only-yaml,
    too-large.
    `related` are other places that explain it. `edits` of the document's text would mend it; `sure` says that nothing
    else can be meant.
    """

    kind: str
    message: str
    span: Span
    path: Path = ()
    hint: str | None = None
    related: tuple[tuple[str, Span], ...] = ()
    edits: Edits = ()
    sure: bool = False
