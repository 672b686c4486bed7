"""Which name was meant by one that is not there: the one finder of near names."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_NO_DIGITS = str.maketrans("", "", "0123456789")
_PLACEHOLDERS = ("${", "$(", "{{", "{%")

_LEAST_LENGTH = 3
"""Shorter names are near to everything."""

_LONGEST = 320
"""Beyond this no name is compared: none that Kubernetes takes is longer, and comparing takes the square of it."""

_FEW = 100
"""Names of a type: what was near to them is remembered, as the same slip is mostly made often."""


def listed(names: Iterable[str], word: str = "and", quote: str = '"') -> str:
    """Return names in a row: `"a", "b" and "c"`."""
    shown = [f"{quote}{name}{quote}" for name in names]
    return f" {word} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def near(value: str, allowed: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """Return the allowed names that are nearest to the value: several that are equally near, none where none is.

    Near are names of similar letters (their case does not count), and one that begins with the value. What still holds
    a placeholder is no name yet, and never returned.

    Args:
        cutoff: how much of both has to be the same, from 0 to 1.
    """
    names = tuple(allowed)
    return list(_near_few(value, names, cutoff) if len(names) <= _FEW else _near(value, names, cutoff))


def _near(value: str, allowed: tuple[str, ...], cutoff: float) -> list[str]:
    names: dict[str, list[str]] = {}
    for name in allowed:
        if len(name) <= _LONGEST and not any(mark in name for mark in _PLACEHOLDERS):
            names.setdefault(name.lower(), []).append(name)
    if not value or len(value) > _LONGEST or not names or any(mark in value for mark in _PLACEHOLDERS):
        return []
    import difflib  # only where there is something to suggest

    text = value.lower()
    similar = difflib.get_close_matches(text, list(names), n=8, cutoff=cutoff)
    steps = {name: distance(text, name) for name in similar}
    fair = {name: count for name, count in steps.items() if count <= max(2, len(text) // 3)}
    if not fair and len(text) >= _LEAST_LENGTH:
        fair = {name: len(name) for name in names if name.startswith(text)}
    best = [name for name in names if name in fair and fair[name] == min(fair.values())]
    return [name for key in best for name in names[key]]


_near_few = lru_cache(maxsize=1024)(_near)


def closest(value: str, allowed: Iterable[str]) -> str | None:
    """Return `did you mean ...?` for the nearest allowed names, None when none is near, or only others of a row."""
    return did_you_mean([name for name in near(value, allowed) if not is_numbered(value, name)])


def is_numbered(value: str, name: str) -> bool:
    """Say whether two names differ by their numbers alone: `gpu-1` is no slip of `gpu-0`, but another of a row."""
    one, other = value.lower(), name.lower()
    return one != other and one.translate(_NO_DIGITS) == other.translate(_NO_DIGITS)


def letters_and_digits(name: str) -> str:
    """Return the letters and digits of a name in lower case: `device_class_name` is meant as `deviceClassName` is."""
    return "".join(character for character in name.lower() if character.isalnum())


def did_you_mean(names: Collection[str], quote: str = '"') -> str | None:
    """Return the question with all the names, None where there is none."""
    return f"did you mean {listed(names, 'or', quote)}?" if names else None


def is_slip(value: str, name: str) -> bool:
    """Say whether the value can only be the name, written with one slip of the keys.

    That is a letter too many, missing, doubled or swapped with its neighbour, another one within a long name, or the
    wrong case. A digit, or a letter that stands by itself, tells one name from the next: `gpu-1` is no slip of `gpu-0`.
    """
    if abs(len(value) - len(name)) > 1:
        return False
    if value.lower() == name.lower():
        return value != name
    if min(len(value), len(name)) < _LEAST_LENGTH or not _one_apart(value.lower(), name.lower()):
        return False
    start = next((i for i, (a, b) in enumerate(zip(value, name, strict=False)) if a.lower() != b.lower()), None)
    at = min(len(value), len(name)) if start is None else start
    changed = value[at : at + 1 + (len(value) == len(name))] + name[at : at + 1 + (len(value) == len(name))]
    if any(character.isdigit() for character in changed):
        return False
    if len(value) != len(name):
        longer = value if len(value) > len(name) else name
        return not _alone(longer, at)
    swapped = value[at] != name[at] and sorted(value[at : at + 2].lower()) == sorted(name[at : at + 2].lower())
    return swapped or (len(name) > 4 and not _alone(name, at))


def _one_apart(one: str, other: str) -> bool:
    """Say whether the `distance` of two different texts is 1, which are about as long."""
    short, long = sorted((one, other), key=len)
    at = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(long) > len(short):
        return short[at:] == long[at + 1 :]
    return short[at + 1 :] == long[at + 1 :] or (
        short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    )


def _alone(text: str, at: int) -> bool:
    """Say whether the character at a position has no letter or digit beside it."""
    return not (text[max(0, at - 1) : at].isalnum() or text[at + 1 : at + 2].isalnum())


@lru_cache(maxsize=4096)
def distance(a: str, b: str) -> int:
    """Return how many letters have to be put in, taken out, replaced or swapped to make one text of the other."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row, older = row, [i], before
        before = last
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[-1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
