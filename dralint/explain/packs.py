"""Finds a name in the packs of drivers: a driver, a class, an attribute or capacity, parameters, a gate."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dralint.drivers.devices import ATTRIBUTES, CAPACITY, full_name
from dralint.drivers.pack_file import class_line, entry_line, field_lines, gate_line, page
from dralint.kubernetes.near import closest, letters_and_digits, listed
from dralint.kubernetes.workloads import IMPLICIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.drivers.choice import Choice
    from dralint.drivers.pack import Pack

_NUMBER = re.compile(r"[0-9]+")


def of_driver(topic: str, choice: Choice) -> list[str]:
    """Return the page of a driver or of a class of its chart; nothing for another topic."""
    name = topic.lower()
    pack = choice.pack(name)
    if pack is not None:
        return list(page(pack, pack.newest))
    pack = choice.pack(choice.driver_of_class(name) or "")
    if pack is None:
        return []
    row = next(row for row in pack.data["classes"] if row["name"] == name)
    return _of_class(pack, row, row)


def of_resource(topic: str, choice: Choice) -> list[str]:
    """Return the page of an extended resource that a class of a chart offers, or any class by its own name.

    Nothing for another topic: a name of this form can as well be an attribute of a driver that nobody has described.
    """
    offering = list(_offering(topic, choice))
    implicit = topic.startswith(IMPLICIT)
    if not offering and not implicit:
        return []
    by = f"The DeviceClass {topic.removeprefix(IMPLICIT)} offers it."
    if not implicit:
        by = f"A device plugin offers it, or a DeviceClass with `extendedResourceName: {topic}`."
    lines = [
        f"{topic}: an extended resource",
        f"  A container requests it under `resources`, without a claim: `limits: {{{topic}: 1}}`.",
        f"  {by}",
        "  Since 1.34, DeviceClasses offer extended resources: `dralint explain DRAExtendedResource`.",
    ]
    for found in offering:
        lines += ["", *found]
    return lines


def _offering(resource: str, choice: Choice) -> Iterator[list[str]]:
    """Yield the lines of each class of a chart that offers an extended resource."""
    for pack in filter(None, map(choice.pack, choice.drivers)):
        for row in pack.data.get("classes", ()):
            offered = row.get("extendedResource")
            entry = offered if isinstance(offered, dict) else {**row, "value": offered}
            if entry["value"] == resource:
                yield _of_class(pack, row, entry)


def _of_class(pack: Pack, row: dict[str, Any], entry: dict[str, Any]) -> list[str]:
    """Return the lines of a class of a chart; `entry` has the versions that have it, or what is asked about."""
    head = f"DeviceClass {row['name']}, from the chart of the driver {pack.driver}{_span(pack, entry)}"
    return [head, f"  {class_line(row)}"]


def nearest(topic: str, choice: Choice) -> str | None:
    """Return `did you mean ...?` for the nearest driver or class, None where none is near."""
    return closest(topic, choice.names)


def named(topic: str, choice: Choice) -> list[str]:
    """Return a line, with what is below it, for each attribute, capacity, parameter and gate of that name."""
    return [line for driver in choice.drivers for pack in [choice.pack(driver)] if pack for line in _of(pack, topic)]


def _of(pack: Pack, topic: str) -> Iterator[str]:
    domain, slash, name = topic.rpartition("/")
    for key, which, noun in (("attributes", ATTRIBUTES, "attribute"), ("capacities", CAPACITY, "capacity")):
        for entry in pack.data.get(key, ()):
            full = full_name(which, pack.driver, entry["name"])
            if full.name.lower() == name.lower() and (not slash or domain.lower() == full.domain):
                yield f"{noun} of {pack.driver}{_span(pack, entry)}"
                yield f"  {entry_line(_plain(entry), pack.driver)}"
    for gate, row in pack.data.get("gates", {}).items():
        if gate.lower() == topic.lower():
            yield f"feature gate of {pack.driver}{_span(pack, row)}"
            yield f"  {gate_line(gate, row)}"
    rules = pack.at(pack.newest).get("parameters") or {}
    for kind in rules.get("kinds", ()):
        yield from _with_word(pack, rules, kind, topic)
        first, _, rest = topic.partition(".")
        fields = _fields(kind["fields"], rest) if first.lower() == kind["kind"].lower() else None
        if fields is not None:
            yield f"parameters of {pack.driver} {pack.newest}, apiVersion {rules['apiVersion']}"
            yield f"  {topic if rest else kind['kind']}"
            yield from (f"    {line}" for line in field_lines(fields))


def _with_word(pack: Pack, rules: dict[str, Any], kind: dict[str, Any], word: str) -> Iterator[str]:
    """Yield the fields of parameters that have a name, or a value of their list."""
    todo = [(kind["kind"], kind["fields"])]
    for path, fields in todo:
        for name, field in fields.items():
            if letters_and_digits(word) in map(letters_and_digits, (name, *map(str, field.get("enum", ())))):
                yield f"parameters of {pack.driver} {pack.newest}, apiVersion {rules['apiVersion']}"
                yield f"  {path}"
                yield from (f"    {line}" for line in field_lines({name: field}))
            below = field.get("fields") or field.get("items", {}).get("fields")
            if below:
                todo.append((f"{path}.{name}", below))


def _fields(fields: dict[str, Any], path: str) -> dict[str, Any] | None:
    """Return the fields below a path, None where it leads nowhere."""
    for step in path.split(".") if path else ():
        field = next((each for name, each in fields.items() if name.lower() == step.lower()), None)
        if field is None:
            return None
        fields = field.get("fields") or field.get("items", {}).get("fields") or {step: field}
    return fields


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with the values of all versions."""
    values = [each["value"] if isinstance(each, dict) else each for each in entry.get("values", ())]
    return {**entry, "values": values}


def _span(pack: Pack, entry: dict[str, Any]) -> str:
    """Return the versions of an entry, as the end of a line.

    They are listed where a later one has a lower number: the ends of such a range would say nothing.
    """
    since, until = entry.get("since"), entry.get("until")
    first = pack.versions.index(since) if since else 0
    last = pack.versions.index(until) if until else len(pack.versions) - 1
    within = pack.versions[first : last + 1]
    numbers = [tuple(map(int, _NUMBER.findall(version))) for version in within if _NUMBER.search(version)]
    if (since or until) and numbers != sorted(numbers):
        return f", in {listed(within, quote='')}"
    words = [f"since {since}"] if since else []
    words += [f"up to {until}"] if until else []
    return f", {' '.join(words)}" if words else ""
