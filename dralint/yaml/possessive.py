"""Regular expressions with possessive groups, for each Python that dralint supports.

CPython 3.11.0 to 3.11.4 (3.11.2 in Debian 12) lose the place in `(?:...)*+` when a repetition ends within the group
(gh-106052), and silently do not match. For these, dralint writes the same with an atomic group.
"""

from __future__ import annotations

import re
import sys
from typing import AnyStr

_SOUND = sys.version_info >= (3, 11, 5)


def compiled(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return the compiled pattern; it matches the same text in each Python."""
    if _SOUND:
        return re.compile(pattern, flags)
    if isinstance(pattern, bytes):
        return re.compile(with_atomic_groups(pattern.decode("latin-1")).encode("latin-1"), flags)
    return re.compile(with_atomic_groups(pattern), flags)


def with_atomic_groups(pattern: str) -> str:
    """Return a pattern in which `(?:...)*+` is `(?>(?:...)*)`, and likewise `++` and `?+`."""
    out: list[str] = []
    groups: list[int] = []  # where the open groups begin in `out`
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            out.append(pattern[at : at + 2])
            at += 2
        elif char == "[":
            end = _end_of_set(pattern, at)
            out.append(pattern[at:end])
            at = end
        elif char == ")" and pattern[at + 1 : at + 2] in "*+?" and pattern[at + 2 : at + 3] == "+":
            start = groups.pop()
            out[start] = "(?>" + out[start]
            out.append(f"){pattern[at + 1]})")
            at += 3
        else:
            if char == "(":
                groups.append(len(out))
            elif char == ")":
                groups.pop()
            out.append(char)
            at += 1
    return "".join(out)


def _end_of_set(pattern: str, start: int) -> int:
    at = start + 2 if pattern[start + 1] == "^" else start + 1
    first = at
    while pattern[at] != "]" or at == first:
        at += 2 if pattern[at] == "\\" else 1
    return at + 1
