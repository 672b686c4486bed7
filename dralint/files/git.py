"""The two sides of an update: files, directories, or revisions of a git repository.

Git is asked with its own command, and only for names and contents: nothing that a repository configures is run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from dralint.files.discover import EXCLUDED, STDIN, SUFFIXES, Excluded, discover, printable_name
from dralint.files.source import Text
from dralint.finding.report import LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dralint.finding.report import Failure

_TIMEOUT = 120


class SourceError(ValueError):
    """Paths or a revision that cannot be compared; the text says why, and what to do."""


@dataclass(slots=True)
class Sources:
    """The files of both sides, what could not be looked at, and what was passed over."""

    old: list[Text] = field(default_factory=list)
    new: list[Text] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def from_paths(old: str, new: str, exclude: Sequence[str] = ()) -> Sources:
    """Return the files of two files (one may be `-`, standard input), or of two directories.

    Raises:
        SourceError: a path does not exist, one is a file and the other a directory, or a pattern is malformed.
    """
    if old == new == STDIN:
        raise SourceError("standard input can be one side only")
    for path in (old, new):
        if path != STDIN and not os.path.exists(path):
            raise SourceError(f"the path {printable_name(path)!r} does not exist")
    if os.path.isdir(old) != os.path.isdir(new):
        raise SourceError("OLD and NEW are both files, or both directories; these are one of each")
    sources = Sources()
    for path, texts in ((old, sources.old), (new, sources.new)):
        try:
            found = discover([path], exclude)
        except ValueError as error:
            raise SourceError(f"--exclude: {error}") from error
        sources.failures += found.failures
        sources.left_out += found.left_out
        base = path if os.path.isdir(path) else os.path.dirname(path)
        for source in found.sources:
            # Two files are a pair, whatever they are called.
            key = os.path.relpath(source.path or "", base or os.curdir) if os.path.isdir(path) else ""
            texts.append(Text(source.name, key, source.read))
    return sources


def from_git(revision: str, paths: Sequence[str] = (), exclude: Sequence[str] = ()) -> Sources:
    """Return the manifests that differ between a revision and the working tree, or between REV and REV2 of `REV..REV2`.

    Those outside of the paths are among them, not to be reported: what lies at the paths may come from there.

    Raises:
        SourceError: git is not there, this is no repository, or a revision or path is unknown to it.
    """
    first, dots, second = revision.partition("..")
    second = second.removeprefix(".") or ("HEAD" if dots else "")
    top = os.fsdecode(_git(["rev-parse", "--show-toplevel"])).rstrip("\n")
    old_commit = _commit(first or "HEAD")
    new_commit = _commit(second) if second else None
    limits = [os.path.relpath(_place(path), os.path.realpath(top)) for path in paths]
    for path, limit in zip(paths, limits, strict=True):
        if limit == os.pardir or limit.startswith(os.pardir + os.sep):
            raise SourceError(f"the path {printable_name(path)!r} lies outside of the repository")
        commits = filter(None, (old_commit, new_commit))
        if not os.path.lexists(path) and not any(_knows(top, commit, limit) for commit in commits):
            raise SourceError(f"the path {printable_name(path)!r} does not exist")
    named = frozenset(limit.replace(os.sep, "/") for limit in limits)
    compared = [old_commit] if new_commit is None else [old_commit, new_commit]
    raw = _git(["diff", "--raw", "-z", "--abbrev=40", "--no-renames", "--no-ext-diff", *compared, "--"], top)
    sources = Sources()
    excluded = _excluded(exclude)
    for old_mode, new_mode, old_blob, new_blob, name in _changes(raw):
        shown = _shown(top, name)
        if not (name.endswith(SUFFIXES) or name in named):
            continue
        reported = _within(name, named)
        if excluded.matches(shown, shown):
            sources.left_out += [LeftOut(shown, EXCLUDED)] if reported else []
            continue
        if old_mode.startswith("100"):
            sources.old.append(Text(f"{first or 'HEAD'}:{shown}", name, partial(_blob, top, old_blob), reported))
        if new_commit is not None and new_mode.startswith("100"):
            sources.new.append(Text(shown, name, partial(_blob, top, new_blob), reported))
        elif new_commit is None and new_mode.startswith("100"):
            sources.new.append(Text(shown, name, partial(_file, top, name), reported))
    if new_commit is None:
        others = _git(["ls-files", "-z", "--others", "--exclude-standard"], top)
        for raw_name in filter(None, others.split(b"\0")):
            name = os.fsdecode(raw_name)
            file = os.path.join(top, name)
            if not (name.endswith(SUFFIXES) or name in named) or not os.path.isfile(file):
                continue
            shown = _shown(top, name)
            reported = _within(name, named)
            if excluded.matches(shown, shown):
                sources.left_out += [LeftOut(shown, EXCLUDED)] if reported else []
            else:
                sources.new.append(Text(shown, name, partial(_file, top, name), reported))
    return sources


def _within(name: str, named: frozenset[str]) -> bool:
    """Say whether a file lies at one of the paths, or below it; everything does where there are none."""
    return not named or os.curdir in named or any(name == path or name.startswith(f"{path}/") for path in named)


def _place(path: str) -> str:
    """Return the absolute path, with links resolved up to its last part, which may be one that git has."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def _knows(top: str, commit: str, path: str) -> bool:
    try:
        _git(["cat-file", "-e", f"{commit}:{path}"], top)
    except SourceError:
        return False
    return True


def _changes(raw: bytes) -> Iterable[tuple[str, str, str, str, str]]:
    """Yield old and new mode, old and new blob, and the name, of `git diff --raw -z`."""
    parts = raw.split(b"\0")
    for head, name in zip(parts[::2], parts[1::2], strict=False):
        fields = head.decode("ascii", "replace").lstrip(":").split()
        if len(fields) >= 4:
            yield fields[0], fields[1], fields[2], fields[3], os.fsdecode(name)


def _excluded(patterns: Sequence[str]) -> Excluded:
    try:
        return Excluded(patterns)
    except ValueError as error:
        raise SourceError(f"--exclude: {error}") from error


def _shown(top: str, name: str) -> str:
    return printable_name(os.path.relpath(os.path.join(os.path.realpath(top), name), os.path.realpath(os.curdir)))


def _file(top: str, name: str) -> bytes:
    with open(os.path.join(top, name), "rb") as file:
        return file.read()


def _blob(top: str, blob: str) -> bytes:
    try:
        return _git(["cat-file", "blob", blob], top)
    except SourceError as problem:
        raise OSError(0, str(problem)) from problem


def _commit(revision: str) -> str:
    if revision.startswith("-"):
        raise SourceError(f"--git: {revision!r} is not a revision")
    try:
        return _git(["rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"]).decode("ascii").strip()
    except SourceError:
        raise SourceError(f"--git: the repository has no revision {revision!r}") from None


def _git(arguments: list[str], folder: str | None = None) -> bytes:
    git = shutil.which("git")
    if git is None:
        raise SourceError("--git needs the command git, which is not there")
    # A file system monitor would be a program of the repository's choice.
    command = [git, "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", *arguments]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, timeout=_TIMEOUT)
    except subprocess.TimeoutExpired:
        raise SourceError(f"git {arguments[0]} took longer than {_TIMEOUT} seconds") from None
    except OSError as error:
        raise SourceError(f"git cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise SourceError(f"git: {lines[-1] if lines else f'exit status {done.returncode}'}")
    return done.stdout
