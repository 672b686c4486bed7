"""A ResourceSlice as a whole, 1.31 and later (validateResourceSliceSpec in pkg/apis/resource/validation/validation.go,
v1.31.14 to v1.37.0)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dralint.finding.path import map_key, path_of
from dralint.finding.repair import removed
from dralint.finding.rule_ids import PARTITION_TYPE, SHARED_COUNTERS, SLICE_NODES
from dralint.finding.words import quoted
from dralint.kubernetes.formats import fully_qualified_name
from dralint.validate.constraints import report_too_many
from dralint.validate.relations import slice_declarative
from dralint.validate.relations.advice import driver_case, own_domain
from dralint.validate.relations.claim_status import skip_node_operations
from dralint.validate.relations.counters import counter_sets, counter_totals
from dralint.validate.relations.node_selector import exactly_one_term
from dralint.validate.relations.slice_shape import in_basic, nested_device, nested_link

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.path import Link
    from dralint.validate.context import Context

_CHOICES = "`nodeName`, `nodeSelector`, `allNodes` (or `perDeviceNodeSelection`, where that is enabled)"
_SELECTIONS = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")


def spec(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """The nodes of a slice, the number of its devices, and what its parts have to do with each other."""
    _nodes(value, link, context)
    devices: list[dict[str, Any] | None] = value.get("devices") or []
    hidden = _count(devices, link, context)
    both = value.get("sharedCounters") is not None and value.get("devices") is not None
    if both and "counter-sets-apart" in context.does:
        message = "`sharedCounters` and `devices` cannot be in one slice"
        hint = "publish the counter sets in a separate slice of the same pool"
        context.add(SHARED_COUNTERS, link, "Invalid", message, hint, where=(link, "sharedCounters"), target="key")
    elif both:
        context.naming = partial(counter_sets, value, link, context)
    counter_totals(value, [nested_device(device, context) for device in devices], link, context)
    if value.get("partitionTypeAttribute") is not None:
        _partition_type(value, link, context)
    skip_node_operations(value, link, context)
    driver_case(value, link, context)
    own_domain(value, link, context)
    return hidden


def _nodes(value: dict[str, Any], link: Link, context: Context) -> None:
    plain = in_basic(context)
    present = []
    name = value.get("nodeName")
    if name:
        present.append("nodeName")
    elif name is not None and not plain:
        context.add(SLICE_NODES, (link, "nodeName"), "Invalid", "`nodeName` is empty", "leave it out, or name a node")
    selector = value.get("nodeSelector")
    if selector is not None:
        present.append("nodeSelector")
        exactly_one_term(selector, (link, "nodeSelector"), context)
    for key in ("allNodes", "perDeviceNodeSelection"):
        chosen = value.get(key)
        if chosen:
            present.append(key)
        elif chosen is not None and not (plain and key == "allNodes"):
            others = any(value.get(other) for other in _SELECTIONS if other != key)
            repair = removed(path_of((link, key)), safe=True) if others else None
            hint = "leave it out" if others else "leave it out, or set it to true"
            context.add(SLICE_NODES, (link, key), "Invalid", f"`{key}` is false", hint, repair=repair)
    if not present:
        hint = "for devices of one node set nodeName, for those that every node can use allNodes: true"
        message = f"the slice does not say which nodes can use its devices: exactly one of {_CHOICES} must be set"
        context.add(SLICE_NODES, link, "Required", message, hint)
    elif len(present) > 1:
        message = f"{' and '.join(f'`{key}`' for key in present)} are set: exactly one of {_CHOICES} must be set"
        hint = "keep one of them, or put the devices into separate slices"
        context.add(SLICE_NODES, link, "Invalid", message, hint, where=(link, present[1]), target="key")


def _count(devices: list[dict[str, Any] | None], link: Link, context: Context) -> Collection[str] | None:
    limit, what = context.limits.total("slice-devices"), "entries"
    if "fewer-advanced-devices" in context.does:
        fewer = context.limits.total("slice-advanced-devices")
        if len(devices) > fewer and any(_advanced(nested_device(item, context), context) for item in devices):
            with_lists = " or list attributes" if "attribute-values-limited" in context.does else ""
            limit, what = fewer, f"entries, some of them with taints, consumed counters{with_lists}"
    if len(devices) <= limit:
        return None
    here: Link = (link, "devices")
    report_too_many(context, here, "devices", devices, limit, what)
    if "long-list-hides-items" not in context.does:
        return None
    if slice_declarative.runs(context):
        for position, device in enumerate(devices):
            slice_declarative.device(device or {}, (here, position), context)
    return ("devices",)


def _advanced(device: dict[str, Any], context: Context) -> bool:
    if device.get("taints") or device.get("consumesCounters"):
        return True
    if "attribute-values-limited" not in context.does:
        return False
    attributes = (device.get("attributes") or {}).values()
    return any(
        attribute and attribute.get(key) is not None for attribute in attributes for key in slice_declarative.LISTS
    )


def _partition_type(value: dict[str, Any], link: Link, context: Context) -> None:
    name: str = value["partitionTypeAttribute"]
    here: Link = (link, "partitionTypeAttribute")
    consumers = [
        (position, inner)
        for position, device in enumerate(value.get("devices") or ())
        if (inner := nested_device(device, context)).get("consumesCounters")
    ]
    if not consumers:
        message = "`partitionTypeAttribute` is set, but no device of this slice consumes counters"
        context.add(PARTITION_TYPE, here, "Invalid", message, "remove it, or add consumesCounters to the partitions")
        return
    if fully_qualified_name(name) is not None:
        return
    bare = name.removeprefix(f"{value.get('driver') or ''}/")
    for position, device in consumers:
        attributes = device.get("attributes") or {}
        key = name if name in attributes else bare
        device_link: Link = ((link, "devices"), position)
        table: Link = (nested_link(device_link, context), "attributes")
        path: Link = (table, name, None)
        if key not in attributes:
            message = f"the device consumes counters, but lacks attribute {quoted(name)} with its partition type"
            hint = f"add it: `{quoted(name)[1:-1]}: {{string: ...}}`"
            context.add(PARTITION_TYPE, path, "Required", message, hint, where=table)
        elif (attributes[key] or {}).get("string") is None:
            message = f"attribute {quoted(map_key(key))} contains the partition type, so it must be a string"
            context.add(
                PARTITION_TYPE, path, "Invalid", message, "write it as `{string: ...}`", where=(table, key, None)
            )
