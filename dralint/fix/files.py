"""Fixes many files: first each one alone, then the findings between them; and reports what is left."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from dralint.edit.apply import Rewriting
from dralint.edit.proof import SecondReader
from dralint.files.atomic import ForbiddenError, write_atomically
from dralint.files.kustomize import patched_by
from dralint.files.source import Source
from dralint.finding.compare import exact, fresh, unproven
from dralint.finding.report import Failure, Report, internal_error, unread
from dralint.finding.rule_ids import MORE_BEHIND_DECODING
from dralint.fix import rounds
from dralint.lint import pool
from dralint.lint.linter import Linters
from dralint.lint.passes import conclude

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from dralint.config.settings import Settings
    from dralint.finding.finding import Edit, Finding
    from dralint.lint.linter import Linter
    from dralint.lint.run_files import FilesJudged

_ROUNDS_OVER_ALL = 20
_SEARCHED = 8
"""In how many texts of a file a search looks for repairs: a file with a mistake in every line needs bounds."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """One file: its bytes before and after (None: it stays as it is), and the edits from the first to the second."""

    source: Source
    before: bytes
    after: bytes | None = None
    edits: Sequence[Edit] = ()

    @property
    def result(self) -> bytes:
        """Its bytes afterwards."""
        return self.before if self.after is None else self.after


R = TypeVar("R", bound=Rewritten)


@dataclass(slots=True)
class RewrittenFiles(Generic[R]):
    """All files of a run that rewrites some, and the report on what is left."""

    files: list[R] = field(default_factory=list)
    report: Report = field(default_factory=Report)

    @property
    def changed(self) -> list[R]:
        """The files that change."""
        return [file for file in self.files if file.after is not None]


@dataclass(slots=True)
class Fixing(RewrittenFiles[Rewritten]):
    """All files, the report before the fixes, and the report on what is left.

    `made` has the findings whose fixes were applied, round after round; `taken_back` has those whose fix did more than
    it should.
    """

    before: Report = field(default_factory=Report)
    made: list[Finding] = field(default_factory=list)
    taken_back: list[Finding] = field(default_factory=list)

    @property
    def gone(self) -> list[Finding]:
        """The findings that no longer exist."""
        changed = {file.source.name for file in self.changed}
        return [f for f in fresh(self.report, self.before, by_release=False) if f.file in changed]


def fix(
    sources: Iterable[Source], settings: Settings, *, unsafe: bool = False, inventory: Sequence[Source] = ()
) -> Fixing:
    """Return the fixed files; nothing is written.

    Args:
        sources: the files.
        settings: how to judge them; what these do not report is not fixed.
        unsafe: whether to apply guesses, too.
        inventory: the files with all ResourceSlices of the cluster; they do not change.
    """
    fixing = Fixing()
    held: list[Source] = []
    failures: list[Failure] = []
    for source in sources:
        try:
            held.append(source._replace(held=source.whole()))
        except (OSError, MemoryError) as error:
            failures.append(unread(source.name, error))
    whole = _Whole(held, settings, inventory)
    fixing.before = fixing.report = whole.judged({})
    promised = {f.file for f in fixing.before.findings if rounds.applies(f, unsafe=unsafe)}
    concerned = {f.file for f in fixing.before.findings if f.rule == MORE_BEHIND_DECODING and f.file in promised}
    texts: dict[str, Rewriting] = {}
    for source in held:
        if source.name in concerned and not _is_patched(source):
            _alone(fixing, whole, source, texts, failures)
    if unsafe:
        whole.tell_all_of(concerned)
    if texts or (unsafe and concerned):
        fixing.report = whole.judged(texts)
    _together(fixing, whole, texts, unsafe=unsafe)
    if unsafe and concerned:
        whole.tell_all_of(())
        fixing.report = whole.judged(texts)
    second = SecondReader()
    for source in held:
        raw = source.whole()
        after, edits = texts.get(source.name, Rewriting(raw))
        if after != raw and second.disagrees(*(source._replace(held=text).read() for text in (raw, after))):
            failures.append(Failure(source.name, "left alone: another YAML reader reads the result differently"))
            after = raw
        fixing.files.append(Rewritten(source, raw, after if after != raw else None, edits))
    fixing.report.failures += failures
    fixing.report.files += len(failures)
    fixing.report.sort()
    return fixing


def fix_bytes(linter: Linter, name: str, raw: bytes, *, unsafe: bool = False) -> rounds.FixedText:
    """Return one fixed text; `linter` judges it, and must report everything."""
    task = pool.Task(linter.settings)
    source = Source(name, None)
    return _fixed(
        raw,
        linter.settings,
        lambda text: pool.judge_file(linter, source._replace(held=text), task),
        unsafe=unsafe,
    )


def _fixed(
    raw: bytes, settings: Settings, found_in: Callable[[bytes], FilesJudged], *, unsafe: bool = False
) -> rounds.FixedText:
    def judge(text: bytes) -> Report:
        part = found_in(text)
        report = part.report.but()  # a copy, because the first report is needed again
        conclude(report, settings, part.gathered.suppressions)
        return report

    return rounds.fix(raw, judge(raw), judge, unsafe=unsafe)


def _alone(fixing: Fixing, whole: _Whole, source: Source, texts: dict[str, Rewriting], failures: list[Failure]) -> None:
    """Add the fixes of a file alone to the texts; its guesses are proven among all objects, not here."""
    raw = source.whole()
    try:
        outcome = _fixed(raw, whole.settings, lambda text: whole.found_in(source.name, text, thorough=True))
    except Exception as error:  # noqa: BLE001 - a bug of ours in one file must not end the run
        failures.append(internal_error(source.name, error))
        return
    if outcome.raw != raw:
        texts[source.name] = outcome.text
    fixing.made += outcome.made
    fixing.taken_back += outcome.taken_back


class _Whole:
    """All files of the run, each judged once per text; the objects are compared again each time."""

    def __init__(self, held: Sequence[Source], settings: Settings, inventory: Sequence[Source]) -> None:
        self.held = held
        self.settings = settings
        self._inventory = inventory
        self._as_they_are = pool.each(held, pool.Task(settings))
        self._linters = {thorough: Linters(settings, thorough=thorough) for thorough in (False, True)}
        self._found: dict[tuple[str, bool], tuple[bytes, FilesJudged]] = {}
        self._by_name = {source.name: source for source in held}
        self._searches: Counter[str] = Counter()
        self._telling: dict[str, Rewriting] = {}

    def tell_all_of(self, files: Collection[str]) -> None:
        """From now on, report all problems of these files, however many there are."""
        self._telling = {name: Rewriting(self._by_name[name].whole()) for name in files}

    def found_in(self, name: str, raw: bytes, *, thorough: bool) -> FilesJudged:
        """Return the findings in a file with another text: all, or those of a normal report; keep the last answer."""
        known = self._found.get((name, thorough))
        if known is None or known[0] != raw:
            every = None if thorough else self._found.get((name, True))
            if every is not None and every[0] == raw and name not in every[1].gathered.shortened:
                return every[1]  # the normal report has everything
            source = self._by_name[name]._replace(held=raw)
            self._searches[name] += 1
            searching = name not in self._as_they_are.gathered.unsearched and self._searches[name] <= _SEARCHED
            task = pool.Task(self.settings, searching=searching)
            part = pool.judge_file(self._linters[thorough].of(name), source, task)
            known = self._found[name, thorough] = raw, part
        return known[1]

    def judged(self, texts: Mapping[str, Rewriting]) -> Report:
        """Return the report on all files, some of them with other texts."""
        texts = {**self._telling, **texts}
        whole = self._as_they_are.without(texts)
        for name, (raw, _) in texts.items():
            whole.extend(self.found_in(name, raw, thorough=bool(self._telling)))
        files = [
            source._replace(held=texts[source.name].raw) if source.name in texts else source for source in self.held
        ]
        pool.finish(whole, files, self.settings, thorough=True, inventory=self._inventory)
        return whole.report


def _together(fixing: Fixing, whole: _Whole, texts: dict[str, Rewriting], *, unsafe: bool) -> None:
    """Apply the fixes of the report, round after round; withdraw those that do more than they should."""
    by_name = {source.name: source for source in whole.held}
    refused = {exact(finding) for finding in fixing.taken_back}
    most: dict[str, int] = {}
    been: dict[str, set[int]] = {}
    for _ in range(_ROUNDS_OVER_ALL):
        wanted: dict[str, list[Finding]] = {}
        for finding in fixing.report.findings:
            if rounds.applies(finding, unsafe=unsafe) and exact(finding) not in refused:
                wanted.setdefault(finding.file, []).append(finding)
        chosen: dict[str, list[Finding]] = {}
        changed: dict[str, Rewriting] = {}
        for name, found in wanted.items():
            if _is_patched(by_name[name]):
                continue
            chosen[name] = rounds.together(rounds.next_of(found))[: most.get(name)]
            now = texts.get(name) or Rewriting(by_name[name].whole())
            changed[name] = rounds.applied(now, chosen[name]) or now
            been.setdefault(name, set()).add(hash(now.raw))
            if hash(changed[name].raw) in been[name] - {hash(now.raw)}:  # one guess undoes another
                refused.update(map(exact, chosen[name]))
                del chosen[name], changed[name]
        if not chosen:
            return
        after = whole.judged({**texts, **changed})
        wrong = unproven(chosen, fixing.report, after)
        for name in wrong:
            most[name] = len(chosen[name]) // 2
            if len(chosen[name]) == 1:
                refused.update(map(exact, chosen[name]))
                fixing.taken_back += chosen[name]
                del most[name]
            del chosen[name], changed[name]
        texts.update(changed)
        fixing.report = whole.judged(texts) if wrong else after
        fixing.made += [finding for found in chosen.values() for finding in found]


def _is_patched(source: Source) -> bool:
    if source.path is None:
        return False
    try:
        return patched_by(source.path) is not None
    except Exception:  # noqa: BLE001 - a kustomization is not what was asked about
        return False


def write(files: Iterable[Rewritten], copies: Mapping[str, Path] | None = None) -> list[Failure]:
    """Write each file, completely or not at all; return those that could not be written. Standard input has no file.

    A file that replaces its own input is written only if the input has not changed since.

    Args:
        copies: the path of the copy of each file, by its own path; without it, files are replaced.
    """
    failures: list[Failure] = []
    for file in files:
        if file.source.path is None:
            continue
        itself = copies is None
        path = Path(file.source.path) if copies is None else copies[file.source.path]
        try:
            write_atomically(
                path,
                file.result,
                instead_of=file.before if itself else None,
                folder=file.source.folder if itself else "",
                make_folder=not itself,
            )
        except OSError as error:
            why = f"cannot be written: {error.strerror or error}"
            if isinstance(error, ForbiddenError):
                why = f"left alone: {error.reason}"
            failures.append(Failure(file.source.name if itself else str(path), why))
    return failures
