"""Deprecated and removed API versions: which one to migrate to, and the file after that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dralint.finding.rule_ids import DEPRECATED_API_VERSION, NOT_SERVED, REMOVED_API_VERSION
from dralint.migrate.moves import VERSIONS
from dralint.migrate.rewrite import rewrite
from dralint.migrate.target import NoTargetError, Target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.edit.file_text import Rewriting
    from dralint.finding.report import Report
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.served import ApiVersions

OLD = (DEPRECATED_API_VERSION, REMOVED_API_VERSION, NOT_SERVED)
"""Rules of API versions that are moved to a newer one."""


@dataclass(frozen=True)
class _Newer(Target):
    """The API version of each of these kinds that all releases serve by default; other kinds stay."""

    by_kind: tuple[tuple[str, str], ...] = ()

    def version_for(self, kind: str) -> tuple[str, Sequence[Release]]:
        version = dict(self.by_kind).get(kind)
        if version is None:
            raise NoTargetError(f"{kind} stays")
        return version, self.releases


def migrated(raw: bytes, report: Report, versions: ApiVersions, releases: Sequence[Release]) -> Rewriting | None:
    """Return a file with the objects in newer API versions that are deprecated or not served; None where all stay.

    Args:
        report: the report on the file.
        releases: those that were asked for; an object moves only to what all of them serve by default. Where none
            was, nobody knows what the cluster serves, and all stay.
    """
    objects = [f.object for f in report.findings if f.rule in OLD and f.object is not None] if releases else []
    by_kind: dict[str, str] = {}
    for item in objects:
        kind, own = item["kind"] or "", item["apiVersion"] or ""
        newer = [v for v in versions.versions(kind, releases[-1]) if _is_newer(v, own)]
        best = next((v for v in newer if all(_serves(versions, release, v, kind) for release in releases)), None)
        if best is not None:
            by_kind[kind] = best
    if not by_kind:
        return None
    return rewrite(raw, _Newer(None, tuple(releases), tuple(by_kind.items()))).written


def _is_newer(version: str, own: str) -> bool:
    return version in VERSIONS and own in VERSIONS and VERSIONS.index(version) > VERSIONS.index(own)


def _serves(versions: ApiVersions, release: Release, version: str, kind: str) -> bool:
    return version in versions.default(release) and (version, kind) in versions.served(release)
