"""Reads the comments in a manifest that suppress findings.

# dralint: ignore[DRA203] reason        after a value, or on its own line above # dralint: ignore-file[DRA505] reason
before the first object of the file

A comment after a value covers that value; for a value on several lines, write it after the key. A comment on its own
line covers all that begins on the next line: an entry with its value, an item of a list, an object.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from dralint.finding.suppression import Pattern, Suppression
from dralint.yaml.nodes import ALIAS, MAPPING, SCALAR

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.yaml import Document
    from dralint.yaml.nodes import Node

_COMMENT = re.compile(r"(?:^|[ \t])(#[ \t]*dralint\b.*)$", re.IGNORECASE)
_EXACT = re.compile(r"#[ \t]*dralint:[ \t]*(ignore|ignore-file)\[([^\]]*)\](?:[ \t]+(.*))?$")
_MEANT = re.compile(
    r"(?i)#[ \t]*dralint\b[ \t:=-]*(?:(ignore|disable|skip|noqa|suppress|allow|off)(?P<file>[-_ ]?(?:file|all))?)"
)
_ID = re.compile(r"(?i)\bDRA\d{1,3}\b")
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
"""A line of YAML: it ends with LF, CRLF or CR."""
_EVERYTHING = 1 << 60


def suppressions(name: str, raw: bytes, documents: Sequence[Document]) -> list[Suppression]:
    """Return the suppressions in a file.

    Args:
        name: the name of the file in findings.
        raw: all of its bytes.
        documents: the documents of the file.
    """
    utf16 = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = raw.decode("utf-16" if utf16 else "utf-8", "replace")
    out: list[Suppression] = []
    places = Places(documents)
    offset = 0
    lines = LINE.findall(text)
    filled = [number for number, line in enumerate(lines, 1) if _is_filled(line)]
    before_objects = True
    for number, whole in enumerate(lines, 1):
        line = whole.rstrip("\r\n")
        bare = line.lstrip("\ufeff \t")
        if bare and not bare.startswith(("#", "---", "%")):
            before_objects = False
        match = _COMMENT.search(line) if "dralint" in line.lower() else None
        if match is not None and not places.in_a_scalar(number, match.start(1) + 1):
            out.append(_suppression(name, line, number, offset, match, places, filled, at_top=before_objects))
        offset += len(whole)
    return out


def _suppression(
    name: str,
    line: str,
    number: int,
    offset: int,
    match: re.Match[str],
    places: Places,
    filled: Sequence[int],
    *,
    at_top: bool,
) -> Suppression:
    comment, begin = match[1].rstrip(), match.start(1)
    column = begin + 1 - line.startswith("\ufeff")
    alone = not line[:begin].strip("\ufeff \t")
    start = offset + (0 if alone else len(line[:begin].rstrip()))
    exact = _EXACT.match(comment)
    patterns: tuple[Pattern, ...] = ()
    malformed = meant = reason = ""
    first, last = number, number
    whole_file = False
    if exact is None:
        malformed, meant = _nearly(comment)
    else:
        whole_file = exact[1] == "ignore-file"
        reason = (exact[3] or "").strip()
        patterns = tuple(_patterns(exact[2], offset + begin + exact.start(2)))
        if not patterns:
            malformed = "it names no rule"
        elif whole_file and not at_top:
            malformed = "`ignore-file` must be before the first object of the file"
        elif whole_file:
            first, last = 1, _EVERYTHING
        elif alone:
            following = bisect_right(filled, number)
            first, last = places.value_at(filled[following] if following < len(filled) else number)
        else:
            first, last = places.value_at(number)
    return Suppression(
        name,
        places.document(number),
        number,
        column,
        column + len(comment),
        start,
        offset + begin + len(comment),
        first,
        last,
        () if malformed else patterns,
        reason,
        whole_file,
        malformed,
        meant,
    )


def _patterns(text: str, start: int) -> Iterator[Pattern]:
    for match in re.finditer(r"[^,\s][^,]*", text):
        word = match[0].rstrip()
        yield Pattern(word, start + match.start(), start + match.start() + len(word))


def _nearly(comment: str) -> tuple[str, str]:
    """Return what is wrong with a comment that is nearly a suppression, and its correct form; empty for any other."""
    match = _MEANT.match(comment)
    if match is None:
        return "", ""
    ids = [found[0].upper() for found in _ID.finditer(comment)]
    word = "ignore-file" if match["file"] else "ignore"
    if not ids:
        return "it names no rule", ""
    tail = comment[[found.end() for found in _ID.finditer(comment)][-1] :].strip(" \t]):;,-\u2013")
    return "it is not of the form `# dralint: ignore[RULE] reason`", " ".join(
        filter(None, (f"# dralint: {word}[{', '.join(ids)}]", tail))
    )


def _is_filled(line: str) -> bool:
    """Say whether a line is neither blank nor a comment."""
    bare = line.strip("\ufeff \t\r\n")
    return bool(bare) and not bare.startswith("#") and bare != "---"


class _Scalar(NamedTuple):
    """A scalar: its first and last character, whether it is a block scalar, and the line of its key, or its own."""

    start: tuple[int, int]
    end: tuple[int, int]
    is_block: bool
    line: int


class _Values:
    """The values of a document: the scalars in order, and the last line of what begins on a line."""

    def __init__(self, document: Document) -> None:
        self.last: dict[int, int] = {}
        self.scalars: list[_Scalar] = []
        for line, node in _nodes(document):
            end = document.position(node.end)
            self.last[line] = max(self.last.get(line, line), end[0])
            if node.kind == SCALAR:
                start = document.position(node.start)
                self.scalars.append(_Scalar(start, end, node.style in ("|", ">"), line))
        self.scalars.sort()

    def scalar_before(self, place: tuple[int, int]) -> _Scalar | None:
        """Return the last scalar that begins before a place: no other can go on there."""
        found = bisect_left(self.scalars, place, key=lambda scalar: scalar.start)
        return self.scalars[found - 1] if found else None


class Places:
    """Maps lines of the file to values."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._starts = [document.first_line for document in documents]
        self._values: dict[int, _Values] = {}

    def document(self, line: int) -> int:
        """Return the number of the document that contains a line."""
        return self._at(line).index if self._documents else 0

    def _at(self, line: int) -> Document:
        return self._documents[max(0, bisect_right(self._starts, line) - 1)]

    def _of(self, line: int) -> _Values | None:
        if not self._documents:
            return None
        document = self._at(line)
        values = self._values.get(document.index)
        if values is None:
            values = self._values[document.index] = _Values(document)
        return values

    def in_a_scalar(self, line: int, column: int) -> bool:
        """Say whether the character in that column (from 1) belongs to a scalar, not to a block scalar's header."""
        values = self._of(line)
        scalar = None if values is None else values.scalar_before((line, column))
        if scalar is None or (line, column) >= scalar.end:
            return False
        return not scalar.is_block or line > scalar.start[0]

    def head_of(self, line: int) -> int:
        """Return the line of the key of a scalar that continues over the line, or the line itself."""
        values = self._of(line)
        scalar = None if values is None else values.scalar_before((line, 0))
        return scalar.line if scalar is not None and line <= scalar.end[0] else line

    def value_at(self, line: int) -> tuple[int, int]:
        """Return the first and last line of what begins on a line: an entry with its value, an item, an object."""
        values = self._of(line)
        return line, line if values is None else values.last.get(line, line)


def _nodes(document: Document) -> Iterator[tuple[int, Node]]:
    """Yield all values of a document, each with the line of its key, or its own."""
    root = document.root
    todo: list[tuple[Node, Node]] = [] if root is None else [(root, root)]
    while todo:
        node, at = todo.pop()
        yield document.position(at.start)[0], node
        if node.kind == MAPPING:
            keys, values = node.children[::2], node.children[1::2]
            todo += zip(values, keys, strict=False)
        elif node.kind not in (SCALAR, ALIAS):
            todo += ((item, item) for item in node.children)
