"""A long session: random edits and requests, after which the diagnostics equal those of `check` on the same texts."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from dralint import settings
from dralint.editor.cursor import Text, Units
from dralint.files.source import Source
from dralint.lint.pool import run
from dralint.report.safe import printable
from tests.editor.manifests import CLAIM, CLASS, POD, SLICE
from tests.editor.test_workspace import edited
from tests.server.client import Editor, session

from lsprotocol import types  # isort: skip # the line before leaves the tests out where it is missing

pytestmark = pytest.mark.slow

EDITS = int(os.environ.get("DRALINT_EDITS", "200"))
"""Random edits and requests of a long session; 1,000 take five minutes."""
UNITS: dict[str, Units] = {"utf-8": "utf-8", "utf-16": "utf-16"}


def expected(folder: Path, texts: dict[str, str], name: str, units: Units) -> list[tuple[Any, ...]]:
    """Return what `check` finds in a text, with the places that a client is to get."""
    sources = [
        Source(str(folder / one), str(folder / one), text.encode("utf-8", "surrogatepass"))
        for one, text in sorted(texts.items())
    ]
    text = Text(texts[name])
    found: list[tuple[Any, ...]] = []
    for one in run(sources, settings(), jobs=1).findings:
        if one.file == str(folder / name):
            span = text.span(one.line, one.column, one.end_line, one.end_column)
            found.append(
                (one.rule, printable(one.message), text.position(span.start, units), text.position(span.end, units))
            )
    return found


def given(diagnostics: list[types.Diagnostic]) -> list[tuple[Any, ...]]:
    """Return diagnostics in the same form."""
    return [
        (
            one.code,
            (str(one.message).partition("\n")[0]),
            (one.range.start.line, one.range.start.character),
            (one.range.end.line, one.range.end.character),
        )
        for one in diagnostics
    ]


def difference(old: str, new: str) -> tuple[int, int, str]:
    """Return which stretch of a text differs, and what is there in the other; none begins or ends within a CRLF."""
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    tail = next((n for n in range(shorter - head) if old[-1 - n] != new[-1 - n]), shorter - head)
    if old[:head].endswith("\r"):
        head -= 1
    if tail and old[len(old) - tail] == "\n":
        tail -= 1
    return head, len(old) - tail, new[head : len(new) - tail]


async def asked(editor: Editor, chance: random.Random, name: str) -> None:
    """Send a request for a random place."""
    client, document = editor.client, editor.document(name)
    place = editor.position(name, chance.randrange(len(editor.texts[name]) + 1))
    where = types.Range(place, place)
    request = chance.choice(
        (
            lambda: client.text_document_hover_async(types.HoverParams(document, place)),
            lambda: client.text_document_completion_async(types.CompletionParams(document, place)),
            lambda: client.text_document_definition_async(types.DefinitionParams(document, place)),
            lambda: client.text_document_document_symbol_async(types.DocumentSymbolParams(document)),
            lambda: client.text_document_code_lens_async(types.CodeLensParams(document)),
            lambda: client.text_document_code_action_async(
                types.CodeActionParams(document, where, types.CodeActionContext([]))
            ),
        )
    )
    await request()


def memory(editor: Editor) -> int:
    """Return the kilobytes of memory of the server; 0 where the system does not say."""
    server = editor.client._server
    file = Path(f"/proc/{server.pid}/status") if server is not None else Path()
    lines = file.read_text().splitlines() if file.is_file() else []
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)


def random_session(folder: Path, encoding: str, seed: int, number: int, every: int) -> None:
    """Edit texts at random, ask for random places, and compare the diagnostics from time to time."""
    chance = random.Random(seed)
    whole = "---\n".join([CLASS, CLAIM, POD, SLICE, f"# 😀 ü\n{CLAIM.replace('name: train', 'name: other')}"])
    start = {"a.yaml": whole, "b.yaml": whole.replace("\n", "\r\n").replace("team", "team-b")}

    async def use(editor: Editor) -> None:
        for name, text in start.items():
            editor.open(name, text)
        used: list[int] = []
        for step in range(1, number + 1):
            name = chance.choice(list(start))
            old = editor.texts[name]
            new = start[name] if len(old) > 2 * len(whole) or chance.random() < 0.03 else edited(old, chance)
            editor.replace(name, *difference(old, new))
            if chance.random() < 0.3:
                await asked(editor, chance, name)
            if step % every == 0:
                found = given(await editor.pull(name))
                assert found == expected(folder, editor.texts, name, UNITS[encoding]), (step, editor.texts)
                used.append(memory(editor))
        assert not used or used[-1] < 1.3 * used[len(used) // 4] + 10_000

    session(folder, use, encoding, diagnostics="pull")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_after_random_edits_the_diagnostics_are_those_of_check(tmp_path: Path, encoding: str) -> None:
    random_session(tmp_path, encoding, seed=24, number=EDITS, every=4)
