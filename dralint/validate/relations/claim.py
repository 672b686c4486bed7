"""Relations between the parts of a claim: status, requests, constraints, configuration, and the classic API."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import path_of, removed, replaced
from dralint.finding.rule_ids import (
    BINDING_CONDITIONS,
    CLAIM_STATUS,
    CONSTRAINT_OVER_ONE_DEVICE,
    COUNT_ZERO,
    DEVICE_COUNT,
    DUPLICATE_ENTRY,
    EMPTY_CLAIM,
    HANDLE_DATA,
    METADATA_NOT_PASSED_ON,
    MISSING_FIELD,
    NEGATIVE_AMOUNT,
    ONE_OF,
    SINGLE_ALTERNATIVE,
    SKIP_NODE_OPERATIONS,
    TOLERATION_SECONDS_UNUSED,
    TOLERATION_VALUE,
    TOO_MANY_DEVICES,
    UNSUPPORTED_VALUE,
    UNUSED_DERIVED_ATTRIBUTE,
)
from dralint.finding.words import ALLOWED, ordinal, quoted
from dralint.kubernetes.formats import cidr, fully_qualified_name, parse_address
from dralint.kubernetes.quantity import parse_quantity
from dralint.records import NamedTuple, grouped
from dralint.validate.constraints import check_field, check_format, duplicates, missing, report_missing, too_many
from dralint.validate.declared_names import DeclaredNames, NameUse, declarations, reference, references, requests_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from dralint.finding.problem import Link
    from dralint.validate.constraints import Context
    from dralint.yaml import Path


def declarative_by_gate(context: Context) -> bool:
    """Say whether a gate lets declarative validation take over."""
    return "declarative-by-gate" in context.does and "DeclarativeValidationTakeover" in context.gates


def takes_over(context: Context) -> bool:
    """Say whether declarative validation has taken over for the object."""
    return context.kind == "ResourceClaim" and declarative_by_gate(context)


_IDENTITY = ("driver", "pool", "device", "shareID")


def status(value: dict[str, Any], link: Link, context: Context) -> None:
    """Check allocation, driver, reservation and deallocation of a claim, and the status of its devices.

    The status counts as the first one of the claim: every entry of reservedFor is new.
    """
    classic, deallocating = "classic" in context.does, value.get("deallocationRequested")
    allocation, reserved = value.get("allocation"), value.get("reservedFor") or []
    here, advice = (link, "reservedFor"), "remove reservedFor or deallocationRequested"
    if classic and allocation is not None and not value.get("driverName"):
        message = "`driverName` is required once `allocation` is set"
        context.add(MISSING_FIELD, (link, "driverName"), "Required", message)
    if reserved and allocation is None:
        message = "a claim without `allocation` cannot be reserved"
        hint = "set allocation first, or remove reservedFor"
        context.add(CLAIM_STATUS, here, "Forbidden", message, hint, target="key")
    elif classic and len(reserved) > 1 and not (allocation or {}).get("shareable"):
        message = (
            f"`reservedFor` has {len(reserved)} entries, but the allocation is not shareable: it can be reserved once"
        )
        hint = "set allocation.shareable, or keep one entry"
        context.add(CLAIM_STATUS, here, "Forbidden", message, hint, where=(here, 1))
    elif reserved and deallocating:
        message = "no entry can be added to `reservedFor` while deallocation is requested"
        context.add(CLAIM_STATUS, here, "Forbidden", message, advice, target="key")
    elif reserved and not classic and (context.root.get("metadata") or {}).get("deletionTimestamp"):
        message = "no entry can be added to `reservedFor` once the claim is being deleted"
        context.add(CLAIM_STATUS, here, "Forbidden", message, "remove reservedFor", target="key")
    requested = (link, "deallocationRequested")
    if deallocating and reserved:
        message = "deallocation cannot be requested while `reservedFor` is set"
        context.add(CLAIM_STATUS, requested, "Forbidden", message, advice, target="key")
    if deallocating and allocation is None:
        message, hint = "`deallocationRequested` is set, but nothing is allocated", "remove deallocationRequested"
        context.add(CLAIM_STATUS, link, "Forbidden", message, hint, where=requested, target="key")
    _devices(value, link, context)


def _devices(value: dict[str, Any], link: Link, context: Context) -> None:
    devices = value.get("devices") or ()
    if not devices:
        return
    results = ((value.get("allocation") or {}).get("devices") or {}).get("results") or ()
    allocated = {device_identity(result or {}) for result in results}
    for position, item in enumerate(devices):
        identity = device_identity(item or {})
        if identity not in allocated:
            name = "/".join(part for part in identity[:3] if part) + (f" (share {identity[3]})" if identity[3] else "")
            message = (
                f"device {name or 'without a name'} is not allocated to this claim"
                if allocated
                else f"device {name or 'without a name'} has a status, but nothing is allocated to this claim"
            )
            hint = "driver, pool, device (and shareID) must be those of one entry of allocation.devices.results"
            context.add(CLAIM_STATUS, ((link, "devices"), position), "Invalid", message, hint)


def device_identity(value: dict[str, Any]) -> tuple[str, ...]:
    """Return the identity of an allocated device: an empty shareID is a missing one (MakeSharedDeviceID)."""
    return tuple(value.get(key) or "" for key in _IDENTITY)


def result(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """One allocated device: the request it is for, and what the scheduler copied from the slice."""
    reference(value.get("request") or "", (link, "request"), context, "result")
    binding_conditions(value, link, context)
    skip_node_operations(value, link, context)
    return None if "result-tolerations" in context.does or takes_over(context) else ("tolerations",)


def binding_conditions(
    value: dict[str, Any], link: Link, context: Context, of: str = "DeviceRequestAllocationResult"
) -> None:
    """Binding conditions and binding failure conditions come together, and no condition is both.

    The limits are those of the type `of`.
    """
    wanted, failing = set(value.get("bindingConditions") or ()), value.get("bindingFailureConditions") or ()
    pair = ("bindingConditions", "bindingFailureConditions")
    for key, present in (pair, pair[::-1]):
        items = value.get(key) or []
        if len(items) > context.limits.limit(of, key, "maxItems") and "long-list-hides-items" in context.does:
            duplicates(items, "set", (link, key), context, at_item=True)  # the table skips a list that is too long
        if value.get(present) and not items:
            message = f"`{present}` is set, but `{key}` is missing or empty; a device has both lists or neither"
            hint = f"add `{key}: [...]`, or remove `{present}`"
            context.add(BINDING_CONDITIONS, (link, key), "Invalid", message, hint)
    for position, condition in enumerate(failing):
        if condition in wanted:
            message = (
                f'"{condition or ""}" is also in `bindingConditions`; a condition can be in one of the two lists only'
            )
            hint = "remove it from one of the lists"
            context.add(BINDING_CONDITIONS, ((link, "bindingFailureConditions"), position), "Invalid", message, hint)


def skip_node_operations(value: dict[str, Any], link: Link, context: Context) -> None:
    """Preparation can only be skipped together with its undoing (validateSkipNodeOperations, v1.37.0)."""
    operations = value.get("skipNodeOperations") or ()
    if "NodePrepareResources" in operations and not {"NodeUnprepareResources", "*"} & set(operations):
        message = "NodePrepareResources cannot be skipped without NodeUnprepareResources"
        hint = 'add NodeUnprepareResources, or write ["*"]'
        context.add(SKIP_NODE_OPERATIONS, (link, "skipNodeOperations"), "Invalid", message, hint)


def network_data(value: dict[str, Any], link: Link, context: Context) -> None:
    """Two spellings of one address are duplicates in 1.32; equal texts are left to the table of limits."""
    if "addresses-compared-parsed" in context.does:
        first: dict[tuple[object, int], int] = {}
        texts = [text or "" for text in value.get("ips") or ()]
        for position, text in enumerate(texts):
            if cidr(text) is None:
                address, _, length = text.partition("/")
                earlier = first.setdefault((parse_address(address), int(length)), position)
                if text != texts[earlier]:
                    message = (
                        f"{quoted(text)} is the same address as {quoted(texts[earlier])}, the {ordinal(earlier)} entry"
                    )
                    hint = "remove it"
                    repair = removed((*path_of((link, "ips")), position), safe=True)
                    context.add(DUPLICATE_ENTRY, ((link, "ips"), position), "Duplicate", message, hint, repair=repair)


_EXECUTE = "NoExecute"


def toleration(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """Check the value for the operator: Exists has none, Equal a label value; seconds are only for NoExecute."""
    if takes_over(context):
        if not value.get("effect"):
            missing_effect(link, context)
        if path_of(link)[0] == "status":
            return None
    operator, text = value.get("operator") or "Equal", value.get("value") or ""
    if operator == "Exists" and text:
        message = f"operator Exists takes no value, but `value` is {quoted(text)}"
        context.add(TOLERATION_VALUE, (link, "value"), "Invalid", message, "remove `value`, or use operator Equal")
    elif operator == "Equal" and text:
        check_format(text, "label-value", (link, "value"), context)
    return _of_time(value, link, context)


def _of_time(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """Report an effect that does not fit `tolerationSeconds`, which counts only for NoExecute."""
    effect, allowed = value.get("effect"), context.limits.row("DeviceToleration", "effect").get("enum") or ()
    if not effect or effect == _EXECUTE or value.get("tolerationSeconds") is None:
        return None
    path = path_of((link, "effect"))
    if effect in allowed:
        if path[0] != "status":
            message = (
                "`tolerationSeconds` has no effect here: it limits how long a running Pod tolerates NoExecute, and "
                f"this toleration is for {quoted(effect)}"
            )
            hint = "remove it, or write effect: NoExecute"
            context.add(TOLERATION_SECONDS_UNUSED, (link, "tolerationSeconds"), None, message, hint)
        return None
    message = f"{quoted(effect)} is not supported{ALLOWED}{', '.join(map(quoted, allowed))}"
    hint = f'write "{_EXECUTE}": `tolerationSeconds` applies to no other effect'
    context.add(UNSUPPORTED_VALUE, (link, "effect"), "NotSupported", message, hint, repair=replaced(path, _EXECUTE))
    return ("effect",)


def _negative_requests(value: dict[str, Any], link: Link, context: Context) -> None:
    """Amounts of capacity below zero: the server takes them, and no release does what they say."""
    capacity = value.get("capacity")
    requests = capacity.get("requests") if isinstance(capacity, dict) else None
    for name, amount in (requests or {}).items() if isinstance(requests, dict) else ():
        here = (((link, "capacity"), "requests"), name)
        negative(amount, here, f" of {quoted(name)}", "no device can give it", context)


def negative(amount: Any, link: Link, of: str, effect: str, context: Context) -> None:
    """Report an amount below zero and its effect: the server accepts it (kubernetes#141216)."""
    if str(amount).startswith("-") and parse_quantity(str(amount)) < 0:
        message = f"{quoted(str(amount))}{of} is a negative amount: {effect}"
        context.add(NEGATIVE_AMOUNT, link, None, message, "write a positive quantity")


def missing_effect(link: Link, context: Context) -> None:
    """Report a missing effect, which declarative validation treats as an unsupported one."""
    message = (
        f"`effect` cannot be left out in {context.release} with feature gate DeclarativeValidationTakeover; "
        'allowed: "NoSchedule", "NoExecute", "None"'
    )
    hint = 'write the effect that is tolerated, such as "NoSchedule"'
    context.add(UNSUPPORTED_VALUE, (link, "effect"), "NotSupported", message, hint)


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
    here = (link, "firstAvailable")
    if not too_many(context, here, "DeviceRequest", "firstAvailable", alternatives):
        duplicates(alternatives, ["name"], here, context, at_item="duplicate-at-item" in context.does)
        for position, item in enumerate(alternatives):
            sub: dict[str, Any] = item or {}
            at: Link = (here, position)
            check_field(sub, "DeviceSubRequest", "deviceClassName", at, context, required=True)
            parts.append((sub, at))
    for part, at in parts:
        _declared_part(part, at, context)


def _declared_part(part: dict[str, Any], link: Link, context: Context) -> None:
    """Check what declarative validation sees of one form of such a request."""
    check_field(part, _EXACT, "allocationMode", link, context)
    too_many(context, (link, "selectors"), _EXACT, "selectors", part.get("selectors") or [])
    for position, item in enumerate(part.get("tolerations") or []):
        here = ((link, "tolerations"), position)
        for key in ("key", "operator", "effect"):
            check_field(item or {}, "DeviceToleration", key, here, context)
        if not (item or {}).get("effect") and takes_over(context):
            missing_effect(here, context)
    attributes = part.get("derivedAttributes") or []
    if too_many(context, (link, "derivedAttributes"), _EXACT, "derivedAttributes", attributes):
        return
    for position, item in enumerate(attributes):
        attribute, at = item or {}, ((link, "derivedAttributes"), position)
        check_field(attribute, "DeviceDerivedAttribute", "name", at, context, required=True)
        if not attribute.get("expression"):
            report_missing(context, attribute, (at, "expression"), "Required")


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
        report_missing(context, value, (link, "deviceClassName"), "Required")


def amount(value: dict[str, Any], link: Link, context: Context, least: int = 0) -> None:
    """Check the count against the mode; zero is the default and means one, unless `least` says otherwise."""
    if value.get("capacity"):
        _negative_requests(value, link, context)
    mode, count = value.get("allocationMode") or "ExactCount", value.get("count") or 0
    here = (link, "count")
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
    if len(requests) > context.limits.limit("DeviceClaim", "requests", "maxItems"):
        return  # of too many, the server checks none
    for position, item in enumerate(requests):
        value, here = item or {}, ((link, "requests"), position)
        name = value.get("name") or ""
        exactly = value if context.api_version in _FLAT_VERSIONS else value.get("exactly") or {}
        alternatives = value.get("firstAvailable") or ()
        both = sets_flat_field(value, here, context) if exactly is value else value.get("exactly") is not None
        if len(alternatives) > context.limits.limit("DeviceRequest", "firstAvailable", "maxItems") or (
            alternatives and both
        ):
            continue
        within = here if exactly is value else (here, "exactly")
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
    if len(items) > context.limits.limit(_EXACT, "derivedAttributes", "maxItems"):
        from dralint.validate.relations.selectors import derived  # the compiler is needed where there are expressions

        # Only declarative validation, and with it the table, skips the items of such a list.
        duplicates(items, ["name"], (link, "derivedAttributes"), context, at_item=True)
        for position, item in enumerate(items):
            place = ((link, "derivedAttributes"), position)
            check_field(item or {}, "DeviceDerivedAttribute", "expression", place, context)
            derived(item or {}, place, context)
    for position, item in enumerate(items):
        name = (item or {}).get("name")
        targets = ("", request, request.partition("/")[0])
        if name and not any(name in used.get(target, ()) for target in targets):
            everyone = list(filter(None, requests_of(context).places))
            context.add(
                UNUSED_DERIVED_ATTRIBUTE,
                (((link, "derivedAttributes"), position), "name"),
                "Invalid",
                f"no constraint on {quoted(request)} uses the derived attribute {quoted(name)}",
                "name it as matchAttribute or distinctAttribute of a constraint"
                + ("" if len(everyone) < 2 else f" that applies to {quoted(request)}"),
            )


class _Part(NamedTuple):
    """A request, or one alternative of it; `request` is the name of the request."""

    link: Link
    request: str
    name: str
    data: dict[str, Any]

    @property
    def number(self) -> int | None:
        """The number of devices; None for all."""
        exact = self.data.get("allocationMode") in (None, "", "ExactCount")
        return self.data.get("count") or 1 if exact else None


def devices(value: dict[str, Any], link: Link, context: Context) -> None:
    """Report the problems of the numbers of devices in a claim."""
    requests = value.get("requests") or ()
    parts = list(_parts(requests, (link, "requests")))
    for position, request in enumerate(requests):
        alternatives: Any = (request or {}).get("firstAvailable") or ()
        if len(alternatives) == 1 and request.get("name") and (alternatives[0] or {}).get("name"):
            message = (
                f"firstAvailable of the request {quoted(request['name'])} has one entry: there is nothing to choose "
                "from"
            )
            here = (((link, "requests"), position), "firstAvailable")
            hint = "write it as `exactly`, or add another alternative"
            context.add(SINGLE_ALTERNATIVE, here, None, message, hint, target="key")
    if all(request and request.get("name") for request in requests):
        most = context.limits.limit("DeviceAllocationResult", "results", "maxItems")
        if sum(part.number or 1 for part in parts) > most:
            _too_many(parts, most, context)
        if value.get("constraints"):
            _constraints(value["constraints"], (link, "constraints"), parts, context)


def _parts(requests: Any, link: Link) -> Iterator[_Part]:
    for position, request in enumerate(requests):
        name, here = (request or {}).get("name"), (link, position)
        if not name:
            continue
        alternatives = request.get("firstAvailable")
        if alternatives:
            for number, alternative in enumerate(alternatives):
                if own := (alternative or {}).get("name"):
                    place = ((here, "firstAvailable"), number)
                    yield _Part(place, name, f"{name}/{own}", alternative)
        elif request.get("exactly") is not None:
            yield _Part((here, "exactly"), name, name, request["exactly"])
        else:
            yield _Part(here, name, name, request)


def _too_many(parts: list[_Part], most: int, context: Context) -> None:
    """Report that the requests of a claim together need more devices than one claim may have."""
    requests = len({part.request for part in parts})
    if requests > context.limits.limit("DeviceClaim", "requests", "maxItems"):
        return  # already refused for that
    if (context.root.get("status") or {}).get("allocation"):
        return
    least: dict[str, tuple[int, Link]] = {}
    for part in parts:
        if part.data.get("deviceClassName"):
            count = part.number or 1
            known, link = least.get(part.request, (count, part.link))
            least[part.request] = min(known, count), link
    total = 0
    for count, link in least.values():
        total += count
        if total > most:
            everything = sum(count for count, _ in least.values())
            message = (
                f"the requests need {everything} devices together, and a claim gets at most {most}: Pods that "
                "use it stay Pending (FailedScheduling says `exceeds the claim limit`)"
            )
            context.add(TOO_MANY_DEVICES, (link, "count"), None, message, "spread the requests over several claims")
            return


def _constraints(constraints: list[dict[str, Any] | None], link: Link, parts: list[_Part], context: Context) -> None:
    """Report constraints on a single device, which any device with the attribute meets."""
    entries = (entry or {} for part in parts for entry in part.data.get("derivedAttributes") or ())
    derived = {entry.get("name") for entry in entries}
    named = grouped((name, part) for part in parts for name in {part.name, part.request})
    whole = _is_one_device(parts)
    for position, constraint in enumerate(constraints):
        names = (constraint or {}).get("requests")
        covered = [part for name in dict.fromkeys(names) for part in named.get(name, ())] if names else []
        if constraint and (_is_one_device(covered) if names else whole):
            _over_one_device(constraint, (link, position), derived, context)


def _is_one_device(parts: list[_Part]) -> bool:
    most: dict[str, int] = {}
    for part in parts:
        if part.number is None:
            return False  # all devices
        most[part.request] = max(most.get(part.request, 0), part.number)
    return sum(most.values()) == 1


def _over_one_device(constraint: dict[str, Any], link: Link, derived: set[str | None], context: Context) -> None:
    for key in ("matchAttribute", "distinctAttribute"):
        attribute = constraint.get(key) or ""
        if "/" in attribute and attribute not in derived:
            message = (
                "the constraint covers a single device, so there is nothing to compare; it only requires the attribute"
            )
            hint = (
                "name several requests, or remove `requests` to cover the whole claim, or test the attribute in a "
                "selector"
            )
            context.add(CONSTRAINT_OVER_ONE_DEVICE, (link, key), None, message, hint)


def device_claim(value: dict[str, Any], link: Link, context: Context) -> None:
    """Check requests and constraints together; the parts check their references themselves."""
    context.naming = partial(_names, value, path_of(link))
    if "DRADerivedAttributes" in context.gates:
        from dralint.validate.relations.selectors import derived_cost  # the gate is off by default

        derived_attributes(value, link, context)
        derived_cost(value, link, context)
    empty_claim(value, link, context)
    devices(value, link, context)


def _names(value: dict[str, Any], path: Path) -> DeclaredNames:
    """Return the names of the requests of a claim, with the places in it that use them."""
    entries = declarations(value.get("requests"), (*path, "requests"))
    uses: list[NameUse] = []
    for key in ("constraints", "config"):
        for number, holder in enumerate(value.get(key) or ()):
            for position, text in enumerate((holder or {}).get("requests") or ()):
                name, slash, rest = (text or "").partition("/")
                uses.append(NameUse((*path, key, number, "requests", position), name, after=slash + rest))
    return DeclaredNames(entries, uses)


def constraint(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """A constraint names requests of its claim, and an attribute."""
    references(value.get("requests"), (link, "requests"), context, "constraint")
    match, distinct = value.get("matchAttribute"), value.get("distinctAttribute")
    can_be_distinct = "DRAConsumableCapacity" in context.gates
    if match is None and distinct is None:
        if can_be_distinct:
            message = "a constraint needs `matchAttribute` or `distinctAttribute`"
            context.add(ONE_OF, link, "Required", message, missing("matchAttribute"))
        else:
            message = "`matchAttribute` is required and is missing"
            context.add(MISSING_FIELD, (link, "matchAttribute"), "Required", message, missing("matchAttribute"))
    if match is None or "declarative" in context.does:
        return None
    if match and takes_over(context) and fully_qualified_name(match) is None:
        check_format(match, "fully-qualified-name-lower", (link, "matchAttribute"), context)
    return ("distinctAttribute",)


def configuration(value: dict[str, Any], link: Link, context: Context) -> None:
    """Configuration, of a claim or of an allocation, names the requests that it is for."""
    references(value.get("requests"), (link, "requests"), context, "configuration")


def resource_handle(value: dict[str, Any], link: Link, context: Context) -> None:
    """A handle holds opaque data for the driver or structured data for the scheduler, not both (1.30)."""
    if value.get("data") and value.get("structuredData") is not None:
        message = "`data` and `structuredData` exclude each other"
        hint = "keep one of the two"
        context.add(HANDLE_DATA, link, "Invalid", message, hint, where=(link, "structuredData"), target="key")


# What the API server accepts and what works, but is hardly meant.


def empty_claim(value: dict[str, Any], link: Link, context: Context) -> None:
    """A claim without requests is allocated at once, and gives its Pod nothing."""
    if value and not value.get("requests"):
        requests = value.get("requests", ...)
        what = "`requests` is null, which is the same as leaving it out: " if requests is None else ""
        message = f"{what}the claim requests no device"
        hint = "add a request, or remove the claim"
        context.add(EMPTY_CLAIM, (link, "requests"), None, message, hint, target="value" if requests is ... else "key")


def claim_template(value: dict[str, Any], link: Link, context: Context) -> None:
    """Claims do not get the labels and annotations of their template."""
    inner = (value.get("spec") or {}).get("metadata") or {}
    if inner.get("labels") or inner.get("annotations"):
        return
    for field in ("labels", "annotations"):
        key = next(filter(_of_somebody, (value.get("metadata") or {}).get(field) or ()), None)
        if key is not None:
            message = (
                "claims made from the template get the labels and annotations of spec.metadata, not those of the "
                f"template: they do not get {quoted(key)}"
            )
            hint = f"write it into spec.metadata.{field} where it is meant for the claims"
            context.add(METADATA_NOT_PASSED_ON, ((link, "metadata"), field), None, message, hint, target="key")


_TOOLS = ("kubernetes.io", "k8s.io", "helm.sh", "argoproj.io", "fluxcd.io", "cattle.io", "werf.io", "carvel.dev")
_ABOUT_CHARTS = frozenset(
    {"app", "chart", "component", "created-by", "heritage", "instance", "managed-by", "name", "part-of", "release"}
    | {"version"}
)
"""Names by which charts note the owner of an object, in any domain."""


def _of_somebody(key: str) -> bool:
    """Say whether a label or annotation belongs to a user, not to Kubernetes, a tool or a chart."""
    domain, slash, name = key.partition("/")
    return bool(slash) and not domain.endswith(_TOOLS) and name not in _ABOUT_CHARTS
