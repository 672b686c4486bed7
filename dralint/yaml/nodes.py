"""What reading a text gives: nodes and ways through them, JSON data and paths into it, places, and problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Span(NamedTuple):
    """A part of the file; lines and columns (in Unicode code points) count from 1, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class ReadingProblem(NamedTuple):
    """The reason why a document, or a part of it, could not be read.

    `kind` is one of invalid-utf8, yaml-syntax, json-syntax, duplicate-key, missing-separator, bad-key, no-json-form,
    no-object, excessive-aliasing, too-deep, bad-separator, ignored-after-document-end, only-yaml, too-large. `related`
    has other places that explain it. `edits` of the document's text would mend it; they are `sure` if they have one
    possible meaning.
    """

    kind: str
    message: str
    span: Span
    path: Path = ()
    hint: str | None = None
    related: tuple[tuple[str, Span], ...] = ()
    edits: Edits = ()
    sure: bool = False


MAX_DEPTH = 10_000
"""go-yaml's limit for nested flow collections and for indentations, and the JSON decoder's for all nesting."""

MOST_LEVELS = 1_000
"""Levels of nesting that dralint reads in YAML: as many as libyaml 0.2.6. The API server takes 10,000."""

BREAKS = "\n\r\x85\u2028\u2029"
"""The characters that end a line of YAML 1.1; CR and LF together end one."""


def line_start(text: str, pos: int) -> int:
    """Return the offset at which the line of text[pos] starts."""
    while pos and text[pos - 1] not in BREAKS:
        pos -= 1
    return pos


Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Path: TypeAlias = tuple[str | int, ...]
Edits: TypeAlias = tuple[tuple[int, int, str], ...]
"""Parts of a text (start, end) and their replacements."""


class TextError(Exception):
    """The error of a text that cannot be read; `start`, `end`, `related` and `edits` use offsets in that text.

    It has at least one character.
    """

    def __init__(
        self,
        message: str,
        start: int,
        end: int = 0,
        *,
        hint: str | None = None,
        kind: str = "yaml-syntax",
        related: tuple[tuple[str, int, int], ...] = (),
        edits: Edits = (),
        sure: bool = True,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = max(end, start + 1)
        self.hint = hint
        self.kind = kind
        self.related = related
        self.edits = edits
        self.sure = sure

    def moved(self, by: int) -> TextError:
        """Return the same error in a text that begins elsewhere."""
        return TextError(
            self.message,
            self.start + by,
            self.end + by,
            hint=self.hint,
            kind=self.kind,
            related=tuple((message, start + by, end + by) for message, start, end in self.related),
            edits=tuple((start + by, end + by, text) for start, end, text in self.edits),
            sure=self.sure,
        )


SCALAR = 0
SEQUENCE = 1
MAPPING = 2
ALIAS = 3

_NO_CHILDREN: list[Node] = []
"""Shared by all scalars; never changed."""


class Node:
    """One node of a document: offsets in its text, its value and its children; the class itself is a scalar."""

    __slots__ = ("data", "end", "key", "start", "style")
    kind: int = SCALAR
    merge: bool = False
    """Whether it is the key `<<` of merged mappings."""
    children: list[Node] = _NO_CHILDREN
    """Items; or keys and values in turn; or the target of an alias."""
    entries: dict[str, tuple[Node, Node]] | None = None
    size: int = 1
    depth: int = 0

    def __init__(self, start: int, end: int, data: Json, style: str) -> None:
        self.start = start
        self.end = end
        """The offset after its last character."""
        self.data: Json = data
        self.style = style
        self.key: str | None = None
        """The string a scalar becomes as a mapping key; None when it cannot be one."""


class MergeKey(Node):
    """A scalar that is the key `<<` of merged mappings."""

    __slots__ = ()
    merge = True


class Parent(Node):
    """A node with children: a sequence, a mapping or an alias."""

    __slots__ = ("children", "depth", "entries", "kind", "size")

    def __init__(self, kind: int, start: int, end: int, data: Json, style: str) -> None:
        super().__init__(start, end, data, style)
        self.kind = kind
        self.children = []
        self.entries = None
        self.size = 1
        self.depth = 0


class Composition:
    """The content of a text: the root (None for none), problems with their paths, and where the document ended."""

    __slots__ = ("block_indents", "marked", "problems", "rest", "root")

    def __init__(self) -> None:
        self.root: Node | None = None
        self.problems: list[tuple[TextError, Path]] = []
        self.rest: int | None = None
        """Offset of content after the end of the document, which the API server ignores."""
        self.marked = False
        """Whether `...` or `---` ended it."""
        self.block_indents: dict[int, int] = {}


def target(node: Node) -> Node:
    """Return the node itself, or the target of an alias."""
    return node.children[0] if node.kind == ALIAS else node


def walk(root: Node) -> Iterator[tuple[Node, Node]]:
    """Yield a node and all below it, each with its key, or itself where it has none; the target of an alias is left
    out."""
    todo = [(root, root)]
    for node, key in todo:
        yield node, key
        if node.kind == MAPPING:
            todo += zip(node.children[1::2], node.children[::2], strict=True)
        elif node.kind == SEQUENCE:
            todo += zip(node.children, node.children, strict=True)


def child(node: Node, step: str | int) -> tuple[Node | None, Node] | None:
    """Return key (None in a list) and value of the entry `step`, or None when there is no such entry."""
    node = target(node)
    if node.kind == MAPPING:
        return entries(node).get(str(step))
    if node.kind == SEQUENCE and isinstance(step, int) and 0 <= step < len(node.children):
        return None, node.children[step]
    return None


def entries(node: Node) -> dict[str, tuple[Node, Node]]:
    """Return the entries of a mapping by key, merged ones included, as the API server reads them."""
    if node.entries is None:
        found: dict[str, tuple[Node, Node]] = {}
        for key, value in zip(node.children[::2], node.children[1::2], strict=True):
            if key.merge:
                for source in merge_sources(value):
                    found.update(entries(target(source)))  # which are known: the composer asks for them in order
            elif key.key is not None:
                found[key.key] = (key, value)
        assert isinstance(node, Parent)
        node.entries = found
    return node.entries


def merge_sources(value: Node) -> list[Node]:
    """Return the mappings that a merge key adds, in the order of merging."""
    sources = value.children[::-1] if value.kind == SEQUENCE else [value]
    for source in sources:
        node = source.children[0] if source.kind == ALIAS else source
        if node.kind != MAPPING:
            raise TextError(
                "a merge key `<<` takes a mapping or a list of mappings",
                source.start,
                source.end,
                hint='quote "<<" if it is meant as a plain key',
            )
    return sources
