"""What was meant by a text that is no quantity: a space, a unit in other letters, a comma."""

from __future__ import annotations

import re

from dralint.decode.wrong_type import Advice
from dralint.finding.words import listed
from dralint.kubernetes.quantity import parse_quantity

_AMOUNT = re.compile(r"([+-]?)\s*(\d[\d., _']*?|\.\d+)\s*([A-Za-z]*)", re.ASCII)
_THOUSANDS = re.compile(r"\d{1,3}(?:([, _'])\d{3})(?:\1\d{3})*(?:\.\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"\d+,\d{1,2}", re.ASCII)
_NAMES = {"kilo": "k", "mega": "m", "giga": "g", "tera": "t", "peta": "p", "exa": "e"}
_BINARY_NAMES = {"kibi": "k", "mebi": "m", "gibi": "g", "tebi": "t", "pebi": "p", "exbi": "e"}
_LONGEST = 40


def amount_meant(text: str) -> Advice:
    """Return what to write instead; `40GB` may be 40G or 40Gi, so that only its author can say."""
    match = _AMOUNT.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if match is None:
        return Advice("write a number with a suffix, such as 40Gi")
    number, sure = _number(match[2].strip())
    if number is None:
        return Advice("write a number with a suffix, such as 40Gi")
    suffixes = [match[3]] if _reads(f"{number}{match[3]}") else _suffixes(match[3])
    values = [f"{match[1]}{number}{suffix}" for suffix in suffixes if _reads(f"{number}{suffix}")]
    if len(values) == 1:
        return Advice(f'did you mean "{values[0]}"?', values[0], sure)
    if values:
        return Advice(f"write {listed(values, 'or', '')}: the first counts in thousands, the second in units of 1024")
    return Advice(f"write a suffix that Kubernetes knows, such as {number}Gi")


def _number(text: str) -> tuple[str | None, bool]:
    """Return the digits as Kubernetes takes them, and whether nothing else can be meant."""
    if re.fullmatch(r"\d+(?:\.\d+)?|\.\d+", text, re.ASCII):
        return text, True
    if _THOUSANDS.fullmatch(text):
        return re.sub(r"[, _']", "", text), False
    if _DECIMAL_COMMA.fullmatch(text):
        return text.replace(",", "."), False
    return None, False


def _suffixes(unit: str) -> list[str]:
    """Return the suffixes that may be meant by a unit in other letters."""
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
