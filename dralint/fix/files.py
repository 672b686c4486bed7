"""Fixes many files, round after round: first each one alone, then the findings between them; reports what is left."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from dralint.edit.apply import Rewriting
from dralint.edit.repairs import SecondReader, disjoint
from dralint.files.atomic import ForbiddenError, write_atomically
from dralint.files.kustomize import patched_by
from dralint.finding.catalogue import OLD_API_VERSIONS
from dralint.finding.report import Failure, Report, exact, fresh, unproven, unread
from dralint.finding.rule_ids import MORE_BEHIND_DECODING, UNUSED_SUPPRESSION
from dralint.lint import pool
from dralint.lint.linter import Linters

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from dralint.config.settings import Settings
    from dralint.files.source import Source
    from dralint.finding.finding import Edit, Finding
    from dralint.lint.run_files import FilesJudged

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
    held: list[Source] = []
    failures: list[Failure] = []
    for source in sources:
        try:
            held.append(source._replace(held=source.whole()))
        except (OSError, MemoryError) as error:
            failures.append(unread(source.name, error))
    whole = _Whole(held, settings, inventory)
    by_name = {source.name: source for source in held}
    patched = cache(lambda name: patched_by(by_name[name].path))
    before = whole.judged({})
    promised = {f.file for f in before.findings if applies(f, unsafe=unsafe) and not patched(f.file)}
    more = {f.file for f in before.findings if f.rule == MORE_BEHIND_DECODING and f.file in promised}
    out = FixedTexts(before)
    if more:
        whole.tell_all_of(more)
        out.report = whole.judged({})
    fix_texts(
        out,
        lambda name: by_name[name].whole(),
        whole.judged,
        lambda finding: applies(finding, unsafe=unsafe) and not patched(finding.file),
    )
    if more:
        whole.tell_all_of(())
        out.report = whole.judged(out.texts)
    fixing = Fixing(before=before, report=out.report, made=out.made, taken_back=out.taken_back)
    second = SecondReader()
    for source in held:
        raw = source.whole()
        after, edits = out.texts.get(source.name, Rewriting(raw))
        if after != raw and second.disagrees(*(source._replace(held=text).read() for text in (raw, after))):
            failures.append(Failure(source.name, "left alone: another YAML reader reads the result differently"))
            after = raw
        fixing.files.append(Rewritten(source, raw, after if after != raw else None, edits))
    fixing.report.failures += failures
    fixing.report.files += len(failures)
    fixing.report.sort()
    return fixing


class _Whole:
    """All files of the run, each judged once per text; the objects are compared again each time."""

    def __init__(self, held: Sequence[Source], settings: Settings, inventory: Sequence[Source]) -> None:
        self.held = held
        self.settings = settings
        self._inventory = inventory
        self._linters = {thorough: Linters(settings, thorough=thorough) for thorough in (False, True)}
        self._as_they_are = pool.each(held, pool.Task(settings), linters=self._linters[False])
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


ROUNDS = 20


@dataclass(slots=True)
class FixedTexts:
    """Texts with their fixes, by file, and the report on all files.

    `made` has the findings whose fixes were applied, round after round; `taken_back` has those whose fix did more than
    it should.
    """

    report: Report
    texts: dict[str, Rewriting] = field(default_factory=dict)
    made: list[Finding] = field(default_factory=list)
    taken_back: list[Finding] = field(default_factory=list)


def fix_texts(
    out: FixedTexts,
    held: Callable[[str], bytes],
    judge: Callable[[Mapping[str, Rewriting]], Report],
    wanted: Callable[[Finding], bool],
) -> None:
    """Apply the fixes of the findings of the report, and of those that appear after them, until nothing changes.

    Each fix was proven when its object was judged. If a round still does more to a file than it should, the file is
    repeated with fewer fixes.

    Args:
        out: the texts that have changed so far, and the report on all; they become those after the fixes.
        held: returns the bytes of a file before the first fix.
        judge: gives the report on all files, some of them with other texts.
        wanted: says whether to fix a finding.
    """
    refused = set(map(exact, out.taken_back))
    most: dict[str, int] = {}
    been: dict[str, set[int]] = {}
    for _ in range(ROUNDS):
        by_file: dict[str, list[Finding]] = {}
        for finding in out.report.findings:
            if exact(finding) not in refused and wanted(finding):
                by_file.setdefault(finding.file, []).append(finding)
        chosen: dict[str, list[Finding]] = {}
        changed: dict[str, Rewriting] = {}
        for name, found in by_file.items():
            chosen[name] = together(next_of(found))[: most.get(name)]
            now = out.texts.get(name) or Rewriting(held(name))
            try:
                changed[name] = now.then(edits_of(chosen[name]))
            except ValueError:  # the fixes overlap
                changed[name] = now
            been.setdefault(name, set()).add(hash(now.raw))
            if hash(changed[name].raw) in been[name] - {hash(now.raw)}:  # one guess undoes another
                refused.update(map(exact, chosen[name]))
                del chosen[name], changed[name]
        if not chosen:
            return
        after = judge({**out.texts, **changed})
        wrong = unproven(chosen, out.report, after)
        for name in wrong:
            most[name] = len(chosen[name]) // 2
            if len(chosen[name]) == 1:
                refused.update(map(exact, chosen[name]))
                out.taken_back += chosen[name]
                del most[name]
            del chosen[name], changed[name]
        out.texts.update(changed)
        if changed:
            out.report = judge(out.texts) if wrong else after
        out.made += [finding for found in chosen.values() for finding in found]


def fix_alone(
    name: str, raw: bytes, first: Report, judge: Callable[[bytes], Report], *, unsafe: bool = False
) -> tuple[Rewriting, FixedTexts]:
    """Return the fixed text of one file, and what `fix_texts` says of it. Others may use what suppresses nothing in it.

    Args:
        first: the report on the bytes of the file; `judge` gives the one on others.
        unsafe: whether to apply guesses, too.
    """
    out = FixedTexts(first)
    fix_texts(
        out,
        lambda _: raw,
        lambda texts: judge(texts[name].raw),
        lambda finding: finding.rule != UNUSED_SUPPRESSION and applies(finding, unsafe=unsafe),
    )
    return out.texts.get(name) or Rewriting(raw), out


def next_of(wanted: Sequence[Finding]) -> Sequence[Finding]:
    """Return the findings to fix first: an object moves to another API version when everything else in it is right.

    Unused suppressions come last, because a later finding may use them.
    """
    for last in ((*OLD_API_VERSIONS, UNUSED_SUPPRESSION), (UNUSED_SUPPRESSION,)):
        if first := [finding for finding in wanted if finding.rule not in last]:
            return first
    return wanted


def applies(finding: Finding, *, unsafe: bool) -> bool:
    """Say whether a finding has a fix that dralint may apply."""
    return finding.fix is not None and (finding.fix.safe or unsafe)


def edits_of(findings: Sequence[Finding]) -> list[Edit]:
    """Return the edits of all the fixes."""
    return [edit for finding in findings if finding.fix is not None for edit in finding.fix.edits]


def together(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings whose edits do not overlap: safe ones first; of two that overlap, the first."""
    ordered = sorted(findings, key=lambda finding: finding.fix is None or not finding.fix.safe)
    return [ordered[number] for number in disjoint({n: edits_of([each]) for n, each in enumerate(ordered)})]


# Writing.


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
