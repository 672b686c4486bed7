"""A text and its positions, and what stands at one of them: the document, the object, the field, the key or value."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from dralint.edit.apply import FileText, apply, reached
from dralint.manifest.objects import ApiObject, objects
from dralint.yaml import read
from dralint.yaml.nodes import ALIAS, MAPPING, SEQUENCE, child, target

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.editor.workspace import Workspace
    from dralint.finding.finding import Edit
    from dralint.yaml import Document, Path
    from dralint.yaml.nodes import Node


Units: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
"""The unit in which an editor counts within a line."""

LARGEST_TEXT = 8 * 1024 * 1024
"""The largest text that is judged in an editor, in bytes; some seconds."""
_LINE_END = re.compile(r"\r\n|\r|\n")


class Position(NamedTuple):
    """A line and the number of code units before a place on it; both count from 0."""

    line: int
    character: int


class Span(NamedTuple):
    """A part of a text, in characters from its start; the end is exclusive."""

    start: int
    end: int


class Text:
    """A text that does not change.

    Args:
        text: the text; a byte order mark counts as its first character.
        version: the number that an editor gives it.
    """

    def __init__(self, text: str, version: int | None = None) -> None:
        self.text = text
        self.version = version

    @cached_property
    def raw(self) -> bytes:
        """The text in UTF-8."""
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def starts(self) -> list[int]:
        """Where each line starts; CRLF, CR and LF end lines."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def line(self, number: int) -> str:
        """Return a line, from 0, without its end; empty where there is no such line."""
        if not 0 <= number < len(self.starts):
            return ""
        start = self.starts[number]
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def offset(self, line: int, character: int, units: Units = "utf-32") -> int:
        """Return the offset of a position; one outside of the text becomes the nearest inside."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self.text)
        text = self.line(line)
        return self.starts[line] + min(_characters(text, max(character, 0), units), len(text))

    def position(self, offset: int, units: Units = "utf-32") -> Position:
        """Return the position of an offset."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.starts, offset) - 1
        return Position(line, _units(self.text[self.starts[line] : offset], units))

    def place(self, line: int, column: int) -> int:
        """Return the offset of a place of a finding: line and column from 1; a byte order mark has no column."""
        mark = line == 1 and self.text.startswith("\ufeff")
        return self.offset(line - 1, column - 1 + mark)

    def span(self, line: int, column: int, end_line: int, end_column: int) -> Span:
        """Return the part between two places of a finding."""
        start = self.place(line, column)
        return Span(start, max(start, self.place(end_line, end_column)))

    def changed(self, edits: Iterable[Edit]) -> str:
        """Return the text after edits; ValueError as `edit.apply`."""
        return apply(self.text, edits)


def _units(text: str, units: Units) -> int:
    if units == "utf-32" or text.isascii():
        return len(text)
    if units == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _characters(text: str, wanted: int, units: Units) -> int:
    """Return the number of characters with so many units; inside of a character, the place before it."""
    if units == "utf-32" or text.isascii():
        return wanted
    return bisect_right(range(len(text) + 1), wanted, key=lambda number: _units(text[:number], units)) - 1


MARK = "dralintCursor"
_KEY = re.compile(r"^(?P<lead>[ ]*(?:-[ ]+)*)(?P<word>[^\s:#\"'{}\[\],]*)$")
_VALUE = re.compile(r"^(?P<lead>.*?[\w\"'][ ]*:[ ]+|[ ]*(?:-[ ]+)+)(?P<quote>[\"']?)(?P<word>[^\"'{}\[\]]*)$")
_FLOW = re.compile(r"(?P<lead>[{\[,][ ]*)(?P<word>[^\s:#\"'{}\[\],]*)$")
_FLOW_VALUE = re.compile(r"[{,\[][^{}\[\],]*:(?:[ ]+|(?=[\"']))(?P<quote>[\"']?)(?P<word>[^\"'{}\[\],:]*)$")
_QUOTED = re.compile(r"(?:^|[{\[,])[ ]*(?P<quote>\")(?P<word>[^\"]*)$")
_UNCLOSED = re.compile(
    r"""^(?P<lead>(?:[^"'#]|"[^"]*"|'[^']*')*?(?:[\w"'][ ]*:|-)[ ]+)"""
    r"""(?:(?P<quote>')(?P<word>(?:[^']|'')*)|(?P<quote2>")(?P<word2>(?:[^"\\]|\\.)*))$"""
)
_START = attrgetter("start")
_REST = re.compile(r"[^\s:#\"'{}\[\],]*")


class OpenDocument(NamedTuple):
    """A document, and the offset of its first character in the text."""

    document: Document
    start: int


class Place(NamedTuple):
    """A key or value at an offset; or a place to complete, in a document that has a mark there.

    Attributes:
        held: the document.
        item: the object in it.
        path: the field, from the object on.
        is_key: whether the place is on the key of the field.
        span: the place of the key or value in the text.
        value: the value of the field; None for a place to complete.
        rest: the text after a place to complete on its line.
        column: the column where that begins.
        flow: whether it is inside of `{}` or `[]`.
        quote: the quote before it, if the line does not close it.
    """

    held: OpenDocument
    item: ApiObject
    path: Path
    is_key: bool
    span: Span
    value: Any = None
    rest: str = ""
    column: int = 0
    flow: bool = False
    quote: str = ""

    @property
    def full_path(self) -> Path:
        """The field, from the document on."""
        return (*self.item.path, *self.path)


def document_at(workspace: Workspace, name: str, offset: int) -> OpenDocument | None:
    """Return the document at an offset; None where there is none."""
    there = workspace.held(name)
    number = bisect_right(there, offset, key=_START)
    return there[number - 1] if number else None


def cursor_at(workspace: Workspace, name: str, offset: int) -> Place | None:
    """Return the key or value at an offset; None where there is no key or scalar of an object."""
    held = document_at(workspace, name, offset)
    if held is None or held.document.state != "read" or held.document.root is None:
        return None
    found = _descend(held.document.root, offset - held.start)
    if found is None:
        return None
    path, node, is_key = found
    item = item_at(held.document, path)
    if item is None:
        return None
    span = Span(held.start + node.start, held.start + node.end)
    try:
        value = reached(held.document.data, path)
    except (LookupError, TypeError):
        return None  # the data has only one of two equal keys
    return Place(held, item, path[len(item.path) :], is_key, span, value)


def item_at(document: Document, path: Path) -> ApiObject | None:
    """Return the object that a path of a document leads into."""
    items = objects(document.data) if document.state == "read" else iter(())
    return next((item for item in items if path[: len(item.path)] == item.path), None)


def span_of(held: OpenDocument, path: Path) -> Span | None:
    """Return the place of a value in the text; None where the document does not have it."""
    node = held.document.root
    for step in path:
        found = None if node is None else child(node, step)
        node = None if found is None else found[1]
    return None if node is None else Span(held.start + node.start, held.start + node.end)


def _descend(root: Node, at: int) -> tuple[Path, Node, bool] | None:
    """Return the path of the key or scalar at an offset, its node, and whether it is a key."""
    path: list[str | int] = []
    node = target(root)
    while node.kind in (MAPPING, SEQUENCE):
        keyed = node.kind == MAPPING
        heads = node.children[::2] if keyed else node.children
        number = bisect_right(heads, at, key=_START) - 1
        if number < 0 or (keyed and (heads[number].key is None or heads[number].merge)):
            return None
        head, value = heads[number], node.children[2 * number + 1] if keyed else heads[number]
        path.append(str(head.key) if keyed else number)
        if keyed and head.start <= at <= head.end:
            return tuple(path), head, True
        if value.kind in (MAPPING, SEQUENCE) and value.start <= at <= value.end:
            node = value
            continue
        return (tuple(path), value, False) if value.kind != ALIAS and value.start <= at <= value.end else None
    return None


def open_documents(raw: bytes) -> list[OpenDocument]:
    """Return the documents of a text with the offset of each."""
    documents = list(read(raw))
    return list(map(OpenDocument, documents, FileText(raw).offsets(documents)))


# A place where the text is not finished.


def open_place(workspace: Workspace, name: str, offset: int) -> Place | None:
    """Return the place at an offset; None where the text around it cannot be read."""
    text = workspace.text(name)
    held = document_at(workspace, name, offset)
    if held is None:
        return None
    line, column = text.position(offset)
    whole = text.line(line)
    before, after = whole[:column], whole[column:]
    start = text.starts[line]
    in_flow = held.document.text.lstrip().startswith(("{", "["))
    for pattern, form in _FORMS:
        match = pattern.search(before)
        if match is None or (form == "flow" and before.count("{") + before.count("[") == 0):
            continue
        if form == "key" and _is_misplaced(text, line, match.start("word")):
            return None
        groups = match.groupdict()
        name = "word" if groups["word"] is not None else "word2"
        begin, quote = start + match.start(name), groups.get("quote") or groups.get("quote2") or ""
        rest = _REST.match(after)
        width = len(rest[0]) if rest is not None else 0
        if form == "unclosed":
            if quote in after:
                continue
            width = len(after.rstrip(" }],") if "{" in match["lead"] else after)
        elif form == "quoted":
            width = len(re.split(r"[\"{}\[\]]", after, maxsplit=1)[0])
        elif pattern is _VALUE:
            width = len(re.split(r"[\"']|\s#", after.rstrip(), maxsplit=1)[0])
        behind = after[width:]
        closed = len(quote) if quote and behind.startswith(quote) else 0
        colon = form == "key" or (form == "quoted" and not in_flow and before.lstrip().startswith('"'))
        put = MARK + quote + (":" if colon and not behind[closed:].lstrip().startswith(":") else "")
        end = offset + width
        asked = _with_mark(text.text, held, Span(begin, end), closed, put, start + len(whole), behind)
        if asked is not None:
            unclosed = quote if form == "unclosed" else ""
            return asked._replace(flow=form in ("flow", "quoted") or pattern is _FLOW_VALUE, quote=unclosed)
    return None


_FORMS = (
    (_UNCLOSED, "unclosed"),
    (_FLOW_VALUE, "value"),
    (_FLOW, "flow"),
    (_QUOTED, "quoted"),
    (_KEY, "key"),
    (_VALUE, "value"),
)


def is_unclosed(line: str, column: int) -> bool:
    """Say whether a value begins with a quote before a column of a line that does not close it."""
    match = _UNCLOSED.search(line[:column])
    return match is not None and (match["quote"] or match["quote2"]) not in line[column:]


def _is_misplaced(text: Text, line: int, column: int) -> bool:
    """Say whether a key in a column would be deeper than the following keys or items, and next to none of them."""

    def first(numbers: range, below: int) -> tuple[int, bool]:
        """Return the column of the first line with text, and whether an item begins there."""
        for number in numbers:
            whole = text.line(number)
            bare = whole.lstrip(" ")
            if bare and not bare.startswith("#") and len(whole) - len(bare) < below:
                return len(whole) - len(bare), bare.startswith("-")
        return -1, False

    behind, is_item = first(range(line + 1, len(text.starts)), len(text.text))
    before, in_item = first(range(line - 1, -1, -1), column)
    return before < behind < column or (before == behind >= 0 and is_item and not in_item)


def _with_mark(
    text: str, held: OpenDocument, span: Span, closed: int, put: str, line_end: int, rest: str
) -> Place | None:
    """Return the path that the mark has in place of a span, and of a closing quote behind it: in the whole document, in
    the text before it, or in that with what closes its brackets."""
    first = held.start
    last = first + len(held.document.text)
    begin, end = span.start, span.end + closed
    before = text[first:begin]
    for tail in (text[end:last], f",{text[end:last]}", text[end:line_end] + "\n", _closing(before)):
        for document in read((before + put + tail).encode("utf-8", "surrogatepass")):
            found = _marked(document)
            if found is None:
                continue
            path, is_key = found
            item = item_at(document, path)
            if item is not None:
                column = begin - (text.rfind("\n", 0, begin) + 1)
                return Place(held, item, path[len(item.path) :], is_key, span, None, rest, column)
    return None


def _closing(before: str) -> str:
    """Return the brackets that close those of a text, without those within its quotes."""
    opened: list[str] = []
    for bracket in _BRACKET.findall(before):
        if bracket in _PAIRS:
            opened.append(_PAIRS[bracket])
        elif opened and bracket == opened[-1]:
            opened.pop()
    return "".join(reversed(opened))


_PAIRS = {"{": "}", "[": "]"}
_BRACKET = re.compile(r"""[{}\[\]]|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")


def _marked(document: Document) -> tuple[Path, bool] | None:
    """Return the path of the mark, and whether it is a key."""
    todo: list[tuple[Path, object]] = [((), document.data)] if document.state == "read" else []
    while todo:
        path, value = todo.pop()
        if isinstance(value, str) and value == MARK:
            return path, False
        if isinstance(value, dict):
            if MARK in value:
                return (*path, MARK), True
            todo += (((*path, key), each) for key, each in value.items())
        elif isinstance(value, list):
            todo += (((*path, number), each) for number, each in enumerate(value))
    return None
