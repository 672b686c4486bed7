"""Ends a run: sorts the findings, removes duplicates and suppressed ones, and sets the severities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.kubernetes.served import full_name
from dralint.lint.passes import ENDING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.config.settings import Settings
    from dralint.finding.finding import Suppression
    from dralint.finding.report import Report


def conclude(report: Report, settings: Settings, suppressions: Sequence[Suppression] = ()) -> None:
    """Sort the findings, drop duplicates and suppressed ones, and apply the severities of the settings."""
    report.sort()
    if settings.releases:
        report.previews = [
            name
            for one in settings.releases
            if (name := full_name(str(one), settings.rules_index, settings.schemas)) != str(one)
        ]
    if report.skipped:
        from dralint.files.kustomize_builds import charts  # only where there are templates

        report.charts = charts(one.file for one in report.skipped if one.kind == "template" and one.relevant)
    said = settings.ignores or settings.severity or settings.overrides or settings.baseline is not None
    if suppressions or said:
        for one in ENDING:
            one(report, settings, suppressions)
        report.sort()
