"""The settings of a run, and of some of its files by their paths; the rules that it reports."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from dralint.files.atomic import within
from dralint.files.discover import matches as matches
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from pathlib import Path as FilePath

    from dralint.finding import catalogue
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.workloads import OwnKind


WHOLE = ("*",)
"""The patterns of a whole folder."""


def settings_of(file: str, settings: Settings) -> Settings:
    """Return the settings for a file: overrides apply in their order, so the last one wins."""
    if not settings.overrides:
        return settings
    held = settings
    for override in settings.overrides:
        whole = override.paths == WHOLE
        if within(os.path.abspath(file), override.base) if whole else matches(override.paths, override.base, file):
            held = held._replace(**dict(override.changes))
    return held


def wanted(rule: catalogue.Rule, settings: Settings) -> bool:
    """Say whether a run with these settings reports the findings of a rule."""
    if settings.select and not any(names(pattern, rule) for pattern in settings.select):
        return False
    return not any(names(pattern, rule) for pattern in settings.ignore)


def names(pattern: str, rule: catalogue.Rule) -> bool:
    """Say whether a pattern (an id, the beginning of one, or a name) matches the rule."""
    return rule.id.startswith(pattern.upper()) or rule.name == pattern


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

    `changes` has names of fields of `Settings`, with their values for these files.
    """

    paths: tuple[str, ...]
    base: str
    changes: tuple[tuple[str, Any], ...] = ()


class Settings(NamedTuple):
    """The settings of a run, as plain values, so that another process can get them.

    `releases` are the releases that judge (empty: the newest that serves each object); `gates` the switched gates.
    `patches` are the patches that were named with a release, such as 2 in 1.34.2. `workloads` are kinds of custom
    resources that a user has described. `api_versions` are those that the cluster serves, None where unknown.
    `namespace` is for objects without one. `complete` means that nothing is missing from the input except for
    `known_classes`, `known_drivers` and `known_namespaces`: names and patterns of what exists elsewhere. `slices` are
    paths of the inventory. `driver_schemas` has the file of the schema for opaque parameters of a driver or of a
    GROUP/KIND; `driver_versions` and `driver_gates` have the version and the switched feature gates of drivers,
    `driver_packs` files of own packs. `severity` has a severity (or `off`) for ids, prefixes and names of rules;
    `overrides` has settings of some files; `ignores` and `baseline` have what is not reported; `exclude` has patterns
    of files that a program's linter skips.
    """

    releases: tuple[Release, ...] = ()
    gates: tuple[tuple[str, bool], ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    ignore_status: bool = False
    strict_placeholders: bool = False
    namespace: str | None = None
    complete: bool = False
    known_classes: tuple[str, ...] = ()
    known_drivers: tuple[str, ...] = ()
    known_namespaces: tuple[str, ...] = ()
    slices: tuple[str, ...] = ()
    driver_schemas: tuple[tuple[str, str], ...] = ()
    driver_versions: tuple[tuple[str, str], ...] = ()
    driver_gates: tuple[tuple[str, tuple[tuple[str, bool], ...]], ...] = ()
    driver_packs: tuple[tuple[str, str], ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    overrides: tuple[Override, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    baseline: FilePath | None = None
    exclude: tuple[str, ...] = ()
    schemas: FilePath | None = None
    rules_index: FilePath | None = None
    patches: tuple[tuple[Release, int], ...] = ()
    api_versions: tuple[str, ...] | None = None
    workloads: tuple[OwnKind, ...] = ()

    def patch(self, release: Release) -> int | None:
        """Return the newest patch that was named with a release; None where none was."""
        return max((patch for named, patch in self.patches if named == release), default=None)
