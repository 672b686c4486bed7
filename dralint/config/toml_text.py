"""Limits the nesting of a TOML text before the standard library reads it: long keys need memory in proportion to the
square of their parts, and brackets need Python's stack."""

from __future__ import annotations

import re

from dralint.yaml.possessive import compiled

_DEEPEST = 24
_TOKEN = compiled(
    r"""
      \#[^\n]*+
    | \"{3}(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\Z)
    | '{3}(?:[^']|'(?!''))*+(?:'{3,5}|\Z)
    | "(?:[^"\\\n]|\\.)*+"?
    | '[^'\n]*+'?
    | [][{}.=,\n]
    """,
    re.DOTALL | re.VERBOSE,
)


def too_deep(text: str) -> int | None:
    """Return the first line with brackets nested, or a key with parts, more than 24 times; None for none."""
    depth = dots = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark == ".":
            dots += 1
        elif mark in ("=", ",", "\n", "[", "{", "]", "}"):
            dots = 0
            depth = depth + 1 if mark in "[{" else max(0, depth - 1) if mark in "]}" else depth
        if dots > _DEEPEST or depth > _DEEPEST:
            return text.count("\n", 0, token.start()) + 1
    return None
