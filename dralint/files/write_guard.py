"""Where dralint never writes: in a folder of git, and through a link that leads out of a repository."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_IGNORED = dict.fromkeys((*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))
"""Characters that some file systems ignore in a name."""
_MOST_LINKS = 40


def refusal(path: str, folder: str = "") -> str | None:
    """Return why dralint must not write a file: it is in a folder of git, or a link leads out; None where it may write.

    A link inside of a repository must stay in it, and a link below `folder` must stay in that folder.

    Args:
        path: the file; it may not exist yet.
        folder: the folder that the user has named and that contains the file.
    """
    real = os.path.realpath(path)
    if any(map(in_git_folder, (*_links(path), os.path.abspath(path), real))):
        return "it lies in a folder of git"
    found = way_out(path, folder)
    return None if found is None else f"the link {found[0]} leads out of {found[1]}, to {real}"


def way_out(path: str, folder: str = "") -> tuple[str, str] | None:
    """Return the first link on the way to a file that leads out of its repository or of the named folder.

    The second value is the repository or folder that the link leaves.

    A link inside of a repository must stay in it, and a link below `folder` must stay in that folder.
    """
    real = os.path.realpath(path)
    named = os.path.realpath(folder) if folder else ""
    for link in _links(path):
        place = os.path.dirname(link)
        repository = repository_of(place)
        if repository is not None and not within(real, repository):
            return link, "the repository"
        if repository is None and named and within(place, named) and not within(real, named):
            return link, folder
    return None


def in_git_folder(path: str) -> bool:
    """Say whether an absolute path is, or is below, a folder in which git keeps a repository.

    That is a folder called `.git`, the one that GIT_DIR names, or one that looks like it (submodules, bare ones).
    """
    named = [os.environ[name] for name in ("GIT_DIR", "GIT_COMMON_DIR") if os.environ.get(name)]
    if any(within(path, os.path.realpath(folder)) for folder in named):
        return True
    if any(map(_is_git, path.split(os.sep))):
        return True
    for above in upwards(path):
        if os.path.lexists(os.path.join(above, ".git")):
            return False  # the top of a working tree, which may be in a bare repository
        if _keeps_repository(above):
            return True
    return False


def working_directory() -> str:
    """Return the working directory; the topmost folder if it has been deleted."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep


def repository_of(folder: str) -> str | None:
    """Return the top of the working tree that contains a folder; None for none."""
    return next((above for above in upwards(folder) if os.path.lexists(os.path.join(above, ".git"))), None)


def within(path: str, folder: str) -> bool:
    """Say whether a path is a folder or is below it; both are absolute."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def upwards(folder: str) -> Iterator[str]:
    """Yield a folder and those above it, the nearest first."""
    above = ""
    while folder != above:
        yield folder
        folder, above = os.path.dirname(folder), folder


def _is_git(name: str) -> bool:
    """Say whether some file system treats a name as `.git`: other case, ignored characters, or a short form."""
    if "git" not in name.casefold() and name.isascii():
        return False
    return name.translate(_IGNORED).partition(":")[0].rstrip(". ").casefold() in (".git", "git~1")


def _keeps_repository(folder: str) -> bool:
    def there(name: str) -> bool:
        return os.path.lexists(os.path.join(folder, name))

    return there("HEAD") and (there("commondir") or (there("objects") and there("refs")))


def _links(path: str) -> Iterator[str]:
    """Yield the links on a path, each as a path without links before its own name."""
    drive, rest = os.path.splitdrive(path if os.path.isabs(path) else os.path.join(working_directory(), path))
    place, parts, left = drive + os.sep, rest.split(os.sep)[::-1], _MOST_LINKS
    while parts:
        part = parts.pop()
        if part in ("", os.curdir):
            continue
        if part == os.pardir:
            place = os.path.dirname(place)
            continue
        there = os.path.join(place, part)
        if not os.path.islink(there) or left == 0:
            place = there
            continue
        left -= 1
        yield there
        target = os.readlink(there)
        if os.path.isabs(target):
            drive, target = os.path.splitdrive(target)
            place = drive + os.sep
        parts += target.split(os.sep)[::-1]
