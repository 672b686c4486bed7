"""Makes a unified diff from the edits of a file, in a time that grows only with the text."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from dralint.edit.apply import apply, combine, unequal
from dralint.finding.finding import Edit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_STYLES = {"-": "31", "+": "32", "@": "36"}
_CONTEXT = 3
"""Unchanged lines that are shown before and after a change."""
_QUOTED = re.compile(r'[\x00-\x1f"\\\x7f]')
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


class _Change(NamedTuple):
    """Lines of the old text, by number, and the lines that replace them."""

    start: int
    end: int
    lines: list[str]


def unified(name: str, text: str, edits: Iterable[Edit], *, color: bool = False) -> str:
    """Return the unified diff of a file before and after edits, in a form for `patch -p1` and `git apply`.

    Only a line feed ends a line. With `color` the diff has ANSI colours.
    """
    lines = _lines(text)
    changes = _changes(text, lines, combine(edits))
    if not changes:
        return ""
    path = _path(name)
    rows = [("1", f"--- {_header('a', path)}"), ("1", f"+++ {_header('b', path)}")]
    shift = 0
    for hunk in _hunks(changes):
        first, last = max(hunk[0].start - _CONTEXT, 0), min(hunk[-1].end + _CONTEXT, len(lines))
        more = sum(len(change.lines) - (change.end - change.start) for change in hunk)
        old, new = _span(first, last - first), _span(first + shift, last - first + more)
        rows.append((_STYLES["@"], f"@@ -{old} +{new} @@\n"))
        shift += more
        at = first
        for change in hunk:
            rows += [("", f" {line}") for line in lines[at : change.start]]
            rows += [(_STYLES["-"], f"-{line}") for line in lines[change.start : change.end]]
            rows += [(_STYLES["+"], f"+{line}") for line in change.lines]
            at = change.end
        rows += [("", f" {line}") for line in lines[at:last]]
    return "".join(_shown(style if color else "", row) for style, row in rows)


def _shown(style: str, row: str) -> str:
    line = row.removesuffix("\n")
    ending = "\n" if line != row else "\n\\ No newline at end of file\n"
    return f"\x1b[{style}m{line}\x1b[0m{ending}" if style else line + ending


def _path(name: str) -> str:
    """Return the name of a file for a patch: relative to the working directory, or else to the root."""
    if not name.startswith("/"):
        return os.path.normpath(name)
    try:
        relative = os.path.relpath(name)
    except OSError:  # the working directory no longer exists
        relative = os.pardir
    return os.path.normpath(name).lstrip("/") if relative.startswith(os.pardir) else relative


def _header(side: str, path: str) -> str:
    """Return the path with its side, written as git does: in quotes if needed, and with a tab if it has a blank."""
    whole = f"{side}/{path}"
    if _QUOTED.search(whole):
        return '"' + _QUOTED.sub(lambda found: _ESCAPES.get(found[0], f"\\{ord(found[0]):03o}"), whole) + '"\n'
    return f"{whole}\t\n" if " " in whole else f"{whole}\n"


def _span(start: int, length: int) -> str:
    """Return the range of lines: the first and their number; for none, the line before them."""
    return str(start + 1) if length == 1 else f"{start + 1 if length else start},{length}"


def _lines(text: str) -> list[str]:
    """Return the lines of a text, each with its line feed."""
    *lines, rest = text.split("\n")
    ended = [f"{line}\n" for line in lines]
    return [*ended, rest] if rest else ended


def _changes(text: str, lines: Sequence[str], edits: Sequence[Edit]) -> list[_Change]:
    """Return the changed lines, in order; between two changes there is an unchanged line."""
    touched: list[_Change] = []
    for change in _touched(text, lines, edits):
        if touched and touched[-1].end == change.start:
            near = touched.pop()
            near.lines.extend(change.lines)
            change = change._replace(start=near.start, lines=near.lines)
        touched.append(change)
    return [
        _Change(change.start + first, change.start + last, change.lines[low:high])
        for change in touched
        for first, last, low, high in unequal(lines[change.start : change.end], change.lines)
    ]


def _touched(text: str, lines: Sequence[str], edits: Sequence[Edit]) -> Iterator[_Change]:
    """Yield the lines that edits touch, in order; edits on the same line are one change."""
    starts = [0, *accumulate(len(line) for line in lines if line.endswith("\n"))]
    number = 0
    while number < len(edits):
        begun, first = number, bisect_right(starts, edits[number].start) - 1
        last = first
        while number < len(edits) and (number == begun or edits[number].start < starts[last]):
            edit = edits[number]
            end = bisect_right(starts, edit.end, first) - 1
            # An edit that ends at the start of a line does not change that line, unless its text is not whole lines.
            nothing = number == begun and not edit.text and edit.start == starts[first]
            whole = edit.end == starts[end] and (nothing or edit.text.endswith("\n"))
            last = end if whole else end + 1
            number += 1
            if last == len(starts):
                number = len(edits)  # the last line
        low, high = starts[first], starts[last] if last < len(starts) else len(text)
        moved = [Edit(edit.start - low, edit.end - low, edit.text) for edit in edits[begun:number]]
        yield _Change(first, min(last, len(lines)), _lines(apply(text[low:high], moved)))


def _hunks(changes: Sequence[_Change]) -> Iterator[list[_Change]]:
    """Yield the changes to show together: those whose distance is not larger than the context of both."""
    hunk: list[_Change] = []
    for change in changes:
        if hunk and change.start - hunk[-1].end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    yield hunk
