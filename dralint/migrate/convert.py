"""Converts plain data of an object to another API version, and finds the fields that it would lose."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from dralint.finding.path import at
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.kubernetes.types import structs
from dralint.migrate.changes import ConflictError, changed, changes, steps
from dralint.migrate.version_differences import EACH, MOVES, VERSIONS, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.kubernetes.types import Shape, Struct
    from dralint.yaml import Path


def object(  # noqa: A001 - convert.object is what callers read
    data: dict[str, Any], source: str, target: str, *, kind: str | None = None, releases: Sequence[Release] = ()
) -> tuple[dict[str, Any], list[Path]]:
    """Return an object in another API version, and the fields that it loses there.

    Args:
        data: the object; it does not change, and the result shares its unchanged parts.
        source: the API version that it is written in, one of `moves.VERSIONS`.
        target: the API version to write it in, another of them.
        kind: its kind; None for its own `kind`.
        releases: those whose types decide the fields of the target; by default the newest that serves the kind there.

    Returns:
        The data (lost fields still in it), and the paths of lost fields as the object writes them. A field that the
        source does not have either is not lost.

    Raises:
        ConflictError: the object has another shape than its API version, which the target does not have either, or
            mixes two shapes.
        ValueError: an API version that is not in `moves.VERSIONS`.
    """
    kind = str(data.get("kind")) if kind is None else kind
    out = data
    for one, other in steps(source, target):
        out = changed(out, changes(out, kind, one, other))
    if "apiVersion" in out:
        out = {**out, "apiVersion": target}
    if source == target and not releases:
        return out, []
    return out, _lost(out, data, kind, source, target, releases)


def _lost(
    data: dict[str, Any], before: dict[str, Any], kind: str, source: str, target: str, releases: Sequence[Release]
) -> list[Path]:
    """Return the fields of a converted object that the target does not have and the source has, as in the source.

    ConflictError if a field is in a place where only another API version has it.
    """
    found: dict[Path, None] = {}
    for release in releases or newest(target, kind):
        for path in unknown(data, kind, types_of(str(release), target)):
            spelled = respelled(path, kind, source)
            if _stands(before, path) and not _has(source, kind, path):
                there = [version for version in VERSIONS if _has(version, kind, path)]
                if there and (spelled != path or _is_step(path, kind)):
                    ways = [version for version in there if reachable(kind, source, version)]
                    raise _other_shape(path, spelled, source, there, ways)
            elif spelled not in found and _has(source, kind, spelled):
                found[spelled] = None
    return list(found)


def _has(version: str, kind: str, path: Path) -> bool:
    return any(has_field(types_of(str(release), version), kind, path) for release in serving(version, kind))


def _stands(data: Any, path: Path) -> bool:
    inner = at(data, path[:-1])
    return isinstance(inner, dict) and path[-1] in inner


def _is_step(path: Path, kind: str) -> bool:
    """Say whether the field is one that only some API versions put around others."""
    return any(
        move.kind == kind
        and move.way != "nest"
        and path[-1] == move.key
        and len(path) == len(move.path) + 1
        and all(step in (EACH, here) for step, here in zip(move.path, path, strict=False))
        for move in MOVES
    )


def _other_shape(path: Path, spelled: Path, source: str, there: list[str], ways: list[str]) -> ConflictError:
    """Return the error for a field in the place of other API versions; `ways` are those that dralint can migrate to.

    `spelled` is its place in the object's own API version.
    """
    name, own = path[-1], short(source)
    names = " and ".join(map(short, there))
    if spelled == path:
        message = f"`{name}` is here as in {names}: in {own} its fields are one level up"
        first = f"move the fields under `{name}:` one level up"
    else:
        message = f"`{name}` is here as in {names}: in {own} it belongs under `{spelled[-2]}:`"
        first = f"move such fields one level deeper, under `{spelled[-2]}:`"
    hint = f"{first}, or migrate to an API version that has it here: {', '.join(map(short, ways))}" if ways else first
    return ConflictError(path, message, hint)


@cache
def known() -> tuple[Release, ...]:
    """Return the releases that dralint has types for, oldest first."""
    return tuple(sorted(Release.parse(name) for name in shipped.index()["releases"]["releases"]))


@cache
def serving(api_version: str, kind: str) -> tuple[Release, ...]:
    """Return the releases that serve a kind in an API version, newest first."""
    return tuple(r for r in reversed(known()) if (api_version, kind) in shipped.served(str(r)))


def reachable(kind: str, source: str, target: str) -> bool:
    """Say whether an object may get another API version: a newer one, or one that a release serves together with its
    own."""
    if VERSIONS.index(target) > VERSIONS.index(source):
        return True
    serving_target = serving(target, kind)
    return not serving_target or any((source, kind) in shipped.served(str(release)) for release in serving_target)


def newest(api_version: str, kind: str) -> tuple[Release, ...]:
    """Return the newest release that serves a kind in an API version, in a list; empty when none does."""
    return next(((r,) for r in reversed(known()) if (api_version, kind) in shipped.served(str(r))), ())


@cache
def types_of(release: str, api_version: str) -> Mapping[str, Struct]:
    """Return the types of an API version in a release, by short name; none where the release does not serve it."""
    return structs(shipped.openapi(release)["schemas"].get(api_version, {}))


def unknown(data: dict[str, Any], kind: str, types: Mapping[str, Struct]) -> Iterator[Path]:
    """Yield the paths of fields in spec and status that the types of an API version do not have."""
    whole = types.get(kind)
    todo: list[tuple[Any, Shape, Path]] = [
        (data[key], whole.fields[key], (key,))
        for key in ("spec", "status")
        if whole is not None and key in data and key in whole.fields
    ]
    while todo:
        value, shape, path = todo.pop()
        if isinstance(value, list):
            if shape.shape == "list" and shape.of is not None:
                todo.extend((item, shape.of, (*path, position)) for position, item in enumerate(value))
        elif not isinstance(value, dict):
            continue
        elif shape.shape == "map" and shape.of is not None:
            todo.extend((entry, shape.of, (*path, key)) for key, entry in value.items())
        elif shape.shape == "struct":
            struct = types.get(shape.type)
            for key, entry in value.items() if struct is not None else ():
                assert struct is not None
                if key in struct.fields:
                    todo.append((entry, struct.fields[key], (*path, key)))
                else:
                    yield (*path, key)
        elif shape.shape == "quantity":
            yield from ((*path, key) for key in value if key != "value")


def has_field(types: Mapping[str, Struct], kind: str, path: Path) -> bool:
    """Say whether the types of an API version have the field that the path leads to."""
    struct = types.get(kind)
    shape: Shape | None = None
    for position, step in enumerate(path):
        if position == 0 or (shape is not None and shape.shape == "struct"):
            struct = types.get(kind) if position == 0 else types.get(shape.type) if shape is not None else None
            if struct is None or step not in struct.fields:
                return False
            shape = struct.fields[str(step)]
        elif shape is not None and shape.shape in ("list", "map") and shape.of is not None:
            shape = shape.of
        else:
            return False
    return True


def respelled(path: Path, kind: str, api_version: str) -> Path:
    """Return the path of a field, in the spelling of any API version, in the spelling of the given one."""
    for move in MOVES:
        length = len(move.path)
        if move.kind != kind or move.way == "nest" or len(path) <= length:
            continue
        if any(step is not EACH and step != here for step, here in zip(move.path, path, strict=False)):
            continue
        head, rest = path[:length], path[length:]
        if rest[0] == move.key:
            rest = rest[1:]
        newer = VERSIONS.index(api_version) > VERSIONS.index(move.older)
        if rest and rest[0] not in move.beside and newer == (move.way == "wrap"):
            rest = (move.key, *rest)
        path = (*head, *rest) if rest else (*head, move.key)
    return path
