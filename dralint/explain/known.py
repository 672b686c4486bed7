"""Finds names that are no field or rule: known faults, kinds with Pods, API versions, names of driver packs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dralint.drivers.devices import ATTRIBUTES, CAPACITY, full_name
from dralint.drivers.pack_file import class_line, entry_line, field_lines, gate_line, page
from dralint.kubernetes.known_bugs import bugs
from dralint.kubernetes.near import closest, letters_and_digits, listed
from dralint.kubernetes.served import ApiVersions
from dralint.kubernetes.workloads import IMPLICIT, named_kinds
from dralint.report.words import release_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.drivers.choice import Choice
    from dralint.drivers.pack import Pack


def known(topic: str, choice: Choice) -> list[str]:
    """Return the page of a known fault by its issue, of a kind, or of an API version; nothing for another topic."""
    return [*_of_fault(topic, choice), *_of_kind(topic, choice), *_of_version(topic)]


def _of_fault(topic: str, choice: Choice) -> Iterator[str]:
    """Yield the faults of releases and of drivers whose issue has this name, or the end of it."""
    if "#" not in topic:
        return
    for bug in bugs():
        if bug.name == topic:
            yield f"{bug.name}: a known {'change' if bug.change else 'fault'} of Kubernetes"
            yield f"  {bug.effect}"
            yield f"  releases: {', '.join(str(release) for release, _, _ in bug.spans)}"
            yield f"  fixed in: {', '.join(bug.fixed) or 'no release'}"
            yield f"  until then: {bug.until}"
    for pack in filter(None, map(choice.pack, choice.drivers)):
        for row in pack.data.get("faults", ()):
            if row["issue"] == topic or row["issue"].endswith(f"/{topic}"):
                yield f"{row['issue']}: a known fault of {pack.driver}"
                yield f"  {row['effect']}"
                yield f"  versions: {row.get('since', pack.versions[0])} to {row.get('until', pack.versions[-1])}"
                yield f"  instead: {row['instead']}"


def _of_kind(topic: str, choice: Choice) -> Iterator[str]:
    """Yield where a custom kind has its Pods, and what drivers make of an object of a kind."""
    name, _, field = topic.partition(".")
    for group, kind in named_kinds(name):
        if kind.pods:
            yield f"{name} of {group}: a custom resource with Pods, whose claims dralint checks"
        for pod in kind.pods:
            numbers = " x ".join(map(_text, pod.number))
            yield f"  {_text(pod.at)}{f'; number of Pods: {numbers}' if numbers else ''}"
    for pack in filter(None, map(choice.pack, choice.drivers)):
        for row in pack.data.get("makes", ()):
            if row["kind"].lower() == name.lower():
                yield f"{row['kind']} of {row['apiVersion']}: {pack.driver} makes a ResourceClaimTemplate of it"
                yield f"  {row['template']}: the name of the template, for one device of the class {row['class']}"
                for key, value in row.get("spec", {}).items():
                    yield f"  spec.{key}: `dralint new` writes {value}"
                if field and f"spec.{field.removeprefix('spec.')}" not in (row["template"], *_paths(row)):
                    yield f"  dralint knows no more of {topic}"


def _text(pattern: tuple[str, ...]) -> str:
    return ".".join(pattern).replace(".[]", "[]").replace(".{}", "{}")


def _paths(row: dict[str, dict[str, object]]) -> list[str]:
    return [f"spec.{key}" for key in row.get("spec", {})]


def _of_version(topic: str) -> Iterator[str]:
    """Yield in which releases an API version is served."""
    versions = ApiVersions()
    wanted = topic if "/" in topic else f"resource.k8s.io/{topic}"
    served: dict[str, list[str]] = {}
    off: dict[str, list[str]] = {}
    for release in versions.known:
        for version, kind in versions.served(release):
            if version == wanted and not kind.endswith("List"):
                served.setdefault(kind, []).append(str(release))
                if version not in versions.default(release):
                    off.setdefault(kind, []).append(str(release))
    if served:
        yield f"{wanted}: an API version of Kubernetes"
    for kind, releases in sorted(served.items()):
        yield f"  {_served(versions, wanted, kind, releases, off.get(kind, []))}"


def version_text(api_version: str, kind: str) -> str:
    """Return which releases serve a kind in an API version, and from when none does; empty for an unknown one."""
    versions = ApiVersions()
    serving = [release for release in versions.known if (api_version, kind) in versions.served(release)]
    off = [str(release) for release in serving if api_version not in versions.default(release)]
    return _served(versions, api_version, kind, [*map(str, serving)], off) if serving else ""


def _served(versions: ApiVersions, wanted: str, kind: str, releases: list[str], off: list[str]) -> str:
    end = versions.ends(wanted, kind, versions.known[-1])
    gone = f"; {end.gone} does not serve it" if end is not None and end.gone is not None else ""
    where = f", off by default in {release_spans(off)}" if off else ""
    return f"{kind}: served by {release_spans(releases)}{where}{gone}"


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
