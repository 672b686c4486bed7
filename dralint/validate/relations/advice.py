"""What the server accepts and works, but is hardly meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.words import quoted
from dralint.kubernetes.formats import driver_name

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.path import Link
    from dralint.validate.context import Context

_EMPTY_CLAIM, _UPPER_CASE = "DRA702", "DRA703"


def empty_claim(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """A claim without requests is allocated at once, and gives its Pod nothing."""
    if value and not value.get("requests"):
        requests = value.get("requests", ...)
        what = "`requests` is null, which is the same as leaving it out: " if requests is None else ""
        context.add(
            _EMPTY_CLAIM,
            (link, "requests"),
            None,
            f"{what}the claim asks for no device at all",
            "add a request, or remove the claim",
            target="value" if requests is ... else "key",
        )
    return None


def driver_case(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """The server warns of a driver with upper-case letters from 1.35 on (pkg/registry/resource/resourceslice)."""
    driver = value.get("driver") or ""
    if "upper-case-driver-warning" in context.does and driver != driver.lower() and driver_name(driver) is None:
        context.add(
            _UPPER_CASE,
            (link, "driver"),
            None,
            f"{quoted(driver)} has upper-case letters: the server warns of it, and later releases may refuse it",
            f'did you mean "{driver.lower()}"?',  # no repair: the object works as long as the driver has that name, too
        )
    return None
