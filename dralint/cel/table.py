"""The facts of CEL that differ between releases: `tables/releases.toml`, and a JSON file of functions for each."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release, in_range

SHIPPED = Path(__file__).parent / "tables"


class UnknownDialectError(ValueError):
    """A release whose CEL is unknown; no other release judges in its place."""

    def __init__(self, release: str, known: tuple[str, ...]) -> None:
        super().__init__(
            f"the CEL of release {release} is not known to this version of dralint; known are those of "
            f"{', '.join(known)}"
        )
        self.release = release
        self.known = known


@cache
def facts(folder: Path = SHIPPED) -> dict[str, Any]:
    """Return the rows of `releases.toml`."""
    return tomllib.loads((folder / "releases.toml").read_text(encoding="utf-8"))


@cache
def releases(folder: Path = SHIPPED) -> tuple[str, ...]:
    """Return the releases whose CEL is known, oldest first."""
    return tuple(sorted(facts(folder)["releases"], key=Release.parse))


def later(release: str, folder: Path = SHIPPED) -> tuple[str, ...]:
    """Return the known releases after one of them, oldest first; a preview only counts if it is named."""
    known, previews = releases(folder), shipped.index()["releases"]["previews"]
    return tuple(name for name in known[known.index(release) + 1 :] if name not in previews)


def value(section: str, name: str, version: str, folder: Path = SHIPPED) -> Any:
    """Return the value of a row for a release (in `patterns`: for a version of Go); KeyError where no range has it."""
    row = facts(folder)[section][name]
    at = Release.parse(version)
    if isinstance(row, str):
        return in_range(row, at)
    for span, found in row.items():
        if in_range(span, at):
            return found
    raise KeyError(f"{section}.{name} says nothing of {version}")


@cache
def functions(release: str, folder: Path = SHIPPED) -> dict[str, Any]:
    """Return `functions`, `macros` and, by feature gate, `gated` functions. Raises UnknownDialectError."""
    known = releases(folder)
    if release not in known:
        raise UnknownDialectError(release, known)
    found: dict[str, Any] = json.loads((folder / f"{release}.json").read_text(encoding="utf-8"))
    return found
