"""Words the errors of the schema library, with the paths of dralint."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dralint.decode.decoder import describe
from dralint.finding.path import map_key, path_text
from dralint.finding.problem import MISSING_FIELD, Problem
from dralint.finding.rule_ids import DRIVER_SCHEMA, DRIVER_SCHEMA_UNKNOWN_FIELD
from dralint.finding.suggestion import meant
from dralint.finding.words import quoted
from dralint.kubernetes.near import listed
from dralint.opaque.schema_file import unknown_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.yaml import Path

_FIELD = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})", re.ASCII)
_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_SHOWN = 12
_ALTERNATIVES = frozenset({"anyOf", "oneOf"})


def told(errors: Iterable[Any], path: Path, label: str) -> Iterator[Problem]:
    """Yield the problems for errors (jsonschema.ValidationError) of a value.

    Args:
        path: leads to the value from the object.
        label: the name of the schema in messages.
    """
    for error in errors:
        yield from _problems(error, path, label)


def _problems(error: Any, base: Path, label: str) -> Iterator[Problem]:
    path = (*base, *(_step(part) for part in error.absolute_path))
    keyword = error.validator
    if keyword in _ALTERNATIVES:
        yield from _of_alternatives(error, base, path, label)
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        yield from _unknown_fields(error, path, label)
    elif keyword == "required":
        for name in _missing(error):
            message = f"`{name}` is missing (schema of {label})"
            yield Problem(DRIVER_SCHEMA, (*path, _step(name)), message, None, f"write `{name}`", kind=MISSING_FIELD)
    else:
        message, hint = _said(error)
        yield Problem(DRIVER_SCHEMA, path, f"{message} (schema of {label})", None, hint)


def _step(part: Any) -> str | int:
    if isinstance(part, int):
        return part
    text = str(part)
    return text if _FIELD.fullmatch(text) else map_key(text)


def _missing(error: Any) -> list[str]:
    """Return the fields that a value does not have."""
    needed, value = error.validator_value, error.instance
    if not isinstance(needed, list) or not isinstance(value, dict):
        return []
    return [name for name in needed if name not in value]


def _unknown_fields(error: Any, path: Path, label: str) -> Iterator[Problem]:
    if not isinstance(error.instance, dict) or not isinstance(error.schema, dict):
        return
    known = list(error.schema.get("properties", {}))
    for name in unknown_fields(error.instance, error.schema):
        place = (*path, _step(name))
        shown = [*known[:_SHOWN], *(["..."] if len(known) > _SHOWN else [])]
        otherwise = f"it has {', '.join(shown)}" if known else "no field is allowed here"
        hint, repair = meant(name, known, place, key=True, taken=list(error.instance), otherwise=otherwise)
        message = f"`{name}` is not in the schema of {label}"
        yield Problem(DRIVER_SCHEMA_UNKNOWN_FIELD, place, message, None, hint, target="key", repair=repair)


def _of_alternatives(error: Any, base: Path, path: Path, label: str) -> Iterator[Problem]:
    """Yield why a value fits none of several forms; if it is clear which one is meant, only of that one."""
    forms: dict[Any, list[Any]] = {}
    for inner in error.context or ():
        forms.setdefault(next(iter(inner.schema_path), None), []).append(inner)
    if not forms:
        message = "it matches more than one of the forms, but the schema allows exactly one"
        yield Problem(DRIVER_SCHEMA, path, f"{message} (schema of {label})", None, None)
        return
    here = list(error.absolute_path)
    wrong_type = [found for found in forms.values() if any(_at(e, here) and e.validator == "type" for e in found)]
    if len(wrong_type) == len(forms):
        kinds = [kind for found in forms.values() for e in found if e.validator == "type" for kind in _kinds(e)]
        expected = listed(dict.fromkeys(_TYPES.get(kind, kind) for kind in kinds), "or", "")
        message = f"expected {expected}, got {describe(error.instance)}"
        yield Problem(DRIVER_SCHEMA, path, f"{message} (schema of {label})", None, None)
        return
    likely = [found for found in forms.values() if found not in wrong_type and not _other_form(found, here)]
    if len(likely) == 1:
        for inner in likely[0]:
            yield from _problems(inner, base, label)
        return
    lacking = [_missing(e) for found in forms.values() for e in found if e.validator == "required" and _at(e, here)]
    if len(lacking) == len(forms) == sum(map(len, forms.values())):
        names = listed(dict.fromkeys(name for names in lacking for name in names), "or", "`")
        yield Problem(DRIVER_SCHEMA, path, f"one of {names} must be set (schema of {label})", None, None)
        return
    values = [e for found in forms.values() for e in found]
    if all(_at(e, here) and e.validator in ("enum", "const") for e in values):
        allowed = [one for e in values for one in (e.validator_value if e.validator == "enum" else [e.validator_value])]
        message, hint = _not_one_of(error.instance, allowed)
        yield Problem(DRIVER_SCHEMA, path, f"{message} (schema of {label})", None, hint)
        return
    message = f"it matches none of the {len(forms)} forms that the schema allows"
    nearest = min(forms.values(), key=len)
    parts = [problem for inner in nearest for problem in _problems(inner, base, label)]
    hint = f"of the nearest form: {path_text(parts[0].path[len(base) :])}: {parts[0].message}" if parts else None
    if hint is not None:
        hint = hint.removesuffix(f" (schema of {label})")
    yield Problem(DRIVER_SCHEMA, path, f"{message} (schema of {label})", None, hint)


def _at(error: Any, here: list[Any]) -> bool:
    return list(error.absolute_path) == here


def _kinds(error: Any) -> list[str]:
    value = error.validator_value
    return [value] if isinstance(value, str) else list(value)


def _other_form(errors: list[Any], here: list[Any]) -> bool:
    """Say whether a form is not the one meant, because the field that identifies forms has another value."""
    return any(error.validator in ("const", "enum") and len(error.absolute_path) == len(here) + 1 for error in errors)


def _not_one_of(value: Any, allowed: list[Any]) -> tuple[str, str | None]:
    names = [one for one in allowed if one is not None]
    shown = [quoted(one) for one in names[:_SHOWN]] + (["..."] if len(names) > _SHOWN else [])
    hint = f"allowed: {', '.join(shown)}"
    if isinstance(value, str):
        near = meant(value, [one for one in names if isinstance(one, str)], ()).hint
        hint = f"{near} ({hint})" if near and near != hint else hint
    return f"{quoted(value)} is not allowed here", hint


def _of_type(kinds: list[str], value: Any) -> str | None:
    """Return what to write so that a value has one of the types, where quotes make the difference."""
    if "string" in kinds and isinstance(value, bool | int | float):
        return "quote it"
    number = isinstance(value, str) and _NUMBER.fullmatch(value) is not None
    if (number and not {"integer", "number"}.isdisjoint(kinds)) or ("boolean" in kinds and value in ("true", "false")):
        return "write it without quotes"
    return None


def _said(error: Any) -> tuple[str, str | None]:
    """Return the message and hint of an error on one value."""
    keyword, limit, value = error.validator, error.validator_value, error.instance
    if keyword == "type":
        kinds = [kind for kind in _kinds(error) if kind != "null" or _kinds(error) == ["null"]]
        expected = listed((_TYPES.get(kind, kind) for kind in kinds), "or", "")
        return f"expected {expected}, got {describe(value)}", _of_type(kinds, value)
    if keyword == "enum":
        return _not_one_of(value, list(limit))
    if keyword == "const":
        return _not_one_of(value, [limit])
    if keyword == "pattern":
        return f"{quoted(value)} does not match the pattern {quoted(limit, 120)}", None
    bounds = {
        "minimum": "at least",
        "maximum": "at most",
        "exclusiveMinimum": "more than",
        "exclusiveMaximum": "less than",
        "multipleOf": "a multiple of",
    }
    if keyword in bounds:
        words = bounds[keyword]
        if keyword in ("minimum", "maximum") and error.schema.get(f"exclusive{keyword.title()}") is True:
            words = "more than" if keyword == "minimum" else "less than"
        return f"{quoted(value)} is out of range", f"it must be {words} {quoted(limit)}"
    sizes = {
        "minLength": ("characters", "at least"),
        "maxLength": ("characters", "at most"),
        "minItems": ("entries", "at least"),
        "maxItems": ("entries", "at most"),
        "minProperties": ("fields", "at least"),
        "maxProperties": ("fields", "at most"),
    }
    if keyword in sizes:
        unit, words = sizes[keyword]
        return f"{len(value)} {unit}", f"there must be {words} {limit}"
    plain = {
        "uniqueItems": "the entries are not all different",
        "not": "the schema forbids this form",
        "contains": "no entry has the form that the schema requires",
        "dependentRequired": "a field that another field requires is missing",
        "dependencies": "a field that another field requires is missing",
        "propertyNames": "a name of a field is not allowed",
        "additionalItems": "there are more entries than the schema allows",
        "unevaluatedItems": "there are more entries than the schema allows",
    }
    if keyword is None or (keyword == "not" and limit in ({}, True)):
        return "no value is allowed here", "remove it"
    return plain.get(keyword, f"{quoted(value)} does not fit `{keyword}`"), None
