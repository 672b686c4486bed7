"""Finds the files that a run reads: paths, directories, globs, standard input.

Below a directory, it leaves out hidden ones, and what a .gitignore or --exclude leaves out.
"""

from __future__ import annotations

import glob
import os
import re
import stat
from operator import attrgetter
from typing import TYPE_CHECKING

from dralint.files.ignore import Excluded, read_patterns
from dralint.files.source import DOCUMENTS, LARGEST_FILE, Source, plain, read_plain
from dralint.files.write_guard import repository_of, upwards, way_out, within
from dralint.finding.report import LEADS_OUT, PACKED, Failure, LeftOut
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pathspec import GitIgnoreSpec


SUFFIXES = (".yaml", ".yml", ".json")
STDIN = "-"
_MAGIC = frozenset("*?[")
_NOWHERE = "a link that leads nowhere"
EXCLUDED = "--exclude leaves it out"
_NAME = attrgetter("name")
_PACKED = tuple(f"{suffix}.gz" for suffix in SUFFIXES)


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
    excluded = Excluded(exclude) if exclude else None
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
            found.leave_out(match, _NOWHERE)
            continue
        yield from _given(match, mode, excluded, found)


def _glob(pattern: str) -> list[str]:
    try:
        return sorted(glob.glob(pattern, recursive=True))
    except re.error:
        return []


def _given(path: str, mode: int, excluded: Excluded | None, found: Discovery) -> Iterator[tuple[Source, str]]:
    if stat.S_ISDIR(mode):
        yield from _walked(path, excluded, found)
    elif excluded is not None and excluded.matches(path, path):
        found.leave_out(path, EXCLUDED)
    else:
        yield Source(printable_name(path), path, named=True), os.path.abspath(path)


class _Folder(NamedTuple):
    """A directory to list: its path, its name below the start, and the .gitignore files that apply to it."""

    path: str
    below: str
    ignores: tuple[tuple[str, GitIgnoreSpec], ...]


def _walked(start: str, excluded: Excluded | None, found: Discovery) -> Iterator[tuple[Source, str]]:
    """Yield the files below a directory, each with its absolute path; note skipped ones in `found`."""
    outer = _outer_ignores(os.path.abspath(start))
    if _ignored(outer, os.path.abspath(start), True):
        outer = ()  # a named directory is read, even if the repository ignores it
    walked = _Walk(start, excluded, found)
    walked.folders.append(_Folder("" if os.path.normpath(start) == os.curdir else start, "", outer))
    while walked.folders or walked.linked:
        # Links to directories come last, so that the files of a real directory get their real names.
        walked.enter(walked.folders.pop() if walked.folders else walked.linked.pop())
        if found.most is not None and (len(walked.files) > found.most[0] or len(walked.visited) > found.most[1]):
            found.too_many = True
            return
    for path, full in sorted(walked.files):
        yield Source(printable_name(path), path, folder=start), full


class _Walk:
    """The files that were found so far, with their absolute paths, and the folders that are left."""

    def __init__(self, start: str, excluded: Excluded | None, found: Discovery) -> None:
        self._start, self._root = start, os.path.abspath(start)
        self._excluded = excluded
        self._found = found
        self._suffixes = (*SUFFIXES, *DOCUMENTS) if found.documents else SUFFIXES
        self.visited: set[tuple[int, int]] = set()
        self.files: list[tuple[str, str]] = []
        self.folders: list[_Folder] = []
        self.linked: list[_Folder] = []

    def enter(self, folder: _Folder) -> None:
        """Take what is in a folder."""
        entries = _entries(folder.path or os.curdir, self.visited, self._found)
        absolute = os.path.join(self._root, folder.below) if folder.below else self._root
        ignores = folder.ignores
        if ".gitignore" in map(_NAME, entries):
            ignores = (*ignores, *_ignores_of(absolute))
        before, all_before, start_before = (os.path.join(each, "") for each in (folder.path, absolute, folder.below))
        for entry in entries:
            name = entry.name
            kind = _kind(entry)
            directory = kind == "directory"
            ending = "" if directory else name.lower()
            if ending and not ending.endswith(self._suffixes):
                if ending.endswith(_PACKED):
                    self._found.leave_out(before + name, PACKED)
                continue
            path, full, below, slash = before + name, all_before + name, start_before + name, "/" if directory else ""
            if ending.endswith(DOCUMENTS) and not (kind == "file" and _has_manifests(path)):
                continue
            reason = "" if kind == "file" else _reason(kind, name)
            if not reason and entry.is_symlink() and _leads_out(path, self._start):
                reason = LEADS_OUT
            if reason := reason or _excluding(ignores, self._excluded, full, path + slash, below + slash):
                self._found.leave_out(path + slash, reason)
            elif directory:
                (self.linked if entry.is_symlink() else self.folders).append(_Folder(path, below, ignores))
            else:
                self.files.append((path, full))


def _excluding(
    ignores: tuple[tuple[str, GitIgnoreSpec], ...], excluded: Excluded | None, full: str, path: str, below: str
) -> str:
    """Return why patterns leave out a path; empty if they do not. `path` and `below` of a directory end in a slash."""
    if _ignored(ignores, full, path.endswith("/")):
        return "a .gitignore file excludes it"
    return EXCLUDED if excluded is not None and excluded.matches(path, below) else ""


def _entries(place: str, visited: set[tuple[int, int]], found: Discovery) -> list[os.DirEntry[str]]:
    """Return the entries of a directory by name; none if it was visited, or cannot be listed."""
    try:
        status = os.stat(place)
        identity = status.st_dev, status.st_ino
        if identity in visited:
            return []
        visited.add(identity)
        with os.scandir(place) as listing:
            return sorted(listing, key=_NAME)
    except OSError as error:
        found.failures.append(Failure(printable_name(place), f"cannot be listed: {error.strerror}"))
        return []


def _has_manifests(document: str) -> bool:
    """Say whether a document has manifests in its code blocks."""
    try:
        return Source(document, None, read_plain(document, LARGEST_FILE)).read() != b""
    except OSError:
        return False


def _kind(entry: os.DirEntry[str]) -> str:
    """Return `directory`, `file`, `link` for one to itself or to a missing target, or `other` (a pipe)."""
    try:
        if entry.is_dir():
            return "directory"
        if entry.is_file():
            return "file"
        return "link" if entry.is_symlink() and not os.path.exists(entry.path) else "other"
    except OSError:
        return "link"


def _reason(kind: str, name: str) -> str:
    """Return why an entry is always skipped, whatever the patterns are; empty when it is not."""
    if kind == "directory":
        return "a hidden directory" if name.startswith(".") else ""
    return {"link": _NOWHERE, "other": "neither a file nor a directory"}.get(kind, "")


def _leads_out(path: str, start: str) -> bool:
    """Say whether a link leads out of its repository, and out of the named directory."""
    return not within(os.path.realpath(path), os.path.realpath(start)) and way_out(path, start) is not None


def _outer_ignores(directory: str) -> tuple[tuple[str, GitIgnoreSpec], ...]:
    """Return the .gitignore files above a directory, the topmost first, if it is in a git repository."""
    top = repository_of(directory)
    above = [] if top is None else [place for place in upwards(directory) if within(place, top) and place != directory]
    places = [place for place in reversed(above) if os.path.isfile(os.path.join(place, ".gitignore"))]
    return tuple(ignores for place in places for ignores in _ignores_of(place))


def _ignores_of(directory: str) -> tuple[tuple[str, GitIgnoreSpec], ...]:
    spec = read_patterns(os.path.join(directory, ".gitignore"))
    return () if spec is None else ((directory, spec),)


def _ignored(ignores: Sequence[tuple[str, GitIgnoreSpec]], path: str, directory: bool) -> bool:
    """Say whether the nearest .gitignore with a pattern for the path ignores it."""
    for base, spec in reversed(ignores):
        below = path[len(base) :].lstrip(os.sep)
        verdict = spec.check_file(below + "/" if directory else below).include
        if verdict is not None:
            return verdict
    return False
