"""Which API versions each release serves, and API groups that no kind of resource.k8s.io can be in."""

from __future__ import annotations

import re
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from dralint.kubernetes import shipped
from dralint.kubernetes.near import distance
from dralint.kubernetes.release import Release, ReleaseRange, in_range
from dralint.kubernetes.workloads import GROUP, GROUPED, is_group_of_pods
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path as FilePath


ADMISSION = "admissionregistration.k8s.io"
"""The group of admission policies and of the configurations of webhooks."""

CLUSTER_SCOPED = frozenset(
    {"DeviceClass", "DeviceTaintRule", "ResourceClass", "ResourcePoolStatusRequest", "ResourceSlice"}
)
"""The cluster-scoped kinds of resource.k8s.io: the API server removes a namespace from such an object."""

OWN = frozenset(
    f"{name}.k8s.io"
    for name in """
    admissionregistration apiextensions apiregistration authentication rbac.authorization authorization certificates
    coordination discovery events flowcontrol.apiserver internal.apiserver networking node scheduling storage
    storagemigration
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)
"""Kubernetes' own groups with a dot, other than resource.k8s.io; only Kubernetes can have a group without a dot."""

_MOST = 2


def is_ours(api_version: str) -> bool:
    """Say whether an apiVersion names resource.k8s.io, in any version."""
    return api_version == GROUP or api_version.startswith(f"{GROUP}/")


def is_own(group: str) -> bool:
    """Say whether only Kubernetes itself can serve the group (the core group is the empty text)."""
    return "." not in group or group in OWN


def nearly_ours(group: str) -> bool:
    """Say whether the group can only mean resource.k8s.io: the wrong case, a space, one or two typing mistakes."""
    name = "".join(group.split()).lower().replace("kubernetes.io", "k8s.io")
    if name == GROUP or (len(name) > len("resource") and GROUP.startswith(name)):
        return True
    # Groups of projects around Kubernetes end so.
    return not name.endswith("x-k8s.io") and _is_near(name, GROUP, _MOST)


@lru_cache(maxsize=64)
def nearly_one_of(kind: str, kinds: frozenset[str]) -> bool:
    """Say whether a kind equals one of those apart from its case, a plural, or one character."""
    name = kind.lower()
    for known in map(str.lower, kinds):
        if name in (known, f"{known}s", f"{known}es") or _is_near(name, known, _MOST - 1):
            return True
    return False


def _is_near(one: str, other: str, most: int) -> bool:
    return abs(len(one) - len(other)) <= most and distance(one, other) <= most


SUCCESSORS = {
    "ResourceClass": "DeviceClass",
    "PodScheduling": "PodSchedulingContext",
    "ResourceClaimParameters": "the opaque configuration of a ResourceClaim",
    "ResourceClassParameters": "the opaque configuration of a DeviceClass",
}
"""Kind → the kind that replaces it."""


CLASSIC = "classic"
_SHAPES = {"v1alpha1": CLASSIC, "v1alpha2": CLASSIC, "v1alpha3": "flat", "v1beta1": "flat"}
_SHAPED_AT = {
    "ResourceClaim": ("spec", "devices", "requests"),
    "ResourceClaimTemplate": ("spec", "spec", "devices", "requests"),
    "ResourceSlice": ("spec", "devices"),
}
"""The kinds whose shape has changed → the path of what has changed."""
_MOST_KEPT = 1_000
_PREVIEW = r"-((?:alpha|beta|rc)\.\d+)"


def shape(api_version: str, kind: str) -> str:
    """Return the shape of a kind in an API version; versions of one shape have their fields in the same places.

    Source: the types of k8s.io/api v0.26.15 to v0.37.0.
    """
    return _SHAPES.get(api_version.rpartition("/")[2], "") if kind in _SHAPED_AT else ""


def written_shape(kind: str, data: Any) -> str | None:
    """Return the shape that the requests of a claim or the devices of a slice are written in; None if none shows."""
    for name in _SHAPED_AT.get(kind, ()):
        data = data.get(name) if isinstance(data, dict) else None
    keys = {key for each in data if isinstance(each, dict) for key in each} if isinstance(data, list) else set()
    return "" if "exactly" in keys else "flat" if keys & {"deviceClassName", "basic"} else None


class End(NamedTuple):
    """The release that deprecates an API version, and the first without it; None where that is not announced."""

    deprecated: Release
    gone: Release | None = None


class ApiVersions:
    """What each known release serves of resource.k8s.io, and of the kinds of GROUPED.

    Args:
        schemas: a folder of further releases that `schema generate` has written.
        enabled: the API versions that the cluster serves; without them each release serves all that it knows.

    Raises ValueError for a file of that folder which is damaged, or not named after a release.
    """

    def __init__(
        self,
        schemas: FilePath | None = None,
        enabled: Collection[str] | None = None,
    ) -> None:
        self.enabled = enabled
        self._table: dict[str, Any] = shipped.index()["releases"]
        self._schemas = schemas
        names = set(self._table["releases"])
        if schemas is not None and (schemas / "upstream").is_dir():
            added = {file.stem for file in (schemas / "upstream").glob("*.json")}
            for name in sorted(added):
                shipped.served(name, schemas)  # reports a damaged file at once, not at the first object of that release
            names |= added
        self.known = sorted(Release.parse(name) for name in names)
        self.previews = sorted(Release.parse(name) for name in self._table["previews"] if name not in names)

    def within(self, wanted: ReleaseRange) -> list[Release]:
        """Return the releases of a range, in order; a preview only where the range begins or ends with it."""
        named = (wanted.first, wanted.last)
        return sorted(
            {release for release in self.known if release in wanted} | {one for one in self.previews if one in named}
        )

    @lru_cache(maxsize=_MOST_KEPT)  # noqa: B019 - few are made
    def served(self, release: Release) -> frozenset[tuple[str, str]]:
        """Return the (apiVersion, kind) pairs that a release serves, of those that the cluster has enabled."""
        grouped = [pair for pair, span in GROUPED.items() if in_range(span, release)]
        found = shipped.served(str(release), self._schemas).union(grouped)
        return found if self.enabled is None else frozenset(pair for pair in found if pair[0] in self.enabled)

    def is_disabled(self, api_version: str, kind: str, release: Release) -> bool:
        """Say whether a release knows an API version that the cluster does not serve."""
        if (api_version, kind) in self.served(release):
            return False
        span = GROUPED.get((api_version, kind))
        known = (api_version, kind) in shipped.served(str(release), self._schemas)
        return known or (span is not None and in_range(span, release))

    @lru_cache(maxsize=_MOST_KEPT)  # noqa: B019 - few are made
    def newest_serving(self, api_version: str, kind: str) -> Release | None:
        """Return the newest release that serves an API version and kind, None when none does."""
        return next((r for r in reversed(self.known) if (api_version, kind) in self.served(r)), None)

    @lru_cache(maxsize=_MOST_KEPT)  # noqa: B019 - few are made
    def default(self, release: Release) -> list[str]:
        """Return the API versions that the release, or else the newest that the table knows, serves by default.

        Where it is known what the cluster serves, it is that.
        """
        if self.enabled is not None:
            return list(self.enabled)
        rows: dict[str, Any] = self._table["releases"] | self._table["previews"]
        row = rows.get(str(release)) or rows[max(rows, key=Release.parse)]
        versions: list[str] = row["default"]
        return versions

    @lru_cache(maxsize=_MOST_KEPT)  # noqa: B019 - few are made
    def versions(self, kind: str, release: Release) -> list[str]:
        """Return the API versions in which a release serves a kind, the one to prefer first."""
        return sorted((version for version, served in self.served(release) if served == kind), key=preference)

    def by_default(self, kind: str, release: Release) -> str | None:
        """Return the API version in which a release serves a kind by default, the preferred one; None without one."""
        default = self.default(release)
        return next((version for version in self.versions(kind, release) if version in default), None)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of resource.k8s.io, including those that the newest release no longer has."""
        now = {kind for version, kind in self.served(self.known[-1]) if version.startswith(GROUP)}
        return frozenset({*now, *SUCCESSORS, "PodSchedulingContext"})

    def ours(self, api_version: str, kind: str) -> bool:
        """Say whether an object can only be meant as one of resource.k8s.io, whatever its apiVersion is."""
        if is_ours(api_version):
            return True
        group = api_version.rpartition("/")[0]
        if kind in self.kinds:
            return not api_version or is_own(group) or nearly_ours(group)
        if "." in group and nearly_ours(group):
            return not kind or nearly_one_of(kind, self.kinds)
        return bool(api_version) and is_own(group) and nearly_one_of(kind, self.kinds)

    def ends(self, api_version: str, kind: str, release: Release) -> End | None:
        """Return when an API version of a kind ends, as a release announces it; None where it announces nothing."""
        row: dict[str, Any] = self._table["lifecycle"].get(api_version, {})
        span = row.get(kind) or row.get("*", [])
        if isinstance(span, dict):
            span = next((ends for releases, ends in span.items() if in_range(releases, release)), [])
        return End(*map(Release.parse, span)) if span else None

    def is_current(self, api_version: str, kind: str, releases: Collection[Release]) -> bool:
        """Say whether all the releases serve an API version by default, and none announces its end."""
        return all(
            api_version in self.default(release) and self.ends(api_version, kind, release) is None
            for release in releases
        )

    def tracked(self, api_version: str, kind: str) -> bool:
        """Say whether the releases that serve an object are known: its group has a table of versions."""
        return self.ours(api_version, kind) or is_group_of_pods(api_version.rpartition("/")[0], kind)

    def serving(self, kind: str) -> list[Release]:
        """Return the releases that serve a kind in any version."""
        return [release for release in self.known if self.versions(kind, release)]


def preference(version: str) -> tuple[int, str]:
    """Sort stable versions before beta before alpha, newer ones first."""
    name = version.rpartition("/")[2]
    rank = 2 if "alpha" in name else 1 if "beta" in name else 0
    return rank, "".join(chr(255 - ord(char)) for char in name)


def full_name(release: str, schemas: FilePath | None = None) -> str:
    """Return `1.38 (alpha.2)` for a preview of a release, `1.37` for a release.

    The name comes from the types that judge: in `schemas`, it is the one that the API server has given itself.
    """
    own = schemas is not None and (schemas / "upstream" / f"{release}.json").is_file()
    row = shipped.openapi(release, schemas) if own else shipped.index()["releases"]["previews"].get(release, {})
    found = re.search(_PREVIEW, str(row.get("tag", "")))
    return release if found is None else f"{release} ({found[1]})"


def known_releases(schemas: FilePath | None = None) -> Sequence[Release]:
    """Return the releases that dralint has types for: the shipped ones and those of `schemas`, in order."""
    return _shipped_releases() if schemas is None else ApiVersions(schemas=schemas).known


@cache
def _shipped_releases() -> tuple[Release, ...]:
    return tuple(ApiVersions().known)


_ASKED = {Release(1, 31): f"{GROUP}/v1alpha3", Release(1, 32): f"{GROUP}/v1beta1", Release(1, 33): f"{GROUP}/v1beta1"}
"""Source: pkg/kubelet/cm/dra of v1.31.14, v1.32.13 and v1.33.13. Later ones use the newest that the server has."""


def asked_for(kubelet: str | None) -> str | None:
    """Return the one API version in which a kubelet of that version reads claims; None where it can read several."""
    try:
        release = Release.parse(kubelet or "")
    except ValueError:
        return None
    return _ASKED.get(release)
