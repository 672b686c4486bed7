"""Recordings: the answers of a judge to cases, one JSON object per line."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
from typing import TYPE_CHECKING, Any

from conformance import modules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

Row = dict[str, Any]


def answers(judge: str, release: str, arguments: Sequence[str], cases: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    """Yield each case with the answer of the judge of a release."""
    text = output(judge, release, arguments, "".join(json.dumps(case) + "\n" for case in cases))
    # A text can have any character; only a line feed ends a line.
    for case, line in zip(cases, text.removesuffix("\n").split("\n") if cases else (), strict=True):
        yield case, json.loads(line)


def output(judge: str, release: str, arguments: Sequence[str], text: str = "") -> str:
    """Return what the judge of a release writes."""
    command = [str(modules.program(judge, release)), *arguments]
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    if done.returncode != 0:
        raise modules.GoError(f"{command[0]} ended with status {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def write(path: Path, rows: Iterable[Row]) -> int:
    """Write rows as gzipped lines of JSON, the same bytes for the same rows; return how many."""
    count = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.part")
    with unfinished.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        for row in rows:
            packed.write((json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n").encode())
            count += 1
    unfinished.replace(path)
    return count


def read(path: Path) -> Iterator[Row]:
    """Yield the rows of a recording."""
    with gzip.open(path, "rb") as packed:
        for line in io.TextIOWrapper(packed, "utf-8", newline="\n"):
            yield json.loads(line)
