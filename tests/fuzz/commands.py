"""Run every command over damaged manifests and report what must never happen: a traceback, an internal error, two
seconds of processor time, control characters in what a terminal shows, a rewritten file that has become worse.

    python -m tests.fuzz.commands --count 1000 [--seed 7] [--start 0] [--keep FOLDER] [--dumps]

The same seed gives the same texts and commands in the same order. The exit status is 1 where something was found.
"""

from __future__ import annotations

import gc
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

from dralint.cli.main import dralint
from dralint.report import FORMATS
from tests.fuzz import dumps
from tests.fuzz.mutate import text_of
from tests.fuzz.program import chance_of, numbers, options, tell
from tests.fuzz.run import UNSAFE

SECONDS = 2.0
_WARM = 300
"""Runs after which everything has been compiled: only then does time say something."""
_FORMATS = tuple(FORMATS)
_COMMANDS: tuple[tuple[str, ...], ...] = (
    ("check",),
    ("check", "--complete", "--slices", "{other}"),
    ("check", "--kubernetes-version", "1.30..1.37", "--format", "{format}"),
    ("check", "--show-all", "--statistics", "--format", "{format}"),
    ("check", "--driver-schema", "a.example.com={other}"),
    ("check", "--config", "{other}"),
    ("check", "--baseline", "{other}"),
    ("diff", "{other}"),
    ("diff", "{other}", "--format", "{format}"),
    ("fix",),
    ("fix", "--unsafe-fixes"),
    ("fix", "--write", "--unsafe-fixes"),
    ("fix", "--write"),
    ("migrate", "--to", "1.34"),
    ("migrate", "--to", "resource.k8s.io/v1", "--write"),
    ("migrate", "--to", "1.32", "--write"),
    ("upgrade", "--from", "1.31", "--to", "1.37"),
    ("triage",),
    ("simulate", "--inventory", "{other}"),
    ("simulate", "--inventory", "{other}", "--how-many"),
    ("simulate", "--inventory", "{other}", "--sequence", "--format", "json"),
    ("cel", "--slices", "{other}", "{line}"),
    ("baseline", "write", "--output", "{folder}/baseline.json", "{file}"),
    ("explain", "{line}"),
    ("schema", "generate", "{file}", "--kubernetes-version", "1.39", "--output", "{folder}/schemas"),
)
_WRITTEN = {"a.yaml", "a.json", "other.yaml", "baseline.json", "schemas"}
_PATHLESS = ("cel", "explain", "schema", "baseline")


@dataclass(slots=True)
class Outcome:
    """What the runs have shown: their number, the slowest, and how they ended."""

    executions: int = 0
    slowest: float = 0.0
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    faults: int = 0


def command_of(chance: random.Random, raw: bytes, folder: Path) -> list[str]:
    """Write the texts of one run to a folder; return the command line."""
    file, other = folder / chance.choice(("a.yaml", "a.yaml", "a.json")), folder / "other.yaml"
    file.write_bytes(raw)
    other.write_bytes(raw.replace(b"a", b"b", 2) if chance.random() < 0.3 else text_of(chance))
    lines = [line for line in raw.decode("utf-8", "replace").replace("\0", "").splitlines() if line.strip()]
    chosen = chance.choice(_COMMANDS)
    words = {
        "{file}": str(file),
        "{other}": str(other),
        "{folder}": str(folder),
        "{format}": chance.choice(_FORMATS),
        "{line}": chance.choice(lines or ["x"]).strip()[:500],
    }
    out = []
    for word in chosen:
        for mark, text in words.items():
            if mark in word:
                word = word.replace(mark, text)
                break
        out.append(word)
    if chosen[0] in ("cel", "explain"):
        return [*out[:-1], "--", out[-1]]
    return out if chosen[0] in _PATHLESS else [*out, str(file)]


def run(outcome: Outcome, chance: random.Random, folder: Path, *, on_dumps: bool) -> tuple[list[str], bytes]:
    """Run a command over a damaged text; return the faults, and the text."""
    raw = dumps.dump_of(chance) if on_dumps else text_of(chance)
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    words = (dumps.command_of if on_dumps else command_of)(chance, raw, folder)
    before = time.process_time()
    done = CliRunner().invoke(dralint, words)
    took = time.process_time() - before
    gc.unfreeze()  # a command that reads an inventory expects its process to end
    outcome.executions += 1
    outcome.statuses[words[0], done.exit_code] += 1
    what = []
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        what.append(f"{type(done.exception).__name__}: {done.exception}"[:300])
    if done.exit_code not in (0, 1, 2, 3):
        what.append(f"exit status {done.exit_code}")
    said = done.stdout + done.stderr
    if "Traceback" in said or "please report it with" in said:  # what every internal error asks for
        what.append("an internal error")
    shown = done.stderr if words[0] in ("fix", "migrate") else said  # their diff is a patch, which keeps its bytes
    unsafe = UNSAFE.intersection(map(ord, set(shown)))
    if unsafe:
        what.append(f"unsafe characters {sorted(map(hex, unsafe))}")
    if outcome.executions > _WARM:
        outcome.slowest = max(outcome.slowest, took)
        if took > SECONDS:
            what.append(f"took {took:.2f} s")
    left = sorted({path.name for path in folder.iterdir()} - _WRITTEN)
    if left:
        what.append(f"left behind: {left}")
    command = " ".join(words).replace(str(folder), "")
    return [f"dralint {command}: {text}" for text in what], raw


def main() -> int:
    """Run as the command line says; return the exit status."""
    parser = options(__doc__, seed=0)
    parser.add_argument(
        "--dumps", action="store_true", help="damaged dumps of a cluster, and the commands that read them"
    )
    chosen, outcome = parser.parse_args(), Outcome()
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers(chosen):
            chance = chance_of(chosen.seed, number)
            faults, raw = run(outcome, chance, Path(folder), on_dumps=chosen.dumps)
            outcome.faults += len(faults)
            for what in faults:
                tell(chosen, f"{chosen.seed}-{number}", what, text=raw)
            if number % 100 == 0:
                gc.collect()  # a command frees what refers to itself by ending
    for (command, status), many in sorted(outcome.statuses.items()):
        print(f"{command} ended with {status}: {many}")
    print(f"{outcome.executions} runs, {outcome.faults} faults, slowest {outcome.slowest:.2f} s")
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
