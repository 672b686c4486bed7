"""Writes files for all of dralint: completely or not at all, and never where dralint must not write."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from dralint.files.source import Source


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


_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTORS = ("/dev/fd", "/proc/self/fd")
_DEVICES = frozenset({"/dev/null", "/dev/full", "/dev/tty"})
"""The devices that users write to."""


class ChangedError(OSError):
    """A file has changed since dralint read it."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EBUSY, "it has changed since it was read", str(path))


class ForbiddenError(OSError):
    """dralint must not write a file at this place."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(errno.EPERM, f"dralint does not write there: {reason}", str(path))
        self.reason = reason


def write_atomically(
    path: Path, content: bytes, *, instead_of: bytes | None = None, folder: str = "", make_folder: bool = False
) -> None:
    """Write a file so that no program sees half of it; OSError when it cannot be written.

    A pipe is written to, never replaced; the target of a link is replaced, not the link. Mode and owner stay the same;
    other names of the file (hard links) keep the old content. A file that already has the content is not written.

    Args:
        path: the file.
        content: all of its new bytes.
        instead_of: the present content, if only that may be replaced.
        folder: the folder that the user has named and that contains the file.
        make_folder: whether to make missing folders above the file.

    Raises:
        ForbiddenError: dralint never writes there (`refusal`).
        ChangedError: the file has other content; it stays as it is.
        OSError: it cannot be written; it stays as it is. A file of another owner is refused too, unless dralint runs
            as root and can give it back to that owner.
    """
    if _written_to(path, content, folder, "wb"):
        return
    if make_folder and not path.parent.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
    with _signals_held():
        _replace(path, content, instead_of)


def _replace(path: Path, content: bytes, instead_of: bytes | None) -> None:
    target = path.resolve()
    before = target.stat() if target.exists() else None
    prefix = f".{target.name[:100]}."
    handle, name = _without_name(target.parent), ""
    if handle is None:
        import tempfile  # few runs write a file, and it takes 7 ms

        handle, name = tempfile.mkstemp(dir=target.parent, prefix=prefix)
    made: int | str = name or handle
    try:
        with open(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            if before is not None and instead_of is not None:
                _keep_owner(made, before)
                if not os.access(target, os.W_OK):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            os.chmod(made, before.st_mode & 0o7777 if before is not None else 0o666 & ~_umask())
            if instead_of is not None:
                found = None if before is None else target.read_bytes()
                if found == content:  # another program has written the same
                    return
                if found != instead_of:
                    raise ChangedError(path)
            name = name or _with_name(handle, target.parent, prefix)
        os.replace(name, target)
        name = ""
    finally:
        if name:
            os.unlink(name)


def _without_name(folder: Path) -> int | None:
    """Open a new file that has no name yet, so that nothing stays if dralint is killed; None where none can be made.

    Only Linux has such files, and only on some file systems.
    """
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600)
    except OSError:
        return None  # the way with a name reports why, if it fails too


def _with_name(handle: int, folder: Path, prefix: str) -> str:
    """Give an open file without a name a new one in a folder, and return its path."""
    place = os.open(folder, os.O_RDONLY)
    try:
        while True:
            name = os.path.join(folder, prefix + os.urandom(4).hex())
            with contextlib.suppress(FileExistsError):
                # Only with a folder's descriptor does Python follow the link in /proc to the file.
                os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=place, follow_symlinks=True)
                return name
    finally:
        os.close(place)


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals that would end the program wait, so that no half-written file stays."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def append(path: Path, content: bytes) -> None:
    """Append to a file, or make it if it does not exist; OSError when it cannot be written.

    Other names of the file (hard links) keep the old content: one of them may lie in a folder of git.
    """
    if _written_to(path, content, "", "ab"):
        return
    if path.exists() and path.stat().st_nlink > 1:
        before = path.read_bytes()
        write_atomically(path, before + content, instead_of=before)
        return
    with path.open("ab") as stream:
        stream.write(content)


def _written_to(path: Path, content: bytes, folder: str, mode: str) -> bool:
    """Write to a special file (a descriptor of this process, a pipe, one of a few devices), and say whether the path is
    one; ForbiddenError where dralint must not write."""
    descriptor = _descriptor(path)
    if descriptor is None:
        reason = refusal(str(path), folder)
        if reason is not None:
            raise ForbiddenError(path, reason)
        kind = path.stat().st_mode if path.exists() else stat.S_IFREG
        if stat.S_ISREG(kind):
            return False
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISFIFO(kind) and str(path.resolve()) not in _DEVICES:
            raise ForbiddenError(path, "it is a device")
    # Other programs may share the descriptor: what was written to it before stays.
    with open(os.dup(descriptor) if descriptor is not None else path, mode) as stream:
        stream.write(content)
    return True


def _descriptor(path: Path) -> int | None:
    """Return the descriptor of this process for a path such as /dev/stdout or /dev/fd/63; None for others."""
    name = str(path)
    if name in _STREAMS:
        return _STREAMS[name]
    folder, _, number = name.rpartition("/")
    return int(number) if folder in _DESCRIPTORS and number.isascii() and number.isdecimal() else None


def _keep_owner(made: int | str, before: os.stat_result) -> None:
    """Give a new file the owner and group of the file that it replaces; OSError where that is not allowed."""
    own = os.stat(made)
    if hasattr(os, "chown") and (own.st_uid, own.st_gid) != (before.st_uid, before.st_gid):
        os.chown(made, before.st_uid, before.st_gid)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def once(sources: Iterable[Source]) -> list[Source]:
    """Return the sources without other names of the same file (links, other case); the name without a link stays."""
    kept: dict[object, Source] = {}
    for source in sources:
        key = _identity(source)
        known = kept.get(key)
        if known is None or (_passes_link(known) and not _passes_link(source)):
            kept[key] = source
    return list(kept.values())


def _identity(source: Source) -> object:
    """Return the identity that all names of a file share; hard links are separate files, because each is replaced."""
    if source.path is None:
        return None
    try:
        status = os.stat(source.path)
    except (OSError, ValueError):
        return source.path
    return (status.st_dev, status.st_ino) if status.st_nlink == 1 else os.path.realpath(source.path)


def _passes_link(source: Source) -> bool:
    return source.path is not None and os.path.realpath(source.path) != os.path.abspath(source.path)
