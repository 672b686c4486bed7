"""Reads YAML into nodes with their places and JSON values: libyaml's events, with the values of Kubernetes."""

from __future__ import annotations

import base64
import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from yaml import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    MarkedYAMLError,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from yaml._yaml import CParser

from dralint.yaml import syntax_errors
from dralint.yaml.nodes import (
    ALIAS,
    BREAKS,
    MAPPING,
    MAX_DEPTH,
    MOST_LEVELS,
    SEQUENCE,
    Composition,
    MergeKey,
    Node,
    Parent,
    TextError,
    entries,
    line_start,
    merge_sources,
)
from dralint.yaml.scalars import decode_escapes, json_number, key_text, resolve

if TYPE_CHECKING:
    from dralint.yaml.nodes import Json, Path


CORE = "tag:yaml.org,2002:"
_BASE64 = re.compile("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_DATE = re.compile(
    r"[0-9]{4}-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[-+]([0-9]{2}):([0-9]{2}))"
    r"| ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?)?"
)


def tagged_scalar(tag: str, value: str, start: int, end: int, style: str) -> Node:
    """Return the scalar `value` with its tag applied; raises TextError where go-yaml does."""
    short = tag[len(CORE) :] if tag.startswith(CORE) else ""
    is_merge = value == "<<" and (tag == "!" or short == "merge")
    node = (MergeKey if is_merge else Node)(start, end, value, style)
    node.key = value
    if short == "binary":
        node.data = node.key = _binary(value, start, end)
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
            message = f"`{value[:40]}` is not of the type {short}, although its tag says so"
            raise TextError(message, start, end, hint="remove the tag")
        node.key = key_text(data)
        node.data = json_number(data) if isinstance(data, float) else data
    return node


def _binary(value: str, start: int, end: int) -> str:
    bare = value.replace("\n", "").replace("\r", "")
    if not _BASE64.fullmatch(bare):
        raise TextError("a !!binary value must be base64", start, end, hint="remove the tag !!binary")
    return _go_string(base64.b64decode(bare))


def _go_string(octets: bytes) -> str:
    """Decode as encoding/json prints a Go string: every byte that is not UTF-8 becomes U+FFFD."""
    return re.sub("[\udc80-\udcff]", "\ufffd", octets.decode("utf-8", "surrogateescape"))


def is_timestamp(text: str) -> bool:
    """Say whether go-yaml reads `text` as a timestamp."""
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


_RATIO_LOW = 400_000
_RATIO_HIGH = 4_000_000


def check_aliasing(root: Node) -> None:
    """Count go-yaml's decoding steps; raise TextError when aliases cause too many of them."""
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
            raise excessive(node.start, node.end)
        if node.kind == SEQUENCE:
            stack.extend(reversed(node.children))
        elif node.kind == MAPPING:
            children = node.children
            for i in range(len(children) - 2, -1, -2):
                if children[i].merge:
                    # go-yaml decodes merged maps from the last to the first.
                    value = children[i + 1]
                    stack.extend(value.children if value.kind == SEQUENCE else (value,))
                else:
                    stack.append(children[i + 1])
                    stack.append(children[i])


def excessive(start: int, end: int) -> TextError:
    """Return the message about too many aliases."""
    return TextError(
        "the aliases of the document expand to far more text than it contains: the server refuses excessive aliasing",
        start,
        end,
        kind="excessive-aliasing",
        hint="write the values out, or split the document",
    )


def _allowed_ratio(steps: int) -> float:
    if steps <= _RATIO_LOW:
        return 0.99
    if steps >= _RATIO_HIGH:
        return 0.10
    return 0.99 - 0.89 * ((steps - _RATIO_LOW) / (_RATIO_HIGH - _RATIO_LOW))


_MANY_STEPS = 1 << 60
_MOST_NODES = 1_500_000
_MOST_PROBLEMS = 100
"""The API server collects the same number for one object."""
_MOST_READINGS = 40
"""How often a text is read again with another stand-in."""
_TYPE_META = ("apiVersion", "kind")
_GAP = re.compile(f"[ \t{BREAKS}]*(?:#[^{BREAKS}]*[{BREAKS}][ \t{BREAKS}]*)*")
_ANCHOR = re.compile("&[0-9A-Za-z_-]+")
_TAG = re.compile(r"!<[^>]*>|!(?:[0-9A-Za-z_\-;/?:@&=+$,.!~*'()\[\]]|%[0-9a-fA-F]{2})*")
_FLOW_MARK = re.compile(r"[,\[\]]")
_SEPARATOR = re.compile(f"---(?=[ \t{BREAKS}]|\\Z)")
_QUOTED = re.compile(r'"(?>(?:[^"\\]++|\\.)*)"?', re.DOTALL)
_LINE_END = re.compile(f"\r\n|[{BREAKS}]")
_HEADER = re.compile(r"[|>][-+0-9]*")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_WORD_COLON = re.compile(r"(?<![^\s,\[\]{}])([\w.-]+):(?=[,?\[\]{}])")

_FORBIDDEN_ASCII = r"[^\t\n\r -~]"
_FORBIDDEN = r"[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def compose(text: str) -> Composition:
    """Compose the one document in `text`.

    Raises TextError where go-yaml finds bad syntax, an unknown anchor, an impossible tag, too many aliases or too much
    depth. `problems` has what is refused later (duplicate keys, keys and values without a JSON form).
    """
    start = 1 if text.startswith("\ufeff") else 0
    if text.startswith("\ufeff\ufeff"):
        raise TextError("a second byte order mark (U+FEFF)", 1, hint="remove it")
    # go-yaml reads ahead in blocks, so it finds forbidden characters after the end of the document too.
    bad = _forbidden(text)
    try:
        composition = _compared(text, start)
    except TextError as error:
        if bad is None or error.start < bad.start():
            raise
    else:
        if bad is None:
            return composition
    raise syntax_errors.control_character(bad)


def _forbidden(text: str) -> re.Match[str] | None:
    """Return the first character that YAML 1.1 does not allow anywhere."""
    if text.isascii():
        return re.search(_FORBIDDEN_ASCII, text)
    return re.search(_FORBIDDEN, text)


@lru_cache(maxsize=4096)
def _resolved(value: str) -> tuple[Json, str | None, bool]:
    """Return the value of a plain scalar, its form as a key, and whether JSON has no form for it."""
    data = resolve(value)
    if isinstance(data, float):
        return json_number(data), key_text(data), not math.isfinite(data)
    return data, key_text(data), False


class _ReadAgainError(Exception):
    """Raised where libyaml must read another text to find what go-yaml finds in this one."""


class _Readable:
    """The text that libyaml reads: as long as the original, with stand-ins for characters that it reads otherwise."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start
        self.readable = text[start:]
        self.originals: dict[int, str] = {}
        self._free = (code for code in range(0xE000, 0xF8FF) if chr(code) not in text)
        self.colon = self.escape = ""
        if "\ufeff" in self.readable:
            self.readable = self.readable.replace("\ufeff", self._stand_in("\ufeff"))
        if _forbidden(self.readable) is not None:
            self.readable = "".join("\ufffd" if _forbidden(char) else char for char in self.readable)

    def _stand_in(self, original: str) -> str:
        code = next(self._free)
        self.originals[code] = original
        return chr(code)

    def value(self, value: str, style: str) -> str:
        """Return the value with the characters of the text itself."""
        if self.escape and style == '"':
            value = value.replace(self.escape, "")
        return value.translate(self.originals)

    def colon_in_word(self, pos: int) -> None:
        """Read `a:,` and `a:]` as a word that ends with a colon."""
        if not self.colon:
            self.colon = self._stand_in(":")
            self.readable = _WORD_COLON.sub(rf"\1{self.colon}", self.readable)
        self._replace(pos, self.colon)

    def quote_escaped(self) -> None:
        r"""Read `\'` in double quotes as a single quote."""
        self.escape = self._stand_in("\\")
        self.readable = _ESCAPED.sub(lambda found: self.escape + "'" if found[1] == "'" else found[0], self.readable)

    def tag_goes_on(self, start: int, end: int) -> None:
        """Read commas and brackets as a part of a tag."""
        start, end = start - self.start, end - self.start
        tag = _FLOW_MARK.sub(";", self.readable[start:end])
        self.readable = self.readable[:start] + tag + self.readable[end:]

    def _replace(self, pos: int, char: str) -> None:
        pos -= self.start
        self.readable = self.readable[:pos] + char + self.readable[pos + 1 :]


def _compared(text: str, start: int) -> Composition:
    """Compose a text; read it again with stand-ins where libyaml refuses what go-yaml accepts."""
    readable = _Readable(text, start)
    for _ in range(_MOST_READINGS):
        composer = _Composer(readable)
        try:
            return composer.run()
        except _ReadAgainError:
            continue
    raise TextError("the document has more colons and tags beside brackets than dralint reads", start, kind="too-large")


class _Composer:
    def __init__(self, source: _Readable) -> None:
        self.source = source
        self.text = source.text
        self.shift = source.start
        self.frames: list[Parent] = []
        self.flow = 0
        self.anchors: dict[str, Node] = {}
        self.aliased = 0
        self.infinite: list[Node] = []
        self.holder = Parent(SEQUENCE, 0, 0, None, "")
        self.composition = Composition()

    def run(self) -> Composition:
        """Parse the document at the start of the text."""
        parser = CParser(self.source.readable)
        try:
            ended = self._parse(parser.get_event)
        except MarkedYAMLError as error:
            raise self._failure(error) from None
        if ended is None:
            return self.composition
        root = self.holder.children[0]
        self._check_end(*ended)
        if self.infinite:
            self._check_infinite(root)
        if self.aliased:
            check_aliasing(root)
        self.composition.root = root
        return self.composition

    def _failure(self, error: MarkedYAMLError) -> TextError:
        """Return the error in dralint's words; raise _ReadAgainError where go-yaml finds none here."""
        problem, mark = error.problem or "", error.problem_mark
        pos = self.shift + (mark.index if mark else 0)
        if problem == "found unexpected ':'":
            self.source.colon_in_word(pos)
            raise _ReadAgainError
        if problem == "found unknown escape character" and self.text[pos : pos + 2] == "\\'" and not self.source.escape:
            self.source.quote_escaped()
            raise _ReadAgainError
        begin = self.shift + error.context_mark.index if error.context_mark else pos
        if error.context in ("while scanning a tag", "while parsing a tag") or "tag handle" in problem:
            self._check_tag(begin)
        return syntax_errors.error_of(self.text, error, begin, pos, self.frames or [self.holder])

    def _check_tag(self, start: int) -> None:
        """Raise _ReadAgainError where a tag goes on after its end in libyaml: go-yaml allows commas and brackets."""
        tag = _TAG.match(self.text, start)
        if tag is None or tag[0].startswith("!<"):
            return
        if _FLOW_MARK.search(self.source.readable, start - self.shift, tag.end() - self.shift):
            self.source.tag_goes_on(start, tag.end())
            raise _ReadAgainError

    def _parse(self, get: Any) -> tuple[bool, int, int] | None:
        """Read the events of one document; return whether `...` ends it, and where; None where there is none."""
        shift = self.shift
        frames, holder = self.frames, self.holder
        nodes = 0
        node = holder
        get()  # the start of the stream
        event = get()
        if event.__class__ is StreamEndEvent:
            return None
        assert event.__class__ is DocumentStartEvent
        if event.version not in (None, (1, 1)):
            raise syntax_errors.other_version(self.text)
        while True:
            event = get()
            kind = event.__class__
            start = shift + event.start_mark.index
            if kind is ScalarEvent:
                end = shift + event.end_mark.index
                style = event.style
                value = event.value
                if self.source.originals:
                    value = self.source.value(value, style)
                if event.anchor is None and event.tag is None:
                    child = self._scalar(value, start, end, style)
                else:
                    child = self._with_properties(event, value, start, end, style)
                if style:
                    if style in "|>":
                        self._end_block(child, value, end)
                    elif style == '"' and "\\/" in self.text[start:end]:
                        decode_escapes(self.text, child.start, child.end, check_only=True)
                elif self.flow and "?" in value:
                    self._check_question_mark(child)
                elif not value and child.start == child.end and node.kind == MAPPING:
                    self._place_missing(node, child)
                node.children.append(child)
                nodes += 1
                if nodes > _MOST_NODES:
                    raise TextError(
                        "the document has more keys and values than dralint reads",
                        start,
                        kind="too-large",
                        hint="the API server takes at most 3 MiB in one request: split the document",
                    )
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                begin = start
                if event.anchor is not None or event.tag is not None:
                    begin = self._after_properties(event, start)[0]
                if kind is MappingStartEvent:
                    inner = Parent(MAPPING, begin, begin, None, "{" if event.flow_style else ":")
                else:
                    inner = Parent(SEQUENCE, begin, begin, None, "[" if event.flow_style else "-")
                self.flow += event.flow_style
                if event.anchor is not None:
                    self.anchors[event.anchor] = inner
                frames.append(inner)
                if len(frames) > MOST_LEVELS:
                    raise syntax_errors.too_many_levels(begin)
                node = inner
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                end = shift + event.end_mark.index
                self.flow -= node.style in ("{", "[")
                self._close(node.children[-1].end if end == start else end)
                node = frames[-1] if frames else holder
            elif kind is AliasEvent:
                node.children.append(self._alias(event.anchor, start, shift + event.end_mark.index))
            else:
                assert kind is DocumentEndEvent
                return event.explicit, start, shift + event.end_mark.index

    def _check_end(self, explicit: bool, start: int, end: int) -> None:
        """Find the content after the document."""
        composition, text = self.composition, self.text
        if explicit:
            composition.marked = True
            composition.rest = _content(text, end)
        elif start < len(text) and _content(text, start) is not None:
            self._check_look_ahead(start)
            composition.marked = line_start(text, start) == start and _SEPARATOR.match(text, start) is not None
            composition.rest = start

    def _check_look_ahead(self, start: int) -> None:
        """Refuse the token after the document where only go-yaml does: it reads it before it ends the document."""
        if found := _QUOTED.match(self.text, start):
            decode_escapes(self.text, start, found.end(), check_only=True)
        elif (tag := _TAG.match(self.text, start)) and self.text[tag.end() : tag.end() + 1] not in f" \t{BREAKS}":
            raise syntax_errors.bad_tag(self.text, start, tag.end())

    # Scalars.

    def _scalar(self, value: str, start: int, end: int, style: str) -> Node:
        node = Node(start, end, value, style)
        if style:
            node.key = value
            return node
        if value == "<<":
            node = MergeKey(start, end, value, style)
        node.data, node.key, infinite = _resolved(value)
        if infinite:
            self.infinite.append(node)
        return node

    def _with_properties(self, event: Any, value: str, start: int, end: int, style: str) -> Node:
        """Return a scalar with its tag applied; it begins after its tag and its anchor, unless it has nothing else."""
        begin, last, tag = self._after_properties(event, start)
        if begin >= end:
            begin, end = start, last
        if tag is None:
            node = self._scalar(value, begin, end, style)
        else:
            node = tagged_scalar(tag, value, begin, end, style)
            if isinstance(node.data, float) and not math.isfinite(node.data):
                self.infinite.append(node)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def _after_properties(self, event: Any, start: int) -> tuple[int, int, str | None]:
        """Return the offsets after tag and anchor with the white space and without it, and the tag."""
        text, readable, shift = self.text, self.source.readable, self.shift
        pos = last = start
        tag: str | None = event.tag
        missing = [tag is not None, event.anchor is not None]
        while any(missing):
            found = _TAG.match(readable, pos - shift) if missing[0] and text[pos] == "!" else None
            if found is not None:
                missing[0] = False
                if found[0] == "!":
                    tag = "!"
                else:
                    self._check_tag(pos)
            else:
                found = _ANCHOR.match(readable, pos - shift)
                assert found is not None
                missing[1] = False
            last = shift + found.end()
            pos = _after_gap(text, last)
        return pos, last, tag

    def _end_block(self, node: Node, value: str, end: int) -> None:
        """Say where the content of a block scalar ends, and in which column it is.

        Args:
            end: the offset after the line ends that follow the content.
        """
        text = self.text
        header_end = _LINE_END.search(text, node.start)
        lines = text[header_end.end() : end].splitlines(keepends=True) if header_end else []
        indent = 0
        for line, own in zip(lines, value.splitlines(keepends=True), strict=False):
            if own.strip(f"{BREAKS}"):
                indent = _lead(line) - _lead(own)
                break
        else:
            indent = max((_lead(line) for line in lines), default=0)
        self.composition.block_indents[node.start] = indent
        at = end
        while lines and not lines[-1].rstrip(BREAKS)[indent:] and not lines[-1].strip(f" {BREAKS}"):
            at -= len(lines.pop())
        if not lines:
            header = _HEADER.match(text, node.start)
            assert header is not None
            node.end = header.end()
            return
        node.end = at - (len(lines[-1]) - len(lines[-1].rstrip(BREAKS)))

    def _check_question_mark(self, node: Node) -> None:
        """Refuse `?` in a word between brackets: for go-yaml, it begins a key."""
        at = self.text.find("?", node.start, node.end)
        opened = self.frames[-1]
        if opened.kind == MAPPING and self.text[opened.start : opened.start + 1] != "{":
            opened = self.frames[-2]  # `[a: b?c]`
        if at > node.start:
            opened.children.append(node)
        if at >= 0:
            raise syntax_errors.unexpected_in_flow(self.text, "scalar", at, at + 1, opened)

    def _place_missing(self, mapping: Parent, child: Node) -> None:
        """Put a missing key to its `?`, and a missing value directly after its colon, or else after its key."""
        text, place = self.text, child.start
        if len(mapping.children) % 2 == 0:
            place -= text[place - 1 : place] == "?"
        elif mapping.style == "{":
            place = mapping.children[-1].end
            colon = _after_gap(text, place)
            if text[colon : colon + 1] == ":":
                place = colon + 1
        child.start = child.end = place

    def _alias(self, name: str, start: int, end: int) -> Node:
        target = self.anchors.get(name)
        if target is None:
            raise syntax_errors.no_anchor(self.text, name, start, end, self.anchors)
        if target.depth == 0 and target.kind in (SEQUENCE, MAPPING):
            raise TextError(
                f"the alias `*{name}` is inside its own anchor",
                start,
                end,
                related=((f"the anchor `&{name}`", target.start, max(target.end, target.start + 1)),),
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

    def _close(self, end: int) -> None:
        """End the innermost collection: give it its value and hand it to its parent."""
        node = self.frames.pop()
        node.end = max(end, node.end)
        node.children = children = node.children[:]  # without room for more
        if self.anchors:  # only aliases ask for it
            node.size = min(1 + sum(child.size for child in children), _MANY_STEPS)
        if node.kind == SEQUENCE:
            node.data = [child.data for child in children]
        else:
            self._close_mapping(node)
        node.depth = 1
        if self.anchors:
            node.depth += max((child.depth for child in children), default=0)
            if node.depth > MAX_DEPTH:
                raise TextError(f"more than {MAX_DEPTH:,} nested levels", node.start, kind="too-deep")
        (self.frames[-1] if self.frames else self.holder).children.append(node)

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
                    self.composition.problems.append((syntax_errors.bad_key(key), self._path()))
                continue
            # 1 and "1" are the same key only in JSON, where go-yaml does not look for duplicates.
            same = (name, self._type_of_key(key))
            if same in own and not again and len(self.composition.problems) < _MOST_PROBLEMS:
                # What follows belongs to an item without its dash.
                again = syntax_errors.begins_item(self.text, node, key)
                error = syntax_errors.duplicate_key(self.text, node, name, key, own[same])
                self.composition.problems.append((error, (*self._path(), name)))
            own[same] = key
            data[name] = value.data
        if any(key.merge for key in children[::2]):
            entries(node)
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
            (syntax_errors.missing_separator(key, starts[0]), (str(names[0]),)) for key in starts[1:_MOST_PROBLEMS]
        ]
        self.composition.problems = [*others, *missing]

    def _path(self) -> Path:
        """Return the path of the collection that has just ended."""
        path: list[str | int] = []
        for node in self.frames:
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
                number = self.text[known.start : known.end]
                message = f"`{number}` cannot be written in JSON, so Kubernetes cannot accept it"
                hint = "write a finite number, or quote it"
                error = TextError(message, node.start, node.end, kind="no-json-form", hint=hint)
                self.composition.problems.append((error, path))
            if node.kind == SEQUENCE:
                stack.extend((child, (*path, i)) for i, child in enumerate(node.children))
            elif node.kind == MAPPING:
                values = zip(node.children[::2], node.children[1::2], strict=True)
                stack.extend((value, (*path, key.key or "")) for key, value in values)


def _after_gap(text: str, start: int) -> int:
    """Return the offset after white space and comments."""
    gap = _GAP.match(text, start)
    assert gap is not None
    return gap.end()


def _content(text: str, start: int) -> int | None:
    """Return the offset of what follows after white space and comments; None where nothing does."""
    pos = _after_gap(text, start)
    return pos if pos < len(text) and text[pos] != "#" else None


def _lead(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
