"""The concise format: one line per finding, for grep, editors and users who know the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.report.words import told_once

if TYPE_CHECKING:
    from dralint.finding.finding import Finding
    from dralint.finding.report import Report
    from dralint.report import Style


def render(report: Report, style: Style) -> str:
    """Return `file:line:column: severity RULE message (hint)` for each finding; empty if there is none."""
    return "".join(f"{line(finding)}\n" for finding in report.findings)


def line(finding: Finding) -> str:
    """Return a finding in one line."""
    place = f"{finding.file}:{finding.line}:{finding.column}"
    return f"{place}: {finding.severity} {finding.rule} {told_once(finding)}"
