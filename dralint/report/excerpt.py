"""The lines of a manifest that a report shows for a finding, and repeated findings that it shows once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from dralint.finding.catalogue import API_VERSION_NOTICES
from dralint.finding.finding import Related
from dralint.finding.rule_ids import MORE_BEHIND_DECODING, UNKNOWN_FIELD
from dralint.report.wrap import cells, columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dralint.finding.finding import Finding
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


ALIKE, OF_A_RULE = 4, 100
"""How often a report shows the same message, and the same rule, before it counts the rest."""
_KIND = "\0"
"""A placeholder for a kind in a message; no shown text contains it."""


class Shown(NamedTuple):
    """A finding that the report shows, and the findings that it represents."""

    finding: Finding
    more: list[Finding]


class Folded(NamedTuple):
    """The content of a report after folding.

    `rows` are single findings, `facts` those on an API version that several objects have; `waiting` has the objects
    whose problems are not all listed.
    """

    rows: list[Shown]
    facts: list[list[Finding]]
    waiting: list[Finding]


def fold(findings: Iterable[Finding], *, show_all: bool = False) -> Folded:
    """Return the findings as the report shows them; with `show_all`, each one alone."""
    waiting: list[Finding] = []
    single: list[Finding] = []
    facts: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        if finding.rule == MORE_BEHIND_DECODING:
            waiting.append(finding)
        elif finding.rule in API_VERSION_NOTICES and not show_all:
            api_version = (finding.object or {}).get("apiVersion")
            facts.setdefault((finding.rule, api_version, finding.releases), []).append(finding)
        else:
            single.append(finding)
    single += [group[0] for group in facts.values() if len(group) == 1]
    single.sort(key=lambda finding: finding.order)
    rows = (
        [Shown(finding, []) for finding in single] if show_all or len(single) < 2 else _folded(_of_one_mistake(single))
    )
    return Folded(rows, [group for group in facts.values() if len(group) > 1], waiting)


def messages_of(group: Sequence[Finding]) -> list[str]:
    """Return the messages of notes on one API version; merge those that differ only in the kind."""
    kinds: dict[str, list[str]] = {}
    for message, kind in dict.fromkeys((finding.message, _kind(finding)) for finding in group):
        before, named, behind = message.partition(f" {kind} ")
        kinds.setdefault(f"{before} {_KIND} {behind}" if kind and named else message, []).append(kind)
    shown = [(message, f"{of[0]} (also {', '.join(of[1:])})" if of[1:] else of[0]) for message, of in kinds.items()]
    return [message.replace(_KIND, names) for message, names in shown]


def hints_of(group: Sequence[Finding]) -> list[str]:
    """Return the hints of notes on one API version, each once; if there are several, each one names its kinds.

    A hint that only extends another one is merged with it, because the action is the same.
    """
    kinds: dict[str, list[str]] = {}
    for hint, kind in dict.fromkeys((finding.hint, _kind(finding)) for finding in group if finding.hint):
        kinds.setdefault(hint, []).append(kind)
    for hint in list(kinds):
        longer = next((other for other in kinds if other.startswith(f"{hint}:")), None)
        if longer is not None:
            kinds[longer] += kinds.pop(hint)
    if len(kinds) == 1:
        return list(kinds)
    return [f"for {', '.join(filter(None, of)) or 'the others'}: {hint}" for hint, of in kinds.items()]


def _kind(finding: Finding) -> str:
    return (finding.object or {}).get("kind") or ""


def _of_one_mistake(findings: Sequence[Finding]) -> list[Finding]:
    """Merge the findings on unknown fields of one mapping that one hint mends; show them at the first field."""
    out: dict[tuple[object, ...], Finding] = {}
    for number, finding in enumerate(findings):
        key: tuple[object, ...] = (number,)
        if finding.rule == UNKNOWN_FIELD and finding.hint is not None and finding.fix is None:
            mapping = finding.path.rpartition(".")[0]
            key = (finding.file, finding.document, str(finding.object), mapping, finding.hint, finding.releases)
        first = out.get(key)
        if first is None:
            out[key] = finding
        else:
            span = (finding.line, finding.column, finding.end_line, finding.end_column)
            again = Related(finding.message, finding.file, *span)
            out[key] = first._replace(related=(*first.related, again))
    return list(out.values())


def _folded(findings: Sequence[Finding]) -> list[Shown]:
    alike = Counter((finding.rule, finding.message) for finding in findings)
    rows: list[Shown] = []
    seen: Counter[tuple[str, ...]] = Counter()
    last: dict[tuple[str, ...], Shown] = {}
    for finding in findings:
        same, rule = (finding.rule, finding.message), (finding.rule,)
        folds = alike[same] > ALIKE + 1  # shows one more instead of a count of one
        if folds and seen[same] >= ALIKE:
            last[same].more.append(finding)
        elif seen[rule] >= OF_A_RULE:
            last[rule].more.append(finding)
        else:
            seen[same] += 1
            seen[rule] += 1
            last[same] = last[rule] = Shown(finding, [])
            rows.append(last[rule])
    return rows
