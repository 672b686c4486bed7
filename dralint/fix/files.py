"""Many files fixed: each by itself, then what lies between them; and the report on what is left."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dralint.config.paths import settings_of
from dralint.edit.apply import apply
from dralint.edit.file_text import FileText
from dralint.edit.second_reader import SecondReader
from dralint.files.kustomization import patched_by
from dralint.finding.report import Failure, Report
from dralint.fix import rounds
from dralint.fix.compare import fresh, remaining
from dralint.fix.newer import migrated
from dralint.lint.conclusion import conclude
from dralint.lint.linter import INTERNAL_ERROR
from dralint.lint.overrides import Linters
from dralint.lint.pool import Task, judge_bytes, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dralint.config.settings import Settings
    from dralint.files.source import Source
    from dralint.finding.finding import Finding
    from dralint.lint.linter import Linter

_ROUNDS_OVER_ALL = 10


@dataclass(frozen=True, slots=True)
class FixedFile:
    """One file: its bytes before and after (None: it stays as it is)."""

    source: Source
    before: bytes
    after: bytes | None = None


@dataclass(slots=True)
class Fixing:
    """All files, the reports on what they were and what is left, and the findings whose fixes were taken back.

    `uncovered` has, by file, what such fixes would have brought: often what is hidden until an object can be decoded.
    """

    files: list[FixedFile] = field(default_factory=list)
    before: Report = field(default_factory=Report)
    report: Report = field(default_factory=Report)
    taken_back: list[Finding] = field(default_factory=list)
    uncovered: dict[str, list[Finding]] = field(default_factory=dict)

    @property
    def changed(self) -> list[FixedFile]:
        """The files that change."""
        return [file for file in self.files if file.after is not None]

    @property
    def fixed(self) -> list[Finding]:
        """The findings that are no longer there."""
        changed = {file.source.name for file in self.changed}
        return [f for f in fresh(self.report, self.before, by_release=False) if f.file in changed]


def fix(
    sources: Iterable[Source], settings: Settings, *, unsafe: bool = False, inventory: Sequence[Source] = ()
) -> Fixing:
    """Return what becomes of the files; nothing is written.

    Args:
        sources: the files.
        settings: how they are judged; what these do not report is not fixed.
        unsafe: whether to apply fixes that guess, too.
        inventory: the files of all ResourceSlices there are; they stay as they are.
    """
    fixing = Fixing()
    held: list[Source] = []
    failures: list[Failure] = []
    for source in sources:
        try:
            held.append(source._replace(held=source.read()))
        except (OSError, MemoryError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            failures.append(Failure(source.name, f"cannot be read: {reason or type(error).__name__}"))
    whole = _Whole(held, settings, inventory)
    fixing.before = whole.judged({})
    skipped = {(skip.file, skip.document) for skip in fixing.before.skipped}
    told = {f.file for f in fixing.before.findings if (f.file, f.document) not in skipped}
    linters = Linters(settings, collects=False, thorough=True)
    texts: dict[str, bytes] = {}
    for source in held:
        if source.name in told:
            _alone(fixing, linters.of(source.name), source, texts, failures, unsafe=unsafe)
    _together(fixing, whole, texts, unsafe=unsafe)
    second = SecondReader()
    for source in held:
        raw = source.read()
        after = texts.get(source.name, raw)
        if after != raw and second.disagrees(raw, after):
            failures.append(
                Failure(source.name, "left alone: another reader of YAML takes the outcome for something else")
            )
            after = raw
        fixing.files.append(FixedFile(source, raw, after if after != raw else None))
    fixing.report.failures += failures
    fixing.report.files += len(failures)
    fixing.report.sort()
    return fixing


def fix_bytes(linter: Linter, name: str, raw: bytes, *, unsafe: bool = False) -> rounds.Outcome:
    """Return what becomes of one text by itself; `linter` judges it, and is to offer all fixes."""

    def judge(text: bytes) -> Report:
        report = judge_bytes(linter, name, text, Task(linter.settings))
        report.facts = []
        conclude(report, linter.settings)
        return report

    by_release = bool(linter.settings.releases)
    out = rounds.fix(raw, judge(raw), judge, unsafe=unsafe, by_release=by_release)
    newer = migrated(out.raw, out.report, linter.releases.versions, linter.releases.chosen)
    if newer is None or newer == out.raw:
        return out
    report = judge(newer)
    if report.failures or report.objects < out.report.objects or fresh(out.report, report, by_release=by_release):
        return out
    again = rounds.fix(newer, report, judge, unsafe=unsafe, by_release=by_release)
    return rounds.Outcome(
        again.raw,
        again.report,
        [*out.fixed, *again.fixed],
        [*out.taken_back, *again.taken_back],
        [*out.uncovered, *again.uncovered],
    )


def _alone(
    fixing: Fixing,
    linter: Linter,
    source: Source,
    texts: dict[str, bytes],
    failures: list[Failure],
    *,
    unsafe: bool,
) -> None:
    """Put what becomes of a file by itself into the texts."""
    if _is_patched(source):
        return
    raw = source.read()
    try:
        outcome = fix_bytes(linter, source.name, raw, unsafe=unsafe)
    except Exception as error:  # noqa: BLE001 - a bug of ours in one file must not end the run
        message = f"internal error: {type(error).__name__}: {error}; please report it with the manifest"
        failures.append(Failure(source.name, message, INTERNAL_ERROR))
        return
    if outcome.raw != raw:
        texts[source.name] = outcome.raw
    fixing.taken_back += outcome.taken_back
    if outcome.uncovered:
        fixing.uncovered[source.name] = outcome.uncovered


@dataclass(frozen=True, slots=True)
class _Whole:
    """All files of the run, with what they are judged by."""

    held: Sequence[Source]
    settings: Settings
    inventory: Sequence[Source]

    def judged(self, texts: Mapping[str, bytes]) -> Report:
        """Return the report on all files, of which some have other texts."""
        files = [source._replace(held=texts.get(source.name, source.held)) for source in self.held]
        return run(files, self.settings, inventory=self.inventory)


def _together(fixing: Fixing, whole: _Whole, texts: dict[str, bytes], *, unsafe: bool) -> None:
    """Judge all files as they are to be; take back what does harm elsewhere, and fix what lies between them."""
    settings = whole.settings
    fixing.report = whole.judged(texts) if texts else fixing.before
    if harmed := _new(fixing.before, fixing.report, settings):
        names = {f.file for f in harmed} | {related.file for f in harmed for related in f.related}
        for name in names if any(name in texts for name in names) else list(texts):
            if texts.pop(name, None) is not None:
                fixing.uncovered.setdefault(name, harmed)
        fixing.report = whole.judged(texts)
        if _new(fixing.before, fixing.report, settings):
            texts.clear()
            fixing.report = fixing.before
    alone, report, taken_back = dict(texts), fixing.report, list(fixing.taken_back)
    for patient in (True, False):
        _rounds(fixing, whole, texts, unsafe=unsafe, patient=patient)
        if not patient or not _new(report, fixing.report, settings):
            return
        texts.clear()
        texts.update(alone)
        fixing.report, fixing.taken_back = report, list(taken_back)


def _rounds(fixing: Fixing, whole: _Whole, texts: dict[str, bytes], *, unsafe: bool, patient: bool) -> None:
    """Fix what lies between the files; `patient` lets a fix bring to light what a later one repairs."""
    refused = {rounds.name(finding) for finding in fixing.taken_back}
    by_name = {source.name: source for source in whole.held}
    for _ in range(_ROUNDS_OVER_ALL):
        wanted: dict[str, list[Finding]] = {}
        for finding in fixing.report.findings:
            if rounds.applies(finding, unsafe=unsafe) and rounds.name(finding) not in refused:
                wanted.setdefault(finding.file, []).append(finding)
        wanted = {name: found for name, found in wanted.items() if not _is_patched(by_name[name])}
        if not wanted:
            return
        _apply(fixing, whole, texts, [rounds.disjoint(found) for found in wanted.values()], refused, patient=patient)


def _apply(
    fixing: Fixing,
    whole: _Whole,
    texts: dict[str, bytes],
    wanted: list[list[Finding]],
    refused: set[tuple[object, ...]],
    *,
    patient: bool,
) -> None:
    """Apply the fixes of files, each with its findings, unless they do harm in any.

    All at once where that goes; otherwise those of one file, or the first of these: the others have their turn later.
    """
    by_name = {source.name: source for source in whole.held}
    todo = [wanted]
    while todo:
        group = todo.pop()
        found = [finding for findings in group for finding in findings]
        changed = {**texts}
        try:
            for findings in group:
                name = findings[0].file
                text = FileText(texts.get(name) or by_name[name].read())
                changed[name] = text.encode(apply(text.text, rounds.edits_of(findings)))
        except ValueError:
            changed = texts
        after = fixing.report if changed is texts else whole.judged(changed)
        new = [f for f in _new(fixing.report, after, whole.settings) if not patient or f.severity == "error"]
        if not (changed is texts or new or remaining(found, fixing.report, after)):
            texts.update(changed)
            fixing.report = after
        elif len(group) > 1:
            todo += [group[len(group) // 2 :], group[: len(group) // 2]]
        elif len(found) > 1:
            todo.append([found[:1]])
        else:
            refused.update(rounds.name(finding) for finding in found)
            fixing.taken_back += found
            fixing.uncovered.setdefault(found[0].file, new)


def _new(before: Report, after: Report, settings: Settings) -> list[Finding]:
    """Return what is found now and was not before; of a file that no release was chosen for, by whichever judges it."""
    found = fresh(before, after, by_release=False)
    if not settings.releases and not settings.overrides:
        return found
    return [
        *found,
        *(
            f
            for f in fresh(before, after, by_release=True)
            if settings_of(f.file, settings).releases and f not in found
        ),
    ]


def _is_patched(source: Source) -> bool:
    if source.path is None:
        return False
    try:
        return patched_by(source.path) is not None
    except Exception:  # noqa: BLE001 - a kustomization is not what was asked about
        return False
