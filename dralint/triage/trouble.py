"""A trouble of a dump, the areas of troubles, the worst first, and how a triage is written: as text and for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.words import counted, plural, some_of
from dralint.references.facts import SliceFacts
from dralint.report.screen import draw

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
    objects: tuple[str, ...] = ()
    hint: str = ""


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
    most = len(found.troubles) if everything else _TROUBLES
    for area in AREAS:
        troubles = [trouble for trouble in found.troubles if trouble.area == area]
        if not troubles:
            continue
        yield ""
        yield (area, "warning")
        for trouble in troubles[:most]:
            yield f"  {_objects(trouble.objects, everything=everything)}{trouble.text}"
            if trouble.hint:
                yield f"    hint: {trouble.hint}"
        if len(troubles) > most:
            yield f"  and {len(troubles) - most} more (--show-all)"
    if found.notes:
        yield ""
        yield "to know"
        yield from (f"  {note}" for note in (found.notes if everything else found.notes[:_NOTES]))
        if len(found.notes) > _NOTES and not everything:
            yield f"  and {len(found.notes) - _NOTES} more (--show-all)"
    if found.missing:
        yield ""
        yield "not in the dump"
        yield from (f"  {plural(kind)}: {what}" for kind, what in found.missing)
    if dump.unread:
        most = len(dump.unread) if everything else _UNREAD
        yield ""
        yield ("not read in full", "warning")
        yield from (f"  {one.file}:{one.line}: {one.message}" for one in dump.unread[:most])
        if len(dump.unread) > most:
            yield f"  and {len(dump.unread) - most} more (--show-all)"
    yield ""
    number = len(found.troubles)
    told = [counted(number, "trouble")] if number else []
    if dump.unread:
        told.append("not all of the dump was read")
    yield ("; ".join(told) or _CALM, "warning" if told else "good")


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
