"""Rewrites schemas so that editors show them well, without a change of meaning.

yaml-language-server completes every `enum`, every `null` among the types and the name of every definition. So values
that are allowed but unusual are behind `not`, where it does not look; definitions have titles.
"""

from __future__ import annotations

import re
from typing import Any

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
