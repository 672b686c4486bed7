"""The linter of each file: the settings of the run, or what the configuration says instead for some paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.lint.linter import Linter

if TYPE_CHECKING:
    from dralint.config.settings import Settings


class Linters:
    """Linters by settings, made when they are first asked for; `collects` and `thorough` as they take it."""

    def __init__(self, settings: Settings, *, collects: bool = True, thorough: bool = False) -> None:
        self.settings = settings
        self._collects = collects
        self._thorough = thorough
        self._linters: dict[Settings, Linter] = {}

    def of(self, file: str) -> Linter:
        """Return the linter of a file, by its path from the working directory."""
        return self._linter(settings_of(file, self.settings))

    def _linter(self, settings: Settings) -> Linter:
        linter = self._linters.get(settings)
        if linter is None:
            linter = self._linters[settings] = Linter(settings, collects=self._collects, thorough=self._thorough)
        return linter


def settings_of(file: str, settings: Settings) -> Settings:
    """Return the settings that hold for a file: overrides apply in their order, the last has the last word."""
    if not settings.overrides:
        return settings
    from dralint.config.paths import matches

    held = settings
    for override in settings.overrides:
        if matches(override.paths, override.base, file):
            held = held._replace(
                releases=held.releases if override.releases is None else override.releases,
                gates=held.gates if override.gates is None else override.gates,
                select=held.select if override.select is None else override.select,
                ignore=held.ignore if override.ignore is None else override.ignore,
            )
    return held
