"""Judge damaged manifests and tell what must never happen: an exception, an impossible place, raw control characters,
a second of processor time, 300 MB.

    python -m tests.fuzz.run --seconds 600 --seed 7 [--keep FOLDER]

The same seed gives the same texts in the same order. The exit status is 1 where something was found; --keep writes the
texts that show it to a folder. What has been mended gets a file in tests/fuzz/corpus.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import cache

from dralint.config.settings import Settings
from dralint.files.git import Text
from dralint.finding.report import Report
from dralint.kubernetes.served import known_releases
from dralint.lint.linter import Linter
from dralint.lint.pool import Task, judge_bytes
from dralint.report import Style, render
from dralint.update.linter import Updates
from tests.fuzz.mutate import text_of
from tests.fuzz.program import chance_of, options, tell

SECONDS, MEGABYTES = 1.0, 300
_GATES = (("AllAlpha", True), ("AllBeta", True))
UNSAFE = {*range(32), *range(127, 160), *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF}
UNSAFE -= {10}


@dataclass(slots=True)
class Outcome:
    """What a run over damaged texts has shown."""

    executions: int = 0
    slowest: float = 0.0
    megabytes: float = 0.0
    findings: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[int, str, bytes]] = field(default_factory=list)
    """Number of the text, what happened, and the text."""


@cache
def profiles() -> tuple[Settings, ...]:
    """Return the settings that texts are judged under: the default, each release, gates, several releases."""
    known = known_releases()
    each = [Settings(releases=(release,)) for release in known]
    gated = [Settings(releases=(release,), gates=_GATES) for release in known if str(release) >= "1.30"]
    several = [Settings(releases=tuple(known[-4:])), Settings(releases=tuple(known)), Settings(ignore_status=True)]
    return (Settings(), Settings(), *each, *gated, *several)


@cache
def _linter(number: int) -> Linter:
    return Linter(profiles()[number])


@cache
def _updates(number: int) -> Updates:
    return Updates(profiles()[number])


@dataclass(frozen=True, slots=True)
class Damaged:
    """A text, the number of the settings that it is judged under, and the text that it is an update of, if it is."""

    raw: bytes
    profile: int
    old: bytes | None


def damaged(seed: int, number: int) -> Damaged:
    """Return the text with a number, and how it is judged."""
    chance = chance_of(seed, number)
    raw = text_of(chance)
    profile = chance.randrange(len(profiles()))
    if chance.random() < 0.8:
        return Damaged(raw, profile, None)
    return Damaged(raw, profile, text_of(chance) if chance.random() < 0.5 else raw.replace(b"a", b"b", 2))


def execute(text: Damaged) -> Report:
    """Judge a text, by itself or as an update of another one; return its report, which has been written out.

    Raises whatever goes wrong, and AssertionError for what must not be in a report.
    """
    raw, profile, old = text.raw, text.profile, text.old
    if old is None:
        report = judge_bytes(_linter(profile), "x.yaml", raw, Task(profiles()[profile], excerpts=True)).report
        report.sort()
    else:
        report = _updates(profile).compare(
            [Text("old.yaml", "x", lambda: old)], [Text("x.yaml", "x", lambda: raw)], excerpts=True
        )
    hold(report)
    return report


def hold(report: Report) -> None:
    """Hold a report against what it must not have; AssertionError names it."""
    assert not report.failures, report.failures[0].message
    for finding in report.findings:
        start, end = (finding.line, finding.column), (finding.end_line, finding.end_column)
        assert (1, 1) <= start <= end, f"{finding.rule} at {start}, {end}"
        assert finding.column >= 1, f"{finding.rule} at {start}, {end}"
    text, as_json = render("text", report, Style(verbose=True)), render("json", report, Style())
    for written in (text, as_json):
        unsafe = UNSAFE.intersection(map(ord, set(written)))
        assert not unsafe, f"unsafe characters {sorted(map(hex, unsafe))}"
    assert len(json.loads(as_json)["findings"]) == len(report.findings)


def _megabytes() -> float:
    """Return the most memory that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(seed: int, *, count: int | None = None, seconds: float | None = None, start: int = 0) -> Outcome:
    """Judge so many texts, or for so many seconds."""
    outcome, number, already = Outcome(), start, _megabytes()  # what others had in this process before
    end = None if seconds is None else time.monotonic() + seconds
    while (count is None or number < start + count) and (end is None or time.monotonic() < end):
        text = damaged(seed, number)
        raw = text.raw
        before = time.process_time()
        try:
            outcome.findings.update(finding.rule for finding in execute(text).findings)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            outcome.faults.append((number, f"{type(error).__name__}: {error}"[:300], raw))
        took = time.process_time() - before
        memory = _megabytes() - already
        if took > SECONDS and number > start + 500:  # by then everything has been compiled
            outcome.faults.append((number, f"took {took:.2f} s", raw))
        if memory > MEGABYTES >= outcome.megabytes:
            outcome.faults.append((number, f"{memory:.0f} MB", raw))
        outcome.slowest = max(outcome.slowest, took if number > start + 500 else 0)
        outcome.megabytes = max(outcome.megabytes, memory)
        outcome.executions += 1
        number += 1
    return outcome


def main() -> int:
    """Run as the command line says; return the exit status."""
    parser = options(__doc__, seed=0)
    parser.set_defaults(count=None)
    parser.add_argument("--seconds", type=float, default=60, help="for so long, where no --count is given")
    chosen = parser.parse_args()
    seconds = None if chosen.count is not None else chosen.seconds
    outcome = run(chosen.seed, count=chosen.count, seconds=seconds, start=chosen.start)
    for number, what, raw in outcome.faults:
        tell(chosen, f"{chosen.seed}-{number}", what, text=raw)
    print(
        f"{outcome.executions} texts, {len(outcome.faults)} faults, {len(outcome.findings)} rules met, slowest"
        f" {outcome.slowest:.2f} s, {outcome.megabytes:.0f} MB"
    )
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
