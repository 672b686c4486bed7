"""Reports objects that a `---` inside a block scalar cuts in two: YAML ends the document at that line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.yaml import ReadingProblem, Span

if TYPE_CHECKING:
    from dralint.yaml import Document

CUT_OBJECT = "cut-object"
_META = re.compile(r"^[\"']?(?:apiVersion|kind)[\"']?[ \t]*:", re.MULTILINE | re.IGNORECASE)
_FIRST = re.compile(r"(?m)^[ \t]*(?![ \t\r\n#]).*$")
_SECTION = re.compile(r"(?:spec|status|metadata|data)[ \t]*:")


def cut(document: Document, following: Document) -> ReadingProblem | None:
    """Return the problem that the separator between two documents cuts an object in two; None where it does not.

    It does if the first document ends in a block scalar, and the second is not an object but begins like the rest of
    one.
    """
    if following.state == "empty":
        return None
    text = following.text
    if _META.search(text) is not None:  # as nearly every document has it, this is asked first
        return None
    first = _FIRST.search(text)
    if first is None or not (first[0].startswith((" ", "\t")) or _SECTION.match(first[0])):
        return None
    if not document.ends_in_block():
        return None
    line = following.first_line if text.startswith("---") else following.first_line - 1
    return ReadingProblem(
        CUT_OBJECT,
        "`---` in the first column ends the document here, within a block of text: the object loses what follows",
        Span(line, 1, line, 4),
        (),
        "indent the line like the rest of the text, or write the text in double quotes",
        (),
    )
