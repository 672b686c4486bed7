"""Comments in a manifest that suppress findings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """One id, prefix or name of a suppression; `start` and `end` are its place, in characters of the file."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Suppression:
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
