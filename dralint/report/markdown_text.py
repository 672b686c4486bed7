"""Text of the input in Markdown: it becomes no link, picture, HTML or heading, and stays in its code span."""

from __future__ import annotations

import re
from html import unescape

from dralint.report.printable import printable

_MARKUP = re.compile(r"[\\`*_\[\]<>#|~&@$]|:(?=//)|(?<=www)\.", re.IGNORECASE)


def literal(text: str) -> str:
    """Return text that Markdown shows as it is, on one line: a character that could be markup is a reference."""
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", printable(text))


def code(text: str) -> str:
    """Return a code span on one line; its fence is longer than any run of backticks in the text."""
    text = printable(text)
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    space = " " if text.strip("` ") != text or not text else ""  # Markdown removes one at each end
    return f"{fence}{space}{text}{space}{fence}"


def without_marks(markdown: str) -> str:
    """Return Markdown as plain text: without code fences and `**`, and with characters in place of references."""
    out: list[str] = []
    fence = ""
    for part in re.split("(`+)", markdown):
        if part.startswith("`") and fence in ("", part):
            fence = "" if fence else part
        else:
            out.append(part if fence else unescape(part.replace("**", "")))
    return "".join(out)
