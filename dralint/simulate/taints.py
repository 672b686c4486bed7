"""Puts the taints of DeviceTaintRules on devices.

Source: k8s.io/dynamic-resource-allocation/resourceslice/tracker (applyPatches), v1.34.4 to v1.37.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dralint.simulate.inventory import Device, Inventory, Slice


def apply_rules(
    inventory: Inventory,
    rules: Sequence[Mapping[str, Any]],
    matches: Callable[[str, Device], bool],
    *,
    with_classes: bool,
) -> None:
    """Put the taints of rules on the devices of an inventory; those of an earlier call are gone.

    Args:
        rules: the specs of those that the scheduler applies.
        matches: says whether an expression holds for a device; an error counts as no.
        with_classes: whether a rule may name a DeviceClass and selectors (1.34).
    """
    for s in inventory.slices:
        relevant = [rule for rule in rules if _may_match(rule, s)]
        if not relevant and not s.touched:
            continue
        s.touched = bool(relevant)
        for device in s.devices:
            device.extra_taints = tuple(
                {**(rule.get("taint") or {}), "rule": rule.get("name") or ""}
                for rule in relevant
                if _matches(rule, device, inventory, matches, with_classes=with_classes)
            )


def _may_match(rule: Mapping[str, Any], s: Slice) -> bool:
    selector = rule.get("deviceSelector") or {}
    return selector.get("driver") in (None, s.driver) and selector.get("pool") in (None, s.pool)


def _matches(
    rule: Mapping[str, Any],
    device: Device,
    inventory: Inventory,
    matches: Callable[[str, Device], bool],
    *,
    with_classes: bool,
) -> bool:
    selector = rule.get("deviceSelector") or {}
    if selector.get("device") not in (None, device.id.device):
        return False
    if not with_classes:
        return True
    expressions = [(entry.get("cel") or {}).get("expression") or "" for entry in selector.get("selectors") or ()]
    name = selector.get("deviceClassName")
    if name is not None:
        found = inventory.classes.get(name)
        if found is None:
            return False
        entries = (found.get("spec") or {}).get("selectors") or ()
        expressions += [(entry.get("cel") or {}).get("expression") or "" for entry in entries]
    return all(matches(expression, device) for expression in expressions)
