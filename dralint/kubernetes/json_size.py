"""How many bytes a value takes as JSON, as Go's encoding/json writes it."""

from __future__ import annotations

import json

from dralint.kubernetes.formats import size
from dralint.yaml import number_text


def json_size(value: object) -> int:
    """Return the bytes of a value as Go's encoding/json writes it: compact, with <, > and & escaped."""
    if value is None:
        return 4
    if isinstance(value, bool):
        return 4 if value else 5
    if isinstance(value, str):
        return _string_size(value)
    if isinstance(value, int | float):
        return len(number_text(value))
    total, todo = 0, [value]
    while todo:
        item = todo.pop()
        if isinstance(item, list):
            total += 2 + max(len(item) - 1, 0)
            todo.extend(item)
        elif isinstance(item, dict):
            total += 2 + max(len(item) - 1, 0)
            for key, member in item.items():
                total += _string_size(key) + 1
                todo.append(member)
        else:
            total += json_size(item)
    return total


def surely_within(value: object, limit: int) -> bool:
    """Say whether the value is so small that counting is not needed: a character takes at most six bytes."""
    try:
        return len(json.dumps(value, ensure_ascii=False)) * 6 <= limit
    except (RecursionError, ValueError):
        return False


def _string_size(text: str) -> int:
    extra = 0
    for char in text:
        if char in '"\\\n\r\t\b\f':
            extra += 1
        elif char in "<>&" or char < " ":
            extra += 5
        elif char in "\u2028\u2029":
            extra += 3
    return 2 + size(text) + extra
