"""Resources of the node that a device stands for (validateNodeAllocatableResourceMappings of v1.36.3 and
validateNodeAllocatableResources of v1.37.0, pkg/apis/resource/validation/validation.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.path import path_of
from dralint.finding.rule_ids import MISSING_FIELD, NODE_ALLOCATABLE_RESOURCES, ONE_OF
from dralint.finding.suggestion import meant
from dralint.finding.words import quoted
from dralint.kubernetes.quantity import read_quantity
from dralint.validate.relations.slice_declarative import one_mapping
from dralint.yaml import number_text

if TYPE_CHECKING:
    from dralint.finding.path import Link
    from dralint.validate.context import Context


def node_allocatable(fields: dict[str, Any], inner: Link, context: Context) -> None:
    """The resources of a device by name, in the form that the release has."""
    capacity = fields.get("capacity") or {}
    for name, item in (fields.get("nodeAllocatableResourceMappings") or {}).items():
        _mapping_136(name, item or {}, ((inner, "nodeAllocatableResourceMappings"), name, None), capacity, context)
    for name, item in (fields.get("nodeAllocatableResources") or {}).items():
        here: Link = ((inner, "nodeAllocatableResources"), name, None)
        if name not in ("cpu", "memory") and not name.startswith("hugepages-"):
            message = f"{quoted(name)} is not a resource that devices can represent: cpu, memory or hugepages-SIZE"
            hint, repair = meant(name, ("cpu", "memory"), path_of(here), key=True, otherwise="write one of these")
            context.add(NODE_ALLOCATABLE_RESOURCES, here, "Invalid", message, hint, target="key", repair=repair)
        _resource_137(item or {}, here, capacity, context)


def _mapping_136(name: str, item: dict[str, Any], here: Link, capacity: dict[str, Any], context: Context) -> None:
    # An empty mapping is valid: its multiplier becomes 1 (pkg/apis/resource/v1/defaults.go).
    if "/" in name and "kubernetes.io/" not in name:
        message = f"{quoted(name)} is not a resource of nodes, such as cpu or memory"
        context.add(
            NODE_ALLOCATABLE_RESOURCES, here, "Invalid", message, "write the name of a node's resource", target="key"
        )
    _positive(item, "allocationMultiplier", here, context)
    _capacity_key(item.get("capacityKey"), here, capacity, context)


def _resource_137(item: dict[str, Any], here: Link, capacity: dict[str, Any], context: Context) -> None:
    mapping, overhead = item.get("mapping"), item.get("overhead")
    if mapping is None and overhead is None:
        message = "neither `mapping` nor `overhead` is set: at least one must be"
        context.add(ONE_OF, here, "Required", message, "add one of the two")
    if mapping is not None:
        place: Link = (here, "mapping")
        one_mapping(item, here, context)
        key, multiplier = mapping.get("capacityKey"), mapping.get("capacityMultiplier")
        _capacity_key(key, place, capacity, context)
        if key is not None and multiplier is None:
            message = "`capacityMultiplier` is required with `capacityKey`"
            context.add(MISSING_FIELD, (place, "capacityMultiplier"), "Required", message, "add it, such as 1")
        elif key is not None:
            _positive(mapping, "capacityMultiplier", place, context)
        elif multiplier is not None:
            message = "`capacityKey` is required with `capacityMultiplier`"
            context.add(MISSING_FIELD, (place, "capacityKey"), "Required", message, "name a capacity of this device")
        _positive(mapping, "deviceMultiplier", place, context)
    if overhead is not None:
        place = (here, "overhead")
        if overhead.get("perPod") is None and overhead.get("perContainer") is None:
            message = "neither `perPod` nor `perContainer` is set: at least one must be"
            context.add(ONE_OF, place, "Invalid", message, "add one of the two")
        for name in ("perPod", "perContainer"):
            amount = overhead.get(name)
            if amount is not None and _exact(amount) < 0:
                message = f"{quoted(amount)} is negative: an overhead is at least 0"
                context.add(NODE_ALLOCATABLE_RESOURCES, (place, name), "Invalid", message, "write 0 or more")


def _capacity_key(key: str | None, place: Link, capacity: dict[str, Any], context: Context) -> None:
    if key is None:
        return
    if not key:
        hint: str | None = "leave it out, or name a capacity"
        context.add(NODE_ALLOCATABLE_RESOURCES, (place, "capacityKey"), "Invalid", "`capacityKey` is empty", hint)
    elif key not in capacity:
        has = ", ".join(sorted(capacity)[:10])
        words = f"; it has: {has}" if has else ""
        message = f"the device has no capacity {quoted(key)}{words}"
        nothing = "name a capacity of this device, or add it" if has else "add it under `capacity`"
        hint, repair = meant(key, capacity, path_of((place, "capacityKey")), otherwise=nothing)
        context.add(NODE_ALLOCATABLE_RESOURCES, (place, "capacityKey"), "NotFound", message, hint, repair=repair)


def _exact(amount: str | float) -> Any:
    return read_quantity(amount if isinstance(amount, str) else number_text(amount)).exact


def _positive(item: dict[str, Any], key: str, place: Link, context: Context) -> None:
    amount = item.get(key)
    if amount is not None and _exact(amount) <= 0:
        message = f"{quoted(amount)} is not positive: a multiplier is above 0"
        context.add(NODE_ALLOCATABLE_RESOURCES, (place, key), "Invalid", message, "write an amount above 0")
