"""The gitlab format: a Code Quality report that GitLab shows in merge requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.report.json import indented
from dralint.report.words import fingerprints, repository_path, told_once, verdict

if TYPE_CHECKING:
    from dralint.finding.report import Report
    from dralint.report import Style

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def render(report: Report, style: Style) -> str:
    """Return a JSON list with one entry per finding."""
    entries = [
        {
            "type": "issue",
            "check_name": finding.rule,
            "description": f"{finding.rule} {finding.name}: {told_once(finding)}",
            "content": {"body": f"{verdict(finding, style)}; {finding.url}"},
            "categories": ["Bug Risk"],
            "severity": _SEVERITIES[finding.severity],
            "fingerprint": fingerprint,
            "location": {
                "path": repository_path(finding.file, style),
                "lines": {"begin": finding.line, "end": max(finding.end_line, finding.line)},
            },
        }
        for finding, fingerprint in zip(report.findings, fingerprints(report.findings, style), strict=True)
    ]
    return indented(entries) + "\n"
