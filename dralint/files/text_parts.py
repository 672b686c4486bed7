"""Divides a large text into parts, and keeps the objects of some kinds in a dump of a cluster."""

from __future__ import annotations

import codecs
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from dralint.files.source import LARGEST_FILE, stdin, too_large
from dralint.yaml.json_text import skip_space

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.files.source import Source


AT_ONCE = 4 * 1024 * 1024
"""From this many bytes on, a text is divided; a part has about as many."""

_YAML_HEAD = re.compile(
    rb"(?:---[ \t\r]*\n)?(?:#[^\n]*\n)*(?:(?:apiVersion|kind|metadata):[^\n]*\n(?:  [^\n]*\n)*)*items:[ \r]*\n(?=- )"
)
_JSON_HEAD = re.compile(
    rb'\s*\{\s*(?:"(?:apiVersion|kind)"\s*:\s*"[^"\\]*"\s*,\s*|"metadata"\s*:\s*\{[^{}]*\}\s*,\s*)*'
    rb'"items"\s*:\s*\[(?=\s*\{)'
)
_YAML_KIND = re.compile(rb"^kind:[ \t]*[\"']?(\w+)", re.MULTILINE)
_JSON_KIND = re.compile(rb'"kind"\s*:\s*"(\w*)"')
_API_VERSION = re.compile(rb"^(?:\xef\xbb\xbf)?(?:apiVersion:|---)", re.MULTILINE)
_BEHIND_ITEM = re.compile(rb"^(?:- |-\r?$|---|[A-Za-z])", re.MULTILINE)
_ITEMS = re.compile(rb"^items:[ \t\r]*$", re.MULTILINE)
_decode = json.JSONDecoder().raw_decode
_COMMA = ord(",")
_LONGEST_TAIL = 100_000
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class TextPart(NamedTuple):
    """A part that can be read alone; adding `line` to a line of it gives the line of the file."""

    raw: bytes
    line: int = 0


def parts_of(source: Source) -> Iterator[TextPart]:
    """Yield the parts of a source; OSError where it cannot be read, or is too large and cannot be divided."""
    if source.held is not None:
        yield TextPart(source.held)
    elif source.path is not None:
        with Path(source.path).open("rb") as file:
            yield from _divided(file)
    else:
        yield from _divided(stdin())


def size_of(source: Source) -> int:
    """Return how many bytes a source has, 0 where unknown."""
    if source.held is not None or source.path is None:
        return len(source.held or b"")
    try:
        return Path(source.path).stat().st_size
    except OSError:
        return 0


def _divided(file: BinaryIO) -> Iterator[TextPart]:
    text = _Text(file)
    if text.ended or text.held.startswith(_MARKS):
        yield text.whole()
        return
    while head := _JSON_HEAD.match(text.held):
        yield from _json_items(text, head)
        text.fill()
    if text.held.lstrip()[:1] == b"{":
        yield text.whole()
    else:
        yield from _yaml_parts(text)


class _Text:
    """The part of a file that has been read but does not belong to a part yet."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.held = b""
        self.line = 0
        self.ended = False
        self.more()

    def more(self) -> None:
        """Read more; OSError for a large text that cannot be divided."""
        if len(self.held) > LARGEST_FILE:
            raise too_large()
        block = self._file.read(AT_ONCE)
        self.ended = len(block) < AT_ONCE
        self.held += block

    def fill(self) -> None:
        """Read until there is enough for a part."""
        while not self.ended and len(self.held) < AT_ONCE:
            self.more()

    def whole(self) -> TextPart:
        """Return the rest as one part."""
        while not self.ended:
            self.more()
        if len(self.held) > LARGEST_FILE:
            raise too_large()
        return self.cut(len(self.held))

    def cut(self, end: int, before: bytes = b"", after: bytes = b"", *, behind: int = 0) -> TextPart:
        """Return the text before `end` as a part; the next part begins at `behind`."""
        own = self.held[:end]
        part = TextPart(before + own + after, self.line - before.count(b"\n"))
        passed = end + behind
        self.line += self.held.count(b"\n", 0, passed)
        self.held = self.held[passed:]
        return part


def _yaml_parts(text: _Text) -> Iterator[TextPart]:
    while True:
        head = _YAML_HEAD.match(text.held)
        at = text.held.rfind(b"\n---", 4) + 1
        if head is not None:
            yield from _yaml_items(text, head[0])
        elif at:
            yield text.cut(at)
        elif text.ended:
            break
        else:
            text.more()
        text.fill()
    if text.held.strip():
        yield text.cut(len(text.held))


def _yaml_items(text: _Text, head: bytes) -> Iterator[TextPart]:
    """Yield the items of the List at the start of the text, and leave what follows its document."""
    before, whole = head, _with_kind(head)
    text.cut(len(head))
    divided = False
    while True:
        end = text.held.find(b"\n---") + 1
        if end or text.ended:
            end = end or len(text.held)
            tail = text.held[text.held.rfind(b"\n- ", 0, end) + 1 : end]
            kind = _YAML_KIND.search(tail)
            _check_kind(kind and kind[1].decode(), head_has=whole is head, divided=divided)
            yield text.cut(end, before)
            return
        at = text.held.rfind(b"\n- ") + 1
        if at:
            yield text.cut(at, whole)
            divided = True
        text.more()


def _json_items(text: _Text, head: re.Match[bytes]) -> Iterator[TextPart]:
    """Yield the items of the List at the start of the text, and leave what follows it."""
    kind = _JSON_KIND.search(head[0])
    before = b" ".join(head[0].split())
    whole = _with_json_kind(before)
    text.cut(head.end())
    divided = False
    while True:
        entries = [places for *places, _ in _json_entries(text.held)]
        closed = bool(entries) and text.held[entries[-1][2]] != _COMMA
        if closed or text.ended:
            break
        if entries:
            _, end, comma = entries[-1]
            yield text.cut(end, whole, b"]}", behind=comma + 1 - end)
            divided = True
        text.more()
    start = (entries[-1][2] if closed else text.held.rfind(b"]")) + 1
    opened = '{"items": []'
    try:
        rest, end = _decode(opened + text.held[start : start + _LONGEST_TAIL].decode("latin-1"))
    except ValueError:
        rest, end = {}, len(text.held)
    else:
        end += start - len(opened)
    _check_kind(rest.get("kind"), head_has=kind is not None, divided=divided)
    yield text.cut(end, before)


def _json_entries(held: bytes) -> Iterator[tuple[int, int, int, Any]]:
    """Yield the whole entries of a list of JSON, whose bracket comes before the text.

    Each has its start and its end, the place of the comma or bracket after it, and its value.
    """
    shown, after = held.decode("latin-1"), -1  # a character for each byte, as only places and kinds matter
    while after < 0 or shown[after : after + 1] == ",":
        start = skip_space(shown, after + 1)
        try:
            value, end = _decode(shown, start)
        except (ValueError, RecursionError):
            return
        after = skip_space(shown, end)
        if shown[after : after + 1] not in (",", "]"):
            return
        yield start, end, after, value


def _with_json_kind(head: bytes) -> bytes:
    """Return the head of a List of JSON with its kind, which may follow the items."""
    return head if _JSON_KIND.search(head) is not None else head.replace(b"{", b'{ "kind": "List",', 1)


def _with_kind(head: bytes) -> bytes:
    """Return the head of a List with its kind, which follows the items."""
    if _YAML_KIND.search(head) is not None:
        return head
    mark = head.find(b"\n") + 1 if head.startswith(b"---") else 0
    return head[:mark] + b"kind: List\n" + head[mark:]


def _check_kind(kind: object, *, head_has: bool, divided: bool) -> None:
    """Refuse a list of another kind: its items have no kinds, and the list has its kind only after them."""
    if divided and not head_has and kind not in ("List", None):  # None: the text is cut off
        raise too_large()


def appended(part: TextPart) -> Iterator[TextPart]:
    """Yield what several runs of kubectl have written into one YAML document, without `---`, as parts of their own."""
    starts, first = [0], True
    for found in _API_VERSION.finditer(part.raw) if part.raw.lstrip()[:1] != b"{" else ():
        if found[0].endswith(b"---"):
            first = True
        elif first:
            first = False
        else:
            starts.append(found.start())
    for start, end in zip(starts, [*starts[1:], len(part.raw)], strict=True):
        yield TextPart(part.raw[start:end], part.line + part.raw.count(b"\n", 0, start))


def listed(raw: bytes, *, last: bool) -> tuple[int | None, bytes]:
    """Return a part of a YAML List with the kind that kubectl writes behind the items.

    If it is the last one of its list and has no kind, the list is cut off: then it is returned without its last item,
    and the first value is the line of that item.
    """
    start = raw.rfind(b"\n---") + 1
    document = raw[start:]
    if document.lstrip()[:1] == b"{" or _ITEMS.search(document) is None or _YAML_KIND.search(document) is not None:
        return None, raw
    if not last:
        return None, raw + b"\nkind: List\n"
    at = document.rfind(b"\n- ") + 1
    if not at:
        return None, raw
    blank = b"\n" * document.count(b"\n", at)
    return raw.count(b"\n", 0, start + at) + 1, raw[: start + at] + blank + b"\nkind: List\n"


def without_item(raw: bytes, first: int, line: int) -> tuple[bytes, int] | None:
    """Return a YAML text without the item of a List that has a line, and the line of the item; None if there is none.

    Lines keep their numbers. `first` is the first line of the document.
    """
    ends = [0, *(found.end() for found in re.finditer(b"\n", raw))]
    fault = ends[line] if line < len(ends) else len(raw)
    start = raw.rfind(b"\n- ", ends[min(first, len(ends)) - 1], fault) + 1
    if not start:
        return None
    behind = _BEHIND_ITEM.search(raw, start + 1)
    end = behind.start() if behind is not None else len(raw)
    blank = b"\n" * raw.count(b"\n", start, end)
    return raw[:start] + blank + raw[end:], raw.count(b"\n", 0, start) + 1


def whole_items(raw: bytes) -> tuple[bytes, int] | None:
    """Return a JSON List with its items before the first one that cannot be read, and the line of that one."""
    head = _JSON_HEAD.match(raw)
    if head is None:
        return None
    items = raw[head.end() :]
    end = max((end for _, end, after, _ in _json_entries(items) if items[after] == _COMMA), default=0)
    return _with_json_kind(head[0]) + items[:end] + b"]}", raw.count(b"\n", 0, head.end() + end) + 1


KINDS = frozenset(
    {
        *("Node", "Namespace", "Pod", "ResourceQuota"),
        *("ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController"),
        *("ResourceSlice", "ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "DeviceTaintRule"),
        *("PriorityClass", "RuntimeClass", "PodGroup", "LimitRange"),
        *("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
    }
)
"""The kinds of a dump that matter for the allocation of devices."""

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ITEM = re.compile(rb"\n(?=- )")
_AFTER_ITEMS = re.compile(rb"\n(?=[A-Za-z.#])")
_KIND_OF_ITEM = re.compile(rb"^(?:- |  )kind:[ \t]*[\"']?(\w+)", re.MULTILINE)
_DOCUMENT = re.compile(rb"\n(?=---)")


def only_kinds(raw: bytes, kinds: frozenset[str] = KINDS) -> bytes:
    """Return a text without the objects of other kinds, if the layout of kubectl shows where they end.

    Lines keep their numbers, because the line ends of removed objects stay.
    """
    raw = in_utf8(raw)
    if raw.lstrip()[:1] == b"{":
        return _json(raw, kinds)
    return b"\n".join(_yaml(document, kinds) for document in _DOCUMENT.split(raw))


def in_utf8(raw: bytes) -> bytes:
    """Return a text in UTF-8; PowerShell writes the output of programs in UTF-16."""
    return raw.decode("utf-16", "replace").encode("utf-8", "replace") if raw.startswith(_UTF_16) else raw


def _blank(text: bytes) -> bytes:
    return b"\n" * text.count(b"\n")


def _wanted(kind: re.Match[bytes] | None, kinds: frozenset[str]) -> bool:
    """Say whether to keep an object, by its kind or that of its list."""
    return _is_of(None if kind is None else kind[1].decode(), kinds)


def _is_of(kind: object, kinds: frozenset[str]) -> bool:
    """Say whether a kind is one of these, or that of a list; an object without a kind may be of any."""
    if not isinstance(kind, str):
        return True
    return kind in kinds or (kind.endswith("List") and (kind == "List" or kind.removesuffix("List") in kinds))


def _yaml(document: bytes, kinds: frozenset[str]) -> bytes:
    pieces = _ITEM.split(document)
    kind = _YAML_KIND.search(document if len(pieces) == 1 else pieces[0])
    if len(pieces) == 1:
        return document if _wanted(kind, kinds) and b"kind" in document else _blank(document)
    head, items = pieces[0], pieces[1:]
    behind = _AFTER_ITEMS.search(items[-1])
    tail = items[-1][behind.start() :] if behind is not None else b""
    items[-1] = items[-1][: len(items[-1]) - len(tail)]
    if not _wanted(kind or _YAML_KIND.search(tail), kinds):
        return _blank(document)
    kept = [item if _wanted(_KIND_OF_ITEM.search(item), kinds) else _blank(item) for item in items]
    return b"\n".join([head, *kept]) + tail if any(item.strip() for item in kept) else _blank(document)


def _json(raw: bytes, kinds: frozenset[str]) -> bytes:
    head = _JSON_HEAD.match(raw)
    if head is None:
        return raw
    if not _wanted(_JSON_KIND.search(head[0]), kinds):
        return _blank(raw)
    items = raw[head.end() :]
    out, at, comma = [head[0]], 0, b""
    for start, end, _, item in _json_entries(items):
        if not isinstance(item, dict) or _is_of(item.get("kind"), kinds):
            out += comma, _blank(items[at:start]), items[start:end]
            comma = b","
        else:
            out.append(_blank(items[at:end]))
        at = end
    return b"".join([*out, items[at:]])
