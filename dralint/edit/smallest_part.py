"""Finds the smallest part of a document that can be read alone, so that a change needs no reading of the whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dralint.edit.edit import reached
from dralint.edit.lines import line_start
from dralint.yaml.nodes import MAPPING, SCALAR, SEQUENCE, child

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.finding.finding import Edit
    from dralint.finding.problem import Change
    from dralint.yaml import Document, Json, Path
    from dralint.yaml.nodes import Node

_BEFORE = re.compile(r" *(?:- +)*")
"""The text before a key or an item on its line."""


class Part(NamedTuple):
    """An entry of a block mapping or an item of a block list, as its own document.

    `start` and `end` are its place in the text, `column` is the indentation of its first line, `data` its value, and
    `changes` are those of the repair, by paths in `data`.
    """

    start: int
    end: int
    column: int
    data: Json
    changes: list[Change]


def part_of(document: Document, base: Path, changes: Sequence[Change], edits: Sequence[Edit]) -> Part | None:
    """Return the part of a document with the changes and their edits; None where only the whole document shows the
    result.

    The text around such a part does not change how it is read. The reader starts a line with the columns of the open
    collections, which are those of its parents, and ends them with the first line further left. An alias can lead
    anywhere, so there must be none.
    """
    root = document.root
    if document.is_json or document.may_have_aliases or root is None or root.kind == SCALAR:
        return None
    if any(len(change.path) < 1 for change in changes):
        return None
    path = _common([_holder(document.data, base, change) for change in changes])
    found = _innermost(root, path)
    if found is None:
        return None
    depth, first, following = found
    text, step = document.text, path[depth - 1]
    line = line_start(text, first.start)
    start = first.start if isinstance(step, str) else text.rfind("-", line, first.start)
    end = len(text) if following is None else line_start(text, following.start)
    if start < 0 or not _BEFORE.fullmatch(text, line, first.start):
        return None
    if following is not None and not _BEFORE.fullmatch(text, end, following.start):
        return None
    if any(not start <= edit.start <= edit.end <= end for edit in edits):
        return None
    data = reached(document.data, path[:depth])
    head = (step if isinstance(step, str) else 0,)
    moved = [
        change._replace(path=_below(head, base, change.path, depth), to=_below(head, base, change.to, depth))
        for change in changes
    ]
    return Part(start, end, start - line, {step: data} if isinstance(step, str) else [data], moved)


def _holder(data: Json, base: Path, change: Change) -> Path:
    """Return the path of the entry that a change touches, or of its parent if the neighbours of the entry matter."""
    path = (*base, *change.path)
    if change.do in ("replace", "replace-part"):
        return path
    if change.do == "rename" and change.value not in reached(data, path[:-1]):
        return path
    return _common([path[:-1], (*base, *change.to)[:-1]]) if change.do == "move" else path[:-1]


def _common(paths: Sequence[Path]) -> Path:
    shortest = min(paths, key=len)
    for depth, step in enumerate(shortest):
        if any(path[depth] != step for path in paths):
            return shortest[:depth]
    return shortest


def _below(head: Path, base: Path, path: Path, depth: int) -> Path:
    return (*head, *(*base, *path)[depth:]) if path else ()


def _innermost(root: Node, path: Path) -> tuple[int, Node, Node | None] | None:
    """Return the last part of the path whose parent is in block style: its number, key or item, and what follows it."""
    found: tuple[int, Node, Node | None] | None = None
    node, following = root, None
    for depth, step in enumerate(path, 1):
        entry = child(node, step) if node.style in (":", "-") else None
        if entry is None:
            break
        key, value = entry
        if node.kind == MAPPING and key is not None:
            try:
                number = node.children.index(key)
            except ValueError:  # a merge key has it
                break
            first, after = key, node.children[number + 2 : number + 3]
        elif node.kind == SEQUENCE and isinstance(step, int):
            first, after = value, node.children[step + 1 : step + 2]
        else:
            break
        following = after[0] if after else following
        found, node = (depth, first, following), value
    return found
