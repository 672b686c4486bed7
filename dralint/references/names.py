"""Names with placeholders, which are not known yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.words import fits
from dralint.yaml.possessive import compiled

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

_MARKS = ("{{", "${", "$(", "{%")
PLACEHOLDER = compiled(
    r"\$?\{\{(?:[^{}]|\{(?!\{)|\}(?!\}))*+\}\}"
    r"|\{%(?:[^%{]|%(?!\})|\{(?!%))*+%\}"
    r"|\$\{(?:[^{}\n]|\{[^{}\n]*+\})++\}"
    r"|\$\([A-Za-z_][^()\n]*+\)"
)


def is_open(name: str | None) -> bool:
    """Say whether a name still has a placeholder."""
    return name is not None and ("{" in name or "$" in name) and any(mark in name for mark in _MARKS)


def fixed_parts(name: str) -> tuple[str, ...]:
    """Return the parts of a name between its placeholders; a name that it can become `fits` them."""
    return tuple(PLACEHOLDER.split(name))


def is_among(name: str, known: AbstractSet[str]) -> bool:
    """Say whether a name is one of the known ones, or fits one that is a pattern such as `*.example.com`."""
    return name in known or any(fits(name, pattern.split("*")) for pattern in known if "*" in pattern)
