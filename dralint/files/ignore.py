"""Patterns of .gitignore and --exclude: pathspec reads them, and matching takes time in proportion to the path only."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pathspec import GitIgnoreSpec

_LARGEST = 1024 * 1024
"""The largest .gitignore that is read, in bytes."""
_LONGEST = 4096
"""The longest pattern, in characters; as long as a path can be on Linux."""
_PART = re.compile(
    r"\(\?:/\.\+\)\?|\[(?:\\.|[^\]\\])+\]\*|\((?:[^()]|\([^()]*\))*\).?|\[(?:\\.|[^\]\\])+\]|\\.|.", re.DOTALL
)
"""The parts of pathspec's regular expressions: `**` in the middle, `*`, a group, a set of characters, a character."""
_ANY_FOLDERS, _ANY_TEXT = "(?:/.+)?", "[^/]*"


def spec_of(lines: Iterable[str]) -> GitIgnoreSpec:
    """Return a spec for the lines; it skips malformed patterns, as git does."""
    from pathspec import GitIgnoreSpec

    patterns = [pattern for line in lines for pattern in patterns_of(line) or ()]
    try:
        return GitIgnoreSpec(patterns, backend="simple")  # other backends do not know all parts of the expressions
    except TypeError:  # before pathspec 1.0 there is no other
        return GitIgnoreSpec(patterns)


def patterns_of(line: str) -> list[Any] | None:
    """Return the (compiled) pattern in a line, if it has one; None where it is malformed."""
    from pathspec import GitIgnoreSpec

    if len(line) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # Python may change the meaning of `[a--b]`
            patterns = GitIgnoreSpec.from_lines([line]).patterns
            return [
                type(pattern)(re.compile(_without_backtracking(pattern.regex.pattern)), pattern.include)
                for pattern in patterns
                if pattern.regex is not None
            ]
    except (ValueError, re.error, RecursionError):
        return None


def _without_backtracking(expression: str) -> str:
    """Return pathspec's regular expression without backtracking.

    The part between two stars of a segment, or between two `**`, always has the same length in characters or segments.
    Its first match is as good as any later one: whatever follows also fits after the first match.
    """
    parts = _PART.findall(expression)
    blocks: list[list[str]] = [[]]
    for part in parts:
        if part == _ANY_FOLDERS:
            blocks.append([])
        else:
            blocks[-1].append(part)
    if len(blocks) == 1:
        return _stars(blocks[0])
    out: list[str] = []
    for number, block in enumerate(blocks):
        text = _stars(block)
        if number == len(blocks) - 1:
            out.append(_ANY_FOLDERS + text)
        elif number:
            out.append(f"(?>(?:/.+?)??{text}(?=/))")
        else:
            text = text.replace("^(?:.+/)?", "^(?:.+?/)??", 1)
            out.append(f"(?>{text}(?=/))")
    return "".join(out)


def _stars(parts: list[str]) -> str:
    """Return the parts of one block with atomic stars, except for the last one of each segment."""
    out: list[str] = []
    star: int | None = None
    for part in parts:
        if part == "/":
            star = None
        elif part == _ANY_TEXT:
            if star is not None:
                out[star] = "(?>[^/]*?"
                out.append(")")
            star = len(out)
        elif part[0] == "[" and part != "[^/]" and part != "[^/]+":
            out.append("(?!/)")  # in git, a set of characters does not match a slash
        out.append(part)
    return "".join(out)


def read_patterns(path: str) -> GitIgnoreSpec | None:
    """Return the patterns of a .gitignore; None where it has none, is not a regular file or cannot be read."""
    from dralint.files.source import read_plain

    try:
        raw = read_plain(path, _LARGEST)
    except OSError:
        return None
    spec = spec_of(raw.decode("utf-8", "replace").removeprefix("\ufeff").splitlines())
    return spec if len(spec.patterns) else None
