"""Edits mappings and lists in block style: moves entries below a new key or out of one, removes and inserts them.

All edits move whole lines. A comment on its own lines belongs to the entry below it. If it is indented further than the
entries, it belongs to the one above.
"""

from __future__ import annotations

import re
from array import array
from functools import lru_cache
from typing import TYPE_CHECKING

from dralint.edit import write
from dralint.edit.apply import UnplaceableError, apply, moved
from dralint.edit.write import (
    behind,
    column,
    content_end,
    gap,
    indent,
    is_blank,
    is_comment,
    line_end,
    line_start,
    lines,
    newline,
    shift,
    starts_line,
)
from dralint.finding.finding import Edit
from dralint.yaml.nodes import ALIAS, SCALAR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dralint.yaml import Json
    from dralint.yaml.nodes import Node

_DASHES = re.compile(r"[ \t]*(?:-[ \t]+)*\Z")
_COLON = re.compile(r"[ \t]*:")
_ANCHORED = re.compile(r"[ \t]*:[ \t]+&[^\s,\[\]{}]+[ \t]*(#[^\n]*)?\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*\Z")
"""The text between a key and a value with an anchor. Moved out of its mapping, the value loses the anchor."""
_ANCHOR = re.compile(r"[ \t]*:[ \t]+&[^\s,\[\]{}]+[ \t]+(#[^\r\n]*)")
_ONLY_COMMENT = re.compile(r"[ \t]*:[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*\Z")


@lru_cache(maxsize=2)
def starts(text: str, mapping: Node) -> array[int]:
    """Return where each entry of a mapping starts, with its comment lines above, and where the last one ends.

    The first entry starts at its key after a dash, otherwise with its line. The last answers are kept, because many
    entries of one mapping may change.
    """
    keys = mapping.children[::2]
    left = column(text, mapping.start)
    for position, key in enumerate(keys):
        before = text[line_start(text, key.start) : key.start]
        if not (_DASHES.match(before) if position == 0 else not before.strip()) or not _COLON.match(text, key.end):
            raise UnplaceableError("a key has an anchor, a tag or a `?`")
    first = mapping.start if not starts_line(text, mapping.start) else line_start(text, mapping.start)
    out = array("q", [first])
    for position in range(1, len(keys)):
        start, end = gap(text, content_end(mapping.children[2 * position - 1]))
        for at in lines(text, start, end):
            if is_comment(text, at) and indent(text, at) > left:
                start = line_end(text, at)
        out.append(start)
    start, end = gap(text, content_end(mapping.children[-1]))
    last = start
    for at in lines(text, start, end):
        if is_comment(text, at) and indent(text, at) >= left:
            last = line_end(text, at)
    out.append(last)
    return out


def wrap(
    text: str,
    mapping: Node,
    key: str,
    chosen: Sequence[int],
    step: int,
    more: Mapping[str, Json] | None = None,
) -> list[Edit]:
    """Return edits that move entries of a mapping below a new key, in the place of the first of them.

    The lines between them move after them.

    Args:
        key: the new key.
        chosen: the numbers of the entries that move, in order.
        step: how far the moved entries are indented below the new key.
        more: further entries to write below the new key.
    """
    left, end_of_line = column(text, mapping.start), newline(text)
    bounds = starts(text, mapping)
    if all(text[node.start] == '"' for node in mapping.children[::2]):
        key = write.scalar(key, '"')
    first, last = chosen[0], chosen[-1]
    start, end = bounds[first], bounds[last + 1]
    edits: list[Edit] = []
    if starts_line(text, start):
        while is_blank(text, start):
            start = line_end(text, start)
        edits.append(Edit(start, start, f"{' ' * left}{key}:{end_of_line}"))
    else:
        edits.append(Edit(start, start, f"{key}:{end_of_line}{' ' * (left + step)}"))
        start = line_end(text, start)
    between: list[str] = []
    for position in range(first, last + 1):
        low, high = max(bounds[position], start), bounds[position + 1]
        if position in chosen:
            edits += shift(text, low, high, step, left)
        else:
            edits.append(Edit(low, high, ""))
            between.append(text[low:high])
    if more:
        added = write.block(dict(more), left, step, end_of_line).removeprefix(end_of_line)
        between.insert(0, f"{added}{end_of_line}")
    if between:
        cut = "".join(between)
        if not text.endswith("\n", 0, end):
            cut = end_of_line + cut.removesuffix("\n").removesuffix("\r")
        edits.append(Edit(end, end, cut))
    return edits


def unwrap(text: str, mapping: Node, position: int, step: int = 2, *, alphabetical: bool = False) -> list[Edit]:
    """Return edits that replace entry number `position` by the entries below its key.

    Keys in `alphabetical` order stay so.
    """
    key, value = mapping.children[2 * position : 2 * position + 2]
    if value.kind == ALIAS:
        rows = write.block(value.data, column(text, mapping.start) - step, step, newline(text))
        return [Edit(key.start, value.end, rows.lstrip())]
    if value.style == "{":
        return _unwrap_flow(text, mapping, key, value)
    if not _ONLY_COMMENT.match(text[key.end : value.start]) and not _ANCHORED.match(text[key.end : value.start]):
        raise UnplaceableError("its value has a tag")
    left, inner = column(text, mapping.start), column(text, value.start)
    bounds = starts(text, mapping)
    starts(text, value)  # refuses what cannot move
    end = bounds[position + 1]
    following = line_end(text, key.start)
    comment = behind(text, _colon_end(text, key)) or _behind_anchor(text, key)
    edits: list[Edit] = []
    if starts_line(text, key.start):
        replaced = f"{' ' * left}{comment}{newline(text)}" if comment else ""
        edits.append(Edit(line_start(text, key.start), following, replaced))
    elif comment:
        edits.append(Edit(key.start, following, comment + newline(text)))
    else:
        target = value.start
        for at in lines(text, following, line_start(text, value.start)):
            if is_comment(text, at):
                target = at + indent(text, at)
                break
        edits.append(Edit(key.start, target, ""))
        following = line_end(text, target)
    edits += shift(text, following, end, left - inner, inner)
    return edits + (_sorted_in(text, mapping, position, bounds) if alphabetical else [])


def _sorted_in(text: str, mapping: Node, position: int, bounds: Sequence[int]) -> list[Edit]:
    """Return edits that keep entries in alphabetical order, as servers write them, when others move in between."""
    value = mapping.children[2 * position + 1]
    inner_bounds = starts(text, value)
    edits: list[Edit] = []
    for number, before in order(mapping, position):
        low, high = bounds[number], bounds[number + 1]
        edits += [Edit(low, high, ""), Edit(inner_bounds[before], inner_bounds[before], text[low:high])]
    return edits


def order(mapping: Node, position: int) -> list[tuple[int, int]]:
    """Return which entries after number `position` move, and before which entry of its value.

    All keys are in alphabetical order; no entry moves to the front.
    """
    keys, inner_keys = (
        [str(name) for name in own_keys(node)] for node in (mapping, mapping.children[2 * position + 1])
    )
    out: list[tuple[int, int]] = []
    for number in range(position + 1, len(keys)):
        before = next((i for i, key in enumerate(inner_keys) if key > keys[number]), None)
        if before == 0:
            return []
        if before is not None:
            out.append((number, before))
    return out


def _unwrap_flow(text: str, mapping: Node, key: Node, value: Node) -> list[Edit]:
    """Return edits that put each entry of a mapping in braces on its own line."""
    opening = text[_colon_end(text, key) : value.start].strip()
    if opening and not (opening.startswith("&") and len(opening.split()) == 1):
        raise UnplaceableError("its value has a tag, or a comment before the brace")
    left, end_of_line = column(text, mapping.start), newline(text)
    rows: list[str] = []
    children = value.children
    for number in range(0, len(children), 2):
        start, end = children[number].start, content_end(children[number + 1])
        following = children[number + 2].start if number + 2 < len(children) else value.end - 1
        rest = text[end:following].replace(",", "", 1).strip()
        source = text[start:end]
        if not _COLON.match(text, children[number].end) or "\n" in source:
            raise UnplaceableError("an entry in braces has no value, or runs over lines")
        first, *more = [line.strip() for line in rest.split("\n")]
        rows += [f"{source}  {first}" if first else source, *(line for line in more if line)]
    return [Edit(key.start, value.end, f"{end_of_line}{' ' * left}".join(rows))]


def remove(text: str, mapping: Node, position: int, *, comments: bool = True) -> list[Edit]:
    """Return edits that remove entry number `position`.

    Args:
        comments: whether the comments in and after it stay, on their own lines.
    """
    keys = mapping.children[::2]
    key, value = mapping.children[2 * position : 2 * position + 2]
    left, end_of_line = column(text, mapping.start), newline(text)
    end = content_end(value)
    kept = _hidden(text, key.start, end, value) if comments else []
    if len(keys) == 1:
        if kept:
            raise UnplaceableError("it is the only entry, and has comments")
        return [Edit(key.start, end, "{}")]
    starts(text, mapping)
    if starts_line(text, key.start):
        rows = "".join(f"{' ' * left}{comment}{end_of_line}" for comment in kept)
        return [Edit(line_start(text, key.start), line_end(text, end), rows)]
    following = line_end(text, end)
    if not kept:
        for at in lines(text, following, keys[1].start + 1):
            if not is_blank(text, at):
                return [Edit(key.start, at + indent(text, at), "")]
    return [Edit(key.start, following, f"{end_of_line}{' ' * left}".join(kept) + end_of_line)]


def append(text: str, collection: Node, row: str) -> list[Edit]:
    """Return edits that add an entry (`key: value`) or item (`- value`), further lines already indented, at the end."""
    left, end_of_line = column(text, collection.start), newline(text)
    at = line_end(text, content_end(collection))
    if text.endswith("\n", 0, at):
        return [Edit(at, at, f"{' ' * left}{row}{end_of_line}")]
    return [Edit(at, at, f"{end_of_line}{' ' * left}{row}")]


def item_start(text: str, sequence: Node, position: int) -> int:
    """Return where the dash of a list item is."""
    left = column(text, sequence.start)
    at = line_start(text, sequence.children[position].start)
    floor = line_start(text, sequence.start)
    while at >= floor:
        dash = at + left
        if text.startswith("-", dash) and (at == floor or not text[at:dash].strip()):
            return dash
        at = line_start(text, at - 1) if at else -1
    raise UnplaceableError("the item's dash cannot be found")


def remove_item(text: str, sequence: Node, position: int, *, comments: bool = True) -> list[Edit]:
    """Return edits that remove an item of a list; for `comments` see `remove`."""
    left, end_of_line = column(text, sequence.start), newline(text)
    items = sequence.children
    dash, end = item_start(text, sequence, position), content_end(items[position])
    kept = _hidden(text, dash, end, items[position]) if comments else []
    if len(items) == 1:
        if kept or not starts_line(text, dash):
            raise UnplaceableError("it is the only item, and has comments or is in a list of lists")
        return [Edit(dash, end, "[]")] if left else [Edit(dash, end, " []")]
    rows = [f"{' ' * left}{comment}{end_of_line}" for comment in kept]
    if starts_line(text, dash):
        return [Edit(line_start(text, dash), line_end(text, end), "".join(rows))]
    if kept:
        raise UnplaceableError("it is on the line of another list's item, and has comments")
    return [Edit(dash, item_start(text, sequence, 1), "")]


def insert_item(text: str, sequence: Node, position: int, item: str) -> list[Edit]:
    """Return edits that add an item (its text after the dash) before item number `position`."""
    left, end_of_line = column(text, sequence.start), newline(text)
    dash = item_start(text, sequence, position)
    return [Edit(dash, dash, f"- {item}{end_of_line}{' ' * left}")]


def move(text: str, mapping: Node, position: int, home: Node) -> list[Edit]:
    """Return edits that move the lines of an entry, with its comments, to the end of another mapping."""
    bounds = starts(text, mapping)
    low, high = bounds[position], bounds[position + 1]
    by = column(text, home.start) - column(text, mapping.start)
    lines_of = apply(text[low:high], moved(shift(text, low, high, by, column(text, mapping.start)), -low))
    target = starts(text, home)[-1]
    if low < target < high or not text.endswith("\n", 0, target) or not lines_of.endswith("\n"):
        raise UnplaceableError("it would move into itself, or after the last line")
    alone = len(mapping.children) == 2
    return [*(remove(text, mapping, position) if alone else [Edit(low, high, "")]), Edit(target, target, lines_of)]


def nest(text: str, mapping: Node, position: int, key: str, step: int) -> list[Edit]:
    """Return edits that replace the value of an entry by a mapping whose only entry, `key`, has that value.

    Only for a value on the line of its key.
    """
    left = column(text, mapping.start)
    colon = _colon_end(text, mapping.children[2 * position])
    if mapping.children[2 * position + 1].start >= line_end(text, colon):
        raise UnplaceableError("its value is on its own line")
    return [Edit(colon, colon, f"{newline(text)}{' ' * (left + step)}{key}:")]


def unnest(text: str, mapping: Node, position: int) -> list[Edit]:
    """Return edits that replace a mapping by the value of its only entry: the opposite of `nest`."""
    key, value = mapping.children[2 * position : 2 * position + 2]
    colon = _colon_end(text, key)
    if value.style == "{":
        start, end = value.children[0].end, content_end(value.children[1])
        inner = _COLON.match(text, start)
        if inner is None or text[end : value.end - 1].strip(" ,") or "\n" in text[value.start : value.end]:
            raise UnplaceableError("its braces hold a comment, or run over lines")
        return [Edit(colon, inner.end(), ""), Edit(end, value.end, "")]
    if not _ONLY_COMMENT.match(text[key.end : value.start]):
        raise UnplaceableError("its value has an anchor or a tag")
    left, end_of_line = column(text, mapping.start), newline(text)
    inner_colon = _colon_end(text, value.children[0])
    comments = [comment for comment in (behind(text, colon),) if comment]
    comments += [
        text[at : line_end(text, at)].strip()
        for at in lines(text, line_end(text, colon), line_start(text, value.start))
        if is_comment(text, at)
    ]
    edits = [Edit(colon, inner_colon, "")]
    if comments:
        if not starts_line(text, key.start):
            raise UnplaceableError("the key is after a dash, and has a comment")
        at = line_start(text, key.start)
        rows = "".join(f"{' ' * left}{comment}{end_of_line}" for comment in comments)
        edits.append(Edit(at, at, rows))
    following = line_end(text, inner_colon)
    end = line_end(text, content_end(value))
    return edits + shift(text, following, end, left - column(text, value.start), left)


def own_keys(mapping: Node) -> list[str | None]:
    """Return the keys of a mapping's own entries; None if it has a merge key."""
    return [None if key.merge else key.key for key in mapping.children[::2]]


def _colon_end(text: str, key: Node) -> int:
    match = _COLON.match(text, key.end)
    if match is None:
        raise UnplaceableError("a key has no colon after it")
    return match.end()


def _behind_anchor(text: str, key: Node) -> str:
    match = _ANCHOR.match(text, key.end)
    return match[1].rstrip() if match else ""


def _hidden(text: str, start: int, end: int, node: Node) -> list[str]:
    """Return the comments in text[start:end] and after it; text in the scalars of `node` is not a comment."""
    out: list[str] = []
    at = start
    for low, high in [*_scalars(node), (end, end)]:
        out += re.findall(r"(?:(?<=\s)|^)#[^\r\n]*", text[at:low])
        at = max(at, high)
    comment = behind(text, end)
    return [found.rstrip() for found in out] + ([comment] if comment else [])


def _scalars(node: Node) -> list[tuple[int, int]]:
    """Return start and end of the scalars below a node, in order."""
    out: list[tuple[int, int]] = []
    todo = [node]
    while todo:
        found = todo.pop()
        if found.kind == SCALAR:
            # The header of a block scalar can have its own comment.
            out.append((found.start, found.end))
        elif found.style in ("[", "{", ":", "-"):
            todo.extend(reversed(found.children))
    return sorted(out)
