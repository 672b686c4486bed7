"""Matches the files that --exclude leaves out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dralint.files.discover import plain
from dralint.files.ignore import patterns_of, spec_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pathspec import GitIgnoreSpec


class Rooted(str):
    """A pattern relative to an absolute folder, wherever the run starts, such as one of a configuration."""

    folder: str

    def __new__(cls, pattern: str, folder: str = "") -> Rooted:
        """Return a pattern, which is a string; it has no folder only while it is unpickled."""
        self = super().__new__(cls, pattern)
        self.folder = folder
        return self


class Excluded:
    """The patterns of --exclude; ValueError where one is malformed."""

    __slots__ = ("_rooted", "_spec")

    def __init__(self, patterns: Sequence[str]) -> None:
        self._spec: GitIgnoreSpec | None = None
        self._rooted: list[tuple[str, GitIgnoreSpec]] = []
        if patterns:
            for pattern in patterns:
                if not pattern.strip() or patterns_of(pattern) is None:
                    msg = f"{pattern!r} is not a pattern; write one as in .gitignore, for example charts/ or *.gen.yaml"
                    raise ValueError(msg)
                if _open_bracket(pattern):
                    msg = f"{pattern!r} has a `[` without its `]`; for the character itself write `\\[`"
                    raise ValueError(msg)
            self._spec = spec_of([plain(pattern) for pattern in patterns])
            folders = dict.fromkeys(pattern.folder for pattern in patterns if isinstance(pattern, Rooted))
            self._rooted = [
                (folder, spec_of([p for p in patterns if isinstance(p, Rooted) and p.folder == folder]))
                for folder in folders
            ]

    def matches(self, path: str, below: str) -> bool:
        """Say whether a pattern matches the path as it is reported, or the path below the named directory."""
        spec = self._spec
        if spec is None:
            return False
        return spec.match_file(plain(path)) or spec.match_file(below) or self.matches_rooted(path)

    def matches_rooted(self, path: str) -> bool:
        """Say whether a pattern with a folder matches the path below its folder."""
        return any(self._below(folder, path, rooted) for folder, rooted in self._rooted)

    @staticmethod
    def _below(folder: str, path: str, spec: GitIgnoreSpec) -> bool:
        place = os.path.relpath(os.path.abspath(path), folder)
        return not place.startswith(os.pardir) and spec.match_file(place + ("/" if path.endswith("/") else ""))


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
