"""The pages of `dralint explain` as lines of text: for rules, fields and feature gates, and for search results."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, TypeVar

from dralint.explain import fields
from dralint.explain.excerpts import excerpt
from dralint.kubernetes.release import in_range
from dralint.kubernetes.types import WORKLOADS
from dralint.report.words import release_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dralint.explain.fields import Field, OtherPlace
    from dralint.explain.search import FoundField, Gate, Matches, Topic
    from dralint.finding.catalogue import Rule
    from dralint.kubernetes.release import Release
    from dralint.report.wrap import Paint

T = TypeVar("T")
_UNBROKEN = "\u00a0"
Found = TypeVar("Found", "Field", "OtherPlace")


def rule_lines(rule: Rule, width: int, paint: Paint) -> Iterator[str]:
    """Yield the page of a rule."""
    yield f"{paint(rule.id, rule.severity)} {paint(rule.name, 'bold')}"
    yield ""
    yield from textwrap.wrap(rule.summary, width)
    yield ""
    yield from textwrap.wrap(
        f"{rule.severity}, {rule.effect}; kinds: {', '.join(rule.kinds)}; releases: {_range_words(rule.releases)}",
        width,
    )
    for title, text in (("Why", rule.why), ("What to do", rule.fix)):
        yield ""
        yield paint(title, "bold")
        for paragraph in text.split("\n\n"):
            yield from textwrap.wrap(" ".join(paragraph.split()), width, initial_indent="  ", subsequent_indent="  ")
    yield from _relation_lines(rule, width, paint)
    for kind, title in (("bad", "Wrong"), ("good", "Right")):
        for example in rule.examples.get(kind, []):
            yield ""
            yield paint(f"{title}: {example['title']}", "bold")
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


def _relation_lines(rule: Rule, width: int, paint: Paint) -> Iterator[str]:
    """Yield the relations between fields that a rule checks."""
    found = fields.of_rule(rule.id, rule.catalogue)
    if found:
        yield ""
        yield paint("Limits of several fields together", "bold")
    for relation in found:
        lead = f"  {release_spans(relation.releases):14}  "
        yield from textwrap.wrap(relation.text, width, initial_indent=lead, subsequent_indent=" " * len(lead))


def _indented(manifest: str) -> Iterator[str]:
    return ("  " + line if line else "" for line in manifest.rstrip("\n").split("\n"))


def _range_words(text: str) -> str:
    return "all" if text in ("..", "") else text


def field_lines(topic: str, found: list[Field], width: int, paint: Paint) -> Iterator[str]:
    """Yield the page of a field: its meaning, and its type, limits and gate by release."""
    kind, *steps = fields.split(topic)
    kind = next(name for name in fields.kinds() if name.lower() == kind.lower())
    yield paint(".".join([kind, *steps]), "bold")
    yield ""
    says = next((field.meaning for field in found if field.meaning is not None), None)
    if says is not None:
        yield from textwrap.wrap(says, width)
        yield ""
    wide = max(24, *(len(field.api_version) for field in found))
    for (api_version, type_text), spans in _by(found, lambda field: (field.api_version, field.type)):
        yield f"  {api_version:{wide}}  {spans:14}  {type_text}"
    yield from _limit_lines(found, width, paint)
    yield from _gate_lines_of(found, paint)
    moved = fields.elsewhere(topic)
    if moved:
        yield ""
        yield paint("Elsewhere", "bold")
        for (api_version, path), spans in _by(moved, lambda field: (field.api_version, field.path)):
            yield f"  {api_version:{wide}}  {spans:14}  {path}"
    yield from _member_lines(topic, found, width, paint)
    shown = excerpt(kind, steps, list(dict.fromkeys(field.api_version for field in found)))
    if shown is not None:
        yield ""
        yield paint("Example", "bold") + f" (more: dralint explain {shown.rule})"
        yield from (f"  {line}" for line in shown.lines)


def _limit_lines(found: list[Field], width: int, paint: Paint) -> Iterator[str]:
    limits = list(_by(found, lambda field: field.limits))
    if not any(texts for texts, _ in limits):
        return
    yield ""
    yield paint("Limits", "bold")
    for texts, spans in limits:
        for number, text in enumerate(texts or ("none in the table",)):
            lead = f"  {spans if not number else '':14}  "
            yield from textwrap.wrap(text, width, initial_indent=lead, subsequent_indent=" " * len(lead))


def _gate_lines_of(found: list[Field], paint: Paint) -> Iterator[str]:
    """Yield the feature gates of a field, with their stages."""
    gates = {(field.release, field.api_version): fields.gate_of(field) for field in found}
    guarded = [field for field in found if gates[field.release, field.api_version] is not None]
    if not guarded:
        return
    yield ""
    yield paint("Feature gate", "bold") + " (while it is off, the server silently removes the field)"

    def gate_and_stage(field: Field) -> tuple[str, str]:
        gate = str(gates[field.release, field.api_version])
        return gate, fields.gate_stage(gate, field.release)

    for (gate, stage), spans in _by(guarded, gate_and_stage):
        yield f"  {spans:14}  {gate}: {stage}"


def _member_lines(topic: str, found: list[Field], width: int, paint: Paint) -> Iterator[str]:
    """Yield the fields of a field by API version."""
    members: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for (api_version, names, union), spans in _by(found, lambda field: (field.api_version, field.members, field.union)):
        if names:
            version = f"{api_version.rpartition('/')[2]} ({spans})"
            members.setdefault((names, union), []).append(version.replace(" ", _UNBROKEN))
    if members:
        yield ""
        yield paint("Fields that concern claims" if _workload(topic) else "Fields", "bold")
    for (names, union), versions in members.items():
        lines = textwrap.wrap(", ".join(versions), width, initial_indent="  ", subsequent_indent="  ")
        yield from (line.replace(_UNBROKEN, " ") for line in lines)
        for text in (", ".join(names), *union):
            yield from textwrap.wrap(text, width, initial_indent="    ", subsequent_indent="    ")


def place_lines(others: Sequence[FoundField], width: int) -> Iterator[str]:
    """Yield fields with their meanings, one below the other."""
    for place in others:
        yield f"  {place.path}"
        if place.says is not None:
            yield from textwrap.wrap(place.says, width, initial_indent="      ", subsequent_indent="      ")


def gate_lines(gate: Gate, width: int, paint: Paint) -> Iterator[str]:
    """Yield the page of a feature gate: its effect, its stage by release, and its fields."""
    yield paint(gate.name, "bold") + ", a feature gate"
    if gate.says is not None:
        yield ""
        yield from textwrap.wrap(gate.says, width)
    yield ""
    yield paint("Stages", "bold")
    by_stage: dict[str, list[str]] = {}
    for release, stage in reversed(gate.stages):
        by_stage.setdefault(stage, []).append(str(release))
    for stage, releases in by_stage.items():
        yield f"  {release_spans(releases):14}  {stage}"
    if gate.needs:
        yield ""
        yield paint("Needs", "bold")
        yield from textwrap.wrap(", ".join(gate.needs), width, initial_indent="  ", subsequent_indent="  ")
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
            yield from textwrap.wrap(paragraph, width)
        if topic.do:
            yield ""
            yield paint("What to do", "bold")
        for step in topic.do:
            yield from textwrap.wrap(step, width, initial_indent="  - ", subsequent_indent="    ")
        if topic.example:
            yield ""
            yield paint("Example", "bold")
            yield from _indented(topic.example)
        if topic.see:
            yield ""
            yield paint("More", "bold")
            yield from (f"  dralint explain {name}" for name in topic.see)


def match_lines(topic: str, found: Matches, width: int, paint: Paint) -> Iterator[str]:
    """Yield the fields, rules and gates that match a search; `explain` shows more about each."""
    yield paint(f"Results for {topic!r}", "bold") + " (`dralint explain` explains each)"
    if found.fields:
        yield ""
        yield paint("Fields", "bold")
        yield from place_lines(found.fields, width)
    if found.gates:
        yield ""
        yield paint("Feature gates", "bold")
        for name, says in found.gates:
            yield f"  {name}"
            if says is not None:
                yield from textwrap.wrap(says, width, initial_indent="      ", subsequent_indent="      ")
    if found.rules:
        yield ""
        yield paint("Rules", "bold")
        for rule in found.rules:
            yield f"  {paint(rule.id, rule.severity)} {rule.name}"
            yield from textwrap.wrap(rule.summary, width, initial_indent="      ", subsequent_indent="      ")


def _workload(topic: str) -> bool:
    return topic.strip().partition(".")[0].lower() in (kind.lower() for kind in WORKLOADS)


def _by(found: Iterable[Found], key: Callable[[Found], T]) -> list[tuple[T, str]]:
    """Return the different values of `key`, each with the releases that have it."""
    groups: dict[T, set[Release]] = {}
    for field in found:
        groups.setdefault(key(field), set()).add(field.release)
    return [
        (value, release_spans([str(release) for release in sorted(releases)])) for value, releases in groups.items()
    ]
