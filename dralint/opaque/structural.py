"""Converts the schema of a CustomResourceDefinition into a JSON Schema of draft 4, the source of its keywords.

Source for the meaning of the extensions: pkg/apiserver/schema of apiextensions-apiserver v0.37.0.
"""

from __future__ import annotations

from typing import Any

_PLAIN = (
    "allOf",
    "anyOf",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "type",
    "uniqueItems",
)
_OF_OBJECTS = ("apiVersion", "kind", "metadata")
_INT_OR_STRING, _PRESERVE, _EMBEDDED = (
    "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
)


def json_schema(schema: dict[str, Any], *, root: bool = True) -> dict[str, Any]:
    """Return the JSON Schema of a structural schema; `root` means the schema of the whole object.

    It accepts what a driver in Go decodes: null for any field, and a missing field if it has a default. It refuses
    unknown fields unless the schema keeps them.
    """
    out = {key: schema[key] for key in _PLAIN if key in schema}
    fields = schema.get("properties")
    fields = fields if isinstance(fields, dict) else {}
    below = {key: json_schema(one, root=False) if isinstance(one, dict) else one for key, one in fields.items()}
    if root or schema.get(_EMBEDDED) is True:
        below |= {key: {} for key in _OF_OBJECTS}
    if below:
        out["properties"] = below
    if isinstance(schema.get("items"), dict):
        out["items"] = json_schema(schema["items"], root=False)
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        out["additionalProperties"] = json_schema(others, root=False)
    elif others is not None:
        out["additionalProperties"] = others
    elif (schema.get("type") == "object" or fields) and schema.get(_PRESERVE) is not True:
        out["additionalProperties"] = False
    required = schema.get("required")
    if isinstance(required, list):
        needed = [key for key in required if not (isinstance(key, str) and _has_default(fields.get(key)))]
        if needed:
            out["required"] = needed
    if schema.get(_INT_OR_STRING) is True:
        out.pop("anyOf", None)
        out["type"] = ["integer", "string"]
    if not root:
        _take_null(out)
    return out


def _has_default(field: Any) -> bool:
    return isinstance(field, dict) and "default" in field


def _take_null(schema: dict[str, Any]) -> None:
    kinds = schema.get("type")
    if kinds is not None:
        schema["type"] = [*(kinds if isinstance(kinds, list) else [kinds]), "null"]
    if isinstance(schema.get("enum"), list):
        schema["enum"] = [*schema["enum"], None]
