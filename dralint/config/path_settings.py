"""Settings for some files of a run, as a configuration can have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.records import NamedTuple

if TYPE_CHECKING:
    from dralint.kubernetes.release import Release


class Ignore(NamedTuple):
    """Findings that a configuration ignores: of rules, in files, and on an object and a path if it names them.

    `paths` are patterns as in .gitignore, from the folder `base`; `object` is NAME, NAMESPACE/NAME or
    KIND/NAMESPACE/NAME.
    """

    rules: tuple[str, ...]
    paths: tuple[str, ...] = ()
    base: str = ""
    object: str = ""
    path: str = ""


class Override(NamedTuple):
    """Settings that differ for files that match patterns (as in .gitignore, from the folder `base`).

    The other fields are those of `Settings`. A field that is None is the same as for all files.
    """

    paths: tuple[str, ...]
    base: str
    releases: tuple[Release, ...] | None = None
    gates: tuple[tuple[str, bool], ...] | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    patches: tuple[tuple[Release, int], ...] | None = None
    ignore_status: bool | None = None
    strict_placeholders: bool | None = None
    severity: tuple[tuple[str, str], ...] | None = None
    ignores: tuple[Ignore, ...] | None = None


DIFFERING = Override._fields[2:]
"""The settings that can differ from file to file."""
