"""Colours and links of a terminal, legible on black and on white."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Paint = Callable[[str, str], str]

_SGR = {"bold": "1", "error": "1;31", "warning": "1;33", "info": "1;36", "frame": "1;94", "good": "1;32"}
"""What is painted → parameters of an ANSI sequence; plain blue (34) cannot be read on black."""


def plain(text: str, what: str) -> str:
    """Return the text as it is."""
    return text


def ansi(text: str, what: str) -> str:
    """Return the text in the colour of what it is."""
    return f"\x1b[{_SGR[what]}m{text}\x1b[0m" if text else text


def link(text: str, url: str) -> str:
    """Return the text as a link (OSC 8)."""
    return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if url else text
