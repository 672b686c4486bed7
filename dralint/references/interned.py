"""Keeps equal values of objects once."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


MOST_KEPT = 4_000
_kept: dict[tuple[type, object], object] = {}


def interned(value: T) -> T:
    """Return the value, or an equal earlier one: paths, classes and whole requests repeat a lot."""
    if len(_kept) > MOST_KEPT:
        _kept.clear()
    try:
        return _kept.setdefault((type(value), value), value)  # type: ignore[return-value]
    except TypeError:  # tolerations and the like cannot be hashed
        return value
