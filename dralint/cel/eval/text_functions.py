"""Functions on strings (cel-go ext/strings.go, k8s.io/apiserver pkg/cel/library/regex.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from dralint.cel.eval.comparison import (
    LimitError,
    NoOverloadError,
    NotHereError,
    check_integers,
    check_size,
    check_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.cel.regex.dialect import Patterns
    from dralint.cel.regex.program import Program


T = TypeVar("T")

_UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def _ask(ask: Callable[[Program], T], text: Any, pattern: Any, patterns: Patterns) -> T:
    """Return the answer of a pattern about a text; NotHereError where dralint does not run the pattern."""
    from dralint.cel.regex.classes import NotRunError, PatternLimitError  # few selectors have patterns
    from dralint.cel.regex.parse import RegexError
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
