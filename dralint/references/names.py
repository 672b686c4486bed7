"""Names that are not known yet: something still has to be put into them."""

from __future__ import annotations

import re

_MARKS = ("{{", "${", "$(", "{%")
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\$\{[^{}]*\}|\$\([^()]*\)")


def is_open(name: str | None) -> bool:
    """Say whether something still has to be put into the name."""
    return name is not None and ("{" in name or "$" in name) and any(mark in name for mark in _MARKS)


def pattern(name: str) -> re.Pattern[str]:
    """Return what a name with placeholders may become."""
    return re.compile(".*".join(map(re.escape, _PLACEHOLDER.split(name))) + r"\Z")
