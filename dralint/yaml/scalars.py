"""Values of scalars in Kubernetes, the place of each of their characters, and how Go prints a number."""

from __future__ import annotations

import re
import struct
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from dralint.yaml.nodes import BREAKS, TextError

if TYPE_CHECKING:
    from dralint.yaml.nodes import Edits

_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_FIRST = frozenset("yYnNtTfFoO~.+-0123456789")
_INTEGER = r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)|(0[0-7]*)|([1-9][0-9]*))"
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
_DOT_FLOAT = r"\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?"
_SIGNED_BINARY = r"0b([-+][01]+)"
_INT64 = range(-(2**63), 2**63)
_INFINITY = float("inf")

_cache: dict[str, bool | int | float | str | None] = {}


class JsonFloat(float):
    """A JSON number that is not written as an integer: Go refuses it for an integer field, even `1.0`."""

    __slots__ = ("text",)

    def __new__(cls, text: str) -> JsonFloat:
        """Keep `text` as it is written next to its value."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str

    def __reduce__(self) -> tuple[type[JsonFloat], tuple[str]]:
        """Pickle as the text."""
        return (JsonFloat, (self.text,))


def resolve(text: str) -> bool | int | float | str | None:
    """Return the value of the plain scalar `text`; floats stay floats here, even integral ones."""
    if text and text[0] not in _FIRST:
        return text
    try:
        return _cache[text]
    except KeyError:
        pass
    value = _resolve(text)
    if len(_cache) < 20_000 and len(text) < 100:
        _cache[text] = value
    return value


def _resolve(text: str) -> bool | int | float | str | None:
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first == ".":
        if re.fullmatch(_DOT_FLOAT, text):
            number = float(text)
            return text if number == _INFINITY else number
        return text
    if first not in "+-0123456789":
        return text
    bare = text.replace("_", "")
    if (match := re.fullmatch(_INTEGER, bare)) and len(bare) < 100:
        integer = _integer(match)
        if integer in _INT64 or (not match[1] and integer < 2**64):
            return integer
    if re.fullmatch(_FLOAT, bare):
        number = float(bare)
        return text if abs(number) == _INFINITY else number
    if (match := re.fullmatch(_SIGNED_BINARY, bare)) and len(bare) < 100:
        integer = int(match[1], 2)
        if integer in _INT64:
            return integer
    return text


def _integer(match: re.Match[str]) -> int:
    sign, *by_base = match.groups()
    integer = next(int(digits, base) for digits, base in zip(by_base, (16, 8, 2, 8, 10), strict=True) if digits)
    return -integer if sign == "-" else integer


def json_number(number: float) -> int | float:
    """Return the JSON number for a YAML float: an int when Go prints it as an integer."""
    if number.is_integer() and abs(number) < 1e21:
        return int(_fixed(number))
    return number


def number_text(value: int | float) -> str:
    """Return the JSON text of a number as Go's encoding/json prints it; a JSON number keeps its own text."""
    if isinstance(value, JsonFloat):
        return value.text
    if isinstance(value, int):
        return str(value)
    if value != 0 and not 1e-6 <= abs(value) < 1e21:
        digits, exponent = _digits(value)
        sign = "-" if value < 0 else ""
        mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        return f"{sign}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent)}"
    return _fixed(value)


def key_text(key: bool | int | float | str | None) -> str | None:
    """Return the string that a mapping key becomes; None if it cannot be a key (null, more than int64)."""
    if isinstance(key, str):
        return key
    if key is None:
        return None
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, int):
        return str(key) if key in _INT64 else None
    return _float32_text(key)


def _digits(number: float) -> tuple[str, int]:
    """Split into the shortest significant digits and the power of ten of the first one."""
    mantissa, _, power = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    exponent = int(power or 0) + len(whole) - 1
    if whole == "0":
        exponent = int(power or 0) - (len(fraction) - len(fraction.lstrip("0"))) - 1
    return digits.rstrip("0") or "0", exponent


def _fixed(number: float) -> str:
    sign = "-" if str(number)[0] == "-" else ""
    if number == 0:
        return sign + "0"
    return sign + _plain(*_digits(number))


def _plain(digits: str, exponent: int) -> str:
    """Write digits without an exponent; the first one stands for that power of ten."""
    if exponent < 0:
        return f"0.{'0' * (-exponent - 1)}{digits}"
    if len(digits) <= exponent + 1:
        return digits + "0" * (exponent + 1 - len(digits))
    return f"{digits[: exponent + 1]}.{digits[exponent + 1 :]}"


def _float32_text(number: float) -> str:
    """Print a float key as sigs.k8s.io/yaml does: shortest for 32 bits, exponents from 1e+06 and below 1e-04."""
    if number != number:
        return ".nan"

    try:
        single: float = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        single = _INFINITY if number > 0 else -_INFINITY
    if abs(single) == _INFINITY:
        return ".inf" if single > 0 else "-.inf"
    sign = "-" if str(single)[0] == "-" else ""
    if single == 0:
        return sign + "0"
    scientific = ""
    for precision in range(9):
        scientific = f"{abs(single):.{precision}e}"
        if struct.unpack("<f", struct.pack("<f", float(scientific)))[0] == abs(single):
            break
    mantissa, _, power = scientific.partition("e")
    digits = mantissa.replace(".", "")
    exponent = int(power)
    if -4 <= exponent < 6:
        return sign + _plain(digits, exponent)
    return f"{sign}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


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
_ESCAPE = r"(?s)\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r\n|.|\Z)"


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
        if check_only and (not char or char in BREAKS):
            return ""
        raise TextError(
            f"`{escape}` is not an escape that YAML knows",
            match.start(),
            match.end(),
            hint="write `\\\\` for a backslash, or use single quotes",
            edits=_doubled(text, start, end),
        )

    if check_only:
        for match in re.compile(_ESCAPE).finditer(text, start + 1, end):
            decode(match)
        return ""
    return re.sub(_ESCAPE, decode, text[start + 1 : end - 1])


def _doubled(text: str, start: int, end: int) -> Edits:
    """Return the edits that double each backslash without an escape."""
    found = re.compile(_ESCAPE).finditer(text, start + 1, end)
    return tuple((match.start(), match.start(), "\\") for match in found if _unknown(match[0]))


def _unknown(escape: str) -> bool:
    char = escape[1:2]
    return char not in _SIMPLE and char not in BREAKS and not (char in _CODES and len(escape) > 2)


_BREAK = f"\r\n|[{BREAKS}]"
_BREAKS = f"[{BREAKS}]+"
_LINE = f"([^{BREAKS}]*)(?:\r\n|[{BREAKS}]|\\Z)"
_FURTHER = rf"[ \t]*((?:(?:\r\n|[{BREAKS}])[ \t]*)*)"
"""The blanks and empty lines after a line break."""
_ESCAPED = rf"\\(?:\r\n|[{BREAKS}]){_FURTHER}"
_CHARACTER = {"": ("(?!)()", "."), "'": ("(?!)()", "''|."), '"': (_ESCAPED, r"\\(?:x.{2}|u.{4}|U.{8}|.)|.")}
"""Style → an escaped line break, and what stands for a character."""
_JSON = r"(?s)\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u.{4}|\\.|[^\\]"


@lru_cache(maxsize=2)  # a selector can have hundreds of findings
def offsets(text: str, start: int, end: int, style: str, indent: int, value: str) -> list[int]:
    """Return the offset in `text` of each character of a scalar's value, and the offset after the last one.

    The list is kept; nobody changes it.
    """
    if style == "":
        return _flow(text, start, end, "", end)
    if style in ("'", '"'):
        return _flow(text, start + 1, end - 1, style, end - 1)
    if style == "j":
        return [*(match.start() for match in re.compile(_JSON).finditer(text, start + 1, end - 1)), end - 1]
    return _block(text, start, end, indent, value)


@cache
def _pieces(style: str) -> re.Pattern[str]:
    """Return the pattern of a piece of a scalar: a folded line break, an escaped one, blanks, or a character."""
    escaped, one = _CHARACTER[style]
    return re.compile(rf"[ \t]*(\r\n|[{BREAKS}]){_FURTHER}|{escaped}|([ \t]+)|{one}", re.DOTALL)


def _flow(text: str, start: int, end: int, quote: str, last: int) -> list[int]:
    found: list[int] = []
    for piece in _pieces(quote).finditer(text, start, end):
        if piece[1] is not None:
            kept = [line.start() for line in re.compile(_BREAK).finditer(text, *piece.span(2))]
            if piece[1] in "\u2028\u2029" or not kept:
                kept.insert(0, piece.start(1))
            found += kept
        elif piece[3] is not None:
            found += [line.start() for line in re.compile(_BREAK).finditer(text, *piece.span(3))]
        else:
            found += range(*piece.span()) if piece[4] else [piece.start()]
    found.append(last)
    return found


def _block(text: str, start: int, end: int, indent: int, value: str) -> list[int]:
    """Return the offsets of a block scalar: of the line ends between two lines, the value shows how many it has."""
    found: list[int] = []
    breaks: list[int] = []
    lines = re.compile(_LINE).finditer(text, start)
    next(lines)  # the header
    for line in lines:
        first, last = line.start() + indent, line.end(1)
        if first < last and line.start() < end:
            if breaks:
                run = re.compile(_BREAKS).match(value, len(found))
                found += breaks[-len(run[0]) :] if run else breaks[-1:]
            found += range(first, last)
            breaks = [last]
        else:
            breaks.append(last)
        if line.start() >= end and len(found) + len(breaks) >= len(value):
            break
    found += breaks[: len(value) - len(found)]
    return [*found, found[-1] + 1 if found else end]
