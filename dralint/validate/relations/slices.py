"""A ResourceSlice as a whole: pool, counter sets, and what declarative validation says of too many devices."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import map_key, meant, path_of, removed
from dralint.finding.rule_ids import (
    MISSING_FIELD,
    NEGATIVE_AMOUNT,
    ONE_OF,
    PARTITION_TYPE,
    SHARED_COUNTERS,
    SLICE_NODES,
)
from dralint.finding.words import quoted
from dralint.kubernetes.formats import fully_qualified_name
from dralint.kubernetes.quantity import parse_quantity
from dralint.validate.constraints import check_string, duplicates, report_missing, report_too_many, too_many
from dralint.validate.declared_names import DeclaredNames, NameUse, declarations
from dralint.validate.relations.advice import driver_case, own_domain
from dralint.validate.relations.claim import skip_node_operations
from dralint.validate.relations.metadata import exactly_one_term

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.problem import Link
    from dralint.validate.constraints import Context


_PLAIN_VERSIONS = ("v1alpha3", "v1beta1")


def in_basic(context: Context) -> bool:
    """Say whether the object's version has `basic` in devices, and plain fields that are optional in later versions."""
    return context.api_version.endswith(_PLAIN_VERSIONS)


def nested_device(value: dict[str, Any] | None, context: Context) -> dict[str, Any]:
    """Return the fields of a device: those in it, or under `basic` in v1alpha3 and v1beta1."""
    device = value or {}
    return (device.get("basic") or {}) if in_basic(context) else device


def nested_link(link: Link, context: Context) -> Link:
    """Return the link to these fields."""
    return (link, "basic") if in_basic(context) else link


SCALARS, LISTS = ("bool", "int", "string", "version"), ("bools", "ints", "strings", "versions")
"""The values that an attribute can have."""
_VALUES = (*SCALARS, *LISTS)


def is_declarative(context: Context) -> bool:
    """Say whether declarative validation runs on slices."""
    by_gate = "declarative-by-gate" in context.does and "DeclarativeValidationTakeover" in context.gates
    return by_gate or "declarative" in context.does


def declarative_device(item: dict[str, Any], link: Link, context: Context) -> None:
    """Check a device of a slice with too many of them."""
    inner, fields = nested_link(link, context), nested_device(item, context)
    if attributes := fields.get("attributes"):
        here, shown = (inner, "attributes"), context.limit("Device", "attributes", "shown")
        for key, attribute in attributes.items():
            given = attribute or {}
            if [] in given.values():  # an empty list does not count as a value
                given = {name: value for name, value in given.items() if value != []}
            one_value(given, (here, key, shown), context)
    taint_effects(fields, inner, context)
    for key in ("bindingConditions", "bindingFailureConditions"):
        too_many(context, (inner, key), "Device", key, fields.get(key) or ())
    _consumption(fields.get("consumesCounters") or [], (inner, "consumesCounters"), context)
    for key, item in (fields.get("nodeAllocatableResources") or {}).items():
        one_mapping(item or {}, ((inner, "nodeAllocatableResources"), key, None), context)


def one_value(value: dict[str, Any], link: Link, context: Context) -> None:
    """Report an attribute with no value or more than one."""
    present = [key for key in _VALUES if value.get(key) is not None] if value else []
    empty = [key for key in present if value[key] == []]
    if len(present) == 1:
        if empty and "declarative" in context.does:
            message = f"the attribute has no value: `{empty[0]}` is an empty list"
            context.add(
                ONE_OF, link, "Invalid", message, "leave the attribute out", where=(link, empty[0]), target="key"
            )
        return
    choices = _VALUES if "DRAListTypeAttributes" in context.gates else SCALARS
    words = ", ".join(choices)
    if not present:
        reason = "Invalid" if "empty-attribute-invalid" in context.does else "Required"
        message = f"the attribute has no value: exactly one of {words} must be set"
        context.add(ONE_OF, link, reason, message, "add a value, such as `string: ...`")
        return
    message = f"the attribute has {len(present)} values ({', '.join(present)}): exactly one of {words} must be set"
    hint = "keep one of them, or make it two attributes"
    context.add(ONE_OF, link, "Invalid", message, hint, where=(link, present[1]), target="key")


def one_mapping(item: dict[str, Any], here: Link, context: Context) -> None:
    """Exactly one of capacityKey and deviceMultiplier."""
    mapping = item.get("mapping")
    if mapping is None:
        return
    count = sum(mapping.get(key) is not None for key in ("capacityKey", "deviceMultiplier"))
    if count != 1:
        which = "both are" if count else "none is"
        message = f"exactly one of `capacityKey` and `deviceMultiplier` must be set, but {which}"
        context.add(ONE_OF, (here, "mapping"), "Invalid", message, "keep one" if count else "add one of the two")


def taint_effects(fields: dict[str, Any], inner: Link, context: Context) -> None:
    """The effects of all taints of a device."""
    taints = fields.get("taints")
    if not taints:
        return
    row = context.limits.row("DeviceTaint", "effect")
    for position, item in enumerate(taints):
        here: Link = (((inner, "taints"), position), "effect")
        effect = (item or {}).get("effect")
        if effect:
            check_string(effect, here, context, row)
        else:
            context.add(MISSING_FIELD, here, "Required", f"`effect` is required; allowed: {', '.join(row['enum'])}")


def counter(value: dict[str, Any], link: Link, context: Context) -> None:
    """A negative amount of a counter: the server accepts it (kubernetes#141216)."""
    amount = str(value.get("value"))
    if amount.startswith("-") and parse_quantity(amount) < 0:
        consumed = "consumesCounters" in path_of(link)
        what = "the scheduler adds it to the counter set, and allocates more than there is"
        effect = what if consumed else "no device that consumes the counter can be allocated"
        message = f"{quoted(amount)} is a negative amount: {effect}"
        context.add(NEGATIVE_AMOUNT, (link, "value"), None, message, "write a positive quantity")


def counter_keys(value: dict[str, Any], link: Link, context: Context) -> None:
    """Check the names of counters, even where there are too many."""
    here: Link = (link, "counters")
    row = context.limits.row("DeviceCounterConsumption", "counters")["keys"]
    for key in value.get("counters") or {}:
        check_string(key, here, context, row, where=(here, key, None), target="key")


def _consumption(entries: list[dict[str, Any] | None], link: Link, context: Context) -> None:
    if not entries:
        return
    limits = context.limits
    if too_many(context, link, "Device", "consumesCounters", entries):
        return
    duplicates(entries, ["counterSet"], link, context, at_item=True)
    for position, item in enumerate(entries):
        entry, here = item or {}, (link, position)
        name = entry.get("counterSet")
        if name:
            check_string(name, (here, "counterSet"), context, limits.row("DeviceCounterConsumption", "counterSet"))
        else:
            report_missing(context, here, "counterSet")
        if "declarative" not in context.does:
            continue
        if not entry.get("counters"):
            report_missing(context, here, "counters")
        counter_keys(entry, here, context)
        groups = entry.get("compatibilityGroups") or []
        row = limits.row("DeviceCounterConsumption", "compatibilityGroups")
        at: Link = (here, "compatibilityGroups")
        if too_many(context, at, "DeviceCounterConsumption", "compatibilityGroups", groups):
            continue
        duplicates(groups, "set", at, context, at_item=True)
        for index, group in enumerate(groups):
            check_string(group or "", (at, index), context, row["items"])


def counter_totals(value: dict[str, Any], devices: list[dict[str, Any]], link: Link, context: Context) -> None:
    """Check the number of counters in the whole slice."""
    if "counter-sets-in-slice" not in context.does:
        return
    shared = sum(len((item or {}).get("counters") or ()) for item in value.get("sharedCounters") or ())
    most = context.limits.total("slice-counters")
    if shared > most:
        _too_many(context, (link, "sharedCounters"), shared, most, "the counter sets of a slice")
    consumed = sum(_consumed(device) for device in devices)
    most = context.limits.total("slice-consumed-counters")
    if consumed > most:
        _too_many(context, (link, "devices"), consumed, most, "all devices of a slice")


def counter_sets(value: dict[str, Any], link: Link, context: Context) -> DeclaredNames:
    """Return the names of the counter sets of a slice, with the places where its devices consume them."""
    entries = declarations(value.get("sharedCounters"), (*path_of(link), "sharedCounters"))
    uses: list[NameUse] = []
    for number, device in enumerate(value.get("devices") or ()):
        here = path_of(nested_link(((link, "devices"), number), context))
        for position, item in enumerate(nested_device(device, context).get("consumesCounters") or ()):
            uses.append(
                NameUse((*here, "consumesCounters", position, "counterSet"), (item or {}).get("counterSet") or "")
            )
    return DeclaredNames(entries, uses)


def consumption(device: dict[str, Any], link: Link, inner: Link, context: Context) -> None:
    """Check the counters that a device consumes against the sets of its slice; `inner` has the device's fields."""
    entries = device.get("consumesCounters")
    if not entries or "counter-sets-in-slice" not in context.does:
        return
    total = _consumed(device)
    most = context.limits.total("device-consumed-counters")
    if total > most:
        _too_many(context, link, total, most, "a device", where=(inner, "consumesCounters"))
    sets: dict[str, Any] = {}
    for item in (context.root.get("spec") or {}).get("sharedCounters") or ():
        sets[(item or {}).get("name") or ""] = (item or {}).get("counters") or {}
    for position, item in enumerate(entries):
        entry = item or {}
        here: Link = ((inner, "consumesCounters"), position)
        name = entry.get("counterSet") or ""
        known = sets.get(name)
        if known is None:
            if name:
                declared = context.declared()
                names, nothing = list(filter(None, sets)), "add it to the slice, or name another"
                words = None if declared is None else declared.declaration(name)
                words = words or meant(name, names, path_of((here, "counterSet")), otherwise=nothing)
                message = f"counter set {quoted(name)} is not in the sharedCounters of this slice; {_listed(sets)}"
                context.add(SHARED_COUNTERS, (here, "counterSet"), "Invalid", message, words.hint, repair=words.repair)
            continue
        for counter in entry.get("counters") or {}:
            if counter not in known:
                counters: Link = (here, "counters")
                at = (*path_of(counters), counter)
                nothing = "add it to the counter set, or remove it here"
                words = meant(counter, known, at, key=True, taken=entry["counters"], otherwise=nothing)
                message = f"counter set {quoted(name)} has no counter {quoted(counter)}; {_listed(known)}"
                hint = words.hint
                where = (counters, counter, None)
                context.add(
                    SHARED_COUNTERS, counters, "Invalid", message, hint, where=where, target="key", repair=words.repair
                )


def _consumed(device: dict[str, Any]) -> int:
    return sum(len((item or {}).get("counters") or ()) for item in device.get("consumesCounters") or ())


def _listed(names: dict[str, Any]) -> str:
    words = ", ".join(sorted(names)[:10])
    return f"it has: {words}" if words else "it has none"


def _too_many(context: Context, link: Link, count: int, limit: int, whole: str, where: Link = None) -> None:
    message = f"{whole} can have at most {limit} counters together, but has {count}"
    hint = "spread them over several slices of the pool"
    context.add(SHARED_COUNTERS, link, "Invalid", message, hint, where=where or link, target="key")


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
    if is_declarative(context):
        for position, device in enumerate(devices):
            declarative_device(device or {}, (here, position), context)
    return ("devices",)


def _advanced(device: dict[str, Any], context: Context) -> bool:
    if device.get("taints") or device.get("consumesCounters"):
        return True
    if "attribute-values-limited" not in context.does:
        return False
    attributes = (device.get("attributes") or {}).values()
    return any(attribute and attribute.get(key) is not None for attribute in attributes for key in LISTS)


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
