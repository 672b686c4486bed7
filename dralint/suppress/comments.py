"""Reads the comments in a manifest that suppress findings.

# dralint: ignore[DRA203] reason        after a value, or on its own line above # dralint: ignore-file[DRA505] reason
before the first object of the file

A comment after a value covers that value; for a value on several lines, write it after the key. A comment on its own
line covers all that begins on the next line: an entry with its value, an item of a list, an object.
"""

from __future__ import annotations

import re
from bisect import bisect_right
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
    before_objects = True
    for number, whole in enumerate(lines, 1):
        line = whole.rstrip("\r\n")
        bare = line.lstrip("\ufeff \t")
        if bare and not bare.startswith(("#", "---", "%")):
            before_objects = False
        match = _COMMENT.search(line) if "dralint" in line.lower() else None
        if match is not None and not places.in_a_scalar(number, match.start(1) + 1):
            out.append(_suppression(name, line, number, offset, match, places, lines, at_top=before_objects))
        offset += len(whole)
    return out


def _suppression(
    name: str,
    line: str,
    number: int,
    offset: int,
    match: re.Match[str],
    places: Places,
    lines: Sequence[str],
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
            first, last = places.value_at(_next_line(lines, number))
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


def _next_line(lines: Sequence[str], number: int) -> int:
    """Return the next line that is neither blank nor a comment."""
    for position in range(number, len(lines)):
        bare = lines[position].strip("\ufeff \t\r\n")
        if bare and not bare.startswith("#") and bare != "---":
            return position + 1
    return number


class _Value(NamedTuple):
    """One value of a document: the line of its key (or its own), its first and last character, and its style."""

    line: int
    start: tuple[int, int]
    end: tuple[int, int]
    style: str | None


class Places:
    """Maps lines of the file to values."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._starts = [document.first_line for document in documents]
        self._values: dict[int, list[_Value]] = {}

    def document(self, line: int) -> int:
        """Return the number of the document that contains a line."""
        return self._at(line).index if self._documents else 0

    def _at(self, line: int) -> Document:
        return self._documents[max(0, bisect_right(self._starts, line) - 1)]

    def _of(self, line: int) -> list[_Value]:
        if not self._documents:
            return []
        document = self._at(line)
        values = self._values.get(document.index)
        if values is None:
            values = self._values[document.index] = list(_values(document))
        return values

    def in_a_scalar(self, line: int, column: int) -> bool:
        """Say whether the character in that column (from 1) belongs to a scalar, but not to the header of a block
        scalar."""
        here = (line, column)
        return any(
            value.style is not None
            and value.start < here < value.end
            and (value.style not in ("|", ">") or line > value.start[0])
            for value in self._of(line)
        )

    def head_of(self, line: int) -> int:
        """Return the line of the key of a scalar that continues over the line, or the line itself."""
        return next(
            (
                value.line
                for value in self._of(line)
                if value.style is not None and value.start[0] < line <= value.end[0]
            ),
            line,
        )

    def value_at(self, line: int) -> tuple[int, int]:
        """Return the first and last line of what begins on a line: an entry with its value, an item, an object."""
        return line, max((value.end[0] for value in self._of(line) if value.line == line), default=line)


def _values(document: Document) -> Iterator[_Value]:
    """Yield all values of a document; the style is None for a value that is not a scalar."""
    root = document.root
    todo: list[tuple[Node, Node]] = [] if root is None else [(root, root)]
    while todo:
        node, at = todo.pop()
        line, _ = document.position(at.start)
        scalar = node.kind == SCALAR
        yield _Value(line, document.position(node.start), document.position(node.end), node.style if scalar else None)
        if node.kind == MAPPING:
            keys, values = node.children[::2], node.children[1::2]
            todo += zip(values, keys, strict=False)
        elif not scalar and node.kind != ALIAS:
            todo += ((item, item) for item in node.children)
