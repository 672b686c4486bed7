"""How messages put values and names into words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dralint.yaml import number_text

if TYPE_CHECKING:
    from collections.abc import Iterable


def quoted(value: object, limit: int = 60) -> str:
    """Return a value as a message quotes it: on one line, cut when it is long."""
    if isinstance(value, str):
        if not value.isprintable():
            value = json.dumps(value)[1:-1]
        return f'"{value}"' if len(value) <= limit else f'"{value[: limit - 20]}...{value[-10:]}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return number_text(value)
    return json.dumps(value, ensure_ascii=False)[:limit]


def closest(value: str, allowed: Iterable[str]) -> str | None:
    """Return `did you mean ...?` for the nearest allowed value, None when none is near."""
    names = {name.lower(): name for name in allowed}
    import difflib  # only where there is something to suggest

    close = difflib.get_close_matches(value.lower(), list(names), n=1, cutoff=0.6)
    return f'did you mean "{names[close[0]]}"?' if close else None
