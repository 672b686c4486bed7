"""What is still checked in a device whose slice, or list, is too long: declarative validation knows of no limit there.

Source: pkg/apis/resource/v1/zz_generated.validations.go, v1.37.0, and v1.35.4 where a gate lets it take over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.validate.limits import MISSING, check_string, duplicates, report_too_many
from dralint.validate.relations.slice_shape import nested_device, nested_link

if TYPE_CHECKING:
    from dralint.finding.problem import Link
    from dralint.validate.context import Scope

SCALARS, LISTS = ("bool", "int", "string", "version"), ("bools", "ints", "strings", "versions")
"""The values that an attribute can have."""

_EFFECTS = {"enum": ["NoSchedule", "NoExecute", "None"]}
_LABEL = {"format": "dns-label"}
_ONE_OF, _SHOWN = "DRA215", 96
_MAX_CONSUMED, _MAX_GROUPS, _MAX_CONDITIONS = 2, 2, 4


def runs(scope: Scope) -> bool:
    """Say whether declarative validation has a say on slices."""
    by_gate = "declarative-by-gate" in scope.does and "DeclarativeValidationTakeover" in scope.gates
    return by_gate or "declarative" in scope.does


def device(item: dict[str, Any], link: Link, scope: Scope) -> None:
    """A device of a slice with too many of them."""
    inner, fields = nested_link(link, scope), nested_device(item, scope)
    for key, attribute in (fields.get("attributes") or {}).items():
        # It does not count an empty list as a value.
        given = {name: value for name, value in (attribute or {}).items() if value != []}
        one_value(given, ((inner, "attributes"), key, _SHOWN), scope)
    taint_effects(fields, inner, scope)
    for key in ("bindingConditions", "bindingFailureConditions"):
        items = fields.get(key) or []
        if len(items) > _MAX_CONDITIONS:
            report_too_many(scope, (inner, key), key, items, _MAX_CONDITIONS)
    _consumption(fields.get("consumesCounters") or [], (inner, "consumesCounters"), scope)
    for key, item in (fields.get("nodeAllocatableResources") or {}).items():
        one_mapping(item or {}, ((inner, "nodeAllocatableResources"), key, None), scope)


def one_value(value: dict[str, Any], link: Link, scope: Scope) -> None:
    """Report an attribute with no value or more than one."""
    present = [key for key in (*SCALARS, *LISTS) if value.get(key) is not None]
    empty = [key for key in present if value[key] == []]
    if len(present) == 1:
        if empty and "declarative" in scope.does:
            message = f"the attribute has no value: `{empty[0]}` is an empty list"
            scope.add(
                _ONE_OF, link, "Invalid", message, "leave the attribute out", where=(link, empty[0]), target="key"
            )
        return
    choices = (*SCALARS, *LISTS) if "DRAListTypeAttributes" in scope.gates else SCALARS
    words = ", ".join(choices)
    if not present:
        reason = "Invalid" if "empty-attribute-invalid" in scope.does else "Required"
        scope.add(_ONE_OF, link, reason, f"the attribute has no value: exactly one of {words} must be set")
        return
    scope.add(
        _ONE_OF,
        link,
        "Invalid",
        f"the attribute has {len(present)} values ({', '.join(present)}): exactly one of {words} must be set",
        f"keep `{present[0]}` or make it two attributes",
        where=(link, present[1]),
        target="key",
    )


def one_mapping(item: dict[str, Any], here: Link, scope: Scope) -> None:
    """Exactly one of capacityKey and deviceMultiplier."""
    mapping = item.get("mapping")
    if mapping is None:
        return
    count = sum(mapping.get(key) is not None for key in ("capacityKey", "deviceMultiplier"))
    if count != 1:
        which = "both are" if count else "none is"
        message = f"exactly one of `capacityKey` and `deviceMultiplier` must be set, but {which}"
        scope.add(_ONE_OF, (here, "mapping"), "Invalid", message)


def taint_effects(fields: dict[str, Any], inner: Link, scope: Scope) -> None:
    """The effects of all taints of a device."""
    for position, item in enumerate(fields.get("taints") or ()):
        here: Link = (((inner, "taints"), position), "effect")
        effect = (item or {}).get("effect")
        if effect:
            check_string(effect, here, scope, _EFFECTS)
        else:
            scope.add(MISSING, here, "Required", f"`effect` is required; allowed: {', '.join(_EFFECTS['enum'])}")


def counter_keys(value: dict[str, Any], link: Link, scope: Scope) -> None:
    """The names of counters, also where there are too many."""
    here: Link = (link, "counters")
    for key in value.get("counters") or {}:
        check_string(key, here, scope, _LABEL, where=(here, key, None), target="key")


def _consumption(entries: list[dict[str, Any] | None], link: Link, scope: Scope) -> None:
    if len(entries) > _MAX_CONSUMED:
        report_too_many(scope, link, "consumesCounters", entries, _MAX_CONSUMED)
        return
    duplicates(entries, ["counterSet"], link, scope, at_item=True)
    for position, item in enumerate(entries):
        entry, here = item or {}, (link, position)
        name = entry.get("counterSet")
        if name:
            check_string(name, (here, "counterSet"), scope, _LABEL)
        else:
            scope.add(MISSING, (here, "counterSet"), "Required", "`counterSet` is required and is missing or empty")
        if "declarative" not in scope.does:
            continue
        if not entry.get("counters"):
            scope.add(MISSING, (here, "counters"), "Required", "`counters` is required and is missing or empty")
        counter_keys(entry, here, scope)
        groups = entry.get("compatibilityGroups") or []
        if len(groups) > _MAX_GROUPS:
            report_too_many(scope, (here, "compatibilityGroups"), "compatibilityGroups", groups, _MAX_GROUPS)
            continue
        duplicates(groups, "set", (here, "compatibilityGroups"), scope, at_item=True)
        for index, group in enumerate(groups):
            check_string(group or "", ((here, "compatibilityGroups"), index), scope, _LABEL)
