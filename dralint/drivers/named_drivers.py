"""Finds out from facts whether an input names a driver with a pack, before any pack is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.drivers.shipped import CONCERNED, DRIVERS, MEANT
from dralint.references.facts import ClaimFacts, Class, SliceFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from dralint.references.facts import Facts, SelectorFacts


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
        selectors: list[SelectorFacts] = []
        if isinstance(body, ClaimFacts):
            if any(request.device_class in CONCERNED for request in body.requests):
                return True
            selectors = [selector for request in body.requests for selector in request.selectors]
        elif isinstance(body, Class):
            selectors = [*body.selectors]
        if any(driver in selector.expression for selector in selectors for driver in MEANT):
            return True
        if isinstance(body, SliceFacts) and body.driver in DRIVERS:
            return True
    return False


def names_any(known: Iterable[Facts], drivers: Collection[str], driver_of_class: Callable[[str], str | None]) -> bool:
    """Say whether selectors, classes or configurations may name one of the drivers.

    Args:
        known: the facts of the input, and of the classes and claims that it refers to.
        drivers: the drivers.
        driver_of_class: the driver whose chart installs a class, None where no pack has it.
    """
    classes: set[str] = set()
    expressions: set[str] = set()
    for entry in known:
        body = entry.body
        if isinstance(body, ClaimFacts):
            for request in body.requests:
                expressions.update(selector.expression for selector in request.selectors)
                if request.device_class is not None:
                    classes.add(request.device_class)
        elif isinstance(body, Class):
            expressions.update(selector.expression for selector in body.selectors)
            if any(config.driver in drivers for config in body.configs):
                return True
    return any(driver_of_class(name) in drivers for name in classes) or any(
        "\\" in expression or any(driver in expression for driver in drivers) for expression in expressions
    )
