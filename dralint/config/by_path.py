"""What a configuration asks for in some files; few have any of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dralint.kubernetes.release import Release


class Ignore(NamedTuple):
    """Findings that the configuration silences: of rules, in files, on an object and path, where it names them.

    `paths` are patterns as in .gitignore, from the folder `base`; `object` is NAME, NAMESPACE/NAME or
    KIND/NAMESPACE/NAME.
    """

    rules: tuple[str, ...]
    paths: tuple[str, ...] = ()
    base: str = ""
    object: str = ""
    path: str = ""


class Override(NamedTuple):
    """What is asked for instead in files that patterns (as in .gitignore, from the folder `base`) match.

    A field that is None is as for all files.
    """

    paths: tuple[str, ...]
    base: str
    releases: tuple[Release, ...] | None = None
    gates: tuple[tuple[str, bool], ...] | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
