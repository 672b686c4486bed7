"""Patterns of .gitignore and --exclude: read by pathspec, and matched in a time that grows with the path alone."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pathspec import GitIgnoreSpec

_LARGEST = 1024 * 1024
"""Bytes of a .gitignore that are read."""
_LONGEST = 4096
"""Characters of a pattern; as long as a path may be on Linux."""
_PART = re.compile(
    r"\(\?:/\.\+\)\?|\[(?:\\.|[^\]\\])+\]\*|\((?:[^()]|\([^()]*\))*\).?|\[(?:\\.|[^\]\\])+\]|\\.|.", re.DOTALL
)
"""What pathspec's regular expressions are made of: `**` within, `*`, a group, a set of characters, a character."""
_ANY_FOLDERS, _ANY_TEXT = "(?:/.+)?", "[^/]*"


def spec_of(lines: Iterable[str]) -> GitIgnoreSpec:
    """Return what the lines match; one that is no pattern is passed over, as git does."""
    from pathspec import GitIgnoreSpec

    patterns = [pattern for line in lines for pattern in patterns_of(line) or ()]
    try:
        return GitIgnoreSpec(patterns, backend="simple")  # others do not know all that is in the expressions
    except TypeError:  # there is no other before pathspec 1.0
        return GitIgnoreSpec(patterns)


def patterns_of(line: str) -> list[Any] | None:
    """Return the (compiled) pattern in a line, if it has one; None where it is malformed."""
    from pathspec import GitIgnoreSpec

    if len(line) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # `[a--b]` may mean something else to Python some day
            patterns = GitIgnoreSpec.from_lines([line]).patterns
            return [
                type(pattern)(re.compile(_without_backtracking(pattern.regex.pattern)), pattern.include)
                for pattern in patterns
                if pattern.regex is not None
            ]
    except (ValueError, re.error, RecursionError):
        return None


def _without_backtracking(expression: str) -> str:
    """Return pathspec's regular expression such that a choice that was right is never made again.

    What lies between two stars of a segment, or between two `**`, always has the same length in characters, or in
    segments: where it fits first it may stay, as all that comes later fits behind it if it fits at all.
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
    """Return the parts of one block with its stars tied down: all but the last one of each segment."""
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
            out.append("(?!/)")  # git takes no set of characters across folders
        out.append(part)
    return "".join(out)


def read_patterns(path: str) -> GitIgnoreSpec | None:
    """Return the patterns of a .gitignore; None where it has none, is no plain file or cannot be read."""
    from dralint.files.source import read_plain

    try:
        raw = read_plain(path, _LARGEST)
    except OSError:
        return None
    spec = spec_of(raw.decode("utf-8", "replace").removeprefix("\ufeff").splitlines())
    return spec if len(spec.patterns) else None
