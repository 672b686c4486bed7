"""Finds the files that a run reads: paths, directories, globs, standard input; not ignored or excluded files."""

from __future__ import annotations

import glob
import os
import re
import stat
from typing import TYPE_CHECKING

from dralint.files.ignore import Excluded
from dralint.files.source import Source, plain
from dralint.finding.report import Failure, LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


SUFFIXES = (".yaml", ".yml", ".json")
STDIN = "-"
_MAGIC = frozenset("*?[")
NOWHERE = "a link that leads nowhere"
EXCLUDED = "--exclude leaves it out"


class Discovery:
    """The result of discovery: the files in order, directories that cannot be listed, and paths that do not exist.

    `left_out` has the manifests and directories that it found and skipped. `too_many` says that a directory has more
    than `most` files or folders; then none of its files is found.
    """

    def __init__(self, *, documents: bool = True, most: tuple[int, int] | None = None) -> None:
        self.documents = documents
        self.most = most
        self.too_many = False
        self.sources: list[Source] = []
        self.failures: list[Failure] = []
        self.missing: list[str] = []
        self.left_out: list[LeftOut] = []

    def exclude(self, patterns: Sequence[str]) -> None:
        """Leave out the files that match patterns of configurations, each relative to its folder."""
        excluded = Excluded(patterns)
        out = {source for source in self.sources if source.path is not None and excluded.matches_rooted(source.path)}
        self.sources = [source for source in self.sources if source not in out]
        self.left_out += [LeftOut(source.name, EXCLUDED) for source in out]
        self.left_out.sort(key=lambda left_out: left_out.file)

    def leave_out(self, path: str, reason: str) -> None:
        """Note that a file or directory is skipped."""
        self.left_out.append(LeftOut(printable_name(plain(path)), reason))


def discover(
    paths: Sequence[str],
    exclude: Sequence[str] = (),
    stdin_name: str = "<stdin>",
    *,
    documents: bool = True,
    most: tuple[int, int] | None = None,
) -> Discovery:
    """Return the files that the paths stand for, each once.

    A path that exists is taken literally; otherwise a path with `*`, `?` or `[` is a glob (`**` crosses directories).
    In a directory only *.yaml, *.yml and *.json count and, with `documents`, *.md, *.markdown and *.rst that have
    manifests in code blocks. dralint skips hidden directories and files that .gitignore excludes. It reads a named file
    whatever its suffix. `exclude` has patterns in the syntax of .gitignore. They are matched against the path as it is
    reported and against the path below the named directory. `most` has how many files and folders a directory may have.

    Raises:
        ValueError: a pattern of `exclude` is malformed; the text names it.
    """
    found = Discovery(documents=documents, most=most)
    excluded = None
    if exclude:
        excluded = Excluded(exclude)
    seen: set[str] = set()
    for path in paths:
        if path == STDIN:
            candidates: Iterator[tuple[Source, str]] = iter([(Source(stdin_name, None, named=True), STDIN)])
        else:
            candidates = _expand(path, excluded, found)
        for source, key in candidates:
            if key not in seen:
                seen.add(key)
                found.sources.append(source)
    found.left_out = sorted(set(found.left_out), key=lambda left_out: left_out.file)
    return found


def printable_name(path: str) -> str:
    """Return a file name as text: bytes that are not UTF-8 become U+FFFD."""
    return path if path.isascii() else os.fsencode(path).decode("utf-8", "replace")


def _expand(path: str, excluded: Excluded | None, found: Discovery) -> Iterator[tuple[Source, str]]:
    try:
        mode = os.stat(path).st_mode if path else 0
    except PermissionError as error:
        found.failures.append(Failure(printable_name(path), f"cannot be opened: {error.strerror}"))
        return
    except (OSError, ValueError):
        mode = 0
    if mode:
        yield from _given(path, mode, excluded, found)
        return
    matches = _glob(path) if _MAGIC.intersection(path) else []
    if not matches:
        found.missing.append(printable_name(path))
    for match in matches:
        try:
            mode = os.stat(match).st_mode
        except OSError:
            found.leave_out(match, NOWHERE)
            continue
        yield from _given(match, mode, excluded, found)


def _glob(pattern: str) -> list[str]:
    try:
        return sorted(glob.glob(pattern, recursive=True))
    except re.error:
        return []


def _given(path: str, mode: int, excluded: Excluded | None, found: Discovery) -> Iterator[tuple[Source, str]]:
    if stat.S_ISDIR(mode):
        from dralint.files.walk import walk  # a named file needs no walk

        yield from walk(path, excluded, found)
    elif excluded is not None and excluded.matches(path, path):
        found.leave_out(path, EXCLUDED)
    else:
        yield Source(printable_name(path), path, named=True), os.path.abspath(path)
