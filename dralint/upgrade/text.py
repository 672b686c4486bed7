"""The report of an upgrade as text, and as one JSON object (schema: dralint/upgrade/upgrade.schema.json)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.rule_ids import EXTENDED_RESOURCE_NOT_FOUND, NOT_SERVED
from dralint.finding.words import counted
from dralint.report.safe import escape_json
from dralint.report.screen import draw
from dralint.report.words import ALL_PLACES, object_name, skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dralint.finding.finding import Finding
    from dralint.kubernetes.release import Release
    from dralint.report import Style
    from dralint.report.screen import Part
    from dralint.upgrade.plan import EndingObject, UpgradeEntry, UpgradePlan


_FIRST = 3
"""The number of places to show in a harmless section that has more than ALL_PLACES."""


class _Group(NamedTuple):
    """What is the same for several places: a sentence, its details, and the places."""

    text: str
    notes: tuple[str, ...]
    places: tuple[str, ...]


class _Section(NamedTuple):
    """A part of the report; `style` is its severity, and a `harmless` one does not show all places."""

    title: str
    style: str
    groups: Sequence[_Group]
    number: int
    harmless: bool


def render(plan: UpgradePlan, style: Style) -> str:
    """Return the report, section by section, with a final newline; a section without entries is left out."""
    return draw(_parts(plan), style)


def _parts(plan: UpgradePlan) -> Iterator[Part]:
    way = ", ".join(map(str, plan.steps[1:-1]))
    yield f"from {plan.first} to {plan.last}{f', by way of {way}' if way else ''}"
    yield ""
    for section in _sections(plan):
        if section.number:
            yield from _parts_of(section)
    stopped = bool(plan.refused or plan.enable) or any(not end.announced for end in plan.ends)
    yield (summary(plan), "error" if stopped else "warning" if plan.broken or plan.dropped else "good")


def summary(plan: UpgradePlan) -> str:
    """Return the last line: what to do before the upgrade."""
    ended, announced = map(len, _ends(plan))
    counts = f"{counted(plan.report.files, 'file')}, {counted(plan.report.objects, 'object')}: "
    parts = [f"{counted(ended, 'object')} in API versions that {plan.target} no longer serves"] if ended else []
    if plan.enable:
        parts.append(f"{counted(len(plan.enable), 'object')} in API versions that are off by default")
    if plan.refused:
        parts.append(counted(len(plan.refused), "refusal"))
    if plan.broken:
        parts.append(f"{len(plan.broken)} no longer working")
    if plan.dropped:
        parts.append(f"{counted(len(plan.dropped), 'field')} removed")
    text = counts + (", ".join(parts) or "nothing stands in the way of the upgrade")
    if announced:
        text += f"; {counted(announced, 'object')} in API versions that end later"
    if plan.before:
        text += f"; {counted(plan.before, 'object')} refused before and afterwards (see `dralint check`)"
    return text + skipped(plan.report)


def _sections(plan: UpgradePlan) -> Iterator[_Section]:
    """Yield the sections: what blocks the upgrade, what needs a look, and what does no harm."""
    first, last = plan.source, plan.target
    ended, announced = _ends(plan)
    listed = {id(end.finding) for end in announced}
    deprecated = [entry for entry in plan.deprecated if id(entry.finding) not in listed]
    migrate = f"`dralint migrate --to {last}`"
    yield _section(f"objects in API versions that {last} no longer serves", "error", map(_end, ended))
    yield _section(f"{last} refuses what {first} takes", "error", _entries(plan.refused, "refused from"))
    works = f"works in {plan.first}, but no longer in {plan.last}"
    yield _section(works, "warning", _entries(plan.broken, "does not work from", patch=(last, plan.last)))
    yield _section(
        f"{last} removes silently what {first} keeps", "warning", _entries(plan.dropped, "removed silently from")
    )
    yield _section(
        f"off by default in {last}: served only where the administrator has enabled it",
        "error",
        map(_off, plan.enable),
    )
    alone = [_Group(finding.message, (), (_place(finding, path=False),)) for finding in plan.left_alone]
    yield _section(f"{migrate} would leave alone", "warning", alone)
    yield _section(f"deprecated in {last}, but not in {first}", "warning", _entries(deprecated, "deprecated in"))
    yield _section(f"objects in API versions that end after {last}", "info", map(_later, announced), harmless=True)
    faults = [entry for entry in plan.mended if entry.finding.rule != EXTENDED_RESOURCE_NOT_FOUND]
    begun = [entry for entry in plan.mended if entry.finding.rule == EXTENDED_RESOURCE_NOT_FOUND]
    rewritten = [
        _Group(
            f"to {row.api_version}"
            if row.api_version != row.object["apiVersion"]
            else "to the form of claims since 1.31",
            (),
            (f"{row.file}:{row.line}: {_named(row.object)}",),
        )
        for row in plan.rewritten
    ]
    yield _section(f"{migrate} would rewrite", "info", rewritten, harmless=True)
    yield _section(
        f"{last} keeps what {first} removes silently",
        "info",
        _entries(plan.kept, "no longer removed from", hint=False),
        harmless=True,
    )
    yield _section(
        f"known faults of {plan.first} that {plan.last} does not have",
        "info",
        _entries(faults, "ends with", hint=False, patch=(last, plan.last)),
        harmless=True,
    )
    begins = _entries(begun, "works from", hint=False)
    yield _section(f"works in {last}, but not in {first}", "info", begins, harmless=True)
    yield _section(f"{last} takes what {first} refuses", "info", _accepted(plan.accepted), harmless=True)
    fields: dict[str, list[str]] = {}
    for row in plan.usable:
        fields.setdefault(f"{row.kind}, from {row.release}", []).append(row.path)
    usable = [_Group(f"{text}: {', '.join(paths)}", (), ()) for text, paths in fields.items()]
    yield _Section(f"fields that {last} has and {first} does not", "info", usable, len(plan.usable), True)


def _section(title: str, style: str, groups: Iterable[_Group], *, harmless: bool = False) -> _Section:
    """Return a section of groups with one place each; equal ones are joined."""
    joined: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    number = 0
    for group in groups:
        joined.setdefault((group.text, group.notes), []).extend(group.places)
        number += 1
    return _Section(title, style, [_Group(*key, tuple(found)) for key, found in joined.items()], number, harmless)


def _entries(
    entries: Iterable[UpgradeEntry], words: str, *, hint: bool = True, patch: tuple[Release, str] | None = None
) -> Iterator[_Group]:
    """Yield a group for each entry; `patch` is a release and its name with a patch."""
    for entry in entries:
        finding = entry.finding
        release = patch[1] if patch is not None and patch[0] == entry.release else entry.release
        notes = [f"{words} {release}{' on' if words.endswith('from') else ''}"]
        if hint and finding.hint:
            notes.append(f"hint: {finding.hint}")
        yield _Group(finding.message, tuple(notes), (_place(finding),))


def _off(entry: UpgradeEntry) -> _Group:
    finding = entry.finding
    version = (finding.object or {}).get("apiVersion")
    notes = [f"served only where it is enabled, in {entry.release}"]
    notes += [f"hint: {finding.hint}"] if finding.hint else []
    return _Group(f"{version} is off by default", tuple(notes), (_place(finding),))


def _accepted(entries: Sequence[UpgradeEntry]) -> Iterator[_Group]:
    """Yield what the target accepts; an API version that the source does not serve yet is one group."""
    kinds: dict[object, dict[str, None]] = {}
    for entry in entries:
        item = entry.finding.object or {}
        kinds.setdefault((item.get("apiVersion"), entry.release), {})[str(item.get("kind"))] = None
    for entry in entries:
        if entry.finding.rule != NOT_SERVED:
            yield from _entries([entry], "no longer refused from", hint=False)
            continue
        version = (entry.finding.object or {}).get("apiVersion")
        some = sorted(kinds[version, entry.release])
        text = f"{', '.join(some)} of {version} {'is' if len(some) == 1 else 'are'} not served before {entry.release}"
        yield _Group(text, (), (_place(entry.finding, path=False),))


def _ends(plan: UpgradePlan) -> tuple[list[EndingObject], list[EndingObject]]:
    """Return the API versions that end with the upgrade, and those whose end after it is announced."""
    return [end for end in plan.ends if not end.announced], [end for end in plan.ends if end.announced]


def _end(end: EndingObject) -> _Group:
    version = (end.finding.object or {}).get("apiVersion")
    notes: tuple[str, ...] = ()
    if end.common is None:
        notes = ("no API version is served all the way: migrate while the cluster is upgraded",)
    elif end.common != version:
        notes = (f"every release on the way serves {end.common}: migrate before the upgrade",)
    return _Group(f"{version} is not served from {end.ends_in} on", notes, (_place(end.finding, path=False),))


def _later(end: EndingObject) -> _Group:
    version, hint = (end.finding.object or {}).get("apiVersion"), end.finding.hint
    text = f"{version} is not served from {end.ends_in} on"
    return _Group(text, (hint,) if hint else (), (_place(end.finding, path=False),))


def _place(finding: Finding, *, path: bool = True) -> str:
    where = f"{finding.file}:{finding.line}:{finding.column}"
    name = object_name(finding)
    parts = [part for part in (name, finding.path if path else "") if part]
    return f"{where}: {', '.join(parts)}" if name else where


def _named(item: dict[str, str | None]) -> str:
    full = "/".join(part for part in (item["namespace"], item["name"]) if part)
    return f"{item['kind']} {full}".rstrip()


def _parts_of(section: _Section) -> Iterator[Part]:
    yield (f"{section.title}: {section.number:,}", section.style)
    for group in section.groups:
        text = f"  {group.text}"
        yield text if section.harmless else (text, "bold")
        yield from (f"      {note}" for note in group.notes)
        few = not section.harmless or len(group.places) <= ALL_PLACES
        yield from (f"      {place}" for place in (group.places if few else group.places[:_FIRST]))
        if not few:
            yield f"      and {len(group.places) - _FIRST:,} more (--format json)"
    yield ""


VERSION = 1


def as_json(plan: UpgradePlan) -> str:
    """Return the report as JSON with a final newline; characters that are not ASCII are escaped."""
    return escape_json(json.dumps(document(plan), indent=1) + "\n")


def document(plan: UpgradePlan) -> dict[str, Any]:
    """Return the report as plain values."""
    return {
        "version": VERSION,
        "from": str(plan.source),
        "to": str(plan.target),
        "steps": [str(release) for release in plan.steps],
        "ends": [
            {
                **_finding_of(end.finding),
                "endsIn": str(end.ends_in),
                "announced": end.announced,
                "common": end.common,
            }
            for end in plan.ends
        ],
        "refused": [_entry_of(entry) for entry in plan.refused],
        "broken": [_entry_of(entry) for entry in plan.broken],
        "mended": [_entry_of(entry) for entry in plan.mended],
        "dropped": [_entry_of(entry) for entry in plan.dropped],
        "deprecated": [_entry_of(entry) for entry in plan.deprecated],
        "enable": [_entry_of(entry) for entry in plan.enable],
        "kept": [_entry_of(entry) for entry in plan.kept],
        "accepted": [_entry_of(entry) for entry in plan.accepted],
        "migrate": [
            {"file": row.file, "line": row.line, "object": row.object, "apiVersion": row.api_version}
            for row in plan.rewritten
        ],
        "leftAlone": [_finding_of(finding) for finding in plan.left_alone],
        "usable": [
            {"kind": usable.kind, "path": usable.path, "release": str(usable.release)} for usable in plan.usable
        ],
        "summary": {
            "files": plan.report.files,
            "objects": plan.report.objects,
            "refusedBefore": plan.before,
            "skipped": [
                {"file": skipped.file, "document": skipped.document, "reason": skipped.reason}
                for skipped in plan.report.skipped
            ],
        },
    }


def _entry_of(entry: UpgradeEntry) -> dict[str, Any]:
    return {**_finding_of(entry.finding), "release": str(entry.release)}


def _finding_of(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "message": finding.message,
        "hint": finding.hint,
        "file": finding.file,
        "document": finding.document,
        "line": finding.line,
        "column": finding.column,
        "object": finding.object,
        "path": finding.path,
    }
