"""What is reported: a problem with its rule, file, line and column, and the report of a whole run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a finding; its end is exclusive, and 0 where it is not known."""

    message: str
    file: str
    line: int
    column: int
    end_line: int = 0
    end_column: int = 0


class Edit(NamedTuple):
    """A stretch of a file's text, in characters from its beginning (a byte order mark counts), and what replaces it."""

    start: int
    end: int
    text: str


class Fix(NamedTuple):
    """The edits that repair a finding; `safe` where the meaning is certain, otherwise they guess what was meant."""

    edits: tuple[Edit, ...]
    safe: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, as DESIGN's JSON has it: lines and columns count from 1, the end is exclusive.

    `object` is the object it concerns ({apiVersion, kind, namespace, name}), None for a document that has none.
    `parent` is where the field lies in which something is misplaced; reports show it with the excerpt.
    """

    rule: str
    name: str
    severity: str
    effect: str
    reason: str | None
    message: str
    hint: str | None
    file: str
    document: int
    line: int
    column: int
    end_line: int
    end_column: int
    object: dict[str, str | None] | None
    path: str
    releases: tuple[str, ...]
    related: tuple[Related, ...]
    url: str
    fix: Fix | None = None
    parent: Related | None = None

    @property
    def order(self) -> tuple[Any, ...]:
        """What findings are sorted by."""
        return (self.file, self.line, self.column, self.rule, self.path, self.message)

    @property
    def identity(self) -> tuple[Any, ...]:
        """What two findings share that differ only in the release, and in the reason that it gives."""
        return (self.file, self.document, self.line, self.column, self.rule, self.path, self.message)
