"""Spaces that YAML does not know: copied from web pages, they look like a plain one."""

from __future__ import annotations

import pytest

import dralint
from dralint.edit.apply import apply
from tests.conftest import GOOD_CLAIM

CLAIM = (
    GOOD_CLAIM.replace("train\n  namespace: team-a", "c").replace("gpu.example.com", "gpu.acme.example")
    + "        count: 2\n"
)
NO_BREAK = "U+00A0 (no-break space)"


@pytest.mark.parametrize(
    ("meant", "written", "place", "character"),
    [
        ("name: gpu", "name:\u00a0gpu", (8, 12), NO_BREAK),
        ("count: 2", "count:\u00a02", (11, 15), NO_BREAK),
        ("      exactly:", "     \u00a0exactly:", (9, 6), NO_BREAK),
        ("- name: gpu", "-\u00a0name: gpu", (8, 6), NO_BREAK),
        ("kind: R", "kind:\u2003R", (2, 6), "U+2003 (em space)"),
        ("requests:\n", "requests:\u200b\n", (7, 14), "U+200B (zero width space)"),
        (" ", "\u00a0", (1, 12), NO_BREAK),
    ],
)
def test_a_space_that_only_looks_like_one_is_named_and_replaced(
    meant: str, written: str, place: tuple[int, int], character: str
) -> None:
    text = CLAIM.replace(meant, written)
    [finding] = dralint.lint_text(text).findings

    assert (finding.rule, (finding.line, finding.column)) == ("DRA002", place)
    assert finding.message == f"the character {character} is no space in YAML: it is a part of the word next to it"
    assert finding.hint == ("remove it" if "200B" in character else "write a plain space")
    assert finding.fix is not None
    assert (apply(text, finding.fix.edits), finding.fix.safe) == (CLAIM, True)


def test_an_odd_space_within_a_text_stays() -> None:
    note = CLAIM.replace("  name: c\n", "  name: c\n  annotations:\n    note: a\u00a0b\n")

    assert dralint.lint_text(note).findings == []
    [finding] = dralint.lint_text(note.replace("count: 2", "count:\u00a02")).findings
    assert finding.fix is not None
    assert apply(note.replace("count: 2", "count:\u00a02"), finding.fix.edits) == note


def test_a_key_that_begins_with_an_odd_space_is_moved_by_a_guess() -> None:
    text = CLAIM.replace("    requests:", "\u00a0\u00a0\u00a0\u00a0requests:")
    [finding] = dralint.lint_text(text).findings

    assert (finding.rule, finding.line, finding.hint) == ("DRA101", 7, "write plain spaces")
    assert finding.message.endswith("it begins with U+00A0, which is no space in YAML")
    assert finding.fix is not None
    assert (apply(text, finding.fix.edits), finding.fix.safe) == (CLAIM, False)


@pytest.mark.parametrize(
    ("meant", "written", "place", "said", "hint"),
    [
        ("- name: gpu", "\u2013 name: gpu", (8, 5), "U+2013 (en dash) begins no item", "write `- `"),
        ("- name: gpu", "\u2022 name: gpu", (8, 5), "U+2022 (bullet) begins no item", "write `- `"),
        ("- name: gpu", "- name\uff1agpu", (8, 11), "U+FF1A (fullwidth colon) ends no key", "write `: `"),
        ("devices:\n", "devices\uff1a\n", (6, 10), "U+FF1A (fullwidth colon) ends no key", "write `: `"),
    ],
)
def test_a_dash_or_a_colon_that_only_looks_like_one_is_a_guess(
    meant: str, written: str, place: tuple[int, int], said: str, hint: str
) -> None:
    text = CLAIM.replace(meant, written)
    [finding] = dralint.lint_text(text).findings

    assert (finding.rule, (finding.line, finding.column), finding.hint) == ("DRA002", place, hint)
    assert finding.message == f"the character {said} in YAML: it is a part of the word next to it"
    assert finding.fix is not None
    assert (apply(text, finding.fix.edits), finding.fix.safe) == (CLAIM, False)


def test_a_dash_in_a_text_over_several_lines_is_not_why_another_line_cannot_be_read() -> None:
    note = CLAIM.replace("  name: c\n", "  name: c\n  annotations:\n    note: |\n      \u2013 one\n      \u2013 two\n")
    [finding] = dralint.lint_text(note.replace("devices:", "devices")).findings
    assert (finding.rule, finding.line, "dash" in finding.message) == ("DRA002", 11, False)

    text = note.replace("- name: gpu", "\u2013 name: gpu")
    [finding] = dralint.lint_text(text).findings
    assert (finding.line, finding.hint, finding.fix is not None) == (12, "write `- `", True)
    assert finding.fix is not None
    assert apply(text, finding.fix.edits) == note
