"""Writes data as YAML that every reader understands in the same way: block style, doubtful strings in double quotes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9./_+-]*(?: [A-Za-z0-9./_+=-]+)*\Z")
_OTHER_MEANING = re.compile(r"(?:y|n|yes|no|on|off|true|false|null|nan|inf)\Z", re.IGNORECASE)


def written(data: Any) -> str:
    """Return the data as a YAML document."""
    if isinstance(data, dict | list) and data:
        return "\n".join(_lines(data)) + "\n"
    return _scalar(data) + "\n"


def _lines(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            name = _scalar(key)
            if isinstance(value, dict | list) and value:
                yield f"{name}:"
                margin = "  " if isinstance(value, dict) else ""
                yield from (margin + line for line in _lines(value))
            else:
                yield f"{name}: {_scalar(value)}"
    else:
        for item in data:
            if isinstance(item, dict | list) and item:
                first, *rest = _lines(item)
                yield f"- {first}"
                yield from ("  " + line for line in rest)
            else:
                yield f"- {_scalar(item)}"


def _scalar(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.match(value) and not _OTHER_MEANING.match(value):
        return value
    return '"' + "".join(_character(character) for character in value) + '"'


def _character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    return {"\n": "\\n", "\t": "\\t"}.get(character, f"\\U{ord(character):08x}")
