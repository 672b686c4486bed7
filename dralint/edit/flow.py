"""Edits mappings and lists in braces and brackets: JSON, and YAML in flow style, on one line or several."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.edit import write
from dralint.edit.apply import UnplaceableError, apply, moved
from dralint.edit.block import order
from dralint.edit.write import column, content_end, indent, line_start, newline, starts_line
from dralint.finding.finding import Edit
from dralint.yaml.nodes import ALIAS, MAPPING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dralint.yaml import Json
    from dralint.yaml.nodes import Node

_COLON = re.compile(r"[ \t]*:[ \t]*")
_HEAD = re.compile(r"\s*:\s*(?:&[^\s,\[\]{}]+\s+)?\{\s*\Z")


def key_text(text: str, mapping: Node, key: str) -> str:
    """Return a key with its colon, written like the keys of the mapping: `key: `, `"key": ` or `"key":`."""
    quoted = mapping.style == "{" and any(text[node.start] == '"' for node in mapping.children[::2])
    match = _COLON.match(text, mapping.children[0].end) if mapping.children else None
    tight = quoted and match is not None and match[0] == ":"
    return f'"{key}"' + (":" if tight else ": ") if quoted else f"{key}: "


def pieces(mapping: Node) -> list[tuple[int, int]]:
    """Return start and end of each entry, or each item of a list."""
    children = mapping.children
    if mapping.kind == MAPPING:
        return [(children[i].start, content_end(children[i + 1])) for i in range(0, len(children), 2)]
    return [(child.start, content_end(child)) for child in children]


def wrap(
    text: str, mapping: Node, key: str, chosen: Sequence[int], more: Mapping[str, Json] | None = None
) -> list[Edit]:
    """Return edits that move entries below a new key, in place of the first; the text between them moves after them.

    `chosen` has the numbers of the entries that move, `more` further entries to write below the new key.
    """
    spans = pieces(mapping)
    first, last = chosen[0], chosen[-1]
    start, end = spans[first][0], spans[last][1]
    head = key_text(text, mapping, key)
    opening = closing = comma = ""
    by = 0
    added = ", " + write.flow(dict(more), '"')[1:-1] if more else ""
    if starts_line(text, start):
        by = _step(text, mapping, start)
        here = " " * column(text, start)
        opening, closing = f"{newline(text)}{here}{' ' * by}", newline(text) + here
        if text[spans[-1][1] : mapping.end].lstrip().startswith(","):
            comma = ","
    else:
        opening = closing = _padding(text, mapping)
    if list(chosen) == list(range(first, last + 1)):
        inner = [Edit(start, start, f"{head}{{{opening}"), Edit(end, end, f"{added}{comma}{closing}}}")]
        return [*inner, *_shifted(text, start, end, by)] if by else inner
    stay = [position for position in range(first, last + 1) if position not in chosen]
    order = [*chosen, *stay]
    gaps = [text[spans[i][1] : spans[i + 1][0]] for i in range(first, last)]
    text_of = [text[low:high] for low, high in spans]
    group = "".join(text_of[i] + (gaps[n] if n < len(chosen) - 1 else "") for n, i in enumerate(chosen))
    if by:
        group = group.replace("\n", "\n" + " " * by)
    out = f"{head}{{{opening}{group}{added}{comma}{closing}}}"
    for n in range(len(chosen) - 1, len(order) - 1):
        out += gaps[n] + text_of[order[n + 1]]
    return [Edit(start, end, out)]


def unwrap(text: str, mapping: Node, position: int, *, alphabetical: bool = False) -> list[Edit]:
    """Return edits that replace entry number `position` by the entries below its key.

    Keys in `alphabetical` order stay so.
    """
    key, value = mapping.children[2 * position : 2 * position + 2]
    if value.kind == ALIAS:
        return [Edit(key.start, value.end, write.flow(value.data, '"')[1:-1])]
    spans = pieces(value)
    start, end = spans[0][0], spans[-1][1]
    head, tail = text[key.end : start], text[end : value.end]
    if not _HEAD.match(head) or tail.strip(" \t\r\n,") != "}":
        raise UnplaceableError("there is a comment, an anchor or a tag around its braces")
    laid_out = starts_line(text, start) and starts_line(text, key.start)
    moves = order(mapping, position) if alphabetical else []
    if moves:
        by = column(text, key.start) - column(text, start) if laid_out else 0
        return [_sorted_in(text, mapping, position, moves, by)]
    edits = [Edit(key.start, start, ""), Edit(end, value.end, "")]
    if laid_out:
        edits += _shifted(text, start, end, column(text, key.start) - column(text, start))
    return edits


def _sorted_in(text: str, mapping: Node, position: int, moves: list[tuple[int, int]], by: int) -> Edit:
    """Return the edit that replaces a key by the entries below it, with the `moves` of `block.order`."""
    value = mapping.children[2 * position + 1]
    inner, outer = pieces(value), pieces(mapping)
    last = moves[-1][0]

    def dedented(low: int, high: int) -> str:
        return apply(text[low:high], moved(_shifted(text, low, high, by), -low))

    gaps = [dedented(inner[i][1], inner[i + 1][0]) for i in range(len(inner) - 1)]
    gaps += [text[outer[i][1] : outer[i + 1][0]] for i in range(position, last)]
    rows: list[str] = []
    for number, span in enumerate(inner):
        rows += [text[slice(*outer[moving])] for moving, before in moves if before == number]
        rows.append(dedented(*span))
    gone = {number for number, _ in moves}
    rows += [text[slice(*outer[number])] for number in range(position + 1, last + 1) if number not in gone]
    shown = rows[0] + "".join(gap + row for gap, row in zip(gaps, rows[1:], strict=True))
    return Edit(outer[position][0], outer[last][1], shown)


def remove(text: str, collection: Node, position: int) -> list[Edit]:
    """Return edits that remove entry or item number `position` and one comma."""
    spans = pieces(collection)
    start, end = spans[position]
    if position + 1 < len(spans):
        gone = text[end : spans[position + 1][0]]
        span = (start, spans[position + 1][0])
    elif position:
        gone = text[spans[position - 1][1] : start]
        span = (spans[position - 1][1], end)
    else:
        gone = text[collection.start + 1 : start] + text[end : collection.end - 1]
        span = (collection.start + 1, collection.end - 1)
    if "#" in gone:
        raise UnplaceableError("there is a comment next to it")
    return [Edit(*span, "")]


def insert(text: str, collection: Node, piece: str, position: int | None = None) -> list[Edit]:
    """Return edits that add an entry or item before the one with that position, or at the end."""
    spans = pieces(collection)
    if position is not None and position < len(spans):
        at = spans[position][0]
        own_line = starts_line(text, at)
        return [Edit(at, at, f"{piece},{newline(text) + ' ' * column(text, at) if own_line else ' '}")]
    if not spans:
        return [Edit(collection.start + 1, collection.end - 1, piece)]
    at = spans[-1][1]
    if starts_line(text, spans[-1][0]):
        return [Edit(at, at, f",{newline(text)}{' ' * column(text, spans[-1][0])}{piece}")]
    return [Edit(at, at, f", {piece}")]


def nest(text: str, mapping: Node, position: int, key: str) -> list[Edit]:
    """Return edits that replace the value of an entry by a mapping whose only entry, `key`, has that value."""
    value = mapping.children[2 * position + 1]
    pad = _padding(text, mapping)
    return [
        Edit(value.start, value.start, f"{{{pad}{key_text(text, mapping, key)}"),
        Edit(value.end, value.end, f"{pad}}}"),
    ]


def unnest(text: str, mapping: Node, position: int) -> list[Edit]:
    """Return edits that replace a mapping by the value of its only entry."""
    value = mapping.children[2 * position + 1]
    start, end = value.children[1].start, content_end(value.children[1])
    if "#" in text[value.start : start] or "#" in text[end : value.end] or "&" in text[value.children[0].end : start]:
        raise UnplaceableError("there is a comment or an anchor within its braces")
    return [Edit(value.start, start, ""), Edit(end, value.end, "")]


def _padding(text: str, mapping: Node) -> str:
    """Return the space after the opening brace, if the first entry is on the same line."""
    return " " if text[mapping.start + 1 : mapping.start + 2] == " " else ""


def _step(text: str, mapping: Node, start: int) -> int:
    """Return how far the entries are indented below the line of their opening brace."""
    return max(column(text, start) - indent(text, line_start(text, mapping.start)), 1)


def _shifted(text: str, start: int, end: int, by: int) -> list[Edit]:
    """Return edits that indent the lines that start inside of text[start:end]."""
    edits: list[Edit] = []
    at = text.find("\n", start, end) + 1
    while at:
        if by > 0:
            edits.append(Edit(at, at, " " * by))
        else:
            edits.append(Edit(at, at + min(-by, indent(text, at)), ""))
        at = text.find("\n", at, end) + 1
    return [edit for edit in edits if edit.text or edit.end > edit.start]
