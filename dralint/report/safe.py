"""Makes a report safe before a format sees it: no text controls a terminal, ends a line or reverses its direction."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.finding.report import Excerpt, LeftOut, Report, Skipped
from dralint.report.printable import IN_JSON, printable, without_commands

if TYPE_CHECKING:
    from dralint.finding.finding import Finding, Related

_STEERING = "[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"


def safe_report(report: Report) -> Report:
    """Return a copy in which each string is printable and on one line, except for hints that show several lines to
    write.

    One character replaces each one, so columns stay correct. Excerpts keep their tabs. A fix that would write unsafe
    text is left out.
    """
    return report.but(
        findings=[_finding(finding) for finding in report.findings],
        skipped=[
            Skipped(printable(s.file), s.document, printable(s.reason), s.kind, s.relevant) for s in report.skipped
        ],
        left_out=[LeftOut(printable(left_out.file), printable(left_out.reason)) for left_out in report.left_out],
        failures=[
            failure._replace(file=printable(failure.file), message=printable(failure.message))
            for failure in report.failures
        ],
        charts=[printable(chart) for chart in report.charts],
        read={printable(name): count for name, count in report.read.items()},
        excerpts={
            (printable(file), line, column): excerpt
            if excerpt.text.isprintable()
            else Excerpt(_keeping(excerpt.text, "\t"), excerpt.column, excerpt.cut)
            for (file, line, column), excerpt in report.excerpts.items()
        },
    )


def escape_json(text: str) -> str:
    """Return JSON with all characters escaped that could control a terminal or a CI; the values do not change."""
    return without_commands(re.sub(_STEERING, lambda match: f"\\u{ord(match[0]):04x}", text), IN_JSON)


def _finding(finding: Finding) -> Finding:
    if finding.fix is None and not finding.related and finding.parent is None and _is_printable(finding):
        return finding
    return finding._replace(
        message=printable(finding.message),
        hint=None if finding.hint is None else _keeping(finding.hint, "\n"),
        file=printable(finding.file),
        path=printable(finding.path),
        object=None
        if finding.object is None
        else {key: None if value is None else printable(value) for key, value in finding.object.items()},
        related=tuple(_related(related) for related in finding.related),
        fix=None
        if finding.fix is None or any(_keeping(edit.text, "\t\r\n") != edit.text for edit in finding.fix.edits)
        else finding.fix,
        parent=None if finding.parent is None else _related(finding.parent),
    )


def _is_printable(finding: Finding) -> bool:
    return (
        finding.message.isprintable()
        and (finding.hint is None or finding.hint.isprintable())
        and finding.path.isprintable()
        and finding.file.isprintable()
        and (finding.object is None or all(not value or value.isprintable() for value in finding.object.values()))
    )


def _related(related: Related) -> Related:
    return related._replace(message=printable(related.message), file=printable(related.file))


def _keeping(text: str, kept: str) -> str:
    return text if text.isprintable() else "".join(char if char in kept else printable(char) for char in text)
