"""A trouble of a dump, the areas of troubles, the worst first, and how a triage is written: as text and for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.words import counted, plural, some_of
from dralint.references.facts import SliceFacts
from dralint.report.screen import draw

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dralint.report import Style
    from dralint.report.screen import Part
    from dralint.triage.dump import Dump
    from dralint.triage.troubles import Triage


REFUSED, STUCK, PODS, NO_PODS, CLAIMS, DRIVERS, PARAMETERS, POOLS, STATUS, ENDING, CONTROL, FAULTS, VERSIONS = AREAS = (
    "objects that the API server refuses",
    "Pods that do not start or do not end",
    "Pods that wait",
    "Pods that nobody creates",
    "claims that nothing satisfies",
    "drivers on nodes",
    "parameters that a driver refuses",
    "pools",
    "objects that contradict each other",
    "objects that are left over",
    "nodes and control plane",
    "known faults of the release",
    "API versions that end",
)

SHOWN_NODES = 3


class Trouble(NamedTuple):
    """One problem: its area in `AREAS`, what it is, the objects, and what to do."""

    area: str
    text: str
    objects: tuple[str, ...]
    hint: str


Seen = tuple[str, str, str]
"""What is wrong with one object: a sentence, the name of the object (empty for none), and what to do."""


def troubles(area: str, seen: Iterable[Seen]) -> Iterator[Trouble]:
    """Yield a trouble for each sentence, with the objects that it is about, each once."""
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for text, name, hint in seen:
        groups.setdefault((text, hint), {}).update(dict.fromkeys([name] if name else ()))
    for (text, hint), names in groups.items():
        yield Trouble(area, text, tuple(names), hint)


def name_of(item: Mapping[str, Any]) -> str:
    """Return the name of an object, with its namespace."""
    metadata = item["metadata"]
    return "/".join(filter(None, (metadata.get("namespace"), metadata.get("name"))))


VERSION = 1
_CALM = "nothing wrong was found; triage does not check the fields of each object, `dralint check` does"
_OBJECTS, _TROUBLES, _NOTES, _UNREAD = 3, 5, 6, 5


def render(dump: Dump, found: Triage, style: Style, *, everything: bool = False) -> str:
    """Return the report; without `everything`, only the first troubles of each area."""
    return draw(_parts(dump, found, everything=everything), style)


def _parts(dump: Dump, found: Triage, *, everything: bool) -> Iterator[Part]:
    yield (_head(dump, found), "bold")
    for area in AREAS:
        entries = [
            (f"  {_objects(one.objects, everything=everything)}{one.text}", f"    hint: {one.hint}" if one.hint else "")
            for one in found.troubles
            if one.area == area
        ]
        yield from _section((area, "warning"), entries, None if everything else _TROUBLES)
    yield from _section("to know", [(f"  {note}",) for note in found.notes], None if everything else _NOTES)
    yield from _section("not in the dump", [(f"  {plural(kind)}: {what}",) for kind, what in found.missing])
    unread = [(f"  {one.file}:{one.line}: {one.message}",) for one in dump.unread]
    yield from _section(("not read in full", "warning"), unread, None if everything else _UNREAD)
    yield ""
    number = len(found.troubles)
    told = [counted(number, "trouble")] if number else []
    if dump.unread:
        told.append("not all of the dump was read")
    yield ("; ".join(told) or _CALM, "warning" if told else "good")


def _section(title: Part, entries: Sequence[tuple[str, ...]], most: int | None = None) -> Iterator[Part]:
    """Yield a section with its title; nothing without entries, and of more than the most only these."""
    shown = entries[:most]
    yield from ("", title) if entries else ()
    yield from (line for entry in shown for line in entry if line)
    if len(shown) < len(entries):
        yield f"  and {len(entries) - len(shown)} more (--show-all)"


def _head(dump: Dump, found: Triage) -> str:
    drivers = {facts.body.driver for facts in dump.facts if isinstance(facts.body, SliceFacts)}
    counts = [
        counted(dump.kinds["Node"], "node"),
        counted(len(drivers), "driver"),
        counted(dump.kinds["Pod"], "Pod"),
        counted(dump.kinds["ResourceClaim"], "claim"),
    ]
    version = f"{dump.version}, " if dump.version and dump.version.lstrip("v") != str(found.release) else ""
    return f"{', '.join(counts)}; Kubernetes {version}judged as {found.release}"


def _objects(names: Sequence[str], *, everything: bool) -> str:
    return f"{some_of(names, len(names) if everything else _OBJECTS)}: " if names else ""


def document(dump: Dump, found: Triage) -> dict[str, Any]:
    """Return the triage as plain values."""
    return {
        "version": VERSION,
        "release": str(found.release),
        "found": dict(sorted(dump.kinds.items())),
        "troubles": [
            {"area": trouble.area, "text": trouble.text, "objects": list(trouble.objects), "hint": trouble.hint or None}
            for trouble in found.troubles
        ],
        "notes": found.notes,
        "missing": [{"kind": kind, "says": what} for kind, what in found.missing],
        "unread": [{"file": one.file, "line": one.line, "reason": one.message} for one in dump.unread],
    }
