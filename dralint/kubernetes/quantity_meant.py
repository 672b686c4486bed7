"""Finds the quantity that an invalid text stands for: it has a space, a unit in other letters, or a comma."""

from __future__ import annotations

import re
from functools import lru_cache

from dralint.kubernetes.quantity import parse_quantity
from dralint.records import NamedTuple

_AMOUNT = re.compile(r"([+-]?)\s*(\d[\d., _']*?|\.\d+)\s*([A-Za-z]*)", re.ASCII)
_THOUSANDS = re.compile(r"\d{1,3}(?:([, _'])\d{3})(?:\1\d{3})*(?:\.\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"\d+,\d{1,2}", re.ASCII)
_RATE = re.compile(r"([kKMmGgTt])(?:bps|bits?|Hz|hz)", re.ASCII)
"""Units that are counted in thousands: bits in a second, and cycles."""
_NAMES = {"kilo": "k", "mega": "m", "giga": "g", "tera": "t", "peta": "p", "exa": "e"}
_BINARY_NAMES = {"kibi": "k", "mebi": "m", "gibi": "g", "tebi": "t", "pebi": "p", "exbi": "e"}
_LONGEST = 60
_OF_BYTES = re.compile(r"(?i)mem(?:ory)?(?![a-z])|vram|hbm|storage|disk|bytes|bandwidth")
"""What the names of capacities in bytes contain."""
_LARGE = 7
"""Digits from which on a number may count bytes."""


class Amounts(NamedTuple):
    """The quantities that a text may stand for, and whether its number has one possible meaning.

    `number` is the number alone if its unit is unknown, empty where there is no number.
    """

    values: tuple[str, ...]
    sure: bool
    number: str = ""


@lru_cache(maxsize=1024)
def amounts(text: str) -> Amounts:
    """Return the probable quantities for an invalid text: 40G and 40Gi for `40GB`."""
    match = _AMOUNT.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    number, sure = (None, False) if match is None else _number(match[2].strip())
    if match is None or number is None:
        return Amounts((), sure=False)
    rate = _RATE.fullmatch(match[3])
    if rate is not None:
        suffix = "k" if rate[1].lower() == "k" else rate[1].upper()
        return Amounts((f"{match[1]}{number}{suffix}",), sure=False, number=number)
    suffixes = [match[3]] if _reads(f"{number}{match[3]}") else _suffixes(match[3])
    values = tuple(f"{match[1]}{number}{suffix}" for suffix in suffixes if _reads(f"{number}{suffix}"))
    return Amounts(values, sure, number)


def is_few_bytes(name: str, value: str) -> bool:
    """Say whether a number lacks its unit: the capacity of this name is measured in bytes, and they would be few."""
    return _OF_BYTES.search(name) is not None and value.isdecimal() and len(value) < _LARGE and int(value) > 0


def _number(text: str) -> tuple[str | None, bool]:
    """Return the digits in the form of Kubernetes, and whether they have one possible meaning."""
    if re.fullmatch(r"\d+(?:\.\d+)?|\.\d+", text, re.ASCII):
        return text, True
    if _THOUSANDS.fullmatch(text):
        return re.sub(r"[, _']", "", text), False
    if _DECIMAL_COMMA.fullmatch(text):
        return text.replace(",", "."), False
    return None, False


def _suffixes(unit: str) -> list[str]:
    """Return the possible suffixes for a unit in other letters."""
    lower = re.sub(r"(?<=[a-z])(?:bytes?|b|s)$", "", unit.lower())
    lower = _NAMES.get(lower, lower)
    if lower in _BINARY_NAMES or (len(lower) == 2 and lower[0] in "kmgtpe" and lower[1] == "i"):
        return [_BINARY_NAMES.get(lower, lower[0]).upper() + "i"]
    if lower in ("b", "byte", "bytes"):
        return [""]
    if lower in ("gig", "meg"):
        lower = lower[0]
    if len(lower) == 1 and lower in "kmgtpe":
        return ["k" if lower == "k" else lower.upper(), f"{lower.upper()}i"]
    return []


def _reads(text: str) -> bool:
    try:
        parse_quantity(text)
    except ValueError:
        return False
    return True
