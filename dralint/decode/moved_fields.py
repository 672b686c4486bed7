"""Fields that a type does not have because the version has them elsewhere: one row each.

Source: the types of k8s.io/api v0.30.14 to v0.37.0 (resource, core, batch).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.decode.decoder import DISPLACED, FLAT_REQUEST, UNKNOWN_FIELD
from dralint.finding.repair import Change, Repair, replaced
from dralint.finding.words import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dralint.kubernetes.types import Struct
    from dralint.yaml import Json

Words = tuple[str, str, "str | None", "Repair | None"]
"""Rule, message and hint for a field that a type does not have, and the repair where there is one."""


class Place(NamedTuple):
    """Where such a field stands.

    Attributes:
        types: the types of the API version.
        struct: the type that lacks the field.
        key: the field; path: the way to it; beside: the mapping that has it.
    """

    types: Mapping[str, Struct]
    struct: Struct
    key: str
    path: tuple[str | int, ...]
    beside: Mapping[str, object]


_Way = tuple[str, "Repair | None"]
"""The hint and the repair."""


class _Row(NamedTuple):
    """Fields of one type that stand elsewhere.

    Attributes:
        type: the type that lacks them; keys: which they are, or the one type whose fields they are.
        has: a field that the type has in the API versions that the row is for; empty where it is for all.
        rule: what is reported; text: what follows `unknown field "KEY"`.
        way: gives hint and repair; None where the field is something else after all.
    """

    type: str
    keys: tuple[str, ...] | str
    has: str
    rule: str
    text: str
    way: Callable[[Place], _Way | None]


def elsewhere(place: Place, version: str) -> Words | None:
    """Return the words for a field that a row knows, None where none does.

    Args:
        version: the API version without its group.
    """
    struct, key = place.struct, place.key
    for row in _ROWS.get(struct.name, ()):
        if row.has and row.has not in struct.fields:
            continue
        keys = place.types[row.keys].fields if isinstance(row.keys, str) else row.keys
        if row.keys != _ANY and key not in keys:
            continue
        way = row.way(place)
        if way is not None:
            return row.rule, f'unknown field "{key}"{row.text.format(version=version)}', *way
    return None


def moved(path: tuple[str | int, ...], beside: Mapping[str, object], way: tuple[str, ...]) -> Repair | None:
    """Return the repair that moves a field further down; None where something stands there, or in the way."""
    value: object = beside
    for name in way:
        if not isinstance(value, dict):
            return None
        if name not in value:
            return Repair((Change("move", path, to=(*path[:-1], *way)),), safe=True)
        value = value[name]
    return None


def has(value: object, names: list[str]) -> bool:
    """Say whether something other than null lies at the end of the names."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value is not None


def _told(hint: str) -> Callable[[Place], _Way]:
    """The author alone can tell what belongs there."""
    return lambda _: (hint, None)


def _lifted(hint: str) -> Callable[[Place], _Way]:
    """What stands below the field takes its place, where all of it has one there."""

    def way(place: Place) -> _Way:
        _, struct, key, path, beside = place
        inner = beside[key]
        if (
            not isinstance(inner, dict)
            or not inner
            or any(name in beside or name not in struct.fields for name in inner)
        ):
            return hint, None
        moves = [Change("move", (*path, name), to=(*path[:-1], name)) for name in inner]
        return hint, Repair((*moves, Change("remove", path)), safe=True)

    return way


def _under(parent: str, hint: str) -> Callable[[Place], _Way]:
    """The field goes below another one."""

    def way(place: Place) -> _Way:
        return hint.format(key=place.key), moved(place.path, place.beside, (parent, place.key))

    return way


def _anew(place: Place) -> _Way:
    """A claim of the classic API has to be written anew."""
    flat = "exactly" not in place.types["DeviceRequest"].fields
    request = "{name: NAME, deviceClassName: CLASS}" if flat else "{name: NAME, exactly: {deviceClassName: CLASS}}"
    return f"write the claim anew: `devices: {{requests: [{request}]}}`; parameters go to `devices.config`", None


def _terms(place: Place) -> _Way | None:
    """Labels become the terms of a node selector; None where there is more than labels."""
    _, struct, _, path, beside = place
    labels: Mapping[str, object] = beside
    if list(beside) == ["matchLabels"] and isinstance(beside["matchLabels"], dict):
        labels = beside["matchLabels"]
    if not labels or any(not isinstance(value, str) or key in struct.fields for key, value in labels.items()):
        return None
    terms: list[Json] = [{"key": key, "operator": "In", "values": [str(value)]} for key, value in labels.items()]
    first = next(iter(labels))
    shown = f"[{{key: {first}, operator: In, values: [{quoted(labels[first])}]}}]"
    hint = f"write `nodeSelectorTerms: [{{matchExpressions: {shown}}}]`"
    if path[-1] != next(iter(beside)):
        return hint, None  # the first label brings the repair for all
    return hint, replaced(path[:-1], {"nodeSelectorTerms": [{"matchExpressions": terms}]}, safe=True)


def _into_exactly(place: Place) -> _Way:
    """All fields of a flat request go under one `exactly:`; the first of them brings the repair."""
    types, struct, key, path, beside = place
    if "exactly" in beside:
        repair = moved(path, beside, ("exactly", key)) if isinstance(beside["exactly"], dict) else None
        if has(beside, ["exactly", key]):
            return f"remove it, or the one under `exactly:`: a request has one `{key}`", repair
        return f"move `{key}` one level deeper, under the `exactly:` of this request", repair
    flat = [name for name in beside if name in types["ExactDeviceRequest"].fields and name not in struct.fields]
    repair = None
    if key == flat[0] and "firstAvailable" not in beside:
        changes = (Change("move", (*path[:-1], name), to=(*path[:-1], "exactly", name)) for name in flat)
        repair = Repair(tuple(changes), safe=True)
    if beside.get("firstAvailable") and key in types["DeviceSubRequest"].fields:
        return f"move `{key}` into the items of `firstAvailable:`, or take `exactly:` in its place", repair
    if key != flat[0]:
        return f"move `{key}` under the same `exactly:` as `{flat[0]}`", repair
    return f"put `exactly:` below `name`, and move {_all(flat)} one level deeper, under it", repair


def _all(names: list[str]) -> str:
    ticked = [f"`{name}`" for name in names]
    return ticked[0] if len(ticked) == 1 else f"{', '.join(ticked[:-1])} and {ticked[-1]}"


_ANY = ("*",)
"""Every field that the type lacks."""


def _by_type(*rows: _Row) -> dict[str, tuple[_Row, ...]]:
    return {row.type: tuple(other for other in rows if other.type == row.type) for row in rows}


_ROWS = _by_type(
    _Row(
        "DeviceRequest",
        "ExactDeviceRequest",
        "exactly",
        FLAT_REQUEST,
        ": in {version} it belongs under `exactly:` (only v1alpha3 and v1beta1 have it here)",
        _into_exactly,
    ),
    _Row(
        "DeviceRequest",
        ("exactly",),
        "",
        FLAT_REQUEST,
        ": in {version} the fields of a request stand directly in it",
        _lifted("move what stands under `exactly:` one level up, or use apiVersion resource.k8s.io/v1"),
    ),
    _Row(
        "DeviceSubRequest",
        ("exactly",),
        "",
        DISPLACED,
        ": the fields of an alternative stand directly in it",
        _lifted("move what stands under `exactly:` one level up, beside `name`"),
    ),
    _Row(
        "Device",
        ("basic",),
        "",
        FLAT_REQUEST,
        ": in {version} the fields of a device stand directly in it",
        _lifted("move what stands under `basic:` one level up"),
    ),
    _Row(
        "Device",
        "BasicDevice",
        "basic",
        FLAT_REQUEST,
        ": in {version} it belongs under `basic:`",
        _under("basic", "move `{key}` one level deeper, under `basic:`"),
    ),
    _Row(
        "ResourceClaimTemplateSpec",
        ("template",),
        "",
        DISPLACED,
        ": `metadata` and `spec` of the claim stand directly under `spec:`",
        _lifted("move what stands under `template:` one level up"),
    ),
    _Row(
        "ResourceClaimSpec",
        ("resourceClassName", "parametersRef", "allocationMode"),
        "devices",
        UNKNOWN_FIELD,
        ": up to 1.30 a claim had it",
        _anew,
    ),
    _Row(
        "core.NodeSelector",
        _ANY,
        "",
        UNKNOWN_FIELD,
        ": nodes are selected by terms here, not by labels alone",
        _terms,
    ),
    _Row(
        "core.PodResourceClaim",
        ("source",),
        "",
        FLAT_REQUEST,
        ": since 1.31 resourceClaimName and resourceClaimTemplateName stand directly in it",
        _lifted("move what stands under `source:` one level up"),
    ),
    _Row(
        "core.PodResourceClaim",
        ("resourceClaimName", "resourceClaimTemplateName"),
        "",
        FLAT_REQUEST,
        ": up to 1.30 it belongs under `source:`",
        _under("source", "move `{key}` under `source:`"),
    ),
    _Row(
        "core.PodSpec",
        ("resources",),
        "",
        UNKNOWN_FIELD,
        ": a Pod as a whole has resources from 1.32 on only",
        _told("list claims under `resources.claims` of the containers that use them"),
    ),
    _Row(
        "core.Container",
        ("resourceClaims",),
        "",
        DISPLACED,
        "; it belongs one level up, beside `containers:`",
        _told("declare the claim there, and list its name here under `resources.claims`"),
    ),
    _Row(
        "JobSpec",
        ("scheduling",),
        "",
        UNKNOWN_FIELD,
        ": a Job has it from 1.37 on only",
        _told("list the claims in the template of the Job"),
    ),
    _Row(
        "DeviceSelector",
        ("expression",),
        "",
        DISPLACED,
        ": it belongs under `cel:`, one level deeper",
        _under("cel", "indent `expression` below `cel:`"),
    ),
)
