"""Fields that a type does not have because the version has them elsewhere: one row each.

Source: the types of k8s.io/api v0.30.14 to v0.37.0 (resource, core, batch).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dralint.decode.decoder import DISPLACED, FLAT_REQUEST
from dralint.finding.catalogue import UNKNOWN_FIELD
from dralint.finding.repair import Change, Repair, renamed, replaced
from dralint.finding.words import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dralint.kubernetes.types import Struct
    from dralint.yaml import Json

Words = tuple[str, str, "str | None", "Repair | None"]
"""Rule, message and hint for a field that a type does not have, and the repair where there is one."""


class Elsewhere(NamedTuple):
    """What is said of a field that stands elsewhere.

    Attributes:
        words: rule, message, hint and repair.
        fields: the fields of the same mapping that are the same mistake, this one among them: the first tells of all.
    """

    words: Words
    fields: tuple[str, ...]


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


class _Way(NamedTuple):
    """The hint and the repair, and the fields that they are for where it is not the field alone."""

    hint: str
    repair: Repair | None
    fields: tuple[str, ...] = ()


class _Row(NamedTuple):
    """Fields of one type that stand elsewhere.

    Attributes:
        type: the type that lacks them; keys: which they are, or the one type whose fields they are.
        has: a field that the type has in the API versions that the row is for; empty where it is for all.
        rule: what is reported; text: what follows `unknown field "KEY"`, where `{belong}` stands for "it belongs" and
            `{it}` for it.
        way: gives hint and repair; None where the field is something else after all.
    """

    type: str
    keys: tuple[str, ...] | str
    has: str
    rule: str
    text: str
    way: Callable[[Place], _Way | None]


def elsewhere(place: Place, version: str) -> Elsewhere | None:
    """Return what is said of a field that a row knows, None where none does.

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
            fields = way.fields or (key,)
            many = len(fields) > 1
            what = f"unknown fields {listed(fields)}" if many else f'unknown field "{key}"'
            it, belong = ("them", "they belong") if many else ("it", "it belongs")
            text = row.text.format(version=version, it=it, belong=belong)
            return Elsewhere((row.rule, what + text, way.hint, way.repair), fields)
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
    return lambda _: _Way(hint, None)


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
            return _Way(hint, None)
        moves = [Change("move", (*path, name), to=(*path[:-1], name)) for name in inner]
        return _Way(hint, Repair((*moves, Change("remove", path)), safe=True))

    return way


def _under(parent: str, inner: str) -> Callable[[Place], _Way]:
    """All such fields go below another one.

    Args:
        inner: the type of that one.
    """

    def way(place: Place) -> _Way:
        types, struct, key, path, beside = place
        if has(beside, [parent, key]):
            return _Way(f"remove it, or the one under `{parent}:`", None)
        known = types[inner].fields if inner in types else (key,)
        fields = tuple(
            name for name in beside if name in known and name not in struct.fields and not has(beside, [parent, name])
        )
        ways = [moved((*path[:-1], name), beside, (parent, name)) for name in fields]
        changes = [change for repair in ways if repair is not None for change in repair.changes]
        repair = Repair(tuple(changes), safe=True) if None not in ways else None
        return _Way(f"move {listed(fields, quote='`')} one level deeper, under `{parent}:`", repair, fields)

    return way


def _anew(place: Place) -> _Way:
    """A claim of the classic API has to be written anew."""
    flat = "exactly" not in place.types["DeviceRequest"].fields
    request = "{name: NAME, deviceClassName: CLASS}" if flat else "{name: NAME, exactly: {deviceClassName: CLASS}}"
    hint = f"write the claim anew: `devices: {{requests: [{request}]}}`; parameters go to `devices.config`"
    return _Way(hint, None)


def _second_spec(place: Place) -> _Way | None:
    """A claim with the shape of a template, or a template with a `spec:` too many."""
    path, beside = place.path, place.beside
    if "spec" not in beside or not isinstance(beside["spec"], dict):
        return None
    if path[:-1] != ("spec",):
        return _lifted(_ONE_SPEC_UP)(place) if place.key == "spec" else None
    fields = tuple(name for name in beside if name in ("metadata", "spec"))
    claim = _ONE_SPEC_UP + (", and remove `metadata`" if len(fields) > 1 else "")
    return _Way(f"write `kind: ResourceClaimTemplate`; or, for one claim, {claim}", None, fields)


_ONE_SPEC_UP = "move what stands under this `spec:` one level up"


def _terms(place: Place) -> _Way | None:
    """Labels become the terms of a node selector; None where there is more than labels."""
    _, struct, _, path, beside = place
    labels: Mapping[str, object] = beside
    if list(beside) == ["matchLabels"] and isinstance(beside["matchLabels"], dict):
        labels = beside["matchLabels"]
    if not labels or any(not isinstance(value, str) or key in struct.fields for key, value in labels.items()):
        return None
    terms: list[Json] = [{"key": key, "operator": "In", "values": [str(value)]} for key, value in labels.items()]
    shown = ", ".join(f"{{key: {key}, operator: In, values: [{quoted(value)}]}}" for key, value in labels.items())
    hint = f"write `nodeSelectorTerms: [{{matchExpressions: [{shown}]}}]`"
    repair = replaced(path[:-1], {"nodeSelectorTerms": [{"matchExpressions": terms}]}, safe=True)
    return _Way(hint, repair, tuple(beside))


def _into_exactly(place: Place) -> _Way:
    """All fields of a flat request go under one `exactly:`."""
    types, struct, key, path, beside = place
    if has(beside, ["exactly", key]):
        return _Way(f"remove it, or the one under `exactly:`: a request has one `{key}`", None)
    flat = tuple(
        name
        for name in beside
        if name in types["ExactDeviceRequest"].fields
        and name not in struct.fields
        and not has(beside, ["exactly", name])
    )
    which = listed(flat, quote="`")
    ways = [moved((*path[:-1], name), beside, ("exactly", name)) for name in flat]
    changes = tuple(change for way in ways if way is not None for change in way.changes)
    repair = Repair(changes, safe=True) if None not in ways and not beside.get("firstAvailable") else None
    if "exactly" in beside:
        return _Way(f"move {which} one level deeper, under the `exactly:` of this request", repair, flat)
    if beside.get("firstAvailable"):
        lacking = [name for name in flat if name not in types["DeviceSubRequest"].fields]
        if lacking:
            which = listed(lacking, quote="`")
            hint = f"alternatives have no {which}: remove it, or take `exactly:` in place of `firstAvailable:`"
            return _Way(hint, repair, flat)
        hint = f"move {which} into the items of `firstAvailable:`, or take `exactly:` in its place"
        return _Way(hint, repair, flat)
    put = "put `exactly:` below `name`" if "name" in beside else "give the request a `name:`, put `exactly:` below it"
    return _Way(f"{put}, and move {which} one level deeper, under it", repair, flat)


def _entries(parent: str, is_one: Callable[[object], bool]) -> Callable[[Place], _Way | None]:
    """Fields of any name go as entries into a map; None for one whose value is no entry."""

    def way(place: Place) -> _Way | None:
        _, struct, key, path, beside = place
        if not is_one(beside[key]):
            return None
        fields = tuple(name for name in beside if name not in struct.fields and is_one(beside[name]))
        ways = [moved((*path[:-1], name), beside, (parent, name)) for name in fields]
        changes = tuple(change for repair in ways if repair is not None for change in repair.changes)
        repair = Repair(changes, safe=True) if None not in ways else None
        return _Way(f"move {listed(fields, quote='`')} one level deeper, under `{parent}:`", repair, fields)

    return way


_SUFFIXED = re.compile(r"[0-9.]+ ?(?:[kKMGTPE]|[KMGTPE]i)")
_NUMBER = re.compile(r"[+-]?[0-9.]+ ?(?:[numkKMGTPE]|[KMGTPE]i)?")


def _is_amount(value: object) -> bool:
    """Say whether a value is a quantity."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number or (isinstance(value, str) and _NUMBER.fullmatch(value) is not None)


def _is_capacity(value: object) -> bool:
    """Say whether a value is a counter, or the capacity of a device."""
    return isinstance(value, dict) and _is_amount(value.get("value"))


def _is_attribute(value: object) -> bool:
    """Say whether a value is that of an attribute: one type, and a plain value."""
    kinds = ("string", "int", "bool", "version")
    return isinstance(value, dict) and len(value) == 1 and any(name in value for name in kinds)


def _called(name: str, takes: type = str) -> Callable[[Place], _Way | None]:
    """The field is called otherwise; None where that is there as well, or what it has is not what that takes."""

    def way(place: Place) -> _Way | None:
        if name in place.beside or not isinstance(place.beside[place.key], takes):
            return None
        return _Way(f'did you mean "{name}"?', renamed(place.path, name))

    return way


def _labels(place: Place) -> _Way | None:
    """Devices have attributes, not labels; None where it is no mapping of texts."""
    labels = place.beside[place.key]
    if not isinstance(labels, dict) or not labels or any(not isinstance(each, str) for each in labels.values()):
        return None
    names = {name: f".{name}" if name.isidentifier() else f"[{quoted(name)}]" for name in labels}
    asked = " && ".join(f'device.attributes["DRIVER"]{names[name]} == {quoted(each)}' for name, each in labels.items())
    return _Way(f"devices have attributes, not labels: write `cel: {{expression: '{asked}'}}`", None)


def _by_driver(place: Place) -> _Way | None:
    """A class has no driver of its own; None where the driver is that of parameters beside it."""
    driver = place.beside[place.key]
    if not isinstance(driver, str) or "parameters" in place.beside:
        return None
    return _Way(f"write `selectors: [{{cel: {{expression: 'device.driver == {quoted(driver)}'}}}}]` in its place", None)


def _claims(place: Place) -> _Way | None:
    """A container lists its claims by name; None where they are declared there."""
    value = place.beside[place.key]
    listed_ = isinstance(value, list) and all(
        isinstance(each, dict) and each.keys() <= {"name", "request"} for each in value
    )
    if not listed_ or "claims" in place.beside:
        return None
    return _Way('did you mean "claims"?', renamed(place.path, "claims"))


def _typed(place: Place) -> _Way | None:
    """The value of an attribute stands under its type; None where that is not known."""
    value = place.beside[place.key]
    if isinstance(value, str) and _SUFFIXED.fullmatch(value):
        name = str(place.path[-2])
        return _Way(f"an amount is a capacity: write `{name}: {{value: {value}}}` under `capacity:`", None)
    kinds = {bool: "bool", int: "int", str: "string"}
    kind = kinds.get(type(value))
    if kind is None or kind in place.beside:
        return None
    return _Way(f'did you mean "{kind}"?', renamed(place.path, kind))


def _written_apart(kind: str, field: str) -> Callable[[Place], _Way | None]:
    """What a Pod has in it is an object of its own; None where there is only a name."""

    def way(place: Place) -> _Way | None:
        if not isinstance(place.beside[place.key], dict):
            return None
        return _Way(f"put what stands here into a {kind} of its own, and write `{field}: NAME`", None)

    return way


def _class_anew(place: Place) -> _Way:
    """A class of the classic API has a driver; a DeviceClass selects its devices."""
    driver = place.beside.get("driverName")
    name = driver if isinstance(driver, str) and driver else "DRIVER"
    known = ("driverName", "parametersRef", "structuredParameters", "suitableNodes")
    return _Way(
        f"write `spec: {{selectors: [{{cel: {{expression: device.driver == {quoted(name)}}}}}]}}` in their place; "
        "parameters go to `spec.config`, and what nodes there are say the ResourceSlices",
        None,
        tuple(field for field in place.beside if field in known),
    )


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
        ": in {version} {belong} under `exactly:` (only v1alpha3 and v1beta1 have {it} here)",
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
        _lifted("move what stands under `exactly:` one level up"),
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
        ": in {version} {belong} under `basic:`",
        _under("basic", "BasicDevice"),
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
        "ResourceClaimSpec",
        ("metadata", "spec"),
        "",
        DISPLACED,
        ": a ResourceClaim has one `spec:`, a ResourceClaimTemplate two",
        _second_spec,
    ),
    *(
        _Row(type_, ("spec",), "", DISPLACED, ": there is one `spec:` too many", _lifted(_ONE_SPEC_UP))
        for type_ in ("DeviceClassSpec", "ResourceSliceSpec", "DeviceTaintRuleSpec")
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
        ": up to 1.30 {belong} under `source:`",
        _under("source", "core.ClaimSource"),
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
        "DeviceSubRequest",
        ("adminAccess",),
        "",
        UNKNOWN_FIELD,
        ": alternatives have none",
        _told("remove it, or take `exactly:` in place of `firstAvailable:`"),
    ),
    _Row(
        "DeviceClassSpec",
        ("driver", "driverName"),
        "",
        UNKNOWN_FIELD,
        ": a class selects devices by expressions",
        _by_driver,
    ),
    _Row("core.ResourceRequirements", ("resourceClaims", "resourceClaim"), "", UNKNOWN_FIELD, "", _claims),
    _Row("DeviceSelector", ("matchLabels", "labels"), "cel", UNKNOWN_FIELD, "", _labels),
    _Row("DeviceAttribute", ("value", "quantity"), "", UNKNOWN_FIELD, "", _typed),
    _Row("DeviceCapacity", ("quantity", "amount", "size", "total"), "value", UNKNOWN_FIELD, "", _called("value")),
    _Row(
        "DeviceConstraint",
        ("value", "values", "operator"),
        "",
        UNKNOWN_FIELD,
        ": a constraint is met when the devices agree, whatever the value is",
        _told("ask for a value by a selector of the request: `device.attributes[DOMAIN].NAME == VALUE`"),
    ),
    _Row(
        "CapacityRequirements", ("limits", "min", "minimum"), "requests", UNKNOWN_FIELD, "", _called("requests", dict)
    ),
    _Row(
        "CapacityRequirements",
        _ANY,
        "requests",
        DISPLACED,
        ": {belong} under `requests:`",
        _entries("requests", _is_amount),
    ),
    _Row(
        "CounterSet",
        _ANY,
        "counters",
        DISPLACED,
        ": {belong} under `counters:`",
        _entries("counters", _is_capacity),
    ),
    _Row(
        "DeviceCounterConsumption",
        _ANY,
        "counters",
        DISPLACED,
        ": {belong} under `counters:`",
        _entries("counters", _is_capacity),
    ),
    _Row(
        "DeviceCounterConsumption",
        ("name", "counterSetName"),
        "counterSet",
        UNKNOWN_FIELD,
        "",
        _called("counterSet"),
    ),
    _Row(
        "Device",
        _ANY,
        "attributes",
        DISPLACED,
        ": {belong} under `attributes:`",
        _entries("attributes", _is_attribute),
    ),
    _Row(
        "Device",
        _ANY,
        "capacity",
        DISPLACED,
        ": {belong} under `capacity:`",
        _entries("capacity", _is_capacity),
    ),
    _Row(
        "core.PodResourceClaim",
        ("resourceClaimTemplate", "claimTemplate", "template"),
        "",
        UNKNOWN_FIELD,
        ": a Pod names its templates",
        _written_apart("ResourceClaimTemplate", "resourceClaimTemplateName"),
    ),
    _Row(
        "core.PodResourceClaim",
        ("resourceClaim", "claim", "spec"),
        "",
        UNKNOWN_FIELD,
        ": a Pod names its claims",
        _written_apart("ResourceClaimTemplate", "resourceClaimTemplateName"),
    ),
    _Row(
        "DeviceClass",
        ("driverName", "parametersRef", "structuredParameters", "suitableNodes"),
        "",
        UNKNOWN_FIELD,
        ": up to 1.30 a ResourceClass had {it}",
        _class_anew,
    ),
    _Row(
        "DeviceSelector",
        ("expression",),
        "",
        DISPLACED,
        ": {belong} under `cel:`, one level deeper",
        _under("cel", "CELDeviceSelector"),
    ),
)
