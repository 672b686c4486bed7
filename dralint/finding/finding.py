"""A finding: a problem with its rule, file, line and column; and comments that suppress it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.problem import path_text
from dralint.finding.words import ALLOWED
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.catalogue import Rule
    from dralint.yaml import Path, Span


class Related(NamedTuple):
    """A related place that explains a finding; its end is exclusive, and 0 where unknown."""

    message: str
    file: str
    line: int
    column: int
    end_line: int = 0
    end_column: int = 0


RENDERED, RENDERED_HERE = "rendered from this template of a chart", "rendered from this template"
"""The messages of related places that are templates; the second one says that the file is there."""


class Edit(NamedTuple):
    """A range of a file's text, in characters from its start (a byte order mark counts), and its replacement."""

    start: int
    end: int
    text: str


class Fix(NamedTuple):
    """The edits that repair a finding; `safe` if they have one possible meaning, otherwise they are a guess."""

    edits: tuple[Edit, ...]
    safe: bool


class Finding(NamedTuple):
    """One finding, as in the JSON format: lines and columns count from 1, the end is exclusive.

    `object` is the object that it concerns ({apiVersion, kind, namespace, name}), None for a document without one.
    `parent` is the place of the field that contains a misplaced field; reports show it with the excerpt.
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
        """The key that sorts findings."""
        return (self.file, self.line, self.column, self.rule, self.path, self.message)

    def is_one_of(self, wanted: Collection[str]) -> bool:
        """Say whether its severity or its effect is one of these; a finding that a configuration calls advice has no
        effect."""
        return self.severity in wanted or (self.severity != "info" and self.effect in wanted)

    @property
    def identity(self) -> tuple[Any, ...]:
        """The key of findings that differ only in the release, its reason and what it allows."""
        what = self.message.partition(ALLOWED)[0]
        return (self.file, self.document, self.line, self.column, self.rule, self.path, what)


def of_rule(
    rule: Rule,
    file: str,
    document: int,
    span: Span,
    *,
    message: str,
    reason: str | None = None,
    hint: str | None = None,
    object: dict[str, str | None] | None = None,  # noqa: A002 - the name of the field
    path: Path = (),
    releases: tuple[str, ...] = (),
    related: tuple[Related, ...] = (),
    parent: Related | None = None,
    fix: Fix | None = None,
) -> Finding:
    """Return a finding of a rule at a place of a file; name, effect, severity and page are those of the rule."""
    return Finding(  # by position: keywords take twice as long
        rule.id,
        rule.name,
        rule.severity,
        rule.effect,
        reason,
        message,
        hint,
        file,
        document,
        *span,
        object,
        path_text(path),
        releases,
        related,
        rule.url,
        fix,
        parent,
    )


class Pattern(NamedTuple):
    """One id, prefix or name of a suppression; `start` and `end` are its place, in characters of the file."""

    text: str
    start: int
    end: int


class Suppression(NamedTuple):
    """One comment that suppresses findings.

    `line` and `column` are its place, `start` and `end` its characters in the file (with the white space before it),
    `first` and `last` the lines that it covers. A `malformed` one covers none: `meant` is its correct form, if known.
    """

    file: str
    document: int
    line: int
    column: int
    end_column: int
    start: int
    end: int
    first: int
    last: int
    patterns: tuple[Pattern, ...]
    reason: str = ""
    whole_file: bool = False
    malformed: str = ""
    meant: str = ""
