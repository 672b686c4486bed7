"""Releases of Kubernetes, and ranges of them, as the tables write them."""

from __future__ import annotations

import re
from functools import cache

from dralint.records import NamedTuple

_RELEASE = re.compile(r"v?(\d{1,3})\.(\d{1,4})(?:\.\d+)?(?:[-+][0-9A-Za-z.+-]*)?\Z")
_PATCH = r"v?(\d{1,3})\.(\d{1,4})\.(\d+)(?:[-+][0-9A-Za-z.+-]*)?\Z"


class Release(NamedTuple):
    """A minor release such as 1.34; ordered by number."""

    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> Release:
        """Return the release that `1.34`, `v1.34`, `1.34.4` or `v1.34.4-gke.1` names; ValueError for anything else."""
        match = _RELEASE.match(text.strip())
        if match is None:
            raise ValueError(f"{text!r} is not a release of Kubernetes: write it as 1.34, v1.34 or 1.34.4")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


def patch_of(text: str) -> tuple[Release, int] | None:
    """Return the release and the patch that `1.34.2` or `v1.34.2-gke.1` names; None for a text without a patch."""
    match = re.match(_PATCH, text.strip())
    return None if match is None else (Release(int(match[1]), int(match[2])), int(match[3]))


LAST_CLASSIC = Release(1, 30)
"""The last release with the classic API; since 1.31 an entry of a Pod's resourceClaims has no `source`."""


class ReleaseRange:
    """Releases from `first` to `last`, both included; None leaves that side open."""

    __slots__ = ("first", "last")

    def __init__(self, first: Release | None, last: Release | None) -> None:
        self.first = first
        self.last = last

    @classmethod
    def parse(cls, text: str) -> ReleaseRange:
        """Return the range that `1.33..1.34`, `1.35..`, `..1.31`, `1.31` or `..` writes; ValueError otherwise."""
        first, dots, last = text.partition("..")
        low = Release.parse(first) if first else None
        if not dots:
            return cls(low, low)
        high = Release.parse(last) if last else None
        if low is not None and high is not None and high < low:
            raise ValueError(f"the range {text!r} ends before it begins")
        return cls(low, high)

    def __contains__(self, release: Release) -> bool:
        return (self.first is None or self.first <= release) and (self.last is None or release <= self.last)

    def __str__(self) -> str:
        if self.first == self.last and self.first is not None:
            return str(self.first)
        return f"{self.first or ''}..{self.last or ''}"


@cache
def in_range(text: str, release: Release) -> bool:
    """Say whether the release is in the range of `text`; ranges may be joined by commas."""
    return any(release in ReleaseRange.parse(part.strip()) for part in text.split(","))
