"""The formats for people. Text has each finding with its place, its line and a hint; repeated findings appear once.

The concise format is the same for grep, editors and users who know the rules; Markdown is a summary for a page.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

from dralint.finding.catalogue import API_VERSION_NOTICES
from dralint.finding.finding import Related
from dralint.finding.rule_ids import MORE_BEHIND_DECODING, UNKNOWN_FIELD
from dralint.finding.words import counted
from dralint.records import NamedTuple, grouped
from dralint.report import screen
from dralint.report.safe import printable
from dralint.report.screen import cells, columns, wrapped
from dralint.report.words import (
    ALL_PLACES,
    GRAVEST_FIRST,
    files,
    nothing_judged,
    object_name,
    one_line,
    places,
    problems,
    release_spans,
    render_first,
    repository_path,
    statistics,
    summary,
    told_once,
    verdict,
    verdict_and_place,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dralint.finding.finding import Finding
    from dralint.finding.report import Excerpt, Report
    from dralint.report import Style

    Excerpts = Mapping[tuple[str, int, int], Excerpt]


_NARROWEST = 40
_LONGEST = 1200
_GUTTER = 4
_WAITING = 3
"""The report names this many objects with more problems behind decoding problems, then counts the rest."""


def render(report: Report, style: Style) -> str:
    """Return the report as text with a final newline; empty for a quiet run without findings.

    Args:
        report: sorted and safe, with excerpts (a finding without one has no line in the text).
    """
    page = _Page(report, style)
    parts: list[Iterable[str]] = []
    if report.findings:
        folded = fold(report.findings, show_all=style.show_all)
        parts += [*map(page.finding, folded.rows), *map(page.fact, folded.facts)]
        if folded.waiting:
            parts.append(page.waiting(folded.waiting))
    if style.verbose and not style.show_files:
        parts.append(_unread(report))
    if style.show_files:
        parts.append(files(report))
    if style.statistics:
        parts.append(statistics(report))
    if not style.quiet:
        parts.append(page.summary())
    return "\n".join("\n".join(lines) + "\n" for part in parts if (lines := list(part)))


def concise(report: Report, style: Style) -> str:
    """Return `file:line:column: severity RULE message (hint)` for each finding; empty if there is none."""
    return "".join(f"{one_line(finding)}\n" for finding in report.findings)


def _unread(report: Report) -> Iterator[str]:
    for skipped in report.skipped:
        if skipped.relevant:
            yield f"{skipped.file}: document {skipped.document} skipped: {skipped.reason}"
    if others := sum(not skipped.relevant for skipped in report.skipped):
        yield f"{counted(others, 'template')} skipped that {'does' if others == 1 else 'do'} not speak of DRA"
    for left_out in report.left_out:
        yield f"{left_out.file} not read: {left_out.reason}"


class _Page:
    """The parts of a report as lines."""

    def __init__(self, report: Report, style: Style) -> None:
        self._report = report
        self._style = style
        self._width = None if style.width is None else max(style.width, _NARROWEST)
        self._paint = screen.ansi if style.color else screen.plain
        self._links = style.links
        self._parent: Related | None = None

    def finding(self, group: Sequence[Finding]) -> Iterator[str]:
        finding, *others = group
        place = f"{finding.file}:{finding.line}:{finding.column}"
        heading = f"{self._paint(place, 'bold')}  {self._heading(finding)}"
        yield from self._marked(heading, self._fixable([finding]), f"{place}  {self._heading(finding, plain=True)}")
        yield from self._message(finding.message)
        before, self._parent = self._parent, finding.parent
        if finding.parent is not None and finding.parent == before:  # the finding before has already shown it
            finding = finding._replace(parent=None)
        rows, related = rows_of(
            finding, self._report.excerpts, None if self._width is None else self._width - _GUTTER - 3
        )
        gutter = max(_GUTTER, *(len(str(row.number)) + 2 for row in rows)) if rows else _GUTTER
        yield from self._excerpt(rows, finding, gutter)
        yield from self._note("", verdict_and_place(finding, self._style), gutter)
        for other in related:
            yield from self._note("see: ", f"{other.file}:{other.line}:{other.column}: {other.message}", gutter)
        if finding.hint:
            yield from self._note("hint: ", finding.hint, gutter)
        if others:
            count, where = f"and {len(others):,} more", places(others)
            alike = all(other.message == finding.message for other in others)
            text = f"{count} {'like this' if alike else 'of this rule'}: {where} (--show-all)"
            yield from self._note("", text, gutter)

    def fact(self, group: Sequence[Finding]) -> Iterator[str]:
        """Yield once the lines that apply to all objects of an API version."""
        first = group[0]
        often = f", {len(group):,} times"
        yield from self._marked(
            self._heading(first) + often, self._fixable(group), self._heading(first, plain=True) + often
        )
        for message in messages_of(group):
            yield from self._message(message)
        yield from self._note("", verdict(first, self._style), _GUTTER)
        yield from self._note("", f"{places(group)}{' (--show-all)' if len(group) > ALL_PLACES else ''}", _GUTTER)
        for hint in hints_of(group):
            yield from self._note("hint: ", hint, _GUTTER)

    def waiting(self, findings: Sequence[Finding]) -> Iterator[str]:
        """Yield the note that some objects have more problems than the report lists."""
        for finding in findings[:_WAITING]:
            about = object_name(finding)
            where = f"{finding.file}:{finding.line}"
            text = f"{f'{about} ({where})' if about else where}: {finding.hint or finding.message}"
            yield from self._wrapped(text)
        if left := max(0, len(findings) - _WAITING):
            yield f"{counted(left, 'further object')} {'has' if left == 1 else 'have'} more problems than are shown"

    def summary(self) -> Iterator[str]:
        found = {finding.severity for finding in problems(self._report.findings)}
        gravest = next((severity for severity in GRAVEST_FIRST if severity in found), None)
        style = "warning" if nothing_judged(self._report) else gravest or "good"
        yield from (self._paint(line, style) for line in self._wrapped(summary(self._report)))
        if self._report.skipped and (hint := render_first(self._report)):
            yield from self._wrapped(f"hint: {hint}")

    def _heading(self, finding: Finding, *, plain: bool = False) -> str:
        if plain:
            return f"{finding.severity}  {finding.rule} {finding.name}"
        rule = screen.link(finding.rule, finding.url) if self._links else finding.rule
        return f"{self._paint(finding.severity, finding.severity)}  {rule} {finding.name}"

    def _marked(self, heading: str, mark: str, plain: str) -> Iterator[str]:
        """Yield a heading with a mark after it, or below it where a terminal would break the mark."""
        if mark and self._width is not None and columns(f"{plain}  {mark}") > self._width:
            yield heading
            yield f"  {self._paint(mark, 'good')}"
        else:
            yield f"{heading}  {self._paint(mark, 'good')}" if mark else heading

    def _fixable(self, findings: Sequence[Finding]) -> str:
        fixes = [finding.fix for finding in findings if finding.fix is not None]
        if not fixes:
            return ""
        return "[fixable]" if all(fix.safe for fix in fixes) else "[fixable by a guess]"

    def _message(self, message: str) -> Iterator[str]:
        for line in self._wrapped(message, 2):
            yield "  " + self._paint(line, "bold")

    def _excerpt(self, rows: Sequence[Row], finding: Finding, gutter: int) -> Iterator[str]:
        paint = self._paint
        bar = paint(" " * gutter + " |", "frame")
        before = 0
        for row in rows:
            if before and row.number > before + 1:
                yield paint(f"{'...':>{gutter}}", "frame")
            before = row.number
            yield f"{paint(f'{row.number:>{gutter}} |', 'frame')} {row.text}".rstrip()
            for mark in sorted(row.marks, key=lambda mark: not mark.own):
                style, char = (finding.severity, "^") if mark.own else ("frame", "-")
                label = f" {mark.label}" if mark.label else ""
                yield f"{bar}{' ' * (mark.before + 1)}{paint(char * mark.width + label, style)}"

    def _note(self, label: str, text: str, gutter: int) -> Iterator[str]:
        lead = f"{'':{gutter}} = {label}"
        for number, line in enumerate(line for row in text.split("\n") for line in self._wrapped(row, len(lead))):
            yield self._paint(lead, "frame") + line if not number else " " * len(lead) + line

    def _wrapped(self, text: str, lead: int = 0) -> list[str]:
        """Return a text in lines behind a lead; a terminal gets no more than a page of it."""
        room = None if self._width is None else self._width - lead
        return wrapped(text if room is None or len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…", room)


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
        there = list(cells(excerpt.text))
        self._column = excerpt.column
        self._at = [0, *accumulate(width for _, width in there)]
        """The columns before each character, and those of all."""
        start, stop = self._index(column), max(self._index(end), self._index(column))
        first, last = 0, len(there)
        cut_before, cut_after = excerpt.column > 1, excerpt.cut
        if room is not None:
            first = self._first(start, stop, room)
            cut_before = cut_before or first > 0
            last, cut_after = self._last(first, room - cut_before, cut=cut_after)
        self._start, self._stop, self._lead = first, last, int(cut_before)
        shown = "".join(text for text, _ in there[first:last])
        self.text = f"{'…' if cut_before else ''}{shown}{'…' if cut_after else ''}".rstrip()

    def _index(self, column: int) -> int:
        return max(0, min(column - self._column, len(self._at) - 1))

    def _first(self, start: int, stop: int, room: int) -> int:
        before, place = self._at[start], self._at[stop] - self._at[start]
        if before + max(1, min(place, room // 3)) <= room - 2:
            return 0
        return bisect_left(self._at, before - max(room // 3, room - 2 - (self._at[-1] - before)))

    def _last(self, first: int, room: int, *, cut: bool) -> tuple[int, bool]:
        before = self._at[first]
        last = bisect_right(self._at, before + room) - 1
        if cut or last < len(self._at) - 1:
            last, cut = bisect_right(self._at, before + room - 1) - 1, True
        return max(first, last), cut

    def shows(self, column: int) -> bool:
        return self._start <= column - self._column <= self._stop

    def mark(self, column: int, end: int, *, label: str = "", own: bool = False) -> Mark:
        start = self._index(column)
        before = self._at[start] - self._at[self._start] + self._lead
        marked = self._at[min(max(self._index(end), start), self._stop)] - self._at[start]
        return Mark(before, max(marked, 1), label, own)


ALIKE, OF_A_RULE = 4, 100
"""How often a report shows the same message, and the same rule, before it counts the rest."""
_KIND = "\0"
"""A placeholder for a kind in a message; no shown text contains it."""


class Folded(NamedTuple):
    """The content of a report after folding.

    `rows` are findings, each with those like it, `facts` those on an API version that several objects have; `waiting`
    has the objects whose problems are not all listed.
    """

    rows: list[list[Finding]]
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
    rows = [[finding] for finding in single] if show_all or len(single) < 2 else _folded(_of_one_mistake(single))
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
    kinds = grouped(dict.fromkeys((finding.hint, _kind(finding)) for finding in group if finding.hint))
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


def _folded(findings: Sequence[Finding]) -> list[list[Finding]]:
    alike = Counter((finding.rule, finding.message) for finding in findings)
    rows: list[list[Finding]] = []
    seen: Counter[tuple[str, ...]] = Counter()
    last: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        same, rule = (finding.rule, finding.message), (finding.rule,)
        folds = alike[same] > ALIKE + 1  # shows one more instead of a count of one
        if folds and seen[same] >= ALIKE:
            last[same].append(finding)
        elif seen[rule] >= OF_A_RULE:
            last[rule].append(finding)
        else:
            seen[same] += 1
            seen[rule] += 1
            last[same] = last[rule] = [finding]
            rows.append(last[rule])
    return rows


# The Markdown format: a summary for a page; text of the input in it stays text.

_MARKUP = r"(?i)[\\`*_\[\]<>#|~&@$]|:(?=//)|(?<=www)\."


def literal(text: str) -> str:
    """Return text that Markdown shows as it is, on one line: a character that could be markup is a reference."""
    return re.sub(_MARKUP, lambda match: f"&#{ord(match[0])};", printable(text))


def code(text: str) -> str:
    """Return a code span on one line; its fence is longer than any run of backticks in the text."""
    text = printable(text)
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    space = " " if text.strip("` ") != text or not text else ""  # Markdown removes one at each end
    return f"{fence}{space}{text}{space}{fence}"


def without_marks(text: str) -> str:
    """Return Markdown as plain text: without code fences and `**`, and with characters in place of references."""
    from html import unescape  # few clients need it

    out: list[str] = []
    fence = ""
    for part in re.split("(`+)", text):
        if part.startswith("`") and fence in ("", part):
            fence = "" if fence else part
        else:
            out.append(part if fence else unescape(part.replace("**", "")))
    return "".join(out)


_MOST_ROWS = 500
"""Rows of the table; GitHub does not show a page that is too long."""


def markdown(report: Report, style: Style) -> str:
    """Return a heading, a table of the findings and the summary; repeated findings appear once."""
    lines = ["## dralint", "", literal(summary(report)), ""]
    folded = fold(report.findings, show_all=style.show_all)
    rows = folded.rows + folded.facts
    if rows:
        lines += ["| severity | place | rule | what | Kubernetes |", "|---|---|---|---|---|"]
        lines += [*(_table_row(row, style) for row in rows[:_MOST_ROWS]), ""]
        lines += [f"{counted(len(rows) - _MOST_ROWS, 'further row')}.", ""] if len(rows) > _MOST_ROWS else []
    for finding in folded.waiting[:3]:
        place = f"{repository_path(finding.file, style)}:{finding.line}"
        lines += [f"Not all is listed, {literal(place)}: {literal(finding.hint or finding.message)}", ""]
    if hint := render_first(report):
        lines += [literal(hint), ""]
    return "\n".join(lines) + "\n"


def _table_row(findings: Sequence[Finding], style: Style) -> str:
    first = findings[0]
    place = f"{repository_path(first.file, style)}:{first.line}:{first.column}"
    more = f" and {len(findings) - 1:,} more" if len(findings) > 1 else ""
    rule = f"[{first.rule}]({first.url}) {first.name}" if first.url else f"{first.rule} {first.name}"
    shown = (
        first.severity,
        f"{literal(place)}{more}",
        rule,
        literal(told_once(first)),
        release_spans(first.releases, style.previews),
    )
    return f"| {' | '.join(shown)} |"
