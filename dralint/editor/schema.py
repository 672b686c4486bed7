"""The types of an object in a text: those of the newest release that judges it, and those of the pack of a driver."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.drivers.choice import known_packs
from dralint.drivers.pack_file import field_lines
from dralint.drivers.shipped import CLASSES, RESOURCES
from dralint.finding.problem import at
from dralint.kubernetes import shipped
from dralint.kubernetes.shipped import resolve
from dralint.kubernetes.types import WORKLOADS, workload_types
from dralint.kubernetes.workloads import CLASS_QUOTA, IMPLICIT, POD_SPECS
from dralint.references.facts import Class
from dralint.schema.schemas import demanded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dralint.drivers.choice import Choice
    from dralint.editor.workspace import Workspace
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.types import Struct
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path


class Kind(NamedTuple):
    """A kind in its API version and release; `types` has its type and all types that this one uses."""

    release: Release
    api_version: str
    name: str
    types: Mapping[str, Struct]


def kind_of(workspace: Workspace, name: str, api_version: str, kind: str) -> Kind | None:
    """Return the types of a kind in a text; None where no judging release serves it."""
    releases = workspace.linter(name).releases
    if (api_version, kind) in POD_SPECS:
        return _workload(releases.newest, api_version, kind)
    serving = releases.serving(api_version, kind)
    if not serving:
        return None
    if kind in WORKLOADS:
        return _workload(serving[-1], api_version, kind)
    types = shipped.structs_of(str(serving[-1]), api_version, workspace.settings.schemas)
    return Kind(serving[-1], api_version, kind, types) if kind in types else None


def rooted(workspace: Workspace, name: str, item: ApiObject, path: Path) -> tuple[Kind | None, Path]:
    """Return the types of an object in a text, and the path there of a place.

    Within a Pod spec of a custom resource, these are the types of a Pod, and the path in it.
    """
    kind = kind_of(workspace, name, item.api_version, item.kind)
    for spec in item.pod_specs() if kind is None else ():
        if path[: len(spec)] == spec and len(path) > len(spec):
            return kind_of(workspace, name, "v1", "Pod"), ("spec", *path[len(spec) :])
    return kind, path


@cache
def _workload(release: Release, api_version: str, kind: str) -> Kind | None:
    core = shipped.structs_of(str(release), "v1")
    for served, types in workload_types(kind, core, release):
        if served == api_version:
            return Kind(release, api_version, kind, types)
    return None


def limits_of(kind: Kind, owner: str, name: str) -> Mapping[str, Any]:
    """Return the limits of a field from the table of limits."""
    return resolve(shipped.index()["limits"].get(owner, {}).get(name, {}), kind.release) or {}


def required(kind: Kind, owner: str) -> set[str]:
    """Return the required fields of a type."""
    struct = kind.types[owner]
    return {name for name in struct.fields if name in struct.required or demanded(limits_of(kind, owner, name))}


# Opaque parameters, by the pack of their driver in the version that judges.


class Parameter(NamedTuple):
    """A value in parameters: its form as the pack writes it, and the driver with its version."""

    form: dict[str, Any]
    driver: str

    @property
    def fields(self) -> dict[str, dict[str, Any]]:
        """The fields of an object."""
        found: dict[str, dict[str, Any]] = self.form.get("fields") or {}
        return found

    def wanted(self, there: object) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the fields that an object can still get, with their forms."""
        given = there if isinstance(there, dict) else {}
        for name, form in self.fields.items():
            needed = {**form.get("with", {}), **form.get("when", {})}
            if name not in given and all(given.get(key, value) == value for key, value in needed.items()):
                yield name, form

    def values(self) -> Iterator[tuple[str, str]]:
        """Yield the values that are known, each with the feature gate of the driver that it needs."""
        known = self.form.get("enum") or self.form.get("known") or ()
        for value in ("true", "false") if self.form["type"] == "bool" else known:
            gate = self.form.get("gates", {}).get(value)
            yield str(value), f"needs the driver's gate {gate}" if gate else ""


def form_text(name: str, form: dict[str, Any]) -> str:
    """Return the type and the limits of a field, as `dralint explain` words them."""
    return next(field_lines({name: form})).partition(": ")[2]


def parameter_at(workspace: Workspace, item: ApiObject, path: Path) -> Parameter | None:
    """Return what a pack says of a value at a path of an object; None outside of parameters that it knows."""
    number = next((n for n in range(1, len(path)) if path[n - 1 : n + 1] == ("opaque", "parameters")), None)
    driver = None if number is None else at(item.data, (*path[:number], "driver"))
    target = choice_of(workspace).target(driver) if isinstance(driver, str) else None
    rules = {} if target is None else target.pack.at(target.newest).get("parameters") or {}
    if number is None or target is None or not rules or rules.get("ignored"):
        return None
    form: dict[str, Any] = {"type": "object", "fields": _fields(rules, at(item.data, path[: number + 1]))}
    for step in path[number + 1 :]:
        inner = form.get("items" if isinstance(step, int) else "values") or form.get("fields", {}).get(step)
        if inner is None:
            return None
        form = inner
    return Parameter(form, f"{driver} {target.newest}")


def _fields(rules: dict[str, Any], value: object) -> dict[str, Any]:
    """Return the fields of parameters: those of their kind, if the driver has kinds."""
    if "kinds" not in rules:
        return dict(rules["fields"])
    kinds = {row["kind"]: row for row in rules["kinds"]}
    gates = {kind: row["gate"] for kind, row in kinds.items() if "gate" in row}
    chosen = kinds.get(str(at(value, ("kind",))), {"fields": {}})
    text = {"type": "string", "required": True}
    own = {"apiVersion": {**text, "enum": [rules["apiVersion"]]}, "kind": {**text, "enum": [*kinds], "gates": gates}}
    return {**own, **chosen["fields"]}


# The packs of drivers, and the classes that they and the workspace have.


def choice_of(workspace: Workspace) -> Choice:
    """Return the packs of drivers, with the versions and gates of the settings."""
    own = workspace.settings
    make = partial(known_packs, own.driver_packs, own.driver_versions, own.driver_gates)
    return workspace.kept("packs", own, make)


def keys_at(workspace: Workspace, item: ApiObject, path: Path) -> dict[str, str]:
    """Return the keys of a mapping that are names of classes, each with its meaning: extended resources of containers,
    and devices that a quota limits; none for another mapping."""
    own = {str(facts.name): facts.body for facts in workspace.facts() if isinstance(facts.body, Class)}
    names = [*own, *(name for name in sorted(CLASSES) if name not in own)]
    if item.kind == "ResourceQuota" and path == ("spec", "hard"):
        return {f"{name}{CLASS_QUOTA}": f"devices of the class {name} in the namespace" for name in names}
    if path[-2:-1] != ("resources",) or path[-1] not in ("limits", "requests"):
        return {}
    offered = {body.extended: name for name, body in own.items() if body.extended}
    found = {extended: f"extended resource of the class {name}" for extended, name in offered.items()}
    for extended, several in RESOURCES.items():
        found.setdefault(extended, f"extended resource of the class {several[0]}, in the chart of its driver")
    return {**found, **{f"{IMPLICIT}{name}": f"extended resource of the class {name}" for name in names}}
