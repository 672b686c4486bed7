"""Makes settings from the choices of a caller and a configuration file; the choices win."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

from dralint.config.settings import Settings
from dralint.finding.rule_ids import UNUSED_CLAIM, UNUSED_REQUEST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from dralint.config.file import Configuration
    from dralint.kubernetes.release import Release

T = TypeVar("T")
STRICT: Mapping[str, Any] = {"fail-on": "broken", "severity": {UNUSED_CLAIM: "error", UNUSED_REQUEST: "error"}}
"""The keys that `strict` stands for: what never works fails a run, and so do devices that no container uses."""
KEYS = frozenset(
    {
        "api-versions",
        "baseline",
        "complete",
        "driver-gates",
        "driver-packs",
        "driver-schemas",
        "driver-versions",
        "exclude",
        "feature-gates",
        "ignore",
        "ignore-status",
        "known-class",
        "kubernetes-version",
        "namespace",
        "schemas",
        "select",
        "slices",
        "strict",
        "strict-placeholders",
    }
)
"""Keys of a configuration that a caller can choose too."""


def resolve(chosen: Mapping[str, Any], configuration: Configuration | None = None) -> Settings:
    """Return the settings of a run. Chosen values win over the configuration.

    Files that the settings name are read once here, so that an error in one is reported before the run.

    Args:
        chosen: key of `KEYS` → value, in the form of the configuration; only what the caller has chosen.
        configuration: a configuration that fits its schema.

    Raises:
        ChoiceError: a value of `chosen` is wrong; the error names its key.
        ConfigurationError: a value of the configuration is wrong; the error has its place.
    """
    if configuration is None and not chosen:
        return Settings()
    from dralint.config import choices
    from dralint.config.schema import texts

    asked = _Asked(chosen, configuration)
    schemas = asked.read("schemas", choices.schema_folder, None)
    releases: tuple[Release, ...] = asked.read(
        "kubernetes-version", lambda value: choices.releases(texts(value), schemas), ()
    )
    packs: tuple[tuple[str, str], ...] = asked.read("driver-packs", choices.driver_packs, ())
    own = frozenset(driver for driver, _ in packs)
    settings = Settings(
        releases=releases,
        patches=asked.read("kubernetes-version", lambda value: choices.patches(texts(value)), ()),
        gates=asked.read("feature-gates", lambda value: choices.feature_gates(value, releases, schemas), ()),
        select=asked.read("select", lambda value: choices.rule_patterns(texts(value)), ()),
        ignore=asked.read("ignore", lambda value: choices.rule_patterns(texts(value)), ()),
        ignore_status=asked.read("ignore-status", bool, False),
        strict_placeholders=asked.read("strict-placeholders", bool, False),
        namespace=asked.read("namespace", str, None),
        complete=asked.read("complete", bool, False),
        known_classes=asked.read("known-class", lambda value: tuple(texts(value)), ()),
        slices=asked.read("slices", _inventory, ()),
        driver_schemas=asked.by_driver("driver-schemas", _readable_schemas),
        driver_versions=asked.by_driver("driver-versions", lambda value: choices.driver_versions(value, own)),
        driver_gates=asked.by_driver("driver-gates", lambda value: choices.driver_gates(value, own)),
        driver_packs=packs,
        baseline=asked.read("baseline", _baseline, None),
        exclude=asked.read("exclude", lambda value: _patterns(texts(value)), ()),
        schemas=schemas,
        api_versions=asked.read("api-versions", choices.api_versions, None),
    )
    if configuration is not None:
        from dralint.config.file_settings import overlay

        settings = overlay(settings, configuration)
    if not asked.read("strict", bool, False):
        return settings
    levels = tuple(STRICT["severity"].items())
    said = settings.severity
    return settings._replace(severity=(*said, *levels) if "strict" in chosen else (*levels, *said))


class _Asked:
    """The chosen values, and those of a configuration for the rest; an error names the source of its value."""

    def __init__(self, chosen: Mapping[str, Any], configuration: Configuration | None) -> None:
        self._chosen = chosen
        self._configuration = configuration

    def read(self, key: str, make: Callable[[Any], T], default: T) -> T:
        """Return the result of `make` for the value of a key."""
        return self._choice(key, make, default) if key in self._chosen else self._said(key, make, default)

    def by_driver(self, key: str, make: Callable[[Any], dict[str, T]]) -> tuple[tuple[str, T], ...]:
        """Return the values by driver: those of the configuration, replaced by chosen ones."""
        own: dict[str, T] = self._choice(key, make, {})
        others: dict[str, T] = self._said(key, lambda value: make({k: v for k, v in value.items() if k not in own}), {})
        return tuple({**others, **own}.items())

    def _choice(self, key: str, make: Callable[[Any], T], default: T) -> T:
        from dralint.config.choices import ChoiceError

        if key not in self._chosen:
            return default
        try:
            return make(self._chosen[key])
        except ChoiceError as error:
            raise ChoiceError(error.reason, key) from error

    def _said(self, key: str, make: Callable[[Any], T], default: T) -> T:
        configuration = self._configuration
        if configuration is None or key not in configuration.values:
            return default
        from dralint.config.file_settings import with_place

        return with_place(configuration, (key,), lambda: make(_written(configuration, key)))


def _written(configuration: Configuration, key: str) -> Any:
    """Return the value of a key, with paths and patterns relative to the folder of the configuration."""
    from dralint.config.file import inside
    from dralint.config.file_settings import version_texts
    from dralint.config.schema import texts

    value = configuration.values[key]
    if key == "kubernetes-version":
        return version_texts(configuration, (key,))
    if key == "exclude":
        from dralint.files.excluded import Rooted

        folder = os.path.abspath(configuration.folder)  # noqa: PTH100 - a link is not followed
        return [Rooted(pattern, folder) for pattern in texts(value)]
    if key in ("api-versions", "baseline", "schemas"):
        named = inside(configuration, (key,), value)
        for file in os.listdir(named) if key == "schemas" and os.path.isdir(named) else ():  # noqa: PTH112, PTH208
            inside(configuration, (key,), os.path.join(value, file))  # noqa: PTH118 - a text as the others
        return named
    if key == "slices":
        if isinstance(value, str):
            return [inside(configuration, (key,), value)]
        return [inside(configuration, (key, number), path) for number, path in enumerate(value)]
    if key == "driver-packs":
        return [inside(configuration, (key, number), path) for number, path in enumerate(value)]
    if key == "driver-schemas":
        return {name: inside(configuration, (key, name), path) for name, path in value.items()}
    return value


def _inventory(paths: Any) -> tuple[str, ...]:
    from dralint.config.choices import ChoiceError

    for number, path in enumerate(paths):
        if not os.path.exists(path):  # noqa: PTH110 - most are plain strings
            raise ChoiceError(f"the path {str(path)!r} does not exist", at=(number,))
    return tuple(map(str, paths))


def _baseline(file: Any) -> Path:
    from pathlib import Path

    from dralint.config.baseline import BaselineError, load
    from dralint.config.choices import ChoiceError

    try:
        load(Path(file))
    except BaselineError as error:
        raise ChoiceError(str(error)) from error
    return Path(file)


def _patterns(patterns: list[str]) -> tuple[str, ...]:
    from dralint.config.choices import ChoiceError
    from dralint.files.excluded import Excluded

    try:
        Excluded(patterns)
    except ValueError as error:
        raise ChoiceError(str(error)) from error
    return tuple(patterns)


def _readable_schemas(value: Any) -> dict[str, str]:
    from dralint.config.choices import ChoiceError, schema_files
    from dralint.opaque.parameters import refused

    files = schema_files(value)
    wrong = refused(files.items())
    if wrong is not None:
        key, _, reason = wrong
        raise ChoiceError(reason, at=(key,))
    return files
