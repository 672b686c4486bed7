"""Many files fixed: what becomes of each, and the report on what is left."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dralint.files.kustomization import patched_by
from dralint.finding.report import Failure, Report, Skipped
from dralint.fix import rounds
from dralint.fix.compare import fresh
from dralint.fix.newer import migrated
from dralint.lint.conclusion import conclude
from dralint.lint.linter import INTERNAL_ERROR
from dralint.lint.overrides import Linters
from dralint.lint.pool import Task, judge_bytes
from dralint.validate.served import DEPRECATED, REMOVED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dralint.config.settings import Settings
    from dralint.files.source import Source
    from dralint.finding.finding import Finding
    from dralint.lint.linter import Linter


@dataclass(frozen=True, slots=True)
class FixedFile:
    """One file: its bytes before and after (None: it stays as it is), and the findings that are fixed."""

    source: Source
    before: bytes
    after: bytes | None = None
    fixed: tuple[Finding, ...] = ()


@dataclass(slots=True)
class Fixing:
    """All files, what is left to be found in them, and the findings whose fixes were taken back."""

    files: list[FixedFile] = field(default_factory=list)
    report: Report = field(default_factory=Report)
    taken_back: list[Finding] = field(default_factory=list)

    @property
    def changed(self) -> list[FixedFile]:
        """The files that change."""
        return [file for file in self.files if file.after is not None]

    @property
    def fixed(self) -> int:
        """How many findings are fixed."""
        return sum(len(file.fixed) for file in self.files)


def fix(
    sources: Iterable[Source],
    settings: Settings,
    *,
    unsafe: bool = False,
    advance: Callable[[int], None] | None = None,
) -> Fixing:
    """Return what becomes of the files; nothing is written.

    Args:
        sources: the files.
        settings: how they are judged; what these do not report is not fixed.
        unsafe: whether to apply fixes that guess, too.
        advance: called with the number of files done since the last call.
    """
    fixing = Fixing()
    linters = Linters(settings, thorough=True)
    for source in sources:
        try:
            raw = source.read()
        except (OSError, MemoryError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            message = f"cannot be read: {reason or type(error).__name__}"
            fixing.report.extend(Report(files=1, failures=[Failure(source.name, message)]))
        else:
            _file(fixing, linters.of(source.name), source, raw, unsafe=unsafe)
        if advance is not None:
            advance(1)
    fixing.report.sort()
    return fixing


def fix_bytes(
    linter: Linter, name: str, raw: bytes, *, unsafe: bool = False, first: Report | None = None
) -> rounds.Outcome:
    """Return what becomes of one text.

    Args:
        linter: judges it, with all fixes.
        first: the concluded report on it, where that is known.
    """

    def judge(text: bytes) -> Report:
        report = judge_bytes(linter, name, text, Task(linter.settings))
        conclude(report, linter.settings)
        return report

    by_release = bool(linter.settings.releases)
    before = judge(raw) if first is None else first
    out = rounds.fix(raw, before, judge, unsafe=unsafe, by_release=by_release)
    deprecated = [finding for finding in out.report.findings if finding.rule in (DEPRECATED, REMOVED)]
    if not deprecated:
        return out
    releases = linter.releases.chosen or tuple(linter.releases.known[-1:])
    newer = migrated(out.raw, out.report, linter.releases.versions, releases)
    if newer is None or newer == out.raw:
        return out
    report = judge(newer)
    if report.failures or report.objects < out.report.objects or fresh(out.report, report, by_release=by_release):
        return out
    again = rounds.fix(newer, report, judge, unsafe=unsafe, by_release=by_release)
    gone = [finding for finding in deprecated if finding not in again.report.findings]
    return rounds.Outcome(
        again.raw, again.report, [*out.fixed, *gone, *again.fixed], [*out.taken_back, *again.taken_back]
    )


def _file(fixing: Fixing, linter: Linter, source: Source, raw: bytes, *, unsafe: bool) -> None:
    task = Task(linter.settings)
    report = judge_bytes(linter, source.name, raw, task)
    kustomization = _patched_by(source) if report.findings else None
    if kustomization is not None:
        documents = sorted({finding.document for finding in report.findings})
        report.skipped += [Skipped(source.name, number, f"a patch of {kustomization}", "patch") for number in documents]
        report.findings, report.objects = [], 0
    conclude(report, linter.settings)
    file = FixedFile(source, raw)
    if report.findings and not report.failures:
        try:
            outcome = fix_bytes(linter, source.name, raw, unsafe=unsafe, first=report)
        except Exception as error:  # noqa: BLE001 - a bug of ours in one file must not end the run
            message = f"internal error: {type(error).__name__}: {error}; please report it with the manifest"
            report.failures.append(Failure(source.name, message, INTERNAL_ERROR))
        else:
            report = outcome.report
            after = outcome.raw if outcome.raw != raw else None
            file = FixedFile(source, raw, after, tuple(outcome.fixed) if after is not None else ())
            fixing.taken_back += outcome.taken_back
    fixing.files.append(file)
    fixing.report.extend(report)


def _patched_by(source: Source) -> str | None:
    if source.path is None:
        return None
    try:
        return patched_by(source.path)
    except Exception:  # noqa: BLE001 - a kustomization is not what was asked about
        return None
