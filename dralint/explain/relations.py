"""The limits on several fields together: how many entries they may have, and which of them may be set."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.kubernetes.shipped import UNION, resolve
from dralint.kubernetes.types import structs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

_LEADS = (("oneOf", "exactly one of"), ("anyOf", "at least one of"))


class Relation(NamedTuple):
    """A limit that a rule is about, in words, and the releases in which it holds, in order."""

    text: str
    releases: tuple[str, ...]


def totals(owner: str, name: str, release: Release, index: Path | None = None) -> Iterator[str]:
    """Yield how many entries a field of a type may have together with others."""
    for row in shipped.index(index)["totals"].values():
        counts = shipped.same_as(owner) == row["type"] and name in (row["field"], *row.get("also", ()))
        most = (resolve(row, release) or {}).get("most") if counts else None
        if most is not None:
            yield f"at most {most:,} {row['what']}"


def unions(type_: str, having: Collection[str], release: Release, index: Path | None = None) -> Iterator[str]:
    """Yield which fields `having` of a type exclude each other; skip a type that lacks one of them."""
    row = resolve(shipped.index(index)["limits"].get(type_, {}).get(UNION, {}), release) or {}
    for keyword, lead in _LEADS:
        members = row.get(keyword, ())
        if len(members) > 1 and set(members) <= set(having):
            yield f"{lead} {', '.join(members)}"


def of_rule(rule: str, index: Path | None = None) -> list[Relation]:
    """Return the limits of several fields together that a rule is about; of one that changes, the newest first."""
    catalogue = shipped.index(index)
    found: dict[str, list[str]] = {}
    known = sorted(map(Release.parse, catalogue["releases"]["releases"]), reverse=True)
    for row in catalogue["totals"].values():
        for release in known if row["rule"] == rule else ():
            there = {name for types in _types(release) for name in (types.get(row["type"]) or {})}
            most = (resolve(row, release) or {}).get("most")
            if most is not None and row["field"] in there:
                found.setdefault(f"at most {most:,} {row['what']}", []).append(str(release))
    for type_, rows in catalogue["limits"].items():
        for release in known if rows.get(UNION, {}).get("rule") == rule else ():
            for having in filter(None, (types.get(type_) for types in _types(release))):
                for text in unions(type_, having, release, index):
                    releases = found.setdefault(f"in a {type_}: {text}", [])
                    if str(release) not in releases:
                        releases.append(str(release))
    return [Relation(text, tuple(reversed(releases))) for text, releases in found.items()]


def _types(release: Release) -> Iterator[dict[str, frozenset[str]]]:
    """Yield the fields of all types, for each API version that a release serves; types have their table names."""
    for schemas in shipped.openapi(str(release))["schemas"].values():
        out: dict[str, frozenset[str]] = {}
        for name, struct in structs(schemas).items():
            for called in {name, shipped.same_as(name)}:
                out[called] = out.get(called, frozenset()) | struct.fields.keys()
        yield out
