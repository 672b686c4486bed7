"""Finds out from facts whether an input names a driver with a pack, before any pack is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.drivers.shipped import CONCERNED, DRIVERS, MEANT
from dralint.references.facts import ClaimFacts, Class, SliceFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from dralint.references.facts import Facts


def concerned(known: Collection[Facts], own: Collection[str]) -> bool:
    """Say whether the input names a driver that has a pack, or a class of one.

    Args:
        known: the facts of the input.
        own: the drivers with a pack of the user or a chosen version.
    """
    if own:
        return True
    classes, expressions = _asked(known)
    if not CONCERNED.isdisjoint(classes) or any(name in expression for expression in expressions for name in MEANT):
        return True
    for entry in known:
        body = entry.body
        if isinstance(body, ClaimFacts | Class) and any(config.driver in DRIVERS for config in body.configs):
            return True
        if isinstance(body, SliceFacts) and body.driver in DRIVERS:
            return True
    return False


def _asked(known: Iterable[Facts]) -> tuple[set[str], set[str]]:
    """Return the classes that requests name, and all selectors."""
    classes: set[str] = set()
    expressions: set[str] = set()
    for body in (entry.body for entry in known):
        if isinstance(body, ClaimFacts):
            classes.update(request.device_class for request in body.requests if request.device_class is not None)
        if isinstance(body, ClaimFacts | Class):
            owners = body.requests if isinstance(body, ClaimFacts) else (body,)
            expressions.update(selector.expression for owner in owners for selector in owner.selectors)
    return classes, expressions


def names_any(known: Collection[Facts], drivers: Collection[str], driver_of_class: Callable[[str], str | None]) -> bool:
    """Say whether selectors, classes or configurations may name one of the drivers.

    Args:
        known: the facts of the input, and of the classes and claims that it refers to.
        drivers: the drivers.
        driver_of_class: the driver whose chart installs a class, None where no pack has it.
    """
    for body in (entry.body for entry in known):
        if isinstance(body, Class) and any(config.driver in drivers for config in body.configs):
            return True
    classes, expressions = _asked(known)
    return any(driver_of_class(name) in drivers for name in classes) or any(
        "\\" in expression or any(driver in expression for driver in drivers) for expression in expressions
    )
