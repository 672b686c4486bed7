"""Fields that become usable with a release: it has them, and no disabled feature gate removes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dralint.kubernetes import gates
from dralint.kubernetes.served import ApiVersions
from dralint.migrate import convert
from dralint.migrate.version_differences import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.kubernetes.release import Release
    from dralint.kubernetes.types import Shape
    from dralint.yaml import Path

_DEEPEST = 16
_PLAIN_ONCE = ("capacity", "*")
"""A plain quantity in v1alpha3 that has its `value` since then: nothing new to use."""


@dataclass(frozen=True, slots=True)
class Usable:
    """A field as the best API version of the last release spells it, and the first release in which it is usable."""

    kind: str
    path: str
    release: Release


def usable_fields(kinds: Sequence[str], steps: Sequence[Release], chosen: Mapping[str, bool]) -> list[Usable]:
    """Return the fields of kinds of resource.k8s.io that the last of the releases has, and the first does not.

    `chosen` are the switched feature gates. The fields below a new field are left out, and so is a kind that the first
    release does not serve.
    """
    out: list[Usable] = []
    for kind in kinds:
        rows = [_fields(kind, release, chosen) for release in steps]
        if not rows[0] or not rows[-1]:
            continue
        new = {path for path in rows[-1] if path not in rows[0]}
        for path in sorted(new, key=_text):
            if any(path[:length] in new for length in range(1, len(path))):
                continue
            since = next(number for number in range(len(steps)) if all(path in row for row in rows[number:]))
            out.append(Usable(kind, _text(path), steps[since]))
    return out


def _fields(kind: str, release: Release, chosen: Mapping[str, bool]) -> set[Path]:
    """Return the usable fields of a release in the spelling of the newest API version; none for a missing kind."""
    versions = [version for version in ApiVersions().versions(kind, release) if version in VERSIONS]
    if not versions:
        return set()
    gone = gates.dropped_fields(release, gates.enabled(release, chosen))
    return {convert.respelled(path, kind, VERSIONS[-1]) for path in _walk(kind, release, versions[0], gone)}


def _walk(kind: str, release: Release, version: str, gone: Mapping[tuple[str, str], str]) -> Iterator[Path]:
    types = convert.types_of(str(release), version)
    whole = types[kind]
    todo: list[tuple[Path, Shape]] = [((key,), whole.fields[key]) for key in ("spec", "status") if key in whole.fields]
    while todo:
        path, shape = todo.pop()
        while shape.shape in ("list", "map") and shape.of is not None:
            path, shape = (*path, 0 if shape.shape == "list" else "*"), shape.of
        struct = types.get(shape.type) if shape.shape == "struct" else None
        if struct is None or len(path) > _DEEPEST:
            continue
        for key, inner in struct.fields.items():
            if path[-2:] == _PLAIN_ONCE and key == "value":
                continue
            if (struct.name, key) not in gone:
                yield (*path, key)
                todo.append(((*path, key), inner))


def _text(path: Path) -> str:
    """Return a path with `[]` for the items of lists and the entries of maps."""
    return "".join("[]" if step in (0, "*") else f".{step}" for step in path).lstrip(".")
