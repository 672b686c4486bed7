"""The report of an upgrade as one JSON object (schema: dralint/upgrade/upgrade.schema.json)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dralint.report.safe import escape_json

if TYPE_CHECKING:
    from dralint.finding.finding import Finding
    from dralint.upgrade.plan import UpgradeEntry, UpgradePlan

VERSION = 1


def render(plan: UpgradePlan) -> str:
    """Return the report as JSON with a final newline; characters that are not ASCII are escaped."""
    return escape_json(json.dumps(document(plan), indent=1) + "\n")


def document(plan: UpgradePlan) -> dict[str, Any]:
    """Return the report as plain values."""
    return {
        "version": VERSION,
        "from": str(plan.source),
        "to": str(plan.target),
        "steps": [str(release) for release in plan.steps],
        "ends": [
            {
                **_finding(end.finding),
                "endsIn": str(end.ends_in),
                "announced": end.announced,
                "common": end.common,
            }
            for end in plan.ends
        ],
        "refused": [_entry(entry) for entry in plan.refused],
        "broken": [_entry(entry) for entry in plan.broken],
        "mended": [_entry(entry) for entry in plan.mended],
        "dropped": [_entry(entry) for entry in plan.dropped],
        "deprecated": [_entry(entry) for entry in plan.deprecated],
        "enable": [_entry(entry) for entry in plan.enable],
        "kept": [_entry(entry) for entry in plan.kept],
        "accepted": [_entry(entry) for entry in plan.accepted],
        "migrate": [
            {"file": row.file, "line": row.line, "object": row.object, "apiVersion": row.api_version}
            for row in plan.rewritten
        ],
        "leftAlone": [_finding(finding) for finding in plan.left_alone],
        "usable": [
            {"kind": usable.kind, "path": usable.path, "release": str(usable.release)} for usable in plan.usable
        ],
        "summary": {
            "files": plan.report.files,
            "objects": plan.report.objects,
            "refusedBefore": plan.before,
            "skipped": [
                {"file": skipped.file, "document": skipped.document, "reason": skipped.reason}
                for skipped in plan.report.skipped
            ],
        },
    }


def _entry(entry: UpgradeEntry) -> dict[str, Any]:
    return {**_finding(entry.finding), "release": str(entry.release)}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "message": finding.message,
        "hint": finding.hint,
        "file": finding.file,
        "document": finding.document,
        "line": finding.line,
        "column": finding.column,
        "object": finding.object,
        "path": finding.path,
    }
