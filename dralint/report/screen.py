"""The output of `rules`, `simulate` and `upgrade` as text: paragraphs and tables, which rich draws on a terminal.

In a pipe, the same text is plain: lines are not broken, and dralint does not import rich.
"""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from dralint.report.safe import printable, without_commands
from dralint.report.wrap import ansi

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console
    from rich.text import Text

    from dralint.report import Style

    Words = str | tuple[str, str]
    Part = Words | list[list[Words]]

_NARROWEST = 40
_LAST_COLUMN = 24
_UNLIMITED = 1 << 20


def draw(parts: Iterable[Part], style: Style) -> str:
    """Return the parts as text with a final newline.

    Args:
        parts: each is a paragraph, or a table as a list of rows. A coloured word is a tuple with the name of its
            colour, a key of `paint.SGR`. Control characters are made harmless.
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
