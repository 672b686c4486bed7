"""Lines of a text: where they start and end, which are comments, and how far they are indented."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.edit.edit import UnplaceableError
from dralint.finding.finding import Edit
from dralint.yaml.nodes import ALIAS, SCALAR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.yaml.nodes import Node

_SPACES = re.compile(r"[ \t]*")
_BEHIND = re.compile(r"[ \t]*(#[^\r\n]*)?")


def line_start(text: str, pos: int) -> int:
    """Return the offset at which the line of text[pos] starts."""
    return text.rfind("\n", 0, pos) + 1


def line_end(text: str, pos: int) -> int:
    """Return the offset after the line end of the line of text[pos]."""
    return text.find("\n", pos) + 1 or len(text)


def column(text: str, pos: int) -> int:
    """Return how many characters precede text[pos] on its line."""
    return pos - line_start(text, pos)


def indent(text: str, pos: int) -> int:
    """Return how far the line that starts at `pos` is indented."""
    match = _SPACES.match(text, pos)
    assert match is not None
    return match.end() - pos


def is_blank(text: str, pos: int) -> bool:
    """Say whether the line that starts at `pos` has only white space."""
    return not text[pos : line_end(text, pos)].strip()


def is_comment(text: str, pos: int) -> bool:
    """Say whether the line that starts at `pos` has only a comment (or text like one in a scalar)."""
    return text.startswith("#", pos + indent(text, pos))


def starts_line(text: str, pos: int) -> bool:
    """Say whether only white space precedes text[pos] on its line."""
    while pos and text[pos - 1].isspace() and text[pos - 1] != "\n":  # not from the start of a line: it may be long
        pos -= 1
    return not pos or text[pos - 1] == "\n"


def behind(text: str, pos: int) -> str:
    """Return the comment that follows text[pos] on its line, empty when there is none (or something else)."""
    match = _BEHIND.match(text, pos)
    assert match is not None
    return (match[1] or "").rstrip()


def newline(text: str) -> str:
    """Return the line end that the text uses."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def lines(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets at which lines start, from `start` (which is one) to `end`, exclusive."""
    while start < end:
        yield start
        start = line_end(text, start)


def content_end(node: Node) -> int:
    """Return the offset after the last character of a node's content."""
    while node.kind not in (SCALAR, ALIAS) and node.style in (":", "-") and node.children:
        node = node.children[-1]
    return node.end


def gap(text: str, pos: int) -> tuple[int, int]:
    """Return start and end of the blank lines and comments that follow the line of text[pos]."""
    start = at = line_end(text, pos)
    while at < len(text) and (is_blank(text, at) or is_comment(text, at)):
        at = line_end(text, at)
    return start, at


def shift(text: str, start: int, end: int, by: int, limit: int) -> list[Edit]:
    """Return edits that indent (or outdent, if `by` is negative) the lines from `start` to `end`.

    Comments left of the column `limit` do not belong to the moved lines and stay, as empty lines do. A comment that
    would end up right of the moved lines is outdented.
    """
    edits: list[Edit] = []
    for at in lines(text, start, end):
        width = indent(text, at)
        if not text[at : line_end(text, at)].strip("\r\n"):
            continue
        cut = min(-by, width)
        if is_comment(text, at) and width < limit:
            cut = width - limit - by  # not further left than its neighbours
            if by > 0 or cut <= 0:
                continue
        if by > 0:
            edits.append(Edit(at, at, " " * by))
        elif cut > 0:
            if "\t" in text[at : at + cut]:
                raise UnplaceableError("the indentation has tabs")
            edits.append(Edit(at, at + cut, ""))
    return edits
