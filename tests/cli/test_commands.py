"""Transcripts of commands: `commands/*.txt`. Each case runs in a folder of its own, which has three claims.

A line `# SENTENCE` begins a case, `< NAME` a file of it, whose lines are indented by two. `$ ARGUMENTS` runs dralint;
the next line begins with the exit status. What follows it, and each further line, is part of the output: words as they
follow each other, wherever a line is broken. Behind `!` it is not there, behind `^` it begins standard output, and
behind `=` it is all of that. `{NEWEST}` is the newest release, `{1.34..}` all releases from one on, and an escape
character is written as a backslash and an e. The cases of a file whose name ends with `slow` have that mark.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import BAD_CLAIM, GOOD_CLAIM, OLD_CLAIM, Outcome, Run
from tests.newest import NEWEST, since

CLAIMS = {"good.yaml": GOOD_CLAIM, "bad.yaml": BAD_CLAIM, "old.yaml": OLD_CLAIM}


class Case(NamedTuple):
    """A case: its files, and each command with what it says."""

    files: dict[str, str]
    commands: list[tuple[str, list[str]]]


def cases() -> Iterator[object]:
    """Yield the cases of all transcripts."""
    for transcript in sorted(Path(__file__).with_name("commands").glob("*.txt")):
        text = re.sub(r"\{([\d.]+)\.\.\}", lambda match: since(match[1]), transcript.read_text("utf-8"))
        for block in re.split(r"(?m)^# ", text.replace("{NEWEST}", NEWEST).replace(r"\e", "\x1b"))[1:]:
            sentence, *lines = block.splitlines()
            case, name = Case(dict(CLAIMS), []), ""
            for line in filter(None, lines):
                if line.startswith("< "):
                    name = line[2:]
                    case.files[name] = ""
                elif line.startswith("  "):
                    case.files[name] += f"{line[2:]}\n"
                elif line.startswith("$ "):
                    case.commands.append((line[2:], []))
                else:
                    case.commands[-1][1].append(line)
            yield pytest.param(case, id=f"{transcript.stem}: {sentence}", marks=_marks(transcript.stem))


def _marks(name: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if name.endswith("slow") else []


@pytest.mark.parametrize("case", list(cases()))
def test_a_command_says_what_its_transcript_has(run: Run, workdir: Path, case: Case) -> None:
    for name, text in case.files.items():
        (workdir / name).parent.mkdir(parents=True, exist_ok=True)
        (workdir / name).write_text(text)
    for command, (first, *more) in case.commands:
        outcome = run(*shlex.split(command))
        status, _, rest = first.partition(" ")

        assert outcome.status == int(status), (command, outcome)
        for line in filter(None, (rest, *more)):
            assert is_said(line, outcome), (command, line, outcome)


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
