"""Chooses the linter of each file: by the settings of the run, or by those of the configuration for some paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.config.settings import settings_of
from dralint.lint.linter import Linter

if TYPE_CHECKING:
    from dralint.config.settings import Settings


class Linters:
    """Linters by settings, made when they are first needed. For `collects` and `thorough`, see `Linter`."""

    def __init__(self, settings: Settings, *, collects: bool = True, thorough: bool = False) -> None:
        self.settings = settings
        self._collects = collects
        self._thorough = thorough
        self._linters: dict[Settings, Linter] = {}
        self._only: Linter | None = None

    def of(self, file: str) -> Linter:
        """Return the linter of a file, by its path from the working directory."""
        if self._only is not None:
            return self._only
        settings = self.settings
        if settings.overrides:
            settings = settings_of(file, settings)
        linter = self._linters.get(settings)
        if linter is None:
            linter = self._linters[settings] = Linter(settings, collects=self._collects, thorough=self._thorough)
        if not self.settings.overrides:
            self._only = linter
        return linter
