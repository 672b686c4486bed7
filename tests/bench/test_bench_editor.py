"""The texts with which the language server is timed are what they are called, and have no finding."""

from __future__ import annotations

from bench.editor import texts
from dralint.editor import Workspace


def test_the_texts_have_their_sizes_and_no_finding() -> None:
    made = texts()
    there = Workspace()
    there.open("a.yaml", made["2,000 lines"])

    assert [made[load].count("\n") // 100 for load in ("100 lines", "2,000 lines")] == [1, 20]
    assert made["300 documents"].count("\n---\n") == 299
    assert [one for one in there.report().findings if one.severity == "error"] == []
