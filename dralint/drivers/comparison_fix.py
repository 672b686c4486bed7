"""Corrects a comparison of an attribute with a value of another type."""

from __future__ import annotations

import re

_COMPARISON = re.compile(
    r"(?P<attribute>device\.\w+\[(?P<mark>[\"'])[^\"']*(?P=mark)\](?:\.\w+|\[(?P=mark)[^\"']*(?P=mark)\]))"
    r" *(?P<sign>==|!=|>=|<=|>|<) *(?P<value>(?P<quote>[\"'])(?P<text>[^\"']*)(?P=quote)|-?\d+(?:\.\d+)*|true|false)"
)
_VERSION = re.compile(r"v?(\d{1,9}(?:\.\d{1,9}){0,2})", re.ASCII)
_INTEGER = re.compile(r"-?\d{1,18}", re.ASCII)
_TRUTH = ("true", "false")
_FUNCTIONS = {">": "isGreaterThan", "<": "isLessThan"}


def as_type(kind: str, comparison: str) -> str | None:
    """Return the comparison in the type of the attribute; None where that is not clear.

    Args:
        kind: the type of the attribute.
        comparison: the part of an expression.
    """
    found = _COMPARISON.fullmatch(comparison)
    if found is None:
        return None
    attribute, sign, quote = found["attribute"], found["sign"], found["mark"]
    text = found["value"] if found["text"] is None else found["text"]
    if kind == "version" and (version := _VERSION.fullmatch(text)) is not None:
        parts = ".".join(str(int(part)) for part in [*version[1].split("."), "0", "0"][:3])
        call = f"semver({quote}{parts}{quote})"
        function = _FUNCTIONS.get(sign)
        return f"{attribute}.{function}({call})" if function else f"{attribute}.compareTo({call}) {sign} 0"
    if kind == "int" and _INTEGER.fullmatch(text):
        return f"{attribute} {sign} {text}"
    if kind == "bool" and text.lower() in _TRUTH and sign in ("==", "!="):
        return f"{attribute} {sign} {text.lower()}"
    if kind == "string" and found["text"] is None and sign in ("==", "!="):
        return f"{attribute} {sign} {quote}{text}{quote}"
    return None
