"""`dralint explain`: shows the meaning of a rule, a field, a feature gate or a driver."""

from __future__ import annotations

import os
import sys
import textwrap
from itertools import chain
from typing import TYPE_CHECKING

import click

from dralint.cli import options, output
from dralint.cli.options import ConfiguredCommand
from dralint.cli.output import show_text
from dralint.explain import fields
from dralint.explain.fields import excerpt
from dralint.finding import catalogue
from dralint.kubernetes.near import closest
from dralint.kubernetes.release import in_range
from dralint.kubernetes.types import WORKLOADS
from dralint.report.screen import ansi, plain
from dralint.report.words import release_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.config.settings import Settings
    from dralint.drivers.choice import Choice
    from dralint.explain.fields import Field
    from dralint.explain.search import FoundField, Gate, Matches, Topic
    from dralint.finding.catalogue import Rule
    from dralint.report.screen import Paint

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
    "topic", nargs=-1, required=True, metavar="RULE|FIELD|GATE|DRIVER|WORDS", shell_complete=options.complete_topics
)
@options.configuration
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
        return rule_lines(rule, width, paint)
    from dralint.drivers.choice import known_packs
    from dralint.explain import search

    choice = known_packs(own)
    of_driver = search.of_driver(topic, choice)
    if of_driver:
        return iter(of_driver)
    try:
        return field_lines(topic, fields.find(topic), width, paint)
    except fields.UnknownFieldError as error:
        wrong = str(error)
    if found := search.known(topic, choice):
        return iter(found)
    gate = search.gate(topic)
    if gate is not None:
        return gate_lines(gate, width, paint)
    asked = search.asked(topic)
    if not asked:
        return _similar(topic, choice, wrong, width, paint)
    try:
        others = [] if len(topic.split()) > _LONG else ["", *_similar(topic, choice, wrong, width, paint)]
    except click.UsageError:
        others = []
    return chain(topic_lines(asked, width, paint), others)


def _similar(topic: str, choice: Choice, wrong: str, width: int, paint: Paint) -> Iterator[str]:
    """Return the lines for a topic that is no name: what has it as a part. `wrong` says why it is no field."""
    from dralint.explain import search

    of_drivers = search.named(topic, choice)
    if of_drivers and ("/" in topic or "." in topic):
        return iter(of_drivers)
    if "/" in topic and (of_resource := search.of_resource(topic, choice)):
        return iter(of_resource)
    if "." in topic.partition("/")[0] and "/" in topic:
        near = closest(topic, choice.names)
        raise click.UsageError(
            f"no driver that dralint knows has an attribute, a capacity or an extended resource {topic!r}"
            + (f"; {near}" if near else "")
        )
    if "." in topic.strip(".") and fields.split(topic)[0].isalpha():
        first = fields.split(topic)[0].lower()
        ending = [] if first in map(str.lower, fields.kinds()) else search.ending(topic)
        if not ending:
            driver = closest(topic, choice.names)
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
        return chain(page, [""], match_lines(topic, found, of_drivers, width, paint))
    return match_lines(topic, found, of_drivers, width, paint)


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
        yield from field_lines(first.path, fields.find(first.path), width, paint)
        if others:
            yield ""
            yield paint("Other fields whose path ends so", "bold")
    else:
        others = found
    yield from _entries(((place.path, place.says) for place in others), width)


# The pages.

_UNBROKEN = "\u00a0"


def rule_lines(rule: Rule, width: int, paint: Paint) -> Iterator[str]:
    """Yield the page of a rule."""
    yield f"{paint(rule.id, rule.severity)} {paint(rule.name, 'bold')}"
    yield ""
    yield from _wrapped(rule.summary, width)
    yield ""
    releases = "all" if rule.releases in ("..", "") else rule.releases
    yield from _wrapped(f"{rule.severity}, {rule.effect}; kinds: {', '.join(rule.kinds)}; releases: {releases}", width)
    for title, text in (("Why", rule.why), ("What to do", rule.fix)):
        yield from _title(title, paint)
        for paragraph in text.split("\n\n"):
            yield from _wrapped(" ".join(paragraph.split()), width, "  ")
    yield from _relation_lines(rule, width, paint)
    for kind, title in (("bad", "Wrong"), ("good", "Right")):
        for example in rule.examples.get(kind, []):
            yield from _title(f"{title}: {example['title']}", paint)
            if "before" in example:
                yield from _indented(example["before"])
                yield "is updated to"
            for name, text in (example.get("files") or {"": example.get("manifest", "")}).items():
                if name:
                    yield f"  # {name}"
                yield from _indented(text)
            for expected in example.get("expect", []):
                where = f"{expected.get('rule', rule.id)} at {expected['path'] or 'the document'}"
                yield from _wrapped(f"{where}: {expected['message']}", width, "  -> ")
    yield ""
    yield rule.url


def _relation_lines(rule: Rule, width: int, paint: Paint) -> Iterator[str]:
    """Yield the relations between fields that a rule checks."""
    found = fields.of_rule(rule.id)
    if found:
        yield from _title("Limits of several fields together", paint)
    for text, releases in found.items():
        yield from _wrapped(text, width, f"  {release_spans(releases[::-1]):14}  ")


def _title(title: str, paint: Paint, note: str = "") -> Iterator[str]:
    yield ""
    yield paint(title, "bold") + note


def _wrapped(text: str | None, width: int, lead: str = "") -> list[str]:
    """Return a text in lines: the first one begins with `lead`, which indents the others; none where there is none."""
    return textwrap.wrap(text or "", width, initial_indent=lead, subsequent_indent=" " * len(lead))


def _indented(manifest: str) -> Iterator[str]:
    return ("  " + line if line else "" for line in manifest.rstrip("\n").split("\n"))


def field_lines(topic: str, found: list[Field], width: int, paint: Paint) -> Iterator[str]:
    """Yield the page of a field: its meaning, and its type, limits and gate by release."""
    kind, *steps = fields.split(topic)
    kind = next(name for name in fields.kinds() if name.lower() == kind.lower())
    yield paint(".".join([kind, *steps]), "bold")
    yield ""
    says = next((field.meaning for field in found if field.meaning is not None), None)
    if says is not None:
        yield from _wrapped(says, width)
        yield ""
    wide = max(24, *(len(field.api_version) for field in found))
    for (api_version, type_text), spans in fields.by_value((one.release, (one.api_version, one.type)) for one in found):
        yield f"  {api_version:{wide}}  {spans:14}  {type_text}"
    yield from _limit_lines(found, width, paint)
    yield from _gate_lines_of(found, paint)
    moved = fields.elsewhere(topic)
    if moved:
        yield from _title("Elsewhere", paint)
        for (api_version, path), spans in fields.by_value(
            (release, (version, path)) for release, version, path in moved
        ):
            yield f"  {api_version:{wide}}  {spans:14}  {path}"
    yield from _member_lines(topic, found, width, paint)
    shown = excerpt(kind, steps, list(dict.fromkeys(field.api_version for field in found)))
    if shown is not None:
        rule, lines = shown
        yield from _title("Example", paint, f" (more: dralint explain {rule})")
        yield from (f"  {line}" for line in lines)


def _limit_lines(found: list[Field], width: int, paint: Paint) -> Iterator[str]:
    limits = fields.by_value((field.release, field.limits) for field in found)
    if not any(texts for texts, _ in limits):
        return
    yield from _title("Limits", paint)
    for texts, spans in limits:
        for number, text in enumerate(texts or ("none in the table",)):
            yield from _wrapped(text, width, f"  {'' if number else spans:14}  ")


def _gate_lines_of(found: list[Field], paint: Paint) -> Iterator[str]:
    """Yield the feature gates of a field, with their stages."""
    gates = [(field.release, gate) for field in found if (gate := fields.gate_of(field)) is not None]
    if gates:
        yield from _title("Feature gate", paint, " (while it is off, the server silently removes the field)")
    for text, spans in fields.by_value(
        (release, f"{gate}: {fields.gate_stage(gate, release)}") for release, gate in gates
    ):
        yield f"  {spans:14}  {text}"


def _member_lines(topic: str, found: list[Field], width: int, paint: Paint) -> Iterator[str]:
    """Yield the fields of a field by API version."""
    members: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for (api_version, names, union), spans in fields.by_value(
        (one.release, (one.api_version, one.members, one.union)) for one in found
    ):
        if names:
            version = f"{api_version.rpartition('/')[2]} ({spans})"
            members.setdefault((names, union), []).append(version.replace(" ", _UNBROKEN))
    if members:
        of_workload = topic.strip().partition(".")[0].lower() in map(str.lower, WORKLOADS)
        yield from _title("Fields that concern claims" if of_workload else "Fields", paint)
    for (names, union), versions in members.items():
        lines = _wrapped(", ".join(versions), width, "  ")
        yield from (line.replace(_UNBROKEN, " ") for line in lines)
        for text in (", ".join(names), *union):
            yield from _wrapped(text, width, "    ")


def _entries(rows: Iterable[tuple[str, str | None]], width: int) -> Iterator[str]:
    """Yield names with their meanings, one below the other."""
    for name, says in rows:
        yield f"  {name}"
        yield from _wrapped(says, width, "      ")


def gate_lines(gate: Gate, width: int, paint: Paint) -> Iterator[str]:
    """Yield the page of a feature gate: its effect, its stage by release, and its fields."""
    yield paint(gate.name, "bold") + ", a feature gate"
    if gate.says is not None:
        yield ""
        yield from _wrapped(gate.says, width)
    yield from _title("Stages", paint)
    for stage, spans in fields.by_value(reversed(gate.stages)):
        yield f"  {spans:14}  {stage}"
    if gate.needs:
        yield from _title("Needs", paint)
        yield from _wrapped(", ".join(gate.needs), width, "  ")
    yield ""
    if gate.fields:
        yield paint("Fields", "bold") + " (while it is off, the server silently removes them)"
        for path, span in gate.fields:
            releases = [str(release) for release, _ in reversed(gate.stages) if in_range(span, release)]
            yield f"  {release_spans(releases):14}  {path}"
    else:
        yield "It controls no field itself."


def topic_lines(found: Iterable[Topic], width: int, paint: Paint) -> Iterator[str]:
    """Yield the pages of symptoms and subjects, one below the other."""
    for number, topic in enumerate(found):
        if number:
            yield ""
        yield paint(topic.topic, "bold")
        for paragraph in topic.says:
            yield ""
            yield from _wrapped(paragraph, width)
        if topic.do:
            yield from _title("What to do", paint)
        for step in topic.do:
            yield from _wrapped(step, width, "  - ")
        if topic.example:
            yield from _title("Example", paint)
            yield from _indented(topic.example)
        if topic.see:
            yield from _title("More", paint)
            yield from (f"  dralint explain {name}" for name in topic.see)


def match_lines(topic: str, found: Matches, of_drivers: list[str], width: int, paint: Paint) -> Iterator[str]:
    """Yield the fields, gates, rules and parts of drivers that match a search; `explain` shows more about each."""
    yield paint(f"Results for {topic!r}", "bold") + " (`dralint explain` explains each)"
    places = [(place.path, place.says) for place in found.fields]
    rules = [(f"{paint(rule.id, rule.severity)} {rule.name}", rule.summary) for rule in found.rules]
    for title, rows in (("Fields", places), ("Feature gates", found.gates), ("Rules", rules)):
        if rows:
            yield from _title(title, paint)
            yield from _entries(rows, width)
    if of_drivers:
        yield from _title("Drivers", paint)
    yield from (f"  {line}" for line in of_drivers)
