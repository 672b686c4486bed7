"""Checks a device whose slice, or list, is too long: declarative validation has no limit there and still checks it.

Source: pkg/apis/resource/v1/zz_generated.validations.go, v1.37.0, and v1.35.4 where a gate lets it take over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.rule_ids import MISSING_FIELD, ONE_OF
from dralint.validate.constraints import check_string, duplicates, report_missing, too_many
from dralint.validate.relations.slice_shape import nested_device, nested_link

if TYPE_CHECKING:
    from dralint.finding.path import Link
    from dralint.validate.context import Context

SCALARS, LISTS = ("bool", "int", "string", "version"), ("bools", "ints", "strings", "versions")
"""The values that an attribute can have."""
_VALUES = (*SCALARS, *LISTS)


def runs(context: Context) -> bool:
    """Say whether declarative validation runs on slices."""
    by_gate = "declarative-by-gate" in context.does and "DeclarativeValidationTakeover" in context.gates
    return by_gate or "declarative" in context.does


def device(item: dict[str, Any], link: Link, context: Context) -> None:
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
