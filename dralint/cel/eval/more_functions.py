"""Functions on lists, maps, sets and texts that Kubernetes and cel-go add to the language."""

from __future__ import annotations

from functools import cmp_to_key
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from dralint.cel.eval.arithmetic import (
    LimitError,
    NoOverloadError,
    NotHereError,
    add,
    check_integers,
    check_list,
    check_size,
    check_text,
    compare,
    equal,
    is_number,
)
from dralint.cel.regex.nodes import NotRunError, PatternLimitError
from dralint.cel.regex.parse import RegexError
from dralint.cel.values.values import ABSENT, CelMap, Duration, OptionalValue, Timestamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.cel.dialects import Patterns
    from dralint.cel.regex.program import Program


def contained(a: Any, container: Any) -> bool:
    """Say whether a list has the element or a map the key."""
    if isinstance(container, CelMap):
        return any(equal(a, key) for key in container.keys())  # noqa: SIM118 - a CelMap is no dict: unknown keys find a fallback
    if isinstance(container, list):
        return any(equal(a, item) for item in container)
    raise NoOverloadError


def index_of(value: Any, wanted: Any, start: Any = 0) -> int:
    """Do what indexOf(), of strings and lists does."""
    if isinstance(value, list):
        return next((i for i, item in enumerate(value) if equal(item, wanted)), -1)
    check_text(value, wanted)
    check_integers(start)
    _check_start(start)
    if not wanted:
        return int(min(start, len(value)))
    return int(value.find(wanted, start))


def last_index_of(value: Any, wanted: Any, start: Any = None) -> int:
    """Do what lastIndexOf(), of strings and lists does."""
    if isinstance(value, list):
        return next((i for i in reversed(range(len(value))) if equal(value[i], wanted)), -1)
    check_text(value, wanted)
    if start is None:
        return int(value.rfind(wanted))
    check_integers(start)
    _check_start(start)
    if not wanted:
        return int(min(start, len(value)))
    return int(value.rfind(wanted, 0, start + len(wanted))) if start < len(value) else -1


def _check_start(start: int) -> None:
    if start < 0:
        raise IndexError(f"the index {start} is outside of the string")


def extreme(sign: int) -> Callable[[Any], Any]:
    """Do what min() and max() does."""

    def apply(items: Any) -> Any:
        check_list(items)
        if not items:
            raise ValueError("the list is empty: it has no smallest and no greatest element")
        best = items[0]
        for item in items[1:]:
            if _order(item, best) == sign:
                best = item
        return best

    return apply


def sum_(items: Any) -> Any:
    """Do what sum() does."""
    check_list(items)
    total: Any = items[0] if items else 0
    if not is_number(total) and not isinstance(total, Duration):
        raise NoOverloadError
    for item in items[1:]:
        total = add(total, item)
    return total


def is_sorted(items: Any) -> bool:
    """Do what isSorted() does."""
    check_list(items)
    return all(_order(a, b) <= 0 for a, b in pairwise(items))


def _order(a: Any, b: Any) -> int:
    """Compare two elements; those of different types, and a NaN, are equal here."""
    if not all(is_number(one) or isinstance(one, bool | str | bytes | Duration | Timestamp) for one in (a, b)):
        raise NoOverloadError
    try:
        return compare(a, b)
    except (NoOverloadError, ValueError):
        return 0


def sort_by(items: Any, keys: Any) -> list[Any]:
    """Do what sortBy() does."""
    check_list(items, keys)
    order = sorted(range(len(items)), key=cmp_to_key(lambda i, j: _order(keys[i], keys[j])))
    return [items[i] for i in order]


def distinct(items: Any) -> list[Any]:
    """Do what distinct() does."""
    check_list(items)
    kept: list[Any] = []
    for item in items:
        if not any(equal(item, other) for other in kept):
            kept.append(item)
    return kept


def slice_(items: Any, start: Any, end: Any) -> list[Any]:
    """Do what slice() does."""
    check_list(items)
    check_integers(start, end)
    if not 0 <= start <= end <= len(items):
        raise IndexError(f"cannot take elements {start} to {end} of {len(items)}")
    result: list[Any] = items[start:end]
    return result


def flatten(items: Any, depth: Any = 1) -> list[Any]:
    """Do what flatten() does."""
    check_list(items)
    check_integers(depth)
    if depth < 0:
        raise ValueError("the depth of flatten() is negative")
    flat = items
    for _ in range(min(depth, 300)):
        if not any(isinstance(item, list) for item in flat):
            break
        flat = [inner for item in flat for inner in (item if isinstance(item, list) else [item])]
    return list(flat)


def range_(n: Any) -> list[int]:
    """Do what lists.range() does."""
    check_integers(n)
    if not 0 <= n <= 1_000_000:
        raise ValueError(f"lists.range({n}): the size must be between 0 and 1,000,000")
    return list(range(n))


def reverse_(items: Any) -> list[Any]:
    """Do what reverse() does."""
    check_list(items)
    return list(reversed(items))


def contains_all(a: Any, b: Any) -> bool:
    """Do what sets.contains() does."""
    check_list(a, b)
    return all(contained(item, a) for item in b)


def share(a: Any, b: Any) -> bool:
    """Do what sets.intersects() does."""
    check_list(a, b)
    return any(contained(item, b) for item in a)


def includes(value: Any, wanted: Any) -> bool:
    """Do what includes() does."""
    return any(equal(item, wanted) for item in value) if isinstance(value, list) else equal(value, wanted)


def end_of(items: Any, index: int) -> OptionalValue:
    """Do what first() and last() does."""
    check_list(items)
    return OptionalValue(present=True, value=items[index]) if items else ABSENT


T = TypeVar("T")

_UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def _ask(ask: Callable[[Program], T], text: Any, pattern: Any, patterns: Patterns) -> T:
    """Return the answer of a pattern about a text; NotHereError where dralint does not run the pattern."""
    from dralint.cel.regex.program import program

    check_text(text, pattern)
    try:
        return ask(program(pattern, patterns))
    except RegexError as error:
        raise ValueError(f'the pattern "{pattern[:60]}" {error}') from None
    except PatternLimitError as error:
        raise LimitError.of(str(error)) from None
    except NotRunError as error:
        raise NotHereError.of(str(error)) from None


def matches(patterns: Patterns, text: Any, pattern: Any) -> bool:
    """Do what matches() does."""
    return _ask(lambda program: program.search(text), text, pattern, patterns) is not None


def find(patterns: Patterns, text: Any, pattern: Any) -> str:
    """Do what find() does."""
    span = _ask(lambda program: program.search(text), text, pattern, patterns)
    return text[span[0] : span[1]] if span is not None else ""


def find_all(patterns: Patterns, text: Any, pattern: Any, limit: Any = -1) -> list[str]:
    """Do what findAll() does."""
    check_integers(limit)
    found = _ask(lambda program: program.find_all(text), text, pattern, patterns)
    return found if limit < 0 else found[:limit]


def lower(text: str) -> str:
    """Do what lowerAscii() does."""
    check_text(text)
    return text.translate(_LOWER)


def upper(text: str) -> str:
    """Do what upperAscii() does."""
    check_text(text)
    return text.translate(_UPPER)


def substring(text: str, start: Any, end: Any = None) -> str:
    """Do what substring() does."""
    check_text(text)
    check_integers(start, 0 if end is None else end)
    stop = len(text) if end is None else end
    if not 0 <= start <= stop <= len(text):
        raise IndexError(f"the range {start} to {stop} is outside of the string")
    return text[start:stop]


def char_at(text: str, index: Any) -> str:
    """Do what charAt() does."""
    check_text(text)
    check_integers(index)
    if not 0 <= index <= len(text):
        raise IndexError(f"the index {index} is outside of the string")
    return text[index : index + 1]


def replace(text: str, old: str, new: str, count: Any = -1) -> str:
    """Do what replace() does."""
    check_text(text, old, new)
    check_integers(count)
    check_size(len(text) + (text.count(old) + 1) * len(new))
    return text.replace(old, new, count)


def split(text: Any, separator: Any, limit: Any = -1) -> list[str]:
    """Do what split() does."""
    check_text(text, separator)
    check_integers(limit)
    if limit == 0:
        return []
    if separator:
        return text.split(separator, limit - 1 if limit > 0 else -1) if limit != 1 else [text]
    characters = list(text)
    if 0 < limit < len(characters):
        return [*characters[: limit - 1], "".join(characters[limit - 1 :])]
    return characters


def join(items: Any, separator: Any = "") -> str:
    """Do what join() does."""
    if not isinstance(items, list):
        raise NoOverloadError
    check_text(separator, *items)
    check_size(sum(map(len, items)) + len(separator) * len(items))
    return separator.join(items)  # type: ignore[no-any-return]  # check_text made sure


def trim(text: str) -> str:
    """Do what trim() does."""
    check_text(text)
    return text.strip()


def boolean_text(name: str) -> Callable[[Any, Any], bool]:
    """Do what a function that compares two strings does."""

    def apply(text: Any, other: Any) -> bool:
        check_text(text, other)
        return bool(getattr(text, name)(other))

    return apply
