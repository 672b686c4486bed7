"""Searches a topic that is no rule and no whole path: the end of a path, a feature gate, a symptom, some words."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from dralint.drivers.shipped import DRIVERS
from dralint.explain import fields
from dralint.finding import catalogue
from dralint.kubernetes import gates, shipped
from dralint.kubernetes.near import near
from dralint.kubernetes.release import Release, in_range

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dralint.finding.catalogue import Rule
    from dralint.kubernetes.types import Struct


_FIRST = ("ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "ResourceSlice", "DeviceTaintRule", "Pod")
_MACHINERY = frozenset({"ObjectMeta", "OwnerReference", "ManagedFieldsEntry"})
_OF_EVERY_OBJECT = frozenset({"apiVersion", "kind", "metadata"})
_PIECES = re.compile(r"[A-Z]*[a-z]+|[A-Z]+|\d+")


@dataclass(frozen=True, slots=True)
class FoundField:
    """A field with its path from the kind, in the newest API version that has it; `says` is its meaning."""

    path: str
    owner: str
    name: str
    says: str | None


class Matches(NamedTuple):
    """The results for some words: fields, rules, and feature gates with their effects."""

    fields: tuple[FoundField, ...]
    rules: tuple[Rule, ...]
    gates: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class Gate:
    """A feature gate: its effect, its stages by release (newest first), the gates that it needs, its fields.

    A field has the span of releases in which it is removed while the gate is off.
    """

    name: str
    says: str | None
    stages: tuple[tuple[Release, str], ...]
    needs: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]


def places() -> Iterator[FoundField]:
    """Yield the fields of all kinds, each kind as the newest release that serves it has it; claims come first."""
    for kind in _kinds():
        _, _, name, types = next(fields.served(kind, None))
        yield from _walk(types, name)


def ending(path: str) -> list[FoundField]:
    """Return the fields whose path ends with these steps, in any case; the same field once, at its first path.

    Older API versions count where the newest has none.
    """
    steps = [step for step in re.sub(r"\[[^\]]*\]", "", path).lower().strip(". ").split(".") if step]
    if not steps:
        return []
    found = [place for place in places() if place.path.lower().split(".")[-len(steps) :] == steps]
    if not found:
        every = (
            place
            for kind in _kinds()
            for _, _, name, types in fields.served(kind, None)
            for place in _walk(types, name)
        )
        found = [place for place in every if place.path.lower().split(".")[-len(steps) :] == steps]
    return _once(found)


def gate(name: str) -> Gate | None:
    """Return a feature gate by its name, in any case; None when there is none."""
    table = shipped.index()["gates"]
    known = next((known for known in table if known.lower() == name.strip().lower()), None)
    if known is None:
        return None
    stages = [
        (release, fields.gate_stage(known, release))
        for release in reversed(_releases())
        if gates.stage(known, release) is not None
    ]
    return Gate(
        known,
        shipped.of_gate(known),
        tuple(stages),
        tuple(table[known].get("needs", ())),
        tuple((path, span) for span, paths in _guarded(known).items() for path in sorted(paths, key=_order)),
    )


def about(topic: str) -> Matches:
    """Return the results with all words of a topic in their name or description; names come first."""
    wanted = [word.lower() for word in topic.split()]

    def ranked(name: str, text: str | None) -> int | None:
        pieces = [piece.lower() for piece in _PIECES.findall(name)]
        if all(any(piece.startswith(word) for piece in [*pieces, name.lower()]) for word in wanted):
            return 0
        said = [piece.lower() for piece in re.findall(r"\w+", text or "")]
        return 1 if all(any(piece.startswith(word) for piece in [*pieces, *said]) for word in wanted) else None

    by_rank: dict[int, list[FoundField]] = {0: [], 1: []}
    for place in places():
        rank = ranked(place.name, place.says)
        if rank is not None:
            by_rank[rank].append(place)
    rules = [rule for rule in catalogue.rules().values() if ranked(rule.name, rule.summary) is not None]
    named = [name for name in shipped.index()["gates"] if ranked(name, shipped.of_gate(name)) is not None]
    return Matches(
        tuple(_once([*by_rank[0], *by_rank[1]])),
        tuple(rules),
        tuple((name, shipped.of_gate(name)) for name in named),
    )


def nearest(topic: str) -> str | None:
    """Return the rule, kind, gate or field with the most similar name; None when none is."""
    names = dict.fromkeys(
        (
            *fields.kinds(),
            *(name for rule in catalogue.rules().values() for name in (rule.name, rule.id)),
            *shipped.index()["gates"],
            *DRIVERS,
            *(place.name for place in places()),
        )
    )
    return next(iter(near(topic, names)), None)


def _order(path: str) -> tuple[int, str]:
    """Return the sort key of paths: what people write comes before statuses."""
    return ".status." in path, path


@cache
def _kinds() -> tuple[str, ...]:
    return tuple(sorted(fields.kinds(), key=lambda kind: (_FIRST.index(kind) if kind in _FIRST else len(_FIRST), kind)))


def _releases() -> list[Release]:
    return sorted(map(Release.parse, shipped.index()["releases"]["releases"]))


def _walk(types: Mapping[str, Struct], kind: str) -> Iterator[FoundField]:
    todo = [(kind, kind)]
    while todo:
        owner, path = todo.pop(0)
        for name, shape in types[owner].fields.items():
            if name in _OF_EVERY_OBJECT and owner == kind:
                continue
            here = f"{path}.{name}"
            yield FoundField(here, owner, name, shipped.of_field(owner, name))
            inner = fields.innermost(shape)
            if inner.shape == "struct" and inner.type not in _MACHINERY:
                todo.append((inner.type, here))


def _once(found: list[FoundField]) -> list[FoundField]:
    """Return each field once: where several types or kinds have it, at its first path."""
    out: dict[tuple[str, str], FoundField] = {}
    for place in found:
        out.setdefault((shipped.same_as(place.owner), place.name), place)
    return list(out.values())


def _guarded(name: str) -> dict[str, list[str]]:
    """Return the fields that a gate guards, by the span of releases, with the first path that each has there."""
    out: dict[str, list[str]] = {}
    for span, names in shipped.index()["gates"][name].get("fields", {}).items():
        wanted = set(names)
        release = next(release for release in reversed(_releases()) if in_range(span, release))
        for kind in _kinds():
            for at, _, spelled, types in fields.served(kind, None):
                if at != release:
                    continue
                for place in _walk(types, spelled):
                    full = f"{place.owner}.{place.name}"
                    if full in wanted:
                        wanted.discard(full)
                        out.setdefault(span, []).append(place.path)
    return out


_MOST_TOPICS = 2
"""How many topics are shown for one question."""
_WORD = re.compile(r"[a-z0-9./-]+")
_DEVICES = frozenset({"gpu", "accelerator"})
"""What people say for a device; questions and phrases mean the same by them."""


class Topic(NamedTuple):
    """A row of rules/topics.yaml: its title, the phrases that name it, and what its page has."""

    topic: str
    words: tuple[str, ...]
    says: tuple[str, ...]
    do: tuple[str, ...] = ()
    example: str = ""
    see: tuple[str, ...] = ()


@cache
def topics() -> tuple[Topic, ...]:
    """Return all topics, in the order of the file."""
    rows = json.loads((shipped.folder("rules") / "topics.json").read_bytes())
    return tuple(
        Topic(
            row["topic"],
            tuple(row["words"]),
            tuple(row["says"]),
            tuple(row.get("do", ())),
            row.get("example", ""),
            tuple(row.get("see", ())),
        )
        for row in rows
    )


def asked(question: str) -> list[Topic]:
    """Return the topics that a question is about, those with the longest phrase first; none for other words.

    The words of a phrase stand in the question in their order; a message of Kubernetes has names between them.
    """
    words = _words(question.lower())
    ranked = []
    for topic in topics():
        longest = max((len(phrase) for phrase in topic.words if _has(words, _words(phrase))), default=0)
        if longest:
            ranked.append((longest, topic))
    ranked.sort(key=lambda each: -each[0])
    return [topic for _, topic in ranked[:_MOST_TOPICS]]


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case, without the ending of a plural."""
    words = [word.strip("./-").removesuffix("s") for word in _WORD.findall(text)]
    return ["device" if word in _DEVICES else word for word in words]


def _has(words: list[str], phrase: list[str]) -> bool:
    """Say whether the words of a phrase stand among others, in their order."""
    rest = iter(words)
    return all(any(word == wanted for word in rest) for wanted in phrase)
