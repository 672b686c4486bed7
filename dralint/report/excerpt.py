"""The lines of a manifest that a report shows for a finding, with marks under its place and under related places."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.report.wrap import cells, columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.finding.finding import Finding, Related
    from dralint.finding.report import Excerpt

    Excerpts = Mapping[tuple[str, int, int], Excerpt]

_MOST = 4
"""The number of related places that are shown; further ones are only named."""


class Mark(NamedTuple):
    """An underlined part of a line: the columns before it, its own columns, and its text ("" for the finding)."""

    before: int
    width: int
    label: str = ""
    own: bool = False


class Row(NamedTuple):
    """One line of a manifest with its marks."""

    number: int
    text: str
    marks: list[Mark]


def rows_of(finding: Finding, excerpts: Excerpts, room: int | None) -> tuple[list[Row], list[Related]]:
    """Return the lines to show, in order, and the related places that are not among them.

    Args:
        room: the columns for a line; None for no limit.
    """
    excerpt = excerpts.get((finding.file, finding.line, finding.column))
    if excerpt is None:
        return [], list(finding.related)
    window = _Window(excerpt, finding.column, _end(finding, excerpt), room)
    rows = {
        finding.line: Row(finding.line, window.text, [window.mark(finding.column, _end(finding, excerpt), own=True)])
    }
    windows = {finding.line: window}
    untold: list[Related] = []
    parent = finding.parent if finding.parent is not None and finding.parent.line != finding.line else None
    for place in (*finding.related, *(() if parent is None else (parent,))):
        shown = place.file == finding.file and len(windows) <= _MOST
        if not (shown and _add(place, excerpts, room, rows, windows)) and place is not finding.parent:
            untold.append(place)
    return [rows[number] for number in sorted(rows)], untold


def _add(
    place: Related, excerpts: Excerpts, room: int | None, rows: dict[int, Row], windows: dict[int, _Window]
) -> bool:
    """Add the mark of a place to its line; say whether there is room for it."""
    excerpt = excerpts.get((place.file, place.line, place.column))
    if excerpt is None:
        return False
    end = _end(place, excerpt) if place.end_line else place.column + 1
    window = windows.get(place.line) or _Window(excerpt, place.column, end, room)
    if not window.shows(place.column):
        return False
    mark = window.mark(place.column, end, label=place.message)
    if room is not None and mark.before + mark.width + 1 + columns(mark.label) > room:
        return False
    row = rows.setdefault(place.line, Row(place.line, window.text, []))
    if any(other.before == mark.before for other in row.marks):
        return False
    windows[place.line] = window
    row.marks.append(mark)
    return True


def _end(place: Finding | Related, excerpt: Excerpt) -> int:
    """Return the column after the place in its first line."""
    return place.end_column if place.end_line == place.line else excerpt.column + len(excerpt.text)


class _Window:
    """A line cut to `room` columns: from its start if the place fits, else from a third of the room before it."""

    def __init__(self, excerpt: Excerpt, column: int, end: int, room: int | None) -> None:
        self._cells = cells(excerpt.text)
        self._column = excerpt.column
        self._widths = [width for _, width in self._cells]
        start, stop = self._index(column), max(self._index(end), self._index(column))
        first, last = 0, len(self._cells)
        cut_before, cut_after = excerpt.column > 1, excerpt.cut
        if room is not None:
            first = self._first(start, stop, room)
            cut_before = cut_before or first > 0
            last, cut_after = self._last(first, room - cut_before, cut=cut_after)
        self._start, self._stop, self._lead = first, last, int(cut_before)
        shown = "".join(text for text, _ in self._cells[first:last])
        self.text = f"{'…' if cut_before else ''}{shown}{'…' if cut_after else ''}".rstrip()

    def _index(self, column: int) -> int:
        return max(0, min(column - self._column, len(self._cells)))

    def _first(self, start: int, stop: int, room: int) -> int:
        widths = self._widths
        if sum(widths[:start]) + max(1, min(sum(widths[start:stop]), room // 3)) <= room - 2:
            return 0
        space = max(room // 3, room - 2 - sum(widths[start:]))
        first = start
        while first > 0 and space >= widths[first - 1]:
            first -= 1
            space -= widths[first]
        return first

    def _last(self, first: int, room: int, *, cut: bool) -> tuple[int, bool]:
        last, used = first, 0
        while last < len(self._cells) and used + self._widths[last] <= room:
            used += self._widths[last]
            last += 1
        cut = cut or last < len(self._cells)
        while cut and used > room - 1 and last > first:
            last -= 1
            used -= self._widths[last]
        return last, cut

    def shows(self, column: int) -> bool:
        return self._start <= column - self._column <= self._stop

    def mark(self, column: int, end: int, *, label: str = "", own: bool = False) -> Mark:
        start = self._index(column)
        before = sum(self._widths[self._start : start]) + self._lead
        marked = sum(self._widths[start : min(max(self._index(end), start), self._stop)])
        return Mark(before, max(marked, 1), label, own)
