"""The quick reader: plain data of the common block style, or None.

It answers only for what it is sure about, and then exactly as the exact reader (composer.py) does; most
manifests are read by it alone. What it does not know (anchors, tags, merge keys, duplicate keys, values over
several lines, tabs ...) is left to the other.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Final

from dralint.yaml.place import TextError
from dralint.yaml.possessive import compiled
from dralint.yaml.quoted import decode_escapes
from dralint.yaml.scalars import json_number, key_text, resolve

if TYPE_CHECKING:
    from dralint.yaml.place import Json

_DEEPEST: Final = 200
_CACHED: Final = 20_000
_LONGEST_CACHED: Final = 64

_ODD_ASCII = re.compile(r"[^\n -~]")
_KEY = r"""[A-Za-z0-9_][A-Za-z0-9_./-]{0,250}+|"[^"\\\n]{0,250}+"|'[^'\n]{0,250}+'"""
_FIRST = r"""(?:[^\n !"#%&')*,:>?@\[\]\\`{|}-]|-(?=[0-9A-Za-z.]))"""
_VALUE = (
    rf"{_FIRST}[^:#\n]*+(?:(?:(?<! )#|:(?![ \n]))[^:#\n]*+)*+"
    r'|"(?:[^"\\\n]++|\\[^\n])*+" *+'
    r"|'(?:[^'\n]++|'')*+' *+"
    r"|[|>][+-]? *+"
    r"|[\[{][^\n#]*[\]}] *+"
)
_LINE = compiled(
    rf"( *+)(-(?: ++-)*+(?: ++|(?=\n)))?(?:({_KEY}):(?: ++({_VALUE})| *+)|({_VALUE}))?(?:(?<![^ \n])#[^\n]*+)?\n"
)
_MARK = re.compile("---(?: [^\n]*)?\n")
_BLANK_LINES = compiled("(?: *\n)*+")
_INDENT = re.compile(" *")
_FOLD = re.compile("\n(\n*)")
_FLOW_LIST = re.compile(r"""\[ *+(?:[^][{}:#&*!|>%@`?",'\\-][^][{}:#&*!|>%@`?"'\\]*+)?\] *""")
_FLOW_PIECE = re.compile(
    r""" *+(?:([A-Za-z0-9_][A-Za-z0-9_./-]{0,250}+|"[^"\\]{0,250}+"|'[^']{0,250}+'): ++)?"""
    r"""("[^"\\]*+"|'[^']*+'|(?:[A-Za-z0-9_/$(=~^;+.]|-(?=[0-9A-Za-z.]))[^][{},:#?&*!|>%@`"'\\]*+) *+([,\]}])"""
)

_keys: dict[str, str] = {}
_values: dict[str, Json] = {}
_MISSING: Final[Json] = []


class _NotSureError(Exception):
    """The exact reader has to decide."""


def quick(text: str) -> tuple[Json] | None:
    """Return the value of `text`, which ends with a line feed, in a tuple; None when only the exact reader can tell."""
    if (_ODD_ASCII if text.isascii() else _odd()).search(text):
        return None
    try:
        return _read(text)
    except (_NotSureError, TextError):
        return None


def _read(text: str) -> tuple[Json] | None:
    pos = 0
    if text.startswith("---") and (mark := _MARK.match(text)):
        if mark[0][3:].strip(" \n")[:1] not in ("", "#"):
            return None
        pos = mark.end()
    size = len(text)
    match = _LINE.match
    keys = _keys
    values = _values
    missing = _MISSING
    root: list[Json] = [None]
    # The innermost open collection: a mapping, or else a list; the other of the two is left alone.
    mapping: dict[str, Json] = {}
    items: list[Json] = root
    in_mapping = False
    column = -1
    waiting = True
    last = ""
    stack: list[tuple[dict[str, Json], list[Json], bool, int]] = []
    while pos < size:
        line = match(text, pos)
        if line is None:
            return None
        pos = line.end()
        indent, dash, raw_key, raw, raw_item = line.groups()
        at = len(indent)
        if dash is None:
            if raw_key is None:
                if raw_item is None:
                    continue
                return None
        else:
            # A list item; the list may start here.
            nested = dash.count("-")
            if nested > _DEEPEST:
                return None
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
            if nested > 1:
                # Lists on one line: `- - a`.
                start = 0
                for _ in range(nested - 1):
                    start = dash.index("-", start + 1)
                    stack.append((mapping, items, in_mapping, column))
                    inner: list[Json] = [None]
                    items[-1] = inner
                    items, column = inner, at + start
                if len(stack) > _DEEPEST:
                    return None
            at += len(dash)
            waiting = True
            if raw_key is None:
                if raw_item is None:
                    continue
                value = values.get(raw_item, missing)
                if value is missing:
                    if raw_item[0] in "|>":
                        value, pos = _block(text, pos, raw_item, column + 1)
                    else:
                        value = _value(raw_item)
                items[-1] = value
                waiting = False
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
        try:
            key = keys[raw_key]
        except KeyError:
            key = _key(raw_key)
        if key in mapping:
            return None
        if raw is None:
            mapping[key] = None
            last = key
            waiting = True
            continue
        value = values.get(raw, missing)
        if value is missing:
            if raw[0] in "|>":
                value, pos = _block(text, pos, raw, column + 1)
            else:
                value = _value(raw)
        mapping[key] = value
        waiting = False
    if column < 0 and not stack:
        return None
    return (root[0],)


def _key(raw: str) -> str:
    key = raw[1:-1] if raw[0] in "\"'" else key_text(resolve(raw))
    if key is None:
        raise _NotSureError
    if len(_keys) < _CACHED:
        _keys[raw] = key
    return key


def _value(raw: str) -> Json:
    """Return the value of a scalar or of a flow collection on one line."""
    bare = raw.rstrip(" ")
    first = bare[0]
    value: Json
    if first == '"':
        value = decode_escapes(bare, 0, len(bare)) if "\\" in bare else bare[1:-1]
    elif first == "'":
        value = bare[1:-1].replace("''", "'")
    elif first in "[{":
        return _flow(bare)
    else:
        value = resolve(bare)
        if isinstance(value, float):
            if not isfinite(value):
                raise _NotSureError
            value = json_number(value)
    if len(raw) <= _LONGEST_CACHED and len(_values) < _CACHED:
        _values[raw] = value
    return value


def _flow(raw: str) -> Json:
    """Return the value of a flow list or mapping that holds only scalars."""
    if _FLOW_LIST.fullmatch(raw):
        words = raw[1:-1].strip(" ")
        if not words:
            return []
        return [_flow_scalar(word) for word in words.split(",")]
    if raw in ("{}", "{ }"):
        return {}
    closing = "]" if raw[0] == "[" else "}"
    found: dict[str, Json] = {}
    listed: list[Json] = []
    pos = 1
    while True:
        piece = _FLOW_PIECE.match(raw, pos)
        if piece is None:
            raise _NotSureError
        raw_key, word, mark = piece.groups()
        if (raw_key is None) == (closing == "}"):
            raise _NotSureError
        value = _flow_scalar(word)
        if raw_key is None:
            listed.append(value)
        else:
            key = _keys.get(raw_key) or _key(raw_key)
            if key in found:
                raise _NotSureError
            found[key] = value
        pos = piece.end()
        if mark == ",":
            continue
        if mark != closing or pos != len(raw):
            raise _NotSureError
        return listed if closing == "]" else found


def _flow_scalar(word: str) -> Json:
    word = word.strip(" ")
    if not word or (word[0] == "-" and word[1:2] in ("", " ", "-")):
        raise _NotSureError
    return _value(word)


@lru_cache(maxsize=1)
def _odd() -> re.Pattern[str]:
    """Compile what is seldom needed, and slow to compile."""
    return re.compile(r"[^\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


@lru_cache(maxsize=64)
def _block_lines(indent: int) -> re.Pattern[str]:
    return compiled(f"(?: {{{indent}}}[^\n]*+\n|\n)*+")


def _block(text: str, pos: int, header: str, least: int) -> tuple[str, int]:
    """Return the value of a block scalar whose lines start at `pos`, and the offset behind it."""
    blank = _BLANK_LINES.match(text, pos)
    assert blank is not None
    spaces = _INDENT.match(text, blank.end())
    assert spaces is not None
    indent = len(spaces[0])
    if indent < least or " " in blank[0]:
        raise _NotSureError
    lines = _block_lines(indent).match(text, pos)
    assert lines is not None
    end = lines.end()
    if end < len(text) and text[end] == " " and text[end : end + indent].lstrip(" ")[:1] in ("\n", ""):
        # A blank line with some spaces: rare, and easy to get wrong.
        raise _NotSureError
    body = ("\n" + lines[0]).replace("\n" + " " * indent, "\n")[1:]
    bare = body.rstrip("\n")
    if header[0] == ">":
        if bare[:1] in "\n " or "\n " in bare:
            raise _NotSureError
        folded = _FOLD.sub(_unfold, bare)
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
