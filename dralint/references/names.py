"""Names with placeholders, which are not known yet."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

_MARKS = ("{{", "${", "$(", "{%")
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\$\{[^{}]*\}|\$\([^()]*\)")


def is_open(name: str | None) -> bool:
    """Say whether a name still has a placeholder."""
    return name is not None and ("{" in name or "$" in name) and any(mark in name for mark in _MARKS)


def pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of what a name with placeholders can become."""
    return re.compile(".*".join(map(re.escape, _PLACEHOLDER.split(name))) + r"\Z")


def is_among(name: str, known: AbstractSet[str]) -> bool:
    """Say whether a name is one of the known ones, or fits one that is a pattern such as `*.example.com`."""
    return name in known or any(fnmatchcase(name, pattern) for pattern in known if "*" in pattern)
