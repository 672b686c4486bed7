"""What dralint/migrate/README.md shows is what the program says; `pytest --update-golden` rewrites it."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from conftest import Run

ROOT = Path(__file__).parents[2]
README = ROOT / "dralint" / "migrate" / "README.md"
_BLOCK = re.compile(
    r"(<!-- (?P<stream>output|errors): dralint (?P<command>[^\n]*) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL
)


def test_outputs_are_real(run: Run, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.chdir(ROOT)

    def fresh(match: re.Match[str]) -> str:
        outcome = run(*shlex.split(match["command"]))
        shown = outcome.stdout if match["stream"] == "output" else outcome.stderr
        language = "diff" if match["stream"] == "output" else "text"
        return f"{match[1]}```{language}\n$ dralint {match['command']}\n{shown.rstrip()}\n```\n{match[5]}"

    text = README.read_text("utf-8")
    wanted = _BLOCK.sub(fresh, text)
    if request.config.getoption("--update-golden"):
        README.write_text(wanted, "utf-8")
        text = wanted

    assert len(_BLOCK.findall(text)) == 2
    assert text == wanted


def test_python_examples_are_true() -> None:
    result = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert (result.failed, result.attempted) == (0, 5)
