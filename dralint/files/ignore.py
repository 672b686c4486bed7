"""Patterns of .gitignore and --exclude, and the files that they leave out."""

from __future__ import annotations

import os
import re
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

from dralint.files.source import plain, read_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    try:
        raw = read_plain(path, _LARGEST)
    except OSError:
        return None
    spec = spec_of(raw.decode("utf-8", "replace").removeprefix("\ufeff").splitlines())
    return spec if len(spec.patterns) else None


class Rooted(str):
    """A pattern relative to an absolute folder, wherever the run starts, such as one of a configuration."""

    folder: str

    def __new__(cls, pattern: str, folder: str = "") -> Rooted:
        """Return a pattern, which is a string; it has no folder only while it is unpickled."""
        self = super().__new__(cls, pattern)
        self.folder = folder
        return self


def matches(patterns: tuple[str, ...], base: str, file: str) -> bool:
    """Say whether one of the patterns matches the file.

    Args:
        base: the folder that the patterns are relative to, absolute.
        file: a path from the working directory; that of a folder ends in a slash.
    """
    place = os.path.relpath(os.path.abspath(file), base)
    return not place.startswith(os.pardir) and _spec(patterns).match_file(place + "/" * file.endswith("/"))


@cache
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    return spec_of(patterns)


class Excluded:
    """The patterns of --exclude; ValueError where one is malformed."""

    __slots__ = ("_patterns", "_rooted")

    def __init__(self, patterns: Sequence[str]) -> None:
        for pattern in patterns:
            if not pattern.strip() or patterns_of(pattern) is None:
                msg = f"{pattern!r} is not a pattern; write one as in .gitignore, for example charts/ or *.gen.yaml"
                raise ValueError(msg)
            if _open_bracket(pattern):
                msg = f"{pattern!r} has a `[` without its `]`; for the character itself write `\\[`"
                raise ValueError(msg)
        self._patterns = tuple(map(plain, patterns))
        self._rooted: dict[str, tuple[str, ...]] = {}
        for pattern in patterns:
            if isinstance(pattern, Rooted):
                self._rooted[pattern.folder] = (*self._rooted.get(pattern.folder, ()), pattern)

    def matches(self, path: str, below: str) -> bool:
        """Say whether a pattern matches the path as it is reported, or the path below the named directory."""
        if not self._patterns:
            return False
        spec = _spec(self._patterns)
        return spec.match_file(plain(path)) or spec.match_file(below) or self.matches_rooted(path)

    def matches_rooted(self, path: str) -> bool:
        """Say whether a pattern with a folder matches the path below its folder."""
        return any(matches(patterns, folder, path) for folder, patterns in self._rooted.items())


def _open_bracket(pattern: str) -> bool:
    """Say whether a bracket expression is not closed in the pattern; with it, git would match nothing."""
    at = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 2
        elif pattern[at] == "[":
            first = at + 2 if pattern[at + 1 : at + 2] in ("!", "^") else at + 1
            end = pattern.find("]", first + 1)  # a bracket in the first place belongs to the set
            if end < 0:
                return True
            at = end + 1
        else:
            at += 1
    return False
