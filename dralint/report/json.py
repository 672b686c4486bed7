"""The JSON format: one object, version 1 of the contract (schema: dralint/report/report.schema.json)."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dralint.finding.finding import Finding, Fix
    from dralint.finding.report import Report

VERSION = 1
BEGINNING = b'{\n "version": '
"""How every report begins: by this one that is written over is known."""

_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def render(report: Report) -> str:
    """Return the report as one JSON object with a final newline; what could steer a terminal is escaped."""
    text = json.dumps(document(report), indent=1, ensure_ascii=False) + "\n"
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


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
            "suppressed": 0,
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
        "related": [asdict(related) for related in finding.related],
        "fix": _fix(finding.fix),
        "url": finding.url,
    }
