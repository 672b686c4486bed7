"""The places of what the quick reader has read: the nodes that the exact one would make, each when it is asked for.

The text is known to be plain here, and its value is there; nothing is checked again. Of a great many lines, few are
looked at more than once. tests/fuzz holds the nodes equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dralint.yaml import fast_path
from dralint.yaml.fast_path import FLOW_LIST, FLOW_MARK, FLOW_OPENING, FLOW_PIECE, LINE, MARK
from dralint.yaml.nodes import MAPPING, SCALAR, SEQUENCE, Composition, Node, Parent

if TYPE_CHECKING:
    from dralint.yaml.place import Json

_NOWHERE: Final = 1 << 30
"""The column of lines on which nothing begins."""
_SCALARS: Final = ("", '"', "'")
_FLOWS: Final = ("[", "{")
_MARKS: Final = frozenset("\"'[{|>")
_CACHED: Final = 20_000
_LONGEST_LINE: Final = 100

_Key = tuple[int, int, str, "Json", str]
"""Start and end of a key on its line, its style, its value, and what it is as a key."""
_Parts = tuple["_Key | None", "tuple[int, int, str] | None"]
"""The key of a line; start and end of the value behind it, and its style: of a collection or block, its first mark."""
_keys: dict[str, _Key] = {}
_parts: dict[str, _Parts] = {}


def quick_nodes(text: str, data: Json) -> Composition:
    """Return the composition of a text.

    Args:
        text: what `fast_path.quick` has answered for.
        data: the value it has given.
    """
    lines = _Lines(text)
    composition = Composition()
    composition.block_indents = lines.block_indents
    first = lines.next_entry(0, len(lines.columns))
    composition.root = _Opened(lines, first, len(lines.columns), lines.columns[first], data)
    return composition


class _Lines:
    """The lines of a text: where each starts, and the column on which something begins on it."""

    __slots__ = ("block_indents", "columns", "lines", "offsets", "said", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.block_indents: dict[int, int] = {}
        mark = MARK.match(text) if text.startswith("---") else None
        offset = 0 if mark is None else mark.end()
        self.lines = lines = text[offset:].split("\n")
        lines.pop()  # what stands behind the last line feed
        self.said: list[fast_path.Line] = []
        self.columns: list[int] = []
        self.offsets: list[int] = []
        known, said, columns, offsets = fast_path.known_lines, self.said, self.columns, self.offsets
        block = 0
        for number, line in enumerate(lines):
            offsets.append(offset)
            offset += len(line) + 1
            if number < block:
                columns.append(_NOWHERE)
                said.append(said[-1])
                continue
            says = known.get(line) or fast_path.line_of(line)
            said.append(says)
            columns.append(says[0] if says[1] or says[3] is not None else _NOWHERE)
            if says[5] == fast_path.BLOCK:
                _, block = fast_path.extent(lines, number + 1)

    def next_entry(self, first: int, behind: int) -> int:
        """Return the number of the next line on which something begins; `behind` where there is none."""
        columns = self.columns
        while first < behind and columns[first] == _NOWHERE:
            first += 1
        return first

    def parts(self, number: int) -> _Parts:
        """Return what stands on a line."""
        line = self.lines[number]
        found = _parts.get(line)
        if found is None:
            match = LINE.fullmatch(line + "\n")
            assert match is not None
            raw_key, raw_value, raw_item = match.group(3, 4, 5)
            key = None
            if raw_key is not None:
                first = match.start(3)
                key = first, first + len(raw_key), *(_keys.get(raw_key) or _key(raw_key))[2:]
            raw = raw_item if raw_value is None else raw_value
            start = match.start(5 if raw_value is None else 4)
            found = key, None if raw is None else (start, start + len(raw.rstrip(" ")), _style(raw))
            if len(line) <= _LONGEST_LINE and len(_parts) < _CACHED:
                _parts[line] = found
        return found

    def value(self, number: int, behind: int, data: Any) -> Node:
        """Return the node of the value that a line has behind its dashes or its key, or the lines below it have.

        Args:
            number: the line.
            behind: the line behind the last that belongs to it.
            data: the value.
        """
        begin = self.offsets[number]
        key, value = self.parts(number)
        if value is not None:
            first, end, style = value
            if style in _SCALARS:
                return Node(SCALAR, begin + first, begin + end, data, style)
            if style in _FLOWS:
                return _Flow(self.text, begin + first, begin + end, data)
            return self._block(number, begin + first, begin + end, style, data)
        following = self.next_entry(number + 1, behind)
        if following < behind:
            return _Opened(self, following, behind, self.columns[following], data)
        mark = key[1] if key is not None else self.lines[number].rindex("-", 0, self.said[number][2])
        return Node(SCALAR, begin + mark + 1, begin + mark + 1, None, "")

    def _block(self, number: int, start: int, end: int, style: str, data: Json) -> Node:
        indent, behind = fast_path.extent(self.lines, number + 1)
        self.block_indents[start] = indent
        for row in range(behind - 1, number, -1):
            if len(self.lines[row]) > indent:
                end = self.offsets[row] + len(self.lines[row])
                break
        return Node(SCALAR, start, end, data, style)


class _Opened(Parent):
    """A block collection; its entries are read when they are asked for."""

    __slots__ = ("_behind", "_children", "_column", "_end", "_first", "_lines")

    def __init__(self, lines: _Lines, first: int, behind: int, column: int, data: Any) -> None:
        """Take what begins on a column of the line with the number `first`; the line `behind` is not part of it."""
        is_list = isinstance(data, list)
        self.kind = SEQUENCE if is_list else MAPPING
        self.start = lines.offsets[first] + column
        self.data = data
        self.style = "-" if is_list else ":"
        self.key = None
        self.merge = False
        self.entries = None
        self.size = 1
        self.depth = 0
        self._lines = lines
        self._first = first
        self._behind = behind
        self._column = column
        self._children: list[Node] | None = None
        self._end = -1

    @property
    def end(self) -> int:  # type: ignore[override] # known late
        if self._end < 0:
            self._end = self.children[-1].end
        return self._end

    @property
    def children(self) -> list[Node]:  # type: ignore[override]
        if self._children is None:
            self._children = self._items() if self.kind == SEQUENCE else self._entries()
        return self._children

    def _items(self) -> list[Node]:
        lines, column = self._lines, self._column
        data: Any = self.data
        starts = self._starts()
        starts.append(self._behind)
        items: list[Node] = []
        for position in range(len(starts) - 1):
            number, behind, value = starts[position], starts[position + 1], data[position]
            said = lines.said[number]
            content, key = said[2], said[3]
            dash = lines.lines[number].find("-", column + 1, content)  # lists on one line: `- - a`
            if dash >= 0:
                items.append(_Opened(lines, number, behind, dash, value))
            elif key is not None:
                items.append(_Opened(lines, number, behind, content, value))
            else:
                items.append(lines.value(number, behind, value))
        return items

    def _entries(self) -> list[Node]:
        lines = self._lines
        data: Any = self.data
        starts = [number for number in self._starts() if number == self._first or not lines.said[number][1]]
        starts.append(self._behind)
        children: list[Node] = []
        self.entries = entries = {}
        for position in range(len(starts) - 1):
            number = starts[position]
            key, _ = lines.parts(number)
            assert key is not None
            node = _key_node(key, lines.offsets[number])
            value = lines.value(number, starts[position + 1], data[key[4]])
            children += (node, value)
            entries[key[4]] = node, value
        return children

    def _starts(self) -> list[int]:
        """Return the numbers of the lines that begin on the column."""
        columns, column = self._lines.columns, self._column
        return [self._first, *[n for n in range(self._first + 1, self._behind) if columns[n] == column]]


class _Flow(Parent):
    """A flow collection behind a key or a dash; what is in it is read when it is asked for."""

    __slots__ = ("_children", "_text")

    def __init__(self, text: str, start: int, end: int, data: Any) -> None:
        """Take text[start:end]."""
        self.kind = SEQUENCE if text[start] == "[" else MAPPING
        self.start = start
        self.end = end
        self.data = data
        self.style = text[start]
        self.key = None
        self.merge = False
        self.entries = None
        self.size = 1
        self.depth = 0
        self._text = text
        self._children: list[Node] | None = None

    @property
    def children(self) -> list[Node]:  # type: ignore[override]
        if self._children is None:
            self._children = []
            _read_flow(self._text, self, self._children)
        return self._children


def _read_flow(text: str, node: Parent, children: list[Node]) -> int:
    """Add what a flow collection has to its children; return the offset behind it."""
    start, data = node.start, node.data
    pos = start + 1
    simple = FLOW_LIST.match(text, start) if node.kind == SEQUENCE else None
    if simple is not None:
        assert isinstance(data, list)
        end = text.index("]", pos)
        for item, word in zip(data, text[pos:end].split(","), strict=False):
            first = pos + len(word) - len(word.lstrip(" "))
            children.append(Node(SCALAR, first, first + len(word.strip(" ")), item, ""))
            pos += len(word) + 1
        return end + 1
    inside: Any = data
    entries: dict[str, tuple[Node, Node]] = {}
    if node.kind == MAPPING:
        node.entries = entries
    mark = FLOW_MARK.match(text, pos)
    if mark is not None:  # it is empty
        return mark.end()
    goes_on = True
    while goes_on:
        piece = FLOW_PIECE.match(text, pos)
        opening = None if piece is not None else FLOW_OPENING.match(text, pos)
        match = piece or opening
        assert match is not None
        key, raw = None, match[1]
        if raw is None:
            value = inside[len(children)]
        else:
            parts = _keys.get(raw) or _key(raw)
            key = _key_node(parts, match.start(1))
            children.append(key)
            value = inside[key.key]
        first = match.start(2)
        if piece is not None:
            raw = piece[2]
            child = Node(SCALAR, first, first + len(raw.rstrip(" ")), value, _style(raw))
            goes_on, pos = piece[3] == ",", piece.end()
        else:
            child = inner = Parent(SEQUENCE if text[first] == "[" else MAPPING, first, first, value, text[first])
            inner.end = _read_flow(text, inner, inner.children)
            mark = FLOW_MARK.match(text, inner.end)
            assert mark is not None
            goes_on, pos = mark[1] == ",", mark.end()
        children.append(child)
        if key is not None:
            entries[key.key or ""] = key, child
    return pos


def _style(raw: str) -> str:
    return raw[0] if raw[0] in _MARKS else ""


def _key(raw: str) -> _Key:
    """Return what stands in the place of a key."""
    key = 0, len(raw), _style(raw), fast_path.value_of(raw), fast_path.key_of(raw)
    if len(_keys) < _CACHED:
        _keys[raw] = key
    return key


def _key_node(key: _Key, begin: int) -> Node:
    start, end, style, data, name = key
    node = Node(SCALAR, begin + start, begin + end, data, style)
    node.key = name
    return node
