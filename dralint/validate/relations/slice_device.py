"""One device of a ResourceSlice (validateDevice in pkg/apis/resource/validation/validation.go, v1.31.14 to v1.37.0)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.path import path_of
from dralint.finding.repair import removed
from dralint.finding.rule_ids import DEVICE_VALUES, MISSING_FIELD, SLICE_NODES
from dralint.validate.relations.capacity import capacities
from dralint.validate.relations.claim_status import binding_conditions
from dralint.validate.relations.counters import consumption
from dralint.validate.relations.slice_declarative import LISTS, one_value, runs, taint_effects
from dralint.validate.relations.slice_resources import node_allocatable
from dralint.validate.relations.slice_shape import nested_device, nested_link

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.path import Link
    from dralint.validate.context import Context

_SELECTION = ("nodeName", "nodeSelector", "allNodes")


def device(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """Check a device: its amounts, its nodes, and the relations between its fields."""
    inner, fields = nested_link(link, context), nested_device(value, context)
    _amount(fields, link, inner, context)
    _nodes(fields, link, inner, context)
    capacities(fields, inner, context)
    consumption(fields, link, inner, context)
    binding_conditions(fields, inner, context, "Device")
    node_allocatable(fields, inner, context)
    if runs(context) and len(fields.get("taints") or ()) > context.limit("Device", "taints", "maxItems"):
        taint_effects(fields, inner, context)
    return _unread(context)


def basic_device(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """Check the part of a device under `basic`; `device` has already checked the rest."""
    return _unread(context)


def attribute(value: dict[str, Any], link: Link, context: Context) -> None:
    """An attribute has exactly one value."""
    if len(value) == 1 and all(value.values()):
        return
    one_value(value, link, context)
    for key in LISTS:
        if value.get(key) == []:
            context.add(MISSING_FIELD, (link, key), "Invalid", f"`{key}` is an empty list", "leave the attribute out")


def _unread(context: Context) -> Collection[str] | None:
    """Return the fields that count only where nodes are selected for each device."""
    return None if _per_device(context) else ("nodeName", "nodeSelector")


def _per_device(context: Context) -> bool:
    return bool((context.root.get("spec") or {}).get("perDeviceNodeSelection"))


def _amount(fields: dict[str, Any], link: Link, inner: Link, context: Context) -> None:
    attributes, capacity = fields.get("attributes") or {}, fields.get("capacity") or {}
    total = len(attributes) + len(capacity)
    most = context.limits.total("device-entries")
    if total > most:
        message = (
            f"the device has {len(attributes)} attributes and {len(capacity)} capacities; "
            f"at most {most} of both together are allowed"
        )
        where = (inner, "attributes" if attributes else "capacity")
        context.add(DEVICE_VALUES, link, "Invalid", message, "remove what no selector uses", where=where, target="key")
    if "attribute-values-limited" in context.does:
        values = sum(_values(item) for item in attributes.values())
        most = context.limits.total("device-values")
        if values > most:
            message = f"the attributes of the device have {values} values together; at most {most} are allowed"
            hint = "remove what no selector uses"
            context.add(DEVICE_VALUES, link, "Invalid", message, hint, where=(inner, "attributes"), target="key")


def _values(attribute: dict[str, Any] | None) -> int:
    """Return the number of values of an attribute: each item of its lists, or one."""
    return sum(len(value) for value in (attribute or {}).values() if isinstance(value, list)) or 1


def _nodes(fields: dict[str, Any], link: Link, inner: Link, context: Context) -> None:
    given = [key for key in _SELECTION if fields.get(key) is not None]
    if not _per_device(context):
        if given:
            message = f"the device sets `{given[0]}`, but its slice does not set `perDeviceNodeSelection`"
            hint = "set spec.perDeviceNodeSelection: true and no other node selection in spec, or remove the field"
            context.add(SLICE_NODES, link, "Invalid", message, hint, where=(inner, given[0]), target="key")
        return
    present = [key for key in given if fields[key] not in ("", False)]
    if fields.get("nodeName") == "":
        repair = removed(path_of((inner, "nodeName")), safe=True) if present else None
        hint = "leave it out, or name a node"
        context.add(SLICE_NODES, (inner, "nodeName"), "Invalid", "`nodeName` is empty", hint, repair=repair)
    if fields.get("allNodes") is False:
        repair = removed(path_of((inner, "allNodes")), safe=True) if present else None
        hint = "leave it out, or set it to true"
        context.add(SLICE_NODES, (inner, "allNodes"), "Invalid", "`allNodes` is false", hint, repair=repair)
    words = ", ".join(f"`{key}`" for key in _SELECTION)
    because = "spec.perDeviceNodeSelection is true"
    if not present:
        message = f"the device does not say which nodes can use it: {because}, so exactly one of {words} must be set"
        hint = "for a device of one node set nodeName, for one that every node can use allNodes: true"
        context.add(SLICE_NODES, link, "Required", message, hint)
    elif len(present) > 1:
        message = f"{' and '.join(f'`{key}`' for key in present)} are set: exactly one of {words} must be set"
        context.add(SLICE_NODES, link, "Invalid", message, "keep one of them", where=(inner, present[1]), target="key")
