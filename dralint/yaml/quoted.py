"""Values of quoted scalars, and the offset in the text of each character of a string value."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from dralint.yaml.place import TextError

if TYPE_CHECKING:
    from dralint.yaml.place import Edits


_BR = "\n\r\x85\u2028\u2029"
_SIMPLE = {
    "0": "\0",
    "a": "\x07",
    "b": "\x08",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\x0b",
    "f": "\x0c",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "'": "'",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
_CODES = {"x": 2, "u": 4, "U": 8}
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r\n|.|\Z)", re.DOTALL)


def decode_escapes(text: str, start: int, end: int, *, check_only: bool = False) -> str:
    """Return the value of the double-quoted scalar text[start:end] on one line.

    With `check_only`, an escaped line break is valid too, and the result is "". Raises TextError for an unknown escape.
    """

    def decode(match: re.Match[str]) -> str:
        escape = match[0]
        char = escape[1:2]
        if char in _SIMPLE:
            return _SIMPLE[char]
        if char in _CODES:
            if len(escape) == 2:
                raise TextError(
                    f"expected {_CODES[char]} hexadecimal digits after `\\{char}`",
                    match.start(),
                    match.end(),
                    hint="write `\\\\` for a backslash, or use single quotes",
                    edits=_doubled(text, start, end),
                )
            code = int(escape[2:], 16)
            if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
                raise TextError(
                    f"`{escape}` is not a Unicode character",
                    match.start(),
                    match.end(),
                    hint="write the character itself, or `\\U` with 8 digits",
                )
            return chr(code)
        if check_only and (not char or char in _BR):
            return ""
        raise TextError(
            f"`{escape}` is not an escape that YAML knows",
            match.start(),
            match.end(),
            hint="write `\\\\` for a backslash, or use single quotes",
            edits=_doubled(text, start, end),
        )

    if check_only:
        for match in _ESCAPE.finditer(text, start + 1, end):
            decode(match)
        return ""
    return _ESCAPE.sub(decode, text[start + 1 : end - 1])


def _doubled(text: str, start: int, end: int) -> Edits:
    """Return the edits that double each backslash without an escape."""
    found = _ESCAPE.finditer(text, start + 1, end)
    return tuple((match.start(), match.start(), "\\") for match in found if _unknown(match[0]))


def _unknown(escape: str) -> bool:
    char = escape[1:2]
    return char not in _SIMPLE and char not in _BR and not (char in _CODES and len(escape) > 2)


_BREAK = re.compile(f"\r\n|[{_BR}]")
_FURTHER = rf"[ \t]*((?:(?:\r\n|[{_BR}])[ \t]*)*)"
"""The blanks and empty lines after a line break."""
_PIECES = {
    style: re.compile(rf"[ \t]*(\r\n|[{_BR}]){_FURTHER}|{escaped}|([ \t]+)|{one}", re.DOTALL)
    for style, escaped, one in (
        ("", "(?!)()", "."),
        ("'", "(?!)()", "''|."),
        ('"', rf"\\(?:\r\n|[{_BR}]){_FURTHER}", r"\\(?:x.{2}|u.{4}|U.{8}|.)|."),
    )
}
"""The pieces of a scalar by its style: a folded line break, an escaped one, blanks, and what stands for a character."""
_JSON = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u.{4}|\\.|[^\\]", re.DOTALL)


@lru_cache(maxsize=2)  # a selector can have hundreds of findings
def offsets(text: str, start: int, end: int, style: str, indent: int) -> list[int]:
    """Return the offset in `text` of each character of a scalar's value, and the offset after the last one.

    The list is kept; nobody changes it.
    """
    if style == "":
        return _flow(text, start, end, "", end)
    if style in ("'", '"'):
        return _flow(text, start + 1, end - 1, style, end - 1)
    if style == "j":
        return [*(match.start() for match in _JSON.finditer(text, start + 1, end - 1)), end - 1]
    return _block(text, start, end, style, indent)


def _flow(text: str, start: int, end: int, quote: str, last: int) -> list[int]:
    found: list[int] = []
    for piece in _PIECES[quote].finditer(text, start, end):
        if piece[1] is not None:
            kept = [line.start() for line in _BREAK.finditer(text, *piece.span(2))]
            if piece[1] in "\u2028\u2029" or not kept:
                kept.insert(0, piece.start(1))
            found += kept
        elif piece[3] is not None:
            found += [line.start() for line in _BREAK.finditer(text, *piece.span(3))]
        else:
            found += range(*piece.span()) if piece[4] else [piece.start()]
    found.append(last)
    return found


def _block(text: str, start: int, end: int, style: str, indent: int) -> list[int]:
    found: list[int] = []
    header = _BREAK.search(text, start)
    if header is None:
        return [end]
    keeps = re.match(r"[|>][0-9]?([+-])?", text[start:])
    chomp = (keeps[1] or "") if keeps else ""
    pos = header.end()
    last: tuple[int, str] | None = None
    last_blank = False
    breaks: list[int] = []
    stop = end
    while True:
        line_break = _BREAK.search(text, pos)
        line_end = line_break.start() if line_break else len(text)
        content = pos + indent
        if content < line_end and pos < end:
            blank = text[content] in " \t"
            if last is not None and (style == "|" or last_blank or blank or last[1] in "\u2028\u2029" or not breaks):
                found.append(last[0])
            found += breaks
            breaks = []
            last_blank = blank
            found.extend(range(content, line_end))
            stop = line_end
            last = (line_end, line_break[0]) if line_break else None
        else:
            if (pos > end and text[pos:line_end].strip(" ")) or not line_break:
                break
            breaks.append(line_end)
        if line_break is None:
            break
        pos = line_break.end()
        if pos >= len(text):
            break
    if chomp != "-" and last is not None:
        found.append(last[0])
        stop = last[0] + 1
    if chomp == "+":
        found += breaks
        stop = breaks[-1] + 1 if breaks else stop
    found.append(stop)
    return found
