"""Table of fields that a type does not have because the API version has them in another place.

Source: the types of k8s.io/api v0.30.14 to v0.37.0 (resource, core, batch).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dralint.decode import field_moves
from dralint.finding.rule_ids import DISPLACED_FIELD, OTHER_SHAPE, UNKNOWN_FIELD
from dralint.kubernetes.near import listed

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.finding.problem import Repair

Words = tuple[str, str, "str | None", "Repair | None"]
"""Rule, message and hint for a field that a type does not have, and the repair, if there is one."""


class MovedField(NamedTuple):
    """The report on a field that belongs to another place.

    Attributes:
        words: rule, message, hint and repair.
        fields: the fields of the same mapping with the same mistake, including this one: the first reports all.
    """

    words: Words
    fields: tuple[str, ...]


class _Row(NamedTuple):
    """Fields of one type that belong to another place.

    Attributes:
        type: the type that lacks them; keys: their names, or the one type whose fields they are.
        has: a field that the type has in the API versions of the row; empty for all versions.
        rule: the rule to report; text: what follows `unknown field "KEY"`. `{belong}` is "it belongs", `{it}` "it".
        way: returns hint and repair; None where the field is something else after all.
    """

    type: str
    keys: tuple[str, ...] | str
    has: str
    rule: str
    text: str
    way: Callable[[field_moves.FieldPlace], field_moves.FieldMove | None]


def elsewhere(place: field_moves.FieldPlace, version: str) -> MovedField | None:
    """Return the report on a field in the table; None where no row fits.

    Args:
        version: the API version without its group.
    """
    struct, key = place.struct, place.key
    for row in _ROWS:
        if row.type != struct.name or (row.has and row.has not in struct.fields):
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
            return MovedField((row.rule, what + text, way.hint, way.repair), fields)
    return None


_ANY = ("*",)
"""Every field that the type lacks."""


_ROWS = [
    _Row(
        "DeviceRequest",
        "ExactDeviceRequest",
        "exactly",
        OTHER_SHAPE,
        ": in {version} {belong} under `exactly:` (only v1alpha3 and v1beta1 have {it} here)",
        field_moves.into_exactly,
    ),
    _Row(
        "DeviceRequest",
        ("exactly",),
        "",
        OTHER_SHAPE,
        ": in {version} the fields of a request belong directly in it",
        partial(
            field_moves.lifted, "move the fields under `exactly:` one level up, or use apiVersion resource.k8s.io/v1"
        ),
    ),
    _Row(
        "DeviceSubRequest",
        ("exactly",),
        "",
        DISPLACED_FIELD,
        ": the fields of an alternative belong directly in it",
        partial(field_moves.lifted, "move the fields under `exactly:` one level up"),
    ),
    _Row(
        "Device",
        ("basic",),
        "",
        OTHER_SHAPE,
        ": in {version} the fields of a device belong directly in it",
        partial(field_moves.lifted, "move the fields under `basic:` one level up"),
    ),
    _Row(
        "Device",
        "BasicDevice",
        "basic",
        OTHER_SHAPE,
        ": in {version} {belong} under `basic:`",
        partial(field_moves.under, "basic", "BasicDevice"),
    ),
    _Row(
        "ResourceClaimTemplateSpec",
        ("template",),
        "",
        DISPLACED_FIELD,
        ": `metadata` and `spec` of the claim belong directly under `spec:`",
        partial(field_moves.lifted, "move the fields under `template:` one level up"),
    ),
    _Row(
        "ResourceClaimSpec",
        ("resourceClassName", "parametersRef", "allocationMode"),
        "devices",
        UNKNOWN_FIELD,
        ": up to 1.30 a claim had it",
        field_moves.anew,
    ),
    _Row(
        "ResourceClaimSpec",
        ("metadata", "spec"),
        "",
        DISPLACED_FIELD,
        ": a ResourceClaim has one `spec:`, a ResourceClaimTemplate two",
        field_moves.second_spec,
    ),
    *(
        _Row(
            type_,
            ("spec",),
            "",
            DISPLACED_FIELD,
            ": the object has one `spec:` too many",
            partial(field_moves.lifted, field_moves.ONE_SPEC_UP),
        )
        for type_ in ("DeviceClassSpec", "ResourceSliceSpec", "DeviceTaintRuleSpec")
    ),
    _Row(
        "core.NodeSelector",
        _ANY,
        "",
        UNKNOWN_FIELD,
        ": nodes are selected by terms here, not by labels alone",
        field_moves.terms,
    ),
    _Row(
        "core.PodResourceClaim",
        ("source",),
        "",
        OTHER_SHAPE,
        ": since 1.31 resourceClaimName and resourceClaimTemplateName belong directly in it",
        partial(field_moves.lifted, "move the fields under `source:` one level up"),
    ),
    _Row(
        "core.PodResourceClaim",
        ("resourceClaimName", "resourceClaimTemplateName"),
        "",
        OTHER_SHAPE,
        ": up to 1.30 {belong} under `source:`",
        partial(field_moves.under, "source", "core.ClaimSource"),
    ),
    _Row(
        "core.PodSpec",
        ("resources",),
        "",
        UNKNOWN_FIELD,
        ": only a Pod of 1.32 or later has resources as a whole",
        partial(field_moves.told, "list claims under `resources.claims` of the containers that use them"),
    ),
    _Row(
        "core.PodSpec",
        ("resourceClaimTemplates", "resourceClaimTemplateName"),
        "",
        UNKNOWN_FIELD,
        ": a Pod names a template in an item of `resourceClaims:`",
        field_moves.templates,
    ),
    _Row("core.PodSpec", _ANY, "", DISPLACED_FIELD, "; {belong} in `resourceClaims:`", field_moves.claims_by_name),
    _Row(
        "core.Container",
        ("resourceClaims",),
        "",
        DISPLACED_FIELD,
        ": a container names the claims that it uses in `resources:`",
        field_moves.used_claims,
    ),
    _Row(
        "core.Container",
        ("resourceClaims",),
        "",
        DISPLACED_FIELD,
        "; it belongs one level up, next to `containers:`",
        partial(field_moves.told, "declare the claim there, and list its name here under `resources.claims`"),
    ),
    _Row(
        "JobSpec",
        ("scheduling",),
        "",
        UNKNOWN_FIELD,
        ": only a Job of 1.37 or later has it",
        partial(field_moves.told, "list the claims in the template of the Job"),
    ),
    _Row(
        "DeviceSubRequest",
        ("adminAccess",),
        "",
        UNKNOWN_FIELD,
        ": alternatives have none",
        partial(field_moves.told, "remove it, or use `exactly:` instead of `firstAvailable:`"),
    ),
    _Row(
        "DeviceClassConfiguration",
        ("requests",),
        "",
        UNKNOWN_FIELD,
        ": a class has no requests",
        partial(field_moves.left_out, "remove it: the configuration of a class is for all its devices"),
    ),
    _Row(
        "DeviceClassSpec",
        ("suitableNodes",),
        "",
        UNKNOWN_FIELD,
        ": only v1alpha3 has it",
        partial(field_moves.told, "remove it: ResourceSlices say on which nodes the devices are"),
    ),
    *(
        _Row(
            type_,
            ("parametersRef", "vendorParameters"),
            "opaque",
            UNKNOWN_FIELD,
            ": up to 1.30 a claim and a class had it",
            partial(
                field_moves.told,
                "write the parameters themselves, not a reference: `opaque: {driver: DRIVER, parameters: {...}}`",
            ),
        )
        for type_ in ("DeviceClaimConfiguration", "DeviceClassConfiguration")
    ),
    _Row(
        "DeviceClassSpec",
        ("driver", "driverName"),
        "",
        UNKNOWN_FIELD,
        ": a class selects devices by expressions",
        field_moves.by_driver,
    ),
    _Row("core.ResourceRequirements", ("resourceClaims", "resourceClaim"), "", UNKNOWN_FIELD, "", field_moves.claims),
    _Row("DeviceSelector", ("matchLabels", "labels"), "cel", UNKNOWN_FIELD, "", field_moves.labels),
    _Row("DeviceAttribute", ("value", "quantity"), "", UNKNOWN_FIELD, "", field_moves.typed),
    _Row(
        "DeviceCapacity",
        ("quantity", "amount", "size", "total"),
        "value",
        UNKNOWN_FIELD,
        "",
        partial(field_moves.called, "value", str),
    ),
    _Row(
        "DeviceConstraint",
        ("value", "values", "operator"),
        "",
        UNKNOWN_FIELD,
        ": a constraint compares devices with each other, not with a value",
        partial(
            field_moves.told,
            "compare the value in a selector of the request: `device.attributes[DOMAIN].NAME == VALUE`",
        ),
    ),
    _Row(
        "CapacityRequirements",
        ("limits", "min", "minimum"),
        "requests",
        UNKNOWN_FIELD,
        "",
        partial(field_moves.called, "requests", dict),
    ),
    _Row(
        "CapacityRequirements",
        _ANY,
        "requests",
        DISPLACED_FIELD,
        ": {belong} under `requests:`",
        partial(field_moves.entries, "requests", field_moves.is_amount),
    ),
    *(
        _Row(
            type_,
            _ANY,
            "counters",
            DISPLACED_FIELD,
            ": {belong} under `counters:`",
            partial(field_moves.entries, "counters", field_moves.is_capacity),
        )
        for type_ in ("CounterSet", "DeviceCounterConsumption")
    ),
    _Row(
        "DeviceCounterConsumption",
        ("name", "counterSetName"),
        "counterSet",
        UNKNOWN_FIELD,
        "",
        partial(field_moves.called, "counterSet", str),
    ),
    _Row(
        "Device",
        _ANY,
        "attributes",
        DISPLACED_FIELD,
        ": {belong} under `attributes:`",
        partial(field_moves.entries, "attributes", field_moves.is_attribute),
    ),
    _Row(
        "Device",
        _ANY,
        "capacity",
        DISPLACED_FIELD,
        ": {belong} under `capacity:`",
        partial(field_moves.entries, "capacity", field_moves.is_capacity),
    ),
    _Row(
        "core.PodResourceClaim",
        ("resourceClaimTemplate", "claimTemplate", "template"),
        "",
        UNKNOWN_FIELD,
        ": a Pod names its templates",
        partial(field_moves.written_apart, "ResourceClaimTemplate", "resourceClaimTemplateName"),
    ),
    _Row(
        "core.PodResourceClaim",
        ("resourceClaim", "claim", "spec"),
        "",
        UNKNOWN_FIELD,
        ": a Pod names its claims",
        partial(field_moves.written_apart, "ResourceClaimTemplate", "resourceClaimTemplateName"),
    ),
    _Row(
        "DeviceClass",
        ("driverName", "parametersRef", "structuredParameters", "suitableNodes"),
        "",
        UNKNOWN_FIELD,
        ": up to 1.30 a ResourceClass had {it}",
        field_moves.class_anew,
    ),
    _Row(
        "OpaqueDeviceConfiguration",
        _ANY,
        "parameters",
        DISPLACED_FIELD,
        ": {belong} under `parameters:`",
        field_moves.of_parameters,
    ),
    _Row(
        "DeviceSelector",
        ("expression",),
        "",
        DISPLACED_FIELD,
        ": {belong} under `cel:`, one level deeper",
        partial(field_moves.under, "cel", "CELDeviceSelector"),
    ),
]
