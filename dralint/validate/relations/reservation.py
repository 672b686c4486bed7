"""Relations between reservation, deallocation and allocation of a claim, in every release that has them.

Source: validateResourceClaimStatusUpdate in pkg/apis/resource/validation/validation.go (v1.26.15 to v1.37.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.rule_ids import CLAIM_STATUS

if TYPE_CHECKING:
    from dralint.finding.path import Link
    from dralint.validate.context import Context

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
