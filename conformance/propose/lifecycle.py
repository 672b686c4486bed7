"""Reads the announced ends of API versions from zz_generated.prerelease-lifecycle.go."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

_FUNCTION = re.compile(
    r"^func \(in \*(\w+)\) APILifecycle(Introduced|Deprecated|Removed)\(\)[^{]*\{\s*return (\d+), (\d+)", re.MULTILINE
)


class Life(NamedTuple):
    """When an API version of a kind was or will be introduced, deprecated and removed."""

    introduced: str | None = None
    deprecated: str | None = None
    removed: str | None = None


def lives(path: Path) -> dict[str, Life]:
    """Return the life of each kind in an API version; none for a version without announced ends."""
    found: dict[str, Life] = {}
    if path.is_file():
        for kind, event, major, minor in _FUNCTION.findall(path.read_text("utf-8")):
            if not kind.endswith("List"):
                found[kind] = found.get(kind, Life())._replace(**{event.lower(): f"{major}.{minor}"})
    return found
