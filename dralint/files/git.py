"""The two sides of an update: files, or revisions of a git repository, which only git's own command reads."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dralint.files.atomic import repository_of, working_directory
from dralint.files.discover import EXCLUDED, STDIN, SUFFIXES, Excluded, discover, printable_name
from dralint.files.source import DOCUMENTS, LARGEST_FILE, Source, read_file, too_large
from dralint.finding.report import LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dralint.finding.report import Failure


class Text(NamedTuple):
    """A file of one side: the name in findings, the name that pairs it with the other side, and how to read it.

    A file that is not `reported` only matters for objects that have moved from or to it.
    """

    name: str
    key: str
    read: Callable[[], bytes]
    reported: bool = True


_TIMEOUT, _SHORT_TIMEOUT = 120, 10
"""Time limits in seconds for git, and for `rev-parse`, which only reads the configuration and references."""
_PATIENCE = 1
"""After this many seconds, dralint checks what git may be waiting for."""
_SETTINGS = (
    *("-c", "core.fsmonitor=false"),  # otherwise the repository could choose a program
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.quotePath=false"),
)
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # for git before 2.39.4: no protocol has that name
    "LC_ALL": "C",
}


class SourceError(ValueError):
    """Paths or a revision that cannot be compared; the text has the reason and what to do."""


class RepositoryError(SourceError):
    """The error that git has reported."""


class TreeEntry(NamedTuple):
    """A file in a commit or in the index: git's mode (`100644`) and the id of its text."""

    mode: str
    blob: str

    @property
    def is_file(self) -> bool:
        """Say whether it is a regular file, not a link or a submodule."""
        return self.mode.startswith("100")


class Repository:
    """The repository that contains the working directory; RepositoryError without one, or without git."""

    def __init__(self) -> None:
        here = repository_of(working_directory())
        folders = [] if here is None else [os.path.join(here, ".git")]
        top = _git(["rev-parse", "--show-toplevel"], waited=lambda: _refuse_odd_files(folders))
        self.top = os.fsdecode(top).rstrip("\n")
        self._real = os.path.realpath(self.top)
        self._folders: dict[str, bool] = {}

    def commit(self, *revisions: str) -> str | None:
        """Return the id of the commit that the first known one of the revisions names; None where there is none."""
        for revision in revisions:
            with contextlib.suppress(RepositoryError):
                return self._ask("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode("ascii").strip()
        return None

    def merge_base(self, first: str, second: str) -> str | None:
        """Return the best common ancestor of two commits; None where they have none."""
        try:
            return self._ask("merge-base", first, second).decode("ascii").split("\n", 1)[0] or None
        except RepositoryError:
            return None

    def knows(self, commit: str, path: str) -> bool:
        """Say whether a commit has a file or directory at the path, relative to the top."""
        return bool(self._ask("ls-tree", "-z", "--full-tree", commit, "--", path))

    def files_of(self, commit: str) -> dict[str, TreeEntry]:
        """Return the files of a commit by their path relative to the top."""
        return dict(_entries(self._ask("ls-tree", "-r", "-z", "--full-tree", commit)))

    def index(self) -> tuple[dict[str, TreeEntry], set[str]]:
        """Return the files of the index, and the paths that a sparse checkout has left out."""
        listing = self._ask("ls-files", "-z", "-t", "--stage")
        files = dict(_entries(listing))
        left_out = {os.fsdecode(row.partition(b"\t")[2]) for row in listing.split(b"\0") if row.startswith(b"S ")}
        return files, left_out

    def untracked(self) -> list[str]:
        """Return the files that git neither tracks nor ignores."""
        arguments = ["ls-files", "-z", "--others", "--exclude-standard"]
        listing = _git(arguments, self.top, waited=self._refuse_odd_ignores)
        return [os.fsdecode(name) for name in listing.split(b"\0") if name]

    def _refuse_odd_ignores(self) -> None:
        """Raise RepositoryError for an ignore file on which git would wait forever."""
        self._refuse_odd_files()
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        named = os.path.join(home, "git", "ignore")
        with contextlib.suppress(RepositoryError):
            named = os.fsdecode(self._ask("config", "--type=path", "--get", "core.excludesFile")).rstrip("\n")
        below = (os.path.join(folder, ".gitignore") for folder, _, names in os.walk(self.top) if ".gitignore" in names)
        for path in (named, *below):
            _refuse_odd(os.path.join(self.top, path))

    def _refuse_odd_files(self) -> None:
        folders = os.fsdecode(_git(["rev-parse", "--git-dir", "--git-common-dir"], self.top)).splitlines()
        _refuse_odd_files([os.path.join(self.top, folder) for folder in folders])

    def has_file(self, name: str) -> bool:
        """Say whether the working tree has a regular file at the path that no link leads to."""
        folder, _, _ = name.rpartition("/")
        real = self._folders.get(folder)
        if real is None:
            there = os.path.join(self._real, folder)
            real = self._folders[folder] = os.path.realpath(there) == os.path.normpath(there)
        path = os.path.join(self.top, name)
        return real and os.path.isfile(path) and not os.path.islink(path)

    def is_unchanged(self, name: str, blob: str) -> bool:
        """Say whether the working tree has this text, perhaps with the line ends of another system."""
        try:
            raw = self.read(name)
        except OSError:
            return False
        return _id(raw, blob) == blob or (b"\r\n" in raw and _id(raw.replace(b"\r\n", b"\n"), blob) == blob)

    def read(self, name: str) -> bytes:
        """Return the text of a file of the working tree; OSError where it cannot be read."""
        return read_file(os.path.join(self.top, name))

    def blob(self, blob: str) -> bytes:
        """Return the text with an id; OSError where it is missing, as in a partial clone, or too large."""
        try:
            if int(self._ask("cat-file", "-s", blob)) > LARGEST_FILE:
                raise too_large()
            return self._ask("cat-file", "blob", blob)
        except RepositoryError as error:
            raise OSError(0, f"git does not have it here, and nothing is fetched ({error})") from error

    def _ask(self, *arguments: str) -> bytes:
        return _git(list(arguments), self.top, waited=self._refuse_odd_files)


def _refuse_odd_files(folders: Iterable[str]) -> None:
    """Raise RepositoryError for a file in git's own folders on which git would wait forever, such as a pipe."""
    for start in dict.fromkeys(map(os.path.realpath, folders)):
        for folder, _, names in os.walk(start):
            for name in names:
                _refuse_odd(os.path.join(folder, name))


def _refuse_odd(path: str) -> None:
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise RepositoryError(f"git cannot read {path}: it is not a regular file")


def _entries(listing: bytes) -> Iterator[tuple[str, TreeEntry]]:
    """Yield path and entry of each row `MODE blob ID<tab>PATH` or `TAG MODE ID STAGE<tab>PATH`; NUL ends each row."""
    for row in listing.split(b"\0"):
        head, _, name = row.partition(b"\t")
        if name:
            first, second, blob, *_ = head.decode("ascii", "replace").split()
            yield os.fsdecode(name), TreeEntry(first if first.isdecimal() else second, blob)


def _id(raw: bytes, like: str) -> str:
    """Return git's id of a text, by the same hash as the id `like`."""
    digest = hashlib.sha1(usedforsecurity=False) if len(like) == 40 else hashlib.sha256()
    digest.update(b"blob %d\0" % len(raw))
    digest.update(raw)
    return digest.hexdigest()


def _git(arguments: list[str], folder: str | None = None, waited: Callable[[], None] | None = None) -> bytes:
    """Return git's output; RepositoryError with its error message.

    Args:
        arguments: the command and its arguments.
        folder: the folder to run it in.
        waited: called when git takes long; an error that it raises ends git.
    """
    folders = [place for place in os.get_exec_path() if os.path.isabs(place)]  # `.` would be the judged tree
    git = shutil.which("git", path=os.pathsep.join(folders))
    if git is None:
        raise RepositoryError("the command git is needed, and is not there")
    try:
        process = subprocess.Popen(
            [git, *_SETTINGS, *arguments],
            cwd=folder,
            env={**os.environ, **_ENVIRONMENT},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise RepositoryError(f"git cannot be started: {error.strerror}") from error
    limit = _SHORT_TIMEOUT if arguments[0] == "rev-parse" else _TIMEOUT
    with process:
        try:
            out, said = _answer(process, waited, limit)
        except subprocess.TimeoutExpired:
            raise RepositoryError(f"git {arguments[0]} took longer than {limit} seconds") from None
        finally:
            process.kill()
    if process.returncode != 0:
        lines = said.decode("utf-8", "replace").strip().splitlines()
        raise RepositoryError(f"git: {lines[-1] if lines else f'exit status {process.returncode}'}")
    return out


def _answer(process: subprocess.Popen[bytes], waited: Callable[[], None] | None, limit: int) -> tuple[bytes, bytes]:
    if waited is not None:
        try:
            return process.communicate(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            waited()
    return process.communicate(timeout=limit)


@dataclass(slots=True)
class Sources:
    """The files of both sides, what could not be read, and what was skipped.

    `whole` means that these are all files of the sides, not only those that differ.
    """

    old: list[Text] = field(default_factory=list)
    new: list[Text] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    whole: bool = False


def from_paths(old: str, new: str, exclude: Sequence[str] = ()) -> Sources:
    """Return the two sides from two files (one may be `-`, standard input) or two directories.

    Raises:
        SourceError: a path does not exist, or one is a file and the other a directory.
    """
    if old == new == STDIN:
        raise SourceError("standard input can be one side only")
    for path in (old, new):
        if path != STDIN and not os.path.exists(path):
            raise SourceError(f"the path {printable_name(path)!r} does not exist")
    if os.path.isdir(old) != os.path.isdir(new):
        raise SourceError("OLD and NEW are both files, or both directories; these are one of each")
    sources = Sources(whole=True)
    for path, texts in ((old, sources.old), (new, sources.new)):
        found = discover([path], exclude, documents=False)
        sources.failures += found.failures
        sources.left_out += found.left_out
        base = path if os.path.isdir(path) else os.path.dirname(path)
        for source in found.sources:
            # Two files are a pair, whatever their names are.
            key = os.path.relpath(source.path or "", base or os.curdir) if os.path.isdir(path) else ""
            texts.append(Text(source.name, key, source.read))
    return sources


def from_git(revision: str, paths: Sequence[str] = (), exclude: Sequence[str] = ()) -> Sources:
    """Return the manifests that differ between a revision and the working tree, or between REV and REV2 of `REV..REV2`.

    This includes manifests outside of the paths, which are not reported: objects may have moved from there.

    Raises:
        SourceError: git is missing, this is not a repository, or git does not know a revision or path.
    """
    first, dots, second = revision.partition("..")
    second = second.removeprefix(".") or ("HEAD" if dots else "")
    repository = Repository()
    old_commit = _commit_or_none(repository, first or "HEAD")
    new_commit = _commit(repository, second) if second else None
    named = _named(repository, paths, [commit for commit in (old_commit, new_commit) if commit is not None])
    sources, excluded = Sources(), Excluded(exclude)
    here, top = os.path.realpath(os.curdir), os.path.realpath(repository.top)
    for name, old, new in _differing(repository, old_commit, new_commit, named):
        shown = printable_name(os.path.relpath(os.path.join(top, name), here))
        reported = _within(name, named)
        if name.lower().endswith(DOCUMENTS):
            old, new = _blocks_of(name, old), _blocks_of(name, new)
        if excluded.matches(shown, shown):
            sources.left_out += [LeftOut(shown, EXCLUDED)] if reported else []
            continue
        if old is not None:
            sources.old.append(Text(f"{first or 'HEAD'}:{shown}", name, old, reported))
        if new is not None:
            sources.new.append(Text(shown, name, new, reported))
    return sources


TRUNKS = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
"""The branches to compare with if none is named; the first that exists counts."""


def changed_files(revision: str = "") -> tuple[frozenset[str], str]:
    """Return the real paths of the manifests that have changed since the working tree branched off a revision.

    The second value is the commit since which they have changed; empty without one.

    It compares with the merge base of HEAD and the revision (by default the repository's main branch), so changes that
    others have made there since do not count. Files that git does not know yet count as changed.

    Raises:
        SourceError: git is missing, this is not a repository, or it has no such revision.
    """
    repository = Repository()
    head = _commit_or_none(repository, "HEAD")
    base = None
    if head is not None or revision not in ("", "HEAD"):
        base = repository.merge_base(head or _commit(repository, "HEAD"), _trunk(repository, revision))
        if base is None:
            raise SourceError(f"--changed: HEAD and {revision!r} have no commit in common")
    top = os.path.realpath(repository.top)
    differing = _differing(repository, base, None, frozenset(), (*SUFFIXES, *DOCUMENTS))
    paths = frozenset(os.path.join(top, *name.split("/")) for name, _, new in differing if new is not None)
    return paths, base or ""


def _trunk(repository: Repository, revision: str) -> str:
    found = _commit(repository, revision) if revision else repository.commit(*TRUNKS)
    if found is None:
        names = ", ".join(TRUNKS)
        raise SourceError(f"--changed: name the revision to compare with; the repository has none of {names}")
    return found


_Read = Callable[[], bytes]


def _differing(
    repository: Repository,
    old_commit: str | None,
    new_commit: str | None,
    named: frozenset[str],
    suffixes: tuple[str, ...] = SUFFIXES,
) -> Iterator[tuple[str, _Read | None, _Read | None]]:
    """Yield the path of each manifest, and how to read its old and its new text (None: it does not exist).

    Without an old commit, everything is new.
    """

    def manifest(name: str) -> bool:
        return name.endswith(suffixes) or name in named

    def text(entry: TreeEntry | None) -> _Read | None:
        return partial(repository.blob, entry.blob) if entry is not None and entry.is_file else None

    old = {} if old_commit is None else repository.files_of(old_commit)
    if new_commit is not None:
        new = repository.files_of(new_commit)
        for name in sorted({*old, *new}):
            if manifest(name) and old.get(name) != new.get(name):
                yield name, text(old.get(name)), text(new.get(name))
        return
    tracked, left_out = repository.index()
    for name in sorted({*old, *tracked}):
        if not manifest(name):
            continue
        entry = old.get(name)
        if name in tracked and repository.has_file(name):
            if entry is None or not entry.is_file or not repository.is_unchanged(name, entry.blob):
                yield name, text(entry), partial(repository.read, name)
        elif name in left_out:
            if entry != tracked[name]:
                yield name, text(entry), text(tracked[name])
        elif entry is not None:
            yield name, text(entry), None
    for name in repository.untracked():
        if manifest(name) and os.path.isfile(os.path.join(repository.top, name)):
            yield name, None, partial(repository.read, name)


def _blocks_of(name: str, read: _Read | None) -> _Read | None:
    """Return how to read the code blocks of a document."""
    return None if read is None else lambda: Source(name, None, read()).read()


def _named(repository: Repository, paths: Sequence[str], commits: Sequence[str]) -> frozenset[str]:
    """Return the paths relative to the top; SourceError where one is outside of it, or does not exist."""
    limits = [os.path.relpath(_place(path), os.path.realpath(repository.top)) for path in paths]
    for path, limit in zip(paths, limits, strict=True):
        if limit == os.pardir or limit.startswith(os.pardir + os.sep):
            raise SourceError(f"the path {printable_name(path)!r} is outside of the repository")
        if not os.path.lexists(path) and not any(repository.knows(commit, limit) for commit in commits):
            raise SourceError(f"the path {printable_name(path)!r} does not exist")
    return frozenset(limit.replace(os.sep, "/") for limit in limits)


def _within(name: str, named: frozenset[str]) -> bool:
    """Say whether a file is at one of the paths, or below it; without paths, every file is."""
    return not named or os.curdir in named or any(name == path or name.startswith(f"{path}/") for path in named)


def _place(path: str) -> str:
    """Return the absolute path, with links resolved up to its last part, because git may have that as a link."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def _commit_or_none(repository: Repository, revision: str) -> str | None:
    """Return the commit of a revision; None for the HEAD of a repository that has no commit yet."""
    return repository.commit(revision) if revision == "HEAD" else _commit(repository, revision)


def _commit(repository: Repository, revision: str) -> str:
    if revision.startswith("-"):
        raise SourceError(f"{revision!r} is not a revision")
    found = repository.commit(revision)
    if found is None:
        raise SourceError(f"the repository has no revision {revision!r}")
    return found
