"""Completes words of the command line: rules, releases, feature gates, fields. Loaded only for a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dralint.cli import configuration
from dralint.config.resolve import resolve
from dralint.finding import catalogue
from dralint.kubernetes import shipped
from dralint.kubernetes.served import known_releases

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.drivers.choice import Choice

_WORDS_FOR_ALL = ("AllAlpha", "AllBeta")


def rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the lists of rules that a text can become: its last part is completed to an id or a name."""
    names = [name for rule in catalogue.rules().values() for name in (rule.id, rule.name)]
    return _last_of_list(incomplete, names)


def releases(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the lists of releases and ranges that a text can become; the end of a range is a later release."""
    known = [*map(str, known_releases()), "latest"]
    before, comma, last = incomplete.rpartition(",")
    first, dots, _ = last.rpartition("..")
    above = known[known.index(first) :] if first in known else known
    return [f"{before}{comma}{word}" for word in _beginning(last, [f"{first}{dots}{name}" for name in above])]


def targets(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the targets of a migration: API versions and releases."""
    from dralint.migrate.convert import VERSIONS

    return [*_beginning(incomplete, VERSIONS), *releases(ctx, param, incomplete)]


def gates(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the lists of switched gates that a text can become: `A=true,B=false`."""
    names = [*shipped.index()["gates"], *_WORDS_FOR_ALL]
    return _last_of_list(incomplete, [f"{name}={value}" for name in sorted(names) for value in ("true", "false")])


def topics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the topics of `explain`: rules, gates, drivers, and paths of fields one level below the text."""
    from dralint.explain import fields, search

    found = [name for rule in catalogue.rules().values() for name in (rule.id, rule.name)]
    found += [*shipped.index()["gates"], *fields.kinds(), *_packs().names]
    depth = incomplete.count(".") + 2
    found += [place.path for place in search.places() if len(place.path.split(".")) <= depth] if incomplete else []
    return _beginning(incomplete, found)


def drivers(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the drivers that have a pack."""
    return _beginning(incomplete, _packs().drivers)


def _packs() -> Choice:
    """Return the packs of dralint and of the nearest configuration; ignore a configuration with a mistake."""
    from dralint.drivers.choice import known_packs

    try:
        found = configuration.chosen(())
        settings = resolve({}, None if found is None else found.only({"driver-packs"}))
        return known_packs(settings.driver_packs)
    except (click.ClickException, OSError, ValueError):
        return known_packs(())


def _last_of_list(incomplete: str, words: Iterable[str]) -> list[str]:
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{word}" for word in _beginning(last, words)]


def _beginning(start: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.lower().startswith(start.lower())]
