"""Puts problems into a report: which rules are wanted, what shows a template, and where each problem lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.config.selection import wanted
from dralint.finding import catalogue
from dralint.finding.report import Skipped
from dralint.lint.locate import READING_RULES, STATUS_NOTE, Place, reading_finding
from dralint.lint.spelling import as_written, unrendered
from dralint.manifest.objects import is_patch
from dralint.manifest.stray_objects import NO_OBJECT, unjudged

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.config.settings import Settings
    from dralint.finding.problem import Problem
    from dralint.finding.report import Report
    from dralint.kubernetes.release import Release
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Document


class ReportBuilder:
    """Makes findings of problems under the settings of a run."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def stamp(self, report: Report, place: Place, problem: Problem, releases: Iterable[Release]) -> None:
        reason = unrendered(place.item, problem)
        if reason is not None:
            place.document.state, place.document.reason = "template", reason
            return
        rule = catalogue.rules(self.settings.index)[problem.rule]
        status = problem.path[:1] == ("status",) and rule.effect == "rejected"
        if self._wanted(rule) and not (status and self.settings.ignore_status):
            note = STATUS_NOTE if status else ""
            problem = as_written(place.document, place.item, problem)
            report.findings.append(place.finding(rule, problem, tuple(map(str, releases)), note))

    def stamp_reading(self, report: Report, name: str, document: Document, items: list[ApiObject]) -> None:
        known = document.problems if items or document.state == "unreadable" else ()
        for unread in (*known, *unjudged(document, items)):
            rule = catalogue.rules(self.settings.index)[READING_RULES[unread.kind]]
            inside = next((item for item in items if unread.path[: len(item.path)] == item.path), None)
            # in an item of a list that is not ours
            elsewhere = bool(unread.path and items and inside is None and unread.kind != NO_OBJECT)
            if self._wanted(rule) and not elsewhere:
                report.findings.append(reading_finding(rule, unread, name, document, inside))

    def _wanted(self, rule: catalogue.Rule) -> bool:
        return wanted(rule, self.settings)

    def finish(self, report: Report, name: str, document: Document, items: list[ApiObject], first: int) -> int:
        """Report what reading has found, too; return how many objects of the document count.

        `items` are those that were judged. The findings from `first` on are taken back where they show a template, or
        where the document is a patch.
        """
        patch = bool(items) and "$" in document.text and is_patch(document.data)
        if patch:
            document.state, document.reason = "template", "a strategic merge patch"
        self.stamp_reading(report, name, document, items)
        if document.state != "template":
            return len(items)
        del report.findings[first:]
        report.skipped.append(Skipped(name, document.index, document.reason, "patch" if patch else "template"))
        return 0
