"""YAML tokens to nodes with their places and their JSON values, as go-yaml v2 puts them together.

Sources of the facts: parserc.go and decode.go of go.yaml.in/yaml/v2 v2.4.4 and yaml.go of sigs.k8s.io/yaml
v1.6.0. Nothing here recurses: a collection gets its value when it ends, from the values of its children, and an
alias shares the value of its anchor.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from dralint.reading import scanner
from dralint.reading.problem import TextError
from dralint.reading.scalars import json_number, key_text, resolve

if TYPE_CHECKING:
    from dralint.reading.problem import Json, Path

SCALAR: Final = 0
SEQUENCE: Final = 1
MAPPING: Final = 2
ALIAS: Final = 3

_MANY_STEPS: Final = 1 << 60
_MOST_PROBLEMS: Final = 100
"""As many as the server collects for one object."""
_NO_CHILDREN: Final[list[Node]] = []
"""Shared by all scalars; never changed."""
_RATIO_LOW: Final = 400_000
_RATIO_HIGH: Final = 4_000_000

# What the parser expects next.
_BLOCK_ITEM: Final = 1
_INDENTLESS_ITEM: Final = 2
_BLOCK_KEY: Final = 3
_BLOCK_VALUE: Final = 4
_FLOW_FIRST_ITEM: Final = 5
_FLOW_ITEM: Final = 6
_PAIR_KEY: Final = 7
_PAIR_VALUE: Final = 8
_PAIR_END: Final = 9
_FLOW_FIRST_KEY: Final = 10
_FLOW_KEY: Final = 11
_FLOW_VALUE: Final = 12
_FLOW_NO_VALUE: Final = 13
_END: Final = 14

_AFTER_DOCUMENT: Final = (
    scanner.STREAM_END,
    scanner.DOCUMENT_END,
    scanner.DOCUMENT_START,
    scanner.VERSION,
    scanner.TAG_DIRECTIVE,
)
_CORE: Final = "tag:yaml.org,2002:"
_BASE64 = re.compile("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_DATE = re.compile(
    r"[0-9]{4}-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[-+]([0-9]{2}):([0-9]{2}))"
    r"| ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?)?"
)


class Node:
    """One node of a document: offsets in its text, its value, what it is made of."""

    __slots__ = (
        "children",
        "data",
        "depth",
        "end",
        "entries",
        "key",
        "kind",
        "merge",
        "size",
        "start",
        "style",
    )

    def __init__(self, kind: int, start: int, end: int, data: Json, style: str) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.data: Json = data
        self.style = style
        self.key: str | None = None
        """The string a scalar becomes as a mapping key; None when it cannot be one."""
        self.children: list[Node] = _NO_CHILDREN if kind == SCALAR else []
        """Items; or keys and values in turn; or the node that an alias stands for."""
        self.entries: dict[str, tuple[Node, Node]] | None = None
        self.merge = False
        self.size = 1
        self.depth = 0


class Composition:
    """What a text holds: the root (None when there is nothing), problems with their paths, where it ended."""

    __slots__ = ("block_indents", "problems", "rest", "root")

    def __init__(self) -> None:
        self.root: Node | None = None
        self.problems: list[tuple[TextError, Path]] = []
        self.rest: int | None = None
        """Offset of content behind the end of the document, which the server ignores."""
        self.block_indents: dict[int, int] = {}


def compose(text: str) -> Composition:
    """Compose the one document in `text`.

    Raises TextError where go-yaml finds bad syntax, an unknown anchor, an impossible tag, excessive aliasing or
    too much depth; what is refused later (duplicate keys, keys and values without a JSON form) is in `problems`.
    """
    start = 1 if text.startswith("\ufeff") else 0
    if text.startswith("\ufeff\ufeff"):
        raise TextError("a second byte order mark (U+FEFF)", 1, hint="remove it")
    # go-yaml reads ahead in blocks: what is forbidden is found also behind the end of the document.
    bad = scanner.forbidden(text)
    try:
        composition = _Composer(text, start).run()
    except TextError as error:
        if bad is None or error.start < bad.start():
            raise
        raise _control_character(bad) from None
    if bad is not None:
        raise _control_character(bad)
    return composition


def _control_character(found: re.Match[str]) -> TextError:
    return TextError(
        f"the character U+{ord(found[0]):04X} is not allowed in YAML",
        found.start(),
        hint="remove it; in a double-quoted value it can be written as an escape",
    )


class _Composer:
    __slots__ = (
        "aliased",
        "anchors",
        "composition",
        "frames",
        "handles",
        "holder",
        "index",
        "infinite",
        "text",
        "tokens",
    )

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.tokens = scanner.scan(text, start)
        self.index = 0
        self.frames: list[tuple[Node, int]] = []
        self.handles: dict[str, str] = {}
        self.anchors: dict[str, Node] = {}
        self.aliased = 0
        self.infinite: list[Node] = []
        self.holder = Node(SEQUENCE, 0, 0, None, "")
        self.composition = Composition()
        self.composition.block_indents = self.tokens.block_indents

    def run(self) -> Composition:
        """Parse the document at the start of the tokens."""
        if not self._start():
            return self.composition
        self._parse()
        root = self.holder.children[0]
        self._check_end()
        if self.infinite:
            self._check_infinite(root)
        if self.aliased:
            self._check_aliasing(root)
        self.composition.root = root
        return self.composition

    # Start and end of the document.

    def _start(self) -> bool:
        """Pass over directives and `---`; return whether there is a document."""
        items = self.tokens.items
        seen_version = False
        while items[self.index][0] in (scanner.VERSION, scanner.TAG_DIRECTIVE):
            kind, start, end, value, _ = items[self.index]
            assert isinstance(value, tuple)
            if kind == scanner.VERSION:
                if seen_version:
                    raise TextError("a second %YAML directive", start, end, hint="remove it")
                if value != ("1", "1"):
                    raise TextError(
                        f"YAML {value[0]}.{value[1]} is not what Kubernetes reads: it accepts YAML 1.1 only",
                        start,
                        end,
                        hint="remove the directive, or write `%YAML 1.1`",
                    )
                seen_version = True
            elif value[0] in self.handles:
                raise TextError(f"a second %TAG directive for `{value[0]}`", start, end, hint="remove it")
            else:
                self.handles[value[0]] = value[1]
            self.index += 1
        kind, start, end, _, _ = items[self.index]
        if kind == scanner.ERROR:
            self._fail()
        if self.index and kind != scanner.DOCUMENT_START:
            if kind == scanner.STREAM_END:
                start, end = items[0][1:3]
            raise TextError("expected `---` after the directives", start, max(end, start + 1), hint="add a line `---`")
        if kind == scanner.STREAM_END:
            return False
        self.handles.setdefault("!", "!")
        self.handles.setdefault("!!", _CORE)
        if kind == scanner.DOCUMENT_START:
            self.index += 1
        return True

    def _check_end(self) -> None:
        """Find out what stands behind the document, and whether go-yaml would have stumbled over it."""
        tokens = self.tokens
        kind, start, end, _, _ = tokens.items[self.index]
        if kind == scanner.ERROR or (tokens.waiting and min(tokens.waiting) <= self.index):
            self._fail()
        if kind == scanner.DOCUMENT_END:
            rest = scanner.first_content(self.text, end)
            if rest is not None:
                self.composition.rest = rest
        elif kind != scanner.STREAM_END:
            self.composition.rest = start

    def _fail(self) -> None:
        error = self.tokens.error
        assert error is not None
        raise error

    # The grammar.

    def _parse(self) -> None:
        items = self.tokens.items
        frames = self.frames
        node = self.holder
        state = self._node(node, True, False, _END)
        if frames:
            node = frames[-1][0]
        while state != _END:
            kind, start, end, _, _ = items[self.index]
            if kind == scanner.ERROR:
                self._fail()
            if state == _BLOCK_KEY:
                if kind == scanner.KEY:
                    self.index += 1
                    state = self._entry(node, end, _BLOCK_VALUE, start)
                elif kind == scanner.BLOCK_END:
                    self.index += 1
                    state = self._close(node.children[-1].end)
                else:
                    raise self._unexpected(kind, start, end, node)
            elif state == _BLOCK_VALUE:
                if kind == scanner.VALUE:
                    self.index += 1
                    state = self._entry(node, end, _BLOCK_KEY, end)
                else:
                    self._empty(node, start)
                    state = _BLOCK_KEY
            elif state in (_BLOCK_ITEM, _INDENTLESS_ITEM):
                if kind == scanner.ENTRY:
                    self.index += 1
                    following = items[self.index][0]
                    if following == scanner.ERROR:
                        self._fail()
                    if (
                        following == scanner.ENTRY
                        or following == scanner.BLOCK_END
                        or (state == _INDENTLESS_ITEM and following in (scanner.KEY, scanner.VALUE))
                    ):
                        self._empty(node, end)
                    else:
                        state = self._node(node, True, False, state)
                elif state == _INDENTLESS_ITEM:
                    state = self._close(node.children[-1].end)
                elif kind == scanner.BLOCK_END:
                    self.index += 1
                    state = self._close(node.children[-1].end)
                else:
                    raise self._unexpected(kind, start, end, node)
            elif state in (_FLOW_FIRST_ITEM, _FLOW_ITEM):
                if kind != scanner.FLOW_SEQUENCE_END and state == _FLOW_ITEM:
                    if kind != scanner.COMMA:
                        raise self._unexpected_in_flow(kind, start, end, node, "]")
                    self.index += 1
                    kind, start, end, _, _ = items[self.index]
                if kind == scanner.ERROR:
                    self._fail()
                if kind == scanner.KEY:
                    self.index += 1
                    pair = Node(MAPPING, start, end, None, "{")
                    frames.append((pair, _FLOW_ITEM))
                    self._check_depth(start)
                    state = _PAIR_KEY
                elif kind == scanner.FLOW_SEQUENCE_END:
                    self.index += 1
                    state = self._close(end)
                else:
                    state = self._node(node, False, False, _FLOW_ITEM)
            elif state in (_FLOW_FIRST_KEY, _FLOW_KEY):
                if kind != scanner.FLOW_MAP_END and state == _FLOW_KEY:
                    if kind != scanner.COMMA:
                        raise self._unexpected_in_flow(kind, start, end, node, "}")
                    self.index += 1
                    kind, start, end, _, _ = items[self.index]
                if kind == scanner.ERROR:
                    self._fail()
                if kind == scanner.KEY:
                    self.index += 1
                    kind, start, end, _, _ = items[self.index]
                    if kind == scanner.ERROR:
                        self._fail()
                    if kind in (scanner.VALUE, scanner.COMMA, scanner.FLOW_MAP_END):
                        self._empty(node, start)
                        state = _FLOW_VALUE
                    else:
                        state = self._node(node, False, False, _FLOW_VALUE)
                elif kind == scanner.FLOW_MAP_END:
                    self.index += 1
                    state = self._close(end)
                else:
                    state = self._node(node, False, False, _FLOW_NO_VALUE)
            elif state == _FLOW_VALUE:
                if kind == scanner.VALUE:
                    self.index += 1
                    kind, start, end, _, _ = items[self.index]
                    if kind == scanner.ERROR:
                        self._fail()
                    if kind not in (scanner.COMMA, scanner.FLOW_MAP_END):
                        state = self._node(node, False, False, _FLOW_KEY)
                        node = frames[-1][0]
                        continue
                    start = items[self.index - 1][2]
                self._empty(node, start)
                state = _FLOW_KEY
            elif state == _FLOW_NO_VALUE:
                self._empty(node, node.children[-1].end)
                state = _FLOW_KEY
            elif state == _PAIR_KEY:
                if kind in (scanner.VALUE, scanner.COMMA, scanner.FLOW_SEQUENCE_END):
                    # go-yaml swallows the token here, whatever it is.
                    self.index += 1
                    self._empty(node, start)
                    state = _PAIR_VALUE
                else:
                    state = self._node(node, False, False, _PAIR_VALUE)
            elif state == _PAIR_VALUE:
                if kind == scanner.VALUE:
                    self.index += 1
                    kind, start, _, _, _ = items[self.index]
                    if kind == scanner.ERROR:
                        self._fail()
                    if kind not in (scanner.COMMA, scanner.FLOW_SEQUENCE_END):
                        state = self._node(node, False, False, _PAIR_END)
                        node = frames[-1][0]
                        continue
                    start = items[self.index - 1][2]
                self._empty(node, start)
                state = _PAIR_END
            else:
                state = self._close(node.children[-1].end)
            if state != _END:
                node = frames[-1][0]

    def _entry(self, node: Node, end: int, state: int, place: int) -> int:
        """Read the key behind `? ` or the value behind `:` of a block mapping; either may be missing."""
        kind = self.tokens.items[self.index][0]
        if kind == scanner.KEY or kind == scanner.VALUE or kind == scanner.BLOCK_END:
            self._empty(node, place)
            return state
        return self._node(node, True, True, state)

    def _empty(self, parent: Node, place: int) -> None:
        parent.children.append(Node(SCALAR, place, place, None, ""))

    def _node(self, parent: Node, block: bool, indentless: bool, state: int) -> int:
        """Read a node with its anchor and tag; return the parser's next state."""
        items = self.tokens.items
        kind, start, end, value, style = items[self.index]
        if kind == scanner.SCALAR:
            self.index += 1
            assert isinstance(value, str)
            if style:
                node = Node(SCALAR, start, end, value, style)
                node.key = value
            else:
                node = self._plain(value, start, end)
            parent.children.append(node)
            return state
        anchor: str | None = None
        tag: str | None = None
        first, last = start, end
        if kind == scanner.ALIAS:
            assert isinstance(value, str)
            self.index += 1
            parent.children.append(self._alias(value, start, end))
            return state
        properties = (scanner.ANCHOR, scanner.TAG)
        while kind in properties:
            if kind == scanner.ANCHOR:
                if anchor is not None:
                    break
                assert isinstance(value, str)
                anchor = value
            else:
                if tag is not None:
                    break
                assert isinstance(value, tuple)
                tag = self._full_tag(value, start, end)
            last = end
            self.index += 1
            kind, start, end, value, style = items[self.index]
        if kind == scanner.ERROR:
            self._fail()
        if kind == scanner.SCALAR:
            self.index += 1
            assert isinstance(value, str)
            node = self._tagged(tag, value, start, end, style) if tag else self._untagged(value, start, end, style)
            parent.children.append(node)
            if anchor is not None:
                self.anchors[anchor] = node
            return state
        if kind == scanner.ENTRY and indentless:
            node, inner = Node(SEQUENCE, start, end, None, "-"), _INDENTLESS_ITEM
        elif kind == scanner.FLOW_SEQUENCE:
            node, inner = Node(SEQUENCE, start, end, None, "["), _FLOW_FIRST_ITEM
            self.index += 1
        elif kind == scanner.FLOW_MAP:
            node, inner = Node(MAPPING, start, end, None, "{"), _FLOW_FIRST_KEY
            self.index += 1
        elif kind == scanner.BLOCK_SEQUENCE and block:
            node, inner = Node(SEQUENCE, start, end, None, "-"), _BLOCK_ITEM
            self.index += 1
        elif kind == scanner.BLOCK_MAP and block:
            node, inner = Node(MAPPING, start, end, None, ":"), _BLOCK_KEY
            self.index += 1
        elif anchor is not None or tag is not None:
            node = self._tagged(tag, "", first, last, "") if tag else Node(SCALAR, first, last, None, "")
            parent.children.append(node)
            if anchor is not None:
                self.anchors[anchor] = node
            return state
        elif parent is self.holder and self.index and kind in _AFTER_DOCUMENT:
            self._empty(parent, start)
            return state
        else:
            raise self._no_node(kind, start, end, parent)
        if anchor is not None:
            self.anchors[anchor] = node
        self.frames.append((node, state))
        self._check_depth(start)
        return inner

    def _check_depth(self, start: int) -> None:
        if len(self.frames) > scanner.MAX_DEPTH:
            raise TextError(f"more than {scanner.MAX_DEPTH:,} nested levels", start, kind="too-deep")

    # Scalars.

    def _plain(self, value: str, start: int, end: int) -> Node:
        data = resolve(value)
        node = Node(SCALAR, start, end, data, "")
        if data is value:
            node.key = value
            node.merge = value == "<<"
        elif data is not None:
            node.key = key_text(data)
            if isinstance(data, float):
                node.data = json_number(data)
                if not math.isfinite(data):
                    self.infinite.append(node)
        return node

    def _untagged(self, value: str, start: int, end: int, style: str) -> Node:
        if not style:
            return self._plain(value, start, end)
        node = Node(SCALAR, start, end, value, style)
        node.key = value
        return node

    def _full_tag(self, value: tuple[str, str], start: int, end: int) -> str:
        handle, suffix = value
        if not handle:
            return suffix
        prefix = self.handles.get(handle)
        if prefix is None or not prefix + suffix:
            raise TextError(
                f"the tag handle `{handle}` is not declared",
                start,
                end,
                hint="a value that starts with `!` is a tag: quote it",
            )
        return prefix + suffix

    def _tagged(self, tag: str, value: str, start: int, end: int, style: str) -> Node:
        node = Node(SCALAR, start, end, value, style)
        node.key = value
        short = tag[len(_CORE) :] if tag.startswith(_CORE) else ""
        node.merge = value == "<<" and (tag == "!" or short == "merge")
        if short == "binary":
            node.data = node.key = self._binary(value, start, end)
        elif short in ("bool", "int", "float", "null", "timestamp"):
            data = resolve(value) if value != "<<" else value
            if short == "float" and type(data) is int and data < 2**63:
                data = float(data)
            named = (
                (short == "null" and data is None)
                or (short == "bool" and isinstance(data, bool))
                or (short == "int" and type(data) is int)
                or (short == "float" and isinstance(data, float))
                or (short == "timestamp" and is_timestamp(value))
            )
            if not named:
                raise TextError(
                    f"`{value[:40]}` is no {short}, which its tag says it is",
                    start,
                    max(end, start + 1),
                    hint="remove the tag",
                )
            node.key = key_text(data)
            node.data = json_number(data) if isinstance(data, float) else data
            if isinstance(data, float) and not math.isfinite(data):
                self.infinite.append(node)
        return node

    def _binary(self, value: str, start: int, end: int) -> str:
        import base64

        bare = value.replace("\n", "").replace("\r", "")
        if not _BASE64.fullmatch(bare):
            raise TextError(
                "a !!binary value must be base64", start, max(end, start + 1), hint="remove the tag !!binary"
            )
        return _go_string(base64.b64decode(bare))

    def _alias(self, name: str, start: int, end: int) -> Node:
        target = self.anchors.get(name)
        if target is None:
            raise TextError(
                f"there is no anchor `&{name}` before this alias",
                start,
                end,
                hint="define the anchor first, or quote a value that starts with `*`",
            )
        if target.depth == 0 and target.kind in (SEQUENCE, MAPPING):
            raise TextError(
                f"the alias `*{name}` stands inside its own anchor",
                start,
                end,
                related=((f"the anchor `&{name}`", target.start, target.end),),
            )
        node = Node(ALIAS, start, end, target.data, target.style)
        node.key = target.key
        node.children.append(target)
        node.size = min(target.size + 1, _MANY_STEPS)
        node.depth = target.depth
        self.aliased += target.size
        # No text that go-yaml accepts lets aliases account for more than this.
        if self.aliased > 1_500_000 + len(self.text) // 8:
            raise self._excessive(start, end)
        return node

    # Ends of collections.

    def _close(self, end: int) -> int:
        """End the innermost collection: give it its value and hand it to its parent."""
        node, state = self.frames.pop()
        node.end = max(end, node.end)
        children = node.children
        if node.kind == SEQUENCE:
            node.data = [child.data for child in children]
        else:
            self._close_mapping(node)
        size, depth = node.size, 0
        for child in children:
            size += child.size
            depth = max(depth, child.depth)
        node.size = min(size, _MANY_STEPS)
        node.depth = depth + 1
        if depth >= scanner.MAX_DEPTH:
            raise TextError(f"more than {scanner.MAX_DEPTH:,} nested levels", node.start, kind="too-deep")
        parent = self.frames[-1][0] if self.frames else None
        (self.holder if parent is None else parent).children.append(node)
        return state

    def _close_mapping(self, node: Node) -> None:
        children = node.children
        keys = children[::2]
        data: dict[str, Json] = {}
        for i, key in enumerate(keys):
            name = key.key
            if name is None or key.merge or name in data:
                break
            data[name] = children[2 * i + 1].data
        else:
            node.data = data
            return
        node.data = self._awkward_mapping(node)
        # A merge key, and a list of what it merges, are no steps of their own to go-yaml.
        for key, value in zip(keys, children[1::2], strict=True):
            if key.merge:
                node.size -= 2 if value.kind == SEQUENCE else 1

    def _awkward_mapping(self, node: Node) -> dict[str, Json]:
        """Build a mapping that has merge keys, duplicate keys or keys that JSON cannot have."""
        data: dict[str, Json] = {}
        own: dict[str, Node] = {}
        children = node.children
        path = self._path()
        for i in range(0, len(children), 2):
            key, value = children[i], children[i + 1]
            if key.merge:
                # go-yaml works in the order of the text: what is merged later overrides what stands before.
                for source in merge_sources(value):
                    assert isinstance(source.data, dict)
                    data.update(source.data)
                continue
            name = key.key
            if name is None:
                if len(self.composition.problems) < _MOST_PROBLEMS:
                    self._problem(_bad_key(key), path)
                continue
            if name in own and len(self.composition.problems) < _MOST_PROBLEMS:
                first = own[name]
                error = TextError(
                    f"the key {_quote(name)} occurs twice",
                    key.start,
                    max(key.end, key.start + 1),
                    kind="duplicate-key",
                    hint="remove one of the two: kubectl silently keeps the last",
                    related=((f"the first {_quote(name)}", first.start, first.end),),
                )
                self._problem(error, (*path, name))
            own[name] = key
            data[name] = value.data
        return data

    def _problem(self, error: TextError, path: Path) -> None:
        self.composition.problems.append((error, path))

    def _path(self) -> Path:
        """Return the path of the collection that has just ended."""
        path: list[str | int] = []
        for node, _ in self.frames:
            if node.kind == SEQUENCE:
                path.append(len(node.children))
            elif len(node.children) % 2:
                path.append(node.children[-1].key or "")
        return tuple(path)

    # What is checked when all is read.

    def _check_infinite(self, root: Node) -> None:
        """Report the values .inf and .nan, with their paths."""
        wanted = {id(node) for node in self.infinite}
        stack: list[tuple[Node, Path]] = [(root, ())]
        while stack:
            node, path = stack.pop()
            known = node.children[0] if node.kind == ALIAS else node
            if id(known) in wanted and len(self.composition.problems) < _MOST_PROBLEMS:
                error = TextError(
                    f"`{self.text[known.start : known.end]}` has no form in JSON, so Kubernetes cannot take it",
                    node.start,
                    node.end,
                    kind="no-json-form",
                    hint="write a finite number, or quote it",
                )
                self._problem(error, path)
            if node.kind == SEQUENCE:
                stack.extend((child, (*path, i)) for i, child in enumerate(node.children))
            elif node.kind == MAPPING:
                values = zip(node.children[::2], node.children[1::2], strict=True)
                stack.extend((value, (*path, key.key or "")) for key, value in values)

    def _check_aliasing(self, root: Node) -> None:
        """Count go-yaml's decoding steps; refuse what spends too many of them on aliases."""
        steps = 1
        aliased = 0
        stack = [root]
        while stack:
            node = stack.pop()
            steps += 1
            if node.kind == ALIAS:
                size = node.children[0].size
                steps += size
                aliased += size
            if aliased > 100 and steps > 1000 and aliased / steps > _allowed_ratio(steps):
                raise self._excessive(node.start, node.end)
            if node.kind == SEQUENCE:
                stack.extend(reversed(node.children))
            elif node.kind == MAPPING:
                children = node.children
                for i in range(len(children) - 2, -1, -2):
                    if children[i].merge:
                        # Merged maps are decoded from the last to the first.
                        value = children[i + 1]
                        stack.extend(value.children if value.kind == SEQUENCE else (value,))
                    else:
                        stack.append(children[i + 1])
                        stack.append(children[i])

    def _excessive(self, start: int, end: int) -> TextError:
        return TextError(
            "the document contains excessive aliasing: its aliases stand for far more than the text holds",
            start,
            end,
            kind="excessive-aliasing",
            hint="write the values out, or split the document",
        )

    # Errors of the grammar.

    def _unexpected(self, kind: int, start: int, end: int, node: Node) -> TextError:
        """Say what is wrong about a token that neither goes on with a block collection nor ends it."""
        text = self.text
        what = _found(kind, text, start, end)
        end = max(end, start + 1)
        is_mapping = node.kind == MAPPING
        begins = "the mapping starts here" if is_mapping else "the list starts here"
        related = ((begins, node.start, node.start + 1),)
        if kind in (scanner.FLOW_SEQUENCE_END, scanner.FLOW_MAP_END):
            opening = "[" if kind == scanner.FLOW_SEQUENCE_END else "{"
            return TextError(f"{what} has no `{opening}` before it", start, end, hint="remove it, or quote the value")
        line_start = scanner.line_start(text, start)
        if text[line_start:start].strip(" \t-"):
            return TextError(
                f"expected the end of the line behind the value, found {what}",
                start,
                end,
                hint="quote the whole value",
            )
        column = node.start - scanner.line_start(text, node.start)
        if start - line_start != column:
            things = "key" if is_mapping else "list item"
            return TextError(
                f"the indentation of {what} matches no {things} above it",
                start,
                end,
                hint=f"start it in column {column + 1}, like this {'mapping' if is_mapping else 'list'}",
                related=related,
            )
        if not is_mapping:
            return TextError(
                f"expected `- ` for the next item of this list, found {what}",
                start,
                end,
                hint="put `- ` before it, or check the indentation",
                related=related,
            )
        if kind == scanner.SCALAR:
            return TextError(
                f"expected `:` behind the key {what}",
                start,
                end,
                hint="write `key: value`; a value over several lines is indented more than its key",
                related=related,
            )
        return TextError(
            f"expected a key of this mapping, found {what}",
            start,
            end,
            hint="a list stands below a key of its own",
            related=related,
        )

    def _unexpected_in_flow(self, kind: int, start: int, end: int, node: Node, closing: str) -> TextError:
        opening = "[" if closing == "]" else "{"
        if kind in (scanner.STREAM_END, scanner.DOCUMENT_START, scanner.DOCUMENT_END):
            return TextError(
                f"`{opening}` is never closed", node.start, node.start + 1, hint=f"close it with `{closing}`"
            )
        return TextError(
            f"expected `,` or `{closing}`, found {_found(kind, self.text, start, end)}",
            start,
            max(end, start + 1),
            hint=f"separate entries by `,` and close `{opening}` with `{closing}`",
            related=((f"`{opening}` was opened here", node.start, node.start + 1),),
        )

    def _no_node(self, kind: int, start: int, end: int, parent: Node) -> TextError:
        if self.frames and self.frames[-1][0].style in ("[", "{"):
            node = self.frames[-1][0]
            return self._unexpected_in_flow(kind, start, end, node, "]" if node.style == "[" else "}")
        return TextError(
            f"expected a value, found {_found(kind, self.text, start, end)}",
            start,
            max(end, start + 1),
            hint="quote the value if it is meant as text",
        )


def merge_sources(value: Node) -> list[Node]:
    """Return the mappings that a merge key takes in, in the order in which they are taken."""
    sources = value.children[::-1] if value.kind == SEQUENCE else [value]
    for source in sources:
        node = source.children[0] if source.kind == ALIAS else source
        if node.kind != MAPPING:
            raise TextError(
                "a merge key `<<` takes a mapping or a list of mappings",
                source.start,
                max(source.end, source.start + 1),
                hint='quote "<<" if it is meant as a plain key',
            )
    return sources


def _bad_key(key: Node) -> TextError:
    node = key.children[0] if key.kind == ALIAS else key
    if node.kind == SCALAR:
        what = "null cannot be a key" if node.data is None else f"the number {node.data} is too large for a key"
        hint = "quote the key"
    else:
        what = f"a {'list' if node.kind == SEQUENCE else 'mapping'} cannot be a key"
        hint = "quote the key if it is meant as text" + (
            "; `{{` starts a template, which has to be rendered first" if node.style == "{" else ""
        )
    return TextError(what, key.start, max(key.end, key.start + 1), kind="bad-key", hint=hint)


def _quote(text: str) -> str:
    shown = text if len(text) <= 60 else text[:57] + "..."
    return f'"{shown}"'


_NAMES: Final = {
    scanner.VALUE: "`:`",
    scanner.ENTRY: "a list item",
    scanner.BLOCK_SEQUENCE: "a list item",
    scanner.BLOCK_END: "the end of the block",
    scanner.DOCUMENT_START: "the document separator `---`",
    scanner.DOCUMENT_END: "the document end `...`",
    scanner.STREAM_END: "the end of the text",
}


def _found(kind: int, text: str, start: int, end: int) -> str:
    if kind in _NAMES:
        return _NAMES[kind]
    word = text[start : max(end, start + 1)]
    if kind == scanner.KEY or kind == scanner.BLOCK_MAP:
        word = text[start : start + 200].split(":")[0].split("\n")[0]
    first = word.split("\n")[0]
    return f"`{first if len(first) <= 40 else first[:37] + '...'}`"


def _allowed_ratio(steps: int) -> float:
    if steps <= _RATIO_LOW:
        return 0.99
    if steps >= _RATIO_HIGH:
        return 0.10
    return 0.99 - 0.89 * ((steps - _RATIO_LOW) / (_RATIO_HIGH - _RATIO_LOW))


def _go_string(octets: bytes) -> str:
    """Decode as encoding/json prints a Go string: every byte that is not UTF-8 becomes U+FFFD."""
    parts: list[str] = []
    while octets:
        try:
            parts.append(octets.decode())
            break
        except UnicodeDecodeError as error:
            parts.append(octets[: error.start].decode())
            parts.append("\ufffd")
            octets = octets[error.start + 1 :]
    return "".join(parts)


def is_timestamp(text: str) -> bool:
    """Tell whether go-yaml takes `text` for a timestamp."""
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    month, day = int(match[1]), int(match[2])
    year = int(text[:4])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not (1 <= month <= 12 and 1 <= day <= days[month - 1]):
        return False
    clock = [int(part) for part in (match.group(3, 4, 5) if match[3] else match.group(8, 9, 10)) if part]
    return all(part < bound for part, bound in zip(clock, (24, 60, 60), strict=False))
