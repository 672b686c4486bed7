"""The catalogue's texts, messages and hints are in plain English (docs/writing.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

RULES = Path(__file__).parents[2] / "rules"
PAGES = sorted(RULES.glob("DRA*.md"))
AVOIDED = (
    r"(?<!there )\bis no (?!longer\b)",
    r"\btold\b",
    r"\btells\b",
    r"\b(?:no|some)body\b",
    r"\bsays? so\b",
    r"\bstands?\b",
    r"\bin (?:the )?place of (?!another\b)",
    r"\bbeside\b",
    r"\banew\b",
    r"\bat all\b",
    r"\blooked up\b",
    r"\bis asked\b",
    r"\bask(?:s|ed)? for\b",
)
WORDS = re.compile("|".join(AVOIDED))


@pytest.mark.parametrize("page", [*PAGES, RULES / "fields.yaml"], ids=lambda page: page.stem)
def test_a_text_that_people_read_has_no_avoided_words(page: Path) -> None:
    lines = page.read_text("utf-8").splitlines()

    assert [line for line in lines if WORDS.search(line)] == []
