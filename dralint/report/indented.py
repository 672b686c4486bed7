"""JSON on many lines: equals `json.dumps(value, indent=1, ensure_ascii=False)`, and is several times as fast."""

from __future__ import annotations

import json
from collections.abc import Iterator
from json.encoder import encode_basestring as quoted
from typing import Any


def indented(value: Any, end: str = "\n") -> str:
    """Return plain data (with strings as keys) as JSON; each level is indented by a space.

    Args:
        value: the data; an iterator counts as a list, and its items are not kept.
        end: a line end, and the indentation of the parent.
    """
    if isinstance(value, str):
        return quoted(value)
    if type(value) is int:
        return str(value)
    if not value or not isinstance(value, dict | list | Iterator):
        return json.dumps(value, ensure_ascii=False)
    inner = f"{end} "
    if isinstance(value, dict):  # most entries are strings, which need no call of their own
        rows = [
            f"{quoted(key)}: {quoted(entry) if type(entry) is str else indented(entry, inner)}"
            for key, entry in value.items()
        ]
        return f"{{{inner}{f',{inner}'.join(rows)}{end}}}"
    rows = [indented(item, inner) for item in value]
    return f"[{inner}{f',{inner}'.join(rows)}{end}]" if rows else "[]"
