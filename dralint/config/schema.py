"""The JSON Schema of a configuration file: for the options of the command line and for the other keys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

DRAFT = "https://json-schema.org/draft/2020-12/schema"
SEVERITIES = ("error", "warning", "info", "off")

_TEXT: dict[str, Any] = {"type": "string"}
TEXTS: dict[str, Any] = {
    "description": "a text, or a list of texts",
    "anyOf": [_TEXT, {"type": "array", "items": _TEXT}],
}
_VERSION: dict[str, Any] = {"type": ["string", "number"]}
VERSIONS: dict[str, Any] = {
    "description": 'a release such as "1.34", a range such as 1.32..1.36, or a list of them',
    "anyOf": [_VERSION, {"type": "array", "items": _VERSION}],
}
GATES: dict[str, Any] = {
    "description": "feature gates as {GATE: true}, or as texts such as GATE=true",
    "anyOf": [{"type": "object", "additionalProperties": {"type": "boolean"}}, *TEXTS["anyOf"]],
}
_OF_PATHS = {
    "kubernetes-version": VERSIONS,
    "feature-gates": GATES,
    "select": TEXTS,
    "ignore": TEXTS,
}

DRIVER_SCHEMAS = "driver-schemas"

KEYS: dict[str, dict[str, Any]] = {
    DRIVER_SCHEMAS: {
        "description": "files with a JSON Schema or a CustomResourceDefinition of the opaque parameters, by driver,"
        " GROUP/KIND or GROUP/VERSION/KIND",
        "type": "object",
        "additionalProperties": _TEXT,
    },
    "driver-packs": {
        "description": "files with driver packs; they go before those of dralint",
        "type": "array",
        "items": _TEXT,
    },
    "driver-versions": {
        "description": "the version of drivers that the cluster runs, by driver",
        "type": "object",
        "additionalProperties": _TEXT,
    },
    "driver-gates": {
        "description": "feature gates of drivers that the cluster switches, as {DRIVER: {GATE: true}}",
        "type": "object",
        "additionalProperties": {"type": "object", "additionalProperties": {"type": "boolean"}},
    },
    "severity": {
        "description": "severities by rule id, prefix or name: error, warning, info or off",
        "type": "object",
        "additionalProperties": {"enum": [*SEVERITIES, False]},  # YAML reads off without quotes as false
    },
    "known": {
        "description": "what exists outside of the input, also as patterns: DeviceClasses, drivers and Namespaces",
        "type": "object",
        "properties": {"classes": TEXTS, "drivers": TEXTS, "namespaces": TEXTS},
        "additionalProperties": False,
    },
    "overrides": {
        "description": "the settings for files that match the patterns",
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"paths": TEXTS, **_OF_PATHS},
            "required": ["paths"],
            "additionalProperties": False,
        },
    },
    "workloads": {
        "description": "where own kinds of custom resources (GROUP/KIND) hold Pod specs: paths such as"
        " spec.workers[].template.spec, or these as `pods`, with `replicas` and `drops`",
        "type": "object",
        "additionalProperties": {
            "anyOf": [
                *TEXTS["anyOf"],
                {
                    "type": "object",
                    "properties": {"pods": TEXTS, "replicas": TEXTS, "drops": TEXTS},
                    "additionalProperties": False,
                },
            ]
        },
    },
    "ignores": {
        "description": "findings that are not reported: rules, in these files, on this object and field path",
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"rules": TEXTS, "paths": TEXTS, "object": _TEXT, "path": _TEXT, "reason": _TEXT},
            "required": ["rules"],
            "additionalProperties": False,
        },
    },
}
"""Keys that are not options, with their schemas."""


def schema(options: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the JSON Schema of a configuration file.

    Args:
        options: name → schema of each option of the command line that a configuration may set.
    """
    return {
        "$schema": DRAFT,
        "title": "Configuration of dralint (.dralint.yaml, or [tool.dralint] in pyproject.toml)",
        "type": "object",
        "properties": {**dict(sorted(options.items())), **KEYS},
        "additionalProperties": False,
    }


def texts(value: Any) -> list[str]:
    """Return a text or a list of texts as a list."""
    return [value] if isinstance(value, str) else list(value)


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Say whether a value fits a schema with the few keywords used here; if not, the library finds the mistakes.

    Importing the library takes a tenth of a second, which a valid configuration should not cost.
    """
    if "anyOf" in schema and not any(fits(value, one) for one in schema["anyOf"]):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    kinds = schema.get("type")
    if kinds is not None and not any(_is(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    if "pattern" in schema and isinstance(value, str) and re.search(schema["pattern"], value) is None:
        return False
    if isinstance(value, int | float) and not isinstance(value, bool) and value < schema.get("minimum", value):
        return False
    if isinstance(value, list):
        return all(fits(item, schema.get("items", {})) for item in value)
    if isinstance(value, dict):
        own = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        return all(name in value for name in schema.get("required", ())) and all(
            fits(member, own[name]) if name in own else (others if isinstance(others, bool) else fits(member, others))
            for name, member in value.items()
        )
    return True


def _is(value: Any, kind: str) -> bool:
    if kind in ("number", "integer"):
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        return plain and (kind == "number" or value == int(value))
    types: dict[str, type] = {"string": str, "boolean": bool, "array": list, "object": dict}
    return isinstance(value, types[kind])
