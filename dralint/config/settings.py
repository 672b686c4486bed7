"""The settings of a run, and of some of its files by their paths; made from choices and configuration files.

What a caller chooses wins, then the nearest file.
"""

from __future__ import annotations

import os
from itertools import chain
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from dralint.config.choices import ChoiceError
from dralint.config.configuration import find, load
from dralint.config.table import SETTINGS, Override
from dralint.files.atomic import within
from dralint.files.discover import matches as matches
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from dralint.config.choices import Ignore
    from dralint.config.configuration import Configuration
    from dralint.config.table import Parser, Setting
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
    patches: tuple[tuple[Release, int], ...] = ()
    api_versions: tuple[str, ...] | None = None
    workloads: tuple[OwnKind, ...] = ()

    @property
    def files(self) -> list[str]:
        """The files that a run reads besides manifests: baseline, packs and schemas of drivers."""
        own = [file for _, file in (*self.driver_schemas, *self.driver_packs)]
        return own if self.baseline is None else [*own, str(self.baseline)]

    def patch(self, release: Release) -> int | None:
        """Return the newest patch that was named with a release; None where none was."""
        return max((patch for named, patch in self.patches if named == release), default=None)


def resolve(chosen: Mapping[str, Any], configuration: Configuration | None = None) -> Settings:
    """Return the settings of a run. Chosen values win over the configuration.

    Files that the settings name are read once here, so that an error in one is reported before the run.

    Args:
        chosen: key of a setting → value, in the form of the configuration; only what the caller has chosen.
        configuration: a configuration that fits its schema.

    Raises:
        ChoiceError: a value of `chosen` is wrong; the error names its key.
        ConfigurationError: a value of the configuration is wrong; the error has its place.
    """
    if configuration is None and not chosen:
        return Settings()
    said = {} if configuration is None else configuration.values
    rows = [row for key, row in SETTINGS.items() if key in chosen or key in said]
    fields: dict[str, Any] = {}

    def field(name: str) -> Any:
        """Return the value of a field of the settings: what is chosen stands after what the configuration has."""
        if name not in fields:
            own = [(row, row.fields[name]) for row in rows if name in row.fields]
            if any(row.by_driver for row, _ in own):
                fields[name] = by_driver(*own[0])
            else:
                values = [made(row.key, parse, said) for row, parse in own if row.key not in chosen]
                values += [made(row.key, parse, chosen) for row, parse in own if row.key in chosen]
                several = len(values) > 1
                default = None if values else Settings._field_defaults[name]
                fields[name] = tuple(chain(*values)) if several else values[0] if values else default
        return fields[name]

    def by_driver(row: Setting, parse: Parser) -> tuple[tuple[str, Any], ...]:
        """Return the values by driver: those of the configuration, replaced by chosen ones."""
        own = made(row.key, parse, chosen) if row.key in chosen else {}

        def others(value: dict[str, Any], field: Callable[[str], Any]) -> Any:
            return parse({driver: each for driver, each in value.items() if driver not in own}, field)

        return tuple({**(made(row.key, others, said) if row.key in said else {}), **own}.items())

    def made(key: str, parse: Parser, given: Mapping[str, Any]) -> Any:
        """Return the value of a key that is chosen or that the configuration has; an error names the source."""
        written = SETTINGS[key].written
        of_file = configuration if given is said else None
        value = getattr(of_file, written)(key) if of_file is not None and written else given[key]
        try:
            return parse(value, field)
        except ChoiceError as error:
            raise (ChoiceError(error.reason, key) if of_file is None else of_file.wrong_choice(key, error)) from error

    return Settings(**{name: field(name) for row in rows for name in row.fields})


# The configurations that are nearest to the files of a run.

_FIELDS = {row.key: tuple(row.fields) for row in SETTINGS.values() if row.reach == "file"}
"""Key → the settings that the nearest configuration has for a file."""
_ADDED = {name for row in SETTINGS.values() if row.reach == "addition" for name in row.fields} - {"overrides"}
"""The settings that the nearest configurations add to those of the run."""
JUDGING_FILES = frozenset(row.key for row in SETTINGS.values() if row.reach != "run")
"""The keys that count in the nearest configuration of a file; the others are about the run."""


def nearest(folders: Iterable[str], own: FilePath | None) -> list[FilePath]:
    """Return the nearest configurations of folders, from the topmost on, without that of the working directory.

    Raises:
        ConfigurationError: one of them must not be read.
    """
    found = set(_judging(folders).values()) - {own}
    return sorted((file for file in found if file is not None), key=lambda file: (len(file.parts), file))


def _judging(folders: Iterable[str]) -> dict[str, FilePath | None]:
    """Return the nearest configuration of each folder, by its absolute path."""
    known: dict[str, FilePath | None] = {}
    places = map(os.path.abspath, folders)
    return {place: find(place, known) for place in places}


def with_nearest(
    settings: Settings, folders: Iterable[str], own: Configuration | None, chosen: Collection[str] = ()
) -> Settings:
    """Return the settings of a run with those that the nearest configurations have for its files, as overrides.

    Args:
        settings: those of the run.
        folders: those of the files.
        own: the configuration of the working directory.
        chosen: the keys that a caller has chosen; these win.

    Raises:
        ConfigurationError: one of the configurations cannot be used.
    """
    judging = _judging(folders)
    others = set(judging.values()) - {None, own.file if own is not None else None}
    if not others:
        return settings

    above = {file.parent for file in others if file is not None}
    # Below one of them, the working directory's can be nearer, or a repository may have none.
    rest = {FilePath(place) if file is None else file.parent for place, file in judging.items() if file not in others}
    always = {"strict"}.intersection(chosen)
    of_run = {key: value for key, value in (own.values if own is not None else {}).items() if key == "strict"}
    parts = [(folder, settings) for folder in rest if not above.isdisjoint(folder.parents)]
    for file in filter(None, others):
        configuration = load(file).only(JUDGING_FILES.difference(chosen))
        configuration = configuration._replace(values={**configuration.values, **of_run})
        parts.append((file.parent, resolve(dict.fromkeys(always, True), configuration)))
    same = [name for key in chosen for name in _FIELDS.get(key, ())]
    overrides = [*settings.overrides]
    whole = settings
    for folder, held in sorted(parts, key=lambda part: len(part[0].parts)):
        names = dict.fromkeys(name for names in _FIELDS.values() for name in names if name not in same)
        changes = tuple((name, getattr(held, name)) for name in names)
        overrides += [Override(WHOLE, os.path.abspath(folder), changes), *held.overrides]
        if held is not settings:
            added: dict[str, Any] = {name: (*getattr(whole, name), *getattr(held, name)) for name in _ADDED}
            whole = whole._replace(**added)
    return whole._replace(overrides=tuple(overrides))
