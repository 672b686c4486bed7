"""Colours, links and wrapping for a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.report.safe import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Paint = Callable[[str, str], str]


_TAB = 4
_LONGEST = 1200
_ELEMENT = r"\[[^\]]*\]|\.?[^.\[ ]+(?:\[\d+\])*|."


def cells(text: str) -> list[tuple[str, int]]:
    """Return each character as it is shown, with its number of columns."""
    out: list[tuple[str, int]] = []
    column = 0
    for char in text:
        if char == "\t":
            shown, width = " " * (_TAB - column % _TAB), _TAB - column % _TAB
        elif " " <= char <= "~":
            shown, width = char, 1
        else:
            shown = printable(char)
            width = columns(shown)
        out.append((shown, width))
        column += width
    return out


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
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
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
