"""The differences between versions of Go in reading patterns."""

from __future__ import annotations

from typing import Final

from dralint.records import NamedTuple


class Patterns(NamedTuple):
    """How the Go version of a release reads patterns."""

    class_names: str
    """How names of classes are found: `exact` (until Go 1.24), or `folded` (Go 1.25 and later)."""


NEWEST: Final = Patterns("folded")
"""How the newest Go reads patterns: those of schemas and packs."""
