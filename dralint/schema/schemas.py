"""Makes JSON Schemas (draft 2020-12) of OpenAPI and the table of limits, in small named steps, and their files."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from dralint.files.atomic import write_atomically
from dralint.kubernetes import gates, shipped
from dralint.kubernetes.formats import FORMATS
from dralint.kubernetes.shipped import UNION, resolve
from dralint.kubernetes.types import TRIMMED, Shape, Struct, pod_types, short_name, structs
from dralint.kubernetes.workloads import GROUP, POD_SPECS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from dralint.kubernetes.release import Release


_NEVER_WRITTEN = ("", None)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")


def for_editors(schema: Any) -> Any:
    """Return the schema in that form, with the same verdicts."""
    if isinstance(schema, list):
        return [for_editors(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":
            out[key] = {name: for_editors(inner) for name, inner in value.items()}
        else:
            out[key] = value if key in ("enum", "const", "default", "required", "type") else for_editors(value)
    kinds, allowed = schema.get("type"), schema.get("enum", [])
    nullable = isinstance(kinds, list) and "null" in kinds
    hidden = [value for value in allowed if value in _NEVER_WRITTEN]
    if not nullable and not hidden:
        return out
    shown: dict[str, Any] = {}
    if kinds is not None:
        rest = [kind for kind in ([kinds] if isinstance(kinds, str) else out.pop("type")) if kind != "null"]
        shown["type"] = rest[0] if len(rest) == 1 else rest
    other: dict[str, Any] = {"type": "null"}
    if allowed:
        shown["enum"] = [value for value in out.pop("enum") if value not in _NEVER_WRITTEN]
        kinds = [kind for kind, value in (("string", ""), ("null", None)) if value in hidden]
        other = {"type": kinds, "maxLength": 0}
    either = {"anyOf": [shown, {"not": {"not": other}}]}
    return {"allOf": [{"anyOf": out.pop("anyOf")}, either], **out} if "anyOf" in out else {**out, **either}


def title(type_: str) -> str:
    """Return the name of a type for people: `device request` for `DeviceRequest`."""
    words = _WORD.findall(type_.rpartition(".")[2])
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words)


DIALECT = "https://json-schema.org/draft/2020-12/schema"
DECODED = ".decoded"
"""The end of the name of a definition that has no limits."""

_NUMBER = r"([+-][0-9]*(\.[0-9]*)?|[0-9]+(\.[0-9]*)?|\.[0-9]*)"
_SUFFIX = r"([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)"
_SPACE = "[ \x85\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]*"
SCALARS: dict[str, dict[str, Any]] = {
    "Quantity": {
        "type": ["string", "number", "null"],
        "pattern": f"^{_SPACE}({_NUMBER}{_SUFFIX}?|{_SUFFIX}){_SPACE}$",
        "patternErrorMessage": "Write a quantity: a number, and a suffix such as m, k, M, G, Ki, Mi or Gi, as in 40Gi.",
    },
    "Time": {
        "type": ["string", "null"],
        "patternErrorMessage": "Write a time with seconds and a time zone, such as 2026-01-31T12:00:00Z.",
        "pattern": r"^[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}([.,][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$",
    },
}
"""The scalars with a definition of their own (apimachinery pkg/api/resource/quantity.go, pkg/apis/meta/v1/time.go)."""

_REFERENCES = {"quantity": "Quantity", "time": "Time"}
_INTEGERS = {"int32": 31, "int64": 63}
_KEPT = ("x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type")


_SUBDOMAIN = (
    "use lower-case letters, digits, hyphens and dots, with a letter or a digit at both ends of each part between dots"
)
PATTERNS = {
    "a DNS label": "Use lower-case letters, digits and hyphens, with a letter or a digit at both ends.",
    "a DNS subdomain": f"{_SUBDOMAIN.capitalize()}.",
    "the name of a node": f"{_SUBDOMAIN.capitalize()}.",
    "a driver name": f"Name a driver, such as gpu.example.com: {_SUBDOMAIN}.",
    "a pool name": f"Between slashes, {_SUBDOMAIN}.",
    "a C identifier": "Use letters, digits and underscores, and begin with no digit.",
    "a fully qualified name": "Write a domain, a slash and a name, such as gpu.example.com/model.",
    "a label key": "Write a name, or a domain, a slash and a name, such as example.com/owner.",
    "a label value": "Use letters, digits, hyphens, underscores and dots, with a letter or a digit at both ends.",
    "a UUID": "Write a UUID in lower case, such as 123e4567-e89b-12d3-a456-426614174000.",
    "the reason of a condition": "Write a word that begins with a letter, such as DeviceReady.",
    "an address with a prefix length": "Write an address, a slash and the length of its prefix, such as 10.0.0.5/24.",
    "an extended resource": "Write a domain, a slash and a name, such as example.com/gpu.",
}
"""The message of an editor for a text without the pattern of a format, by the title of the format."""


def nullable(kind: str) -> dict[str, Any]:
    """Return the schema of a JSON type that may be null."""
    return {"type": [kind, "null"]}


def reference(name: str) -> dict[str, Any]:
    """Return a reference to a definition of the same file."""
    return {"$ref": f"#/$defs/{name}"}


def not_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without null: a value of the field is required, and null is absence."""
    if "$ref" in schema:
        kinds = SCALARS.get(schema["$ref"].rpartition("/")[2], nullable("object"))["type"]
    elif "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    else:
        return {**schema, "not": {"type": "null"}}
    rest = [kind for kind in kinds if kind != "null"]
    return {**schema, "type": rest[0] if len(rest) == 1 else rest}


def shape_schema(shape: Shape) -> dict[str, Any]:
    """Return a schema that accepts exactly what the decoder accepts for a shape (dates and JSON's 1.0 excepted)."""
    kind = shape.shape
    if kind in ("string", "boolean", "number"):
        return nullable(kind)
    if kind in _INTEGERS:
        limit: int = 2 ** _INTEGERS[kind]
        return {**nullable("integer"), "format": kind, "minimum": -limit, "maximum": limit - 1}
    if kind in _REFERENCES:
        return reference(_REFERENCES[kind])
    if kind == "struct":
        return reference(shape.type)
    if kind == "list" and shape.of is not None:
        return {**nullable("array"), "items": shape_schema(shape.of)}
    if kind == "map" and shape.of is not None:
        return {**nullable("object"), "additionalProperties": shape_schema(shape.of)}
    return {}


def annotated(schema: dict[str, Any], source: Mapping[str, Any], shape: Shape) -> dict[str, Any]:
    """Return the schema with the enum of the OpenAPI (missing and empty allowed) and how lists are merged.

    Sets and keyed lists do not become `uniqueItems`: a plain create does not enforce them.
    """
    out = schema | {key: source[key] for key in _KEPT if key in source}
    if shape.shape == "string" and "enum" in source:
        out["enum"] = [*source["enum"], "", None]
    return out


def string_limits(schema: dict[str, Any], row: Mapping[str, Any], *, item: bool = False) -> dict[str, Any]:
    """Return the schema of a string with the keywords of its row; the empty string and null as the row has them.

    Items of a list are checked even when they are empty (`item`).
    """
    out = dict(schema)
    format_ = FORMATS[row["format"]] if "format" in row else None
    allowed = row.get("enum")
    empty = row.get("empty", "ok")
    if item:
        empty = "checked" if format_ is not None or allowed is not None else "ok"
    refused = empty not in ("ok", "checked")
    checked = empty == "checked" and (
        (format_ is not None and format_.check("") is not None) or (allowed is not None and "" not in allowed)
    )
    if format_ is not None:
        out.update(format_.schema)
        if "pattern" in out:
            out["patternErrorMessage"] = PATTERNS[format_.title]
            if not (refused or checked):
                out["pattern"] = f"^$|{out['pattern']}"
    if "maxLength" in row:
        out["maxLength"] = row["maxLength"]  # characters are never more than bytes
    if allowed is not None:
        out["enum"] = [*allowed, *([] if refused or checked else [""]), *([] if refused or item else [None])]
    elif refused or checked:
        out["minLength"] = 1
    if "default" in row:
        out["default"] = row["default"]
    return not_null(out) if refused or (item and checked) else out


_KEYWORDS = {
    **{key: {"minimum": "minimum", "maximum": "maximum"} for key in _INTEGERS},
    "list": {"maxItems": "maxItems"},
    "map": {"maxItems": "maxProperties"},
}
"""Shape → keyword of the table → keyword of JSON Schema."""
_FILLED = {"list": {"minItems": 1}, "map": {"minProperties": 1}}
"""The keyword for a list or a map that is not empty."""


def limited(schema: dict[str, Any], shape: Shape, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a field with the keywords that the table has for it in the release."""
    kind = shape.shape
    if kind == "string":
        return string_limits(schema, row) if row else schema
    out = schema | {name: row[key] for key, name in _KEYWORDS.get(kind, {}).items() if key in row}
    if "items" in row and shape.of is not None and shape.of.shape == "string":
        out["items"] = string_limits(out["items"], row["items"], item=True)
    if "keys" in row:
        form = FORMATS[row["keys"]["format"]]
        message = {"patternErrorMessage": PATTERNS[form.title]} if "pattern" in form.schema else {}
        out["propertyNames"] = {**form.schema, **message}
    if row.get("object"):
        out |= nullable("object")
    refused = "required" in row or (kind in _INTEGERS and "empty" in row)
    return not_null(out | _FILLED.get(kind, {})) if refused else out


def demanded(row: Mapping[str, Any]) -> bool:
    """Say whether the table refuses an object without the field: it has no default and no gate."""
    return "required" in row or row.get("empty", "ok") not in ("ok", "checked")


def _is_set(shape: Shape, *, present: bool) -> dict[str, Any]:
    """Return the schema of a member of a union that counts: there at all, or (not `present`) not its zero value."""
    if not present and shape.shape == "boolean":
        return {"const": True}
    if shape.shape == "list":
        return {"type": "array", "minItems": 1}
    if not present and shape.shape == "string":
        return {"type": "string", "minLength": 1}
    return {"not": {"type": "null"}}


def union(struct: Struct, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords for `oneOf` and `anyOf` of the table: exactly one, at least one of the fields is set."""
    present = row.get("set") == "present"
    out: dict[str, Any] = {}
    for keyword in ("oneOf", "anyOf"):
        members = row.get(keyword, ())
        if members and all(name in struct.fields for name in members):
            out[keyword] = [
                {"properties": {name: _is_set(struct.fields[name], present=present)}, "required": [name]}
                for name in members
            ]
    return out


def _decoded(shape: Shape) -> Shape:
    """Return the shape with types that are only decoded: their definitions have no limits."""
    if shape.of is not None:
        return shape._replace(of=_decoded(shape.of))
    return shape._replace(type=f"{shape.type}{DECODED}") if shape.shape == "struct" else shape


class Builder:
    """Builds the schemas of one API version of a release.

    Args:
        release: the release.
        schemas: full name → OpenAPI schema, of that API version.
        index: the compiled catalogue; `limits` of it is the table.
    """

    def __init__(self, release: Release, schemas: Mapping[str, Any], index: Mapping[str, Any]) -> None:
        self.release = release
        self.sources = {short_name(name): schema for name, schema in schemas.items()}
        self.structs = structs(schemas)
        self.table: Mapping[str, Any] = index["limits"]
        self.gone = gates.dropped_fields(release, gates.enabled(release, {}))
        self._demanding: dict[str, bool] = {}

    def row(self, type_: str, field: str) -> dict[str, Any]:
        """Return the keywords that hold for a field in the release."""
        return resolve(self.table.get(type_, {}).get(field, {}), self.release) or {}

    def demanding(self, type_: str) -> bool:
        """Say whether an empty object of the type is refused for a missing field."""
        known = self._demanding.get(type_)
        if known is None:
            self._demanding[type_] = False  # ends the recursion of a type within itself
            known = self._demanding[type_] = any(
                self._required(type_, field, shape) for field, shape in self.structs[type_].fields.items()
            )
        return known

    def _required(self, type_: str, field: str, shape: Shape) -> bool:
        return demanded(self.row(type_, field)) or (shape.present and self.demanding(shape.type))

    def field(self, type_: str, name: str, shape: Shape) -> dict[str, Any]:
        """Return the schema of one field, with what it means and which gate guards it."""
        schema = self._undescribed(type_, name, shape)
        gate = self.gone.get((type_, name))
        says = [shipped.of_field(type_, name), None if gate is None else self._gate(gate)]
        description = " ".join(filter(None, says))
        return {**schema, "description": description} if description else schema

    def _undescribed(self, type_: str, name: str, shape: Shape) -> dict[str, Any]:
        row = self.row(type_, name)
        if row.get("conditional"):
            return shape_schema(_decoded(shape))
        source = self.sources[type_]["properties"][name]
        schema = limited(annotated(shape_schema(shape), source, shape), shape, row)
        if shape.shape == "struct" and self._required(type_, name, shape):
            schema = not_null(schema)
        if shape.of is not None and shape.of.shape == "struct" and self.demanding(shape.of.type):
            inner = "items" if shape.shape == "list" else "additionalProperties"
            schema = {**schema, inner: not_null(schema[inner])}
        return schema

    def _gate(self, gate: str) -> str:
        stage = gates.stage(gate, self.release)
        what = "" if stage is None else f" ({stage.name}, off by default in {self.release})"
        return f"The server silently removes this field unless the feature gate {gate} is on{what}."

    def struct(self, type_: str) -> dict[str, Any]:
        """Return the schema of a type: an object, closed, or null."""
        struct = self.structs[type_]
        required = sorted(name for name, shape in struct.fields.items() if self._required(type_, name, shape))
        about = shipped.of_type(type_)
        return {
            **nullable("object"),
            **({"description": about} if about is not None else {}),
            "properties": {name: self.field(type_, name, shape) for name, shape in sorted(struct.fields.items())},
            "additionalProperties": False,
            **({"required": required} if required else {}),
            **union(struct, self.row(type_, UNION)),
        }

    def definition(self, name: str) -> dict[str, Any]:
        """Return the schema of a scalar or type by the name that references have."""
        if name in SCALARS:
            return SCALARS[name]
        if not name.endswith(DECODED):
            return self.struct(name)
        struct = self.structs[name.removesuffix(DECODED)]
        return {
            **nullable("object"),
            "properties": {key: shape_schema(_decoded(shape)) for key, shape in sorted(struct.fields.items())},
            "additionalProperties": False,
        }

    def kind(self, api_version: str, kind: str) -> dict[str, Any]:
        """Return the self-contained schema of a kind."""
        root = not_null(self.struct(kind))
        root["properties"] |= {"apiVersion": {"const": api_version}, "kind": {"const": kind}}
        root["required"] = sorted({*root.get("required", ()), "apiVersion", "kind"})
        return {
            "$schema": DIALECT,
            "title": f"{kind} of {api_version} (Kubernetes {self.release})",
            **root,
            "$defs": self.definitions(references(root)),
        }

    def definitions(self, wanted: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the schemas of all that these names lead to."""
        out: dict[str, dict[str, Any]] = {}
        todo = list(wanted)
        while todo:
            name = todo.pop()
            if name not in out:
                out[name] = self.definition(name)
                todo.extend(references(out[name]))
        return dict(sorted(out.items()))


def references(schema: object) -> Iterator[str]:
    """Yield the names of the schemas that a schema refers to."""
    todo = [schema]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            target = part.get("$ref")
            if isinstance(target, str):
                yield target.rpartition("/")[2]
            todo.extend(part.values())
        elif isinstance(part, list):
            todo.extend(part)


SPEC, _ENTRY = "core.PodSpec", "core.PodResourceClaim"
_NAMES = ("resourceClaimName", "resourceClaimTemplateName")


class PodBuilder(Builder):
    """Builds the schemas of the types around claims that a release has in Pods."""

    def __init__(self, release: Release, core: Mapping[str, Any]) -> None:
        super().__init__(release, core, shipped.index())
        self.structs = pod_types(self.structs, release)
        for name, struct in self.structs.items():
            self.sources.setdefault(name, {"properties": {field: {} for field in struct.fields}})

    def struct(self, type_: str) -> dict[str, Any]:
        """Return the schema of a type; one that has more fields than dralint knows is open."""
        schema = super().struct(type_)
        if type_ in TRIMMED:
            del schema["additionalProperties"]
        if type_ == _ENTRY:
            schema |= union(self.structs[type_], {"oneOf": _NAMES, "set": "present"})
        return schema


def of_document(release: Release, document: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the schema of every API version and kind of a release's trimmed OpenAPI."""
    out: dict[tuple[str, str], dict[str, Any]] = {}
    for api_version, kinds in document["kinds"].items():
        builder = Builder(release, document["schemas"][api_version], shipped.index())
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
    for (api_version, kind), path in POD_SPECS.items():
        body = reference(SPEC)
        for part in reversed(path):
            body = {**nullable("object"), "properties": {part: body}}
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
