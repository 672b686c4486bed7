"""Which files a run reads: paths, directories, globs, standard input; not what .gitignore or --exclude leaves out."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING, NamedTuple

from dralint.files.bounds import way_out, within
from dralint.files.source import Source
from dralint.finding.report import LEADS_OUT, Failure, LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pathspec import GitIgnoreSpec

SUFFIXES = (".yaml", ".yml", ".json")
STDIN = "-"
_MAGIC = frozenset("*?[")
_NOWHERE = "a link that leads nowhere"
EXCLUDED = "--exclude leaves it out"


class Discovery:
    """What discovery found: the files in order, directories that cannot be listed, and paths that do not exist.

    `left_out` are the manifests and directories that it came upon and passed over.
    """

    def __init__(self) -> None:
        self.sources: list[Source] = []
        self.failures: list[Failure] = []
        self.missing: list[str] = []
        self.left_out: list[LeftOut] = []

    def leave_out(self, path: str, reason: str) -> None:
        """Note that a file or directory is passed over."""
        self.left_out.append(LeftOut(printable_name(_plain(path)), reason))


def discover(paths: Sequence[str], exclude: Sequence[str] = (), stdin_name: str = "<stdin>") -> Discovery:
    """Return the files that the paths stand for, each once.

    A path that exists is taken literally, one with `*`, `?` or `[` is a glob otherwise (`**` crosses directories). In
    a directory only *.yaml, *.yml and *.json count; hidden directories and what .gitignore files exclude are left out.
    A file that is named is read whatever its suffix. `exclude` holds patterns in the syntax of .gitignore, matched
    against the path as it is reported and as it stands below the directory named.

    Raises:
        ValueError: a pattern of `exclude` is malformed; the text says which.
    """
    found = Discovery()
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
    import glob

    try:
        return sorted(glob.glob(pattern, recursive=True))
    except re.error:
        return []


def _given(path: str, mode: int, excluded: Excluded | None, found: Discovery) -> Iterator[tuple[Source, str]]:
    if stat.S_ISDIR(mode):
        yield from _walk(path, excluded, found)
    elif excluded is not None and excluded.matches(path, path):
        found.leave_out(path, EXCLUDED)
    else:
        yield Source(printable_name(path), path, named=True), os.path.abspath(path)


class _Folder(NamedTuple):
    """A directory to list: its path, what it is called below the start, and the .gitignore files that hold in it."""

    path: str
    below: str
    ignores: tuple[tuple[str, GitIgnoreSpec], ...]


def _walk(start: str, excluded: Excluded | None, found: Discovery) -> Iterator[tuple[Source, str]]:
    base = "" if os.path.normpath(start) == os.curdir else start
    root = os.path.abspath(start)
    outer = _outer_ignores(root)
    if _ignored(outer, root, True):
        outer = ()  # what is named is read, even where the repository ignores it
    visited: set[tuple[int, int]] = set()
    files: list[tuple[str, str]] = []
    folders = [_Folder(base, "", outer)]
    linked: list[_Folder] = []
    while folders or linked:
        # Links to directories come last: what a real directory holds is called by its real name.
        folder = folders.pop() if folders else linked.pop()
        place = folder.path or os.curdir
        try:
            status = os.stat(place)
            if (status.st_dev, status.st_ino) in visited:
                continue
            visited.add((status.st_dev, status.st_ino))
            with os.scandir(place) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            found.failures.append(Failure(printable_name(place), f"cannot be listed: {error.strerror}"))
            continue
        absolute = os.path.join(root, folder.below) if folder.below else root
        ignores = folder.ignores
        if any(entry.name == ".gitignore" for entry in entries):
            ignores = (*ignores, *_ignores_of(absolute))
        for entry in entries:
            name = entry.name
            path = os.path.join(folder.path, name)
            below = os.path.join(folder.below, name)
            kind = _kind(entry)
            directory = kind == "directory"
            if not directory and not name.lower().endswith(SUFFIXES):
                continue
            full, slash = os.path.join(absolute, name), "/" if directory else ""
            reason = _reason(kind, name)
            if not reason and entry.is_symlink() and _leads_out(path, start):
                reason = LEADS_OUT
            if reason:
                found.leave_out(path + slash, reason)
            elif _ignored(ignores, full, directory):
                found.leave_out(path + slash, "a .gitignore file excludes it")
            elif excluded is not None and excluded.matches(path + slash, below + slash):
                found.leave_out(path + slash, EXCLUDED)
            elif directory:
                (linked if entry.is_symlink() else folders).append(_Folder(path, below, ignores))
            else:
                files.append((path, full))
    files.sort()
    for path, full in files:
        yield Source(printable_name(path), path, folder=start), full


def _kind(entry: os.DirEntry[str]) -> str:
    """Return `directory`, `file`, `link` for one to itself or to nowhere, or `other` (a pipe)."""
    try:
        if entry.is_dir():
            return "directory"
        if entry.is_file():
            return "file"
        return "link" if entry.is_symlink() and not os.path.exists(entry.path) else "other"
    except OSError:
        return "link"


def _reason(kind: str, name: str) -> str:
    """Return why something is passed over whatever the patterns say; empty when it is not."""
    if kind == "directory":
        return "a hidden directory" if name.startswith(".") else ""
    return {"link": _NOWHERE, "other": "neither a file nor a directory"}.get(kind, "")


def _leads_out(path: str, start: str) -> bool:
    """Say whether a link leads out of the repository that it lies in, and out of the directory that was named."""
    return not within(os.path.realpath(path), os.path.realpath(start)) and way_out(path, start) is not None


def _outer_ignores(directory: str) -> tuple[tuple[str, GitIgnoreSpec], ...]:
    """Return the .gitignore files above a directory, the topmost first, where it lies in a repository of git."""
    above: list[str] = []
    at = directory
    while not os.path.exists(os.path.join(at, ".git")):
        parent = os.path.dirname(at)
        if parent == at:
            return ()
        above.append(parent)
        at = parent
    out: tuple[tuple[str, GitIgnoreSpec], ...] = ()
    for place in reversed(above):
        if os.path.isfile(os.path.join(place, ".gitignore")):
            out = (*out, *_ignores_of(place))
    return out


def _ignores_of(directory: str) -> tuple[tuple[str, GitIgnoreSpec], ...]:
    from dralint.files.ignore import read_patterns  # pathspec takes time, and few directories have a .gitignore

    spec = read_patterns(os.path.join(directory, ".gitignore"))
    return () if spec is None else ((directory, spec),)


def _ignored(ignores: Sequence[tuple[str, GitIgnoreSpec]], path: str, directory: bool) -> bool:
    """Say whether the nearest .gitignore that speaks of the path ignores it."""
    for base, spec in reversed(ignores):
        below = path[len(base) :].lstrip(os.sep)
        verdict = spec.check_file(below + "/" if directory else below).include
        if verdict is not None:
            return verdict
    return False


class Rooted(str):
    """A pattern that counts from a folder (absolute), wherever the run starts: those of a configuration do."""

    folder: str

    def __new__(cls, pattern: str, folder: str = "") -> Rooted:
        """Return a pattern that is the text; without a folder only to be read from a pickle."""
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
            from dralint.files.ignore import patterns_of, spec_of

            for pattern in patterns:
                if not pattern.strip() or patterns_of(pattern) is None:
                    msg = f"{pattern!r} is not a pattern; write one as in .gitignore, for example charts/ or *.gen.yaml"
                    raise ValueError(msg)
                if _open_bracket(pattern):
                    msg = f"{pattern!r} has a `[` without its `]`; for the character itself write `\\[`"
                    raise ValueError(msg)
            self._spec = spec_of([_plain(pattern) for pattern in patterns])
            folders = dict.fromkeys(pattern.folder for pattern in patterns if isinstance(pattern, Rooted))
            self._rooted = [
                (folder, spec_of([p for p in patterns if isinstance(p, Rooted) and p.folder == folder]))
                for folder in folders
            ]

    def matches(self, path: str, below: str) -> bool:
        """Say whether a pattern matches the path as it is reported, or as it stands below the directory named."""
        spec = self._spec
        if spec is None:
            return False
        return (
            spec.match_file(_plain(path))
            or spec.match_file(below)
            or any(self._below(folder, path, rooted) for folder, rooted in self._rooted)
        )

    @staticmethod
    def _below(folder: str, path: str, spec: GitIgnoreSpec) -> bool:
        place = os.path.relpath(os.path.abspath(path), folder)
        return not place.startswith(os.pardir) and spec.match_file(place + ("/" if path.endswith("/") else ""))


def _open_bracket(pattern: str) -> bool:
    """Say whether a set of characters begins in the pattern and does not end; git would match nothing with it."""
    at = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 2
        elif pattern[at] == "[":
            first = at + 2 if pattern[at + 1 : at + 2] in ("!", "^") else at + 1
            end = pattern.find("]", first + 1)  # a bracket that comes first is one of the set
            if end < 0:
                return True
            at = end + 1
        else:
            at += 1
    return False


def _plain(path: str) -> str:
    return path[2:] if path.startswith("./") else path
