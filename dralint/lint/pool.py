"""Runs dralint over many files, in one process or several; the report is the same either way."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
import threading
from typing import TYPE_CHECKING

from dralint import work
from dralint.drivers.named_drivers import concerned
from dralint.files.kustomize import patched_by
from dralint.files.source import DOCUMENTS, Source
from dralint.finding.report import Excerpt, Failure, Report, Skipped, internal_error, not_compiled, unread
from dralint.finding.rule_ids import INTERNAL_ERROR
from dralint.lint.linter import Linters
from dralint.lint.passes import OF_RUN, Compared, conclude, without_twins
from dralint.lint.release_judge import DESCRIBED, Releases, use_workloads
from dralint.lint.run_files import CrossFileFacts, FilesJudged, RunFiles, without_text
from dralint.records import NamedTuple, grouped
from dralint.references.facts import WorkloadFacts
from dralint.report.words import nothing_judged
from dralint.yaml import read

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from dralint.config.settings import Settings
    from dralint.files.code_blocks import Blocks
    from dralint.finding.finding import Finding
    from dralint.lint.linter import Linter
    from dralint.lint.run_files import Documents

FILES_THAT_PAY, BYTES_THAT_PAY = 2_000, 4_000_000
"""From so many files or bytes on, another process saves more time than its start costs."""

MOST_SEARCHED = 40
"""dralint searches for repairs in at most this many files of a run: the first ones that need it. Without the limit, a
folder of refused manifests would take thirty times as long."""
_MOST_KEPT = 100
"""A run over more files keeps no documents for the stage over all objects."""
_CHUNK_FILES, _CHUNK_BYTES = 64, 1_000_000
_FIRST_FILES = 8
_LONG_LINE, _WINDOW = 4000, 240
"""In characters: of a longer line, dralint keeps only the text around its findings, up to this far before and after."""
_LINE_END = rb"\r\n|\r|\n"


class Task(NamedTuple):
    """What a worker needs besides the names of files."""

    settings: Settings
    excerpts: bool = False
    thorough: bool = False
    """Whether to report all problems between objects, however many there are."""
    alone: bool = False
    """Whether the input is one file, and only its objects are to be judged."""
    searching: bool = True
    """Whether to search for repairs that no rule offers."""


def run(
    sources: Sequence[Source],
    settings: Settings,
    *,
    jobs: int | None = None,
    excerpts: bool = False,
    inventory: Sequence[Source] = (),
    advance: Callable[[int], None] | None = None,
    linters: Linters | None = None,
) -> Report:
    """Judge the files and return the sorted report: first each file alone, then all objects together.

    Args:
        sources: the files; each one occurs once.
        jobs: how many processes; None for one per processor where there are enough files.
        excerpts: whether the report keeps the lines of its findings.
        inventory: the files of the cluster's ResourceSlices, which dralint does not judge.
        advance: called with the number of files done since the last call.
        linters: those that an earlier run has used for the settings; this process judges with them.

    The report's failures name the files that cannot be read.
    """
    if settings.baseline is not None:
        sources = [source for source in sources if not _is_baseline(source, settings.baseline)]
    sources = [_held(source) if source.path is None else source for source in sources]
    drivers = settings.driver_packs or settings.driver_versions
    asked = inventory or settings.complete or settings.releases or settings.overrides or drivers
    alone = len(sources) == 1 and not asked
    part = each(sources, Task(settings, excerpts, alone=alone), jobs=jobs, advance=advance, linters=linters)
    finish(part, sources, settings, excerpts=excerpts, inventory=inventory)
    return part.report


def each(
    sources: Sequence[Source],
    task: Task,
    *,
    jobs: int | None = None,
    advance: Callable[[int], None] | None = None,
    linters: Linters | None = None,
) -> FilesJudged:
    """Return the findings in the files, each judged alone; for the arguments see `run`."""
    whole = FilesJudged(Report(), CrossFileFacts())
    few = len(sources) <= MOST_SEARCHED
    first = task if few else task._replace(searching=False)
    wanted = 1 if len(sources) < 2 else jobs or processors()
    sizes = None if wanted == 1 else [_size(source) for source in sources]
    if sizes is not None and (jobs is not None or len(sources) >= FILES_THAT_PAY or sum(sizes) >= BYTES_THAT_PAY):
        parts = _spread(_chunks(sources, sizes), first, wanted)
    else:
        parts = _one_by_one(sources, first, linters)
    for part in parts:
        if len(sources) > _MOST_KEPT:
            part.gathered.documents.clear()  # they would take more memory than it takes time to read some again
        whole.extend(part)
        if advance is not None:
            advance(part.report.files)
    if task.searching and whole.gathered.unsearched:
        _search(whole, sources, task, linters)
    return whole


def _search(whole: FilesJudged, sources: Sequence[Source], task: Task, linters: Linters | None) -> None:
    """Judge the first files again for which no search has looked for repairs, and search for these."""
    left = whole.gathered.unsearched
    again = [s for s in sources if s.name in left and (s.held is not None or os.path.isfile(s.path or ""))]
    names = {source.name for source in again[:MOST_SEARCHED]}
    found = [one for one in whole.report.findings if one.file not in names]
    for part in _one_by_one(again[:MOST_SEARCHED], task, linters):
        found += part.report.findings
    whole.report.findings = found
    left -= names


def finish(
    part: FilesJudged,
    sources: Sequence[Source],
    settings: Settings,
    *,
    excerpts: bool = False,
    thorough: bool = False,
    inventory: Sequence[Source] = (),
) -> None:
    """Add the findings between the files to the report, and finish the report."""
    task, report = Task(settings, excerpts, thorough), part.report
    read = {source.name: source for source in sources}
    stock: list[tuple[str, bytes]] = []
    for source in inventory:
        try:
            raw = source.read()
        except (OSError, MemoryError) as error:
            report.failures.append(unread(source.name, error))
            continue
        if source.folder:  # a dump of a whole cluster has many objects that do not matter
            from dralint.files.text_parts import only_kinds  # few runs have an inventory

            raw = only_kinds(raw)
        if (skipped := without_text(source, raw)) is not None:
            report.failures.append(unread(source.name, skipped.reason))
        else:
            stock.append((source.name, raw))
    judge_together(part, Releases(settings), task, read, stock)
    conclude(report, settings, part.gathered.suppressions)
    if report.findings and part.gathered.rendered:
        from dralint.lint.kustomized import add_templates  # only where Helm has written the input

        add_templates(report, [source for source in sources if source.name in part.gathered.rendered])
    if nothing_judged(report):
        report.extended = _extended(sources, settings, stock)
    if unsearched := part.gathered.unsearched:
        report.not_searched = len(unsearched & {finding.file for finding in report.findings if finding.fix is None})
    if excerpts:
        _add_excerpts(report, sources)


_MOST_ASKED = 200
"""So many files without an object to judge are searched for extended resources."""
_OFFERED = re.compile(rb"extendedResourceName[\"']?:[ ]*[\"']?([\w./-]+)")


def _extended(sources: Sequence[Source], settings: Settings, stock: Sequence[tuple[str, bytes]]) -> list[str]:
    """Return the extended resources in the files that classes of the inventory or of a driver's chart offer."""
    from dralint.drivers.choice import resources_of_charts  # few runs have nothing to judge

    names = {name.decode() for _, raw in stock for name in _OFFERED.findall(raw)}
    names.update(resources_of_charts(file for _, file in settings.driver_packs))
    found: set[str] = set()
    for source in sources[:_MOST_ASKED]:
        try:
            raw = b"" if source.path is None and source.held is None else source.whole()
        except OSError:
            continue
        found.update(name for name in names if any(f"{name}{end}".encode() in raw for end in (":", '":', "':")))
    return sorted(found)


def judge_texts(
    linter: Linter, texts: Sequence[tuple[str, bytes]], task: Task, inventory: Sequence[tuple[str, bytes]] = ()
) -> Report:
    """Return the sorted report on texts (name and bytes) that are one input; `inventory` has those of the slices."""
    part = FilesJudged(Report(), CrossFileFacts())
    for name, raw in texts:
        part.extend(judge_file(linter, Source(name, None, raw), task))
    sources = {name: Source(name, None, raw) for name, raw in texts}
    judge_together(part, linter.releases, task, sources, inventory)
    conclude(part.report, linter.settings, part.gathered.suppressions)
    return part.report


def judge_together(
    part: FilesJudged,
    releases: Releases,
    task: Task,
    sources: Mapping[str, Source],
    inventory: Sequence[tuple[str, bytes]] = (),
    documents: Documents = read,
) -> None:
    """Add the findings between the objects of all files to the report.

    Args:
        part: the findings in each file.
        releases: those that judge.
        task: how much is reported.
        sources: the files by name.
        inventory: the texts of the slices.
        documents: reads the documents of a text again.
    """
    report, gathered = part
    if task.settings.workloads != DESCRIBED[0]:
        use_workloads(task.settings)
    collected = gathered.facts
    if not collected and not inventory:
        return
    failed = {failure.file for failure in report.failures}
    if collected and all(entry.file in failed for entry in collected):
        return  # the report already has the reason

    texts = dict(inventory)

    def raw_of(name: str) -> bytes | None:
        try:
            return sources[name].read() if name in sources else texts.get(name)
        except (OSError, MemoryError):
            return None

    if len(collected) > 1 and any(finding.fix is not None for finding in report.findings):
        report.findings = without_twins(report.findings, collected)
    named = bool(task.settings.releases or task.settings.overrides)
    compared = Compared(report.findings, [], (), collected if named else ())
    try:
        complete = task.settings.complete
        packs = concerned(collected, dict(task.settings.driver_packs + task.settings.driver_versions))
        from dralint.references.rules import rules  # one object alone needs none

        if inventory or packs or rules(collected, complete=complete, stocked=complete, named=named):
            from dralint.lint.across_objects import check_across_objects

            files = RunFiles(raw_of, gathered.documents, documents)
            bodies = (facts.body for facts in collected)
            if any(isinstance(body, WorkloadFacts) and any(pod.old for pod in body.pods) for body in bodies):
                from dralint.lint.workloads import judge_old_pods  # few inputs have any

                judge_old_pods(report, collected, task.settings, releases.versions, files)
            with work.begun(work.STEPS_BETWEEN, len(sources)) as mine:
                between, worse = check_across_objects(
                    part, task, list(sources), files, inventory, releases, packs=packs
                )
            compared = compared._replace(between=between, worse=worse)
            if mine.not_compiled:
                report.failures.append(not_compiled(next(iter(sources), ""), mine.not_compiled))
    except Exception as error:  # noqa: BLE001 - a bug between the objects must not hide what was found in each
        first = collected[0].file if collected else next(iter(sources), "")
        report.failures.append(internal_error(first, error, "in what lies between objects"))
        return
    if not (compared.between or compared.worse or named):
        return  # no pass has anything to change
    for one in OF_RUN:
        compared = one(compared)
    report.findings = compared.judged
    for name, findings in grouped((finding.file, finding) for finding in compared.between).items():
        if name not in sources:  # a file of the inventory: dralint does not write it
            findings = [finding._replace(fix=None) for finding in findings]
        else:
            findings = _without_patch(Report(findings=findings), sources[name]).findings
        report.findings += findings
        raw = raw_of(name) if task.excerpts and findings else None
        if raw is not None:
            report.excerpts.update(excerpts_of(name, raw, findings))


def _is_baseline(source: Source, baseline: pathlib.Path) -> bool:
    """Say whether a file is the baseline of the run, which has no manifests."""
    if source.path is None or os.path.basename(source.path) != baseline.name:
        return False
    return os.path.realpath(source.path) == os.path.realpath(baseline)


def _held(source: Source) -> Source:
    """Return standard input with its text, because it can be read only once."""
    if source.held is not None:
        return source
    try:
        return source._replace(held=source.whole())
    except (OSError, MemoryError):
        return source  # reported where it is judged


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def judge_file(linter: Linter, source: Source, task: Task) -> FilesJudged:
    """Return the findings in one file."""
    try:
        raw = source.whole()
    except (OSError, MemoryError) as error:
        return FilesJudged(Report(files=1, failures=[unread(source.name, error)]), CrossFileFacts())
    if source.named and (skipped := without_text(source, raw)) is not None:
        return FilesJudged(Report(files=1, documents=1, read={source.name: 0}, skipped=[skipped]), CrossFileFacts())
    if source.name.lower().endswith(DOCUMENTS):
        return judge_document(linter, source.name, raw, task)
    part = judge_bytes(linter, source.name, raw, task)
    return part._replace(report=_without_patch(part.report, source)) if part.report.findings else part


def _without_patch(report: Report, source: Source) -> Report:
    """Return the report on a file without the findings in a patch of a kustomization."""
    if all(finding.effect == "unreadable" for finding in report.findings):
        return report  # a patch must be YAML, too

    kustomization = patched_by(source.path)
    if kustomization is None:
        return report
    documents = {finding.document for finding in report.findings} | {skipped.document for skipped in report.skipped}
    skipped = [Skipped(source.name, document, f"a patch of {kustomization}", "patch") for document in sorted(documents)]
    kept = [finding for finding in report.findings if finding.effect == "unreadable"]
    return report.but(findings=kept, skipped=skipped, objects=0, read={source.name: 0})


def judge_bytes(linter: Linter, name: str, raw: bytes, task: Task) -> FilesJudged:
    """Return the findings in one text."""
    collects = gc.isenabled()
    gc.disable()  # nothing here refers to itself, and looking for it takes a fifth of the time
    try:
        part = linter.check(name, raw, alone=task.alone, searching=task.searching)
    except Exception as error:  # noqa: BLE001 - a bug in reading one file must not hide the others
        return FilesJudged(Report(files=1, failures=[internal_error(name, error)]), CrossFileFacts())
    finally:
        if collects:
            gc.enable()
    if task.excerpts and part.report.findings:
        part.report.excerpts = excerpts_of(name, raw, part.report.findings)
    return part


def excerpts_of(name: str, raw: bytes, findings: Iterable[Finding]) -> dict[tuple[str, int, int], Excerpt]:
    """Return the lines of a file that the findings point to: their own places and the related ones."""
    places = [place for finding in findings for place in _places(finding) if place[0] == name]
    if not places:
        return {}
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raw = raw.decode("utf-16", "replace").encode("utf-8", "replace")
    lines = re.split(_LINE_END, raw.removeprefix(b"\xef\xbb\xbf"))
    out: dict[tuple[str, int, int], Excerpt] = {}
    texts: dict[int, str] = {}
    for file, line, column in places:
        if not 1 <= line <= len(lines):
            continue
        text = texts.get(line)
        if text is None:
            text = texts[line] = lines[line - 1].decode("utf-8", "replace")
        start, end = max(0, column - 1 - _WINDOW), column - 1 + _WINDOW
        whole = len(text) <= _LONG_LINE
        out[file, line, column] = (
            Excerpt(text, 1, False) if whole else Excerpt(text[start:end], start + 1, end < len(text))
        )
    return out


def _add_excerpts(report: Report, sources: Sequence[Source]) -> None:
    """Read the files again that got findings after all had been judged; standard input cannot be read twice."""
    bare = {
        finding.file
        for finding in report.findings
        if finding.effect != "unreadable" and (finding.file, finding.line, finding.column) not in report.excerpts
    }
    failed = {failure.file for failure in report.failures}
    for source in sources if bare - failed else ():
        if source.name in bare and source.path is not None:
            try:
                raw = source.read()
            except (OSError, MemoryError):  # the file is gone by now; its findings have no lines
                continue
            report.excerpts.update(excerpts_of(source.name, raw, report.findings))


def _places(finding: Finding) -> Iterator[tuple[str, int, int]]:
    yield finding.file, finding.line, finding.column
    for related in (*finding.related, *((finding.parent,) if finding.parent else ())):
        yield related.file, related.line, related.column


def _size(source: Source) -> int:
    try:
        return 0 if source.path is None else os.stat(source.path).st_size
    except OSError:
        return 0


def _one_by_one(sources: Sequence[Source], task: Task, linters: Linters | None = None) -> Iterator[FilesJudged]:
    linters = linters or Linters(task.settings)
    for source in sources:
        yield judge_file(linters.of(source.name), source, task)


def _chunks(sources: Sequence[Source], sizes: Sequence[int]) -> list[list[Source]]:
    """Return the files in portions, the largest first, so that no process has a large one left at the end."""
    portions: list[tuple[int, list[Source]]] = []
    total = 0
    part: list[Source] = []
    for source, size in zip(sources, sizes, strict=True):
        part.append(source)
        total += size
        if len(part) >= _CHUNK_FILES or total >= _CHUNK_BYTES:
            portions.append((total, part))
            part, total = [], 0
    if part:
        portions.append((total, part))
    portions.sort(key=lambda portion: -portion[0])
    return [files for _, files in portions]


_worker: tuple[Linters, Task] | None = None


def _start_worker(task: Task) -> None:
    global _worker
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # an interrupted worker ends without a traceback
    gc.freeze()
    if _worker is None or _worker[1] is not task:
        _worker = Linters(task.settings), task


def _end_with_parent() -> None:
    """End this worker when its parent ends for any reason: no process would read its findings."""
    import multiprocessing
    from multiprocessing.connection import wait

    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(3)


def _work(sources: list[Source]) -> FilesJudged:
    assert _worker is not None
    linters, task = _worker
    whole = FilesJudged(Report(), CrossFileFacts())
    for source in sources:
        whole.extend(judge_file(linters.of(source.name), source, task))
    whole.gathered.documents.clear()  # to send them takes longer than to read them again
    return whole


def _spread(portions: list[list[Source]], task: Task, jobs: int) -> Iterator[FilesJudged]:
    here = [
        part for part in portions if any(source.path is None for source in part)
    ]  # standard input belongs to this process
    there = [part for part in portions if part not in here]
    jobs = min(jobs, len(there))
    if jobs < 2:
        for part in portions:
            yield from _one_by_one(part, task)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    # A forked process has already imported everything; only on Linux is a fork safe.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    # Compile what a few files of the smallest portion need once, before the fork.
    global _worker
    _worker = Linters(task.settings), task
    few, there[-1] = there[-1][:_FIRST_FILES], there[-1][_FIRST_FILES:]
    yield _work(few)
    left: list[list[Source]] = []
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_start_worker, initargs=(task,)) as pool:
        waiting = {pool.submit(_work, part): part for part in there}
        for part in here:
            yield from _one_by_one(part, task)
        try:
            for future in as_completed(waiting):
                try:
                    yield future.result()
                except BrokenProcessPool:
                    left.append(waiting[future])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    while left:  # one process was killed, and the pool ended with it
        with ProcessPoolExecutor(1, mp_context=context, initializer=_start_worker, initargs=(task,)) as pool:
            yield from _until_killed(pool, left)


def _until_killed(pool: Executor, left: list[list[Source]]) -> Iterator[FilesJudged]:
    """Judge the remaining portions until one ends the process. Halve that one, or give up on it if it is one file.

    Args:
        left: the remaining portions; done ones are removed, so it is empty at the end.
    """
    from concurrent.futures.process import BrokenProcessPool

    while left:
        part = left.pop()
        try:
            yield pool.submit(_work, part).result()
        except BrokenProcessPool:
            if len(part) > 1:
                left += [part[len(part) // 2 :], part[: len(part) // 2]]
            else:
                message = "could not be judged: its process was killed"
                failures = [Failure(source.name, message, INTERNAL_ERROR) for source in part]
                yield FilesJudged(Report(files=len(failures), failures=failures), CrossFileFacts())
            return


def judge_document(linter: Linter, name: str, raw: bytes, task: Task) -> FilesJudged:
    """Return the findings in the blocks of a document, with the lines, columns and offsets of the document.

    References are judged within a block. A block is never all that exists: the rest may be in the prose.
    """
    from dralint.files.code_blocks import Blocks  # few files are documents

    whole = FilesJudged(Report(files=1, read={name: 0}), CrossFileFacts())
    blocks = Blocks(raw, name)
    task = task._replace(alone=False, settings=task.settings._replace(complete=False))
    for number in range(len(blocks)):
        text = blocks.text(number)
        part = judge_bytes(linter, name, text, task)
        judge_together(part, linter.releases, task, {name: Source("", None, text)})
        part.report.findings = [_within_block(one, blocks) for one in part.report.findings]
        gathered = CrossFileFacts()
        gathered.suppressions, gathered.unsearched = part.gathered.suppressions, part.gathered.unsearched
        gathered.shortened = part.gathered.shortened
        whole.report.extend(part.report.but(files=0, documents=0))
        whole.report.documents = part.report.documents
        whole.report.read[name] = whole.report.objects
        whole.gathered.extend(gathered)
    return whole


def _within_block(finding: Finding, blocks: Blocks) -> Finding:
    """Return a finding whose fix stays within its block."""
    if finding.fix is None:
        return finding
    edits = blocks.placed(finding.fix.edits)
    return finding._replace(fix=None if edits is None else finding.fix._replace(edits=edits))
