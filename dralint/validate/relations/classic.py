"""Claims and slices of the classic API, 1.26 to 1.30 (resource validation, pkg/apis/resource/validation/validation.go
and pkg/apis/resource/structured/namedresources/validation/validation.go of v1.26.15 to v1.30.14)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.rule_ids import CLAIM_STATUS, HANDLE_DATA, MISSING_FIELD, ONE_OF
from dralint.validate.relations.reservation import deallocation, unallocated, while_deallocating

if TYPE_CHECKING:
    from dralint.finding.path import Link
    from dralint.validate.context import Context

_VALUES = ("quantity", "bool", "int", "intSlice", "string", "stringSlice", "version")


def claim_status(value: dict[str, Any], link: Link, context: Context) -> None:
    """Check allocation, driver, reservation and deallocation of a claim together.

    The status counts as the first one of the claim: every entry of reservedFor is new.
    """
    allocation, reserved = value.get("allocation"), value.get("reservedFor") or []
    here: Link = (link, "reservedFor")
    if allocation is not None and not value.get("driverName"):
        context.add(
            MISSING_FIELD, (link, "driverName"), "Required", "`driverName` is required once `allocation` is set"
        )
    if reserved and allocation is None:
        unallocated(link, context)
    elif len(reserved) > 1 and not (allocation or {}).get("shareable"):
        message = (
            f"`reservedFor` has {len(reserved)} entries, but the allocation is not shareable: it can be reserved once"
        )
        hint = "set allocation.shareable, or keep one entry"
        context.add(CLAIM_STATUS, here, "Forbidden", message, hint, where=(here, 1))
    elif reserved and value.get("deallocationRequested"):
        while_deallocating(link, context)
    if value.get("deallocationRequested"):
        deallocation(value, link, context)


def resource_handle(value: dict[str, Any], link: Link, context: Context) -> None:
    """A handle holds opaque data for the driver or structured data for the scheduler, not both (1.30)."""
    if value.get("data") and value.get("structuredData") is not None:
        message = "`data` and `structuredData` exclude each other"
        hint = "keep one of the two"
        context.add(HANDLE_DATA, link, "Invalid", message, hint, where=(link, "structuredData"), target="key")


def named_resources_attribute(value: dict[str, Any], link: Link, context: Context) -> None:
    """An attribute of an instance has exactly one value (1.30)."""
    present = [name for name in _VALUES if value.get(name) is not None]
    if not present:
        message = f"the attribute has no value: exactly one of {', '.join(_VALUES)} must be set"
        context.add(ONE_OF, link, "Required", message)
    elif len(present) > 1:
        message = f"the attribute has {len(present)} values ({', '.join(present)}): exactly one must be set"
        hint = "keep one of them, or make it two attributes"
        context.add(ONE_OF, link, "Invalid", message, hint, where=(link, present[1]), target="key")
