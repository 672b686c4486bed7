"""Deprecated and removed API versions: makes the fix that moves an object to a newer one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dralint.edit.apply import FileText, combine
from dralint.finding import catalogue
from dralint.finding.catalogue import OLD_API_VERSIONS
from dralint.finding.finding import Edit, Fix
from dralint.kubernetes.served import is_ours
from dralint.lint.proven_repairs import brings
from dralint.lint.report_builder import describe
from dralint.migrate.convert import VERSIONS
from dralint.migrate.rewrite import NoTargetError, Target, rewrite
from dralint.records import grouped

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from dralint.finding.finding import Finding
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.served import ApiVersions
    from dralint.lint.report_builder import Everything
    from dralint.migrate.rewrite import MigratedFile, MigrationPlan
    from dralint.yaml import Document


_MOST_TOGETHER = 64
"""At most this many objects that can only move together get a fix: each of their findings has the edits of all."""
_Name = tuple[str | None, ...]


@dataclass(frozen=True)
class _Newer(Target):
    """The API version to move to, by kind and own API version; other objects keep theirs."""

    by_identity: tuple[tuple[tuple[str, str], str], ...] = ()

    def version_for(self, kind: str, own: str | None = None) -> tuple[str, Sequence[Release]]:
        version = dict(self.by_identity).get((kind, own or ""))
        if version is None:
            raise NoTargetError(f"{kind} stays")
        return version, self.releases


class _Unit(NamedTuple):
    """Objects of one document that can only move together, and the edits of the file that move them."""

    document: int
    moves: list[MigrationPlan]
    edits: list[Edit]


def mark(
    findings: list[Finding],
    raw: bytes,
    versions: ApiVersions,
    releases: Sequence[Release],
    judge: Everything,
    judge_as_served: Everything,
) -> None:
    """Give the findings on old API versions in a file the fix that moves their object to a newer one.

    An object gets no fix if it would have a new error after the move.

    Args:
        findings: those of the file.
        raw: the bytes of the file.
        versions: the API versions of each release.
        releases: the chosen releases; an object moves only to an API version that all of them serve by default.
        judge: judges an object by these releases.
        judge_as_served: judges it by the newest release that serves it.
    """
    old = {
        n: f for n, f in enumerate(findings) if f.rule in OLD_API_VERSIONS and f.fix is None and f.object is not None
    }
    identities = {(f.object["kind"] or "", f.object["apiVersion"] or "") for f in old.values() if f.object is not None}
    newer = {identity: _newer(*identity, versions, releases) for identity in identities}
    targets = tuple((identity, version) for identity, version in newer.items() if version is not None)
    outcome = rewrite(raw, _Newer(None, tuple(releases), targets)) if targets else None
    if outcome is None or outcome.written is None:
        return
    served = [versions.served(release) for release in releases]
    fixes: dict[tuple[int, _Name], Fix | None] = {}
    for unit in _units(raw, outcome):
        document = outcome.documents[unit.document]
        sound = len(unit.moves) <= _MOST_TOGETHER and all(
            _is_sound(document, move, judge, judge_as_served, served)
            for move in unit.moves
            if move.intended is not None
        )
        for name in {_name(describe(move.item)) for move in unit.moves}:
            other = fixes.get((unit.document, name), Fix((), safe=True))  # of an object that has the same name
            whole = sound and other is not None
            fixes[unit.document, name] = Fix((*other.edits, *unit.edits), safe=True) if whole and other else None
    for number, finding in old.items():
        assert finding.object is not None
        fix = fixes.get((finding.document, _name(finding.object)))
        if fix is not None:
            findings[number] = finding._replace(fix=fix)


def _name(about: Mapping[str, str | None]) -> _Name:
    return tuple(about.values())


def _newer(kind: str, own: str, versions: ApiVersions, releases: Sequence[Release]) -> str | None:
    """Return the newest API version of a kind that all releases serve by default, if it is newer than its own."""
    for version in versions.versions(kind, releases[-1]) if own in VERSIONS else ():
        if version in VERSIONS and VERSIONS.index(version) > VERSIONS.index(own):
            defaults = all(version in versions.default(release) for release in releases)
            if defaults and all((version, kind) in versions.served(release) for release in releases):
                return version
    return None


def _units(raw: bytes, outcome: MigratedFile) -> Iterable[_Unit]:
    """Yield the objects that move together: one object, or all of a document if they share an anchor or version."""
    assert outcome.written is not None
    starts = FileText(raw).offsets(outcome.documents)
    units: list[tuple[int, _Unit]] = []
    for number, moves in grouped((move.document, move) for move in outcome.moves).items():
        document = outcome.documents[number]
        apart = not document.may_have_aliases and all(move.intended is not None for move in moves)
        for some in [[move] for move in moves] if apart and len(moves) > 1 else [moves]:
            offset = document.way(some[0].item.path)[-1][1].start if len(some) < len(moves) else 0
            units.append((starts[number] + offset, _Unit(number, some, [])))
    units.sort(key=lambda unit: unit[0])
    position = 0
    for edit in combine(outcome.written.edits):
        while position + 1 < len(units) and units[position + 1][0] <= edit.start:
            position += 1
        edits = units[position][1].edits
        if edits and edits[-1].start == edit.start:
            edits[-1] = Edit(edit.start, edit.end, edits[-1].text + edit.text)
        else:
            edits.append(edit)
    # Pods and workloads have their own findings on the objects that they name.
    return [unit for _, unit in units if all(is_ours(move.item.api_version) for move in unit.moves)]


def _is_sound(
    document: Document,
    move: MigrationPlan,
    judge: Everything,
    judge_as_served: Everything,
    served: Sequence[Collection[tuple[str, str]]],
) -> bool:
    """Say whether an object has no error or warning in its new API version that it does not have in its present one.

    An object with an unknown field is not sound, because dralint does not know where that field moves.

    Args:
        served: what each of the chosen releases serves.
    """
    is_served = any((move.item.api_version, move.item.kind) in there for there in served)
    found = (judge if is_served else judge_as_served)(document, move.item) or []
    after = judge(document, move.item._replace(data=move.intended, api_version=move.target)) or []
    if any(problem.reason == "Unknown" for problem, _ in found) or any(p.rule in OLD_API_VERSIONS for p, _ in after):
        return False
    before = [found, *([judge_as_served(document, move.item) or []] if is_served and after else [])]
    return not brings(before, after, catalogue.rules())
