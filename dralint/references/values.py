"""What objects hold, read as what it should be: nobody has checked it yet."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def text_of(value: object) -> str | None:
    """Return a text that is not empty."""
    return value if isinstance(value, str) and value else None


def dict_of(value: object) -> dict[str, Any]:
    """Return a mapping; an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """Return a list; an empty one in place of anything else."""
    return value if isinstance(value, list) else []


def texts_of(value: object) -> tuple[str, ...]:
    """Return the texts of a list."""
    return tuple(entry for entry in list_of(value) if isinstance(entry, str))


MOST_KEPT = 4_000
_kept: dict[tuple[type, object], object] = {}


def once(value: T) -> T:
    """Return the value, or an equal one that was met before: paths, classes and whole requests repeat a lot."""
    if len(_kept) > MOST_KEPT:
        _kept.clear()
    try:
        return _kept.setdefault((type(value), value), value)  # type: ignore[return-value]
    except TypeError:  # tolerations and the like have no hash
        return value
