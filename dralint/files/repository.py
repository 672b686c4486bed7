"""Reads a git repository (commits, files, texts) with git's own command, and keeps git from running other programs.

A repository may come from anywhere. dralint itself compares contents byte by byte, because git would pass them through
the programs of `filter.*`. It does not fetch what a partial clone has left on its remote.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from dralint.files.source import LARGEST_FILE, read_file, too_large
from dralint.files.write_guard import repository_of, working_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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


class RepositoryError(ValueError):
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

    def commit(self, revision: str) -> str:
        """Return the id of the commit that a revision names; RepositoryError where there is none."""
        return self._ask("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode("ascii").strip()

    def has_commits(self) -> bool:
        """Say whether HEAD is a commit; in a new repository it names a branch that does not exist yet."""
        try:
            self.commit("HEAD")
        except RepositoryError:
            return False
        return True

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
        return dict(_entries(self._ask("ls-tree", "-r", "-z", "--full-tree", commit), id_at=2))

    def changes(self, old: str, new: str) -> Iterator[tuple[str, TreeEntry, TreeEntry]]:
        """Yield path, entry before and entry after (mode 000000: none) for each difference between commits."""
        parts = self._ask("diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-ext-diff", old, new).split(b"\0")
        for head, name in zip(parts[::2], parts[1::2], strict=False):
            fields = head.decode("ascii", "replace").lstrip(":").split()
            if len(fields) >= 4:
                yield os.fsdecode(name), TreeEntry(fields[0], fields[2]), TreeEntry(fields[1], fields[3])

    def index(self) -> tuple[dict[str, TreeEntry], set[str]]:
        """Return the files of the index, and the paths that a sparse checkout has left out."""
        listing = self._ask("ls-files", "-z", "-t", "--stage")
        files = dict(_entries(listing, id_at=2))
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


def _entries(listing: bytes, *, id_at: int) -> Iterator[tuple[str, TreeEntry]]:
    """Yield path and entry of each row `... MODE ... ID ...<tab>PATH` of a listing with NUL after each row."""
    for row in listing.split(b"\0"):
        head, tab, name = row.partition(b"\t")
        fields = head.decode("ascii", "replace").split()
        if tab and len(fields) > id_at:
            mode = fields[0] if fields[0].isdecimal() else fields[1]
            yield os.fsdecode(name), TreeEntry(mode, fields[id_at])


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
