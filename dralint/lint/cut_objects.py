"""Objects that a `---` within a block of text has cut in two: YAML ends the document there, whatever was meant.

Source: the separator of pkg/util/yaml/decoder.go of k8s.io/apimachinery v0.37.0 is any line that begins with `---`.
"""

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
    """Return that the separator between two documents cuts the object in the first one in two; None where it does not.

    It does where the first one ends in a block of text, and the second one is no object but begins like the rest of
    one.
    """
    if following.state == "empty" or not document.ends_in_block():
        return None
    text = following.text
    first = _FIRST.search(text)
    if first is None or _META.search(text):
        return None
    if not first[0].startswith((" ", "\t")) and not _SECTION.match(first[0]):
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
