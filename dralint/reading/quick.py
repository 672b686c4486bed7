"""The quick reader: plain data of the common block style, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dralint.reading.problem import Json


def quick(text: str) -> tuple[Json] | None:
    """Return the value of `text` in a tuple, or None when only the exact reader can tell."""
    return None
