"""Values of quoted scalars: escapes and folded lines."""

from __future__ import annotations

import re
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
