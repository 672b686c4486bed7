"""Places in text that the quick reader has read: makes the nodes of the exact reader, each when it is needed.

The text is known to be plain and its value is known, so nothing is checked again. Few of many lines are read more than
once. tests/fuzz compares the nodes with those of the exact reader.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, cast

from dralint.yaml import fast_path
from dralint.yaml.fast_path import KEY, LINE, MARK, flow_patterns
from dralint.yaml.nodes import MAPPING, SEQUENCE, Composition, Node, Parent, Unread
from dralint.yaml.possessive import compiled

if TYPE_CHECKING:
    from dralint.yaml.place import Json

_NOWHERE: Final = 1 << 30
"""The column of lines on which nothing begins."""
_SCALARS: Final = ("", '"', "'")
_FLOWS: Final = ("[", "{")
_LIST, _PIECE, _OPENING, _MARK = flow_patterns()
_HEAD = compiled(rf"( *+)(-(?: ++-)*+(?: ++|\Z))?(?:({KEY}):(?= |\Z))?")
"""The start of a line that the quick reader reads, without its line feed."""
_SIMPLE = compiled(r"[\[{](?:[^\[\]{}\"'#]++|[\[{](?:[^\[\]{}\"'#]++|[\[{][^\[\]{}\"'#]*+[\]}])*+[\]}])*+[\]}]")
"""A flow collection of up to three levels without quotes and comments: its brackets show where it ends."""
_LEVELS: Final = 3
"""Levels of flow collections that are read one by one; deeper levels are read together, so that no text is read more
often."""
_KEPT: Final = 1000
"""Items or entries that a collection keeps; a caller that needs more goes through it once."""
_MARKS: Final = frozenset("\"'[{|>")
_CACHED: Final = 20_000
_LONGEST_LINE: Final = 100

_Head = tuple[int, int, int, "str | None", bool]
"""The start of a line: its column, the number of `-`, the column after them, its key as it is written (without quotes),
and whether it is the header of a block."""
_Key = tuple[int, int, str, "Json", str]
"""Start and end of a key on its line, its style, its value, and its form as a key."""
_Parts = tuple["_Key | None", "tuple[int, int, str] | None"]
"""The key of a line; start and end of the value after it, and its style: for a collection or block, its first mark."""
_heads: dict[str, _Head] = {}
_keys: dict[str, _Key] = {}
_parts: dict[str, _Parts] = {}


def quick_nodes(text: str, data: Json) -> Composition:
    """Return the composition of a text.

    Args:
        text: a text that `fast_path.quick` has read.
        data: the value it has returned.
    """
    lines = _Lines(text)
    composition = Composition()
    composition.block_indents = lines.block_indents
    first = lines.next_entry(0, len(lines.columns))
    composition.root = _Opened(lines, first, len(lines.columns), lines.columns[first], data)
    return composition


class _Lines:
    """The lines of a text: where each one starts, and the column of its first token (`~column` if that is a dash).

    A large text has as many lines as values, so nothing else is kept of them.
    """

    __slots__ = ("block_indents", "blocks", "columns", "offsets", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.block_indents: dict[int, int] = {}
        self.blocks: dict[int, tuple[int, int]] = {}
        mark = re.match(MARK, text) if text.startswith("---") else None
        offset = 0 if mark is None else mark.end()
        lines = text[offset:].split("\n")
        lines.pop()  # the rest after the last line feed
        self.offsets = array("q", accumulate(map(len, lines), lambda begin, size: begin + size + 1, initial=offset))
        self.columns: list[int] = []
        columns = self.columns
        number, count = 0, len(lines)
        while number < count:
            head = _heads.get(lines[number]) or _head(lines[number])
            columns.append(~head[0] if head[1] else head[0])
            number += 1
            if head[4]:
                block = self.blocks[number - 1] = fast_path.extent(lines, number)
                columns.extend([_NOWHERE] * (block[1] - number))
                number = block[1]

    def line(self, number: int) -> str:
        """Return a line without its line feed."""
        return self.text[self.offsets[number] : self.offsets[number + 1] - 1]

    def next_entry(self, first: int, behind: int) -> int:
        """Return the number of the next line with a token; `behind` where there is none."""
        columns = self.columns
        while first < behind and columns[first] == _NOWHERE:
            first += 1
        return first

    def parts(self, number: int) -> _Parts:
        """Return the key and the value of a line."""
        line = self.line(number)
        found = _parts.get(line)
        if found is None:
            found = self._parts_of(line, _heads.get(line) or _head(line))
            if len(line) <= _LONGEST_LINE and len(_parts) < _CACHED:
                _parts[line] = found
        return found

    def _parts_of(self, line: str, head: _Head) -> _Parts:
        key, end = None, head[2]
        if head[3] is not None:
            start = end
            end = line.index(line[start] + ":", start + 1) + 1 if line[start] in "\"'" else line.index(":", start)
            key = start, end, *(_keys.get(line[start:end]) or _key(line[start:end]))[2:]
            end += 1
        rest = line[end:].lstrip(" ")
        start = len(line) - len(rest)
        if "#" in rest:  # there may be a comment
            match = LINE.fullmatch(line + "\n")
            assert match is not None
            rest = (match[4] if key is not None else match[5]) or ""
        return key, (start, start + len(rest.rstrip(" ")), _style(rest)) if rest else None

    def value(self, number: int, behind: int, data: Any, parts: _Parts | None = None) -> Node:
        """Return the node of the value after the dashes or the key of a line, or on the lines below it.

        Args:
            number: the line.
            behind: the line after its last line.
            data: the value.
            parts: those of the line, if they are known.
        """
        begin = self.offsets[number]
        key, value = parts or self.parts(number)
        if value is not None:
            first, end, style = value
            if style in _SCALARS:
                return Node(begin + first, begin + end, data, style)
            if style in _FLOWS:
                return _Flow(self.text, begin + first, begin + end, data)
            return self._block(number, begin + first, begin + end, style, data)
        following = self.next_entry(number + 1, behind)
        if following < behind:
            return _Opened(self, following, behind, self.columns[following], data)
        line = self.line(number)
        mark = key[1] if key is not None else line.rindex("-", 0, _head(line)[2])
        return Node(begin + mark + 1, begin + mark + 1, None, "")

    def _block(self, number: int, start: int, end: int, style: str, data: Json) -> Node:
        indent, behind = self.blocks[number]
        self.block_indents[start] = indent
        begin = self.offsets[number + 1]
        body = self.text[begin : self.offsets[behind] if behind < len(self.offsets) else len(self.text)]
        row = bisect_right(self.offsets, begin + len(body.rstrip("\n"))) - 1
        while len(self.line(row)) <= indent:  # nothing but its indentation
            row -= 1
        end = self.offsets[row + 1] - 1
        return Node(start, end, data, style)


class _Opened(Unread):
    """A block collection."""

    __slots__ = ("_begun", "_behind", "_column", "_end", "_entries", "_first", "_items", "_lines", "_names")

    def __init__(self, lines: _Lines, first: int, behind: int, column: int, data: Any) -> None:
        """Take the collection at a column of the line `first` (see `_Lines`); the line `behind` is not part of it."""
        column = max(column, ~column)
        is_list = isinstance(data, list)
        kind, style = (SEQUENCE, "-") if is_list else (MAPPING, ":")
        super().__init__(kind, lines.offsets[first] + column, data, style)
        self._lines = lines
        self._first = first
        self._behind = behind
        self._column = column
        self._begun: array[int] | None = None
        self._names: dict[str, int] | None = None
        self._items: dict[int, Node] = {}
        self._entries: dict[int, tuple[Node, Node]] = {}
        self._end = -1

    @property
    def end(self) -> int:  # known late
        if self._end < 0:
            last = len(self._starts()) - 1
            self._end = (self._item(last) if self.kind == SEQUENCE else self._entry(last)[1]).end
        return self._end

    def _read(self) -> list[Node]:
        places = range(len(self._starts()))
        if self.kind == SEQUENCE:
            return [self._item(position) for position in places]
        given = self._entries.copy()  # someone may look for them among the children
        children: list[Node] = []
        self._names, data = None, cast("dict[str, Json]", self.data)
        for position, name in zip(places, data, strict=True):
            key, value = given.get(position) or self._entry(position)
            if key.data == name:
                key.data = name  # one text for all
            key.key = name
            children += (key, value)
        return children

    def item(self, position: int) -> Node | None:
        """Return an item of the list without reading the others."""
        if self._children is not None:
            return super().item(position)
        return self._item(position) if 0 <= position < len(self._starts()) else None

    def entry(self, name: str) -> tuple[Node, Node] | None:
        """Return an entry of the mapping without reading the others; no key is written twice."""
        if not isinstance(self.data, dict):
            return None
        if self._names is None:
            self._names = {key: position for position, key in enumerate(self.data)}
        position = self._names.get(name)
        if position is None:
            return None
        if self._children is not None:
            return self.children[2 * position], self.children[2 * position + 1]
        return self._entry(position)

    def _starts(self) -> array[int]:
        """Return the numbers of the lines on which entries begin."""
        if self._begun is None:
            columns, first = self._lines.columns, self._first
            column = ~self._column if self.kind == SEQUENCE else self._column  # a list may be in the column of its key
            self._begun = array("q", [first, *[n for n in range(first + 1, self._behind) if columns[n] == column]])
        return self._begun

    def _range(self, position: int) -> tuple[int, int]:
        """Return the line where an entry begins, and the line after its last."""
        starts = self._starts()
        return starts[position], starts[position + 1] if position + 1 < len(starts) else self._behind

    def _item(self, position: int) -> Node:
        known = self._items.get(position)
        if known is None:
            if len(self._items) >= _KEPT:
                self._items.clear()
            lines, (number, behind) = self._lines, self._range(position)
            data: Any = self.data
            line = lines.line(number)
            _, _, content, key, _ = _heads.get(line) or _head(line)
            dash = line.find("-", self._column + 1, content)  # lists on one line: `- - a`
            if dash >= 0:
                known = _Opened(lines, number, behind, dash, data[position])
            elif key is not None:
                known = _Opened(lines, number, behind, content, data[position])
            else:
                known = lines.value(number, behind, data[position])
            self._items[position] = known
        return known

    def _entry(self, position: int) -> tuple[Node, Node]:
        known = self._entries.get(position)
        if known is None:
            if len(self._entries) >= _KEPT:
                self._entries.clear()
            number, behind = self._range(position)
            parts = self._lines.parts(number)
            key, _ = parts
            assert key is not None
            data: Any = self.data
            value = self._lines.value(number, behind, data[key[4]], parts)
            known = _key_node(key, self._lines.offsets[number]), value
            self._entries[position] = known
        return known


class _Flow(Unread):
    """A flow collection after a key or a dash."""

    __slots__ = ("_found", "_levels", "_passed", "_text")

    def __init__(self, text: str, start: int, end: int, data: Any, levels: int = _LEVELS) -> None:
        """Take text[start:end]; `levels` of collections inside of it are also read when they are needed."""
        super().__init__(SEQUENCE if text[start] == "[" else MAPPING, start, data, text[start])
        self.ends(end)
        self._text = text
        self._levels = levels
        self._found: tuple[Node, Node] | None = None
        self._passed: tuple[int, int] | None = None

    def _read(self) -> list[Node]:
        children: list[Node] = []
        _read_flow(self._text, self, children, self._levels)
        if self._found is not None:
            at = next(at for at in range(0, len(children), 2) if children[at].key == self._found[0].key)
            children[at : at + 2] = self._found
        return children

    def item(self, position: int) -> Node | None:
        """Return an item of the list; of a long one without collections, the others are not read."""
        text, data = self._text, self.data
        if self._children is not None or not isinstance(data, list) or not _KEPT < len(data) > position >= 0:
            return super().item(position)
        if self._passed is None:
            if _LIST.match(text, self.start) is None:
                return super().item(position)
            self._passed = 0, self.start + 1
        at, start = self._passed if self._passed[0] <= position else (0, self.start + 1)
        for _ in range(at, position):
            start = text.index(",", start) + 1
        self._passed = position, start
        end = text.find(",", start, self.end)
        word = text[start : end if end >= 0 else self.end - 1]
        start += len(word) - len(word.lstrip(" "))
        return Node(start, start + len(word.strip(" ")), data[position], "")

    def entry(self, name: str) -> tuple[Node, Node] | None:
        """Return an entry of the mapping; the first one is found without reading the others."""
        if self._children is None and self._found is None and isinstance(self.data, dict) and name in self.data:
            self._found = self._entry(name, self.data[name])
        if self._found is not None and self._found[0].key == name:
            return self._found
        return super().entry(name)

    def _entry(self, name: str, value: Json) -> tuple[Node, Node]:
        text, pos = self._text, self.start + 1
        while True:
            piece = _PIECE.match(text, pos)
            match = piece or _OPENING.match(text, pos)
            assert match is not None
            raw = match[1]
            parts = _keys.get(raw) or _key(raw)
            start = match.start(2)
            if piece is None:
                pos = _behind(text, start)
            if parts[4] == name:
                key = _key_node(parts, match.start(1))
                if piece is None:
                    return key, _Flow(text, start, pos, value, max(self._levels - 1, 0))
                return key, Node(start, start + len(piece[2].rstrip(" ")), value, _style(piece[2]))
            if piece is not None:
                pos = piece.end()
            else:
                mark = _MARK.match(text, pos)
                assert mark is not None
                pos = mark.end()


def _behind(text: str, start: int) -> int:
    """Return the offset after the flow collection that starts there."""
    if (simple := _SIMPLE.match(text, start)) is not None:
        return simple.end()
    pos, depth = start + 1, 1
    while True:
        mark = _MARK.match(text, pos)
        if mark is not None:
            pos = mark.end()
            if mark[1] == ",":
                continue
        elif text[pos - 1] == "[" and _LIST.match(text, pos - 1):
            pos = text.index("]", pos) + 1
        else:
            piece = _PIECE.match(text, pos)
            if piece is None:
                opening = _OPENING.match(text, pos)
                assert opening is not None
                pos, depth = opening.end(), depth + 1
                continue
            pos = piece.end()
            if piece[3] == ",":
                continue
        depth -= 1
        if not depth:
            return pos


def _read_flow(text: str, node: Parent, children: list[Node], levels: int) -> int:
    """Add the children of a flow collection; return the offset after it.

    Of the next `levels` below it, only the ends are searched.
    """
    start, data = node.start, node.data
    pos = start + 1
    simple = _LIST.match(text, start) if node.kind == SEQUENCE else None
    if simple is not None:
        assert isinstance(data, list)
        end = text.index("]", pos)
        for item, word in zip(data, text[pos:end].split(","), strict=False):
            first = pos + len(word) - len(word.lstrip(" "))
            children.append(Node(first, first + len(word.strip(" ")), item, ""))
            pos += len(word) + 1
        return end + 1
    inside: Any = data
    mark = _MARK.match(text, pos)
    if mark is not None:  # it is empty
        return mark.end()
    goes_on = True
    while goes_on:
        piece = _PIECE.match(text, pos)
        opening = None if piece is not None else _OPENING.match(text, pos)
        match = piece or opening
        assert match is not None
        raw = match[1]
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
            child = Node(first, first + len(raw.rstrip(" ")), value, _style(raw))
            goes_on, pos = piece[3] == ",", piece.end()
        else:
            inner: Parent
            if levels:
                inner = _Flow(text, first, _behind(text, first), value, levels - 1)
            else:
                inner = Parent(SEQUENCE if text[first] == "[" else MAPPING, first, first, value, text[first])
                inner.ends(_read_flow(text, inner, inner.children, 0))
            child = inner
            mark = _MARK.match(text, inner.end)
            assert mark is not None
            goes_on, pos = mark[1] == ",", mark.end()
        children.append(child)
    return pos


def _head(line: str) -> _Head:
    """Return the start of a line; short ones are remembered."""
    match = _HEAD.match(line)
    assert match is not None
    dash, key = match.group(2, 3)
    at = content = match.end(1)
    dashes = 0
    if dash is not None:
        dashes, content = dash.count("-"), match.end(2)
    if key is not None and key[0] in "\"'":
        key = key[1:-1]
    is_block = ("|" in line or ">" in line) and fast_path.line_of(line)[5] == fast_path.BLOCK
    head = at if dashes or key is not None else _NOWHERE, dashes, content, key, is_block
    if len(line) <= _LONGEST_LINE and len(_heads) < _CACHED:
        _heads[line] = head
    return head


def _style(raw: str) -> str:
    return raw[0] if raw[0] in _MARKS else ""


def _key(raw: str) -> _Key:
    """Return the text in the place of a key."""
    key = 0, len(raw), _style(raw), fast_path.value_of(raw), fast_path.key_of(raw)
    if len(_keys) < _CACHED:
        _keys[raw] = key
    return key


def _key_node(key: _Key, begin: int) -> Node:
    start, end, style, data, name = key
    node = Node(begin + start, begin + end, data, style)
    node.key = name
    return node
