"""Makes settings from the choices of a caller and a configuration file; the choices win."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from dralint.config.configuration import ChoiceError
from dralint.config.settings import Settings
from dralint.config.table import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.config.configuration import Configuration
    from dralint.config.table import Parser, Setting


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
    asked = _Asked(chosen, configuration)
    return Settings(**{name: asked.field(name) for row in asked.rows for name in row.fields})


class _Asked:
    """The chosen values, and those of a configuration for the rest; an error names the source of its value."""

    def __init__(self, chosen: Mapping[str, Any], configuration: Configuration | None) -> None:
        self._chosen = chosen
        self._configuration = configuration
        said = {} if configuration is None else configuration.values
        self.rows = [row for key, row in SETTINGS.items() if key in chosen or key in said]
        self._fields: dict[str, Any] = {}

    def field(self, name: str) -> Any:
        """Return the value of a field of the settings: what is chosen stands after what the configuration has."""
        if name not in self._fields:
            rows = [(row, row.fields[name]) for row in self.rows if name in row.fields]
            if any(row.by_driver for row, _ in rows):
                self._fields[name] = self._by_driver(*rows[0])
            else:
                values = [self._said(row.key, parse) for row, parse in rows if row.key not in self._chosen]
                values += [self._choice(row.key, parse) for row, parse in rows if row.key in self._chosen]
                several = len(values) > 1
                default = None if values else Settings._field_defaults[name]
                self._fields[name] = tuple(chain(*values)) if several else values[0] if values else default
        return self._fields[name]

    def _by_driver(self, row: Setting, parse: Parser) -> tuple[tuple[str, Any], ...]:
        """Return the values by driver: those of the configuration, replaced by chosen ones."""
        configuration = self._configuration
        own = self._choice(row.key, parse) if row.key in self._chosen else {}
        others = {}
        if configuration is not None and row.key in configuration.values:
            others = self._said(
                row.key, lambda value, field: parse({k: v for k, v in value.items() if k not in own}, field)
            )
        return tuple({**others, **own}.items())

    def _choice(self, key: str, parse: Parser) -> Any:
        try:
            return parse(self._chosen[key], self.field)
        except ChoiceError as error:
            raise ChoiceError(error.reason, key) from error

    def _said(self, key: str, parse: Parser) -> Any:
        configuration, written = self._configuration, SETTINGS[key].written
        assert configuration is not None
        value = getattr(configuration, written)(key) if written else configuration.values[key]
        try:
            return parse(value, self.field)
        except ChoiceError as error:
            raise configuration.wrong_choice(key, error) from error
