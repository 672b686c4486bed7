"""Adds the parts of a configuration that have no option on the command line.

These are severities, names that exist elsewhere, overrides by path, and ignores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from dralint.config import choices
from dralint.config.file import ConfigurationError, Mistake
from dralint.config.path_settings import Ignore, Override
from dralint.config.schema import texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dralint.config.file import Configuration, Path_
    from dralint.config.settings import Settings
    from dralint.kubernetes.custom_kinds import OwnKind


T = TypeVar("T")


def overlay(settings: Settings, configuration: Configuration) -> Settings:
    """Return the settings with the keys of a configuration that are not options.

    Raises:
        ConfigurationError: a release, gate or rule does not exist, or cannot be chosen in this way; a path leads out of
            the repository.
    """
    values = configuration.values
    severity = tuple(
        (_pattern(configuration, name), level or "off") for name, level in values.get("severity", {}).items()
    )
    overrides = tuple(
        _override(configuration, number, row, settings) for number, row in enumerate(values.get("overrides", ()))
    )
    ignores = tuple(_ignore(configuration, number, row) for number, row in enumerate(values.get("ignores", ())))
    known = {key: tuple(texts(names)) for key, names in values.get("known", {}).items()}
    return settings._replace(
        workloads=tuple(_workload(configuration, name, row) for name, row in values.get("workloads", {}).items()),
        severity=severity,
        known_classes=(*settings.known_classes, *known.get("classes", ())),
        known_drivers=known.get("drivers", ()),
        known_namespaces=known.get("namespaces", ()),
        overrides=overrides,
        ignores=ignores,
    )


def version_texts(configuration: Configuration, path: Path_) -> list[str]:
    """Return the releases of a key as they are written: YAML reads 1.30 without quotes as a number."""
    value: Any = configuration.values
    for part in path:
        value = value[part]
    if not isinstance(value, list):
        return [_version(configuration, path, value)]
    return [_version(configuration, (*path, number), one) for number, one in enumerate(value)]


def _version(configuration: Configuration, path: Path_, value: Any) -> str:
    return value if isinstance(value, str) else configuration.written(path) or str(value)


def with_place(configuration: Configuration, path: Path_, make: Callable[[], T]) -> T:
    """Return the result of a function for the value at a path; an error gets the place of the value."""
    try:
        return make()
    except choices.ChoiceError as error:
        name = path[-1] if path[0] in ("overrides", "ignores") else path[0]
        place = configuration.place((*path, *error.at), key=path[0] == "severity")
        raise ConfigurationError(configuration.file, [Mistake(f"`{name}`: {error.reason}", *place)]) from error


def _pattern(configuration: Configuration, name: str) -> str:
    return with_place(configuration, ("severity", name), lambda: choices.rule_patterns([name])[0])


def _workload(configuration: Configuration, name: str, row: Any) -> OwnKind:
    described = row if isinstance(row, dict) else {"pods": row}

    def patterns(key: str) -> tuple[tuple[str, ...], ...]:
        return tuple(choices.path_parts(path) for path in texts(described.get(key, [])))

    def made() -> OwnKind:
        group, kind = choices.group_and_kind(name)
        return group, kind, patterns("pods"), patterns("replicas"), patterns("drops")

    return with_place(configuration, ("workloads", name), made)


def _override(configuration: Configuration, number: int, row: Mapping[str, Any], settings: Settings) -> Override:
    here: Path_ = ("overrides", number)

    def said(key: str, make: Callable[[], T]) -> T | None:
        return with_place(configuration, (*here, key), make) if key in row else None

    def patterns(key: str) -> tuple[str, ...] | None:
        return said(key, lambda: choices.rule_patterns(texts(row[key])))

    version = (*here, "kubernetes-version")
    schemas = settings.schemas
    releases = said("kubernetes-version", lambda: choices.releases(version_texts(configuration, version), schemas))
    judged = settings.releases if releases is None else releases
    return Override(
        tuple(texts(row["paths"])),
        str(configuration.folder.resolve()),
        releases,
        said("feature-gates", lambda: choices.feature_gates(row["feature-gates"], judged, schemas)),
        patterns("select"),
        patterns("ignore"),
    )


def _ignore(configuration: Configuration, number: int, row: Mapping[str, Any]) -> Ignore:
    rules = with_place(
        configuration,
        ("ignores", number, "rules"),
        lambda: choices.rule_patterns(texts(row["rules"])),
    )
    return Ignore(
        rules,
        tuple(texts(row.get("paths", []))),
        str(configuration.folder.resolve()),
        row.get("object", ""),
        row.get("path", ""),
    )
