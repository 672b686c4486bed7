"""Schemas as files for editors and other tools: their names, text, and how to write them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from dralint.files.atomic import write_atomically
from dralint.kubernetes import shipped
from dralint.kubernetes.workloads import GROUP
from dralint.schema.transforms import DIALECT, SPEC, Builder, PodBuilder, for_editors, title
from dralint.schema.transforms import branches as pod_branches

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dralint.kubernetes.release import Release


def of_document(
    release: Release, document: Mapping[str, Any], catalogue: Path | None = None
) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the schema of every API version and kind of a release's trimmed OpenAPI.

    `catalogue` is a compiled catalogue in the place of the shipped one.
    """
    out: dict[tuple[str, str], dict[str, Any]] = {}
    for api_version, kinds in document["kinds"].items():
        builder = Builder(release, document["schemas"][api_version], shipped.index(catalogue), catalogue=catalogue)
        for row in kinds:
            out[api_version, row["kind"]] = builder.kind(api_version, row["kind"])
    return out


def file_name(release: Release, api_version: str, kind: str) -> str:
    """Return the path of a schema in a folder of schemas: `1.34/resource.k8s.io_v1_ResourceClaim.json`."""
    return f"{release}/{api_version.replace('/', '_')}_{kind}.json"


def text(schema: object) -> str:
    """Return the text of a schema: keys sorted, a line for each value, a newline at the end."""
    return json.dumps(schema, indent=1, sort_keys=True) + "\n"


def index(documents: Mapping[Release, Mapping[str, Any]]) -> dict[str, dict[str, dict[str, str]]]:
    """Return the table of contents of a folder of schemas: release → API version → kind → file."""
    return {
        str(release): {
            api_version: {row["kind"]: file_name(release, api_version, row["kind"]) for row in kinds}
            for api_version, kinds in document["kinds"].items()
        }
        for release, document in documents.items()
    }


def is_index(path: Path) -> bool:
    """Say whether a file is a table of contents as `index` makes it."""
    try:
        rows = json.loads(path.read_bytes()) if path.is_file() else None
        return isinstance(rows, dict) and all(
            kind in file for versions in rows.values() for kinds in versions.values() for kind, file in kinds.items()
        )
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return False


def existing(files: Mapping[Path, str]) -> list[Path]:
    """Return the files that exist with another text."""
    return sorted(path for path, content in files.items() if path.exists() and not _same(path, content))


def _same(path: Path, content: str) -> bool:
    try:
        return path.read_bytes() == content.encode()
    except OSError:
        return False


def write(files: Mapping[Path, str]) -> None:
    """Write the files, each at once or not at all; OSError when one cannot be written."""
    for path, content in files.items():
        write_atomically(path, content.encode("utf-8"), make_folder=True)


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
