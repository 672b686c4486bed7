"""Reads and writes the comments in a manifest that suppress findings."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from dralint.finding.finding import Pattern, Suppression
from dralint.yaml.nodes import ALIAS, MAPPING, SCALAR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.finding.finding import Finding
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


class _Comment(NamedTuple):
    """A line of the file whose comment may suppress findings.

    Attributes:
        line: without its end; `number` is its number, `offset` its place in the file.
        begin: where the comment begins in the line.
        alone: whether nothing is before it; at_top: whether it is before the first object of the file.
        target: the line with what the comment covers: its own, or the next one with a value.
    """

    line: str
    number: int
    offset: int
    begin: int
    alone: bool
    at_top: bool
    target: int


class Comments:
    """The comments of a file that suppress findings. The documents of the file come in order; none of them is kept.

    Args:
        name: the name of the file in findings.
        raw: all of its bytes.
    """

    def __init__(self, name: str, raw: bytes) -> None:
        utf16 = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
        self._name = name
        self._comments = _comments(raw.decode("utf-16" if utf16 else "utf-8", "replace"))
        self._document: Document | None = None
        self._indexes: list[int | None] = []
        self._ends: list[int] = []

    def add(self, document: Document) -> None:
        """Take the next document."""
        self._place(document.first_line)
        self._document = document

    def suppressions(self) -> list[Suppression]:
        """Return the suppressions, after the last document."""
        self._place(_EVERYTHING)
        return [
            _suppression(self._name, comment, index, last)
            for comment, index, last in zip(self._comments, self._indexes, self._ends, strict=True)
            if index is not None
        ]

    def _place(self, end: int) -> None:
        """Find the document of each comment before a line, and the last line that it covers.

        A comment within a scalar has no document: it is none. What a comment covers may be in a later document.
        """
        if self._document is None:
            return
        values: Values | None = None
        for at in range(len(self._indexes), len(self._comments)):
            comment = self._comments[at]
            if comment.number >= end:
                break
            values = values or Values(self._document)
            inside = values.in_a_scalar(comment.number, comment.begin + 1)
            self._indexes.append(None if inside else self._document.index)
        for at in range(len(self._ends), len(self._comments)):
            target = self._comments[at].target
            if target >= end:
                break
            values = values or Values(self._document)
            self._ends.append(values.last.get(target, target))


def _comments(text: str) -> list[_Comment]:
    """Return the lines of a file that may have a suppression."""
    out: list[_Comment] = []
    lines = LINE.findall(text)
    filled = [number for number, line in enumerate(lines, 1) if _is_filled(line)]
    offset, before_objects = 0, True
    for number, whole in enumerate(lines, 1):
        line = whole.rstrip("\r\n")
        bare = line.lstrip("\ufeff \t")
        if bare and not bare.startswith(("#", "---", "%")):
            before_objects = False
        match = _COMMENT.search(line) if "dralint" in line.lower() else None
        if match is not None:
            begin = match.start(1)
            alone = not line[:begin].strip("\ufeff \t")
            following = bisect_right(filled, number)
            target = filled[following] if alone and following < len(filled) else number
            out.append(_Comment(line, number, offset, begin, alone, before_objects, target))
        offset += len(whole)
    return out


def _suppression(name: str, comment: _Comment, document: int, last: int) -> Suppression:
    line, number, offset, begin, alone, at_top, first = comment
    text = line[begin:].rstrip()
    column = begin + 1 - line.startswith("\ufeff")
    start = offset + (0 if alone else len(line[:begin].rstrip()))
    exact = _EXACT.match(text)
    patterns: tuple[Pattern, ...] = ()
    malformed = meant = reason = ""
    whole_file = False
    if exact is None:
        malformed, meant = _nearly(text)
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
    return Suppression(
        name,
        document,
        number,
        column,
        column + len(text),
        start,
        offset + begin + len(text),
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


class Values:
    """The values of a document: the scalars in order, and the last line of what begins on a line."""

    def __init__(self, document: Document) -> None:
        self.last: dict[int, int] = {}
        self._scalars: list[_Scalar] = []
        for line, node in _nodes(document):
            end = document.position(node.end)
            self.last[line] = max(self.last.get(line, line), end[0])
            if node.kind == SCALAR:
                start = document.position(node.start)
                self._scalars.append(_Scalar(start, end, node.style in ("|", ">"), line))
        self._scalars.sort()

    def in_a_scalar(self, line: int, column: int) -> bool:
        """Say whether the character in that column (from 1) belongs to a scalar, not to a block scalar's header."""
        scalar = self._scalar_before((line, column))
        if scalar is None or (line, column) >= scalar.end:
            return False
        return not scalar.is_block or line > scalar.start[0]

    def head_of(self, line: int) -> int:
        """Return the line of the key of a scalar that continues over the line, or the line itself."""
        scalar = self._scalar_before((line, 0))
        return scalar.line if scalar is not None and line <= scalar.end[0] else line

    def _scalar_before(self, place: tuple[int, int]) -> _Scalar | None:
        """Return the last scalar that begins before a place: no other can go on there."""
        found = bisect_left(self._scalars, place, key=lambda scalar: scalar.start)
        return self._scalars[found - 1] if found else None


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


_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_LINE_END = re.compile(r"(?:\r\n|\r|\n)\Z")


def with_comments(raw: bytes, documents: list[Document], findings: Iterable[Finding], reason: str) -> bytes | None:
    """Return a file's bytes with a comment above each line with findings; None where the file cannot have comments.

    JSON has no comments, and a text that is not UTF-8 is not changed. Findings on dralint's own input cannot be
    suppressed.

    Args:
        raw: all of the file.
        documents: the documents of the file.
        findings: those of this file.
        reason: the text after the rules; empty for none.
    """
    if raw.startswith(_UTF16):
        return None
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    starts = [document.first_line for document in documents]
    values_of = cache(lambda number: Values(documents[number]))
    above: dict[int, set[str]] = {}
    for finding in findings:
        if finding.effect in ("tool", "unreadable"):
            continue
        values = values_of(max(0, bisect_right(starts, finding.line) - 1))
        above.setdefault(values.head_of(finding.line), set()).add(finding.rule)
    if not above or text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return None
    out: list[str] = []
    for number, line in enumerate(LINE.findall(text), 1):
        rules, kept = above.get(number), line
        if rules:
            kept = line.lstrip("\ufeff")
            mark = line[: len(line) - len(kept)]
            indent = kept[: len(kept) - len(kept.lstrip(" >"))]  # a block of a document may be quoted
            end = _LINE_END.search(line)
            comment = f"{indent}# dralint: ignore[{', '.join(sorted(rules))}]{f' {reason}' if reason else ''}"
            out.append(f"{mark}{comment}{end[0] if end else chr(10)}")
        out.append(kept)
    return "".join(out).encode()
