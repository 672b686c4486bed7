"""Lines of a text, and values as YAML or JSON that Kubernetes' decoder reads the same."""

from __future__ import annotations

import re
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import TYPE_CHECKING

from dralint.edit.apply import UnplaceableError
from dralint.finding.finding import Edit
from dralint.yaml import JsonFloat, number_text
from dralint.yaml.nodes import ALIAS, SCALAR
from dralint.yaml.scalars import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.yaml import Json
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


_PLAIN = re.compile(r"[A-Za-z0-9./][A-Za-z0-9 ._/+@%()-]*(?::[A-Za-z0-9._/+@%()-]+)*\Z", re.ASCII)

_DATE = re.compile(r"\d+-\d")
"""Text that other readers of YAML read as a date."""


def scalar(value: Json, quote: str = "") -> str:
    """Return a scalar as YAML.

    Args:
        quote: the quotes to put around a string if they are possible; if empty, quotes are only used where needed.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | JsonFloat):
        return number_text(value)
    assert isinstance(value, str)
    if quote == "'" and value.isprintable() and value.isascii():
        return "'" + value.replace("'", "''") + "'"
    if not quote and is_plain(value):
        return value
    return encode_basestring(value) if value.isprintable() else encode_basestring_ascii(value)


def is_plain(value: str) -> bool:
    """Say whether a string is read as the same string without quotes."""
    return bool(_PLAIN.match(value)) and not _DATE.match(value) and value[-1] != " " and resolve(value) == value


_BRACKETS = frozenset(",[]{}")
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`")


def stays_plain(value: str, *, flow: bool) -> bool:
    """Say whether a string that had no quotes is still read as the same string without them.

    Args:
        flow: whether it is in a mapping or list in flow style.
    """
    if is_plain(value):
        return True
    if not value.isprintable() or value != value.strip() or not value or value[0] in _INDICATORS or _DATE.match(value):
        return False
    if ": " in value or " #" in value or value[-1] == ":" or (flow and not _BRACKETS.isdisjoint(value)):
        return False
    return resolve(value) == value


def flow(value: Json, quote: str = "") -> str:
    """Return a value as YAML on one line; with `"` as quote it is also JSON."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{scalar(key, quote)}: {flow(entry, quote)}" for key, entry in value.items())
        return "{" + pairs + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(entry, quote) for entry in value) + "]"
    return scalar(value, quote)


def block(value: Json, indent: int, step: int = 2, newline: str = "\n") -> str:
    """Return a value as it is written after `key:` in block style, with the white space before it.

    Args:
        indent: the column of the key.
        step: how much further a mapping in it is indented.
        newline: the line end of the file.
    """
    if isinstance(value, dict) and value:
        indent += step
    elif not isinstance(value, list) or not value:
        return f" {flow(value)}"
    return "".join(f"{newline}{' ' * indent}{line}" for line in _lines(value, step))


def _lines(value: Json, step: int) -> list[str]:
    """Return the lines of a mapping or list in block style, of any other value in flow style."""
    out: list[str] = []
    if isinstance(value, dict) and value:
        for key, entry in value.items():
            nested = isinstance(entry, dict | list) and bool(entry)
            inner = _lines(entry, step)
            deep = step if isinstance(entry, dict) else 0
            out += (
                [f"{scalar(key)}:", *(" " * deep + line for line in inner)]
                if nested
                else [f"{scalar(key)}: {inner[0]}"]
            )
        return out
    if isinstance(value, list) and value:
        for entry in value:
            first, *rest = _lines(entry, step)
            out += [f"- {first}", *(f"  {line}" for line in rest)]
        return out
    return [flow(value)]
