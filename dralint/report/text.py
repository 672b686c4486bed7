"""The text format, for people: each finding with its place, its line and a hint. Repeated findings appear once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.words import counted
from dralint.report import wrap as painting
from dralint.report.words import (
    ALL_PLACES,
    GRAVEST_FIRST,
    files,
    nothing_judged,
    object_name,
    places,
    problems,
    render_first,
    statistics,
    summary,
    verdict,
    verdict_and_place,
)
from dralint.report.wrap import columns, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dralint.finding.finding import Finding, Related
    from dralint.finding.report import Report
    from dralint.report import Style
    from dralint.report.excerpt import Row, Shown

_NARROWEST = 40
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
        from dralint.report.excerpt import fold  # a clean run needs none

        folded = fold(report.findings, show_all=style.show_all)
        parts += [page.finding(shown) for shown in folded.rows]
        parts += [page.fact(group) for group in folded.facts]
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
        self._paint = painting.ansi if style.color else painting.plain
        self._links = style.links
        self._parent: Related | None = None

    def finding(self, shown: Shown) -> Iterator[str]:
        from dralint.report import excerpt

        finding = shown.finding
        place = f"{finding.file}:{finding.line}:{finding.column}"
        heading = f"{self._paint(place, 'bold')}  {self._heading(finding)}"
        yield from self._marked(heading, self._fixable([finding]), f"{place}  {self._heading(finding, plain=True)}")
        yield from self._message(finding.message)
        before, self._parent = self._parent, finding.parent
        if finding.parent is not None and finding.parent == before:  # the finding before has already shown it
            finding = finding._replace(parent=None)
        rows, related = excerpt.rows_of(finding, self._report.excerpts, self._room(_GUTTER + 3))
        gutter = max(_GUTTER, *(len(str(row.number)) + 2 for row in rows)) if rows else _GUTTER
        yield from self._excerpt(rows, finding, gutter)
        yield from self._note("", verdict_and_place(finding, self._style), gutter)
        for other in related:
            yield from self._note("see: ", f"{other.file}:{other.line}:{other.column}: {other.message}", gutter)
        if finding.hint:
            yield from self._note("hint: ", finding.hint, gutter)
        if shown.more:
            count, where = f"and {len(shown.more):,} more", places(shown.more)
            alike = all(other.message == finding.message for other in shown.more)
            text = f"{count} {'like this' if alike else 'of this rule'}: {where} (--show-all)"
            yield from self._note("", text, gutter)

    def fact(self, group: Sequence[Finding]) -> Iterator[str]:
        """Yield once the lines that apply to all objects of an API version."""
        from dralint.report.excerpt import hints_of, messages_of

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
            yield from wrapped(text, self._width)
        if left := max(0, len(findings) - _WAITING):
            yield f"{counted(left, 'further object')} {'has' if left == 1 else 'have'} more problems than are shown"

    def summary(self) -> Iterator[str]:
        found = {finding.severity for finding in problems(self._report.findings)}
        gravest = next((severity for severity in GRAVEST_FIRST if severity in found), None)
        style = "warning" if nothing_judged(self._report) else gravest or "good"
        yield from (self._paint(line, style) for line in wrapped(summary(self._report), self._width))
        if self._report.skipped and (hint := render_first(self._report)):
            yield from wrapped(f"hint: {hint}", self._width)

    def _heading(self, finding: Finding, *, plain: bool = False) -> str:
        if plain:
            return f"{finding.severity}  {finding.rule} {finding.name}"
        rule = painting.link(finding.rule, finding.url) if self._links else finding.rule
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
        for line in wrapped(message, self._room(2)):
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
        room = self._room(len(lead))
        for number, line in enumerate(line for row in text.split("\n") for line in wrapped(row, room)):
            yield self._paint(lead, "frame") + line if not number else " " * len(lead) + line

    def _room(self, lead: int) -> int | None:
        return None if self._width is None else self._width - lead
