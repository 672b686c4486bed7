"""The types of one release, read from its reduced OpenAPI: their fields and shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SHAPES = frozenset(
    {"string", "boolean", "int32", "int64", "quantity", "time", "any", "struct", "list", "map", "number"}
)
SCALARS = {"Quantity": "quantity", "Time": "time", "MicroTime": "time", "RawExtension": "any", "FieldsV1": "any"}


def short_name(name: str) -> str:
    """Return `Device` for `io.k8s.api.resource.v1.Device`; types of the core group keep a leading `core.`."""
    last = name.rpartition(".")[2]
    return f"core.{last}" if ".api.core." in name else last


class Shape(NamedTuple):
    """The shape of a value: `shape` is string, boolean, int32, int64, quantity, time, any, struct, list or map.

    `type` names the struct, `of` the shape of items or values; `present` marks a plain struct that exists (empty) even
    where the manifest leaves it out.
    """

    shape: str
    type: str = ""
    of: Shape | None = None
    present: bool = False


class Struct(NamedTuple):
    """A type with named fields."""

    name: str
    fields: Mapping[str, Shape]
    required: frozenset[str] = frozenset()


def _shape(schema: Mapping[str, Any]) -> Shape:
    if "$ref" in schema or "allOf" in schema:
        ref = schema["$ref"] if "$ref" in schema else schema["allOf"][0]["$ref"]
        name = short_name(ref.rpartition("/")[2])
        if name in SCALARS:
            return Shape(SCALARS[name])
        return Shape("struct", name, present="default" in schema)
    kind = schema.get("type")
    if kind == "array":
        return Shape("list", of=_shape(schema["items"]))
    if kind == "object":
        values = schema.get("additionalProperties")
        return Shape("map", of=_shape(values)) if isinstance(values, dict) else Shape("any")
    if kind == "integer":
        return Shape(schema.get("format", "int64"))
    if kind in ("string", "boolean"):
        return Shape(str(kind))
    if kind == "number":
        return Shape("number")
    return Shape("any")


def structs(schemas: Mapping[str, Any]) -> dict[str, Struct]:
    """Return the structs of `components.schemas` of an OpenAPI v3 document by short name."""
    out: dict[str, Struct] = {}
    for name, schema in schemas.items():
        if "properties" in schema or short_name(name) not in SCALARS:
            fields = {key: _shape(value) for key, value in schema.get("properties", {}).items()}
            out[short_name(name)] = Struct(short_name(name), fields, frozenset(schema.get("required", ())))
    return out


def hold_together(types: Mapping[str, Struct], roots: Iterable[str]) -> bool:
    """Say whether all types that the roots refer to exist, with known shapes; the file may be damaged."""
    seen: set[str] = set()
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name not in types:
            return False
        if name in seen:
            continue
        seen.add(name)
        for field_shape in types[name].fields.values():
            shape: Shape | None = field_shape
            while shape is not None:
                if shape.shape not in SHAPES:
                    return False
                if shape.shape == "struct":
                    todo.append(shape.type)
                shape = shape.of
    return True
