"""How time and memory grow with the input: a table of all shapes, from 10 KB to 4 MB.

    python tests/fuzz/growth.py [--sizes 10,80,640,4096] [--shape WORD] [--only-bad]

Each text is judged, and its report written as text, in a process of its own that has everything compiled. Times are
processor seconds, so that others on the machine do not count; memory is what the process takes above what it had.
"x time" and "x memory" tell how much more of it a byte takes in the largest text than in the smallest that can be
measured. The exit status is 1 where a shape grows with more than the power of 1.15, or takes more than a second for a
megabyte.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":  # as a script, from any working directory
    sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from fuzz.shapes import CLAIM, SHAPES, Shape

from dralint.config.settings import Settings
from dralint.finding.report import Report
from dralint.lint.linter import Linter
from dralint.lint.pool import Task, judge_bytes
from dralint.report import Style, render

SIZES = (10, 80, 640, 4096)
"""In KiB."""
EXPONENT, SECONDS_A_MEGABYTE = 1.15, 1.0
_TOO_SHORT = 0.02
"""Seconds below which a time says nothing about growth."""
_TOO_LITTLE = 20.0
"""Megabytes below which memory says nothing about it: what the process had free before hides some of them."""
_MOST = 120


@dataclass(frozen=True, slots=True)
class Cost:
    """What one text took: its bytes, processor seconds, megabytes above those before it, findings."""

    size: int
    seconds: float
    megabytes: float
    findings: int


def judged(raw: bytes, settings: Settings | None = None) -> Report:
    """Return the report on a text, after it has been written as text."""
    settings = settings or Settings()
    report = judge_bytes(Linter(settings), "x.yaml", raw, Task(settings, excerpts=True))
    report.sort()
    render("text", report, Style())
    return report


def cost(shape: Shape, size: int) -> Cost:
    """Judge a text of so many bytes in a process of its own; it ends after two minutes of processor time.

    The text is made there, too: what this process had to free would hide what the next one takes.
    """
    receive, send = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_measure, args=(shape, size, send))
    child.start()
    send.close()
    try:
        length, seconds, megabytes, findings = receive.recv()
    except EOFError:
        length, seconds, megabytes, findings = size, math.inf, math.inf, 0
    child.join()
    return Cost(length, seconds, megabytes, findings)


def _measure(shape: Shape, size: int, send: multiprocessing.connection.Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST, _MOST))
    raw = shape(size).encode()
    before = _megabytes()
    started = time.process_time()
    report = judged(raw)
    seconds = time.process_time() - started
    send.send((len(raw), seconds, _megabytes() - before, len(report.findings)))


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def costs(shape: Shape, sizes: tuple[int, ...]) -> list[Cost]:
    """Return what the shape takes in each size (KiB); short ones are judged three times, and the best one counts."""
    out: list[Cost] = []
    for size in sizes:
        tries = [cost(shape, size * 1024)]
        while len(tries) < 3 and tries[0].seconds < 0.5:
            tries.append(cost(shape, size * 1024))
        out.append(min(tries, key=lambda one: one.seconds))
    return out


Growth = tuple[float, float]
"""The power of the size with which something grows, and how much more of it a byte takes in the largest text."""


def growth_of_time(found: list[Cost]) -> Growth | None:
    """Return how the time grows, by the ends; None where all is too short to tell."""
    return _growth([(one.size, one.seconds) for one in found if one.seconds >= _TOO_SHORT])


def growth_of_memory(found: list[Cost]) -> Growth | None:
    """Return how the memory grows, by the ends; None where all is too little to tell."""
    return _growth([(one.size, one.megabytes) for one in found if one.megabytes >= _TOO_LITTLE])


def _growth(told: list[tuple[int, float]]) -> Growth | None:
    if len(told) < 2:
        return None
    (small, first), (large, last) = told[0], told[-1]
    return math.log(last / first) / math.log(large / small), (last / large) / (first / small)


def faults(found: list[Cost]) -> list[str]:
    """Return what is not as promised."""
    last = found[-1]
    out = []
    for what, growth in (("time grows", growth_of_time(found)), ("memory grows", growth_of_memory(found))):
        if growth is not None and growth[0] > EXPONENT:
            out.append(what)
    if last.seconds / (last.size / 1e6) > SECONDS_A_MEGABYTE:
        out.append("slow")
    return out


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="in KiB, ascending")
    parser.add_argument("--shape", default="", help="only shapes with this in their name")
    parser.add_argument("--only-bad", action="store_true", help="only what is not as promised")
    chosen = parser.parse_args()
    sizes = tuple(int(size) for size in chosen.sizes.split(","))
    judged(CLAIM.encode())
    judged((CLAIM + "zz: 1\n").encode())
    bad = 0
    print(
        "| shape | "
        + " | ".join(f"{size} KiB, s" for size in sizes)
        + " | s a MB | x time | MB | x memory | findings | |"
    )
    print("|---" * (len(sizes) + 7) + "|")
    for name, shape in SHAPES.items():
        if chosen.shape not in name:
            continue
        found = costs(shape, sizes)
        wrong = faults(found)
        bad += bool(wrong)
        if chosen.only_bad and not wrong:
            continue
        last = found[-1]
        times = " | ".join(f"{one.seconds:.3f}" for one in found)
        rate = last.seconds / (last.size / 1e6)
        factors = ["-" if one is None else f"{one[1]:.2f}" for one in (growth_of_time(found), growth_of_memory(found))]
        print(
            f"| {name} | {times} | {rate:.2f} | {factors[0]} | {last.megabytes:.0f} | {factors[1]} | {last.findings} |"
            f" {', '.join(wrong)} |"
        )
        sys.stdout.flush()
    print(f"\n{bad} of {len(SHAPES)} shapes are not as promised", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
