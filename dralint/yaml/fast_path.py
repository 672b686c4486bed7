"""The quick reader: returns plain data for YAML in the common block style, or None.

It only answers if it is sure, and then exactly as the exact reader (composer.py) does. Most manifests need no other
reader. The exact reader reads what this one does not know: anchors, tags, merge keys, duplicate keys, values over
several lines, tabs and so on.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from math import isfinite
from typing import TYPE_CHECKING

from dralint.yaml.nodes import TextError
from dralint.yaml.scalars import decode_escapes, json_number, key_text, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.yaml.nodes import Json

_DEEPEST = 200
_CACHED = 20_000
_LONGEST_LINE = 100
_PIECE = 1_000_000

KEY = r"""[A-Za-z0-9_][A-Za-z0-9_./-]{0,250}+|"[^"\\\n]{0,250}+"|'[^'\n]{0,250}+'"""
_FIRST = r"""(?:[^\n !"#%&')*,:>?@\[\]\\`{|}-]|-(?=[0-9A-Za-z.]))"""
_VALUE = (
    rf"{_FIRST}[^:#\n]*+(?>(?:(?:(?<! )#|:(?![ \n]))[^:#\n]*+)*)"
    r'|"(?>(?:[^"\\\n]++|\\[^\n])*)" *+'
    r"|'(?>(?:[^'\n]++|'')*)' *+"
    r"|[|>][+-]? *+"
    r"|[\[{][^\n#]*[\]}] *+"
)
LINE = re.compile(
    rf"( *+)(-(?>(?: ++-)*)(?: ++|(?=\n)))?(?:({KEY}):(?: ++({_VALUE})| *+)|({_VALUE}))?(?:(?<![^ \n])#[^\n]*+)?\n"
)
MARK = "---(?: [^\n]*)?\n"
_ODD = r"[^\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
_FOLD = "\n(\n*)"

Line = tuple[int, int, int, "str | None", "Json", int]
"""The content of one line, regardless of the lines around it: its column, the number of `-` at its start, the column
after them, its key, its value and its form.

The form is _WHOLE if the value is complete (_NOTHING: no value). Otherwise the value is the text of a _FLOW collection,
or the header of a BLOCK of lines.
"""

_lines: dict[str, Line] = {}
_NOTHING: Json = []
_WHOLE, _FLOW, BLOCK = 0, 1, 2
_FORMS = {"[": _FLOW, "{": _FLOW, "|": BLOCK, ">": BLOCK}


class _NotSureError(Exception):
    """Raised where the exact reader must decide."""


def quick(text: str) -> tuple[Json] | None:
    """Return the value of `text`, which ends with a line feed, in a tuple; None when the exact reader must decide."""
    if not text.isascii() and re.search(_ODD, text):  # each line of plain text is checked when it is first read
        return None
    try:
        return _read(text)
    except (_NotSureError, TextError):
        return None


def _read(text: str) -> tuple[Json] | None:
    """Build the value line by line; the columns of keys and dashes show which collections are open.

    It is one loop without calls for known lines, because a clean file spends its time here. `last` is the key whose
    value is `waiting` for deeper lines.
    """
    if text.startswith("---") and (mark := re.match(MARK, text)):
        if mark[0][3:].strip(" \n")[:1] not in ("", "#") or _is_odd(mark[0][:-1]):
            return None
        text = text[mark.end() :]
    pieces = _pieces(text)
    known = _lines
    nothing = _NOTHING
    root: list[Json] = [None]
    # The innermost open collection: a mapping or a list; the other variable of the two is not used.
    mapping: dict[str, Json] = {}
    items: list[Json] = root
    in_mapping = False
    column = -1
    waiting = True
    last = ""
    stack: list[tuple[dict[str, Json], list[Json], bool, int]] = []
    for lines in pieces:
        numbered = enumerate(lines, 1)
        for number, line in numbered:
            try:
                at, dashes, content, key, value, form = known[line]
            except KeyError:
                at, dashes, content, key, value, form = line_of(line)
            if dashes:
                # A list item; the list may start here.
                if at == column and not in_mapping:
                    pass
                elif at > column or (at == column and waiting):
                    if not waiting:
                        return None
                    stack.append((mapping, items, in_mapping, column))
                    parent_items, items = items, []
                    if in_mapping:
                        mapping[last] = items
                    else:
                        parent_items[-1] = items
                    in_mapping, column = False, at
                    if len(stack) > _DEEPEST:
                        return None
                else:
                    while at < column:
                        mapping, items, in_mapping, column = stack.pop()
                    if at != column or in_mapping:
                        return None
                items.append(None)
                if dashes > 1:
                    # Lists on one line: `- - a`.
                    start = at
                    for _ in range(dashes - 1):
                        start = line.index("-", start + 1)
                        stack.append((mapping, items, in_mapping, column))
                        inner: list[Json] = [None]
                        items[-1] = inner
                        items, column = inner, start
                    if len(stack) > _DEEPEST:
                        return None
                waiting = True
                if key is None:
                    if value is nothing:
                        continue
                    if form:
                        if form == _FLOW:
                            value = value_of(str(value))
                        else:
                            value, end = _block(lines, number, str(value), column + 1, pieces)
                            next(islice(numbered, end - number, end - number), None)
                    items[-1] = value
                    waiting = False
                    continue
                at = content
            elif key is None:
                continue
            # A key, perhaps the first of its mapping.
            if at != column or not in_mapping:
                if at > column:
                    if not waiting:
                        return None
                    stack.append((mapping, items, in_mapping, column))
                    parent, mapping = mapping, {}
                    if in_mapping:
                        parent[last] = mapping
                    else:
                        items[-1] = mapping
                    in_mapping, column = True, at
                    if len(stack) > _DEEPEST:
                        return None
                else:
                    while at < column:
                        mapping, items, in_mapping, column = stack.pop()
                    if not in_mapping and at == column:
                        # A list in the column of its key ends with the next key.
                        mapping, items, in_mapping, column = stack.pop()
                    if at != column or not in_mapping:
                        return None
            if key in mapping:
                return None
            if value is nothing:
                mapping[key] = None
                last = key
                waiting = True
                continue
            if form:
                if form == _FLOW:
                    value = value_of(str(value))
                else:
                    value, end = _block(lines, number, str(value), column + 1, pieces)
                    next(islice(numbered, end - number, end - number), None)
            mapping[key] = value
            waiting = False
    if column < 0 and not stack:
        return None
    return (root[0],)


def _pieces(text: str) -> Iterator[list[str]]:
    """Yield the lines of a text without their line feeds, a part at a time: all at once would take far more memory."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _PIECE) + 1 or len(text)
        lines = text[start:end].split("\n")
        lines.pop()  # the rest after the last line feed
        yield lines
        start = end


def line_of(line: str) -> Line:
    """Return the content of a line without its line feed; short lines are remembered."""
    match = LINE.fullmatch(line + "\n")
    if match is None or _is_odd(line):
        raise _NotSureError
    indent, dash, raw_key, raw, raw_item = match.groups()
    if dash is None and raw_item is not None:
        raise _NotSureError
    at = len(indent)
    dashes, content = (0, at) if dash is None else (dash.count("-"), at + len(dash))
    if dashes > _DEEPEST:
        raise _NotSureError
    key = None if raw_key is None else key_of(raw_key)
    written = raw if raw_key is not None else raw_item
    value, form = _NOTHING, _WHOLE
    if written is not None:
        form = _FORMS.get(written[0], _WHOLE)
        value = written if form else value_of(written)
    said = at, dashes, content, key, value, form
    if len(line) <= _LONGEST_LINE and len(_lines) < _CACHED:
        _lines[line] = said
    return said


@lru_cache(maxsize=_CACHED)
def key_of(raw: str) -> str:
    """Return the form of a scalar as a key."""
    key = raw[1:-1] if raw[0] in "\"'" else key_text(resolve(raw))
    if key is None:
        raise _NotSureError
    return key


def value_of(raw: str) -> Json:
    """Return the value of a scalar or of a flow collection on one line."""
    bare = raw.rstrip(" ")
    first = bare[0]
    if first == '"':
        return decode_escapes(bare, 0, len(bare)) if "\\" in bare else bare[1:-1]
    if first == "'":
        return bare[1:-1].replace("''", "'")
    if first in "[{":
        collection, end = _collection(bare, 1, _DEEPEST)
        if end != len(bare):
            raise _NotSureError
        return collection
    value = resolve(bare)
    if isinstance(value, float):
        if not isfinite(value):
            raise _NotSureError
        return json_number(value)
    return value


@lru_cache(maxsize=1)
def flow_patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Compile the patterns for flow collections: a flat list, a piece, an opening bracket, and what follows a piece."""
    key = r""" *+(?:([A-Za-z0-9_][A-Za-z0-9_./-]{0,250}+|"[^"\\]{0,250}+"|'[^']{0,250}+'): ++)?"""
    word = r"""("[^"\\]*+"|'[^']*+'|(?:[A-Za-z0-9_/$(=~^;+.]|-(?=[0-9A-Za-z.]))[^][{},:#?&*!|>%@`"'\\]*+)"""
    mark = r" *+([,\]}])"
    flat = r"""\[ *+(?:[^][{}:#&*!|>%@`?",'\\-][^][{}:#&*!|>%@`?"'\\]*+)?\] *"""
    return re.compile(flat), re.compile(key + word + r"(?= *+[,\]}])"), re.compile(key + r"([\[{])"), re.compile(mark)


def _collection(raw: str, pos: int, deepest: int) -> tuple[Json, int]:
    """Return the value of a flow collection whose bracket is before `pos`, and the offset of its end.

    Args:
        deepest: how many more levels it may have.
    """
    flat_list, any_piece, any_opening, any_mark = flow_patterns()
    closing = "]" if raw[pos - 1] == "[" else "}"
    if closing == "]" and flat_list.match(raw, pos - 1):
        end = raw.index("]", pos)
        words = raw[pos:end].split(",")
        if not words[-1].strip(" "):
            words.pop()  # a comma may follow the last item
        return [_flow_scalar(word) for word in words], end + 1
    found: dict[str, Json] = {}
    listed: list[Json] = []
    mark = any_mark.match(raw, pos)
    if mark is not None and mark[1] == closing == "}":
        return found, mark.end()
    while mark is None or mark[1] == ",":
        piece = any_piece.match(raw, pos) or any_opening.match(raw, pos)
        if piece is None or deepest < 1:
            raise _NotSureError
        raw_key, word = piece.groups()
        if word in ("[", "{"):
            value, end = _collection(raw, piece.end(), deepest - 1)
        else:
            value, end = _flow_scalar(word), piece.end()
        mark = any_mark.match(raw, end)
        key = raw_key and key_of(raw_key)
        if mark is None or (key is None) == (closing == "}") or key in found:
            raise _NotSureError
        pos = mark.end()
        if key is None:
            listed.append(value)
        else:
            found[key] = value
    if mark[1] != closing:
        raise _NotSureError
    return (listed if closing == "]" else found), pos


def _flow_scalar(word: str) -> Json:
    word = word.strip(" ")
    if not word or (word[0] == "-" and word[1:2] in ("", " ", "-")):
        raise _NotSureError
    return value_of(word)


def _is_odd(line: str) -> bool:
    """Say whether plain text has characters that only the exact reader handles."""
    return line.isascii() and not line.isprintable()


def _block(lines: list[str], first: int, header: str, least: int, pieces: Iterator[list[str]]) -> tuple[str, int]:
    """Return the value of a block scalar from that line on, and the number of the line after it.

    Where the block continues after the present lines, the next pieces are added to them.
    """
    count = len(lines)
    begin = next((n for n in range(first, count) if lines[n]), count)
    start = lines[begin] if begin < count else ""
    indent = len(start) - len(start.lstrip(" "))
    end = next((n for n in range(begin, count) if lines[n] and not lines[n].startswith(" " * indent)), count)
    if end == count and (more := next(pieces, None)) is not None:
        lines += more
        return _block(lines, first, header, least, pieces)
    if indent < least or not start.lstrip(" "):
        raise _NotSureError
    if end < len(lines) and not lines[end].strip(" "):
        # A blank line with some spaces: rare, and easy to get wrong.
        raise _NotSureError
    body = "\n".join([line[indent:] for line in lines[first:end]]) + "\n"
    if _is_odd(body.replace("\n", "")):
        raise _NotSureError
    bare = body.rstrip("\n")
    if header[0] == ">":
        if bare[:1] in "\n " or "\n " in bare:
            raise _NotSureError
        folded = re.sub(_FOLD, _unfold, bare)
    else:
        folded = bare
    chomp = header[1:2]
    if chomp == "-":
        return folded, end
    if chomp == "+":
        return folded + body[len(bare) :], end
    return folded + "\n", end


def _unfold(match: re.Match[str]) -> str:
    return match[1] or " "
