"""What releases serve: why an apiVersion or kind is refused, deprecated, gone, or must be enabled first."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import Problem
from dralint.finding.words import quoted
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release, in_range
from dralint.kubernetes.workloads import GROUP, POD_SPECS
from dralint.manifest.groups import is_ours, is_own, nearly_ours

if TYPE_CHECKING:
    from pathlib import Path as FilePath

    from dralint.manifest.objects import ApiObject

NOT_A_MANIFEST, UNKNOWN_KIND = "DRA012", "DRA106"
NOT_SERVED, DEPRECATED, REMOVED, MUST_BE_ENABLED = "DRA501", "DRA503", "DRA504", "DRA505"
_SUCCESSORS = {
    "ResourceClass": "DeviceClass",
    "PodScheduling": "PodSchedulingContext",
    "ResourceClaimParameters": "the opaque configuration of a ResourceClaim",
    "ResourceClassParameters": "the opaque configuration of a DeviceClass",
}


class ApiVersions:
    """What each known release serves of resource.k8s.io.

    Args:
        index: a compiled catalogue other than the shipped one.
        schemas: a folder of further releases that `schema generate` has written.

    Raises ValueError for a file of that folder which is damaged, or not named after a release.
    """

    def __init__(self, index: FilePath | None = None, schemas: FilePath | None = None) -> None:
        self._table: dict[str, Any] = shipped.index(index)["releases"]
        self._schemas = schemas
        names = set(self._table["releases"])
        if schemas is not None and (schemas / "upstream").is_dir():
            added = {file.stem for file in (schemas / "upstream").glob("*.json")}
            for name in sorted(added):
                shipped.served(name, schemas)  # a damaged file is told at once, not at the first object of that release
            names |= added
        self.known = sorted(Release.parse(name) for name in names)

    def served(self, release: Release) -> frozenset[tuple[str, str]]:
        """Return the (apiVersion, kind) pairs that a release serves."""
        return shipped.served(str(release), self._schemas)

    def newest_serving(self, api_version: str, kind: str) -> Release | None:
        """Return the newest release that serves an API version and kind, None when none does."""
        return next((r for r in reversed(self.known) if (api_version, kind) in self.served(r)), None)

    def default(self, release: Release) -> list[str]:
        """Return the API versions that the release, or else the newest that the table knows, serves by default."""
        rows: dict[str, Any] = self._table["releases"]
        row = rows.get(str(release)) or rows[max(rows, key=Release.parse)]
        versions: list[str] = row["default"]
        return versions

    def versions(self, kind: str, release: Release) -> list[str]:
        """Return the API versions in which a release serves a kind, the one to prefer first."""
        return sorted((v for v, k in self.served(release) if k == kind and v.startswith(GROUP)), key=_preference)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of resource.k8s.io, with those that the newest release no longer has."""
        now = {kind for version, kind in self.served(self.known[-1]) if version.startswith(GROUP)}
        return frozenset({*now, *_SUCCESSORS, "PodSchedulingContext"})

    def ours(self, item: ApiObject) -> bool:
        """Say whether the object can only be meant as one of resource.k8s.io, whatever its apiVersion says."""
        if is_ours(item.api_version):
            return True
        wrong = not item.api_version or is_own(item.group) or nearly_ours(item.group)
        return wrong and item.kind in self.kinds

    def _serving(self, kind: str) -> list[Release]:
        return [r for r in self.known if any(k == kind and is_ours(v) for v, k in self.served(r))]

    def refusal(self, item: ApiObject, release: Release, *, chosen: bool) -> Problem:
        """Return why the release does not take the object's apiVersion and kind.

        Args:
            chosen: whether the user has chosen the release (otherwise it is the newest).
        """
        kinds = sorted({kind for version, kind in self.served(release) if version.startswith(GROUP)})
        listing = f"kinds of {release}: {', '.join(kinds)}"
        versions = self.versions(item.kind, release)
        if not item.kind:
            return Problem(NOT_A_MANIFEST, ("kind",), "`kind` is missing", "Required", f"one of {', '.join(kinds)}")
        if not item.api_version:
            hint = f"for {item.kind} write apiVersion: {versions[0]}" if versions else None
            return Problem(NOT_A_MANIFEST, ("apiVersion",), "`apiVersion` is missing", "Required", hint)
        serving = [] if versions else self._serving(item.kind)
        shown = _shown(item.api_version)
        if serving and not is_ours(item.api_version):
            versions = self.versions(item.kind, serving[-1])  # the wrong group comes first
        if versions:
            elsewhere = chosen and self.newest_serving(item.api_version, item.kind) is not None
            hint = _way_out(item, versions, release, elsewhere=elsewhere)
            message = f"{item.kind} is not served in {shown}"
            return Problem(NOT_SERVED, ("apiVersion",), message, "NotServed", hint)
        home = next((version for version, kind in POD_SPECS if kind == item.kind), None)
        if home is not None:
            old = item.group != GROUP  # it may have been one before the releases known here
            message = f"{item.kind} is not {'served in' if old else 'a kind of'} {shown}"
            rule = NOT_SERVED if old else UNKNOWN_KIND
            return Problem(rule, ("apiVersion",), message, "NotServed", f"write apiVersion: {home}")
        if serving:
            span = f"{serving[0]} to {serving[-1]}" if len(serving) > 1 else f"{serving[0]}"
            named = sorted({v for r in serving for v in self.versions(item.kind, r)}, key=_preference)
            message = (
                f"{item.kind} is not served; {span} serve{'' if len(serving) > 1 else 's'} it, in {', '.join(named)}"
            )
            successor = _SUCCESSORS.get(item.kind)
            hint = f"its place has been taken by {successor}" if successor and serving[-1] < release else listing
            return Problem(NOT_SERVED, ("kind",), message, "NotServed", hint)
        import difflib  # only where there is something to suggest

        close = difflib.get_close_matches(item.kind.lower(), [kind.lower() for kind in kinds], n=1, cutoff=0.7)
        if close:
            right = next(kind for kind in kinds if kind.lower() == close[0])
            message = f'unknown kind "{item.kind}" in {shown}'
            return Problem(UNKNOWN_KIND, ("kind",), message, "NotServed", f'did you mean "{right}"?')
        message = f'no release serves kind "{item.kind}" in {shown}'
        return Problem(UNKNOWN_KIND, ("kind",), message, "NotServed", listing)

    def removed(self, item: ApiObject, last: Release) -> Problem:
        """Return that releases after `last` no longer serve the object, which was therefore judged by that one."""
        newest = self.known[-1]
        now = self.versions(item.kind, newest)
        message = f"{item.api_version} {item.kind} is served up to {last} only; it was judged by that release"
        successor = _SUCCESSORS.get(item.kind)
        gone = f"its place has been taken by {successor}" if successor else f"{newest} has no such kind"
        hint = f"{newest} serves {item.kind} in {', '.join(now)}" if now else gone
        return Problem(REMOVED, ("apiVersion",), message, None, hint)

    def lifecycle(self, item: ApiObject, release: Release) -> list[Problem]:
        """Return what is to be said of a served API version: its announced end, or that it must be enabled."""
        row = self._table["lifecycle"].get(item.api_version, {})
        span = row.get(item.kind) or row.get("*")
        if span is not None and in_range(f"{span[0]}..", release):
            better = [v for v in self.versions(item.kind, release) if v != item.api_version]
            message = f"{item.api_version} {item.kind} is deprecated since {span[0]} and no longer served in {span[1]}"
            return [Problem(DEPRECATED, ("apiVersion",), message, None, f"use {better[0]}" if better else None)]
        if item.api_version in self.default(release):
            return []
        message = f"{item.api_version} is only served where the administrator has enabled it"
        hint = f"the API server needs --runtime-config={item.api_version}=true"
        return [Problem(MUST_BE_ENABLED, ("apiVersion",), message, None, hint)]


def _way_out(item: ApiObject, versions: list[str], release: Release, *, elsewhere: bool) -> str:
    """Return what to write instead of an API version that the release does not serve the kind in."""
    clean = "".join(item.api_version.split())
    if clean != item.api_version and clean in versions:
        alone = item.api_version.replace(" ", "", 1) == clean
        return "remove the space" if alone else "remove the white space"
    same = f"{GROUP}/{clean.rpartition('/')[2]}"
    best = same if same in versions else versions[0]
    if nearly_ours(item.group) and item.group != GROUP:
        return f'did you mean "{best}"?'
    if item.group != GROUP:
        return f"write apiVersion: {best}"
    other = ", or judge by a release that serves this one: --kubernetes-version" if elsewhere else ""
    return f"use {best}{other} ({release} serves it in {', '.join(versions)})"


def _shown(api_version: str) -> str:
    plain = api_version.isprintable() and not any(char.isspace() for char in api_version) and len(api_version) < 60
    return api_version if plain else quoted(api_version)


def _preference(version: str) -> tuple[int, str]:
    """Sort stable versions before beta before alpha, newer ones first."""
    name = version.rpartition("/")[2]
    rank = 2 if "alpha" in name else 1 if "beta" in name else 0
    return rank, "".join(chr(255 - ord(char)) for char in name)
