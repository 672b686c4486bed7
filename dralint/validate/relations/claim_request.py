"""Checks one request of a claim: its form, its number of devices, and its derived attributes.

In v1beta1 and v1alpha3 a request is flat: the fields that v1 has below `exactly` are in the request itself. Since 1.33
the API server makes an `exactly` of it when one of these fields is set. Sources:
pkg/apis/resource/validation/validation.go, pkg/apis/resource/v1beta1/conversion.go and defaults.go (v1.31.14 to
v1.37.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.path import path_of
from dralint.finding.rule_ids import COUNT_ZERO, DEVICE_COUNT, ONE_OF, UNSUPPORTED_VALUE, UNUSED_DERIVED_ATTRIBUTE
from dralint.finding.words import quoted
from dralint.validate.constraints import check_string, duplicates, report_missing, too_many
from dralint.validate.hints import missing
from dralint.validate.relations.claim_takeover import takes_over

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from dralint.finding.path import Link
    from dralint.validate.context import Context

_FLAT_VERSIONS = ("resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta1")
_FLAT_SCALARS = ("deviceClassName", "allocationMode", "count")
_FLAT_POINTERS = ("selectors", "adminAccess", "tolerations", "capacity", "derivedAttributes")
_EXACT = "ExactDeviceRequest"
"""The type whose limits apply to every form of a request."""
_MEMBERS = (*_FLAT_SCALARS, *_FLAT_POINTERS)


def request(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """Check that a request is for devices of one class, or has alternatives; a flat one is checked as a whole."""
    flat = context.api_version in _FLAT_VERSIONS
    if flat and "flat-request-converted" not in context.does:
        _class_name(value, link, context)
        amount(value, link, context)
        return None
    exact = sets_flat_field(value, link, context) if flat else value.get("exactly") is not None
    alternatives = bool(value.get("firstAvailable"))
    if exact and alternatives:
        return _both(value, link, context, flat=flat)
    if not exact and not alternatives:
        _neither(value, link, context, flat=flat)
    elif exact and flat:
        _flat(value, link, context)
    return None


def sets_flat_field(value: Mapping[str, Any], link: Link, context: Context) -> bool:
    """Say whether a flat request becomes an `exactly`: an empty list counts, an empty text or zero does not.

    A field that a gate removes afterwards counts as well.
    """
    if _flat_fields(value):
        return True
    if not context.dropped:
        return False
    path = path_of(link)
    return any((*path, key) in context.dropped for key in _FLAT_POINTERS)


def _flat_fields(value: Mapping[str, Any]) -> list[str]:
    pointers = [key for key in _FLAT_POINTERS if value.get(key) is not None]
    return [key for key in _FLAT_SCALARS if value.get(key)] + pointers


def _both(value: dict[str, Any], link: Link, context: Context, *, flat: bool) -> Collection[str] | None:
    first = next(iter(_flat_fields(value)), _FLAT_SCALARS[0]) if flat else "exactly"
    message = f"a request has either `{first}` or `firstAvailable`, not both"
    hint = "remove one of the two, or make it two requests"
    context.add(ONE_OF, link, "Invalid", message, hint, where=(link, "firstAvailable"), target="key")
    if "union-conflict-hides-members" in context.does:
        if "declarative" in context.does or takes_over(context):
            _declared(value, link, context)
        return (*_MEMBERS, "exactly", "firstAvailable")
    if flat:
        _flat(value, link, context)
    return None


def _declared(value: dict[str, Any], link: Link, context: Context) -> None:
    """Check what declarative validation sees in a request with both forms.

    Source: Validate_DeviceRequest and below in pkg/apis/resource/v1/zz_generated.validations.go (v1.37.0, and v1.35.4
    where a gate lets it take over).
    """
    parts: list[tuple[dict[str, Any], Link]] = [(value, link), (value.get("exactly") or {}, (link, "exactly"))]
    alternatives: list[Any] = value.get("firstAvailable") or []
    here: Link = (link, "firstAvailable")
    if not too_many(context, here, "DeviceRequest", "firstAvailable", alternatives):
        duplicates(alternatives, ["name"], here, context, at_item="duplicate-at-item" in context.does)
        for position, item in enumerate(alternatives):
            sub: dict[str, Any] = item or {}
            at: Link = (here, position)
            if not sub.get("deviceClassName"):
                _class_name(sub, at, context)
            else:
                row = context.limits.row("DeviceSubRequest", "deviceClassName")
                check_string(sub["deviceClassName"], (at, "deviceClassName"), context, row)
            parts.append((sub, at))
    for part, at in parts:
        _declared_part(part, at, context)


def _declared_part(part: dict[str, Any], link: Link, context: Context) -> None:
    """Check what declarative validation sees of one form of such a request."""
    if part.get("allocationMode"):
        row = context.limits.row(_EXACT, "allocationMode")
        check_string(part["allocationMode"], (link, "allocationMode"), context, row)
    too_many(context, (link, "selectors"), _EXACT, "selectors", part.get("selectors") or [])
    for position, item in enumerate(part.get("tolerations") or []):
        here: Link = ((link, "tolerations"), position)
        for key in ("key", "operator", "effect"):
            if item and item.get(key):
                check_string(item[key], (here, key), context, context.limits.row("DeviceToleration", key))
        if not (item or {}).get("effect") and takes_over(context):
            import dralint.validate.relations.toleration as toleration  # few requests have tolerations

            toleration.missing_effect(here, context)
    attributes = part.get("derivedAttributes") or []
    if too_many(context, (link, "derivedAttributes"), _EXACT, "derivedAttributes", attributes):
        return
    for position, item in enumerate(attributes):
        attribute, at = item or {}, ((link, "derivedAttributes"), position)
        for key in ("name", "expression"):
            if not attribute.get(key):
                report_missing(context, at, key, missing(key))
        if attribute.get("name"):
            row = context.limits.row("DeviceDerivedAttribute", "name")
            check_string(attribute["name"], (at, "name"), context, row)


def _neither(value: dict[str, Any], link: Link, context: Context, *, flat: bool) -> None:
    name = value.get("name")
    who = f"request {quoted(name)}" if name else "the request"
    hint = "add `deviceClassName: NAME`"
    if not flat:
        hint = "add `exactly: {deviceClassName: NAME}`, or alternatives under `firstAvailable`"
        message = f"{who} requests nothing: exactly one of `exactly` and `firstAvailable` must be set"
    elif "DRAPrioritizedList" in context.gates:
        message = f"{who} requests nothing: set `deviceClassName`, or alternatives in `firstAvailable`"
    else:
        message = f"{who} requests nothing: `deviceClassName` must be set"
    context.add(ONE_OF, link, "Required", message, hint)


def _flat(value: dict[str, Any], link: Link, context: Context) -> None:
    _class_name(value, link, context)
    if value.get("deviceClassName"):
        amount(value, link, context)
        return
    # Without a class the API server sets no defaults, so the fields that it would have filled in are missing.
    if value.get("allocationMode"):
        amount(value, link, context, least=1)
    elif not takes_over(context):  # declarative validation does not check a missing mode in a flat request
        message = "`allocationMode` has no default as long as `deviceClassName` is missing"
        context.add(UNSUPPORTED_VALUE, (link, "allocationMode"), "NotSupported", message, "add `deviceClassName: NAME`")


def _class_name(value: dict[str, Any], link: Link, context: Context) -> None:
    if not value.get("deviceClassName"):
        report_missing(context, link, "deviceClassName", missing("deviceClassName"))


def amount(value: dict[str, Any], link: Link, context: Context, least: int = 0) -> None:
    """Check the count against the mode; zero is the default and means one, unless `least` says otherwise."""
    if value.get("capacity"):
        from dralint.validate.relations.capacity import negative_requests  # few requests have it

        negative_requests(value, link, context)
    mode, count = value.get("allocationMode") or "ExactCount", value.get("count") or 0
    here: Link = (link, "count")
    if mode == "All" and count:
        message = f"`count` is {count}, but allocationMode All takes every matching device"
        context.add(DEVICE_COUNT, here, "Invalid", message, "remove `count`, or use allocationMode ExactCount")
    elif mode == "ExactCount" and count < least:
        context.add(
            DEVICE_COUNT, here, "Invalid", f"`count` is {count}; it must be at least 1", "write 1, or leave it out"
        )
    elif mode == "ExactCount" and value.get("count") == 0:
        message = "`count` is 0, which the API server replaces by 1: the request gets one device"
        context.add(COUNT_ZERO, here, None, message, "write 1, or remove the request if it is for no device")


def derived_attributes(claim: Mapping[str, Any], link: Link, context: Context) -> None:
    """Report derived attributes that no constraint on their request uses (validateDeviceDerivedAttribute, v1.37.0)."""
    used = _constrained(claim)
    requests = claim.get("requests") or ()
    if len(requests) > context.limit("DeviceClaim", "requests", "maxItems"):
        return  # of too many, the server checks none
    for position, item in enumerate(requests):
        value, here = item or {}, ((link, "requests"), position)
        name = value.get("name") or ""
        exactly = value if context.api_version in _FLAT_VERSIONS else value.get("exactly") or {}
        alternatives = value.get("firstAvailable") or ()
        both = sets_flat_field(value, here, context) if exactly is value else value.get("exactly") is not None
        if len(alternatives) > context.limit("DeviceRequest", "firstAvailable", "maxItems") or (alternatives and both):
            continue
        within: Link = here if exactly is value else (here, "exactly")
        _unused(exactly, within, context, used, name)
        for index, sub in enumerate(alternatives):
            at = ((here, "firstAvailable"), index)
            _unused(sub or {}, at, context, used, f"{name}/{(sub or {}).get('name') or ''}")


def _constrained(claim: Mapping[str, Any]) -> dict[str, set[str]]:
    """Return request → attributes that constraints on it name; those on all requests are under the empty name."""
    used: dict[str, set[str]] = {}
    for item in claim.get("constraints") or ():
        constraint = item or {}
        attribute = constraint.get("matchAttribute")
        attribute = constraint.get("distinctAttribute") if attribute is None else attribute
        if attribute is not None:
            for name in constraint.get("requests") or ("",):
                used.setdefault(name or "", set()).add(attribute)
    return used


def _unused(value: Mapping[str, Any], link: Link, context: Context, used: Mapping[str, set[str]], request: str) -> None:
    items = value.get("derivedAttributes") or []
    if len(items) > context.limit(_EXACT, "derivedAttributes", "maxItems"):
        from dralint.validate.relations.selectors import derived  # the compiler is needed where there are expressions

        # Only declarative validation, and with it the table, skips the items of such a list.
        duplicates(items, ["name"], (link, "derivedAttributes"), context, at_item=True)
        row = context.limits.row("DeviceDerivedAttribute", "expression")
        for position, item in enumerate(items):
            place: Link = ((link, "derivedAttributes"), position)
            if item and item.get("expression"):
                check_string(item["expression"], (place, "expression"), context, row)
                derived(item, place, context)
    for position, item in enumerate(items):
        name = (item or {}).get("name")
        targets = ("", request, request.partition("/")[0])
        if name and not any(name in used.get(target, ()) for target in targets):
            import dralint.validate.relations.claim_references as claim_references

            everyone = claim_references.requests_of(context).names(alternatives=False)
            context.add(
                UNUSED_DERIVED_ATTRIBUTE,
                (((link, "derivedAttributes"), position), "name"),
                "Invalid",
                f"no constraint on {quoted(request)} uses the derived attribute {quoted(name)}",
                "name it as matchAttribute or distinctAttribute of a constraint"
                + ("" if len(everyone) < 2 else f" that applies to {quoted(request)}"),
            )
