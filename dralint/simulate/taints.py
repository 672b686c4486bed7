"""Taints and tolerations of devices, and the taints that DeviceTaintRules add.

Sources: k8s.io/dynamic-resource-allocation/resourceclaim/devicetoleration.go (ToleratesTaint), resourceslice/tracker
(applyPatches), v1.34.4 to v1.37.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dralint.simulate.inventory import Device, Inventory, Slice

_EFFECTS = ("NoSchedule", "NoExecute")


def tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    """Say whether a toleration covers a taint."""
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("key") and toleration["key"] != taint.get("key"):
        return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Exists":
        return True
    return operator == "Equal" and (toleration.get("value") or "") == (taint.get("value") or "")


def untolerated(
    device: Device, tolerations: Sequence[Mapping[str, Any]], *, effects_matter: bool
) -> list[Mapping[str, Any]]:
    """Return the taints of a device that keep a request with these tolerations from it."""
    return [
        taint
        for taint in device.taints
        if not (effects_matter and taint.get("effect") not in _EFFECTS)
        and not any(tolerates(toleration, taint) for toleration in tolerations)
    ]


def spell(taint: Mapping[str, Any]) -> str:
    """Return a taint as kubectl writes it: key=value:Effect."""
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint.get('key', '')}{value}:{taint.get('effect', '')}"


def spell_toleration(toleration: Mapping[str, Any]) -> str:
    """Return a toleration in the same form."""
    value = f"={toleration['value']}" if toleration.get("value") else ""
    return f"{toleration.get('key') or 'any key'}{value}:{toleration.get('effect') or 'any effect'}"


def apply_rules(
    inventory: Inventory, matches: Callable[[str, Device], bool], *, with_classes: bool, enabled: bool
) -> None:
    """Put the taints of the inventory's rules on its devices; those of an earlier call are gone.

    Args:
        matches: says whether an expression holds for a device; an error counts as no.
        with_classes: whether a rule may name a DeviceClass and selectors (1.34).
        enabled: whether the scheduler applies rules at all.
    """
    rules = inventory.taint_rules if enabled else ()
    for s in inventory.slices:
        relevant = [rule for rule in rules if _may_match(rule, s)]
        if not relevant and not s.touched:
            continue
        s.touched = bool(relevant)
        for device in s.devices:
            device.extra_taints = tuple(
                rule.get("taint") or {}
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
