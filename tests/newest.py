"""The newest release that dralint knows; tests use it, so that a new release breaks none."""

from __future__ import annotations

from dralint.kubernetes.served import known_releases
from dralint.report.words import release_spans

NEWEST = str(known_releases()[-1])


def since(release: str) -> str:
    """Return the releases from this one on as reports name them: `1.34 to 1.37`, or one alone."""
    releases = list(map(str, known_releases()))
    return release_spans(releases[releases.index(release) :])
