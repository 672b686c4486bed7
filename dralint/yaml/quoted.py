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
_ESCAPE_LENGTH = {"x": 4, "u": 6, "U": 10}


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
        return _json(text, start + 1, end - 1)
    return _block(text, start, end, style, indent)


def _flow(text: str, start: int, end: int, quote: str, last: int) -> list[int]:
    found: list[int] = []
    pos = start
    blanks: list[int] = []
    breaks: list[tuple[int, str]] = []
    broken = False
    while pos < end:
        char = text[pos]
        if char in " \t":
            if not broken:
                blanks.append(pos)
            pos += 1
            continue
        if char in _BR:
            match = _BREAK.match(text, pos)
            assert match is not None
            if not broken:
                broken, blanks = True, []
                breaks = [(pos, match[0])]
            else:
                breaks.append((pos, match[0]))
            pos = match.end()
            continue
        found += _joined(broken, breaks) if broken else blanks
        blanks, breaks, broken = [], [], False
        if quote == '"' and char == "\\":
            following = text[pos + 1]
            if following in _BR:
                match = _BREAK.match(text, pos + 1)
                assert match is not None
                broken = True
                breaks = [(-1, "")]
                pos = match.end()
                continue
            found.append(pos)
            pos += _ESCAPE_LENGTH.get(following, 2)
            continue
        found.append(pos)
        pos += 2 if quote == "'" and char == "'" else 1
    found += _joined(broken, breaks) if broken else blanks
    found.append(last)
    return found


def _joined(broken: bool, breaks: list[tuple[int, str]]) -> list[int]:
    """Return the offsets of the result of a folded line break: one space, or the breaks that stay."""
    if not broken:
        return []
    place, first = breaks[0]
    rest = [pos for pos, _ in breaks[1:]]
    if place < 0:
        return rest
    if first in "\u2028\u2029":
        return [place, *rest]
    return rest or [place]


def _json(text: str, start: int, end: int) -> list[int]:
    found: list[int] = []
    pos = start
    while pos < end:
        found.append(pos)
        if text[pos] != "\\":
            pos += 1
        elif text[pos + 1] != "u":
            pos += 2
        else:
            code = int(text[pos + 2 : pos + 6], 16)
            pos += 6
            if 0xD800 <= code < 0xDC00 and re.match(r"\\u[dD][c-fC-F]", text[pos : pos + 4]):
                pos += 6
    found.append(end)
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
