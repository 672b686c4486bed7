"""The devices that a workspace knows: those of its ResourceSlices, and those of driver packs."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.cel.device_values import written
from dralint.drivers.choice import known_packs
from dralint.drivers.devices import ATTRIBUTES, Name, type_of
from dralint.drivers.devices import devices as kinds_of
from dralint.drivers.shipped import CLASSES, RESOURCES
from dralint.kubernetes.formats import STANDARD_DOMAIN, STANDARD_NAMES
from dralint.kubernetes.workloads import CLASS_QUOTA, IMPLICIT
from dralint.references.collect import facts_of
from dralint.references.facts import Class
from dralint.references.inventory import inventory_of
from dralint.simulate import selection

if TYPE_CHECKING:
    from dralint.drivers.choice import Choice
    from dralint.drivers.devices import Known
    from dralint.editor.workspace import Workspace
    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import Facts
    from dralint.references.inventory import KnownDevices
    from dralint.yaml import Path


PACK, STANDARD = "driver pack", "shared by drivers"
"""The sources of a name or value that no device of the workspace has."""


class Attribute(NamedTuple):
    """What is known of an attribute or capacity.

    Attributes:
        type: string, bool, int, version, quantity; empty where unknown.
        values: its values as an expression writes them, with the number of devices; 0 for a value from a pack.
        devices: how many devices have it, of how many.
        pack: the driver whose pack has it, if no device does.
    """

    type: str
    values: tuple[tuple[str, int], ...]
    devices: tuple[int, int]
    pack: str = ""


def stock_of(workspace: Workspace) -> KnownDevices:
    """Return the devices of a workspace; they are read again when a file with slices changes."""
    texts = {**workspace.inventory, **{name: workspace.raw(name) or b"" for name in workspace.names}}
    slices = {name: raw for name, raw in texts.items() if b"ResourceSlice" in raw}

    def make() -> KnownDevices:
        published: list[tuple[Facts, dict[str, Any]]] = []
        for name, raw in slices.items():
            published += workspace.kept(f"slices of {name}", raw, partial(_published, workspace, name))
        return inventory_of(published, whole=True)

    return workspace.kept("stock", slices, make)


def _published(workspace: Workspace, name: str) -> list[tuple[Facts, dict[str, Any]]]:
    out: list[tuple[Facts, dict[str, Any]]] = []
    for held, item in workspace.objects(name):
        facts = facts_of(item, name, held.document.index) if item.kind == "ResourceSlice" else None
        out += [] if facts is None else [(facts, item.data)]
    return out


def attribute(workspace: Workspace, which: str, domain: str, name: str) -> Attribute | None:
    """Return what is known of an attribute (`which` is `attributes`) or a capacity; None where it is unknown."""
    devices = stock_of(workspace).devices
    found = selection.values(devices, (which, domain, name))
    if found:
        counted = Counter(map(written, found))
        values = tuple(sorted(counted.items(), key=lambda row: (-row[1], row[0])))
        return Attribute(type_of(found[0]), values, (len(found), len(devices)))
    several = _of_packs(workspace).get(Name(which, domain, name), ())
    for driver, known in sorted(several, key=lambda row: row[0] != domain):
        listed = known.values or known.listed
        texts = tuple((written(value), 0) for value in listed)
        return Attribute("" if known.type == "any" else known.type, texts, (0, len(devices)), driver)
    return None


def domains(workspace: Workspace, which: str) -> dict[str, str]:
    """Return the domains of attributes or capacities with their sources; those of devices come first."""
    out = dict.fromkeys(sorted(selection.names(stock_of(workspace).devices, which)), "devices of the workspace")
    for driver in choice_of(workspace).drivers:
        out.setdefault(driver, PACK)
    if which == ATTRIBUTES:
        out.setdefault(STANDARD_DOMAIN, STANDARD)
    return out


def names(workspace: Workspace, which: str, domain: str) -> list[str]:
    """Return the names of the attributes or capacities of a domain; those that drivers share come first."""
    found = set(selection.names(stock_of(workspace).devices, which).get(domain, ()))
    found |= {name.name for name in _of_packs(workspace) if name[:2] == (which, domain)}
    shared = [name for name in STANDARD_NAMES if (which, domain) == (ATTRIBUTES, STANDARD_DOMAIN)]
    return [*shared, *sorted(found.difference(shared))]


def classes() -> list[str]:
    """Return the classes that the charts of drivers install."""
    return sorted(CLASSES)


def choice_of(workspace: Workspace) -> Choice:
    """Return the packs of drivers, with the versions and gates of the settings."""
    own = workspace.settings
    make = partial(known_packs, own.driver_packs, own.driver_versions, own.driver_gates)
    return workspace.kept("packs", own, make)


def _of_packs(workspace: Workspace) -> dict[Name, list[tuple[str, Known]]]:
    """Return what the packs know of each attribute and capacity, with the driver."""
    choice = choice_of(workspace)

    def make() -> dict[Name, list[tuple[str, Known]]]:
        out: dict[Name, list[tuple[str, Known]]] = {}
        for driver in choice.drivers:
            target = choice.target(driver)
            for kind in () if target is None else kinds_of(target.pack, target.newest):
                for name, known in kind.known.items():
                    out.setdefault(name, []).append((driver, known))
        return out

    return workspace.kept("names of packs", workspace.settings, make)


def plain(written: str) -> str:
    """Return a value of an expression as people write it: without quotes and without a type function."""
    return written.partition('"')[2].rpartition('"')[0] if '"' in written else written


def keys_at(workspace: Workspace, item: ApiObject, path: Path) -> dict[str, str]:
    """Return the keys of a mapping that are names of classes, each with its meaning: extended resources of containers,
    and devices that a quota limits; none for another mapping."""
    own = {str(facts.name): facts.body for facts in workspace.facts() if isinstance(facts.body, Class)}
    names = [*own, *(name for name in classes() if name not in own)]
    if item.kind == "ResourceQuota" and path == ("spec", "hard"):
        return {f"{name}{CLASS_QUOTA}": f"devices of the class {name} in the namespace" for name in names}
    if path[-2:-1] != ("resources",) or path[-1] not in ("limits", "requests"):
        return {}
    offered = {body.extended: name for name, body in own.items() if body.extended}
    found = {extended: f"extended resource of the class {name}" for extended, name in offered.items()}
    for extended, several in RESOURCES.items():
        found.setdefault(extended, f"extended resource of the class {several[0]}, in the chart of its driver")
    return {**found, **{f"{IMPLICIT}{name}": f"extended resource of the class {name}" for name in names}}
