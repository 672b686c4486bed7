"""Transcripts of commands: the files `*.said.txt` beside the tests.

What stands above the first case says what it is about, and may have files that all cases share. A line `# SENTENCE`
begins a case, `< NAME` a file of it, whose lines are indented by two; the lines below `< NAME like OTHER` change what
the other one has, as in the tables (`tests/tables.py`). Each case runs in a folder of its own, which has three claims.

`$ ARGUMENTS` runs dralint, with `< NAME` behind them for standard input; the next line begins with the exit status.
What follows it, and each further line, is part of the output: words as they follow each other, wherever a line is
broken. Behind `!` it is not there, behind `^` it begins standard output, and behind `=` it is all of that. Lines behind
`|` are together all of standard output. A file whose lines change has these behind `> NAME`, as in the tables.

`{NEWEST}` is the newest release, `{1.34..}` all releases from one on, and an escape character is written as a backslash
and an e. The cases of a file whose name has the word `slow` have that mark.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.conftest import BAD_CLAIM, GOOD_CLAIM, OLD_CLAIM, Outcome, invoke
from tests.newest import NEWEST, since
from tests.tables import changed

CLAIMS = {"good.yaml": GOOD_CLAIM, "bad.yaml": BAD_CLAIM, "old.yaml": OLD_CLAIM}


class Command(NamedTuple):
    """A command, the lines about it, and how it changes files."""

    words: str
    said: list[str]
    changes: dict[str, str]


class Case(NamedTuple):
    """A case: its sentence, its files, and its commands."""

    sentence: str
    files: dict[str, str]
    commands: list[Command]

    def run(self) -> None:
        """Write the files into the working directory, run the commands, and compare what they say and change."""
        for name, text in self.files.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text)
        for command, (first, *more), changes in self.commands:
            arguments, _, name = command.partition(" < ")
            before = {file: Path(file).read_text() for file in changes}
            outcome = invoke(*shlex.split(arguments), stdin=Path(name).read_text() if name else "")
            status, _, rest = first.partition(" ")
            whole = " ".join(line[2:] for line in more if line.startswith("|"))

            assert outcome.status == int(status), (command, outcome)
            for line in filter(None, (rest, whole and f"= {whole}", *more)):
                assert line.startswith("|") or is_said(line, outcome), (command, line, outcome)
            for file, change in changes.items():
                assert Path(file).read_text() == changed(before[file], change), (command, file)


def cases(path: Path) -> Iterator[Case]:
    """Yield the cases of a transcript."""
    text = re.sub(r"\{([\d.]+)\.\.\}", lambda match: since(match[1]), path.read_text("utf-8"))
    about, *blocks = re.split(r"(?m)^# ", text.replace("{NEWEST}", NEWEST).replace(r"\e", "\x1b"))
    shared = _case("", about.splitlines(), CLAIMS).files
    for block in blocks:
        sentence, *lines = block.splitlines()
        yield _case(sentence, lines, shared)


def _case(sentence: str, lines: list[str], shared: dict[str, str]) -> Case:
    case, parts = Case(sentence, dict(shared), []), [("", "", [""])]
    for line in filter(None, lines):
        if line[:2] in ("< ", "> ", "$ "):
            parts.append((line[0], line[2:], []))
        else:
            parts[-1][2].append(line)
    for mark, name, below in parts:
        indented = "".join(f"{line[2:]}\n" for line in below if line.startswith("  "))
        if mark == "$":
            case.commands.append(Command(name, below, {}))
        elif mark == ">":
            case.commands[-1].changes[name] = indented
        elif mark == "<":
            own, _, other = name.partition(" like ")
            case.files[own] = changed(case.files[other], indented) if other else indented
    return case


def is_said(line: str, outcome: Outcome) -> bool:
    """Say whether a line of a transcript holds."""
    sign, _, text = line.partition(" ")
    shown = " ".join(outcome.stdout.split())
    if sign == "=":
        return shown == " ".join(text.split())
    if sign == "^":
        return shown.startswith(" ".join(text.split()))
    words = " ".join((text if sign == "!" else line).split())
    return (words in " ".join(f"{outcome.stdout} {outcome.stderr}".split())) is (sign != "!")
