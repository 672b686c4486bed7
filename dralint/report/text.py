"""The text format: findings by file, each with its line and a caret under the place."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from dralint.report.printable import printable
from dralint.report.words import counts, object_name, severities, summary, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dralint.finding.finding import Finding
    from dralint.finding.report import Excerpt, Report

    Paint = Callable[[str, str], str]

_SEVERITY_STYLE = {"error": "bold red", "warning": "bold yellow", "info": "bold cyan"}
_TAB = 4
_NARROWEST = 40
_LONGEST = 1200
_ELEMENT = re.compile(r"\[[^\]]*\]|\.?[^.\[]+(?:\[\d+\])*|.")


def render(report: Report, *, width: int = 80, color: bool = False, quiet: bool = False, verbose: bool = False) -> str:
    """Return the report as text with a final newline; nothing at all for a quiet run without findings.

    Args:
        report: sorted, with excerpts (a finding without one is shown without its line).
        width: columns of the terminal.
        color: whether to colour with ANSI sequences.
        quiet: leaves the summary out.
        verbose: adds what was skipped or not read, and why.
    """
    out: list[str] = []
    if report.findings:
        out.append(_findings(report, max(width, _NARROWEST), color=color))
    if verbose:
        out += [
            f"{printable(skipped.file)}: document {skipped.document} skipped: {printable(skipped.reason)}\n"
            for skipped in report.skipped
        ]
        out += [f"{printable(left_out.file)} not read: {printable(left_out.reason)}\n" for left_out in report.left_out]
        if report.skipped or report.left_out:
            out.append("\n")
    if not quiet:
        out.append(summary(report) + "\n")
    return "".join(out)


def _findings(report: Report, width: int, *, color: bool) -> str:
    paint = _ansi if color else _plain
    out: list[str] = []
    for file, group in groupby(report.findings, key=lambda finding: finding.file):
        findings = list(group)
        out.append(f"{paint(printable(file), 'bold underline')}: {severities(counts(findings))}")
        for finding in findings:
            out += _finding(finding, report.excerpts.get((finding.file, finding.line, finding.column)), width, paint)
            out.append("")
    return "\n".join(out) + "\n"


def _plain(text: str, style: str) -> str:
    return text


def _ansi(text: str, style: str) -> str:
    from rich.color import ColorSystem
    from rich.style import Style

    return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


def _finding(finding: Finding, excerpt: Excerpt | None, width: int, paint: Paint) -> Iterator[str]:
    severity = _SEVERITY_STYLE[finding.severity]
    place = paint(f"{printable(finding.file)}:{finding.line}:{finding.column}", "bold")
    yield f"{place}  {paint(finding.severity, severity)}  {paint(f'{finding.rule} {finding.name}', 'cyan')}"
    for line in _wrapped(printable(finding.message), width - 2):
        yield "  " + paint(line, "bold")
    gutter = max(len(str(finding.line)), 2) + 2
    bar = paint(" " * gutter + " |", "blue")
    if excerpt is not None:
        source, before, marked = _window(finding, excerpt, width - gutter - 3)
        yield bar
        yield f"{paint(f'{finding.line:>{gutter}} |', 'blue')} {source}".rstrip()
        yield f"{bar}{' ' * (before + 1)}{paint('^' * marked, severity)}"
    for label, note, path in _notes(finding):
        lead = f"{'':{gutter}} = {label}"
        for number, line in enumerate(_wrapped(printable(note), width - len(lead), path=path)):
            yield paint(lead, "blue") + line if not number else " " * len(lead) + line


def _notes(finding: Finding) -> Iterator[tuple[str, str, bool]]:
    """Yield label and text of each line below the excerpt, and whether it is a field path."""
    place = ", ".join(filter(None, (object_name(finding), finding.path)))
    if place:
        yield "", place, True
    yield "", verdict(finding), False
    for related in finding.related:
        file = "" if related.file == finding.file else f"{related.file}:"
        yield "see: ", f"{file}{related.line}:{related.column}: {related.message}", False
    if finding.hint:
        yield "hint: ", finding.hint, False


def _window(finding: Finding, excerpt: Excerpt, room: int) -> tuple[str, int, int]:
    """Return the line cut to `room` columns around the finding, the columns before its mark, and those marked."""
    start = finding.column - excerpt.column
    end = finding.end_column - excerpt.column if finding.end_line == finding.line else len(excerpt.text)
    cells = _cells(excerpt.text)
    start = min(start, len(cells))
    end = max(min(end, len(cells)), start)
    widths = [width for _, width in cells]
    # As much as fits from the line's start; where the mark lies beyond it, from a third of the room before the mark on.
    first = 0
    if sum(widths[:start]) + max(1, min(sum(widths[start:end]), room // 3)) > room - 2:
        space = max(room // 3, room - 2 - sum(widths[start:]))
        first = start
        while first > 0 and space >= widths[first - 1]:
            first -= 1
            space -= widths[first]
    cut_before = first > 0 or excerpt.column > 1
    room -= 1 if cut_before else 0
    last, used = first, 0
    while last < len(cells) and used + widths[last] <= room:
        used += widths[last]
        last += 1
    cut_after = last < len(cells) or excerpt.cut
    while cut_after and used > room - 1 and last > first:
        last -= 1
        used -= widths[last]
    text = "".join(shown for shown, _ in cells[first:last])
    before = sum(widths[first:start]) + (1 if cut_before else 0)
    marked = sum(widths[start : min(end, last)])
    return f"{'…' if cut_before else ''}{text}{'…' if cut_after else ''}".rstrip(), before, max(marked, 1)


def _cells(text: str) -> list[tuple[str, int]]:
    """Return each character as it is shown, with the columns it takes."""
    out: list[tuple[str, int]] = []
    column = 0
    for char in text:
        if char == "\t":
            shown, width = " " * (_TAB - column % _TAB), _TAB - column % _TAB
        elif " " <= char <= "~":
            shown, width = char, 1
        else:
            shown = printable(char)
            width = _columns(shown)
        out.append((shown, width))
        column += width
    return out


def _columns(text: str) -> int:
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _wrapped(text: str, width: int, *, path: bool = False) -> list[str]:
    """Return the text in lines of at most `width` columns, broken at spaces where there are any.

    A word that is longer is broken anywhere; where it is a field path, between its elements alone.
    """
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    if _columns(text) <= width:
        return [text]
    lines: list[str] = []
    line, used = "", 0
    for word in text.split(" "):
        size = _columns(word)
        if line and used + 1 + size > width:
            lines.append(line)
            line, used = "", 0
        if line:
            line, used = f"{line} {word}", used + 1 + size
            continue
        pieces = _packed(_ELEMENT.findall(word) if path else word, width) if size > width else [word]
        lines += pieces[:-1]
        line, used = pieces[-1], _columns(pieces[-1])
    if line:
        lines.append(line)
    return lines


def _packed(parts: Iterable[str], width: int) -> list[str]:
    """Return the parts joined into pieces of at most `width` columns; a part that is longer is a piece of its own."""
    pieces: list[str] = []
    piece, used = "", 0
    for part in parts:
        size = _columns(part)
        if piece and used + size > width:
            pieces.append(piece)
            piece, used = "", 0
        piece, used = piece + part, used + size
    return [*pieces, piece]
