"""How time and memory grow with the input: a table of all shapes and commands, from 10 KB to 4 MB.

    python -m tests.fuzz.growth [--sizes 10,80,640,4096] [--shape WORD] [--only-bad]

Each command runs in a process of its own that has everything imported. Times are processor seconds, so that others on
the machine do not count; memory is what the process takes above what it had. "power" is that of the size with which
the time grows. The exit status is 1 where time or memory grow with more than the power of 1.15, where a megabyte takes
longer than its command may, or where four megabytes take more than 300 MB; the last column says which.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from dralint.__main__ import main as dralint
from dralint.config.settings import Settings
from dralint.finding.report import Report
from dralint.lint.linter import Linter
from dralint.lint.pool import Task, judge_bytes
from dralint.report import Style, render
from tests.fuzz.shapes import ALL, Case

SIZES = (10, 80, 640, 4096)
"""In KiB."""
EXPONENT = 1.15
SECONDS_A_MEGABYTE = {"check": 2.0, "diff": 2.0, "simulate": 2.0, "migrate": 3.0, "upgrade": 3.0, "fix": 6.0}
MEGABYTES, OF_KIB = 300, 4096
_TOO_SHORT = 0.1
"""Seconds below which a time says nothing about growth."""
_TOO_LITTLE = 20.0
"""Megabytes below which memory says nothing about it: what the process had free before hides some of them."""
_MOST = 120


@dataclass(frozen=True, slots=True)
class Cost:
    """What one command took: the bytes of its files, processor seconds, megabytes above those before it, its status."""

    size: int
    seconds: float
    megabytes: float
    status: int | None


def judged(raw: bytes, settings: Settings | None = None) -> Report:
    """Return the report on a text, after it has been written as text."""
    settings = settings or Settings()
    report = judge_bytes(Linter(settings), "x.yaml", raw, Task(settings, excerpts=True)).report
    report.sort()
    render("text", report, Style())
    return report


def status(arguments: tuple[str, ...]) -> int:
    """Run a command, and show nothing of what it says; return its exit status."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    with contextlib.redirect_stdout(sys.__stdout__), contextlib.redirect_stderr(sys.__stderr__):
        sys.argv[1:] = arguments
        try:
            dralint()
        except SystemExit as end:
            return int(end.code or 0)
    return 0


def cost(case: Case, size: int) -> Cost:
    """Run a command on files of so many bytes in a process of its own; it ends after two minutes of processor time.

    The text is made there, too: what this process had to free would hide what the next one takes.
    """
    receive, send = multiprocessing.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as folder:
        child = multiprocessing.get_context("fork").Process(target=_measure, args=(case, size, send, folder))
        child.start()
        send.close()
        try:
            found = Cost(*receive.recv())
        except EOFError:
            found = Cost(size, math.inf, math.inf, None)
        child.join()
    return found


def _measure(case: Case, size: int, send: multiprocessing.connection.Connection, folder: str) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST, _MOST))
    os.chdir(folder)
    arguments = case.arguments
    _write(case, 1000)
    status(arguments)  # what is imported and compiled once
    length = _write(case, size)
    before, started = _megabytes(), time.process_time()
    found = status(arguments)
    send.send((length, time.process_time() - started, _megabytes() - before, found))


def _write(case: Case, size: int) -> int:
    return sum(
        Path(name).write_bytes(text.encode("utf-8", "surrogatepass")) for name, text in case.written(size).items()
    )


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def costs(case: Case, sizes: tuple[int, ...]) -> list[Cost]:
    """Return what a command takes with each size (KiB); short ones run three times, and the best one counts."""
    out: list[Cost] = []
    for size in sizes:
        tries = [cost(case, size * 1024)]
        while len(tries) < 3 and tries[0].seconds < 0.5:
            tries.append(cost(case, size * 1024))
        out.append(min(tries, key=lambda one: one.seconds))
        if out[-1].status is None:
            break  # what is larger takes longer
    return out


def growth_of_time(found: list[Cost]) -> float | None:
    """Return the power of the size with which the time grows, by the ends; None where all is too short to tell."""
    return _growth([(one.size, one.seconds) for one in found if one.seconds >= _TOO_SHORT])


def growth_of_memory(found: list[Cost]) -> float | None:
    """Return the power of the size with which the memory grows; None where all is too little to tell."""
    return _growth([(one.size, one.megabytes) for one in found if one.megabytes >= _TOO_LITTLE])


def _growth(told: list[tuple[int, float]]) -> float | None:
    if len(told) < 2:
        return None
    (small, first), (large, last) = told[0], told[-1]
    return math.log(last / first) / math.log(large / small)


def faults(case: Case, found: list[Cost]) -> list[str]:
    """Return which limits do not hold."""
    last, out = found[-1], []
    most = SECONDS_A_MEGABYTE[case.arguments[0]]
    if last.seconds / (last.size / 1e6) > most:
        out.append(f"over {most:g} s a MB")
    for what, growth in (("time", growth_of_time(found)), ("memory", growth_of_memory(found))):
        if growth is not None and growth > EXPONENT:
            out.append(f"{what} grows with the power {growth:.2f}")
    if last.megabytes > MEGABYTES * max(1, last.size / (OF_KIB * 1024)):
        out.append(f"over {MEGABYTES} MB")
    if last.status not in (0, 1):
        out.append("is not finished" if last.status is None else f"ends with status {last.status}")
    return out


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="in KiB, ascending")
    parser.add_argument("--shape", default="", help="only what has this in its name")
    parser.add_argument("--only-bad", action="store_true", help="only what is not as promised")
    chosen = parser.parse_args()
    sizes = tuple(int(size) for size in chosen.sizes.split(","))
    cases = {name: case for name, case in ALL.items() if chosen.shape in name}
    bad = 0
    print(f"| shape | {' | '.join(f'{size} KiB, s' for size in sizes)} | s a MB | power | MB | limits |")
    print("|---" * (len(sizes) + 5) + "|", flush=True)
    for name, case in cases.items():
        found = costs(case, sizes)
        wrong = faults(case, found)
        bad += bool(wrong)
        if chosen.only_bad and not wrong:
            continue
        times = " | ".join([f"{one.seconds:.3f}" for one in found] + ["-"] * (len(sizes) - len(found)))
        last, power = found[-1], growth_of_time(found)
        rate, grows = f"{last.seconds / (last.size / 1e6):.2f}", "-" if power is None else f"{power:.2f}"
        print(f"| {name} | {times} | {rate} | {grows} | {last.megabytes:.0f} | {', '.join(wrong)} |", flush=True)
    print(f"\n{bad} of {len(cases)} shapes are not as promised", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
