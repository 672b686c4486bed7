"""The exit status: 0, 1 findings, 2 wrong usage or a missing path, 3 could not finish; the highest counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dralint.finding.report import Report

OK, FINDINGS, USAGE, UNFINISHED = 0, 1, 2, 3

FAIL_ON = {
    "error": ("error",),
    "broken": ("error", "broken", "dropped"),
    "warning": ("error", "warning"),
    "info": ("error", "warning", "info"),
    "never": (),
}
"""Value of --fail-on → the severities and effects that make the exit status 1."""


def of_report(report: Report, fail_on: str) -> int:
    """Return the status that the findings of a report make, by the value of --fail-on."""
    return FINDINGS if any(finding.is_one_of(FAIL_ON[fail_on]) for finding in report.findings) else OK
