"""Composes YAML tokens into nodes with their places and their JSON values, as go-yaml v2 does.

Sources: parserc.go and decode.go of go.yaml.in/yaml/v2 v2.4.4 and yaml.go of sigs.k8s.io/yaml v1.6.0. Nothing here
recurses: a collection gets its value when it ends, from the values of its children, and an alias shares the value of
its anchor.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, Final

from dralint.yaml import reading_repairs, tokens
from dralint.yaml.aliasing import check_aliasing, excessive
from dralint.yaml.nodes import ALIAS, MAPPING, SEQUENCE, Composition, Node, Parent, merge_sources
from dralint.yaml.place import TextError
from dralint.yaml.scalars import json_number, key_text, resolve
from dralint.yaml.scanner import Scanner, first_content
from dralint.yaml.syntax_errors import (
    bad_key,
    begins_item,
    control_character,
    duplicate_key,
    missing_separator,
    no_anchor,
    no_node,
    unexpected,
    unexpected_in_flow,
)
from dralint.yaml.tags import CORE, MergeKey, tagged_scalar

if TYPE_CHECKING:
    from dralint.yaml.place import Json, Path

_MANY_STEPS: Final = 1 << 60
_LOOK_AHEAD: Final = 16
"""One step of the parser reads fewer tokens than this."""
_MOST_PROBLEMS: Final = 100
"""The API server collects the same number for one object."""
_MOST_PLAIN: Final = 4096
"""How many plain scalars are remembered with their resolved values."""
_TYPE_META: Final = ("apiVersion", "kind")
# What the parser expects next. One loop reads the states and spells out their steps: a call per token makes flow style
# an eighth slower.
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
    tokens.STREAM_END,
    tokens.DOCUMENT_END,
    tokens.DOCUMENT_START,
    tokens.VERSION,
    tokens.TAG_DIRECTIVE,
)


def compose(text: str) -> Composition:
    """Compose the one document in `text`.

    Raises TextError where go-yaml finds bad syntax, an unknown anchor, an impossible tag, too many aliases or too much
    depth. `problems` has what is refused later (duplicate keys, keys and values without a JSON form).
    """
    start = 1 if text.startswith("\ufeff") else 0
    if text.startswith("\ufeff\ufeff"):
        raise TextError("a second byte order mark (U+FEFF)", 1, hint="remove it")
    # go-yaml reads ahead in blocks, so it finds forbidden characters after the end of the document too.
    bad = tokens.forbidden(text)
    composer = _Composer(text, start)
    try:
        composition = composer.run()
    except TextError as error:
        if bad is None or error.start < bad.start():
            raise
        raise control_character(bad) from None
    finally:
        composer.tokens.stop()
    if bad is not None:
        raise control_character(bad)
    return composition


class _Composer:
    __slots__ = (
        "aliased",
        "anchors",
        "composition",
        "depths",
        "frames",
        "handles",
        "holder",
        "index",
        "infinite",
        "plain",
        "text",
        "tokens",
        "unready",
    )

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.tokens = Scanner(text, start)
        self.index = 0
        self.frames: list[tuple[Parent, int]] = []
        # The greatest depth inside of each of them; their own is 0 while they are open.
        self.depths: list[int] = []
        self.unready = 0
        self.handles: dict[str, str] = {}
        self.anchors: dict[str, Node] = {}
        self.aliased = 0
        self.infinite: list[Node] = []
        self.plain: dict[str, tuple[Json, str | None, bool]] = {}
        self.holder = Parent(SEQUENCE, 0, 0, None, "")
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
            check_aliasing(root)
        self.composition.root = root
        return self.composition

    # Start and end of the document.

    def _start(self) -> bool:
        """Skip directives and `---`; return whether there is a document."""
        self._scan(0)
        items = self.tokens.items
        first = items[0]
        seen_version = False
        while items[self.index][0] in (tokens.VERSION, tokens.TAG_DIRECTIVE):
            kind, start, end, value, _ = items[self.index]
            assert isinstance(value, tuple)
            if kind == tokens.VERSION:
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
            if self.index >= self.unready:
                self._scan(0)
        kind, start, end, _, _ = items[self.index]
        if kind == tokens.ERROR:
            self._fail()
        if self.index and kind != tokens.DOCUMENT_START:
            if kind == tokens.STREAM_END:
                start, end = first[1:3]
            raise TextError("expected `---` after the directives", start, max(end, start + 1), hint="add a line `---`")
        if kind == tokens.STREAM_END:
            return False
        self.handles.setdefault("!", "!")
        self.handles.setdefault("!!", CORE)
        if kind == tokens.DOCUMENT_START:
            self.index += 1
        return True

    def _check_end(self) -> None:
        """Find the content after the document, and raise the error that go-yaml would raise for it."""
        self._scan(self.index)
        scanned = self.tokens
        kind, start, end, _, _ = scanned.items[self.index]
        if kind == tokens.ERROR or (scanned.waiting and min(scanned.waiting) <= self.index):
            self._fail()
        self.composition.marked = kind in (tokens.DOCUMENT_END, tokens.DOCUMENT_START)
        if kind == tokens.DOCUMENT_END:
            rest = first_content(self.text, end)
            if rest is not None:
                self.composition.rest = rest
        elif kind != tokens.STREAM_END:
            self.composition.rest = start

    def _scan(self, used: int) -> None:
        """Scan until the parser can make a step, or all is scanned; the first `used` tokens may go."""
        while self.tokens.final <= self.index + _LOOK_AHEAD:
            if not self.tokens.more(used):
                self.unready = sys.maxsize
                return
            self.index -= used
            used = 0
        self.unready = self.tokens.final - _LOOK_AHEAD

    def _fail(self) -> None:
        raise self.tokens.failure()

    # The grammar.

    def _parse(self) -> None:
        """Run go-yaml's parser: `state` is what the innermost open collection expects.

        This is one loop without recursion, because Python's stack must not limit the nesting of a text. Each branch is
        one state. It takes plain keys and values, the usual case, without a call of `_node`.
        """
        items = self.tokens.items
        frames = self.frames
        node = self.holder
        state = self._node(node, True, False, _END)
        if frames:
            node = frames[-1][0]
        while state != _END:
            if self.index >= self.unready:
                self._scan(self.index)
            kind, start, end, _, _ = items[self.index]
            if kind == tokens.ERROR:
                self._fail()
            if state == _BLOCK_KEY:
                if kind == tokens.KEY:
                    kind, key_start, key_end, word, style = items[self.index + 1]
                    if kind == tokens.SCALAR and items[self.index + 2][0] == tokens.VALUE:
                        node.children.append(self._scalar(word, key_start, key_end, style))
                        kind, start, value_end, word, style = items[self.index + 3]
                        if kind == tokens.SCALAR:
                            node.children.append(self._scalar(word, start, value_end, style))
                            self.index += 4
                            continue
                        end = items[self.index + 2][2]
                        self.index += 3
                        state = self._entry(node, end, _BLOCK_KEY, end)
                    else:
                        self.index += 1
                        state = self._entry(node, end, _BLOCK_VALUE, start)
                elif kind == tokens.BLOCK_END:
                    self.index += 1
                    state = self._close(node.children[-1].end)
                else:
                    raise unexpected(self.text, kind, start, end, node)
            elif state == _BLOCK_VALUE:
                if kind == tokens.VALUE:
                    self.index += 1
                    state = self._entry(node, end, _BLOCK_KEY, end)
                else:
                    self._empty(node, start)
                    state = _BLOCK_KEY
            elif state in (_BLOCK_ITEM, _INDENTLESS_ITEM):
                if kind == tokens.ENTRY:
                    self.index += 1
                    following = items[self.index][0]
                    if following == tokens.ERROR:
                        self._fail()
                    if (
                        following == tokens.ENTRY
                        or following == tokens.BLOCK_END
                        or (state == _INDENTLESS_ITEM and following in (tokens.KEY, tokens.VALUE))
                    ):
                        self._empty(node, end)
                    else:
                        state = self._node(node, True, False, state)
                elif state == _INDENTLESS_ITEM:
                    state = self._close(node.children[-1].end)
                elif kind == tokens.BLOCK_END:
                    self.index += 1
                    state = self._close(node.children[-1].end)
                else:
                    raise unexpected(self.text, kind, start, end, node)
            elif state in (_FLOW_FIRST_ITEM, _FLOW_ITEM):
                if kind != tokens.FLOW_SEQUENCE_END and state == _FLOW_ITEM:
                    if kind != tokens.COMMA:
                        raise unexpected_in_flow(self.text, kind, start, end, node)
                    self.index += 1
                    kind, start, end, _, _ = items[self.index]
                if kind == tokens.ERROR:
                    self._fail()
                if kind == tokens.SCALAR:
                    _, _, _, word, style = items[self.index]
                    self.index += 1
                    node.children.append(self._scalar(word, start, end, style))
                    state = _FLOW_ITEM
                    continue
                if kind == tokens.KEY:
                    self.index += 1
                    pair = Parent(MAPPING, start, end, None, "{")
                    frames.append((pair, _FLOW_ITEM))
                    self.depths.append(0)
                    self._check_depth(start)
                    state = _PAIR_KEY
                elif kind == tokens.FLOW_SEQUENCE_END:
                    self.index += 1
                    state = self._close(end)
                else:
                    state = self._node(node, False, False, _FLOW_ITEM)
            elif state in (_FLOW_FIRST_KEY, _FLOW_KEY):
                if kind != tokens.FLOW_MAP_END and state == _FLOW_KEY:
                    if kind != tokens.COMMA:
                        raise unexpected_in_flow(self.text, kind, start, end, node)
                    self.index += 1
                    kind, start, end, _, _ = items[self.index]
                if kind == tokens.ERROR:
                    self._fail()
                if kind == tokens.KEY:
                    self.index += 1
                    kind, start, end, _, _ = items[self.index]
                    if kind == tokens.ERROR:
                        self._fail()
                    if kind == tokens.SCALAR:
                        _, _, _, word, style = items[self.index]
                        self.index += 1
                        node.children.append(self._scalar(word, start, end, style))
                        state = _FLOW_VALUE
                        if items[self.index][0] == tokens.VALUE and items[self.index + 1][0] == tokens.SCALAR:
                            _, start, end, word, style = items[self.index + 1]
                            self.index += 2
                            node.children.append(self._scalar(word, start, end, style))
                            state = _FLOW_KEY
                        continue
                    if kind in (tokens.VALUE, tokens.COMMA, tokens.FLOW_MAP_END):
                        self._empty(node, start)
                        state = _FLOW_VALUE
                    else:
                        state = self._node(node, False, False, _FLOW_VALUE)
                elif kind == tokens.FLOW_MAP_END:
                    self.index += 1
                    state = self._close(end)
                else:
                    state = self._node(node, False, False, _FLOW_NO_VALUE)
            elif state in (_FLOW_VALUE, _PAIR_VALUE):
                behind, closing = (
                    (_FLOW_KEY, tokens.FLOW_MAP_END) if state == _FLOW_VALUE else (_PAIR_END, tokens.FLOW_SEQUENCE_END)
                )
                if kind == tokens.VALUE:
                    self.index += 1
                    kind, start, _, _, _ = items[self.index]
                    if kind == tokens.ERROR:
                        self._fail()
                    if kind not in (tokens.COMMA, closing):
                        state = self._node(node, False, False, behind)
                        node = frames[-1][0]
                        continue
                    start = items[self.index - 1][2]
                self._empty(node, start)
                state = behind
            elif state == _FLOW_NO_VALUE:
                self._empty(node, node.children[-1].end)
                state = _FLOW_KEY
            elif state == _PAIR_KEY:
                if kind in (tokens.VALUE, tokens.COMMA, tokens.FLOW_SEQUENCE_END):
                    # go-yaml skips the token here, whatever it is.
                    self.index += 1
                    self._empty(node, start)
                    state = _PAIR_VALUE
                else:
                    state = self._node(node, False, False, _PAIR_VALUE)
            else:
                state = self._close(node.children[-1].end)
            if state != _END:
                node = frames[-1][0]

    def _entry(self, node: Parent, end: int, state: int, place: int) -> int:
        """Read the key after `? ` or the value after `:` of a block mapping; either may be missing."""
        kind = self.tokens.items[self.index][0]
        if kind == tokens.KEY or kind == tokens.VALUE or kind == tokens.BLOCK_END:
            self._empty(node, place)
            return state
        return self._node(node, True, True, state)

    def _empty(self, parent: Node, place: int) -> None:
        parent.children.append(Node(place, place, None, ""))

    def _node(self, parent: Parent, block: bool, indentless: bool, state: int) -> int:
        """Read a node with its anchor and tag; return the parser's next state.

        A scalar or an alias is read at once, and the state stays. A collection is only opened, and its state returned;
        `frames` has the state after it. `block` and `indentless` say which collections may begin here.
        """
        items = self.tokens.items
        kind, start, end, value, style = items[self.index]
        if kind == tokens.SCALAR:
            self.index += 1
            assert isinstance(value, str)
            parent.children.append(self._scalar(value, start, end, style))
            return state
        anchor: str | None = None
        tag: str | None = None
        first, last = start, end
        if kind == tokens.ALIAS:
            assert isinstance(value, str)
            self.index += 1
            alias = self._alias(value, start, end)
            parent.children.append(alias)
            parent.size += alias.size - 1
            if self.depths:
                self.depths[-1] = max(self.depths[-1], alias.depth)
            return state
        properties = (tokens.ANCHOR, tokens.TAG)
        while kind in properties:
            if kind == tokens.ANCHOR:
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
        if kind == tokens.ERROR:
            self._fail()
        if kind == tokens.SCALAR:
            self.index += 1
            assert isinstance(value, str)
            node = self._tagged(tag, value, start, end, style) if tag else self._scalar(value, start, end, style)
            parent.children.append(node)
            if anchor is not None:
                self.anchors[anchor] = node
            return state
        if kind == tokens.ENTRY and indentless:
            node, inner = Parent(SEQUENCE, start, end, None, "-"), _INDENTLESS_ITEM
        elif kind == tokens.FLOW_SEQUENCE:
            node, inner = Parent(SEQUENCE, start, end, None, "["), _FLOW_FIRST_ITEM
            self.index += 1
        elif kind == tokens.FLOW_MAP:
            node, inner = Parent(MAPPING, start, end, None, "{"), _FLOW_FIRST_KEY
            self.index += 1
        elif kind == tokens.BLOCK_SEQUENCE and block:
            node, inner = Parent(SEQUENCE, start, end, None, "-"), _BLOCK_ITEM
            self.index += 1
        elif kind == tokens.BLOCK_MAP and block:
            node, inner = Parent(MAPPING, start, end, None, ":"), _BLOCK_KEY
            self.index += 1
        elif anchor is not None or tag is not None:
            node = self._tagged(tag, "", first, last, "") if tag else Node(first, last, None, "")
            parent.children.append(node)
            if anchor is not None:
                self.anchors[anchor] = node
            return state
        elif parent is self.holder and self.index and kind in _AFTER_DOCUMENT:
            self._empty(parent, start)
            return state
        else:
            if self.frames and self.frames[-1][0].style in ("[", "{"):
                raise unexpected_in_flow(self.text, kind, start, end, self.frames[-1][0])
            raise no_node(self.text, kind, start, end)
        if anchor is not None:
            self.anchors[anchor] = node
        self.frames.append((node, state))
        self.depths.append(0)
        self._check_depth(start)
        return inner

    def _check_depth(self, start: int) -> None:
        if len(self.frames) > tokens.MAX_DEPTH:
            raise TextError(f"more than {tokens.MAX_DEPTH:,} nested levels", start, kind="too-deep")

    # Scalars.

    def _scalar(self, value: Any, start: int, end: int, style: str) -> Node:
        node = Node(start, end, value, style)
        if style:
            node.key = value
            return node
        if value == "<<":
            node = MergeKey(start, end, value, style)
        known = self.plain.get(value)
        if known is None:
            known = self._resolved(value)
            if len(self.plain) < _MOST_PLAIN:
                self.plain[value] = known
        node.data, node.key, infinite = known
        if infinite:
            self.infinite.append(node)
        return node

    def _resolved(self, value: str) -> tuple[Json, str | None, bool]:
        """Return the value of a plain scalar, its form as a key, and whether JSON has no form for it."""
        data = resolve(value)
        if data is value:
            return value, value, False
        if isinstance(data, float):
            return json_number(data), key_text(data), not math.isfinite(data)
        return data, None if data is None else key_text(data), False

    def _full_tag(self, value: tuple[str, str], start: int, end: int) -> str:
        handle, suffix = value
        if not handle:
            return suffix
        prefix = self.handles.get(handle)
        if prefix is None or not prefix + suffix:
            edits = reading_repairs.rest_quoted(self.text, start)
            hint = f"a value that starts with `!` is a tag; {reading_repairs.quote_it(edits)}"
            raise TextError(f"the tag handle `{handle}` is not declared", start, end, hint=hint, edits=edits)
        return prefix + suffix

    def _tagged(self, tag: str, value: str, start: int, end: int, style: str) -> Node:
        node = tagged_scalar(tag, value, start, end, style)
        if isinstance(node.data, float) and not math.isfinite(node.data):
            self.infinite.append(node)
        return node

    def _alias(self, name: str, start: int, end: int) -> Node:
        target = self.anchors.get(name)
        if target is None:
            raise no_anchor(self.text, name, start, end, self.anchors)
        if target.depth == 0 and target.kind in (SEQUENCE, MAPPING):
            raise TextError(
                f"the alias `*{name}` is inside its own anchor",
                start,
                end,
                related=((f"the anchor `&{name}`", target.start, target.end),),
            )
        node = Parent(ALIAS, start, end, target.data, target.style)
        node.key = target.key
        node.children.append(target)
        node.size = min(target.size + 1, _MANY_STEPS)
        node.depth = target.depth
        self.aliased += target.size
        # go-yaml accepts no text in which aliases account for more than this.
        if self.aliased > 1_500_000 + len(self.text) // 8:
            raise excessive(start, end)
        return node

    # Ends of collections.

    def _close(self, end: int) -> int:
        """End the innermost collection: give it its value and hand it to its parent."""
        node, state = self.frames.pop()
        node.ends(max(end, node.end))
        node.children = children = node.children[:]  # without room for more
        if node.kind == SEQUENCE:
            node.data = [child.data for child in children]
        else:
            self._close_mapping(node)
        node.size = min(node.size + len(children), _MANY_STEPS)
        depth = self.depths.pop()
        node.depth = depth + 1
        if depth >= tokens.MAX_DEPTH:
            raise TextError(f"more than {tokens.MAX_DEPTH:,} nested levels", node.start, kind="too-deep")
        if self.frames:
            parent = self.frames[-1][0]
            parent.size += node.size - 1
            if depth >= self.depths[-1]:
                self.depths[-1] = depth + 1
        else:
            parent = self.holder
        parent.children.append(node)
        return state

    def _close_mapping(self, node: Parent) -> None:
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
        # To go-yaml, a merge key and a list of merged mappings are not steps of their own.
        for key, value in zip(keys, children[1::2], strict=True):
            if key.merge:
                node.size -= 2 if value.kind == SEQUENCE else 1

    def _awkward_mapping(self, node: Node) -> dict[str, Json]:
        """Build a mapping that has merge keys, duplicate keys or keys that JSON cannot have."""
        data: dict[str, Json] = {}
        own: dict[tuple[str, type], Node] = {}
        children = node.children
        again = False
        for i in range(0, len(children), 2):
            key, value = children[i], children[i + 1]
            if key.merge:
                # go-yaml works in the order of the text: a later merge overrides earlier entries.
                for source in merge_sources(value):
                    assert isinstance(source.data, dict)
                    data.update(source.data)
                continue
            name = key.key
            if name is None:
                if len(self.composition.problems) < _MOST_PROBLEMS:
                    self._problem(bad_key(key), self._path())
                continue
            # 1 and "1" are the same key only in JSON, where go-yaml does not look for duplicates.
            same = (name, self._type_of_key(key))
            if same in own and not again and len(self.composition.problems) < _MOST_PROBLEMS:
                again = begins_item(self.text, node, key)  # what follows belongs to an item without its dash
                self._problem(duplicate_key(self.text, node, name, key, own[same]), (*self._path(), name))
            own[same] = key
            data[name] = value.data
        if not self.frames:
            self._missing_separators(children[::2], data)
        return data

    def _type_of_key(self, key: Node) -> type:
        """Return the type by which go-yaml compares a key; an integral float is not the integer."""
        node = key.children[0] if key.kind == ALIAS else key
        if type(node.data) is int and isinstance(resolve(self.text[node.start : node.end]), float):
            return float
        return type(node.data)

    def _missing_separators(self, keys: list[Node], data: dict[str, Json]) -> None:
        """Where whole objects follow each other in one mapping, replace their duplicate keys by one problem."""
        names = [key.key for key in keys if key.key in _TYPE_META]
        if len(names) < 4 or set(names[:2]) != set(_TYPE_META) or names != (names[:2] * len(names))[: len(names)]:
            return
        own = {(name,) for name in data}
        others = [found for found in self.composition.problems if found[1] not in own]
        starts = [key for key in keys if key.key == names[0]]
        missing: list[tuple[TextError, Path]] = [
            (missing_separator(key, starts[0]), (str(names[0]),)) for key in starts[1:_MOST_PROBLEMS]
        ]
        self.composition.problems = [*others, *missing]

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

    # Checks after reading.

    def _check_infinite(self, root: Node) -> None:
        """Report the values .inf and .nan, with their paths."""
        wanted = {id(node) for node in self.infinite}
        stack: list[tuple[Node, Path]] = [(root, ())]
        while stack:
            node, path = stack.pop()
            known = node.children[0] if node.kind == ALIAS else node
            if id(known) in wanted and len(self.composition.problems) < _MOST_PROBLEMS:
                error = TextError(
                    f"`{self.text[known.start : known.end]}` cannot be written in JSON, so Kubernetes cannot accept it",
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
