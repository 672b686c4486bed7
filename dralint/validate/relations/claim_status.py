"""Checks the status of a claim: its allocation, its consumers, and the status from drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.problem import path_of, removed
from dralint.finding.rule_ids import (
    BINDING_CONDITIONS,
    CLAIM_STATUS,
    DUPLICATE_ENTRY,
    SKIP_NODE_OPERATIONS,
)
from dralint.finding.words import ordinal, quoted
from dralint.kubernetes.formats import cidr, parse_address
from dralint.validate.constraints import duplicates
from dralint.validate.declared_names import reference

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.problem import Link
    from dralint.validate.context import Context


def takes_over(context: Context) -> bool:
    """Say whether declarative validation has taken over for the object."""
    return (
        "declarative-by-gate" in context.does
        and "DeclarativeValidationTakeover" in context.gates
        and context.kind == "ResourceClaim"
    )


_ADVICE = "remove reservedFor or deallocationRequested"


def unallocated(link: Link, context: Context) -> None:
    """Report a reservation of a claim that is not allocated; `link` is the status."""
    message = "a claim without `allocation` cannot be reserved"
    advice = "set allocation first, or remove reservedFor"
    context.add(CLAIM_STATUS, (link, "reservedFor"), "Forbidden", message, advice, target="key")


def while_deallocating(link: Link, context: Context) -> None:
    """Report a reservation that is added while deallocation is requested."""
    message = "no entry can be added to `reservedFor` while deallocation is requested"
    context.add(CLAIM_STATUS, (link, "reservedFor"), "Forbidden", message, _ADVICE, target="key")


def deallocation(value: dict[str, Any], link: Link, context: Context) -> None:
    """Report a deallocation request for a claim that is reserved, or not allocated."""
    here: Link = (link, "deallocationRequested")
    if value.get("reservedFor"):
        message = "deallocation cannot be requested while `reservedFor` is set"
        context.add(CLAIM_STATUS, here, "Forbidden", message, _ADVICE, target="key")
    if value.get("allocation") is None:
        message = "`deallocationRequested` is set, but nothing is allocated"
        context.add(CLAIM_STATUS, link, "Forbidden", message, "remove deallocationRequested", where=here, target="key")


_IDENTITY = ("driver", "pool", "device", "shareID")


def status(value: dict[str, Any], link: Link, context: Context) -> None:
    """Allocation, reservation and the status of allocated devices, which depend on each other."""
    if "classic" in context.does:
        from dralint.validate.relations import claim

        claim.claim_status(value, link, context)
        return
    allocation, reserved = value.get("allocation"), value.get("reservedFor") or []
    here: Link = (link, "reservedFor")
    if reserved and allocation is None:
        unallocated(link, context)
    if value.get("deallocationRequested"):
        if reserved and allocation is not None:
            while_deallocating(link, context)
        deallocation(value, link, context)
    elif reserved and allocation is not None and (context.root.get("metadata") or {}).get("deletionTimestamp"):
        message = "no entry can be added to `reservedFor` once the claim is being deleted"
        context.add(CLAIM_STATUS, here, "Forbidden", message, "remove reservedFor", target="key")
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
    for key in ("bindingConditions", "bindingFailureConditions"):
        items = value.get(key) or []
        most = context.limit(of, key, "maxItems")
        if len(items) > most and "long-list-hides-items" in context.does:
            duplicates(items, "set", (link, key), context, at_item=True)  # the table skips a list that is too long
    for position, condition in enumerate(failing):
        if condition in wanted:
            message = (
                f'"{condition or ""}" is also in `bindingConditions`; a condition can be in one of the two lists only'
            )
            hint = "remove it from one of the lists"
            context.add(BINDING_CONDITIONS, ((link, "bindingFailureConditions"), position), "Invalid", message, hint)
    for key, other in (("bindingConditions", failing), ("bindingFailureConditions", wanted)):
        if other and not value.get(key):
            present = "bindingFailureConditions" if key == "bindingConditions" else "bindingConditions"
            message = f"`{present}` is set, but `{key}` is missing or empty; a device has both lists or neither"
            hint = f"add `{key}: [...]`, or remove `{present}`"
            context.add(BINDING_CONDITIONS, (link, key), "Invalid", message, hint)


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
