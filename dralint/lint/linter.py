"""Runs the stages over the text of one file: read, identify, judge, and stamp problems into findings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dralint.finding import catalogue
from dralint.finding.report import Failure, Report, Skipped
from dralint.lint.locate import READING_RULES, STATUS_NOTE, Place, reading_finding
from dralint.lint.release_judge import Judge
from dralint.lint.selection import wanted
from dralint.lint.spelling import as_written, unrendered
from dralint.manifest.objects import is_manifest, is_patch, objects
from dralint.manifest.stray_objects import NO_OBJECT, unjudged
from dralint.validate.served import ApiVersions
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path as FilePath

    from dralint.config.settings import Settings
    from dralint.finding.problem import Problem
    from dralint.kubernetes.release import Release
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Document

RELEVANT = re.compile(
    rb"resource\.k8s\.io|[cC]laims|Resource(?:Claim|Slice|Class|PoolStatus)|Device(?:Class|TaintRule)"
)
"""Bytes without which a document holds nothing that dralint judges."""


INTERNAL_ERROR = "DRA099"


@dataclass(slots=True)
class Linter:
    """Judges texts under the settings; compiled releases are kept from one text to the next."""

    settings: Settings
    _judges: dict[Release, Judge] = field(default_factory=dict)
    _versions: ApiVersions | None = None

    def judge(self, release: Release) -> Judge:
        """Return the judge of a release, made when it is first asked for."""
        judge = self._judges.get(release)
        if judge is None:
            judge = self._judges[release] = Judge(
                release, dict(self.settings.gates), index=self.settings.index, schemas=self.settings.schemas
            )
        return judge

    @property
    def versions(self) -> ApiVersions:
        """What the known releases serve."""
        if self._versions is None:
            self._versions = ApiVersions(self.settings.index, self.settings.schemas)
        return self._versions

    def known(self) -> list[Release]:
        """Return all releases that there are types for, in order."""
        return self.versions.known

    def check(self, name: str, raw: bytes) -> Report:
        """Return the report on one file's bytes; an internal error of a document ends up in `failures`."""
        report = Report(files=1)
        for document in read(raw, relevant=RELEVANT):
            report.documents += 1
            if document.state == "template":
                report.skipped.append(
                    Skipped(name, document.index, document.reason or "a template, not a manifest yet")
                )
            elif document.state in ("read", "unreadable"):
                try:
                    report.objects += self._document(name, document, report)
                except Exception as error:  # noqa: BLE001 - the one place where a bug of ours must not end the run
                    report.failures.append(internal_error(name, document, error))
        return report

    def _document(self, name: str, document: Document, report: Report) -> int:
        first = len(report.findings)
        covered: list[ApiObject] = []
        for item in objects(document.data) if document.state == "read" else ():
            found = self.judge_object(item)
            if found is None:
                continue
            covered.append(item)
            for problem, releases in found:
                self._stamp(report, Place(name, document, item), problem, releases)
        return self._finish(report, name, document, covered, first)

    def _finish(self, report: Report, name: str, document: Document, items: list[ApiObject], first: int) -> int:
        """Report what reading has found, too; return how many objects of the document count.

        `items` are those that were judged. The findings from `first` on are taken back where they show a template, or
        where the document is a patch.
        """
        if items and "$" in document.text and is_patch(document.data):
            document.state, document.reason = "template", "a strategic merge patch"
        self._stamp_reading(report, name, document, items)
        if document.state != "template":
            return len(items)
        del report.findings[first:]
        report.skipped.append(Skipped(name, document.index, document.reason))
        return 0

    def judge_object(self, item: ApiObject) -> list[tuple[Problem, list[Release]]] | None:
        """Return the problems of an object with the releases that have them; None when it is not ours to judge."""
        if self.versions.ours(item):
            return self._ours(item) if is_manifest(item) else None
        from dralint.lint import workloads  # its checks are needed where there are Pods

        return workloads.judge_workload(self, item)

    def _ours(self, item: ApiObject) -> list[tuple[Problem, list[Release]]]:
        versions, key = self.versions, (item.api_version, item.kind)
        if not self.settings.releases:
            newest = self.known()[-1]
            release = versions.newest_serving(*key)
            if release is None:
                return [(versions.refusal(item, newest, chosen=False), [newest])]
            problems = self.judge(release).check(item)
            problems += versions.lifecycle(item, release) if release == newest else [versions.removed(item, release)]
            return [(problem, [release]) for problem in problems]
        merged: dict[Problem, list[Release]] = {}
        for release in sorted(set(self.settings.releases)):
            if key in versions.served(release):
                problems = self.judge(release).check(item) + versions.lifecycle(item, release)
            else:
                problems = [versions.refusal(item, release, chosen=True)]
            for problem in problems:
                merged.setdefault(problem, []).append(release)
        return list(merged.items())

    def _stamp(self, report: Report, place: Place, problem: Problem, releases: Iterable[Release]) -> None:
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

    def _stamp_reading(self, report: Report, name: str, document: Document, items: list[ApiObject]) -> None:
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


def known_releases(schemas: FilePath | None = None, index: FilePath | None = None) -> list[Release]:
    """Return the releases that there are types for: the shipped ones and those of `schemas`, in order."""
    return ApiVersions(index, schemas).known


def internal_error(name: str, document: Document, error: Exception) -> Failure:
    """Return the failure that a bug of dralint's own is, with what a report of it needs."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    message = (
        f"internal error in document {document.index}: {type(error).__name__}: {error} "
        f"({last.name}, {last.filename.rpartition('/')[2]}:{last.lineno}); please report it with the manifest"
    )
    return Failure(name, message, INTERNAL_ERROR, document.index, document.first_line)
