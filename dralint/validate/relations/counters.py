"""Counter sets of a slice and their use in 1.33 and 1.34; later, the sets are in other slices.

Source: validateResourceSliceSpec, validateDevice in pkg/apis/resource/validation/validation.go, v1.33.13 and v1.34.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.path import path_of
from dralint.finding.rule_ids import SHARED_COUNTERS
from dralint.finding.suggestion import meant
from dralint.finding.words import quoted
from dralint.validate.declared_names import DeclaredNames, NameUse, declarations
from dralint.validate.relations.slice_shape import nested_device, nested_link

if TYPE_CHECKING:
    from dralint.finding.path import Link
    from dralint.validate.context import Context


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
