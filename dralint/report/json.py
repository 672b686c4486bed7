"""The JSON format: one object, version 1 of the contract (schema: dralint/report/report.schema.json)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from json.encoder import encode_basestring as quoted
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dralint.finding.finding import Finding, Fix
    from dralint.finding.report import Report
    from dralint.report import Style


def indented(value: Any, end: str = "\n") -> str:
    """Return plain data (with strings as keys) as JSON; each level is indented by a space.

    Args:
        value: the data; an iterator counts as a list, and its items are not kept.
        end: a line end, and the indentation of the parent.
    """
    if isinstance(value, str):
        return quoted(value)
    if type(value) is int:
        return str(value)
    if not value or not isinstance(value, dict | list | Iterator):
        return json.dumps(value, ensure_ascii=False)
    inner = f"{end} "
    if isinstance(value, dict):  # most entries are strings, which need no call of their own
        rows = [
            f"{quoted(key)}: {quoted(entry) if type(entry) is str else indented(entry, inner)}"
            for key, entry in value.items()
        ]
        return f"{{{inner}{f',{inner}'.join(rows)}{end}}}"
    rows = [indented(item, inner) for item in value]
    return f"[{inner}{f',{inner}'.join(rows)}{end}]" if rows else "[]"


VERSION = 1


def render(report: Report, style: Style) -> str:
    """Return the report as one JSON object with a final newline."""
    return indented(document(report)) + "\n"


def document(report: Report) -> dict[str, Any]:
    """Return the report as plain values."""
    return {
        "version": VERSION,
        "findings": [_finding(finding) for finding in report.findings],
        "summary": {
            "files": report.files,
            "documents": report.documents,
            "objects": report.objects,
            "skipped": [
                {"file": skipped.file, "document": skipped.document, "reason": skipped.reason}
                for skipped in report.skipped
            ],
            "errors": report.count("error"),
            "warnings": report.count("warning"),
            "infos": report.count("info"),
            "suppressed": report.suppressed,
            **({"previews": report.previews} if report.previews else {}),
        },
    }


def _fix(fix: Fix | None) -> list[dict[str, Any]] | None:
    if fix is None:
        return None
    return [{"start": edit.start, "end": edit.end, "text": edit.text, "safe": fix.safe} for edit in fix.edits]


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "name": finding.name,
        "severity": finding.severity,
        "effect": finding.effect,
        "reason": finding.reason,
        "message": finding.message,
        "hint": finding.hint,
        "file": finding.file,
        "document": finding.document,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "end_column": finding.end_column,
        "object": finding.object,
        "path": finding.path,
        "releases": list(finding.releases),
        "related": [
            {"message": place.message, "file": place.file, "line": place.line, "column": place.column}
            for place in finding.related
        ],
        "fix": _fix(finding.fix),
        "url": finding.url,
    }
