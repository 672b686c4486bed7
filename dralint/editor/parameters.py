"""Opaque parameters: the fields and values that the pack of a driver has for them, in the version that judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.drivers.pack_file import field_lines
from dralint.editor.devices import choice_of
from dralint.finding.problem import at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.editor.workspace import Workspace
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path


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
