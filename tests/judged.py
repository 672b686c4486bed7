"""One text, judged as `check` judges a file alone, or fixed."""

from __future__ import annotations

from functools import cache
from typing import Any

from dralint.config.settings import Settings
from dralint.files.source import Source
from dralint.finding.report import Report
from dralint.fix.files import fix
from dralint.kubernetes import gates
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter


@cache
def _linter(releases: tuple[str, ...], switched: str, settings: tuple[tuple[str, Any], ...]) -> Linter:
    chosen = tuple(Release.parse(release) for release in releases)
    return Linter(Settings(releases=chosen, gates=tuple(gates.parse(switched).items()), **dict(settings)))


def judged(text: str, *releases: str, switched: str = "", name: str = "a.yaml", **settings: Any) -> Report:
    """Return the sorted report on a text, by releases or without one, with gates and other settings."""
    report = _linter(releases, switched, tuple(settings.items())).check(name, text.encode()).report
    assert report.failures == []
    report.sort()
    return report


def fixed(text: str, *, unsafe: bool = False) -> str:
    """Return the text after `fix`, or after `fix --unsafe-fixes`."""
    after = fix([Source("a.yaml", None, text.encode())], Settings(), unsafe=unsafe).files[0].after
    return text if after is None else after.decode()
