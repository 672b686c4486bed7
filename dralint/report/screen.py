"""Text for a terminal: colours, links, wrapping, paragraphs and tables. In a pipe, no line is broken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.report.safe import printable, without_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dralint.report import Style

    Paint = Callable[[str, str], str]
    Words = str | tuple[str, str]
    Part = Words | list[list[Words]]

_TAB = 4
_ELEMENT = r"\[[^\]]*\]|\.?[^.\[ ]+(?:\[\d+\])*|."


def cells(text: str) -> Iterator[tuple[str, int]]:
    """Yield each character as it is shown, with its number of columns."""
    column = 0
    for char in text:
        if char == "\t":
            shown, width = " " * (_TAB - column % _TAB), _TAB - column % _TAB
        elif " " <= char <= "~":
            shown, width = char, 1
        else:
            shown = printable(char)
            width = columns(shown)
        yield shown, width
        column += width


def columns(text: str) -> int:
    """Return the number of columns of a text."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(text: str, width: int | None) -> list[str]:
    """Return the text in lines of at most `width` columns, broken at spaces if possible; in one line for None.

    A longer word is broken between the elements of a field path; if it is not a path, anywhere.
    """
    if width is None:
        return [text]
    if columns(text) <= width:
        return [text]
    lines: list[str] = []
    line, used = "", 0
    for word in text.split(" "):
        size = columns(word)
        if line and used + 1 + size > width:
            lines.append(line)
            line, used = "", 0
        if line:
            line, used = f"{line} {word}", used + 1 + size
            continue
        pieces = _broken(word, width) if size > width else [word]
        lines += pieces[:-1]
        line, used = pieces[-1], columns(pieces[-1])
    if line:
        lines.append(line)
    return lines


def _broken(word: str, width: int) -> list[str]:
    elements = re.findall(_ELEMENT, word)
    return _packed(elements if max(map(columns, elements)) <= width else word, width)


def _packed(parts: Iterable[str], width: int) -> list[str]:
    """Return the parts joined into pieces of at most `width` columns."""
    pieces: list[str] = []
    piece, used = "", 0
    for part in parts:
        size = columns(part)
        if piece and used + size > width:
            pieces.append(piece)
            piece, used = "", 0
        piece, used = piece + part, used + size
    return [*pieces, piece]


_BLUE, _ORANGE, _GREEN = "94", "38;5;166", "38;5;28"
SGR = {
    "bold": "1",
    "error": "1;31",
    "warning": f"1;{_ORANGE}",
    "info": f"1;{_BLUE}",
    "frame": f"1;{_BLUE}",
    "good": f"1;{_GREEN}",
}
"""Kind of text → parameters of an ANSI sequence.

Plain blue is not legible on black; yellow, cyan and plain green are not on white.
"""


def plain(text: str, what: str) -> str:
    """Return the text as it is."""
    return text


def ansi(text: str, what: str) -> str:
    """Return the text in the colour of its kind."""
    return f"\x1b[{SGR[what]}m{text}\x1b[0m" if text else text


def link(text: str, url: str) -> str:
    """Return the text as a link (OSC 8)."""
    return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if url else text


_NARROWEST = 40
_LAST_COLUMN = 24


def draw(parts: Iterable[Part], style: Style) -> str:
    """Return the parts as text with a final newline.

    Args:
        parts: each is a paragraph, or a table as a list of rows. A coloured word is a tuple with the name of its
            colour, a key of `SGR`. Control characters are made harmless.
        style: only its width and colour matter. On a terminal, paragraphs are wrapped between words with a hanging
            indent; in a table, only the last column is wrapped.
    """
    width = None if style.width is None else max(style.width, _NARROWEST)
    paint = ansi if style.color else plain
    lines = (
        line
        for part in parts
        for line in (_table(part, width, paint) if isinstance(part, list) else _paragraph(part, width, paint))
    )
    return without_commands("".join(f"{line}\n" for line in lines))


def _paragraph(words: Words, width: int | None, paint: Paint) -> Iterator[str]:
    text = _text(words)
    indent = len(text) - len(text.lstrip())
    for number, line in enumerate(wrapped(text[indent:], None if width is None else width - indent - 2)):
        yield f"{' ' * (indent + 2 * bool(number))}{_painted(words, line, paint)}".rstrip()


def _table(rows: Sequence[Sequence[Words]], width: int | None, paint: Paint) -> Iterator[str]:
    widths = [max(columns(_text(words)) for words in column) for column in zip(*rows, strict=True)][:-1]
    beside = sum(widths) + 2 * len(widths)
    for *first, last in rows:
        lead = "".join(
            _painted(words, text, paint) + " " * (size + 2 - columns(text))
            for words, size in zip(first, widths, strict=True)
            for text in [_text(words)]
        )
        for line in wrapped(_text(last), None if width is None else max(width - beside, _LAST_COLUMN)):
            yield f"{lead}{_painted(last, line, paint)}".rstrip()
            lead = " " * beside


def _painted(words: Words, text: str, paint: Paint) -> str:
    return text if isinstance(words, str) else paint(text, words[1])


def _text(words: Words) -> str:
    return printable(words if isinstance(words, str) else words[0])
