"""Checks manifests against an upgrade of the cluster: what it breaks, drops, ends, deprecates, and makes usable."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dralint.config.settings import Settings
from dralint.finding import rule_ids
from dralint.fix.migration import migrate
from dralint.kubernetes import gates
from dralint.kubernetes.release import Release, ReleaseRange
from dralint.kubernetes.served import ApiVersions
from dralint.lint.pool import run
from dralint.migrate import convert
from dralint.migrate.convert import VERSIONS
from dralint.migrate.plans import NoTargetError, Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.files.source import Source
    from dralint.finding.finding import Finding
    from dralint.finding.report import Report
    from dralint.kubernetes.types import Shape
    from dralint.yaml import Path


_DEEPEST = 16
_PLAIN_ONCE = ("capacity", "*")
"""A plain quantity in v1alpha3 that has its `value` since then: nothing new to use."""


@dataclass(frozen=True, slots=True)
class Usable:
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
    types = convert.types_of(str(release), version)
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


@dataclass(frozen=True, slots=True)
class UpgradeEntry:
    """A change, and the first release on the way that has it."""

    release: Release
    finding: Finding


@dataclass(frozen=True, slots=True)
class EndingObject:
    """An object in an API version that ends.

    `ends_in` is the first release that does not serve it; if that is after the target, the end is announced. `common`
    is an API version that all releases on the way serve, so that the object can be rewritten before the upgrade; None
    where there is none.
    """

    finding: Finding
    ends_in: Release
    announced: bool
    common: str | None


@dataclass(frozen=True, slots=True)
class MigrateStep:
    """One object that `migrate` would rewrite for the target; `object` has its name as in a finding."""

    file: str
    line: int
    object: dict[str, str | None]
    api_version: str


@dataclass(slots=True)
class UpgradePlan:
    """The report of an upgrade.

    Attributes:
        source, target: the release before and afterwards.
        steps: the releases from source to target, both included.
        report: the run over all steps.
        refused: what the target refuses of objects that the source takes.
        accepted: what the source refuses of objects that the target takes.
        broken: what works in the source, and in the target does not, though it takes it: an admission policy that sees
            nothing any more, a pool that is no longer used.
        mended: what does not work in the source, because of a known fault or a gate, and works in the target.
        dropped, kept: fields that the target removes silently and the source does not, and the other way round.
        ends: objects in API versions that end with the upgrade, or have an announced end after it.
        deprecated: what is deprecated in the target and was not in the source.
        enable: what the target serves only where the administrator has enabled it, though the source serves it by
            default, or the target serves another version of the kind by default.
        rewritten, left_alone: what `migrate` would do for the target, and what it would not.
        usable: fields of the kinds there that the target has and the source has not.
        before: how many objects both refuse.
    """

    source: Release
    target: Release
    steps: list[Release]
    report: Report
    refused: list[UpgradeEntry] = field(default_factory=list)
    accepted: list[UpgradeEntry] = field(default_factory=list)
    broken: list[UpgradeEntry] = field(default_factory=list)
    mended: list[UpgradeEntry] = field(default_factory=list)
    dropped: list[UpgradeEntry] = field(default_factory=list)
    kept: list[UpgradeEntry] = field(default_factory=list)
    ends: list[EndingObject] = field(default_factory=list)
    deprecated: list[UpgradeEntry] = field(default_factory=list)
    enable: list[UpgradeEntry] = field(default_factory=list)
    rewritten: list[MigrateStep] = field(default_factory=list)
    left_alone: list[Finding] = field(default_factory=list)
    usable: list[Usable] = field(default_factory=list)
    before: int = 0
    patches: tuple[tuple[Release, int], ...] = ()
    """The releases that were named with a patch, first the source, then the target."""

    @property
    def first(self) -> str:
        """The source as it was named, with its patch."""
        return _named(self.source, self.patches[:1])

    @property
    def last(self) -> str:
        """The target as it was named, with its patch."""
        return _named(self.target, self.patches[-1:])


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
    out = UpgradePlan(source, target, steps, run(kept, settings), patches=patches)
    _sort(out, versions)
    if source == target:
        _sort_patches(out, run(kept, settings._replace(patches=patches[:1])))
    migration = migrate(kept, Target(None, (target,)))
    out.rewritten = [
        MigrateStep(file.source.name, move.line, move.object, move.target)
        for file in migration.files
        for move in file.moves
    ]
    alone = (rule_ids.LOST_FIELD, rule_ids.NO_COUNTERPART, rule_ids.LEFT_ALONE)
    out.left_alone = [finding for finding in migration.report.findings if finding.rule in alone]
    kinds = sorted({kind for file in migration.files for kind in file.kinds})
    out.usable = usable_fields(kinds, steps, dict(gates))
    return out


def _sort(out: UpgradePlan, versions: ApiVersions) -> None:
    """Sort the findings by their meaning for the upgrade."""
    first, last = str(out.source), str(out.target)
    refused: dict[str, set[Objects]] = {first: set(), last: set()}
    unserved: set[Objects] = set()
    for finding in out.report.findings:
        if finding.effect in ("rejected", "unreadable"):
            for release in (first, last):
                if release in finding.releases or finding.effect == "unreadable":
                    refused[release].add(_object(finding))
            if finding.rule == rule_ids.NOT_SERVED and first in finding.releases:
                unserved.add(_object(finding))
    out.before = len(refused[first] & refused[last])
    for finding in out.report.findings:
        now, then = first in finding.releases, last in finding.releases
        took, takes = _object(finding) not in refused[first], _object(finding) not in refused[last]
        since = UpgradeEntry(_since(out, finding), finding)
        if finding.effect == "rejected":
            if then and took:
                end = _end(out, finding, since.release)
                out.ends += [end] if end else []
                out.refused += [] if end else [since]
            elif now and takes:
                out.accepted.append(since)
        elif finding.effect == "broken" and finding.rule not in _OFF:
            if then and not now and took and takes:
                out.broken.append(since)
            elif now and not then and took and takes and finding.rule in _MENDED:
                out.mended.append(since)
        elif finding.rule == rule_ids.GATE_OFF:
            if then and not now and took:
                out.dropped.append(since)
            elif now and not then and takes:
                out.kept.append(since)
        if finding.rule in _OFF and then and took and takes and _must_enable(out, versions, finding, now=now):
            out.enable.append(UpgradeEntry(out.target, finding) if now else since)
        if finding.effect == "deprecated" and then and takes:
            end = _announced(out, versions, finding) if finding.rule == rule_ids.DEPRECATED_API_VERSION else None
            out.ends += [end] if end else []
            if not now and _object(finding) not in unserved:
                out.deprecated.append(since)


def _sort_patches(out: UpgradePlan, before: Report) -> None:
    """Add the known faults that only one of two patches of a release has."""
    had, has = _faults(before), _faults(out.report)
    out.mended += [UpgradeEntry(out.target, finding) for key, finding in had.items() if key not in has]
    out.broken += [UpgradeEntry(out.target, finding) for key, finding in has.items() if key not in had]


def _faults(report: Report) -> dict[Objects, Finding]:
    """Return the findings on known faults by place and effect; the patch that mends one is not part of that."""
    found = (finding for finding in report.findings if finding.rule in _FAULTS)
    return {(*_object(one), one.line, one.message.partition(" (")[0]): one for one in found}


def _must_enable(out: UpgradePlan, versions: ApiVersions, finding: Finding, *, now: bool) -> bool:
    """Say whether the target serves an object only if the administrator has enabled its API version."""
    item = finding.object or {}
    if item.get("apiVersion") in versions.default(out.target):
        return False
    instead = versions.by_default(str(item.get("kind")), out.target)
    return instead is not None or (finding.rule == rule_ids.MUST_BE_ENABLED and not now)


def _object(finding: Finding) -> Objects:
    named = tuple((finding.object or {}).values())
    return (finding.file, finding.document, *named)


def _since(out: UpgradePlan, finding: Finding) -> Release:
    """Return the first release with a finding, up to the target; for a finding that goes away, the first one without
    it."""
    present = [str(release) in finding.releases for release in out.steps]
    after = not present[-1]
    number = len(present) - 1
    while number and present[number - 1] == (not after):
        number -= 1
    return out.steps[number]


def _end(out: UpgradePlan, finding: Finding, release: Release) -> EndingObject | None:
    """Return the end of an API version behind a refusal; None where it has another reason."""
    item = finding.object or {}
    version = item.get("apiVersion") or ""
    if finding.rule != rule_ids.NOT_SERVED or not ApiVersions().tracked(version, str(item.get("kind"))):
        return None
    return EndingObject(finding, release, False, _common(out, str(item.get("kind"))))


def _announced(out: UpgradePlan, versions: ApiVersions, finding: Finding) -> EndingObject | None:
    item = finding.object or {}
    kind = str(item.get("kind"))
    end = versions.ends(str(item.get("apiVersion")), kind, out.target)
    return None if end is None or end.gone is None else EndingObject(finding, end.gone, True, _common(out, kind))


def _common(out: UpgradePlan, kind: str) -> str | None:
    try:
        return Target(None, tuple(out.steps)).version_for(kind)[0]
    except NoTargetError:
        return None
