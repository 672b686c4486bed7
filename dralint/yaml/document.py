"""One document of a file: its data, and the place of each part of it."""

from __future__ import annotations

import bisect
import re
from array import array
from functools import cached_property
from typing import TYPE_CHECKING

from dralint.yaml import nodes
from dralint.yaml.nodes import ReadingProblem, Span, TextError
from dralint.yaml.scalars import offsets

if TYPE_CHECKING:
    from dralint.yaml.nodes import Composition, Json, Node, Path

LARGEST_TEXT = 16 * 1024 * 1024
"""The size up to which a document is read with places; the API server accepts 3 MiB per request."""
LONGEST_TAG = 200
PLACEHOLDER_MARKS = ("${", "$(", "{{", "{%")
"""The beginnings of placeholders."""
_TAG = r"(?:[:,?-]\s+|[\[{]\s*)(?:&\S+[ \t]+)?(![^\s!]\S*)[ \t]+\Z"
"""A tag after what can come before a value; the text that ends with it."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_BLOCK = r"[|>][-+1-9]*[ \t]*(?:#|[\r\n\x85\u2028\u2029]|\Z)"
"""The end of a line, or a comment there, after which a block scalar can begin."""


class Document:
    """One chunk of a file.

    `state` is "empty" (nothing but comments and directives), "passed-over" (the reader's pattern finds nothing in it),
    "template" (with `reason`), "read" (with `data`) or "unreadable" (with `problems`). Places are only computed when
    they are needed. `start` is the offset of its first byte in the file, `is_json` whether it was read as a JSON text.
    """

    def __init__(
        self,
        raw: bytes,
        start: int,
        end: int,
        index: int,
        *,
        first_line: int | None = None,
        is_json: bool = False,
    ) -> None:
        """Take the bytes raw[start:end]; its line is counted when needed."""
        self._raw = raw
        self.start = start
        self._end = end
        if first_line is not None:
            self.first_line = first_line
        self.is_json = is_json
        self._composition: Composition | None = None
        self._plain: tuple[Json] | None = None
        self._way: tuple[Path, list[tuple[Node | None, Node]]] | None = None
        self.index = index
        self.state = "passed-over"
        self.reason = ""
        self.data: Json = None
        self.problems: list[ReadingProblem] = []

    @cached_property
    def text(self) -> str:
        """The chunk's text; bytes that are not UTF-8 become U+FFFD. The reader sets what it has decoded."""
        return self._raw[self.start : self._end].decode("utf-8", "replace")

    @property
    def fault(self) -> tuple[int, str]:
        """Line and message of the first error, where the document cannot be read."""
        if self.problems:
            return self.problems[0].span.line, self.problems[0].message
        return self.first_line, self.reason  # reported with the document before

    @cached_property
    def first_line(self) -> int:
        """The line of the file on which the chunk starts."""
        return 1 + count_lines(self._raw, 0, self.start)

    def holds(self, pattern: re.Pattern[bytes]) -> bool:
        """Say whether the pattern finds something in the bytes of the chunk."""
        return pattern.search(self._raw, self.start, self._end) is not None

    def set_template(self, reason: str) -> None:
        """Treat the document as a template, or as another text that is not a manifest yet."""
        self.state, self.reason = "template", reason

    def set_plain(self, data: Json) -> None:
        """Take the value of a text that the quick reader has read and can give places for."""
        self._plain = (data,)
        self.data, self.state = data, "read"

    # Places.

    def span(self, path: Path) -> Span:
        """Return the place of the value at `path`, or of its nearest parent that exists."""
        node, _, _ = self._find(path)
        if node is None:
            return self.place(*self._first())
        return self.place(node.start, node.end)

    def key_span(self, path: Path) -> Span:
        """Return the place of the key that leads to the end of `path`; for a list item, its first character."""
        node, key, depth = self._find(path)
        if node is None or depth == 0:
            return self.place(*self._first())
        if key is None:
            return self.place(node.start, min(node.start + 1, max(node.end, node.start)))
        return self.place(key.start, key.end)

    def missing_span(self, path: Path) -> Span:
        """Return where to report a missing `path`: at the key of its nearest existing parent."""
        return self.key_span(path[:-1])

    def scalar_position(self, path: Path, index: int) -> tuple[int, int]:
        """Return line and column of the character with the number `index` in the string value at `path`."""
        node, _, _ = self._find(path)
        if node is None:
            span = self.place(*self._first())
            return span.line, span.column
        if not isinstance(node.data, str) or not (node.data or node.style):
            return self.position(min(node.start + index, node.end))
        places = self._offsets(node)
        return self.position(places[min(max(index, 0), len(places) - 1)])

    def scalar_style(self, path: Path) -> str | None:
        """Return how the string at `path` is written: `'`, `"` (in JSON, too), `|`, `>`, or empty for a plain one.

        None where there is no string.
        """
        node = self._string(path)
        if node is None:
            return None
        return '"' if self.is_json or node.style == "j" else node.style

    def behind(self, path: Path) -> str:
        """Return the rest of the line after the value at `path`."""
        node, _, _ = self._find(path)
        if node is None:
            return ""
        end = _LINE_END.search(self.text, node.end)
        return self.text[node.end : len(self.text) if end is None else end.start()]

    def character_offsets(self, path: Path) -> list[int] | None:
        """Return the offset in `text` of each character of the string at `path`, and the offset after the last one.

        None where there is no string.
        """
        node = self._string(path)
        return None if node is None or not (node.data or node.style) else self._offsets(node)

    def _string(self, path: Path) -> Node | None:
        """Return the node of the string at `path`; None where there is no string."""
        node, _, depth = self._find(path)
        return node if node is not None and depth == len(path) and isinstance(node.data, str) else None

    def _offsets(self, node: Node) -> list[int]:
        assert self._composition is not None
        indent = self._composition.block_indents.get(node.start, 0)
        return offsets(self.text, node.start, node.end, node.style, indent, str(node.data))

    def tag_at(self, path: Path) -> str | None:
        """Return the tag (`!name`) before the scalar at `path`, if it is not one of YAML's own tags.

        Such a tag does not change the value; mostly, the text needs quotes.
        """
        node = None if self.is_json else self._string(path)
        if node is None:
            return None
        source = self.text[max(0, node.start - LONGEST_TAG) : node.start]
        if not node.data and not node.style:
            source += self.text[node.start : min(node.end, node.start + LONGEST_TAG)] + " "
        return tag_before(source).rstrip() or None

    def cut_at_comma(self, path: Path) -> tuple[str, str] | None:
        """Return message and hint where the key at `path` is the rest of a value with a comma; None otherwise."""
        from dralint.yaml.reading_repairs import cut_at_comma  # only where there is a problem

        entry = self._entry(path)
        return None if entry is None else cut_at_comma(self.text, *entry)

    def cut_text(self, path: Path) -> str | None:
        """Return in quotes the value at `path` that a comma between braces cuts short."""
        from dralint.yaml.reading_repairs import cut_text  # only where there is a problem

        entry = self._entry(path)
        return None if entry is None else cut_text(self.text, *entry)

    def _entry(self, path: Path) -> tuple[Node, Node] | None:
        """Return the mapping with the last element of the path as a key, and that key."""
        mapping, _, _ = self._find(path[:-1])
        _, key, depth = self._find(path)
        return None if self.is_json or mapping is None or key is None or depth < len(path) else (mapping, key)

    @cached_property
    def may_have_placeholders(self) -> bool:
        """Whether there may be a placeholder (`${NAME}`, `$(NAME)`, `{{ ... }}`) in the text at all."""
        return any(mark in self.text for mark in PLACEHOLDER_MARKS)

    @property
    def may_have_tags(self) -> bool:
        """Whether there is a `!` in the text at all."""
        return "!" in self.text

    def written(self, path: Path) -> str:
        """Return the text of the value at `path`, or of its nearest parent that exists; empty where there is none."""
        node, _, _ = self._find(path)
        return "" if node is None else self.text[node.start : node.end]

    @cached_property
    def ends_in_block(self) -> bool:
        """Whether the last value is a block scalar (`|` or `>`)."""
        composition = None if self.is_json or re.search(_BLOCK, self.text) is None else self._compose()
        node = None if composition is None else composition.root
        while node is not None and node.children:
            node = node.children[-1]
        return node is not None and node.style in ("|", ">")

    def alias_at(self, path: Path) -> Span | None:
        """Return the place of the first alias (`*name`) on the way along the path; None where there is none."""
        way = self.way(path)[1:] if self.may_have_aliases else []
        return next((self.place(node.start, node.end) for _, node in way if node.kind == nodes.ALIAS), None)

    @property
    def may_have_aliases(self) -> bool:
        """Whether there is a `*` in the text at all."""
        return "*" in self.text

    def place(self, start: int, end: int) -> Span:
        """Return the span of text[start:end]."""
        line, column = self.position(start)
        end_line, end_column = self.position(max(start, end))
        return Span(line, column, end_line, end_column)

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column in the file of text[offset]."""
        row = bisect.bisect_right(self._lines, offset) - 1
        column = offset - self._lines[row] + 1
        return self.first_line + row, column if row else column + self._columns_before

    @cached_property
    def _lines(self) -> array[int]:
        """The offset at which each line starts."""
        return array("L", [0, *(match.end() for match in _LINE_END.finditer(self.text))])

    @cached_property
    def _columns_before(self) -> int:
        """The number of characters before the chunk on its first line: a JSON value can start anywhere."""
        raw, start = self._raw, self.start
        line = raw.rfind(b"\n", 0, start) + 1
        line = raw.rfind(b"\r", line, start) + 1 or line
        return len(raw[line:start].decode("utf-8", "replace").removeprefix("\ufeff"))

    def add(self, error: TextError, path: Path = ()) -> None:
        """Record a problem of the text."""
        related = tuple((message, self.place(start, end)) for message, start, end in error.related)
        span = self.place(error.start, error.end)
        self.problems.append(
            ReadingProblem(error.kind, error.message, span, path, error.hint, related, error.edits, error.sure)
        )

    def keep(self, composition: Composition) -> None:
        """Remember the nodes, so that the text need not be read again."""
        self._way = None
        self._composition = composition

    def forget_nodes(self) -> None:
        """Release the nodes, which need far more memory than the text; a question for a place makes them again."""
        self._way = self._composition = None

    @property
    def root(self) -> Node | None:
        """The root node; None where the document is empty, or cannot be read with places."""
        composition = self._compose()
        return None if composition is None else composition.root

    def _first(self) -> tuple[int, int]:
        """Return the first character of the document that is neither white space nor in a comment."""
        composition = self._compose()
        if composition is not None and composition.root is not None:
            return composition.root.start, composition.root.start + 1
        return 0, min(1, len(self.text))

    def _compose(self) -> Composition | None:
        if self._composition is None and self.state in ("read", "unreadable"):
            if self.is_json and len(self.text) > LARGEST_TEXT:
                return None
            try:
                if self.is_json:
                    from dralint.yaml.json_text import compose_json, quick_json_nodes

                    plain = self._plain
                    self._composition = (
                        compose_json(self.text, 0)[0] if plain is None else quick_json_nodes(self.text, plain[0])
                    )
                else:
                    from dralint.yaml.composer import compose

                    self._composition = compose(self.text)
            except TextError:
                return None
        return self._composition

    def _find(self, path: Path) -> tuple[Node | None, Node | None, int]:
        """Return the node at `path` or its nearest parent, its key, and how many steps of the path exist."""
        way = self.way(path)
        if not way:
            return None, None, 0
        key, node = way[-1]
        return nodes.target(node), key, len(way) - 1

    def way(self, path: Path) -> list[tuple[Node | None, Node]]:
        """Return key (None for an item and the root) and node of the root and of each step along the path that exists.

        Aliases on the way are followed; empty where there is no root.
        """
        composition = self._compose()
        if composition is None or composition.root is None:
            return []
        before, way = self._way or ((), [(None, composition.root)])
        depth = 0  # among many problems, most are near the one before
        for step, other in zip(path, before, strict=False):
            if step != other:
                break
            depth += 1
        way = way[: depth + 1]
        for step in path[depth:]:
            found = nodes.child(way[-1][1], step)
            if found is None:
                break
            way.append(found)
        self._way = path[: len(way) - 1], way
        return way


def tag_before(text: str) -> str:
    """Return the tag (`!name`) that a text ends with, and the blanks behind it; empty if there is none."""
    match = re.search(_TAG, text)
    return text[match.start(1) :] if match else ""


def count_lines(raw: bytes, start: int, end: int) -> int:
    """Count the line ends (LF, CRLF, CR) in raw[start:end]."""
    returns = raw.count(b"\r", start, end)
    if not returns:
        return raw.count(b"\n", start, end)
    return raw.count(b"\n", start, end) + returns - raw.count(b"\r\n", start, end)
