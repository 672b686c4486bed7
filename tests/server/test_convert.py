"""What a client shows of text of the input: each on one line, without control characters."""

from __future__ import annotations

import json
import re

import pytest

pytest.importorskip("lsprotocol", reason="the server and its tests need the extra dev")

from lsprotocol import types

from dralint.config.configuration import Mistake
from dralint.editor import Span, Text, Workspace, actions, complete, symbols
from dralint.server.requests import Converter
from tests.editor.manifests import CLAIM, CLASS, NAME, POD

EVIL = "x\n\n![i](http://e/x) `[a](command:b)`\x1b]0;\u202e"
STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e]")


def converter(there: Workspace) -> Converter:
    def text(name: str) -> Text:
        return there.text(name)

    return Converter("utf-16", text, lambda _: None)


def opened(*texts: str) -> Workspace:
    there = Workspace()
    there.open(NAME, "---\n".join(texts))
    return there


def test_messages_titles_and_symbols_are_on_one_line() -> None:
    name = json.dumps(EVIL)
    broken = CLAIM.replace("requests: [gpu, nic]", f"requests: [{name}, nic]").replace("name: train", f"name: {name}")
    there = opened(broken, CLASS, POD.replace("request: gpu", f"request: {name}"))
    shown = converter(there)
    diagnostics = [shown.diagnostic(finding) for finding in there.findings()[NAME]]
    whole = Span(0, len(there.text(NAME).text))
    titles = [shown.action(action, versions=False).title for action in actions(there, NAME, whole)]
    named = [shown.symbol(there.text(NAME), symbol).name for symbol in symbols(there, NAME)]
    related = [one.message for diagnostic in diagnostics for one in diagnostic.related_information or ()]

    assert any("![i](http://e/x)" in diagnostic.message for diagnostic in diagnostics)
    assert titles
    assert any("![i](http://e/x)" in symbol for symbol in named)
    assert [text for text in (*titles, *named, *related) if STEERING.search(text)] == []
    assert [one.message for one in diagnostics if STEERING.search(one.message.replace("\n", "", 1))] == []


def test_a_hint_of_several_lines_keeps_them() -> None:
    there = opened(CLAIM)
    mistake = Mistake("unknown key\n", 1, 1, "write:\n  a: b\x1b")

    assert converter(there).mistake(there.text(NAME), mistake).message == "unknown key␊\nwrite:\n  a: b␛"


def test_names_in_a_completion_are_on_one_line_and_written_as_they_are() -> None:
    text = POD.replace("resourceClaimName: train", "resourceClaimName: ")
    there = opened(text, CLAIM.replace("name: train", f"name: {json.dumps(EVIL)}"))
    items = complete(there, NAME, text.index("resourceClaimName: ") + len("resourceClaimName: "))
    made = [converter(there).item(there.text(NAME), item, 0, snippets=True) for item in items]

    assert any("![i](http://e/x)" in item.label for item in made)
    assert [item.label for item in made if STEERING.search(item.label + (item.detail or ""))] == []


@pytest.mark.parametrize("kinds", [[types.MarkupKind.Markdown], [types.MarkupKind.PlainText], []])
def test_a_text_is_markdown_for_clients_that_ask_for_it(kinds: list[types.MarkupKind]) -> None:
    made = converter(opened(CLAIM)).markup("**name**: `` a`b `` &#42;", kinds)

    if types.MarkupKind.Markdown in kinds:
        assert (made.kind, made.value) == (types.MarkupKind.Markdown, "**name**: `` a`b `` &#42;")
    else:
        assert (made.kind, made.value) == (types.MarkupKind.PlainText, "name:  a`b  *")
