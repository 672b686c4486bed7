"""`dralint explain`: what a rule means, or what the server checks of a field."""

from __future__ import annotations

import os
import sys
import textwrap
from typing import TYPE_CHECKING, TypeVar

import click

from dralint.cli.options import terminal_width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dralint.explain.fields import Elsewhere, Field
    from dralint.finding.catalogue import Rule

T = TypeVar("T")
_UNBROKEN = "\u00a0"
Found = TypeVar("Found", "Field", "Elsewhere")


@click.command(short_help="Explain a rule, or a field of a kind.")
@click.argument("topic", metavar="RULE|KIND.FIELD.PATH")
def explain(topic: str) -> None:
    """Explain a rule (DRA203 or unknown-request) with examples, or a field (ResourceClaim.spec.devices.requests):
    its type, limits and feature gate, release by release.
    """
    from dralint.finding import catalogue

    width = min(terminal_width(sys.stdout, os.environ), 100)
    rule = catalogue.find(topic)
    if rule is not None:
        click.echo("\n".join(rule_lines(rule, width)))
        return
    from dralint.explain import fields

    try:
        found = fields.find(topic)
    except fields.UnknownFieldError as error:
        raise click.UsageError(_neither(topic, str(error))) from error
    click.echo("\n".join(field_lines(topic.strip(), found, width)))


def _neither(topic: str, field_error: str) -> str:
    import difflib

    from dralint.explain import fields
    from dralint.finding import catalogue

    if "." in topic:
        return field_error
    names = {name.lower(): name for rule in catalogue.rules().values() for name in (rule.name, rule.id)} | {
        kind.lower(): kind for kind in fields.kinds()
    }
    close = difflib.get_close_matches(topic.lower(), names, n=1)
    tip = f"did you mean {names[close[0]]}?" if close else "`dralint rules` lists the rules"
    return f"there is no rule and no kind {topic!r}; {tip}"


def rule_lines(rule: Rule, width: int) -> Iterator[str]:
    """Yield the page of a rule as plain text."""
    yield f"{rule.id} {rule.name}"
    yield ""
    yield from textwrap.wrap(rule.summary, width)
    yield ""
    yield from textwrap.wrap(
        f"{rule.severity}, {rule.effect}; kinds: {', '.join(rule.kinds)}; releases: {_range_words(rule.releases)}",
        width,
    )
    for title, text in (("Why", rule.why), ("What to do", rule.fix)):
        yield ""
        yield title
        for paragraph in text.split("\n\n"):
            yield from textwrap.wrap(" ".join(paragraph.split()), width, initial_indent="  ", subsequent_indent="  ")
    for kind, title in (("bad", "Wrong"), ("good", "Right")):
        for example in rule.examples.get(kind, []):
            yield ""
            yield f"{title}: {example['title']}"
            if "before" in example:
                yield from _indented(example["before"])
                yield "is updated to"
            for name, text in (example.get("files") or {"": example.get("manifest", "")}).items():
                if name:
                    yield f"  # {name}"
                yield from _indented(text)
            for expected in example.get("expect", []):
                yield from textwrap.wrap(
                    f"{expected.get('rule', rule.id)} at {expected['path'] or 'the document'}: {expected['message']}",
                    width,
                    initial_indent="  -> ",
                    subsequent_indent="     ",
                )
    yield ""
    yield rule.url


def _indented(manifest: str) -> Iterator[str]:
    return ("  " + line if line else "" for line in manifest.rstrip("\n").split("\n"))


def _range_words(text: str) -> str:
    return "all" if text in ("..", "") else text


def field_lines(topic: str, found: list[Field], width: int) -> Iterator[str]:
    """Yield what is known of a field as plain text."""
    from dralint.explain import fields

    yield topic
    yield ""
    wide = max(24, *(len(field.api_version) for field in found))
    for (api_version, type_text), spans in _by(found, lambda field: (field.api_version, field.type)):
        yield f"  {api_version:{wide}}  {spans:14}  {type_text}"
    limits = list(_by(found, lambda field: field.limits))
    if any(texts for texts, _ in limits):
        yield ""
        yield "Limits"
        for texts, spans in limits:
            for number, text in enumerate(texts or ("none in the table",)):
                yield f"  {spans if not number else '':14}  {text}"
    guarded = [(field, gate) for field in found for gate in [fields.gate_of(field)] if gate is not None]
    if guarded:
        yield ""
        yield "Feature gate (while it is off, the server silently removes the field)"
        gate_of = {(field.release, field.api_version): gate for field, gate in guarded}
        for (gate, stage), spans in _by(
            [field for field, _ in guarded],
            lambda field: (
                gate_of[field.release, field.api_version],
                fields.gate_stage(gate_of[field.release, field.api_version], field.release),
            ),
        ):
            yield f"  {spans:14}  {gate}: {stage}"
    moved = fields.elsewhere(topic)
    if moved:
        yield ""
        yield "Elsewhere"
        for (api_version, path), spans in _by(moved, lambda field: (field.api_version, field.path)):
            yield f"  {api_version:{wide}}  {spans:14}  {path}"
    members: dict[tuple[str, ...], list[str]] = {}
    for (api_version, names), spans in _by(found, lambda field: (field.api_version, field.members)):
        if names:
            version = f"{api_version.rpartition('/')[2]} ({spans})"
            members.setdefault(names, []).append(version.replace(" ", _UNBROKEN))
    if members:
        yield ""
        yield "Fields that concern claims" if _workload(topic) else "Fields"
        for names, versions in members.items():
            lines = textwrap.wrap(", ".join(versions), width, initial_indent="  ", subsequent_indent="  ")
            yield from (line.replace(_UNBROKEN, " ") for line in lines)
            yield from textwrap.wrap(", ".join(names), width, initial_indent="    ", subsequent_indent="    ")


def _workload(topic: str) -> bool:
    from dralint.kubernetes.workload_types import WORKLOADS

    return topic.strip().partition(".")[0].lower() in (kind.lower() for kind in WORKLOADS)


def _by(found: Iterable[Found], key: Callable[[Found], T]) -> list[tuple[T, str]]:
    """Return the different values of `key`, each with the releases that have it."""
    from dralint.report.words import release_spans

    groups: dict[T, set[str]] = {}
    for field in found:
        groups.setdefault(key(field), set()).add(str(field.release))
    return [
        (value, release_spans(sorted(releases, key=lambda text: tuple(map(int, text.split("."))))))
        for value, releases in groups.items()
    ]
