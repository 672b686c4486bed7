"""Moves edits of a document to its file, combines several, applies them together, and shows them as a unified diff.

The text of a file keeps the way back to its bytes: byte order mark, encoding, and bytes that are not text.
"""

from __future__ import annotations

import codecs
import os
import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from dralint.finding.finding import Edit
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dralint.yaml import Document, Path


class UnplaceableError(Exception):
    """The layout of the text has no place for the change; the message has the reason."""


def moved(edits: Iterable[Edit], by: int) -> list[Edit]:
    """Return the edits of a text as edits of another one that contains it from the offset `by` on."""
    return [Edit(edit.start + by, edit.end + by, edit.text) for edit in edits] if by else list(edits)


def reached(data: Any, path: Path) -> Any:
    """Return the value at the path; KeyError, IndexError or TypeError where the path leads nowhere."""
    for step in path:
        data = data[step]
    return data


_MOST_PAIRS = 250_000
"""The largest number of lines before times lines after that are compared with each other."""


class OverlapError(ValueError):
    """Two edits change the same characters."""


def combine(edits: Iterable[Edit]) -> list[Edit]:
    """Return the edits by place, each once; insertions at the same place keep their order.

    Raises:
        OverlapError: two different edits change the same characters, or one inserts inside of a replaced part.
    """
    ordered = list(edits)
    if len(ordered) < 2:
        return ordered
    if any(one[:2] >= other[:2] for one, other in pairwise(ordered)):
        ordered = sorted(dict.fromkeys(ordered), key=lambda edit: (edit.start, edit.end))
    for one, other in pairwise(ordered):
        if other.start < one.end:
            msg = f"the edits of {one.start}..{one.end} and {other.start}..{other.end} overlap"
            raise OverlapError(msg)
    return ordered


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with the edits made; raises OverlapError as `combine`, ValueError for a span outside the text."""
    parts: list[str] = []
    done = 0
    for edit in combine(edits):
        if not 0 <= edit.start <= edit.end <= len(text):
            msg = f"the edit of {edit.start}..{edit.end} lies outside the text, which has {len(text)} characters"
            raise ValueError(msg)
        parts += (text[done : edit.start], edit.text)
        done = edit.end
    parts.append(text[done:])
    return "".join(parts)


def composed(first: Iterable[Edit], middle: str, second: Iterable[Edit]) -> list[Edit]:
    """Return the edits that do in one step what `first`, which leads to the text `middle`, and then `second` do.

    Raises:
        OverlapError, ValueError: as `apply`.
    """
    earlier, later = combine(first), combine(second)
    if not earlier:
        return later
    out: list[Edit] = []
    i = j = grown = 0
    while i < len(earlier) or j < len(later):
        # A part of the text between that edits of both kinds cover, or touch, without a gap.
        ahead = [edit.start + grown for edit in earlier[i : i + 1]] + [edit.start for edit in later[j : j + 1]]
        low = high = min(ahead)
        start, begun = low - grown, j
        while True:
            if i < len(earlier) and earlier[i].start + grown <= high:
                high = max(high, earlier[i].start + grown + len(earlier[i].text))
                grown += len(earlier[i].text) - (earlier[i].end - earlier[i].start)
                i += 1
            elif j < len(later) and later[j].start <= high:
                high = max(high, later[j].end)
                j += 1
            else:
                break
        inner = [Edit(edit.start - low, edit.end - low, edit.text) for edit in later[begun:j]]
        out.append(Edit(start, high - grown, apply(middle[low:high], inner)))
    return out


def in_lines(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """Return edits that need a final line end as edits of a text without one; the result has none either."""
    if text.endswith("\n"):
        return combine(edits)
    ended, made = text + "\n", combine(edits)
    after, end = apply(ended, made), len(text)
    made = composed([Edit(end, end, "\n")], ended, made)
    return composed(made, after, [Edit(len(after) - 1, len(after), "")]) if after.endswith("\n") else made


def between(old: str, new: str) -> list[Edit]:
    """Return edits of whole lines that make the new text of the old one; a long different part is one edit."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [*accumulate(map(len, before), initial=0)]
    return [
        Edit(starts[first], starts[last], "".join(after[low:high])) for first, last, low, high in unequal(before, after)
    ]


def unequal(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the parts of two lists of lines that differ: start and end in the first, and in the second."""
    shorter = min(len(before), len(after))
    head = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    tail = next((n for n in range(shorter - head) if before[-1 - n] != after[-1 - n]), shorter - head)
    last, high = len(before) - tail, len(after) - tail
    if (last - head) * (high - head) > _MOST_PAIRS:
        yield head, last, head, high
        return

    from difflib import SequenceMatcher  # a start without findings compares no texts

    matcher = SequenceMatcher(None, before[head:last], after[head:high], autojunk=False)
    for tag, one, end, other, until in matcher.get_opcodes():
        if tag != "equal":
            yield head + one, head + end, head + other, head + until


class Rewriting(NamedTuple):
    """The bytes of a file after edits, and the edits that lead to them from the original text."""

    raw: bytes
    edits: Sequence[Edit] = ()

    def then(self, edits: Sequence[Edit]) -> Rewriting:
        """Return the file after further edits, which refer to the present text."""
        file = FileText(self.raw)
        return Rewriting(file.encode(apply(file.text, edits)), composed(self.edits, file.text, edits))


_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class FileText:
    """The bytes of a file as text. A byte order mark is its first character; bytes that are not UTF-8 are kept."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self._is_ascii = raw.isascii()
        self._encoding = next((encoding for mark, encoding in _MARKS if raw.startswith(mark)), "utf-8")

    @cached_property
    def text(self) -> str:
        """The text."""
        return self.raw.decode(self._encoding, "surrogateescape" if self._encoding == "utf-8" else "replace")

    def encode(self, text: str) -> bytes:
        """Return the bytes of another text in the encoding of this file.

        If some bytes of the file are not valid UTF-16, such as a single one at its end, return its own bytes: a
        rewriting would lose them.
        """
        if self._encoding == "utf-8":
            return text.encode("utf-8", "surrogateescape")
        return text.encode(self._encoding) if self.text.encode(self._encoding) == self.raw else self.raw

    @cached_property
    def _read(self) -> bytes:
        """The bytes that the reader counts: UTF-8 without a byte order mark, converted from other encodings."""
        return self.raw if self._encoding == "utf-8" else self.text[1:].encode("utf-8", "replace")

    def offsets(self, documents: Iterable[Document], known: tuple[int, int] | None = None) -> list[int]:
        """Return where each document starts in the text; the documents come from the same bytes, in order.

        Args:
            known: where an earlier document starts, in the bytes and in the text.
        """
        if self._is_ascii:
            return [document.start for document in documents]
        out: list[int] = []
        counted, characters = known or (0, 0 if self._encoding == "utf-8" else 1)
        for document in documents:
            characters += len(self._read[counted : document.start].decode("utf-8", "surrogateescape"))
            counted = document.start
            out.append(characters)
        return out


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
