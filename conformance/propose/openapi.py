"""Writes the OpenAPI schemas of API types, in the trimmed form of schemas/upstream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.validate.admission import plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.propose.go_types import Field, Package, Type

_PRIMITIVES: dict[str, tuple[dict[str, Any], Any]] = {
    "string": ({"type": "string"}, ""),
    "bool": ({"type": "boolean"}, False),
    "int": ({"format": "int32", "type": "integer"}, 0),
    "int32": ({"format": "int32", "type": "integer"}, 0),
    "int64": ({"format": "int64", "type": "integer"}, 0),
}
_OWN: dict[str, dict[str, Any]] = {
    "Quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
    "Time": {"format": "date-time", "type": "string"},
    "RawExtension": {"type": "object"},
    "FieldsV1": {"type": "object"},
}
"""Types that write themselves as JSON."""

_EXTENSIONS = {
    "default": "default",
    "listType": "x-kubernetes-list-type",
    "patchStrategy": "x-kubernetes-patch-strategy",
    "patchMergeKey": "x-kubernetes-patch-merge-key",
}
META = "io.k8s.apimachinery.pkg.apis.meta.v1"
PREFIXES = {
    "metav1": META,
    "v1": "io.k8s.api.core.v1",
    "corev1": "io.k8s.api.core.v1",
    "core": "io.k8s.api.core.v1",
    "resource": "io.k8s.apimachinery.pkg.api.resource",
    "runtime": "io.k8s.apimachinery.pkg.runtime",
    "types": "",
}


def document(release: str, versions: Mapping[str, Package], core: Package, meta: Package) -> dict[str, Any]:
    """Return the OpenAPI of a release, with the kinds that it serves: `versions` has the packages by version."""
    out: dict[str, Any] = {"release": release, "kinds": {}, "schemas": {}}
    for version, package in versions.items():
        name = f"resource.k8s.io/{version}"
        kinds = [one for one in package.types.values() if any(tag.startswith("+genclient") for tag in one.tags)]
        out["kinds"][name] = [
            {"kind": one.name, "namespaced": "+genclient:nonNamespaced" not in one.tags, "plural": plural(one.name)}
            for one in sorted(kinds, key=lambda one: one.name)
        ]
        roots = [known for one in kinds for known in (one.name, f"{one.name}List") if known in package.types]
        schemas = _Schemas({f"io.k8s.api.resource.{version}": package, "io.k8s.api.core.v1": core, META: meta})
        out["schemas"][name] = schemas.of([f"io.k8s.api.resource.{version}.{root}" for root in roots])
    pods = [f"io.k8s.api.core.v1.{name}" for name in ("PodResourceClaim", "ResourceRequirements")]
    out["schemas"]["v1"] = _Schemas({"io.k8s.api.core.v1": core, META: meta}).of(pods)
    return out


class _Schemas:
    def __init__(self, packages: Mapping[str, Package]) -> None:
        self._packages = packages
        self._found: dict[str, dict[str, Any]] = {}

    def of(self, names: list[str]) -> dict[str, dict[str, Any]]:
        """Return the schemas of types and of all that they refer to."""
        for name in names:
            self._add(name)
        return self._found

    def _add(self, name: str) -> None:
        if name in self._found:
            return
        prefix, _, short = name.rpartition(".")
        if short in _OWN:
            self._found[name] = _OWN[short]
            return
        self._found[name] = {}
        properties, required = {}, []
        for one in self._fields(prefix, self._packages[prefix].types[short]):
            home, held = one
            properties[held.name] = self._property(home, held)
            if (not held.omitted_when_empty and not held.values("optional")) or held.values("required"):
                required.append(held.name)
        found: dict[str, Any] = {"properties": properties, "type": "object"}
        found |= {"required": required} if required else {}
        if "+structType=atomic" in self._packages[prefix].types[short].tags:
            found["x-kubernetes-map-type"] = "atomic"
        self._found[name] = found

    def _fields(self, prefix: str, one: Type) -> list[tuple[str, Field]]:
        out = []
        for held in one.fields:
            if held.name:
                out.append((prefix, held))
                continue
            home, short = self._home(prefix, held.type)
            out += self._fields(home, self._packages[home].types[short])
        return out

    def _home(self, prefix: str, type_name: str) -> tuple[str, str]:
        package, dot, short = type_name.rpartition(".")
        return (PREFIXES[package], short) if dot else (prefix, type_name)

    def _property(self, home: str, held: Field) -> dict[str, Any]:
        schema, empty = self._type(home, held.type, held.omitted_when_empty)
        if empty is not None:
            schema["default"] = empty
        for tag, key in _EXTENSIONS.items():
            for value in held.values(tag):
                schema[key] = int(value) if value.isdigit() else value.strip('"')
        if keys := held.values("listMapKey"):
            schema["x-kubernetes-list-map-keys"] = keys
        return schema

    def _type(self, home: str, text: str, omitted: bool) -> tuple[dict[str, Any], Any]:
        """Return the schema of a type, and the default of a field that has it and is no pointer."""
        if text.startswith("*"):
            return self._type(home, text[1:], True)[0], None
        if text == "[]byte":
            return {"format": "byte", "type": "string"}, None
        if text.startswith("[]"):
            return {"items": _plain(self._type(home, text[2:], True)[0]), "type": "array"}, None
        if text.startswith("map["):
            value = text.partition("]")[2]
            return {"additionalProperties": _plain(self._type(home, value, True)[0]), "type": "object"}, None
        if text in _PRIMITIVES:
            schema, empty = _PRIMITIVES[text]
            return dict(schema), None if omitted else empty
        prefix, short = self._home(home, text)
        if not prefix or (prefix == META and short in ("ConditionStatus", "ManagedFieldsOperationType")):
            return {"type": "string"}, None if omitted else ""
        known = self._packages[prefix].types.get(short) if prefix in self._packages else None
        if known is not None and known.of != "struct":
            schema, empty = self._type(prefix, known.of, omitted)
            if {"+enum", "+k8s:enum"} & set(known.tags) and known.values:
                schema["enum"] = sorted(known.values)
            return schema, empty
        self._add(f"{prefix}.{short}")
        return {"allOf": [{"$ref": f"#/components/schemas/{prefix}.{short}"}]}, None if short in _OWN else {}


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a reference alone where a schema is nothing else."""
    return schema["allOf"][0] if list(schema) == ["allOf"] else schema
