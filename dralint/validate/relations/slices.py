"""A ResourceSlice: counter sets, nodes; attributes, capacity, resources and taints of its devices."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import Change, Repair, map_key, meant, path_of, removed
from dralint.finding.rule_ids import (
    DEVICE_VALUES,
    DUPLICATE_ENTRY,
    MISSING_FIELD,
    NODE_ALLOCATABLE_RESOURCES,
    NODE_SELECTOR,
    ONE_OF,
    OWN_DOMAIN,
    PARTITION_TYPE,
    REQUEST_POLICY,
    SHARED_COUNTERS,
    SLICE_NODES,
    TAINT_RULE_FOR_EVERYTHING,
    UPPER_CASE_DRIVER,
)
from dralint.finding.words import it_has, ordinal, quoted
from dralint.kubernetes.formats import driver_name, fully_qualified_name
from dralint.kubernetes.quantity import ZERO, Quantity, read_quantity
from dralint.records import NamedTuple
from dralint.validate.constraints import (
    check_field,
    check_string,
    duplicates,
    report_missing,
    report_too_many,
    too_many,
)
from dralint.validate.declared_names import DeclaredNames, NameUse, declarations
from dralint.validate.relations.claim import binding_conditions, declarative_by_gate, negative, skip_node_operations
from dralint.yaml import number_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

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
_CLASSIC_VALUES = ("quantity", "bool", "int", "intSlice", "string", "stringSlice", "version")


def is_declarative(context: Context) -> bool:
    """Say whether declarative validation runs on slices."""
    return declarative_by_gate(context) or "declarative" in context.does


def declarative_device(item: dict[str, Any], link: Link, context: Context) -> None:
    """Check a device of a slice with too many of them."""
    inner, fields = nested_link(link, context), nested_device(item, context)
    if attributes := fields.get("attributes"):
        here, shown = (inner, "attributes"), context.limits.limit("Device", "attributes", "shown")
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


def named_resources_attribute(value: dict[str, Any], link: Link, context: Context) -> None:
    """An attribute of an instance has exactly one value (1.30)."""
    one_value(value, link, context, _CLASSIC_VALUES)


def one_value(
    value: dict[str, Any], link: Link, context: Context, choices: tuple[str, ...] = (*SCALARS, *LISTS)
) -> None:
    """Report an attribute with no value or more than one."""
    present = [key for key in choices if value.get(key) is not None] if value else []
    empty = [key for key in present if value[key] == []]
    if len(present) == 1:
        if empty and "declarative" in context.does:
            message = f"the attribute has no value: `{empty[0]}` is an empty list"
            context.add(
                ONE_OF, link, "Invalid", message, "leave the attribute out", where=(link, empty[0]), target="key"
            )
        return
    listed = choices is _CLASSIC_VALUES or "DRAListTypeAttributes" in context.gates
    words = ", ".join(choices if listed else SCALARS)
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
    for position, item in enumerate(fields.get("taints") or ()):
        check_field(item or {}, "DeviceTaint", "effect", ((inner, "taints"), position), context, required=True)


def counter(value: dict[str, Any], link: Link, context: Context) -> None:
    """A negative amount of a counter."""
    what = "the scheduler adds it to the counter set, and allocates more than there is"
    effect = what if "consumesCounters" in path_of(link) else "no device that consumes the counter can be allocated"
    negative(value.get("value"), (link, "value"), "", effect, context)


def _consumption(entries: list[dict[str, Any] | None], link: Link, context: Context) -> None:
    if too_many(context, link, "Device", "consumesCounters", entries):
        return
    duplicates(entries, ["counterSet"], link, context, at_item=True)
    for position, item in enumerate(entries):
        entry, here = item or {}, (link, position)
        check_field(entry, "DeviceCounterConsumption", "counterSet", here, context, required=True)
        if "declarative" not in context.does:
            continue
        if not entry.get("counters"):
            report_missing(context, entry, (here, "counters"), "Required")
        counters, keys = (here, "counters"), context.limits.row("DeviceCounterConsumption", "counters")["keys"]
        for key in entry.get("counters") or {}:  # even of too many
            check_string(key, counters, context, keys, where=(counters, key, None), target="key")
        groups = entry.get("compatibilityGroups") or []
        row = context.limits.row("DeviceCounterConsumption", "compatibilityGroups")
        at = (here, "compatibilityGroups")
        if too_many(context, at, "DeviceCounterConsumption", "compatibilityGroups", groups):
            continue
        duplicates(groups, "set", at, context, at_item=True)
        for index, group in enumerate(groups):
            check_string(group or "", (at, index), context, row["items"])


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
    consumed: Link = (inner, "consumesCounters")
    _at_most(context, link, _counters(device, "consumesCounters"), "device-consumed-counters", "a device", consumed)
    sets: dict[str, Any] = {}
    for item in (context.root.get("spec") or {}).get("sharedCounters") or ():
        sets[(item or {}).get("name") or ""] = (item or {}).get("counters") or {}
    for position, item in enumerate(entries):
        entry = item or {}
        here = ((inner, "consumesCounters"), position)
        name = entry.get("counterSet") or ""
        known = sets.get(name)
        if known is None:
            if name:
                declared = context.declared()
                names, nothing = list(filter(None, sets)), "add it to the slice, or name another"
                words = None if declared is None else declared.declaration(name)
                words = words or meant(name, names, path_of((here, "counterSet")), otherwise=nothing)
                message = f"counter set {quoted(name)} is not in the sharedCounters of this slice; {it_has(names)}"
                context.add(SHARED_COUNTERS, (here, "counterSet"), "Invalid", message, words.hint, repair=words.repair)
            continue
        for counter in entry.get("counters") or {}:
            if counter not in known:
                counters = (here, "counters")
                at = (*path_of(counters), counter)
                nothing = "add it to the counter set, or remove it here"
                words = meant(counter, known, at, key=True, taken=entry["counters"], otherwise=nothing)
                message = f"counter set {quoted(name)} has no counter {quoted(counter)}; {it_has(known)}"
                hint = words.hint
                where = (counters, counter, None)
                context.add(
                    SHARED_COUNTERS, counters, "Invalid", message, hint, where=where, target="key", repair=words.repair
                )


def _counters(holder: dict[str, Any], key: str) -> int:
    """Return how many counters all the counter sets under a key have."""
    return sum(len((item or {}).get("counters") or ()) for item in holder.get(key) or ())


def _at_most(context: Context, link: Link, count: int, total: str, whole: str, where: Link = None) -> None:
    """Report that `whole` has more counters than the table allows in total."""
    most = context.limits.total(total)
    if count > most:
        message = f"{whole} can have at most {most} counters together, but has {count}"
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
    if "counter-sets-in-slice" in context.does:
        shared = _counters(value, "sharedCounters")
        consumed = sum(_counters(nested_device(device, context), "consumesCounters") for device in devices)
        _at_most(context, (link, "sharedCounters"), shared, "slice-counters", "the counter sets of a slice")
        _at_most(context, (link, "devices"), consumed, "slice-consumed-counters", "all devices of a slice")
    if value.get("partitionTypeAttribute") is not None:
        _partition_type(value, link, context)
    skip_node_operations(value, link, context)
    driver_case(value, link, context)
    own_domain(value, link, context)
    return hidden


def _nodes(value: dict[str, Any], link: Link, context: Context) -> None:
    terms = (value.get("nodeSelector") or {}).get("nodeSelectorTerms") or []
    if len(terms) > 1:  # validateResourceSliceSpec; zero terms fail `required`
        message = f"a slice takes exactly one node selector term, not {len(terms)}"
        hint = "put the requirements into one term, or publish one slice for each"
        here: Link = ((link, "nodeSelector"), "nodeSelectorTerms")
        context.add(NODE_SELECTOR, here, "Invalid", message, hint, where=(here, 1))
    lacks = "the slice does not say which nodes can use its devices:"
    hint = "for devices of one node set nodeName, for those that every node can use allNodes: true"
    keep = "keep one of them, or put the devices into separate slices"
    unread = ("nodeName", "allNodes") if in_basic(context) else ()
    _exactly_one(value, _SELECTIONS, _CHOICES, (lacks, hint, keep), link, link, context, unread)


def _exactly_one(
    value: dict[str, Any],
    keys: Collection[str],
    choices: str,
    words: tuple[str, str, str],
    link: Link,
    inner: Link,
    context: Context,
    unread: Collection[str] = (),
) -> None:
    """Report that no field, or more than one, selects nodes, and fields that are empty or false.

    Args:
        keys, choices: the fields, and how the messages name them.
        words: the beginning of the message if there is none, the hint for that, and the one for several.
        inner: has the fields.
        unread: the fields that the server accepts when they are empty or false.
    """
    present = [key for key in keys if value.get(key) not in (None, "", False)]
    for key in keys:
        if value.get(key) in ("", False) and key not in unread:
            what, instead = ("empty", "name a node") if key == "nodeName" else ("false", "set it to true")
            repair = removed(path_of((inner, key)), safe=True) if present else None
            hint = "leave it out" if present else f"leave it out, or {instead}"
            context.add(SLICE_NODES, (inner, key), "Invalid", f"`{key}` is {what}", hint, repair=repair)
    if not present:
        context.add(SLICE_NODES, link, "Required", f"{words[0]} exactly one of {choices} must be set", words[1])
    elif len(present) > 1:
        message = f"{' and '.join(f'`{key}`' for key in present)} are set: exactly one of {choices} must be set"
        context.add(SLICE_NODES, link, "Invalid", message, words[2], where=(inner, present[1]), target="key")


def _count(devices: list[dict[str, Any] | None], link: Link, context: Context) -> Collection[str] | None:
    limit, what = context.limits.total("slice-devices"), "entries"
    if "fewer-advanced-devices" in context.does:
        fewer = context.limits.total("slice-advanced-devices")
        if len(devices) > fewer and any(_advanced(nested_device(item, context), context) for item in devices):
            with_lists = " or list attributes" if "attribute-values-limited" in context.does else ""
            limit, what = fewer, f"entries, some of them with taints, consumed counters{with_lists}"
    if len(devices) <= limit:
        return None
    here = (link, "devices")
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
    here = (link, "partitionTypeAttribute")
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
        device_link = ((link, "devices"), position)
        table = (nested_link(device_link, context), "attributes")
        path = (table, name, None)
        if key not in attributes:
            message = f"the device consumes counters, but lacks attribute {quoted(name)} with its partition type"
            hint = f"add it: `{quoted(name)[1:-1]}: {{string: ...}}`"
            context.add(PARTITION_TYPE, path, "Required", message, hint, where=table)
        elif (attributes[key] or {}).get("string") is None:
            message = f"attribute {quoted(map_key(key))} contains the partition type, so it must be a string"
            context.add(
                PARTITION_TYPE, path, "Invalid", message, "write it as `{string: ...}`", where=(table, key, None)
            )


def node_allocatable(fields: dict[str, Any], inner: Link, context: Context) -> None:
    """The resources of a device by name, in the form that the release has."""
    capacity = fields.get("capacity") or {}
    for name, item in (fields.get("nodeAllocatableResourceMappings") or {}).items():
        _mapping_136(name, item or {}, ((inner, "nodeAllocatableResourceMappings"), name, None), capacity, context)
    for name, item in (fields.get("nodeAllocatableResources") or {}).items():
        here = ((inner, "nodeAllocatableResources"), name, None)
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
        place = (here, "mapping")
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
            if amount is not None and _amount(amount).quantity.exact < 0:
                message = f"{quoted(amount)} is negative: an overhead is at least 0"
                context.add(NODE_ALLOCATABLE_RESOURCES, (place, name), "Invalid", message, "write 0 or more")


def _capacity_key(key: str | None, place: Link, capacity: dict[str, Any], context: Context) -> None:
    if key is None:
        return
    if not key:
        hint: str | None = "leave it out, or name a capacity"
        context.add(NODE_ALLOCATABLE_RESOURCES, (place, "capacityKey"), "Invalid", "`capacityKey` is empty", hint)
    elif key not in capacity:
        message = f"the device has no capacity {quoted(key)}; {it_has(capacity)}"
        nothing = "name a capacity of this device, or add it" if capacity else "add it under `capacity`"
        hint, repair = meant(key, capacity, path_of((place, "capacityKey")), otherwise=nothing)
        context.add(NODE_ALLOCATABLE_RESOURCES, (place, "capacityKey"), "NotFound", message, hint, repair=repair)


def _positive(item: dict[str, Any], key: str, place: Link, context: Context) -> None:
    amount = item.get(key)
    if amount is not None and _amount(amount).quantity.exact <= 0:
        message = f"{quoted(amount)} is not positive: a multiplier is above 0"
        context.add(NODE_ALLOCATABLE_RESOURCES, (place, key), "Invalid", message, "write an amount above 0")


_INT64 = 2**63 - 1
_FRACTIONAL = "DRAFractionalCapacityRange"


class _Amount(NamedTuple):
    """A quantity and how the manifest spells it."""

    text: str
    quantity: Quantity


def _amount(value: str | float | None) -> _Amount:
    if value is None:
        return _Amount("0", ZERO)
    text = value if isinstance(value, str) else number_text(value)
    return _Amount(text, read_quantity(text))


def capacities(fields: dict[str, Any], inner: Link, context: Context) -> None:
    """The request policies of all capacities of a device."""
    shown = context.limits.limit("Device", "capacity", "shown")
    for name, item in (fields.get("capacity") or {}).items():
        policy = item.get("requestPolicy") if isinstance(item, dict) else None
        if policy is None:
            continue
        link = (((inner, "capacity"), name, shown), "requestPolicy")
        if not fields.get("allowMultipleAllocations"):
            message = "`requestPolicy` requires `allowMultipleAllocations: true` on the device"
            hint = "write allowMultipleAllocations: true next to capacity, or remove requestPolicy"
            context.add(REQUEST_POLICY, link, "Forbidden", message, hint, target="key")
            continue
        _policy(_amount(item.get("value")), policy, link, context)


def request_policy(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """A policy is judged with its device (`capacities`), which alone knows whether the number of values counts.

    So the table does not check `validValues`.
    """
    return ("validValues",)


def _policy(capacity: _Amount, policy: dict[str, Any], link: Link, context: Context) -> None:
    values, bounds = policy.get("validValues") or [], policy.get("validRange")
    if values and bounds is not None:
        message = "`validValues` and `validRange` exclude each other"
        context.add(
            REQUEST_POLICY, link, "Forbidden", message, "keep one of the two", where=(link, "validRange"), target="key"
        )
        return
    present = "validValues" if values else "validRange"
    if not values and bounds is None:
        return
    if policy.get("default") is None:
        message = f"`default` is required with `{present}`"
        context.add(MISSING_FIELD, (link, "default"), "Required", message, "set the amount for a request without one")
        return
    default = _amount(policy["default"])
    if values:
        _values(default, capacity, [_amount(value) for value in values], (link, "validValues"), link, context)
    else:
        _Range(default, capacity, bounds or {}, link, context).check()


def _values(
    default: _Amount, capacity: _Amount, values: list[_Amount], link: Link, policy: Link, context: Context
) -> None:
    for position in range(1, len(values)):
        before, value = values[position - 1], values[position]
        if before.quantity.exact > value.quantity.exact:
            message = f'"{value.text}" is less than "{before.text}" before it; `validValues` must ascend'
            context.add(REQUEST_POLICY, (link, position), "Invalid", message, "sort the values")
    too_long = too_many(context, link, "CapacityRequestPolicy", "validValues", values)
    hidden = too_long and "long-list-hides-items" in context.does
    if not hidden:
        first: dict[object, int] = {}
        for position, value in enumerate(values):
            if value.quantity.exact > capacity.quantity.exact:
                message = f'"{value.text}" is more than the capacity, {quoted(capacity.text)}'
                hint = "remove the entry, or raise the `value` of the capacity"
                context.add(REQUEST_POLICY, (link, position), "Invalid", message, hint)
            key = value.quantity.decimal_text() if _FRACTIONAL in context.gates else value.quantity.integer()
            if key in first:
                same = values[first[key]].text
                rounded = "" if same == value.text else f' (the same as "{same}", once rounded up to whole units)'
                message = f'"{value.text}" is already the {ordinal(first[key])} entry{rounded}'
                related = (("first used here", (*path_of(link), first[key])),)
                context.add(DUPLICATE_ENTRY, (link, position), "Duplicate", message, "remove it", related=related)
            first.setdefault(key, position)
    if hidden or all(value.quantity.exact != default.quantity.exact for value in values):
        if hidden and any(value.quantity.exact == default.quantity.exact for value in values):
            message = f'dralint does not look for the default "{default.text}" in a list that is too long'
        else:
            message = f'the default "{default.text}" is not one of the valid values'
        hint = "add it to `validValues`, or make one of them the default"
        context.add(
            REQUEST_POLICY, link, "Invalid", message, hint, related=(("the default", (*path_of(policy), "default")),)
        )


_LOWER = "write a smaller amount, or raise the `value` of the capacity"


class _Range:
    """A range of amounts with what surrounds it; `link` leads to the policy."""

    def __init__(
        self, default: _Amount, capacity: _Amount, bounds: dict[str, Any], link: Link, context: Context
    ) -> None:
        self.default = default
        self.capacity = capacity
        self.bounds = bounds
        self.link = link
        self.range: Link = (link, "validRange")
        self.context = context

    def check(self) -> None:
        """Report what is wrong with the range."""
        if self.bounds.get("min") is None:
            message = "`min` is required in `validRange`"
            self.context.add(
                MISSING_FIELD, (self.range, "min"), "Required", message, "set the smallest amount, such as 1"
            )
            return
        low = _amount(self.bounds["min"])
        high = None if self.bounds.get("max") is None else _amount(self.bounds["max"])
        step = None if self.bounds.get("step") is None else _amount(self.bounds["step"])
        self._order(low, high)
        members = [("default", self.default), ("min", low), ("max", high), ("step", step)]
        amounts = [(key, amount) for key, amount in members if amount is not None]
        milli = _FRACTIONAL in self.context.gates and any(a.quantity.exact.denominator != 1 for _, a in amounts)
        what = "is not a whole number of thousandths"
        if milli and not self._all(amounts, lambda q: q.integer(3) == q.exact * 1000, what, "use the suffix m"):
            return
        if step is not None:
            self._step(low, high, step, amounts, milli=milli)

    def _bad(self, key: str, message: str, hint: str | None = None, *, at: str = "", default: bool = False) -> None:
        """Report at `key` of the range, underlined at `at` where the range has no such key."""
        where = (self.range, at) if at else None
        related = (("the default", (*path_of(self.link), "default")),) if default else ()
        self.context.add(REQUEST_POLICY, (self.range, key), "Invalid", message, hint, where=where, related=related)

    def _order(self, low: _Amount, high: _Amount | None) -> None:
        renamed, amount = "range-default-path" in self.context.does, self.default.quantity.exact
        if high is not None and low.quantity.exact > high.quantity.exact:
            message = f'max "{high.text}" is less than min, "{low.text}"'
            self._bad("max", message, "swap the two, or correct one of them")
        for key, bound, hint in (
            ("min", low, "raise the default, or lower `min`"),
            ("max", high, "lower the default, or raise `max`"),
        ):
            if bound is None:
                continue
            if bound.quantity.exact > self.capacity.quantity.exact:
                self._bad(key, f'{key} "{bound.text}" is more than the capacity, "{self.capacity.text}"', _LOWER)
            if amount < bound.quantity.exact if key == "min" else amount > bound.quantity.exact:
                than = "less" if key == "min" else "more"
                message = f'the default "{self.default.text}" is {than} than {key}, "{bound.text}"'
                self._bad("default" if renamed else key, message, hint, at=key, default=True)

    def _all(
        self, amounts: list[tuple[str, _Amount]], fits: Callable[[Quantity], bool], what: str, hint: str | None = None
    ) -> bool:
        """Say whether all amounts fit; report the others: the default, which is outside of the range, at `min`."""
        unfit = [(key, amount.text) for key, amount in amounts if not fits(amount.quantity)]
        for key, text in unfit:
            outside = key == "default"
            self._bad(key, f'{key} "{text}" {what}', hint, at="min" if outside else "", default=outside)
        return not unfit

    def _step(
        self, low: _Amount, high: _Amount | None, step: _Amount, amounts: list[tuple[str, _Amount]], *, milli: bool
    ) -> None:
        strict = "step-positive" in self.context.does
        if strict and step.quantity.exact <= 0:
            self._bad("step", f'step "{step.text}" is not positive', "write an amount above 0")
            return
        if low.quantity.exact + step.quantity.exact > self.capacity.quantity.exact:
            message = f'min "{low.text}" and one step "{step.text}" are more than the capacity, "{self.capacity.text}"'
            self._bad("step", message, "write a smaller step, or leave it out")
        what = f"is out of range: with a step, amounts lie between 0 and {_INT64}"
        if strict and not milli and not self._all(amounts, lambda q: 0 <= q.exact <= _INT64, what):
            return
        digits = 3 if milli else 0
        divisor, base = step.quantity.integer(digits), low.quantity.integer(digits)
        if divisor == 0:
            self._bad("step", f'step "{step.text}" is zero: the server fails on the request', "set at least 1")
            return
        for key, amount in (("the default", self.default), ("max", high)):
            if amount is not None and (amount.quantity.integer(digits) - base) % divisor:
                message = (
                    f'{key} "{amount.text}" is not a whole number of steps of "{step.text}" above min, "{low.text}"'
                )
                hint = "write an amount of whole steps above `min`, or another step"
                self._bad("step", message, hint, default=amount is self.default)


_SELECTION = _SELECTIONS[:3]


def device(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """Check a device: its amounts, its nodes, and the relations between its fields."""
    inner, fields = nested_link(link, context), nested_device(value, context)
    _number_of_attributes(fields, link, inner, context)
    _device_nodes(fields, link, inner, context)
    capacities(fields, inner, context)
    consumption(fields, link, inner, context)
    binding_conditions(fields, inner, context, "Device")
    node_allocatable(fields, inner, context)
    if is_declarative(context) and len(fields.get("taints") or ()) > context.limits.limit(
        "Device", "taints", "maxItems"
    ):
        taint_effects(fields, inner, context)
    return _unread(context)


def basic_device(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """Return the fields under `basic` that are not checked; `device` has already checked the others."""
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


def _number_of_attributes(fields: dict[str, Any], link: Link, inner: Link, context: Context) -> None:
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
        values = sum(_number_of_values(item) for item in attributes.values())
        most = context.limits.total("device-values")
        if values > most:
            message = f"the attributes of the device have {values} values together; at most {most} are allowed"
            hint = "remove what no selector uses"
            context.add(DEVICE_VALUES, link, "Invalid", message, hint, where=(inner, "attributes"), target="key")


def _number_of_values(attribute: dict[str, Any] | None) -> int:
    """Return the number of values of an attribute: each item of its lists, or one."""
    return sum(len(value) for value in (attribute or {}).values() if isinstance(value, list)) or 1


def _device_nodes(fields: dict[str, Any], link: Link, inner: Link, context: Context) -> None:
    given = [key for key in _SELECTION if fields.get(key) is not None]
    if not _per_device(context):
        if given:
            message = f"the device sets `{given[0]}`, but its slice does not set `perDeviceNodeSelection`"
            hint = "set spec.perDeviceNodeSelection: true and no other node selection in spec, or remove the field"
            context.add(SLICE_NODES, link, "Invalid", message, hint, where=(inner, given[0]), target="key")
        return
    lacks = "the device does not say which nodes can use it: spec.perDeviceNodeSelection is true, so"
    hint = "for a device of one node set nodeName, for one that every node can use allNodes: true"
    choices = ", ".join(f"`{key}`" for key in _SELECTION)
    _exactly_one(fields, _SELECTION, choices, (lacks, hint, "keep one of them"), link, inner, context)


# What the API server accepts and what works, but is hardly meant.


def taint_rule(value: dict[str, Any], link: Link, context: Context) -> None:
    """A rule that selects nothing in particular ends all Pods with devices."""
    selector = value.get("deviceSelector") or {}
    narrowed = any(selector.get(key) for key in ("driver", "pool", "device", "deviceClassName", "selectors"))
    if not narrowed and (value.get("taint") or {}).get("effect") == "NoExecute":
        message = (
            "the rule selects every device of every driver, and NoExecute evicts all running Pods that use one and do "
            "not tolerate it"
        )
        hint = "select a driver, pool or device; with effect None, the status first shows what the rule would affect"
        context.add(TAINT_RULE_FOR_EVERYTHING, (link, "deviceSelector"), None, message, hint, target="key")


def driver_case(value: dict[str, Any], link: Link, context: Context) -> None:
    """The server warns of a driver with upper-case letters from 1.35 on (pkg/registry/resource/resourceslice)."""
    driver = value.get("driver") or ""
    if "upper-case-driver-warning" in context.does and driver != driver.lower() and driver_name(driver) is None:
        context.add(
            UPPER_CASE_DRIVER,
            (link, "driver"),
            None,
            f"{quoted(driver)} has upper-case letters: the server warns of it, and later releases may refuse it",
            f'did you mean "{driver.lower()}"?',  # no repair: the object works if the driver has that name
        )


def own_domain(value: dict[str, Any], link: Link, context: Context) -> None:
    """A name without a domain is in that of the driver (dynamic-resource-allocation cel/compile.go, v0.31.0, v0.37.0).

    Claims find the attribute under either name, in selectors and in constraints. Capacities are left alone: what a
    claim requests of them is compared as it is written.
    """
    driver = value.get("driver")
    if not driver:
        return
    prefix = f"{driver}/"
    found = list(_within(value, prefix, link, context))
    if not found:
        return
    plain = [at for at, twice in found if not twice]
    twice = [at for at, twice in found if twice]
    at = (twice or plain)[0]
    key = str(at[1])  # type: ignore[index]
    name = key.removeprefix(prefix)
    if twice:
        message = (
            f"{quoted(key)} and {quoted(name)} are the same attribute, because names without a domain are in "
            "the domain of the driver: it is undefined which of the two values a selector sees"
        )
        context.add(OWN_DOMAIN, at, None, message, f"remove one of the two; {name} is enough", target="key")
        return
    more = f" (and {len(plain) - 1} more in this slice)" if len(plain) > 1 else ""
    message = f"{quoted(key)} begins with the driver's own domain, which {quoted(name)} has by default{more}"
    repair = None
    if not value.get("partitionTypeAttribute"):  # that one has its full name
        changes = (Change("rename", path_of(each), str(each[1]).removeprefix(prefix)) for each in plain)  # type: ignore[index]
        repair = Repair(tuple(changes))  # a working object needs no other names
    context.add(OWN_DOMAIN, at, None, message, f"write {name}", target="key", repair=repair)


def _within(value: dict[str, Any], prefix: str, link: Link, context: Context) -> Iterator[tuple[Link, bool]]:
    """Yield the attributes with that prefix, and whether the device has the attribute without it as well."""
    for position, device in enumerate(value.get("devices") or ()):
        attributes = nested_device(device, context).get("attributes") or {}
        here = (nested_link(((link, "devices"), position), context), "attributes")
        for key in attributes:
            if key.startswith(prefix) and len(key) > len(prefix) and _has_one_value(attributes[key]):
                yield (here, key, None), key[len(prefix) :] in attributes


def _has_one_value(attribute: dict[str, Any] | None) -> bool:
    """Say whether an attribute has exactly one value; another one has a different problem first."""
    return (
        attribute is not None and len(attribute) == 1 and all(value not in (None, []) for value in attribute.values())
    )
