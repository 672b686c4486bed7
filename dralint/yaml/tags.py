"""Applies tags to scalars; the merge key `<<` has its own without writing one.

Source: decode.go and resolve.go of go.yaml.in/yaml/v2 v2.4.4.
"""

from __future__ import annotations

import base64
import re
from typing import Final

from dralint.yaml.nodes import MergeKey, Node
from dralint.yaml.place import TextError
from dralint.yaml.scalars import json_number, key_text, resolve

CORE: Final = "tag:yaml.org,2002:"
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
            raise TextError(
                f"`{value[:40]}` is not of the type {short}, although its tag says so",
                start,
                max(end, start + 1),
                hint="remove the tag",
            )
        node.key = key_text(data)
        node.data = json_number(data) if isinstance(data, float) else data
    return node


def _binary(value: str, start: int, end: int) -> str:
    bare = value.replace("\n", "").replace("\r", "")
    if not _BASE64.fullmatch(bare):
        raise TextError("a !!binary value must be base64", start, max(end, start + 1), hint="remove the tag !!binary")
    return _go_string(base64.b64decode(bare))


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
