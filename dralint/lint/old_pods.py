"""Judges Pods and workloads in the form of the classic API by the release of the claims that they name.

Such an object does not show whether its author has an old cluster or has copied an old text. If the input has the
claims and templates that it names, and only older releases serve their API version, the newest of those releases
judges. Otherwise the newest release judges, and it refuses the classic form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.config.settings import settings_of
from dralint.kubernetes.release import LAST_CLASSIC
from dralint.lint.linter import Linter
from dralint.lint.report_builder import ReportBuilder
from dralint.lint.workloads import removed_field
from dralint.references.facts import WorkloadFacts
from dralint.references.world import Index, Scope, release_of_claims

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dralint.config.settings import Settings
    from dralint.finding.finding import Finding
    from dralint.finding.report import Report
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.served import ApiVersions
    from dralint.lint.run_files import RunFiles
    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import Facts
    from dralint.yaml import Path


def old_pods(collected: Iterable[Facts]) -> list[Facts]:
    """Return the objects that have the form of the classic API."""
    return [
        facts for facts in collected if isinstance(facts.body, WorkloadFacts) and any(p.old for p in facts.body.pods)
    ]


def judge_old_pods(
    report: Report,
    collected: Sequence[Facts],
    settings: Settings,
    versions: ApiVersions,
    files: RunFiles,
) -> None:
    """Replace the findings of the last classic release on such objects where another release judges them."""
    index = Index(collected, Scope(settings.namespace, settings.complete))
    by_file: dict[str, list[tuple[Facts, Release]]] = {}
    for facts in old_pods(collected):
        if facts.file in report.read and not settings_of(facts.file, settings).releases:
            release = release_of_claims(index, versions, facts)
            if release != LAST_CLASSIC:
                by_file.setdefault(facts.file, []).append((facts, release))
    for name, found in by_file.items():
        raw = files.raw(name)
        if raw is not None:
            _judge_again(report, files, raw, found, settings_of(name, settings), versions)


def _judge_again(
    report: Report,
    files: RunFiles,
    raw: bytes,
    found: Sequence[tuple[Facts, Release]],
    settings: Settings,
    versions: ApiVersions,
) -> None:
    builder = ReportBuilder(settings, raw)
    skipped = {(skip.file, skip.document) for skip in report.skipped}
    linters = {release: Linter(settings._replace(releases=(release,)), collects=False) for _, release in found}
    for facts, release in found:
        place = files.place(facts.place)
        if place is None or facts.place[:2] in skipped:
            continue
        name, document, item = place
        report.findings[:] = [f for f in report.findings if not _is_verdict_on(f, name, document.index, item)]
        said = list(linters[release].judge(place, []) or ())
        if release != versions.known[-1]:
            said += [(removed_field(path, release), [release]) for path in _old_fields(facts)]
        builder.stamp_all(report, document, [(place, said)], linters[release].everything)


def _old_fields(facts: Facts) -> list[Path]:
    pods = facts.body.pods if isinstance(facts.body, WorkloadFacts) else ()
    return [entry.field[:-1] for pod in pods for entry in pod.entries if entry.field[-2] == "source"]


def _is_verdict_on(finding: Finding, name: str, document: int, item: ApiObject) -> bool:
    """Say whether a finding is a verdict of a release on the object; findings of reading and of updates are not."""
    about = finding.object or {}
    return (
        (finding.file, finding.document) == (name, document)
        and (about.get("kind"), about.get("namespace"), about.get("name")) == (item.kind, item.namespace, item.name)
        and finding.rule.startswith(("DRA1", "DRA2", "DRA5"))
    )
