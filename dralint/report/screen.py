"""Text for a terminal: colours, links, wrapping; paragraphs and tables, which rich draws.

In a pipe, the same text is plain: lines are not broken, and dralint does not import rich.
"""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING

from dralint.report.safe import printable, without_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.console import Console
    from rich.text import Text

    from dralint.report import Style

    Paint = Callable[[str, str], str]
    Words = str | tuple[str, str]
    Part = Words | list[list[Words]]

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


_NARROWEST = 40
_LAST_COLUMN = 24
_UNLIMITED = 1 << 20


def draw(parts: Iterable[Part], style: Style) -> str:
    """Return the parts as text with a final newline.

    Args:
        parts: each is a paragraph, or a table as a list of rows. A coloured word is a tuple with the name of its
            colour, a key of `SGR`. Control characters are made harmless.
        style: only its width and colour matter. On a terminal, paragraphs are wrapped between words with a hanging
            indent; in a table, only the last column is wrapped.
    """
    plain = style.width is None and not style.color
    return without_commands("".join(f"{line}\n" for line in (_plain(parts) if plain else _drawn(parts, style))))


def _plain(parts: Iterable[Part]) -> Iterator[str]:
    for part in parts:
        if not isinstance(part, list):
            yield _text(part)
            continue
        rows = [[_text(words) for words in row] for row in part]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            yield "  ".join(f"{text:{width}}" for text, width in zip(row, widths, strict=True)).rstrip()


def _drawn(parts: Iterable[Part], style: Style) -> Iterator[str]:
    from rich.console import Console

    width = _UNLIMITED if style.width is None else max(style.width, _NARROWEST)
    console = Console(
        file=StringIO(),
        force_terminal=True,
        legacy_windows=False,
        color_system="256" if style.color else None,
        highlight=False,
        _environ={},
    )
    for part in parts:
        console.width = width
        with console.capture() as capture:
            if isinstance(part, list):
                _print_table(part, console)
            else:
                _print_paragraph(part, console)
        yield from (line.rstrip() for line in capture.get().removesuffix("\n").split("\n"))


def _print_paragraph(words: Words, console: Console) -> None:
    from rich.text import Text

    text = _text(words)
    indent = len(text) - len(text.lstrip())
    room = console.width - indent - 2
    for number, line in enumerate(_painted(words, text[indent:]).wrap(console, room)):
        line.rstrip()
        console.print(Text(" " * (indent + 2 * bool(number))) + line, soft_wrap=True)


def _print_table(rows: Sequence[Sequence[Words]], console: Console) -> None:
    from rich.cells import cell_len
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    *first, _ = zip(*rows, strict=True)
    for _ in first:
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*(_painted(words, _text(words)) for words in row))
    beside = sum(2 + max(cell_len(_text(words)) for words in column) for column in first)
    console.width = max(console.width, beside + _LAST_COLUMN)  # otherwise rich would cut names to fit the table
    console.print(table)


def _painted(words: Words, text: str) -> Text:
    from rich.text import Text

    return Text(text) if isinstance(words, str) else Text.from_ansi(ansi(text, words[1]))


def _text(words: Words) -> str:
    return printable(words if isinstance(words, str) else words[0])
