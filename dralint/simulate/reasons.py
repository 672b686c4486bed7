"""Why claims do not fit on a node: numbers of devices, and the limits that alone stand in the way.

Nothing is guessed: a limit is named as the cause where the claims fit once that kind of limit is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.simulate.allocator import Allocator
from dralint.simulate.claims import RELAXATIONS
from dralint.simulate.reach import NodeSelectorError, reaches
from dralint.simulate.taints import untolerated

if TYPE_CHECKING:
    from dralint.simulate.claims import Want
    from dralint.simulate.inventory import Device
    from dralint.simulate.pools import View
    from dralint.simulate.reach import Node
    from dralint.simulate.scheduler import Filtered


def reasons(filtered: Filtered) -> dict[str, Any] | None:
    """Return why the claims do not fit, as JSON has it; None where they do or nothing was searched."""
    if filtered.fits or filtered.allocator is None or filtered.outcome is None or filtered.outcome.fits:
        return None
    allocator, node = filtered.allocator, filtered.node
    view = allocator.view(node)
    requests = {want.key: facts(want, view, node, allocator) for claim in allocator.claims for request in claim.requests
                for want in request.wants}
    return {"requests": requests, "causes": causes(allocator, node, view)}


def facts(want: Want, view: View, node: Node, allocator: Allocator) -> dict[str, Any]:
    """Return how many devices there are for a request on a node, and which limits they pass."""
    found: dict[str, Any] = {"devices": 0, "class": 0, "selected": [], "inUse": [], "tainted": []}
    for pool in view.pools:
        if not pool.usable:
            continue
        for device in pool.devices:
            if not _for_node(device, node):
                continue
            found["devices"] += 1
            if not want.known or (device.binding and not allocator.behaviour.binding):
                continue
            of_class, selected, error = passes(want, device)
            if error and "celError" not in found:
                found["celError"] = error
            found["class"] += of_class
            if not selected:
                continue
            name = str(device.id)
            found["selected"].append(name)
            if not want.admin and device.id in allocator.inventory.in_use.exclusive:
                found["inUse"].append(name)
            if allocator.behaviour.taints and untolerated(
                device, want.tolerations, effects_matter=allocator.behaviour.has("effects_matter")
            ):
                found["tainted"].append(name)
    found["wanted"] = "All" if want.every else want.count
    return found


def _for_node(device: Device, node: Node) -> bool:
    if device.slice.spec.get("perDeviceNodeSelection") is not True:
        return True
    try:
        return bool(reaches(device.spec, node))
    except NodeSelectorError:
        return False


def passes(want: Want, device: Device) -> tuple[bool, bool, str]:
    """Return whether a device passes the class, whether it also passes the request, and an error of CEL."""
    of_class = True
    for test in want.tests:
        verdict = test.selector.verdict(device)
        if verdict is True:
            continue
        error = "" if verdict is False else verdict.message
        return of_class and not test.of_class, False, error
    return True, True, ""


def causes(allocator: Allocator, node: Node, view: View) -> list[str]:
    """Return the kinds of limits without which, each by itself, the claims would fit."""
    return [kind for kind in RELAXATIONS if allocator.without(kind).on(node).fits]
