"""The pictures of the documentation show what `dralint.editor` answers today."""

from __future__ import annotations

import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hover", "completion", "fix"])
def test_a_picture_shows_what_the_editor_is_answered(name: str) -> None:
    drawn = runpy.run_path(str(ROOT / "editors" / "pictures.py"))["DRAWN"][name]()
    there = (ROOT / "docs" / "pictures" / f"{name}.svg").read_text("utf-8")

    assert _words(there) == _words(drawn)


def _words(svg: str) -> str:
    return "".join("".join(ElementTree.fromstring(svg).itertext()).split())
