"""Keys of mappings that are names of classes: extended resources of containers, and devices that a quota limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.drivers.shipped import RESOURCES
from dralint.editor import devices
from dralint.kubernetes.workloads import CLASS_QUOTA, IMPLICIT
from dralint.references.facts import Class

if TYPE_CHECKING:
    from dralint.editor.workspace import Workspace
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path


def keys_at(workspace: Workspace, item: ApiObject, path: Path) -> dict[str, str]:
    """Return the keys that a mapping at a path of an object can have, each with its meaning; none for another one."""
    classes = {str(facts.name): facts.body for facts in workspace.facts() if isinstance(facts.body, Class)}
    names = [*classes, *(name for name in devices.classes() if name not in classes)]
    if item.kind == "ResourceQuota" and path == ("spec", "hard"):
        return {f"{name}{CLASS_QUOTA}": f"devices of the class {name} in the namespace" for name in names}
    if path[-2:-1] != ("resources",) or path[-1] not in ("limits", "requests"):
        return {}
    offered = {body.extended: name for name, body in classes.items() if body.extended}
    found = {extended: f"extended resource of the class {name}" for extended, name in offered.items()}
    for extended, several in RESOURCES.items():
        found.setdefault(extended, f"extended resource of the class {several[0]}, in the chart of its driver")
    return {**found, **{f"{IMPLICIT}{name}": f"extended resource of the class {name}" for name in names}}
