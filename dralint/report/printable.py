"""Makes text of the input safe to show: it cannot control a terminal, and is not a command for a CI system."""

from __future__ import annotations

import re
from functools import cache

_UNSAFE = (
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_COMMAND = r"(?<![^\r\n])([^!-~\r\n]*):(?=[^\x00-\x7f]*:)|#(?=[^\x00-\x7f]*#(?:[A-Za-z]|[^\x00-\x7f])*\[)"
"""How a command for a CI system begins: `::error` at the start of a line (GitHub; actions/runner v2.319.1,
src/Runner.Common/ActionCommand.cs, after Trim), `##[error]` anywhere (GitHub, Azure), `##vso[` (Azure), `##teamcity[`.
.NET compares by culture there, so characters without a width can be in between."""
IN_TEXT = ("\u2236", "\u266f")
"""Signs in place of `:` and `#` that are as wide; the next ones mean the same in JSON, and in XML and Markdown."""
IN_JSON = (r"\u003a", r"\u0023")
IN_MARKUP = ("&#58;", "&#35;")


@cache
def _command() -> re.Pattern[str]:
    return re.compile(_COMMAND)


def without_commands(text: str, signs: tuple[str, str] = IN_TEXT) -> str:
    """Return text of one or more lines in which no CI system finds a command: `##[error]` becomes `♯#[error]`.

    Args:
        text: the text as it reaches the log. Colours are left as they are.
        signs: what stands for the colon and the number sign that begin a command.
    """
    if text.isascii() and "::" not in text and "##" not in text:
        return text
    return _command().sub(lambda match: signs[1] if match[1] is None else match[1] + signs[0], text)


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
