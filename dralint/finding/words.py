"""How messages write values and names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dralint.yaml import number_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

ALLOWED = "; allowed: "
"""The text in a message before the values that a release allows."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


_SHOWN = 10


def quoted(value: object, limit: int = 60) -> str:
    """Return a value as messages quote it: on one line, and shortened if it is long."""
    if isinstance(value, str):
        if not value.isprintable():
            value = json.dumps(value)[1:-1]
        return f'"{value}"' if len(value) <= limit else f'"{value[: limit - 20]}...{value[-10:]}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        text = number_text(value)
        return text if len(text) <= limit else f"{text[: limit - 20]}...{text[-10:]}"
    return json.dumps(value, ensure_ascii=False)[:limit]


def counted(number: int, noun: str) -> str:
    """Return `1 error`, `2 errors`, `2 patches`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return `errors`, `patches`, `DeviceClasses`."""
    return f"{noun}{'es' if noun.endswith(('ch', 's')) else 's'}"


def some_of(names: Sequence[str], most: int) -> str:
    """Return the first of some names, and how many more there are: `a, b and 3 more`."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def it_has(names: Collection[str]) -> str:
    """Return `it has: a, b`, the names in their order; `it has none` for no names."""
    return f"it has: {some_of(sorted(names), _SHOWN)}" if names else "it has none"


def shared(one: Sequence[object], other: Sequence[object]) -> int:
    """Return how many characters, or entries, two texts or two lists share at their start.

    It compares halves, so that a long text does not need a step per character.
    """
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def fits(text: str, parts: Sequence[str]) -> bool:
    """Say whether a text begins with the first part, ends with the last one, and has the others between them in order.

    Anything may stand between two parts: `("a", "b")` is the pattern `a*b`. Its time grows with the text, whatever the
    parts are; a regular expression for the same tries each division of the text.
    """
    if len(parts) == 1:
        return text == parts[0]
    at, end = len(parts[0]), len(text) - len(parts[-1])
    if at > end or not text.startswith(parts[0]) or not text.endswith(parts[-1]):
        return False
    for part in parts[1:-1]:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def ordinal(position: int) -> str:
    """Return the word for a position that counts from 0: `first`, `second`, `42nd`."""
    if position < len(_ORDINALS):
        return _ORDINALS[position]
    number = position + 1
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
