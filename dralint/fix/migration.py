"""Migrates many files: finds the changes in each, and what stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dralint.edit.apply import Rewriting
from dralint.edit.repairs import SecondReader
from dralint.files.code_blocks import Blocks
from dralint.files.kustomize import patched_by
from dralint.finding import catalogue
from dralint.finding.report import Failure, Report, Skipped, internal_error, unread
from dralint.fix.files import Rewritten, RewrittenFiles
from dralint.kubernetes.served import is_ours
from dralint.lint.pool import excerpts_of
from dralint.lint.report_builder import READING_RULES, describe, finding_of, reading_finding
from dralint.lint.run_files import without_text
from dralint.manifest.objects import Place
from dralint.migrate.rewrite import MAY_BE_CLASSIC, MigratedFile, Partner, partners, rewrite
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.files.source import Source
    from dralint.migrate.rewrite import MigrationPlan, Target


@dataclass(frozen=True, slots=True)
class Moved:
    """One rewritten object: where it starts, its name in findings, and its new API version."""

    line: int
    object: dict[str, str | None]
    target: str


@dataclass(frozen=True, slots=True)
class Migrated(Rewritten):
    """One file with its rewritten objects; `kinds` are the kinds of resource.k8s.io in it."""

    moves: tuple[Moved, ...] = ()
    kinds: frozenset[str] = frozenset()


@dataclass(slots=True)
class Migration(RewrittenFiles[Migrated]):
    """All files, and the report on what was not changed, skipped, or could not be read."""

    @property
    def moved(self) -> int:
        """The number of changed objects."""
        return sum(len(file.moves) for file in self.files)


def migrate(sources: Iterable[Source], target: Target, *, excerpts: bool = False) -> Migration:
    """Return the migrated files; nothing is written.

    Args:
        sources: the files.
        target: what to migrate to.
        excerpts: whether the report keeps the lines of its findings.
    """
    migration, second = Migration(), SecondReader()
    held: list[tuple[Source, bytes]] = []
    classic: frozenset[Partner] = frozenset()
    for source in sources:
        try:
            raw = source.whole()
        except (OSError, MemoryError) as error:
            migration.report.failures.append(unread(source.name, error))
            migration.report.files += 1
            continue
        held.append((source, raw))
        if MAY_BE_CLASSIC.search(raw):
            classic |= partners(read(source._replace(held=raw).read()))
    for source, raw in held:
        migration.files.append(_file(source, raw, target, migration.report, second, classic, excerpts=excerpts))
    migration.report.sort()
    return migration


def _file(
    source: Source,
    raw: bytes,
    target: Target,
    report: Report,
    second: SecondReader,
    classic: frozenset[Partner],
    *,
    excerpts: bool,
) -> Migrated:
    report.files += 1
    if (skipped := without_text(source, raw)) is not None:
        report.skipped.append(skipped)
        return Migrated(source, raw, None)
    try:
        outcome = rewrite(source._replace(held=raw).read(), target, second, classic)
    except Exception as error:  # noqa: BLE001 - a bug of ours in one file must not end the run
        report.failures.append(internal_error(source.name, error))
        return Migrated(source, raw, None)
    kustomization = patched_by(source.path) if outcome.documents else None
    if kustomization is not None:
        report.skipped += [
            Skipped(source.name, document.index, f"a patch of {kustomization}", "patch")
            for document in outcome.documents
            if document.state == "read"
        ]
        return Migrated(source, raw, None)
    first = len(report.findings)
    _tell(source.name, outcome, report)
    if excerpts and len(report.findings) > first:
        report.excerpts.update(excerpts_of(source.name, raw, report.findings[first:]))
    moves = tuple(Moved(move.line, describe(move.item), move.target) for move in outcome.moves if not _is_list(move))
    kinds = frozenset(item.kind for _, item in outcome.items if is_ours(item.api_version))
    edits = outcome.written.edits if outcome.written else ()
    after = outcome.raw
    if source.is_document:
        placed = Blocks(raw, source.name).placed(edits)
        if placed is None:
            report.failures.append(Failure(source.name, "left alone: the result does not fit into its code block"))
        edits = placed or ()
        after = Rewriting(raw).then(edits).raw
    return Migrated(source, raw, after if after != raw else None, edits, moves, kinds)


def _is_list(move: MigrationPlan) -> bool:
    return move.item.kind.endswith("List") and "items" in move.item.data


def _tell(name: str, outcome: MigratedFile, report: Report) -> None:
    """Add what was read, skipped and not changed to the report."""
    rules = catalogue.rules()
    report.documents += len(outcome.documents)
    report.objects += len(outcome.items)
    report.skipped += [
        Skipped(name, document.index, reason, "patch" if document.state == "read" else "template")
        for document, reason in outcome.skipped
    ]
    for document in outcome.documents:
        for problem in document.problems if document.state == "unreadable" else ():
            report.findings.append(reading_finding(rules[READING_RULES[problem.kind]], problem, name, document, None))
    for document, item, found in outcome.problems:
        report.findings.append(finding_of(Place(name, document, item), rules[found.rule], found, ()))
