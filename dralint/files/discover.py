"""Finds the files that a run reads: paths, directories, globs, standard input.

Below a directory, it leaves out hidden ones, and what a .gitignore or --exclude leaves out.
"""

from __future__ import annotations

import glob
import os
import re
import stat
import warnings
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from dralint.files.atomic import repository_of, upwards, way_out, within
from dralint.files.source import DOCUMENTS, LARGEST_FILE, Source, plain, read_plain
from dralint.finding.report import LEADS_OUT, PACKED, Failure, LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pathspec import GitIgnoreSpec

    _Ignores = tuple[tuple[str, GitIgnoreSpec], ...]


_LARGEST = 1024 * 1024
"""The largest .gitignore that is read, in bytes."""
_LONGEST = 4096
"""The longest pattern, in characters; as long as a path can be on Linux."""
_PART = r"(?s)\(\?:/\.\+\)\?|\[(?:\\.|[^\]\\])+\]\*|\((?:[^()]|\([^()]*\))*\).?|\[(?:\\.|[^\]\\])+\]|\\.|."
"""The parts of pathspec's regular expressions: `**` in the middle, `*`, a group, a set of characters, a character."""
_CLOSED = r"(?s)\\.?|\[[!^]?+.[^\]]*+\]"
"""A character that is escaped, or a set of characters; a bracket in the first place belongs to the set."""
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
    parts = re.findall(_PART, expression)
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

    def __init__(self, patterns: Sequence[str]) -> None:
        for pattern in patterns:
            if not pattern.strip() or patterns_of(pattern) is None:
                msg = f"{pattern!r} is not a pattern; write one as in .gitignore, for example charts/ or *.gen.yaml"
                raise ValueError(msg)
            if "[" in re.sub(_CLOSED, "", pattern):  # with it, git would match nothing
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


SUFFIXES = (".yaml", ".yml", ".json")
CONFIGURATIONS = (".dralint.yaml", ".dralint.yml")
PYPROJECT = "pyproject.toml"
_MARKS = frozenset((".git", *CONFIGURATIONS, PYPROJECT))
"""Where one of these is, other settings may begin."""
STDIN = "-"
_MAGIC = frozenset("*?[")
_NOWHERE = "a link that leads nowhere"
EXCLUDED = "--exclude leaves it out"
_NAME = attrgetter("name")
_PACKED = tuple(f"{suffix}.gz" for suffix in SUFFIXES)


class Discovery:
    """The result of discovery: the files in order, directories that cannot be listed, and paths that do not exist.

    `left_out` has the manifests and directories that it found and skipped. `too_many` says that a directory has more
    than `most` files or folders; then none of its files is found. `homes` has, of each file, the folder in which the
    search for its configuration begins: those between have none.
    """

    def __init__(self, *, documents: bool = True, most: tuple[int, int] | None = None) -> None:
        self.documents = documents
        self.most = most
        self.too_many = False
        self.sources: list[Source] = []
        self.homes: set[str] = set()
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
    matches = sorted(glob.glob(path, recursive=True)) if _MAGIC.intersection(path) else []
    if not matches:
        found.missing.append(printable_name(path))
    for match in matches:
        try:
            mode = os.stat(match).st_mode
        except OSError:
            found.leave_out(match, _NOWHERE)
            continue
        yield from _given(match, mode, excluded, found)


def _given(path: str, mode: int, excluded: Excluded | None, found: Discovery) -> Iterator[tuple[Source, str]]:
    if stat.S_ISDIR(mode):
        yield from _walked(path, excluded, found)
    elif excluded is not None and excluded.matches(path, path):
        found.leave_out(path, EXCLUDED)
    else:
        found.homes.add(os.path.dirname(path))
        yield Source(printable_name(path), path, named=True), os.path.abspath(path)


def _walked(start: str, excluded: Excluded | None, found: Discovery) -> Iterator[tuple[Source, str]]:
    """Yield the files below a directory, each with its absolute path; note skipped ones in `found`."""
    root = os.path.abspath(start)
    outer = _outer_ignores(root)
    if _ignored(outer, root, True):
        outer = ()  # a named directory is read, even if the repository ignores it
    suffixes = (*SUFFIXES, *DOCUMENTS) if found.documents else SUFFIXES
    visited: set[tuple[int, int]] = set()
    files: list[tuple[str, str]] = []
    top = "" if os.path.normpath(start) == os.curdir else start
    folders = [(top, "", outer, top)]
    linked: list[tuple[str, str, _Ignores, str]] = []

    def enter(folder: str, beneath: str, ignores: _Ignores, home: str) -> None:
        """Take what is in a folder.

        Args:
            beneath: its name below the start.
            ignores: the .gitignore files above it.
            home: where the search for a configuration begins above it.
        """
        entries = _entries(folder or os.curdir, visited, found)
        absolute = os.path.join(root, beneath) if beneath else root
        names = set(map(_NAME, entries))
        home = home if names.isdisjoint(_MARKS) else folder
        if ".gitignore" in names:
            ignores = (*ignores, *_ignores_of(absolute))
        before, all_before, start_before = (os.path.join(each, "") for each in (folder, absolute, beneath))
        for entry in entries:
            name = entry.name
            kind = _kind(entry)
            directory = kind == "directory"
            ending = "" if directory else name.lower()
            if ending and not ending.endswith(suffixes):
                if ending.endswith(_PACKED):
                    found.leave_out(before + name, PACKED)
                continue
            path, full, below, slash = before + name, all_before + name, start_before + name, "/" if directory else ""
            if ending.endswith(DOCUMENTS) and not (kind == "file" and _has_manifests(path)):
                continue
            reason = "" if kind == "file" else _reason(kind, name)
            if not reason and entry.is_symlink() and _leads_out(path, start):
                reason = LEADS_OUT
            if reason := reason or _excluding(ignores, excluded, full, path + slash, below + slash):
                found.leave_out(path + slash, reason)
            elif directory:
                (linked if entry.is_symlink() else folders).append((path, below, ignores, home))
            else:
                found.homes.add(home)
                files.append((path, full))

    while folders or linked:
        # Links to directories come last, so that the files of a real directory get their real names.
        enter(*(folders.pop() if folders else linked.pop()))
        if found.most is not None and (len(files) > found.most[0] or len(visited) > found.most[1]):
            found.too_many = True
            return
    for path, full in sorted(files):
        yield Source(printable_name(path), path, folder=start), full


def _excluding(ignores: _Ignores, excluded: Excluded | None, full: str, path: str, below: str) -> str:
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


def _outer_ignores(directory: str) -> _Ignores:
    """Return the .gitignore files above a directory, the topmost first, if it is in a git repository."""
    top = repository_of(directory)
    above = [] if top is None else [place for place in upwards(directory) if within(place, top) and place != directory]
    places = [place for place in reversed(above) if os.path.isfile(os.path.join(place, ".gitignore"))]
    return tuple(ignores for place in places for ignores in _ignores_of(place))


def _ignores_of(directory: str) -> _Ignores:
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
