"""What to write instead of a value of the wrong type."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from dralint.yaml import number_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.kubernetes.types import Shape
    from dralint.yaml import Path

_LONGEST = 60
_WRAPPED: Mapping[str, str] = {
    "CELDeviceSelector": "expression",
    "DeviceCapacity": "value",
    "Counter": "value",
    "ExactDeviceRequest": "deviceClassName",
    "DeviceRequest": "name",
    "DeviceSubRequest": "name",
    "Device": "name",
    "CounterSet": "name",
    "ResourcePool": "name",
    "ObjectMeta": "name",
}
"""Type of an object → its field that people mean when they write a plain value in its place."""
_QUANTITIES = ("DeviceCapacity", "Counter")
_SCALARS = ("string", "boolean", "int32", "int64", "quantity", "time")
_PLAIN = re.compile(r"[A-Za-z_][\w./-]*|\d+(?:\.\d+)?[KMGTPE]?i|\d+\.\d+\.\d+[\w.+-]*", re.ASCII)
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_LISTED = re.compile(r"[\w./-]+(?:\s*,\s*[\w./-]+)+", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_SHORT_VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:[-+][\w.+-]*)?", re.ASCII)


def advice(shape: Shape, value: object, path: Path) -> str | None:
    """Return what to write so that the value at the path has this shape, None where there is no telling."""
    expected = shape.shape
    if value == "":
        return None
    if isinstance(value, dict | list):
        return _of_collection(expected, value)
    if expected == "list" and shape.of is not None:
        return _listed(shape.of, value)
    if expected == "struct":
        return _wrapped(shape.type, value)
    if expected == "string":
        if isinstance(value, bool):
            return "quote it: YAML reads y, yes, on, true and their opposites as a boolean unless they are quoted"
        return quoted(number_text(value), path) if isinstance(value, int | float) else None
    if expected in ("int32", "int64"):
        return _integer(value)
    if expected == "boolean" and isinstance(value, str) and value.strip("\"'").lower() in _WORDS - {"null", "y", "n"}:
        if value not in ("true", "false"):
            return "write true or false, without quotes"
        return "remove the quotes"
    return None


def quoted(number: str, path: Path) -> str:
    """Return the hint to quote a number where a string belongs; that of a device attribute's version has three parts.

    Args:
        number: the number as it is written.
    """
    is_version = path[-3:-2] == ("attributes",) and path[-1] == "version"
    is_one_of_versions = path[-4:-3] == ("attributes",) and path[-2] == "versions"
    if (is_version or is_one_of_versions) and _SHORT_VERSION.fullmatch(number):
        number = ".".join(str(int(part)) for part in [*number.split("."), "0", "0"][:3])
    return f'quote it: "{number}"'


def _of_collection(expected: str, value: object) -> str | None:
    if expected == "list":
        return "start each item with `- `"
    if expected == "struct":
        return "remove the `- `: this field is a single object, not a list"
    if expected == "quantity" and isinstance(value, dict) and list(value) == ["value"]:
        amount = _scalar(value["value"])
        return None if amount is None else f"write the quantity itself: {amount}"
    if expected in _SCALARS and isinstance(value, list) and len(value) == 1:
        item = _scalar(value[0])
        return None if item is None else f"this field is no list: write {item}"
    return None


def _integer(value: object) -> str | None:
    if isinstance(value, float):
        return f"write {int(value)}" if value.is_integer() and abs(value) < 2**63 else None
    if not isinstance(value, str):
        return None
    if _INTEGER.fullmatch(value):
        return f"remove the quotes: {int(value)}"
    bare = value.strip("\"'")
    if bare != value and _INTEGER.fullmatch(bare):
        return f"remove the stray {value[-1] if value[-1] in chr(34) + chr(39) else value[0]}: {int(bare)}"
    return None


def _listed(of: Shape, value: object) -> str | None:
    if of.shape == "struct":
        item = _wrapped(of.type, value)
        if item is None:
            return "this field is a list of objects: start each one with `- `"
        return item.replace("write `{", "write `[{").replace("}`", "}]`") if item.startswith("write `{") else item
    if of.shape not in _SCALARS:
        return None
    if isinstance(value, str) and len(value) <= _LONGEST and _LISTED.fullmatch(value):
        return f"make it a list: `[{', '.join(part.strip() for part in value.split(','))}]`"
    text = _scalar(value)
    return None if text is None else f"make it a list: `[{text}]`"


def _wrapped(type_name: str, value: object) -> str | None:
    """Return how a plain value becomes an object of the type."""
    text = _scalar(value)
    if type_name == "DeviceSelector" and isinstance(value, str):
        return "put it under `cel:` and there under `expression:`"
    if type_name == "DeviceAttribute" and text is not None:
        if isinstance(value, bool):
            return f"write `{{bool: {text}}}`"
        if isinstance(value, int):
            return f"write `{{int: {text}}}`"
        if isinstance(value, float):
            return f'write `{{string: "{text}"}}`'
        if isinstance(value, str) and _VERSION.fullmatch(value):
            return f"write `{{version: {text}}}`, or `{{string: {text}}}` if it is no version"
        return f"write `{{string: {text}}}`"
    field = _WRAPPED.get(type_name)
    if field is None or (type_name not in _QUANTITIES and not isinstance(value, str)):
        return None
    if text is None or field == "expression":
        return f"put it under `{field}:`"
    return f"write `{{{field}: {text}}}`" if type_name in _QUANTITIES else f"put it under `{field}:`: `{field}: {text}`"


def _scalar(value: object) -> str | None:
    """Return a value as YAML spells it inside of brackets, None where it is too long for that or no scalar."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return number_text(value)
    if not isinstance(value, str) or len(value) > _LONGEST or not value.isprintable():
        return None
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)
