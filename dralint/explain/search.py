"""Searches a topic that is no rule and no whole path: the end of a path, a feature gate, a symptom, some words.

Also names of known faults, kinds with Pods, API versions, and what driver packs name.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.drivers.devices import ATTRIBUTES, CAPACITY, full_name
from dralint.drivers.pack_file import class_line, entry_line, field_lines, gate_line, page
from dralint.drivers.shipped import DRIVERS
from dralint.explain import fields
from dralint.finding import catalogue
from dralint.kubernetes import gates, shipped
from dralint.kubernetes.near import letters_and_digits, listed, near
from dralint.kubernetes.release import Release, in_range
from dralint.kubernetes.served import ApiVersions, known_releases
from dralint.kubernetes.shipped import bugs
from dralint.kubernetes.workloads import IMPLICIT, named_kinds
from dralint.report.words import release_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.drivers.choice import Choice
    from dralint.drivers.pack import Pack
    from dralint.finding.catalogue import Rule
    from dralint.kubernetes.types import Struct


_FIRST = ("ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "ResourceSlice", "DeviceTaintRule", "Pod")
_MACHINERY = frozenset({"ObjectMeta", "OwnerReference", "ManagedFieldsEntry"})
_OF_EVERY_OBJECT = frozenset({"apiVersion", "kind", "metadata"})
_PIECES = re.compile(r"[A-Z]*[a-z]+|[A-Z]+|\d+")


class FoundField(NamedTuple):
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


class Gate(NamedTuple):
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
        _, _, name, types = next(fields.served(kind))
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
            place for kind in _kinds() for _, _, name, types in fields.served(kind) for place in _walk(types, name)
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
        for release in reversed(known_releases())
        if gates.stage(known, release) is not None
    ]
    return Gate(
        known,
        shipped.of_gate(known),
        tuple(stages),
        tuple(table[known].get("needs", ())),
        tuple(
            (path, span)
            for span, paths in _guarded(known).items()
            for path in sorted(paths, key=lambda path: (".status." in path, path))  # what people write comes first
        ),
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


@cache
def _kinds() -> tuple[str, ...]:
    return tuple(sorted(fields.kinds(), key=lambda kind: (_FIRST.index(kind) if kind in _FIRST else len(_FIRST), kind)))


def _walk(types: Mapping[str, Struct], kind: str) -> Iterator[FoundField]:
    todo = [(kind, kind)]
    while todo:
        owner, path = todo.pop(0)
        for name, shape in types[owner].fields.items():
            if name in _OF_EVERY_OBJECT and owner == kind:
                continue
            here = f"{path}.{name}"
            yield FoundField(here, owner, name, shipped.of_field(owner, name))
            inner = shape.innermost
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
        release = next(release for release in reversed(known_releases()) if in_range(span, release))
        for kind in _kinds():
            for at, _, spelled, types in fields.served(kind):
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
_OF_A_NAME = re.compile(r"[-./0-9]")
_DEVICES = frozenset({"gpu", "accelerator"})
"""What people say for a device; questions and phrases mean the same by them."""


class Topic(NamedTuple):
    """A row of rules/topics.yaml: its title, the phrases that name it, and what its page has."""

    topic: str
    words: Sequence[str]
    says: Sequence[str]
    do: Sequence[str] = ()
    example: str = ""
    see: Sequence[str] = ()


@cache
def topics() -> tuple[Topic, ...]:
    """Return all topics, in the order of the file."""
    rows = json.loads((shipped.folder("rules") / "topics.json").read_bytes())
    return tuple(Topic(**row) for row in rows)


def asked(question: str) -> list[Topic]:
    """Return the topics that a question is about, those with the longest phrase first; none for other words.

    The words of a phrase stand in the question in their order. Where some phrases stand together, only these count.
    """
    words = _words(question.lower())
    ranked = []
    for topic in topics():
        phrases = [(phrase, _words(phrase)) for phrase in topic.words]
        found = [(_stands_together(words, parts), len(phrase)) for phrase, parts in phrases if _has(words, parts)]
        if found:
            ranked.append((max(found), topic))
    ranked.sort(key=lambda each: each[0], reverse=True)
    together = [topic for (whole, _), topic in ranked if whole]
    return (together or [topic for _, topic in ranked])[:_MOST_TOPICS]


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case, without the ending of a plural."""
    words = [word.strip("./-").removesuffix("s") for word in _WORD.findall(text)]
    return ["device" if word in _DEVICES else word for word in words]


def _has(words: list[str], phrase: list[str]) -> bool:
    """Say whether the words of a phrase stand among others, in their order."""
    rest = iter(words)
    return all(any(word == wanted for word in rest) for wanted in phrase)


def _stands_together(words: list[str], phrase: list[str]) -> bool:
    """Say whether the words of a phrase follow each other; a message of Kubernetes has names between them."""
    rest = [word for word in words if word in phrase or not _OF_A_NAME.search(word)]
    return f" {' '.join(phrase)} " in f" {' '.join(rest)} "


def known(topic: str, choice: Choice) -> list[str]:
    """Return the page of a known fault by its issue, of a kind, or of an API version; nothing for another topic."""
    return [*_of_fault(topic, choice), *_of_kind(topic, choice), *_of_version(topic)]


def _of_fault(topic: str, choice: Choice) -> Iterator[str]:
    """Yield the faults of releases and of drivers whose issue has this name, or the end of it."""
    if "#" not in topic:
        return
    for bug in bugs():
        if bug.name == topic:
            yield f"{bug.name}: a known {'change' if bug.change else 'fault'} of Kubernetes"
            yield f"  {bug.effect}"
            yield f"  releases: {', '.join(str(release) for release, _, _ in bug.spans)}"
            yield f"  fixed in: {', '.join(bug.fixed) or 'no release'}"
            yield f"  until then: {bug.until}"
    for pack in filter(None, map(choice.pack, choice.drivers)):
        for row in pack.data.get("faults", ()):
            if row["issue"] == topic or row["issue"].endswith(f"/{topic}"):
                yield f"{row['issue']}: a known fault of {pack.driver}"
                yield f"  {row['effect']}"
                yield f"  versions: {row.get('since', pack.versions[0])} to {row.get('until', pack.versions[-1])}"
                yield f"  instead: {row['instead']}"


def _of_kind(topic: str, choice: Choice) -> Iterator[str]:
    """Yield where a custom kind has its Pods, and what drivers make of an object of a kind."""
    name, _, field = topic.partition(".")
    for group, kind in named_kinds(name):
        if kind.pods:
            yield f"{name} of {group}: a custom resource with Pods, whose claims dralint checks"
        for pod in kind.pods:
            numbers = " x ".join(map(_text, pod.number))
            yield f"  {_text(pod.at)}{f'; number of Pods: {numbers}' if numbers else ''}"
    for pack in filter(None, map(choice.pack, choice.drivers)):
        for row in pack.data.get("makes", ()):
            if row["kind"].lower() == name.lower():
                yield f"{row['kind']} of {row['apiVersion']}: {pack.driver} makes a ResourceClaimTemplate of it"
                yield f"  {row['template']}: the name of the template, for one device of the class {row['class']}"
                for key, value in row.get("spec", {}).items():
                    yield f"  spec.{key}: `dralint new` writes {value}"
                known = (row["template"], *(f"spec.{key}" for key in row.get("spec", {})))
                if field and f"spec.{field.removeprefix('spec.')}" not in known:
                    yield f"  dralint knows no more of {topic}"


def _text(pattern: tuple[str, ...]) -> str:
    return ".".join(pattern).replace(".[]", "[]").replace(".{}", "{}")


def _of_version(topic: str) -> Iterator[str]:
    """Yield in which releases an API version is served."""
    versions = ApiVersions()
    wanted = topic if "/" in topic else f"resource.k8s.io/{topic}"
    served = {pair for release in versions.known for pair in versions.served(release)}
    kinds = sorted(kind for version, kind in served if version == wanted and not kind.endswith("List"))
    if kinds:
        yield f"{wanted}: an API version of Kubernetes"
    yield from (f"  {version_text(wanted, kind)}" for kind in kinds)


def version_text(api_version: str, kind: str) -> str:
    """Return which releases serve a kind in an API version, and from when none does; empty for an unknown one."""
    versions = ApiVersions()
    serving = [release for release in versions.known if (api_version, kind) in versions.served(release)]
    if not serving:
        return ""
    off = [str(release) for release in serving if api_version not in versions.default(release)]
    end = versions.ends(api_version, kind, versions.known[-1])
    gone = f"; {end.gone} does not serve it" if end is not None and end.gone is not None else ""
    where = f", off by default in {release_spans(off)}" if off else ""
    return f"{kind}: served by {release_spans(list(map(str, serving)))}{where}{gone}"


_NUMBER = re.compile(r"[0-9]+")


def of_driver(topic: str, choice: Choice) -> list[str]:
    """Return the page of a driver or of a class of its chart; nothing for another topic."""
    name = topic.lower()
    pack = choice.pack(name)
    if pack is not None:
        return list(page(pack, pack.newest))
    pack = choice.pack(choice.driver_of_class(name) or "")
    if pack is None:
        return []
    row = next(row for row in pack.data["classes"] if row["name"] == name)
    return _of_class(pack, row, row)


def of_resource(topic: str, choice: Choice) -> list[str]:
    """Return the page of an extended resource that a class of a chart offers, or any class by its own name.

    Nothing for another topic: a name of this form can as well be an attribute of a driver that nobody has described.
    """
    offering = list(_offering(topic, choice))
    implicit = topic.startswith(IMPLICIT)
    if not offering and not implicit:
        return []
    by = f"The DeviceClass {topic.removeprefix(IMPLICIT)} offers it."
    if not implicit:
        by = f"A device plugin offers it, or a DeviceClass with `extendedResourceName: {topic}`."
    lines = [
        f"{topic}: an extended resource",
        f"  A container requests it under `resources`, without a claim: `limits: {{{topic}: 1}}`.",
        f"  {by}",
        "  Since 1.34, DeviceClasses offer extended resources: `dralint explain DRAExtendedResource`.",
    ]
    for found in offering:
        lines += ["", *found]
    return lines


def _offering(resource: str, choice: Choice) -> Iterator[list[str]]:
    """Yield the lines of each class of a chart that offers an extended resource."""
    for pack in filter(None, map(choice.pack, choice.drivers)):
        for row in pack.data.get("classes", ()):
            offered = row.get("extendedResource")
            entry = offered if isinstance(offered, dict) else {**row, "value": offered}
            if entry["value"] == resource:
                yield _of_class(pack, row, entry)


def _of_class(pack: Pack, row: dict[str, Any], entry: dict[str, Any]) -> list[str]:
    """Return the lines of a class of a chart; `entry` has the versions that have it, or what is asked about."""
    head = f"DeviceClass {row['name']}, from the chart of the driver {pack.driver}{_span(pack, entry)}"
    return [head, f"  {class_line(row)}"]


def named(topic: str, choice: Choice) -> list[str]:
    """Return a line, with what is below it, for each attribute, capacity, parameter and gate of that name."""
    return [line for driver in choice.drivers for pack in [choice.pack(driver)] if pack for line in _of(pack, topic)]


def _of(pack: Pack, topic: str) -> Iterator[str]:
    domain, slash, name = topic.rpartition("/")
    for key, which, noun in (("attributes", ATTRIBUTES, "attribute"), ("capacities", CAPACITY, "capacity")):
        for entry in pack.data.get(key, ()):
            full = full_name(which, pack.driver, entry["name"])
            if full.name.lower() == name.lower() and (not slash or domain.lower() == full.domain):
                yield f"{noun} of {pack.driver}{_span(pack, entry)}"
                yield f"  {entry_line(_plain(entry), pack.driver)}"
    for gate, row in pack.data.get("gates", {}).items():
        if gate.lower() == topic.lower():
            yield f"feature gate of {pack.driver}{_span(pack, row)}"
            yield f"  {gate_line(gate, row)}"
    rules = pack.at(pack.newest).get("parameters") or {}
    for kind in rules.get("kinds", ()):
        yield from _with_word(pack, rules, kind, topic)
        first, _, rest = topic.partition(".")
        fields = _fields(kind["fields"], rest) if first.lower() == kind["kind"].lower() else None
        if fields is not None:
            yield f"parameters of {pack.driver} {pack.newest}, apiVersion {rules['apiVersion']}"
            yield f"  {topic if rest else kind['kind']}"
            yield from (f"    {line}" for line in field_lines(fields))


def _with_word(pack: Pack, rules: dict[str, Any], kind: dict[str, Any], word: str) -> Iterator[str]:
    """Yield the fields of parameters that have a name, or a value of their list."""
    todo = [(kind["kind"], kind["fields"])]
    for path, there in todo:
        for name, field in there.items():
            if letters_and_digits(word) in map(letters_and_digits, (name, *map(str, field.get("enum", ())))):
                yield f"parameters of {pack.driver} {pack.newest}, apiVersion {rules['apiVersion']}"
                yield f"  {path}"
                yield from (f"    {line}" for line in field_lines({name: field}))
            below = field.get("fields") or field.get("items", {}).get("fields")
            if below:
                todo.append((f"{path}.{name}", below))


def _fields(fields: dict[str, Any], path: str) -> dict[str, Any] | None:
    """Return the fields below a path, None where it leads nowhere."""
    for step in path.split(".") if path else ():
        field = next((each for name, each in fields.items() if name.lower() == step.lower()), None)
        if field is None:
            return None
        fields = field.get("fields") or field.get("items", {}).get("fields") or {step: field}
    return fields


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with the values of all versions."""
    values = [each["value"] if isinstance(each, dict) else each for each in entry.get("values", ())]
    return {**entry, "values": values}


def _span(pack: Pack, entry: dict[str, Any]) -> str:
    """Return the versions of an entry, as the end of a line.

    They are listed where a later one has a lower number: the ends of such a range would say nothing.
    """
    since, until = entry.get("since"), entry.get("until")
    first = pack.versions.index(since) if since else 0
    last = pack.versions.index(until) if until else len(pack.versions) - 1
    within = pack.versions[first : last + 1]
    numbers = [tuple(map(int, _NUMBER.findall(version))) for version in within if _NUMBER.search(version)]
    if (since or until) and numbers != sorted(numbers):
        return f", in {listed(within, quote='')}"
    words = [f"since {since}"] if since else []
    words += [f"up to {until}"] if until else []
    return f", {' '.join(words)}" if words else ""
