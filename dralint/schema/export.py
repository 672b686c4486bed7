"""Writes the schemas for other tools: one file per kind under any naming scheme, or one file for all kinds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.workloads import GROUP
from dralint.schema.editors import for_editors, title
from dralint.schema.pods import SPEC, PodBuilder
from dralint.schema.pods import branches as pod_branches
from dralint.schema.transforms import DIALECT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.kubernetes.release import Release

LAYOUT = "{{.ResourceKind}}{{.KindSuffix}}.json"
_FIELD = re.compile(r"\{\{\s*\.?(\w*)\s*\}\}")


class LayoutError(ValueError):
    """A layout with an unknown field, or one that leads out of the folder or gives two schemas the same name."""


def fields(release: Release, api_version: str, kind: str) -> dict[str, str]:
    """Return the fields of a layout; they mean the same as in kubeconform (pkg/registry/registry.go v0.8.0)."""
    group, _, version = api_version.rpartition("/")
    return {
        "Group": group,
        "Kind": kind,
        "KindSuffix": f"-{group.partition('.')[0]}-{version}".lower(),
        "NormalizedKubernetesVersion": f"v{release}.0",
        "Release": str(release),
        "ResourceAPIVersion": version,
        "ResourceKind": kind.lower(),
        "StrictSuffix": "-strict",
    }


def place(layout: str, release: Release, api_version: str, kind: str) -> str:
    """Return the relative path of a schema in a layout; LayoutError has the mistake in the layout."""
    values = fields(release, api_version, kind)

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise LayoutError(f"the layout names {match[0]!r}; there is: {', '.join(sorted(values))}")
        return values[match[1]]

    path = _FIELD.sub(value, layout)
    parts = path.replace("\\", "/").split("/")
    if not path or parts[0] in ("", "~") or ".." in parts or ":" in path or path.endswith("/"):
        raise LayoutError(f"the layout gives {path!r}, which is not a file below the folder")
    return path


def layout_files(
    layout: str, schemas: Mapping[Release, Mapping[tuple[str, str], dict[str, Any]]]
) -> dict[str, dict[str, Any]]:
    """Return relative path → schema; LayoutError when two schemas would have the same path."""
    out: dict[str, dict[str, Any]] = {}
    origin: dict[str, str] = {}
    for release, kinds in schemas.items():
        for (api_version, kind), schema in kinds.items():
            path = place(layout, release, api_version, kind)
            here = f"{kind} of {api_version} in {release}"
            if path in out:
                missing = "{{.Release}}" if len(schemas) > 1 else "{{.KindSuffix}}"
                msg = f"the layout gives {origin[path]} and {here} the same file {path!r}; put {missing} into it"
                raise LayoutError(msg)
            out[path], origin[path] = schema, here
    return out


def bundle(
    release: Release,
    schemas: Mapping[tuple[str, str], dict[str, Any]],
    core: Mapping[str, Any],
) -> dict[str, Any]:
    """Return one schema that judges an object by its apiVersion and kind, in the form for editors.

    It judges only the claim parts of Pods and workloads; other objects pass.

    Args:
        release: the release.
        schemas: the schema of each API version and kind of the group.
        core: the OpenAPI schemas of the core group, as far as claims need them.
    """
    definitions: dict[str, Any] = {}
    branches: list[dict[str, Any]] = []

    def add(api_version: str, kind: str, then: dict[str, Any]) -> None:
        properties = {"apiVersion": {"const": api_version}, "kind": {"const": kind}}
        branches.append({"if": {"properties": properties, "required": ["apiVersion", "kind"]}, "then": then})

    def define(prefix: str, schemas: Mapping[str, Any]) -> None:
        for name, schema in schemas.items():
            definitions[f"{prefix}.{name}"] = {**_renamed(schema, prefix), "title": title(name)}

    for (api_version, kind), schema in sorted(schemas.items()):
        prefix = api_version.rpartition("/")[2]
        define(prefix, schema["$defs"])
        body = {key: value for key, value in schema.items() if key not in ("$schema", "$defs")}
        definitions[f"{prefix}.{kind}"] = {**_renamed(body, prefix), "title": f"{kind} of {api_version}"}
        add(api_version, kind, {"$ref": f"#/$defs/{prefix}.{kind}"})
    versions = sorted({api_version for api_version, _ in schemas})
    in_group = {"properties": {"apiVersion": {"pattern": f"^{re.escape(GROUP)}(/|$)"}}, "required": ["apiVersion"]}
    branches.append({"if": in_group, "then": {"properties": {"apiVersion": {"enum": versions}}}})
    define("pods", PodBuilder(release, core).definitions([SPEC]))
    for api_version, kind, body in pod_branches():
        add(api_version, kind, {"title": kind, **_renamed(body, "pods")})
    return {
        "$schema": DIALECT,
        "title": f"{GROUP} (Kubernetes {release})",
        "allOf": for_editors(branches),
        "$defs": {name: for_editors(schema) for name, schema in definitions.items()},
    }


def _renamed(schema: Any, prefix: str) -> Any:
    """Return the schema with its references into `$defs` under a prefix."""
    if isinstance(schema, dict):
        return {
            key: f"#/$defs/{prefix}.{value.rpartition('/')[2]}"
            if key == "$ref" and isinstance(value, str)
            else _renamed(value, prefix)
            for key, value in schema.items()
        }
    if isinstance(schema, list):
        return [_renamed(item, prefix) for item in schema]
    return schema
