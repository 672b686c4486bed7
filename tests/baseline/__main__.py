"""Record what dralint says today, and compare what it says later, byte by byte.

    python -m tests.baseline compare [WORD ...]   # print what differs; WORD: only cases whose names begin with it
    python -m tests.baseline record [WORD ...]    # write the record anew, or these cases of it

A difference lands only with the new record and its reason in the same commit. `compare` ends with 1 where something
differs. The table of `tests.fuzz.mistakes` (one seed, 300 numbers) is part of the record.
"""

from __future__ import annotations

import difflib
import gzip
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import chdir
from pathlib import Path

from click.testing import CliRunner

from dralint.cli.main import dralint
from dralint.finding.problem import path_text
from dralint.yaml import Document, Json, read
from dralint.yaml import Path as FieldPath
from tests.baseline.cases import DATA, Case, cases
from tests.fuzz import mistakes

RECORD = DATA / "baseline.jsonl.gz"
MISTAKES = "mistakes"
GROUPS = (*(f"DRA{digit}" for digit in range(10)), "text", "fuzz", "verdict", "cluster", "examples", MISTAKES)
"""How the names of cases begin."""
_SEED, _MISTAKES = 7, 300
_TIME = re.compile(r'"seconds": [\d.e-]+')


def said(case: Case) -> str:
    """Return what a case prints, standard error and exit status included; without a command, what is read."""
    if not case.arguments:
        return "".join(_document(document) for raw in case.files.values() for document in read(raw))
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top, "one", "two")  # dralint looks for kustomizations around a file: no others are there
        folder.mkdir(parents=True)
        return _said(case, str(folder))


def _said(case: Case, folder: str) -> str:
    with chdir(folder):
        for name, raw in case.files.items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)
        run = CliRunner().invoke(dralint, list(case.arguments), env={"NO_COLOR": "1"})
        shown = _TIME.sub('"seconds": 0', f"{run.stdout}{run.stderr}status {run.exit_code}\n")
        return shown.replace(folder, "FOLDER").replace(os.path.realpath(folder), "FOLDER")


def _document(document: Document) -> str:
    """Return state, problems, data and places of a document."""
    problems = [f"{tuple(one.span)} {one.kind}: {one.message} ({one.hint})" for one in document.problems]
    places = [f"{path_text(path)} {tuple(document.key_span(path))}" for path in _paths(document.data, ())]
    return "\n".join([document.state, *problems, repr(document.data), *places, ""])


def _paths(data: Json, path: FieldPath) -> Iterator[FieldPath]:
    yield path
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from _paths(value, (*path, key))


def _all(words: list[str]) -> Iterator[tuple[str, str]]:
    for case in cases():
        if not words or any(case.name.startswith(word) for word in words):
            yield case.name, said(case)
    if not words or MISTAKES in words:
        yield MISTAKES, "\n".join(mistakes.summary(mistakes.run(range(_MISTAKES), _SEED, guesses=True))) + "\n"


def recorded() -> dict[str, str]:
    """Return what each case said when the record was written."""
    with gzip.open(RECORD, "rt", encoding="utf-8", newline="\n") as stream:
        return {row["case"]: row["said"] for row in map(json.loads, stream)}


def record(words: list[str]) -> None:
    """Write the record; the same words give the same bytes."""
    rows = {**(recorded() if words else {}), **dict(_all(words))}
    raw = io.BytesIO()
    with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as stream:
        for name, now in rows.items():
            stream.write(json.dumps({"case": name, "said": now}).encode() + b"\n")
    RECORD.write_bytes(raw.getvalue())


def differences(before: Mapping[str, str], words: list[str]) -> Iterator[str]:
    """Yield a unified diff for each case that says something else than it did."""
    for name, now in _all(words):
        then = before.get(name, "")
        if now != then:
            lines = (then.splitlines(keepends=True), now.splitlines(keepends=True))
            yield "".join(difflib.unified_diff(*lines, f"{name} (recorded)", f"{name} (now)", n=2))


def main() -> int:
    """Run as a script."""
    match sys.argv[1:]:
        case ["record", *words]:
            record(words)
            return 0
        case ["compare", *words]:
            found = list(differences(recorded(), words))
            print(*found, f"{len(found)} cases differ", sep="\n")
            return 1 if found else 0
        case _:
            print(__doc__, file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main())
