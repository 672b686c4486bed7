"""Reads `--to`: an API version, a release, or several releases; and finds the API version for a kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from dralint.kubernetes.release import ReleaseRange
from dralint.kubernetes.served import ApiVersions
from dralint.kubernetes.workloads import GROUP
from dralint.migrate import convert
from dralint.migrate.convert import VERSIONS, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.kubernetes.release import Release

_VERSION = re.compile(r"(?:resource\.k8s\.io/)?(v\d+(?:(?:alpha|beta)\d+)?)\Z")


@cache
def _versions() -> ApiVersions:
    return ApiVersions()


class TargetError(ValueError):
    """A value of `--to` that dralint cannot migrate to; the text lists what it can."""


class NoTargetError(Exception):
    """There is no API version for a kind; the text has the reason, `hint` what exists."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Target:
    """What to migrate to: an API version, or the releases that must serve the result."""

    version: str | None = None
    releases: tuple[Release, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Target:
        """Return the target `resource.k8s.io/v1`, `v1beta2`, `1.34`, `latest` or `1.32..1.36`; else TargetError."""
        written = text.strip()
        known = convert.known()
        if (match := _VERSION.match(written)) and "." not in match[1]:
            version = f"{GROUP}/{match[1]}"
            if version in VERSIONS:
                return cls(version)
            there = ", ".join(map(short, VERSIONS))
            raise TargetError(f"{version} is none of the API versions that can be migrated to: {there}")
        try:
            wanted = ReleaseRange.parse(re.sub("(?i)latest", str(known[-1]), written))
        except ValueError as error:
            raise TargetError(
                f"{text!r} is neither an API version (such as {VERSIONS[-1]}) nor a release: {error}"
            ) from error
        ends = [end for end in (wanted.first, wanted.last) if end is not None]
        unknown = [str(end) for end in ends if end not in known] or ([] if ends else [repr(text)])
        if unknown:
            raise TargetError(f"release {unknown[0]} is not known; known are {', '.join(map(str, known))}")
        releases = tuple(release for release in known if release in wanted)
        first = releases[0]
        if not any((version, "ResourceClaim") in ApiVersions().served(first) for version in VERSIONS):
            raise TargetError(f"{first} serves an older model of resource.k8s.io; 1.31 is the first to migrate to")
        return cls(None, releases)

    def __str__(self) -> str:
        if self.version is not None:
            return self.version
        first, last = self.releases[0], self.releases[-1]
        return str(first) if first == last else f"{first}..{last}"

    def version_for(self, kind: str, own: str | None = None) -> tuple[str, Sequence[Release]]:
        """Return the API version to write a kind in, and the releases whose types decide which fields it has.

        Args:
            own: the API version that the object has; this target does not depend on it.

        Raises:
            NoTargetError: the API version does not have the kind, or no API version is served by all of the releases.
        """
        return _version_for(self, kind)


@lru_cache(maxsize=256)
def _version_for(target: Target, kind: str) -> tuple[str, Sequence[Release]]:
    if target.version is not None:
        found = convert.newest(target.version, kind)
        if not found:
            there = [version for version in VERSIONS if convert.newest(version, kind)]
            hint = f"it is served in {', '.join(there)}" if there else None
            raise NoTargetError(f"{target.version} has no kind {kind}", hint)
        return target.version, found
    versions = _versions()
    served = {release: [v for v in versions.versions(kind, release) if v in VERSIONS] for release in target.releases}
    common = [version for version in served[target.releases[0]] if all(version in row for row in served.values())]
    if not common:
        rows = [f"{release} in {', '.join(short(v) for v in row) or 'none'}" for release, row in served.items()]
        if len(rows) == 1:
            there = [v for v in VERSIONS if convert.newest(v, kind)]
            hint = f"it is served in {', '.join(there)}" if there else None
            raise NoTargetError(f"{target.releases[0]} does not serve {kind}", hint)
        hint = f"{kind} is served by {'; '.join(rows)}"
        raise NoTargetError(f"no API version of {kind} is served by all of {target}", hint)
    by_default = [v for v in common if all(v in versions.default(release) for release in target.releases)]
    return (by_default or common)[0], target.releases
