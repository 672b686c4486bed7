"""Makes text of the input safe to show: no control character of a manifest or a file name reaches the terminal."""

from __future__ import annotations

import re
from functools import cache

_UNSAFE = (
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


@cache
def _unsafe() -> re.Pattern[str]:
    """Return the pattern. Most texts do not need it, and compiling it takes longer than reading them."""
    return re.compile(_UNSAFE)


def printable(text: str) -> str:
    """Return the text on one line, as long as before; control characters become pictures (ESC is ␛) or U+FFFD."""
    if text.isprintable():
        return text
    text = text.replace("\n", "\u240a")  # the most frequent one; there may be a million
    return text if text.isprintable() else _unsafe().sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
