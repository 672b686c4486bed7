"""Checks manifests against an upgrade of the cluster: what it breaks, drops, ends, deprecates, and makes usable.

The report is text, or one JSON object (schema: dralint/upgrade/upgrade.schema.json).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.config.settings import Settings
from dralint.finding import rule_ids
from dralint.finding.words import counted
from dralint.fix.migration import migrate
from dralint.kubernetes import gates, shipped
from dralint.kubernetes.release import Release, ReleaseRange
from dralint.kubernetes.served import ApiVersions
from dralint.lint.pool import run
from dralint.migrate import convert
from dralint.migrate.convert import VERSIONS
from dralint.migrate.rewrite import NoTargetError, Target
from dralint.records import grouped
from dralint.report.safe import escape_json
from dralint.report.screen import draw
from dralint.report.words import ALL_PLACES, object_name, skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dralint.files.source import Source
    from dralint.finding.finding import Finding
    from dralint.finding.report import Report
    from dralint.fix.migration import Moved
    from dralint.kubernetes.types import Shape
    from dralint.report import Style
    from dralint.report.screen import Part
    from dralint.yaml import Path


_DEEPEST = 16
_PLAIN_ONCE = ("capacity", "*")
"""A plain quantity in v1alpha3 that has its `value` since then: nothing new to use."""


class Usable(NamedTuple):
    """A field as the best API version of the last release spells it, and the first release in which it is usable."""

    kind: str
    path: str
    release: Release


def usable_fields(kinds: Sequence[str], steps: Sequence[Release], chosen: Mapping[str, bool]) -> list[Usable]:
    """Return the fields of kinds of resource.k8s.io that the last of the releases has, and the first does not.

    `chosen` are the switched feature gates. The fields below a new field are left out, and so is a kind that the first
    release does not serve.
    """
    out: list[Usable] = []
    for kind in kinds:
        rows = [_fields(kind, release, chosen) for release in steps]
        if not rows[0] or not rows[-1]:
            continue
        new = {path for path in rows[-1] if path not in rows[0]}
        for path in sorted(new, key=_text):
            if any(path[:length] in new for length in range(1, len(path))):
                continue
            since = next(number for number in range(len(steps)) if all(path in row for row in rows[number:]))
            out.append(Usable(kind, _text(path), steps[since]))
    return out


def _fields(kind: str, release: Release, chosen: Mapping[str, bool]) -> set[Path]:
    """Return the usable fields of a release in the spelling of the newest API version; none for a missing kind."""
    versions = [version for version in ApiVersions().versions(kind, release) if version in VERSIONS]
    if not versions:
        return set()
    gone = gates.dropped_fields(release, gates.enabled(release, chosen))
    return {convert.respelled(path, kind, VERSIONS[-1]) for path in _walk(kind, release, versions[0], gone)}


def _walk(kind: str, release: Release, version: str, gone: Mapping[tuple[str, str], str]) -> Iterator[Path]:
    types = shipped.structs_of(str(release), version)
    whole = types[kind]
    todo: list[tuple[Path, Shape]] = [((key,), whole.fields[key]) for key in ("spec", "status") if key in whole.fields]
    while todo:
        path, shape = todo.pop()
        while shape.shape in ("list", "map") and shape.of is not None:
            path, shape = (*path, 0 if shape.shape == "list" else "*"), shape.of
        struct = types.get(shape.type) if shape.shape == "struct" else None
        if struct is None or len(path) > _DEEPEST:
            continue
        for key, inner in struct.fields.items():
            if path[-2:] == _PLAIN_ONCE and key == "value":
                continue
            if (struct.name, key) not in gone:
                yield (*path, key)
                todo.append(((*path, key), inner))


def _text(path: Path) -> str:
    """Return a path with `[]` for the items of lists and the entries of maps."""
    return "".join("[]" if step in (0, "*") else f".{step}" for step in path).lstrip(".")


_OFF = (rule_ids.MUST_BE_ENABLED, rule_ids.OFF_BY_DEFAULT, rule_ids.DEPRECATED_API_VERSION)
"""Rules that can be about an API version that is off by default."""

_FAULTS = (rule_ids.KNOWN_BUG, rule_ids.KNOWN_BUG_BLOCKS)

_MENDED = (*_FAULTS, rule_ids.EXTENDED_RESOURCE_NOT_FOUND)
"""Rules about what works as written once the release does something, not once the manifest changes."""

Objects = tuple[object, ...]
"""The identity of objects in one run."""


class UpgradeEntry(NamedTuple):
    """A change, and the first release on the way that has it.

    For an object in an API version that ends, that is the first release that does not serve it. If it is after the
    target, the end is `announced`. `common` is an API version that all releases on the way serve, so that the object
    can be rewritten before the upgrade; None where there is none.
    """

    release: Release
    finding: Finding
    announced: bool = False
    common: str | None = None


_LISTS = ("ends", "refused", "broken", "mended", "dropped", "deprecated", "enable", "kept", "accepted")


@dataclass(slots=True)
class UpgradePlan:
    """The report of an upgrade.

    Attributes:
        first, last: the release before and afterwards as it was named, with its patch.
        steps: the releases from the one to the other, both included.
        report: the run over all steps.
        entries: the changes, by their meaning. What the target refuses of objects that the source takes is `refused`;
            `accepted` the other way round. `broken` works in the source, and in the target does not, though it takes
            it: an admission policy that sees nothing any more, a pool that is no longer used. `mended` does not work in
            the source, because of a known fault or a gate, and works in the target. `dropped` are fields that the
            target removes silently and the source does not; `kept` the other way round. `ends` are objects in API
            versions that end with the upgrade, or have an announced end after it. `deprecated` is so in the target and
            was not in the source. `enable` is what the target serves only where the administrator has enabled it,
            though the source serves it by default, or the target serves another version of the kind by default.
        rewritten, left_alone: what `migrate` would do for the target, by file, and what it would not.
        usable: fields of the kinds there that the target has and the source has not.
        before: how many objects both refuse.
    """

    first: str
    last: str
    steps: list[Release]
    report: Report
    entries: dict[str, list[UpgradeEntry]] = field(default_factory=lambda: {name: [] for name in _LISTS})
    rewritten: list[tuple[str, Moved]] = field(default_factory=list)
    left_alone: list[Finding] = field(default_factory=list)
    usable: list[Usable] = field(default_factory=list)
    before: int = 0

    @property
    def stops(self) -> bool:
        """Whether something blocks the upgrade."""
        here = self.entries
        return bool(here["refused"] or here["enable"]) or not all(end.announced for end in here["ends"])


def _named(release: Release, patches: Sequence[tuple[Release, int]]) -> str:
    return next((f"{release}.{patch}" for named, patch in patches if named == release), str(release))


def plan(
    sources: Sequence[Source],
    source: Release,
    target: Release,
    *,
    gates: Sequence[tuple[str, bool]] = (),
    ignore_status: bool = False,
    patches: tuple[tuple[Release, int], ...] = (),
) -> UpgradePlan:
    """Return what an upgrade means for the files.

    Args:
        sources: the files.
        source: the present release of the cluster.
        target: the later release of the upgrade.
        gates: feature gates that are switched before and afterwards.
        ignore_status: whether to ignore the status of objects.
        patches: the patches of the source and of the target where they are known; two patches of one release are an
            upgrade, too.

    Raises:
        OSError: standard input is among the sources, and cannot be read.
    """
    kept = [one if one.path is not None else one._replace(held=one.whole()) for one in sources]
    versions = ApiVersions()
    steps = versions.within(ReleaseRange(source, target))
    settings = Settings(releases=tuple(steps), gates=tuple(gates), ignore_status=ignore_status, patches=patches[-1:])
    if source != target:
        settings = settings._replace(patches=patches)
    first, last = _named(source, patches[:1]), _named(target, patches[-1:])
    out = UpgradePlan(first, last, steps, run(kept, settings))
    _sort(out, versions)
    if source == target:
        _sort_patches(out, run(kept, settings._replace(patches=patches[:1])))
    migration = migrate(kept, Target(None, (target,)))
    out.rewritten = [(file.source.name, move) for file in migration.files for move in file.moves]
    alone = (rule_ids.LOST_FIELD, rule_ids.NO_COUNTERPART, rule_ids.LEFT_ALONE)
    out.left_alone = [finding for finding in migration.report.findings if finding.rule in alone]
    kinds = sorted({kind for file in migration.files for kind in file.kinds})
    out.usable = usable_fields(kinds, steps, dict(gates))
    return out


def _sort(out: UpgradePlan, versions: ApiVersions) -> None:
    """Sort the findings by their meaning for the upgrade."""
    first, last = str(out.steps[0]), str(out.steps[-1])
    unreadable = {_object(one) for one in out.report.findings if one.effect == "unreadable"}
    rejected = [one for one in out.report.findings if one.effect == "rejected"]
    refused = {
        release: unreadable | {_object(one) for one in rejected if release in one.releases} for release in (first, last)
    }
    unserved = {_object(one) for one in rejected if one.rule == rule_ids.NOT_SERVED and first in one.releases}
    out.before = len(refused[first] & refused[last])
    for finding in out.report.findings:
        now, then = first in finding.releases, last in finding.releases
        took, takes = _object(finding) not in refused[first], _object(finding) not in refused[last]
        since = UpgradeEntry(_since(out, finding), finding)
        begins, stops = then and not now, now and not then
        broken, gated = finding.effect == "broken" and finding.rule not in _OFF, finding.rule == rule_ids.GATE_OFF
        end = _end(out, versions, since) if finding.effect == "rejected" and then and took else None
        meanings = {  # the first that holds counts
            "ends": end is not None,
            "refused": finding.effect == "rejected" and then and took,
            "accepted": finding.effect == "rejected" and now and takes,
            "broken": broken and begins and took and takes,
            "mended": broken and stops and took and takes and finding.rule in _MENDED,
            "dropped": gated and begins and took,
            "kept": gated and stops and takes,
        }
        meaning = next((meaning for meaning, holds in meanings.items() if holds), None)
        if meaning is not None:
            out.entries[meaning].append(end or since)
        if finding.rule in _OFF and then and took and takes and _must_enable(out, versions, finding, now=now):
            out.entries["enable"].append(UpgradeEntry(out.steps[-1], finding) if now else since)
        if finding.effect == "deprecated" and then and takes:
            if finding.rule == rule_ids.DEPRECATED_API_VERSION and (announced := _announced(out, versions, finding)):
                out.entries["ends"].append(announced)
            if not now and _object(finding) not in unserved:
                out.entries["deprecated"].append(since)


def _sort_patches(out: UpgradePlan, before: Report) -> None:
    """Add the known faults that only one of two patches of a release has."""
    had, has = _faults(before), _faults(out.report)
    for meaning, found, other in (("mended", had, has), ("broken", has, had)):
        out.entries[meaning] += [UpgradeEntry(out.steps[-1], one) for key, one in found.items() if key not in other]


def _faults(report: Report) -> dict[Objects, Finding]:
    """Return the findings on known faults by place and effect; the patch that mends one is not part of that."""
    found = (finding for finding in report.findings if finding.rule in _FAULTS)
    return {(*_object(one), one.line, one.message.partition(" (")[0]): one for one in found}


def _must_enable(out: UpgradePlan, versions: ApiVersions, finding: Finding, *, now: bool) -> bool:
    """Say whether the target serves an object only if the administrator has enabled its API version."""
    item = finding.object or {}
    if item.get("apiVersion") in versions.default(out.steps[-1]):
        return False
    instead = versions.by_default(str(item.get("kind")), out.steps[-1])
    return instead is not None or (finding.rule == rule_ids.MUST_BE_ENABLED and not now)


def _object(finding: Finding) -> Objects:
    named = tuple((finding.object or {}).values())
    return (finding.file, finding.document, *named)


def _since(out: UpgradePlan, finding: Finding) -> Release:
    """Return the first release with a finding, up to the target; for a finding that goes away, the first one without
    it."""
    present = [str(release) in finding.releases for release in out.steps]
    number = len(present) - 1
    while number and present[number - 1] == present[-1]:
        number -= 1
    return out.steps[number]


def _end(out: UpgradePlan, versions: ApiVersions, since: UpgradeEntry) -> UpgradeEntry | None:
    """Return the end of an API version behind a refusal; None where it has another reason."""
    item = since.finding.object or {}
    version, kind = item.get("apiVersion") or "", str(item.get("kind"))
    if since.finding.rule != rule_ids.NOT_SERVED or not versions.tracked(version, kind):
        return None
    return since._replace(common=_common(out, kind))


def _announced(out: UpgradePlan, versions: ApiVersions, finding: Finding) -> UpgradeEntry | None:
    item = finding.object or {}
    kind = str(item.get("kind"))
    end = versions.ends(str(item.get("apiVersion")), kind, out.steps[-1])
    return None if end is None or end.gone is None else UpgradeEntry(end.gone, finding, True, _common(out, kind))


def _common(out: UpgradePlan, kind: str) -> str | None:
    try:
        return Target(None, tuple(out.steps)).version_for(kind)[0]
    except NoTargetError:
        return None


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


def render(upgrade: UpgradePlan, style: Style) -> str:
    """Return the report, section by section, with a final newline; a section without entries is left out."""
    return draw(_parts(upgrade), style)


def _parts(upgrade: UpgradePlan) -> Iterator[Part]:
    way = ", ".join(map(str, upgrade.steps[1:-1]))
    yield f"from {upgrade.first} to {upgrade.last}{f', by way of {way}' if way else ''}"
    yield ""
    for section in _sections(upgrade):
        if section.number:
            yield from _parts_of(section)
    harm = upgrade.entries["broken"] or upgrade.entries["dropped"]
    yield (summary(upgrade), "error" if upgrade.stops else "warning" if harm else "good")


def summary(upgrade: UpgradePlan) -> str:
    """Return the last line: what to do before the upgrade."""
    ended, announced = map(len, _ends(upgrade))
    counts = f"{counted(upgrade.report.files, 'file')}, {counted(upgrade.report.objects, 'object')}: "
    off, refused, broken, dropped = (len(upgrade.entries[name]) for name in ("enable", "refused", "broken", "dropped"))
    numbers = {
        f"{counted(ended, 'object')} in API versions that {upgrade.steps[-1]} no longer serves": ended,
        f"{counted(off, 'object')} in API versions that are off by default": off,
        counted(refused, "refusal"): refused,
        f"{broken} no longer working": broken,
        f"{counted(dropped, 'field')} removed": dropped,
    }
    parts = ", ".join(text for text, number in numbers.items() if number)
    text = counts + (parts or "nothing stands in the way of the upgrade")
    if announced:
        text += f"; {counted(announced, 'object')} in API versions that end later"
    if upgrade.before:
        text += f"; {counted(upgrade.before, 'object')} refused before and afterwards (see `dralint check`)"
    return text + skipped(upgrade.report)


def _sections(upgrade: UpgradePlan) -> list[_Section]:
    """Return the sections: what blocks the upgrade, what needs a look, and what does no harm."""
    first, last, here = upgrade.steps[0], upgrade.steps[-1], upgrade.entries
    ended, announced = _ends(upgrade)
    listed = {id(end.finding) for end in announced}
    deprecated = [entry for entry in here["deprecated"] if id(entry.finding) not in listed]
    migrate, patch = f"`dralint migrate --to {last}`", (last, upgrade.last)
    alone = [_Group(finding.message, (), (_place(finding, path=False),)) for finding in upgrade.left_alone]
    faults = [entry for entry in here["mended"] if entry.finding.rule != rule_ids.EXTENDED_RESOURCE_NOT_FOUND]
    begun = [entry for entry in here["mended"] if entry.finding.rule == rule_ids.EXTENDED_RESOURCE_NOT_FOUND]
    rewritten = [
        _Group(
            f"to {move.target}" if move.target != move.object["apiVersion"] else "to the form of claims since 1.31",
            (),
            (f"{file}:{move.line}: {_called(move.object)}",),
        )
        for file, move in upgrade.rewritten
    ]
    fields = grouped((f"{row.kind}, from {row.release}", row.path) for row in upgrade.usable)
    usable = [_Group(f"{text}: {', '.join(paths)}", (), ()) for text, paths in fields.items()]
    return [
        _section(f"objects in API versions that {last} no longer serves", "error", map(_ending, ended)),
        _section(f"{last} refuses what {first} takes", "error", _entries(here["refused"], "refused from")),
        _section(
            f"works in {upgrade.first}, but no longer in {upgrade.last}",
            "warning",
            _entries(here["broken"], "does not work from", patch=patch),
        ),
        _section(
            f"{last} removes silently what {first} keeps", "warning", _entries(here["dropped"], "removed silently from")
        ),
        _section(
            f"off by default in {last}: served only where the administrator has enabled it",
            "error",
            map(_off, here["enable"]),
        ),
        _section(f"{migrate} would leave alone", "warning", alone),
        _section(f"deprecated in {last}, but not in {first}", "warning", _entries(deprecated, "deprecated in")),
        _section(f"objects in API versions that end after {last}", "info", map(_later, announced), harmless=True),
        _section(f"{migrate} would rewrite", "info", rewritten, harmless=True),
        _section(
            f"{last} keeps what {first} removes silently",
            "info",
            _entries(here["kept"], "no longer removed from", hint=False),
            harmless=True,
        ),
        _section(
            f"known faults of {upgrade.first} that {upgrade.last} does not have",
            "info",
            _entries(faults, "ends with", hint=False, patch=patch),
            harmless=True,
        ),
        _section(
            f"works in {last}, but not in {first}",
            "info",
            _entries(begun, "works from", hint=False),
            harmless=True,
        ),
        _section(f"{last} takes what {first} refuses", "info", _accepted(here["accepted"]), harmless=True),
        _Section(f"fields that {last} has and {first} does not", "info", usable, len(upgrade.usable), True),
    ]


def _section(title: str, style: str, groups: Iterable[_Group], *, harmless: bool = False) -> _Section:
    """Return a section of groups with one place each; equal ones are joined."""
    entries = [((group.text, group.notes), group.places[0]) for group in groups]
    joined = [_Group(*key, tuple(places)) for key, places in grouped(entries).items()]
    return _Section(title, style, joined, len(entries), harmless)


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
    objects = [(entry.release, entry.finding.object or {}) for entry in entries]
    pairs = grouped(((item.get("apiVersion"), release), str(item.get("kind"))) for release, item in objects)
    kinds = {key: sorted(set(several)) for key, several in pairs.items()}
    for entry in entries:
        if entry.finding.rule != rule_ids.NOT_SERVED:
            yield from _entries([entry], "no longer refused from", hint=False)
            continue
        version = (entry.finding.object or {}).get("apiVersion")
        some = kinds[version, entry.release]
        text = f"{', '.join(some)} of {version} {'is' if len(some) == 1 else 'are'} not served before {entry.release}"
        yield _Group(text, (), (_place(entry.finding, path=False),))


def _ends(upgrade: UpgradePlan) -> tuple[list[UpgradeEntry], list[UpgradeEntry]]:
    """Return the API versions that end with the upgrade, and those whose end after it is announced."""
    ends = upgrade.entries["ends"]
    return [end for end in ends if not end.announced], [end for end in ends if end.announced]


def _ending(end: UpgradeEntry) -> _Group:
    version = (end.finding.object or {}).get("apiVersion")
    notes: tuple[str, ...] = ()
    if end.common is None:
        notes = ("no API version is served all the way: migrate while the cluster is upgraded",)
    elif end.common != version:
        notes = (f"every release on the way serves {end.common}: migrate before the upgrade",)
    return _Group(f"{version} is not served from {end.release} on", notes, (_place(end.finding, path=False),))


def _later(end: UpgradeEntry) -> _Group:
    version, hint = (end.finding.object or {}).get("apiVersion"), end.finding.hint
    text = f"{version} is not served from {end.release} on"
    return _Group(text, (hint,) if hint else (), (_place(end.finding, path=False),))


def _place(finding: Finding, *, path: bool = True) -> str:
    where = f"{finding.file}:{finding.line}:{finding.column}"
    name = object_name(finding)
    parts = [part for part in (name, finding.path if path else "") if part]
    return f"{where}: {', '.join(parts)}" if name else where


def _called(item: dict[str, str | None]) -> str:
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


def as_json(upgrade: UpgradePlan) -> str:
    """Return the report as JSON with a final newline; characters that are not ASCII are escaped."""
    return escape_json(json.dumps(document(upgrade), indent=1) + "\n")


def document(upgrade: UpgradePlan) -> dict[str, Any]:
    """Return the report as plain values."""
    return {
        "version": VERSION,
        "from": str(upgrade.steps[0]),
        "to": str(upgrade.steps[-1]),
        "steps": [str(release) for release in upgrade.steps],
        **{name: [_entry_of(entry, name) for entry in entries] for name, entries in upgrade.entries.items()},
        "migrate": [
            {"file": file, "line": move.line, "object": move.object, "apiVersion": move.target}
            for file, move in upgrade.rewritten
        ],
        "leftAlone": [_finding_of(finding) for finding in upgrade.left_alone],
        "usable": [
            {"kind": usable.kind, "path": usable.path, "release": str(usable.release)} for usable in upgrade.usable
        ],
        "summary": {
            "files": upgrade.report.files,
            "objects": upgrade.report.objects,
            "refusedBefore": upgrade.before,
            "skipped": [
                {"file": skipped.file, "document": skipped.document, "reason": skipped.reason}
                for skipped in upgrade.report.skipped
            ],
        },
    }


def _entry_of(entry: UpgradeEntry, name: str) -> dict[str, Any]:
    release = str(entry.release)
    when = {"endsIn": release, "announced": entry.announced, "common": entry.common}
    return {**_finding_of(entry.finding), **(when if name == "ends" else {"release": release})}


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
