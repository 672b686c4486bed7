"""The two sides of an update: files, directories, or revisions of a git repository."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from dralint.files.comparison_side import Text
from dralint.files.discover import EXCLUDED, STDIN, SUFFIXES, discover, printable_name
from dralint.files.excluded import Excluded
from dralint.files.repository import Repository, RepositoryError
from dralint.files.source import DOCUMENTS, Source
from dralint.finding.report import LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.files.repository import TreeEntry
    from dralint.finding.report import Failure


class SourceError(ValueError):
    """Paths or a revision that cannot be compared; the text has the reason and what to do."""


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
        SourceError: a path does not exist, one is a file and the other a directory, or a pattern is malformed.
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
        try:
            found = discover([path], exclude, documents=False)
        except ValueError as error:
            raise SourceError(f"--exclude: {error}") from error
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
    try:
        repository = Repository()
        old_commit = _commit_or_none(repository, first or "HEAD")
        new_commit = _commit(repository, second) if second else None
        named = _named(repository, paths, [commit for commit in (old_commit, new_commit) if commit is not None])
        sources, excluded = Sources(), _excluded(exclude)
        for name, old, new in _differing(repository, old_commit, new_commit, named):
            shown = _shown(repository.top, name)
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
    except RepositoryError as error:
        raise SourceError(str(error)) from error
    return sources


TRUNKS = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
"""The branches to compare with if none is named; the first that exists counts."""


def changed_files(revision: str = "") -> frozenset[str]:
    """Return the real paths of the manifests that have changed since the working tree branched off a revision.

    It compares with the merge base of HEAD and the revision (by default the repository's main branch), so changes that
    others have made there since do not count. Files that git does not know yet count as changed.

    Raises:
        SourceError: git is missing, this is not a repository, or it has no such revision.
    """
    try:
        repository = Repository()
        head = _commit_or_none(repository, "HEAD")
        base = None
        if head is not None or revision not in ("", "HEAD"):
            base = repository.merge_base(head or _commit(repository, "HEAD"), _trunk(repository, revision))
            if base is None:
                raise SourceError(f"--changed: HEAD and {revision!r} have no commit in common")
        top = os.path.realpath(repository.top)
        return frozenset(
            os.path.join(top, *name.split("/"))
            for name, _, new in _differing(repository, base, None, frozenset(), (*SUFFIXES, *DOCUMENTS))
            if new is not None
        )
    except RepositoryError as error:
        raise SourceError(str(error)) from error


def _trunk(repository: Repository, revision: str) -> str:
    if revision:
        return _commit(repository, revision)
    for name in TRUNKS:
        try:
            return repository.commit(name)
        except RepositoryError:
            continue
    raise SourceError(f"--changed: name the revision to compare with; the repository has none of {', '.join(TRUNKS)}")


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

    if new_commit is not None and old_commit is not None:
        for name, before, after in repository.changes(old_commit, new_commit):
            if manifest(name):
                yield name, text(before), text(after)
        return
    old = {} if old_commit is None else repository.files_of(old_commit)
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


def _excluded(patterns: Sequence[str]) -> Excluded:
    try:
        return Excluded(patterns)
    except ValueError as error:
        raise SourceError(f"--exclude: {error}") from error


def _shown(top: str, name: str) -> str:
    return printable_name(os.path.relpath(os.path.join(os.path.realpath(top), name), os.path.realpath(os.curdir)))


def _commit_or_none(repository: Repository, revision: str) -> str | None:
    """Return the commit of a revision; None for the HEAD of a repository that has no commit yet."""
    if revision == "HEAD" and not repository.has_commits():
        return None
    return _commit(repository, revision)


def _commit(repository: Repository, revision: str) -> str:
    if revision.startswith("-"):
        raise SourceError(f"{revision!r} is not a revision")
    try:
        return repository.commit(revision)
    except RepositoryError:
        raise SourceError(f"the repository has no revision {revision!r}") from None
