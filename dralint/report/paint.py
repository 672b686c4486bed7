"""Colours and links for a terminal that are legible on black and on white.

`check` colours and wraps its findings with this module and `wrap`, without rich: importing rich takes 40 to 50 ms of
CPU, a quarter of the time to the first finding. For answers with tables, `screen` uses rich.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Paint = Callable[[str, str], str]

_BLUE, _ORANGE, _GREEN = "94", "38;5;166", "38;5;28"
SGR = {
    "bold": "1",
    "error": "1;31",
    "warning": f"1;{_ORANGE}",
    "info": f"1;{_BLUE}",
    "frame": f"1;{_BLUE}",
    "good": f"1;{_GREEN}",
}
"""Kind of text → parameters of an ANSI sequence.

Plain blue is not legible on black; yellow, cyan and plain green are not on white.
"""


def plain(text: str, what: str) -> str:
    """Return the text as it is."""
    return text


def ansi(text: str, what: str) -> str:
    """Return the text in the colour of its kind."""
    return f"\x1b[{SGR[what]}m{text}\x1b[0m" if text else text


def link(text: str, url: str) -> str:
    """Return the text as a link (OSC 8)."""
    return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if url else text
