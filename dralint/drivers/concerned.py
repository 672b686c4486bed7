"""Finds out from facts whether an input names a driver with a pack, before any pack is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.drivers.shipped import CONCERNED, DRIVERS, MEANT
from dralint.references.facts import ClaimFacts, Class
from dralint.references.other_facts import SliceFacts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from dralint.references.facts import Facts


def concerned(known: Iterable[Facts], own: Collection[str]) -> bool:
    """Say whether the input names a driver that has a pack, or a class of one.

    Args:
        known: the facts of the input.
        own: the drivers with a pack of the user or a chosen version.
    """
    if own:
        return True
    for entry in known:
        body = entry.body
        if isinstance(body, ClaimFacts | Class) and any(config.driver in DRIVERS for config in body.configs):
            return True
        if isinstance(body, ClaimFacts) and any(request.device_class in CONCERNED for request in body.requests):
            return True
        if isinstance(body, Class) and any(driver in s.expression for s in body.selectors for driver in MEANT):
            return True
        if isinstance(body, SliceFacts) and body.driver in DRIVERS:
            return True
    return False
