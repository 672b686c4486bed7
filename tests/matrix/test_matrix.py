"""Each cell of knowledge.yaml is an example that runs, or one word why it cannot be."""

from __future__ import annotations

import importlib.util
import json
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from dralint import editor
from tests.conftest import Run

HERE = Path(__file__).parent
BRIDGE = HERE.parents[1] / "site" / "playground" / "bridge.py"


@cache
def table() -> dict[str, Any]:
    return dict(yaml.safe_load((HERE / "knowledge.yaml").read_text("utf-8")))


EXAMPLES = [
    (fact, column, cell)
    for fact, row in table()["facts"].items()
    for column, cell in row.items()
    if cell not in table()["reasons"]
]


def test_no_cell_is_empty() -> None:
    columns, reasons = table()["columns"], table()["reasons"]
    for fact, row in table()["facts"].items():
        assert list(row) == columns, fact
        assert all(" => " in cell or cell in reasons for cell in row.values()), fact


@pytest.mark.slow
@pytest.mark.parametrize(("fact", "column", "cell"), EXAMPLES, ids=[f"{f}-{c}" for f, c, _ in EXAMPLES])
def test_a_command_knows_a_fact(fact: str, column: str, cell: str, run: Run, workdir: Path) -> None:
    for name, text in table()["files"].items():
        (workdir / name).write_text(text, "utf-8")
    question, _, words = cell.rpartition(" => ")
    command, *arguments = shlex.split(question)
    if command == "page":
        said = _page(workdir, *arguments)
    elif command in ("hover", "complete"):
        said = _place(command, *arguments)
    else:
        done = run(command, *arguments)
        said = done.stdout + done.stderr
    assert words in said, f"{fact}, {column}: {said}"


def _place(command: str, name: str, mark: str, *others: str) -> str:
    """Return the hover text or the completions at a mark of a file, `|` in it is the cursor."""
    text = table()["files"].get(name, "")
    before, _, after = mark.replace("\\n", "\n").partition("|")
    start = text.find(before + after)
    if command == "complete" and start >= 0 and not after:  # what follows in the line is not there yet
        end = text.find("\n", start + len(before))
        text = text[: start + len(before)] + text[end:]
    elif start < 0:
        text, start = f"{before}{after}\n{text}", 0
    found = start + len(before)
    space = editor.Workspace()
    space.open(name, text)
    for other in others:
        space.open(other, table()["files"][other])
    if command == "hover":
        hover = editor.hover(space, name, found)
        return "" if hover is None else hover.markdown
    return "\n".join(item.label for item in editor.complete(space, name, found))


def _page(folder: Path, question: str, *words: str) -> str:
    """Return what the page says of files; the other words are its choices."""
    spec = importlib.util.spec_from_file_location("bridge", BRIDGE)
    assert spec is not None
    assert spec.loader is not None
    bridge = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bridge)
    vars(bridge)["FOLDER"] = str(folder / "page")
    named = [(name, table()["files"][name]) for name in words if name in table()["files"]]
    files = [[bridge.CONFIGURATION if "dralint" in name else name, text] for name, text in named]
    release = next((word for word in words if word[0].isdigit()), "")
    state = bridge.state(files, release=release, complete="complete" in words)
    found = bridge.ANSWERS[question]()
    return f"{state.get('error', '')} {json.dumps(found, ensure_ascii=False)}".replace('\\"', '"')
