"""`dralint explain`: shows the meaning of a rule, a field, a feature gate or a driver."""

from __future__ import annotations

import os
import sys
from itertools import chain
from typing import TYPE_CHECKING

import click

from dralint.cli import candidates, configuration, options, output, pages
from dralint.cli.configuration import ConfiguredCommand
from dralint.cli.output import show_text
from dralint.explain import fields
from dralint.finding import catalogue
from dralint.report.wrap import ansi, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.config.settings import Settings
    from dralint.drivers.choice import Choice
    from dralint.explain.search import FoundField, Matches
    from dralint.report.wrap import Paint

_MANY = 12
"""If more fields than this have a name, their list is shown instead of a page."""

_LONG = 3
"""A question of more words than this is a sentence or a message, and names no field."""

_NOTHING = (
    "name a topic: a rule (DRA203 or unknown-request), a field (ResourceClaim.spec.devices.requests, or the "
    "end of its path), a feature gate, a driver, a symptom or message, or words to look for"
)


class _Explain(ConfiguredCommand):
    besides = frozenset({"driver-packs"})


@click.command(cls=_Explain, short_help="Explain a rule, a field, a feature gate or a driver.")
@click.argument(
    "topic", nargs=-1, required=True, metavar="RULE|FIELD|GATE|DRIVER|WORDS", shell_complete=candidates.topics
)
@configuration.options
@options.color
def explain(topic: tuple[str, ...], color: str, settings: Settings) -> None:
    """Explain a rule, a field, a feature gate or a driver.

    A rule is an id or a name: DRA203 or unknown-request. A field is a path or the end of a path:
    ResourceClaim.spec.devices.requests. The page of a field shows its meaning, and its type, limits and feature gate in
    each release. A driver is its name or that of a class of its chart; its attributes (gpu.nvidia.com/architecture) and
    parameters (GpuConfig.sharing) have pages too. The configuration can add drivers (`driver-packs`). A symptom
    (ContainerCreating), a message of Kubernetes as it is, or a subject (quota, time slicing) is answered by what to do.
    dralint searches for other words in all rules, fields and feature gates.
    """
    width = min(output.terminal_width(sys.stdout, os.environ), 100)
    painted = output.colored(color, sys.stdout, os.environ)
    lines = _page(" ".join(topic).strip(), width, ansi if painted else plain, settings.driver_packs)
    show_text("\n".join(lines), painted=painted)


def _page(topic: str, width: int, paint: Paint, own: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Return the lines of the page for a topic; click.UsageError where there is none."""
    if not topic:
        raise click.UsageError(_NOTHING)

    rule = catalogue.find(topic)
    if rule is not None:
        return pages.rule_lines(rule, width, paint)
    from dralint.drivers.choice import known_packs
    from dralint.explain import known, search

    choice = known_packs(own)
    of_driver = known.of_driver(topic, choice)
    if of_driver:
        return iter(of_driver)
    try:
        return pages.field_lines(topic, fields.find(topic), width, paint)
    except fields.UnknownFieldError as error:
        wrong = str(error)
    if found := known.known(topic, choice):
        return iter(found)
    gate = search.gate(topic)
    if gate is not None:
        return pages.gate_lines(gate, width, paint)
    asked = search.asked(topic)
    if not asked:
        return _similar(topic, choice, wrong, width, paint)
    try:
        others = [] if len(topic.split()) > _LONG else ["", *_similar(topic, choice, wrong, width, paint)]
    except click.UsageError:
        others = []
    return chain(pages.topic_lines(asked, width, paint), others)


def _similar(topic: str, choice: Choice, wrong: str, width: int, paint: Paint) -> Iterator[str]:
    """Return the lines for a topic that is no name: what has it as a part. `wrong` says why it is no field."""
    from dralint.explain import known, search

    of_drivers = known.named(topic, choice)
    if of_drivers and ("/" in topic or "." in topic):
        return iter(of_drivers)
    if "/" in topic and (of_resource := known.of_resource(topic, choice)):
        return iter(of_resource)
    if "." in topic.partition("/")[0] and "/" in topic:
        near = known.nearest(topic, choice)
        raise click.UsageError(
            f"no driver that dralint knows has an attribute, a capacity or an extended resource {topic!r}"
            + (f"; {near}" if near else "")
        )
    if "." in topic.strip(".") and fields.split(topic)[0].isalpha():
        first = fields.split(topic)[0].lower()
        ending = [] if first in map(str.lower, fields.kinds()) else search.ending(topic)
        if not ending:
            driver = known.nearest(topic, choice)
            raise click.UsageError(wrong if driver is None else f"there is no driver {topic!r}; {driver}")
        return _of_ending(ending, width, paint)
    found = search.about(topic)
    if not (found.fields or found.rules or found.gates):
        if of_drivers:
            return iter(of_drivers)
        raise click.UsageError(f"there is no rule, kind, field or feature gate {topic!r}; {_tip(topic)}")
    named = [field for field in found.fields if field.name.lower() == topic.lower()]
    if len(named) == 1:
        page = _of_ending(named, width, paint)
        found = found._replace(fields=tuple(field for field in found.fields if field not in named))
        if not (any(found) or of_drivers):
            return page
        return chain(page, [""], _matches(topic, found, of_drivers, width, paint))
    return _matches(topic, found, of_drivers, width, paint)


def _matches(topic: str, found: Matches, of_drivers: list[str], width: int, paint: Paint) -> Iterator[str]:
    """Return the lines of what has a topic as a part, those of the drivers last."""
    lines = pages.match_lines(topic, found, width, paint)
    return chain(lines, ["", paint("Drivers", "bold"), *(f"  {line}" for line in of_drivers)]) if of_drivers else lines


def _tip(topic: str) -> str:
    from dralint.explain import search

    if catalogue.is_numbered(topic):
        return f"{catalogue.listing(topic)} lists the rules"
    close = search.nearest(topic)
    return f"did you mean {close}?" if close else "`dralint rules` lists the rules"


def _of_ending(found: list[FoundField], width: int, paint: Paint) -> Iterator[str]:
    """Yield the page of the field whose path has this ending, and the other fields with it."""
    first, *others = found
    if len(others) < _MANY:
        yield from pages.field_lines(first.path, fields.find(first.path), width, paint)
        if others:
            yield ""
            yield paint("Other fields whose path ends so", "bold")
    else:
        others = found
    yield from pages.place_lines(others, width)
