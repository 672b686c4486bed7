"""A text and its positions: dralint counts offsets in characters, editors count lines and code units."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from dralint.edit.apply import apply

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.finding.finding import Edit

Units: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
"""The unit in which an editor counts within a line."""

LARGEST_TEXT = 8 * 1024 * 1024
"""The largest text that is judged in an editor, in bytes; some seconds."""
_LINE_END = re.compile(r"\r\n|\r|\n")


class Position(NamedTuple):
    """A line and the number of code units before a place on it; both count from 0."""

    line: int
    character: int


class Span(NamedTuple):
    """A part of a text, in characters from its start; the end is exclusive."""

    start: int
    end: int


class Text:
    """A text that does not change.

    Args:
        text: the text; a byte order mark counts as its first character.
        version: the number that an editor gives it.
    """

    def __init__(self, text: str, version: int | None = None) -> None:
        self.text = text
        self.version = version

    @cached_property
    def raw(self) -> bytes:
        """The text in UTF-8."""
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def starts(self) -> list[int]:
        """Where each line starts; CRLF, CR and LF end lines."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def edited(self, start: int, end: int, new: str, version: int | None = None) -> Text:
        """Return the text with a part replaced; only the lines around it are read again."""
        other = Text(self.text[:start] + new + self.text[end:], version)
        first = max(bisect_right(self.starts, start) - 2, 0)
        last = bisect_right(self.starts, end) + 1  # one more line on both sides: a CR and a LF may meet
        grown = start + len(new) - end
        low = self.starts[first]
        high = self.starts[last] + grown if last < len(self.starts) else len(other.text)
        own = [low + match.end() for match in _LINE_END.finditer(other.text[low:high])]
        rest = self.starts[last:] if not grown else [at + grown for at in self.starts[last:]]
        other.starts = [*self.starts[: first + 1], *(own[:-1] if own and rest else own), *rest]
        return other

    def line(self, number: int) -> str:
        """Return a line, from 0, without its end; empty where there is no such line."""
        if not 0 <= number < len(self.starts):
            return ""
        start = self.starts[number]
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def offset(self, line: int, character: int, units: Units = "utf-32") -> int:
        """Return the offset of a position; one outside of the text becomes the nearest inside."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self.text)
        text = self.line(line)
        return self.starts[line] + min(_characters(text, max(character, 0), units), len(text))

    def position(self, offset: int, units: Units = "utf-32") -> Position:
        """Return the position of an offset."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.starts, offset) - 1
        return Position(line, _units(self.text[self.starts[line] : offset], units))

    def place(self, line: int, column: int) -> int:
        """Return the offset of a place of a finding: line and column from 1; a byte order mark has no column."""
        mark = line == 1 and self.text.startswith("\ufeff")
        return self.offset(line - 1, column - 1 + mark)

    def span(self, line: int, column: int, end_line: int, end_column: int) -> Span:
        """Return the part between two places of a finding."""
        start = self.place(line, column)
        return Span(start, max(start, self.place(end_line, end_column)))

    def changed(self, edits: Iterable[Edit]) -> str:
        """Return the text after edits; ValueError as `edit.apply`."""
        return apply(self.text, edits)


def _units(text: str, units: Units) -> int:
    if units == "utf-32" or text.isascii():
        return len(text)
    if units == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _characters(text: str, wanted: int, units: Units) -> int:
    """Return the number of characters with so many units; inside of a character, the place before it."""
    if units == "utf-32" or text.isascii():
        return wanted
    return bisect_right(range(len(text) + 1), wanted, key=lambda number: _units(text[:number], units)) - 1
