"""The objects of a new manifest as data, with the comments that explain them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.drivers.devices import devices
from dralint.drivers.selected_devices import judged
from dralint.edit.edit import reached
from dralint.kubernetes.workloads import POD_SPECS
from dralint.migrate import convert
from dralint.new.condition import joined, parts
from dralint.new.text import dump

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dralint.drivers.devices import DeviceKind
    from dralint.drivers.pack import Pack
    from dralint.new.condition import Condition
    from dralint.yaml import Path

KINDS = ("claim", "template", "class", "pod")
WORKLOADS = {kind.lower(): (path, f"{version}/{kind}") for (version, kind), path in POD_SPECS.items()}
"""Name of a kind of workload in lower case → the path of its Pod spec, and its API version and kind."""

_NEWEST = "resource.k8s.io/v1"
_IMAGE = "registry.example.com/app:1.0"


class NewObject(NamedTuple):
    """An object to write: comments above it, comments at field paths, and comments below it."""

    data: dict[str, Any]
    above: tuple[str, ...] = ()
    notes: Mapping[Path, str] = {}
    below: tuple[str, ...] = ()


class User(NamedTuple):
    """The workload that will use a claim or template."""

    kind: str
    name: str

    @property
    def text(self) -> str:
        """The workload in the words of a comment."""
        return f"{WORKLOADS[self.kind][1].rpartition('/')[2]} {self.name}"


class Wanted(NamedTuple):
    """The purpose of a new manifest.

    `device_class` is the class of requests, with its selector if known; `version` is that of the driver.
    """

    driver: str
    name: str
    namespace: str | None
    api_version: str
    device_class: str
    devices: tuple[DeviceKind, ...]
    number: int = 1
    conditions: tuple[Condition, ...] = ()
    user: User | None = None

    @property
    def noun(self) -> str:
        """The word for a device of the driver: the first meaningful part of the driver's name."""
        return noun(self.driver)


def noun(driver: str) -> str:
    """Return the word for a device of a driver: `gpu` for gpu.nvidia.com, `net` for dra.net."""
    parts = [part for part in driver.split(".") if part != "dra"]
    return parts[0] if parts else "device"


def classes_of(pack: Pack, version: str) -> dict[str, tuple[DeviceKind, ...]]:
    """Return the classes that the chart of a driver installs for users, with their kinds of devices."""
    everything = devices(pack, version)
    out: dict[str, tuple[DeviceKind, ...]] = {}
    for row in pack.at(version).get("classes", ()):
        if row.get("forUsers", True):
            found = judged(row["cel"], everything) if "cel" in row else None
            out[row["name"]] = tuple(everything) if found is None else found.passing
    return out


def fitting(classes: Mapping[str, tuple[DeviceKind, ...]], conditions: Sequence[Condition]) -> str | None:
    """Return the first class with a device that can meet all conditions, or else the first; None without classes."""
    for name, several in classes.items():
        if any(all(device.find(each.name) for each in conditions) for device in several):
            return name
    return next(iter(classes), None)


def claim(wanted: Wanted) -> NewObject:
    """Return a ResourceClaim."""
    data = _object(wanted, "ResourceClaim", wanted.name, _devices(wanted))
    who = "The Pods that name it share its devices"
    if wanted.user is not None and wanted.user.kind != "pod":
        who = f"All Pods of the {wanted.user.text} share its devices; `dralint new template` gives each Pod its own"
    above = (f"A claim for {_amount(wanted)}.", f"{who}.")
    return _document(wanted, data, ("spec",), above, ("resourceClaimName", wanted.name))


def template(wanted: Wanted) -> NewObject:
    """Return a ResourceClaimTemplate."""
    data = _object(wanted, "ResourceClaimTemplate", wanted.name, {"spec": _devices(wanted)})
    above = (f"A template for claims: each Pod that names it gets a claim of its own, for {_amount(wanted)}.",)
    return _document(wanted, data, ("spec", "spec"), above, ("resourceClaimTemplateName", wanted.name))


def device_class(wanted: Wanted) -> NewObject:
    """Return a DeviceClass for the devices of a driver that meet the conditions."""
    several = [f'device.driver == "{wanted.driver}"', *parts(wanted.conditions, wanted.devices)]
    selector = {"cel": {"expression": joined(several)}}
    data = _object(wanted, "DeviceClass", wanted.name, {"selectors": [selector]})
    data["metadata"].pop("namespace", None)
    above = (f"A class for devices of the driver {wanted.driver}.", "Claims name it in deviceClassName.")
    return NewObject(data, above, _where(wanted, ("spec", "selectors", 0, "cel", "expression")))


def pod(wanted: Wanted, source: str) -> NewObject:
    """Return a Pod with a claim made from the template `source`."""
    data: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _metadata(wanted, wanted.name),
        "spec": _using(wanted, ("resourceClaimTemplateName", source), "app"),
    }
    data["spec"]["containers"][0] = {"name": "app", "image": _IMAGE, **data["spec"]["containers"][0]}
    notes: dict[Path, str] = {("spec", "containers", 0, "image"): "your image"}
    return NewObject(data, (), notes)


def made_by_driver(wanted: Wanted, row: Mapping[str, Any]) -> NewObject:
    """Return the object from which a driver makes a template; `row` is its entry in `makes`."""
    spec: dict[str, Any] = dict(row.get("spec", {}))
    path = row["template"].split(".")[1:]
    inner = spec
    for step in path[:-1]:
        inner = inner.setdefault(step, {})
    inner[path[-1]] = wanted.name
    data = {
        "apiVersion": row["apiVersion"],
        "kind": row["kind"],
        "metadata": _metadata(wanted, wanted.name),
        "spec": spec,
    }
    above = (
        f"The driver {wanted.driver} makes a ResourceClaimTemplate from this {row['kind']}.",
        "Do not write one of the same name.",
    )
    place = ("spec", *path)
    return NewObject(
        data, above, {place: "the template that Pods name"}, _below(wanted, ("resourceClaimTemplateName", wanted.name))
    )


def _object(wanted: Wanted, kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    data = {"apiVersion": _NEWEST, "kind": kind, "metadata": _metadata(wanted, name), "spec": spec}
    found, _ = convert.object(data, _NEWEST, wanted.api_version)
    return found


def _metadata(wanted: Wanted, name: str) -> dict[str, Any]:
    return {"name": name} if wanted.namespace is None else {"name": name, "namespace": wanted.namespace}


def _devices(wanted: Wanted) -> dict[str, Any]:
    exactly: dict[str, Any] = {"deviceClassName": wanted.device_class, "count": wanted.number}
    if wanted.conditions:
        expression = joined(parts(wanted.conditions, wanted.devices))
        exactly["selectors"] = [{"cel": {"expression": expression}}]
    return {"devices": {"requests": [{"name": wanted.noun, "exactly": exactly}]}}


def _document(
    wanted: Wanted, data: dict[str, Any], top: Path, above: tuple[str, ...], reference: tuple[str, str]
) -> NewObject:
    request: Path = (*top, "devices", "requests", 0)
    inner: Path = (*request, "exactly") if "exactly" in reached(data, request) else request
    notes = _where(wanted, (*inner, "selectors", 0, "cel", "expression"))
    return NewObject(data, above, notes, _below(wanted, reference))


def _where(wanted: Wanted, path: Path) -> dict[Path, str]:
    """Return the comment above an expression: the conditions as the user typed them."""
    return {path: " and ".join(each.text for each in wanted.conditions)} if wanted.conditions else {}


def _amount(wanted: Wanted) -> str:
    return f"one device of the class {wanted.device_class}" if wanted.number == 1 else (
        f"{wanted.number} devices of the class {wanted.device_class}"
    )  # fmt: skip


def _using(wanted: Wanted, reference: tuple[str, str], container: str) -> dict[str, Any]:
    """Return the part of a Pod spec that uses a claim or template."""
    field, name = reference
    return {
        "resourceClaims": [{"name": wanted.noun, field: name}],
        "containers": [{"name": container, "resources": {"claims": [{"name": wanted.noun}]}}],
    }


def _below(wanted: Wanted, reference: tuple[str, str]) -> tuple[str, ...]:
    """Return the comment that shows how the workload uses the object."""
    if wanted.user is None:
        return ()
    data: Any = _using(wanted, reference, "YOUR_CONTAINER")
    for step in reversed(WORKLOADS[wanted.user.kind][0]):
        data = {step: data}
    return (f"Add this to the {wanted.user.text}:", "", *(f"  {line}" for line in dump(data).splitlines()))
