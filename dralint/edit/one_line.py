"""Proves an edit by its line alone, where the rest of the document cannot change its meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.edit.edit import reached
from dralint.yaml.fast_path import instead

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.finding.finding import Edit
    from dralint.finding.problem import Change
    from dralint.yaml import Document, Path


def holds_on_its_line(document: Document, base: Path, changes: Sequence[Change], edits: Sequence[Edit]) -> bool:
    """Say whether the line of an edit proves it: all other lines keep their meaning next to the new one."""
    if len(changes) != 1 or len(edits) != 1 or not document.is_plain or "\n" in edits[0].text:
        return False
    change, edit, text = changes[0], edits[0], document.text
    if isinstance(change.value, dict | list) or change.do not in ("replace", "rename"):
        return False
    start, end = text.rfind("\n", 0, edit.start) + 1, text.find("\n", edit.start)
    if edit.end > end:
        return False
    said = instead(text[start:end], text[start : edit.start] + edit.text + text[edit.end : end])
    if said is None:
        return False
    path = (*base, *change.path)
    key = path[-1] if isinstance(path[-1], str) else None
    if change.do == "rename":
        return said[0] == change.value and change.value not in reached(document.data, path[:-1])
    return said[0] == key and type(said[1]) is type(change.value) and said[1] == change.value
