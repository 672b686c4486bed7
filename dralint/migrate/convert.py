"""Converts plain data of an object to another API version, and finds the fields that it would lose."""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal

from dralint.edit.repairs import make
from dralint.finding.problem import Change, at, copied, dict_of
from dralint.kubernetes import shipped
from dralint.kubernetes.near import near
from dralint.kubernetes.served import known_releases
from dralint.kubernetes.types import field_at, typed_values
from dralint.kubernetes.workloads import GROUP, ITEMS, VALUES
from dralint.manifest.pod_parts import matches
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.kubernetes.release import Release
    from dralint.kubernetes.types import Struct
    from dralint.kubernetes.workloads import Pattern
    from dralint.yaml import Path


V1ALPHA3: Final = f"{GROUP}/v1alpha3"
V1BETA1: Final = f"{GROUP}/v1beta1"
V1BETA2: Final = f"{GROUP}/v1beta2"
V1: Final = f"{GROUP}/v1"
VERSIONS: Final = (V1ALPHA3, V1BETA1, V1BETA2, V1)
"""The API versions that can be converted to each other, oldest first."""


def short(version: str) -> str:
    """Return an API version without its group."""
    return version.rpartition("/")[2]


Way = Literal["wrap", "unwrap", "nest"]


class Move(NamedTuple):
    """A difference between an API version and the next one, described as a change to the newer one.

    `wrap`: the entries of the mappings at `path`, except for those in `beside`, move below the key `key`; `unwrap`:
    they are below it and move out; `nest`: the value at `path` becomes the only entry `key` of a mapping. `inner` is
    the type of the value below the key.
    """

    older: str
    kind: str
    path: Pattern
    way: Way
    key: str
    beside: frozenset[str] = frozenset()
    inner: str = ""


_REQUEST_BESIDE = frozenset({"name", "firstAvailable"})
_EXACT = "ExactDeviceRequest"
_REQUESTS = ("devices", "requests", ITEMS)

MOVES: Final = (
    Move(V1ALPHA3, "ResourceSlice", ("spec", "devices", ITEMS, "basic", "capacity", VALUES), "nest", "value"),
    Move(V1BETA1, "ResourceClaim", ("spec", *_REQUESTS), "wrap", "exactly", _REQUEST_BESIDE, _EXACT),
    Move(V1BETA1, "ResourceClaimTemplate", ("spec", "spec", *_REQUESTS), "wrap", "exactly", _REQUEST_BESIDE, _EXACT),
    Move(V1BETA1, "ResourceSlice", ("spec", "devices", ITEMS), "unwrap", "basic", frozenset({"name"}), "BasicDevice"),
)
"""All differences in shape. v1beta2 and v1 have none."""

UNSET_SLICE: Final = {"nodeName": "", "allNodes": False}
"""Values in the spec of a ResourceSlice without a meaning up to v1beta1, and with one since v1beta2."""

UNSET_REQUEST: Final = {"deviceClassName": "", "allocationMode": "", "count": 0}
"""Values that do not count as own fields of a flat request with `firstAvailable`."""


class ConflictError(Exception):
    """An object has another shape than its API version, or two at once; `path` is the place, `hint` what to write."""

    def __init__(self, path: Path, message: str, hint: str) -> None:
        super().__init__(message)
        self.path = path
        self.hint = hint


Conversion = tuple[Change, ...]
"""The changes that move one part of an object, such as a request."""


def stepwise(data: Any, kind: str, source: str, target: str) -> Iterator[tuple[list[Conversion], Any]]:
    """Yield the changes of an object from an API version to the next one on the way, and its data after them."""
    first, last = VERSIONS.index(source), VERSIONS.index(target)
    by = 1 if first < last else -1
    for number in range(first, last, by):
        made = changes(data, kind, VERSIONS[number], VERSIONS[number + by])
        data = changed(data, made)
        yield made, data


def changes(data: Any, kind: str, source: str, target: str) -> list[Conversion]:
    """Return the changes of one step in an object; ConflictError if it mixes the shapes of both API versions."""
    up = VERSIONS.index(source) < VERSIONS.index(target)
    older = source if up else target
    out: list[Conversion] = []
    if up and (older, kind) == (V1BETA1, "ResourceSlice"):
        spec = dict_of(at(data, ("spec",)))
        out += [(Change("remove", ("spec", key)),) for key, zero in UNSET_SLICE.items() if spec.get(key) == zero]
    for move in MOVES:
        if (move.older, move.kind) == (older, kind):
            for path in matches(data, move.path):
                out += _moved(move, path, at(data, path), up=up)
    return out


def _moved(move: Move, path: Path, value: Any, *, up: bool) -> list[Conversion]:
    if move.way == "nest":
        return _nested(move, path, value, up=up)
    if not isinstance(value, dict):
        return []
    inner = value.get(move.key)
    if up == (move.way == "wrap"):
        stay = move.beside.union(key for key in value if key != move.key and not _goes_inside(move, key))
        return _wrapped(move, path, value, stay)
    outside = [key for key in value if key not in move.beside and key != move.key]
    if move.key not in value or not (inner is None or isinstance(inner, dict)):
        return []
    taken = sorted(set(inner) & set(value) if isinstance(inner, dict) else ())
    if taken or (outside and inner):
        raise _two_shapes(move, path, (taken or outside)[0])
    return [unwrapped((*path, move.key), inner)]


def _goes_inside(move: Move, key: str) -> bool:
    """Say whether a field, even a misspelt one, belongs below the key of a move; unknown ones stay."""
    if key in move.beside:
        return False
    known = _fields_inside(move)
    return key in known or known.issuperset(near(key, (*known, *move.beside)) or [key])


@cache
def _fields_inside(move: Move) -> frozenset[str]:
    version = VERSIONS[VERSIONS.index(move.older) + (move.way == "wrap")]
    releases = shipped.index()["releases"]["releases"]
    served = [release for release in releases if (version, move.kind) in shipped.served(release)]
    return frozenset(name for release in served for name in shipped.structs_of(release, version)[move.inner].fields)


def _wrapped(move: Move, path: Path, value: dict[str, Any], stay: frozenset[str]) -> list[Conversion]:
    outside = [key for key in value if key not in stay and key != move.key]
    if move.key in value:
        if outside:
            raise _two_shapes(move, path, outside[0])
        return []
    if move.key == "exactly" and all(_is_unset(value[key], UNSET_REQUEST.get(key)) for key in outside):
        return [(Change("remove", (*path, key)),) for key in outside]
    if outside:
        return [tuple(Change("move", (*path, key), to=(*path, move.key, key)) for key in outside)]
    # An API version with the key requires it in some release, even if it is empty.
    return [(Change("insert", (*path, move.key), {}),)] if move.way == "unwrap" and value else []


def unwrapped(path: Path, value: dict[str, Any] | None) -> Conversion:
    """Return the changes that put the entries of a mapping in its place."""
    moves = (Change("move", (*path, key), to=(*path[:-1], key)) for key in value or ())
    return *moves, Change("remove", path)


def _two_shapes(move: Move, path: Path, other: str) -> ConflictError:
    message = f"`{move.key}` stands next to `{other}`, which no API version allows"
    return ConflictError((*path, move.key), message, "remove one of the two")


def _nested(move: Move, path: Path, value: Any, *, up: bool) -> list[Conversion]:
    if up:
        return [(Change("replace", path, {move.key: value}),)] if isinstance(value, str | int | float) else []
    if not isinstance(value, dict) or value.keys() - {move.key}:
        return []
    return [(Change("replace", path, value.get(move.key, "0")),)]


def _is_unset(value: Any, zero: Any) -> bool:
    return value is None or (zero is not None and type(value) is type(zero) and value == zero)


def changed(data: Any, made: list[Conversion]) -> Any:
    """Return the data with the changes made; the original does not change, and shares the rest with it."""
    outcome = [data]
    for change in chain(*made):
        copied(outcome, data, change.path[:-1])
        make(outcome[0], (), change)
    return outcome[0]


def object(  # noqa: A001 - convert.object is what callers read
    data: dict[str, Any], source: str, target: str, *, kind: str | None = None, releases: Sequence[Release] = ()
) -> tuple[dict[str, Any], list[Path]]:
    """Return an object in another API version, and the fields that it loses there.

    Args:
        data: the object; it does not change, and the result shares its unchanged parts.
        source: the API version that it is written in, one of `VERSIONS`.
        target: the API version to write it in, another of them.
        kind: its kind; None for its own `kind`.
        releases: those whose types decide the fields of the target; by default the newest that serves the kind there.

    Returns:
        The data (lost fields still in it), and the paths of lost fields as the object writes them. A field that the
        source does not have either is not lost.

    Raises:
        ConflictError: the object has another shape than its API version, which the target does not have either, or
            mixes two shapes.
        ValueError: an API version that is not in `VERSIONS`.
    """
    kind = str(data.get("kind")) if kind is None else kind
    out = [data, *(after for _, after in stepwise(data, kind, source, target))][-1]
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
        for path in unknown(data, kind, shipped.structs_of(str(release), target)):
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
    return any(has_field(release, version, kind, path) for release in serving(version, kind))


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
        and all(step in (ITEMS, here) for step, here in zip(move.path, path, strict=False))
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
def serving(api_version: str, kind: str) -> tuple[Release, ...]:
    """Return the releases that serve a kind in an API version, newest first."""
    return tuple(r for r in reversed(known_releases()) if (api_version, kind) in shipped.served(str(r)))


def reachable(kind: str, source: str, target: str) -> bool:
    """Say whether an object may get another API version: a newer one, or one that a release serves together with its
    own."""
    if VERSIONS.index(target) > VERSIONS.index(source):
        return True
    serving_target = serving(target, kind)
    return not serving_target or any((source, kind) in shipped.served(str(release)) for release in serving_target)


def newest(api_version: str, kind: str) -> tuple[Release, ...]:
    """Return the newest release that serves a kind in an API version, in a list; empty when none does."""
    return serving(api_version, kind)[:1]


def unknown(data: dict[str, Any], kind: str, types: Mapping[str, Struct]) -> Iterator[Path]:
    """Yield the paths of fields in spec and status that the types of an API version do not have."""
    whole = types.get(kind)
    known = {key: data[key] for key in ("spec", "status") if whole is not None and key in data and key in whole.fields}
    for path, value, field in typed_values(types, kind, known):
        if field is None:
            yield path
        elif field.shape.shape == "quantity" and isinstance(value, dict):
            yield from ((*path, key) for key in value if key != "value")


def has_field(release: Release, api_version: str, kind: str, path: Path) -> bool:
    """Say whether a kind has a field in an API version of a release."""
    return field_at(shipped.structs_of(str(release), api_version), kind, path) is not None


def respelled(path: Path, kind: str, api_version: str) -> Path:
    """Return the path of a field, in the spelling of any API version, in the spelling of the given one."""
    for move in MOVES:
        length = len(move.path)
        if move.kind != kind or move.way == "nest" or len(path) <= length:
            continue
        if any(step not in (ITEMS, here) for step, here in zip(move.path, path, strict=False)):
            continue
        head, rest = path[:length], path[length:]
        if rest[0] == move.key:
            rest = rest[1:]
        newer = VERSIONS.index(api_version) > VERSIONS.index(move.older)
        if rest and rest[0] not in move.beside and newer == (move.way == "wrap"):
            rest = (move.key, *rest)
        path = (*head, *rest) if rest else (*head, move.key)
    return path
