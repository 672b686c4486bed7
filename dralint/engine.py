"""Runs the stages over the text of one file: read, identify, judge, and stamp problems into findings."""

from __future__ import annotations

import difflib
import re
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint import catalogue, data, pods
from dralint.finding import Failure, Finding, Related, Report, Skipped
from dralint.identify import GROUP, ApiObject, objects
from dralint.judge import Judge, is_ours
from dralint.problem import Problem, path_text
from dralint.reading import Document, Span, read
from dralint.release import Release, in_range

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path as FilePath

    from dralint.reading import Problem as ReadingProblem

RELEVANT = re.compile(rb"resource\.k8s\.io|[cC]laims|ResourceClaim|DeviceClass|ResourceSlice")
"""Bytes without which a document holds nothing that dralint judges."""

READING_RULES = {
    "invalid-utf8": "DRA001",
    "yaml-syntax": "DRA002",
    "json-syntax": "DRA003",
    "duplicate-key": "DRA004",
    "bad-key": "DRA005",
    "no-json-form": "DRA006",
    "excessive-aliasing": "DRA007",
    "too-deep": "DRA008",
    "bad-separator": "DRA009",
    "ignored-after-document-end": "DRA010",
    "too-large": "DRA011",
}
_READING_REASONS = {"DRA004": "DuplicateKey", "DRA005": "Decode", "DRA006": "Decode", "DRA011": "TooLong"}
NOT_A_MANIFEST, INTERNAL = "DRA012", "DRA099"
UNKNOWN_KIND, NOT_SERVED, DEPRECATED, REMOVED, MUST_BE_ENABLED = "DRA106", "DRA501", "DRA503", "DRA504", "DRA505"
_STATUS_NOTE = " (judged as if written to the status subresource)"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is asked for; plain values, so that it can be handed to another process.

    `releases` are the releases that judge (empty: the newest that serves each object); `gates` the switched gates.
    """

    releases: tuple[Release, ...] = ()
    gates: tuple[tuple[str, bool], ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    ignore_status: bool = False
    schemas: FilePath | None = None
    index: FilePath | None = None


@dataclass(slots=True)
class Engine:
    """Judges texts under the settings; compiled releases are kept from one text to the next."""

    settings: Settings
    _judges: dict[Release, Judge] = field(default_factory=dict)

    def judge(self, release: Release) -> Judge:
        """Return the judge of a release, made when it is first asked for."""
        judge = self._judges.get(release)
        if judge is None:
            judge = self._judges[release] = Judge(
                release, dict(self.settings.gates), index=self.settings.index, schemas=self.settings.schemas
            )
        return judge

    def known(self) -> list[Release]:
        """Return all releases that there are types for, in order."""
        return known_releases(self.settings.schemas, self.settings.index)

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
                    report.failures.append(Failure(name, internal_error(name, document, error)))
        return report

    def _document(self, name: str, document: Document, report: Report) -> int:
        count = 0
        covered: list[ApiObject] = []
        for item in objects(document.data) if document.state == "read" else ():
            found = self.judge_object(item)
            if found is None:
                continue
            covered.append(item)
            count += 1
            for problem, releases in found:
                self._stamp(report, name, document, item, problem, releases)
        if document.state == "unreadable" or covered:
            for unread in document.problems:
                self._stamp_reading(report, name, document, covered, unread)
        return count

    def judge_object(self, item: ApiObject) -> list[tuple[Problem, list[Release]]] | None:
        """Return the problems of an object with the releases that have them; None when it is not ours to judge."""
        if is_ours(item) or (not item.api_version and item.kind in self._kinds()):
            return self._ours(item)
        return pods.judge_workload(self, item)

    def _kinds(self) -> frozenset[str]:
        return frozenset(kind for release in self.known()[-1:] for _, kind in self.judge(release).served)

    def _ours(self, item: ApiObject) -> list[tuple[Problem, list[Release]]]:
        key = (item.api_version, item.kind)
        chosen = self.settings.releases
        if chosen:
            merged: dict[Problem, list[Release]] = {}
            for release in sorted(set(chosen)):
                judge = self.judge(release)
                problems = judge.check(item) if key in judge.served else [self._not_served(item, judge)]
                problems += self._lifecycle(item, judge)
                for problem in problems:
                    merged.setdefault(problem, []).append(release)
            return list(merged.items())
        for release in reversed(self.known()):
            judge = self.judge(release)
            if key in judge.served:
                newest = self.known()[-1]
                problems = judge.check(item)
                problems += [self._removed(item, release)] if release != newest else self._lifecycle(item, judge)
                return [(problem, [release]) for problem in problems]
        newest = self.known()[-1]
        return [(self._not_served(item, self.judge(newest), anywhere=True), [newest])]

    def _not_served(self, item: ApiObject, judge: Judge, *, anywhere: bool = False) -> Problem:
        """Return why the release does not take this apiVersion and kind."""
        versions = sorted(version for version, kind in judge.served if kind == item.kind and version.startswith(GROUP))
        kinds = sorted({kind for _, kind in judge.served if kind})
        if not item.kind:
            return Problem(NOT_A_MANIFEST, ("kind",), "`kind` is missing", "Required", f"one of {', '.join(kinds)}")
        if not item.api_version:
            hint = f"for {item.kind} write apiVersion: {versions[-1]}" if versions else None
            return Problem(NOT_A_MANIFEST, ("apiVersion",), "`apiVersion` is missing", "Required", hint)
        served_versions = sorted({version for version, _ in judge.served if version.startswith(GROUP)})
        if versions:
            best = next((v for v in served_versions if v in versions and v.endswith("/v1")), versions[-1])
            return Problem(
                NOT_SERVED,
                ("apiVersion",),
                f"{judge.release} does not serve {item.kind} in {item.api_version}; it serves it in {', '.join(versions)}",
                "NotServed",
                f"use {best}" + ("" if anywhere else ", or judge by a release that serves it: --kubernetes-version"),
            )
        close = difflib.get_close_matches(item.kind.lower(), [kind.lower() for kind in kinds], n=1, cutoff=0.7)
        if close:
            right = next(kind for kind in kinds if kind.lower() == close[0])
            return Problem(
                UNKNOWN_KIND,
                ("kind",),
                f'unknown kind "{item.kind}" in {item.api_version}',
                "NotServed",
                f'did you mean "{right}"?',
            )
        serving = [release for release in self.known() if (item.api_version, item.kind) in self.judge(release).served]
        if serving:
            span = f"{serving[0]} to {serving[-1]}" if len(serving) > 1 else f"{serving[0]}"
            return Problem(
                NOT_SERVED,
                ("kind",),
                f"{judge.release} does not serve {item.kind} of {item.api_version} (served in {span})",
                "NotServed",
                f"kinds of {judge.release}: {', '.join(kinds)}",
            )
        return Problem(
            UNKNOWN_KIND,
            ("kind",),
            f'no release serves kind "{item.kind}" in {item.api_version}',
            "NotServed",
            f"kinds of {judge.release}: {', '.join(kinds)}",
        )

    def _removed(self, item: ApiObject, last: Release) -> Problem:
        newest = self.judge(self.known()[-1])
        now = sorted(version for version, kind in newest.served if kind == item.kind)
        hint = f"{newest.release} serves {item.kind} in {', '.join(now)}" if now else f"{item.kind} is gone since then"
        return Problem(
            REMOVED,
            ("apiVersion",),
            f"{item.api_version} {item.kind} is served up to {last} only; it was judged by that release",
            None,
            hint,
        )

    def _lifecycle(self, item: ApiObject, judge: Judge) -> list[Problem]:
        """Return what is to be said of a served API version: its announced end, or that it must be enabled."""
        if (item.api_version, item.kind) not in judge.served:
            return []
        table = data.index(self.settings.index)["releases"]
        row = table["lifecycle"].get(item.api_version, {})
        span = row.get(item.kind) or row.get("*")
        if span is not None and in_range(f"{span[0]}..", judge.release):
            better = sorted(v for v, kind in judge.served if kind == item.kind and v != item.api_version)
            text = f"{item.api_version} {item.kind} is deprecated since {span[0]} and no longer served in {span[1]}"
            return [Problem(DEPRECATED, ("apiVersion",), text, None, f"use {better[0]}" if better else None)]
        if item.api_version in _default_versions(table, judge.release):
            return []
        text = f"{judge.release} serves {item.api_version} only where the administrator has enabled it"
        hint = f"the API server needs --runtime-config={item.api_version}=true"
        return [Problem(MUST_BE_ENABLED, ("apiVersion",), text, None, hint)]

    def _stamp(
        self,
        report: Report,
        name: str,
        document: Document,
        item: ApiObject,
        problem: Problem,
        releases: Iterable[Release],
    ) -> None:
        rule = catalogue.rules(self.settings.index)[problem.rule]
        if not self._wanted(rule):
            return
        message = problem.message
        if problem.path[:1] == ("status",) and rule.effect == "rejected":
            if self.settings.ignore_status:
                return
            message += _STATUS_NOTE
        span = place(document, item.path, problem)
        report.findings.append(
            Finding(
                rule.id,
                rule.name,
                rule.severity,
                rule.effect,
                problem.reason,
                message,
                problem.hint,
                name,
                document.index,
                span.line,
                span.column,
                span.end_line,
                span.end_column,
                describe_object(item),
                path_text(problem.path),
                tuple(str(release) for release in releases),
                tuple(
                    Related(text, name, at.line, at.column)
                    for text, path in problem.related
                    for at in [document.span((*item.path, *path))]
                ),
                rule.url,
            )
        )

    def _stamp_reading(
        self, report: Report, name: str, document: Document, items: list[ApiObject], problem: ReadingProblem
    ) -> None:
        rule = catalogue.rules(self.settings.index)[READING_RULES[problem.kind]]
        if not self._wanted(rule):
            return
        inside = next((item for item in items if problem.path[: len(item.path)] == item.path), None)
        if problem.path and inside is None and items:
            return  # in an item of a list that is not ours
        path = problem.path[len(inside.path) :] if inside is not None else problem.path
        report.findings.append(
            Finding(
                rule.id,
                rule.name,
                rule.severity,
                rule.effect,
                _READING_REASONS.get(rule.id),
                problem.message,
                problem.hint,
                name,
                document.index,
                problem.span.line,
                problem.span.column,
                problem.span.end_line,
                problem.span.end_column,
                None if inside is None else describe_object(inside),
                path_text(path),
                (),
                tuple(Related(text, name, at.line, at.column) for text, at in problem.related),
                rule.url,
            )
        )

    def _wanted(self, rule: catalogue.Rule) -> bool:
        select, ignore = self.settings.select, self.settings.ignore
        if select and not any(_names(pattern, rule) for pattern in select):
            return False
        return not any(_names(pattern, rule) for pattern in ignore)


def _names(pattern: str, rule: catalogue.Rule) -> bool:
    return rule.id.startswith(pattern.upper()) or rule.name == pattern


def _default_versions(table: dict[str, Any], release: Release) -> list[str]:
    """Return the API versions that the release, or else the newest that the table knows, serves by default."""
    rows: dict[str, Any] = table["releases"]
    row = rows.get(str(release)) or rows[max(rows, key=Release.parse)]
    versions: list[str] = row["default"]
    return versions


def known_releases(schemas: FilePath | None = None, index: FilePath | None = None) -> list[Release]:
    """Return the releases that there are types for: the shipped ones and those of `schemas`, in order."""
    names = set(data.index(index)["releases"]["releases"])
    if schemas is not None and (schemas / "upstream").is_dir():
        names |= {file.stem for file in (schemas / "upstream").glob("*.json")}
    return sorted(Release.parse(name) for name in names)


def place(document: Document, base: tuple[str | int, ...], problem: Problem) -> Span:
    """Return where a problem lies in the file: its value, its key, or where a missing field would belong."""
    path = (*base, *(problem.path if problem.where is None else problem.where))
    if problem.target == "key":
        return document.key_span(path)
    if problem.target == "scalar":
        line, column = document.scalar_position(path, problem.start)
        end_line, end_column = document.scalar_position(path, max(problem.end, problem.start + 1))
        return Span(line, column, end_line, end_column)
    if exists(document.data, path):
        return document.span(path)
    return document.missing_span(path)


def exists(value: object, path: tuple[str | int, ...]) -> bool:
    """Say whether the path leads to something in the data, be it null."""
    for part in path:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return False
    return True


def describe_object(item: ApiObject) -> dict[str, str | None]:
    """Return the object as the JSON contract names it."""
    return {"apiVersion": item.api_version, "kind": item.kind, "namespace": item.namespace, "name": item.name}


def internal_error(name: str, document: Document, error: Exception) -> str:
    """Return the words for a bug of dralint's own, with what a report of it needs."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"internal error in document {document.index}: {type(error).__name__}: {error} "
        f"({last.name}, {last.filename.rpartition('/')[2]}:{last.lineno}); please report it with the manifest"
    )
