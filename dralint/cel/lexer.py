"""Splits text into tokens like the compiler's lexer (grammar: google/cel-spec, doc/langdef.md, "Syntax").

The longest token wins; a character that cannot begin a token is an error and is skipped. If a token breaks off in the
middle (an unterminated string, a bad escape), everything up to and including the character that does not fit is
skipped: positions of later errors depend on it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from dralint.records import NamedTuple

_ESCAPE = r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
_TOKEN = re.compile(
    rf"""
    (?P<space>(?:[\t\ \r\n\f]+|//[^\n]*)+)
  | (?P<text>[bB]?(?:
        \"\"\"(?:{_ESCAPE}|[^\\])*?\"\"\"
      | '''(?:{_ESCAPE}|[^\\])*?'''
      | [rR]\"\"\"(?:.|\n)*?\"\"\"
      | [rR]'''(?:.|\n)*?'''
      | [rR]\"[^\"\n\r]*\"
      | [rR]'[^'\n\r]*'
      | \"(?:{_ESCAPE}|[^\\\"\n\r])*\"
      | '(?:{_ESCAPE}|[^\\'\n\r])*'
    ))
  | (?P<float>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
  | (?P<uint>0x[0-9a-fA-F]+[uU]|[0-9]+[uU])
  | (?P<int>0x[0-9a-fA-F]+|[0-9]+)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<quoted>`[A-Za-z0-9_.\-/\ ]+`)
  | (?P<mark>==|!=|<=|>=|&&|\|\||[<>\[\]{{}}().,\-!?:+*/%])
    """,
    re.VERBOSE,
)
_QUOTED_CHAR = re.compile(r"[A-Za-z0-9_.\-/ ]*")
_ESCAPE_CLASS = {"x": 2, "X": 2, "u": 4, "U": 8}


@cache
def _string_part(quote: str) -> re.Pattern[str]:
    """Return how a string may begin; the last part is an escape that breaks off."""
    return re.compile(
        rf"(?:{_ESCAPE}|[^\\\n\r{quote}])*"
        r"(?:\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?)?"
    )


UNCLOSED = "the string that begins with {} does not end on its line"
"""The message of the error for a quote without a second one."""
KEYWORDS = frozenset({"in", "true", "false", "null"})


class Token(NamedTuple):
    """`kind` is the text itself for marks and keywords, otherwise name, quoted, text, int, uint, float or end."""

    kind: str
    text: str
    start: int
    end: int


class LexicalError(NamedTuple):
    """Characters that are not a token: their start, where reading continues, and the problem."""

    start: int
    end: int
    message: str


def tokenize(expression: str, *, backquotes: bool) -> tuple[list[Token], list[LexicalError]]:
    """Split the expression; the last token has the kind `end`. `backquotes`: the release knows `a.\\`b-c\\``."""
    tokens: list[Token] = []
    errors: list[LexicalError] = []
    position, size = 0, len(expression)
    match_at = _TOKEN.match
    while position < size:
        match = match_at(expression, position)
        kind = match.lastgroup if match is not None else None
        if match is None or kind is None or (kind == "quoted" and not backquotes):
            dead = _dead_end(expression, position, backquotes=backquotes)
            resume = min(dead + 1, size)
            errors.append(LexicalError(position, resume, _complaint(expression, position, dead)))
            position = resume
            continue
        end = match.end()
        if kind != "space":
            text = match.group()
            if kind == "mark" or (kind == "name" and text in KEYWORDS):
                kind = text
            tokens.append(Token(kind, text, position, end))
        position = end
    tokens.append(Token("end", "", size, size))
    return tokens, errors


def _dead_end(text: str, start: int, *, backquotes: bool) -> int:
    """Return the first character that no token from `start` can continue with."""
    first = text[start]
    if first in "&|=":
        return start + 1
    if first in "\"'" or (first == "`" and backquotes):
        match = (_QUOTED_CHAR if first == "`" else _string_part(first)).match(text, start + 1)
        return match.end() if match is not None else start + 1
    return start


_TURNED = re.compile(r"=(?:([<>])|(!)(?=[\s\d\"'])|[ \t]+=(?!=))")
_APART = re.compile(r"(?<![!<>=])([!<>])[ \t]+\Z")


def misspelt_comparison(text: str, at: int) -> tuple[int, int, str] | None:
    """Return the start, end and right spelling of an operator with a blank in it, or with its characters swapped.

    `at` is the position of its `=`, which is not a token. Before an operand, `=!` may be two operators, and is none.
    """
    apart = _APART.search(text, max(0, at - 20), at)
    if apart is not None:
        return apart.start(), at + 1, f"{apart[1]}="
    turned = _TURNED.match(text, at)
    return None if turned is None else (at, turned.end(), f"{turned[1] or turned[2] or '='}=")


_BROKEN_OFF = {
    "&": 'a single "&" is not an operator: "and" is written "&&"',
    "|": 'a single "|" is not an operator: "or" is written "||"',
    "=": 'a single "=" is not an operator: equality is written "=="',
    "`": 'the back-quoted name is not closed, or has other characters than letters, digits, "_.-/" and space',
}


def _complaint(text: str, start: int, dead: int) -> str:
    first = text[start]
    if first in "\"'":
        if dead >= len(text) or text[dead] in "\n\r":
            return UNCLOSED.format(first)
        if text[dead] not in "0123456789xXuU" and text[dead - 1] == "\\":
            escape = text[dead - 1 : dead + 1]
            return f'"{escape}" is not an escape in a CEL string; a backslash that is meant as such is written "\\\\"'
        return (
            f'the escape "{text[max(start, text.rfind(chr(92), start, dead + 1)) : dead + 1]}" does not exist; '
            r"allowed are \n \t \r \\ \" \' \` \? \a \b \f \v, \x41, \u0041, \U00000041 and \101"
        )
    if first == "=" and (comparison := misspelt_comparison(text, start)) is not None:
        return f'"{text[comparison[0] : comparison[1]]}" is not an operator'
    if text.startswith("=~", start):
        return '"=~" is not an operator'
    if first in _BROKEN_OFF:
        return _BROKEN_OFF[first]
    if first.isascii() and first.isprintable():
        return f'the character "{first}" has no meaning here'

    shown = f'"{first}" ' if first.isprintable() else ""
    name = unicodedata.name(first, "").lower()
    return f"the character {shown}(U+{ord(first):04X}{', ' if name else ''}{name}) has no meaning here"


class EscapeError(ValueError):
    """An escape that the lexer accepts and the compiler refuses."""


_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def unquote(token: str, *, surrogates: bool = False) -> str | bytes:
    """Return the value of a string or bytes token; EscapeError for an escape without a character.

    `surrogates`: halves of surrogate pairs become U+FFFD instead of an error (until 1.32).
    """
    opening = _OPENING.match(token)
    assert opening is not None
    as_bytes, raw, quote = opening.groups()
    body = token[opening.end() : -len(quote)].replace("\r\n", "\n").replace("\r", "\n")
    parts: list[str | int] = [body] if raw else [_part(piece[0]) for piece in _BODY.finditer(body)]
    if as_bytes:
        wide = next((piece[0] for piece in _BODY.finditer(body) if not raw and piece[0][:2] in ("\\u", "\\U")), None)
        if wide is not None:
            raise EscapeError(f'the escape "{wide}" is not allowed in bytes; write the bytes as \\x41')
        octets = (bytes([p]) if isinstance(p, int) else p.encode("utf-8", "surrogatepass") for p in parts)
        return b"".join(octets)
    text: list[str] = []
    for part in parts:
        if isinstance(part, str):
            text.append(part)
        elif surrogates and 0xD800 <= part <= 0xDFFF:
            text.append("\ufffd")
        elif part > 0x10FFFF or 0xD800 <= part <= 0xDFFF:
            raise EscapeError(f"{part:#x} is not a Unicode character")
        else:
            text.append(chr(part))
    return "".join(text)


_OPENING = re.compile(r"([bB]?)([rR]?)(\"\"\"|'''|[\"'])")
_BODY = re.compile(rf"{_ESCAPE}|[^\\]+")


def _part(written: str) -> str | int:
    """Return a part of a string, or the code that an escape gives."""
    if written[0] != "\\":
        return written
    letter = written[1]
    if letter in _ESCAPE_CLASS:
        return int(written[2:], 16)
    return int(written[1:], 8) if letter in "0123" else _SIMPLE.get(letter, letter)
