"""What a configuration says besides the options of the command line.

Severities, what is known to exist elsewhere, overrides by path, ignores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from dralint.config import choices
from dralint.config.file import OUTSIDE, ConfigurationError, Mistake, inside
from dralint.config.schema import DRIVER_SCHEMAS, texts
from dralint.config.settings import Ignore, Override

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dralint.config.file import Configuration, Path_
    from dralint.config.settings import Settings


T = TypeVar("T")


def overlay(settings: Settings, configuration: Configuration) -> Settings:
    """Return the settings with what a configuration says besides options: severities, known names and the like.

    Raises:
        ConfigurationError: a release, gate or rule does not exist, or cannot be chosen so; a path leads out of the
            repository.
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
    schemas = {key: _file(configuration, key, path) for key, path in values.get(DRIVER_SCHEMAS, {}).items()}
    schemas |= dict(settings.driver_schemas)  # the command line has the last word
    return settings._replace(
        severity=severity,
        known_classes=(*settings.known_classes, *known.get("classes", ())),
        known_drivers=known.get("drivers", ()),
        known_namespaces=known.get("namespaces", ()),
        overrides=overrides,
        ignores=ignores,
        driver_schemas=tuple(schemas.items()),
    )


def version_texts(configuration: Configuration, path: Path_) -> list[str]:
    """Return the releases of a key as they are written: 1.30 without quotes is a number to YAML."""
    value: Any = configuration.values
    for part in path:
        value = value[part]
    if not isinstance(value, list):
        return [_version(configuration, path, value)]
    return [_version(configuration, (*path, number), one) for number, one in enumerate(value)]


def gate_texts(value: Any) -> list[str]:
    """Return feature gates as the command line writes them."""
    if isinstance(value, dict):
        return [f"{gate}={str(on).lower()}" for gate, on in value.items()]
    return texts(value)


def _file(configuration: Configuration, key: str, path: str) -> str:
    target = inside(path, configuration)
    if target is None:
        message = f"`{DRIVER_SCHEMAS}`: {path!r} {OUTSIDE}; name it with --driver-schema instead"
        raise configuration.refusal((DRIVER_SCHEMAS, key), message)
    return str(target)


def _version(configuration: Configuration, path: Path_, value: Any) -> str:
    return value if isinstance(value, str) else configuration.written(path) or str(value)


def _at(configuration: Configuration, path: Path_, make: Callable[[], T]) -> T:
    try:
        return make()
    except choices.ChoiceError as error:
        key = isinstance(path[-1], str) and path[0] == "severity"
        raise _refused(configuration, error, *configuration.place(path, key=key)) from error


def refused(configuration: Configuration, error: choices.ChoiceError) -> ConfigurationError:
    """Return what is wrong with a choice that a key of the file makes, with its place."""
    return _refused(configuration, error, *configuration.place((error.option.removeprefix("--"),)))


def _refused(configuration: Configuration, error: choices.ChoiceError, line: int, column: int) -> ConfigurationError:
    of_command = error.option.startswith("--")
    message = f"`{error.option.removeprefix('--')}`: {error.reason}" if of_command else str(error)
    return ConfigurationError(configuration.file, [Mistake(message, line, column)])


def _pattern(configuration: Configuration, name: str) -> str:
    return _at(configuration, ("severity", name), lambda: choices.rule_patterns("`severity`", [name])[0])


def _override(configuration: Configuration, number: int, row: Mapping[str, Any], settings: Settings) -> Override:
    here: Path_ = ("overrides", number)

    def patterns(key: str) -> tuple[str, ...] | None:
        if key not in row:
            return None
        return _at(configuration, (*here, key), lambda: choices.rule_patterns(f"`{key}`", texts(row[key])))

    releases = None
    if "kubernetes-version" in row:
        versions = version_texts(configuration, (*here, "kubernetes-version"))
        releases = _at(
            configuration, (*here, "kubernetes-version"), lambda: choices.releases(versions, settings.schemas)
        )
    gates = None
    if "feature-gates" in row:
        judged = settings.releases if releases is None else releases
        gates = _at(
            configuration,
            (*here, "feature-gates"),
            lambda: choices.feature_gates(
                choices.switched_gates(gate_texts(row["feature-gates"])), judged, settings.schemas
            ),
        )
    return Override(
        tuple(texts(row["paths"])),
        str(configuration.folder.resolve()),
        releases,
        gates,
        patterns("select"),
        patterns("ignore"),
    )


def _ignore(configuration: Configuration, number: int, row: Mapping[str, Any]) -> Ignore:
    rules = _at(
        configuration,
        ("ignores", number, "rules"),
        lambda: choices.rule_patterns("`rules`", texts(row["rules"])),
    )
    return Ignore(
        rules,
        tuple(texts(row.get("paths", []))),
        str(configuration.folder.resolve()),
        row.get("object", ""),
        row.get("path", ""),
    )
