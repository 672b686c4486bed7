"""Selects the schema for the opaque parameters of an object, checks them, and words its errors."""

from __future__ import annotations

import itertools
import re
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from dralint.decode.decoder import describe
from dralint.finding.problem import MISSING_FIELD, Problem, at, map_key, meant, path_text
from dralint.finding.rule_ids import DRIVER_SCHEMA, DRIVER_SCHEMA_UNKNOWN_FIELD
from dralint.finding.words import quoted
from dralint.kubernetes.near import closest, listed
from dralint.opaque.schema_file import LARGEST, Definitions, Schema, SchemaError, load, shown_kinds, unknown_fields
from dralint.records import NamedTuple, grouped

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path


_FIELD = r"(?a)[A-Za-z_][\w-]*"
_NUMBER = r"(?a)-?(?:0|[1-9][0-9]{0,17})"
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
    for problem in itertools.chain.from_iterable(_problems(error, path) for error in errors):
        of_schema = f" of {label}" if problem.rule == DRIVER_SCHEMA_UNKNOWN_FIELD else f" (schema of {label})"
        yield problem._replace(message=problem.message + of_schema)


def _problems(error: Any, base: Path) -> Iterator[Problem]:
    """Yield the problems for an error, without the name of the schema in their messages."""
    path = (*base, *(_step(part) for part in error.absolute_path))
    keyword = error.validator
    if keyword in _ALTERNATIVES:
        yield from _of_alternatives(error, base, path)
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        yield from _unknown_fields(error, path)
    elif keyword == "required":
        for name in _missing(error):
            place, message = (*path, _step(name)), f"`{name}` is missing"
            yield Problem(DRIVER_SCHEMA, place, message, None, f"write `{name}`", kind=MISSING_FIELD)
    else:
        message, hint = _said(error)
        yield Problem(DRIVER_SCHEMA, path, message, None, hint)


def _step(part: Any) -> str | int:
    if isinstance(part, int):
        return part
    text = str(part)
    return text if re.fullmatch(_FIELD, text) else map_key(text)


def _missing(error: Any) -> list[str]:
    """Return the fields that a value does not have."""
    return [name for name in error.validator_value if name not in error.instance]


def _unknown_fields(error: Any, path: Path) -> Iterator[Problem]:
    known = list(error.schema.get("properties", {}))
    for name in unknown_fields(error.instance, error.schema):
        place = (*path, _step(name))
        shown = [*known[:_SHOWN], *(["..."] if len(known) > _SHOWN else [])]
        otherwise = f"it has {', '.join(shown)}" if known else "no field is allowed here"
        hint, repair = meant(name, known, place, key=True, taken=list(error.instance), otherwise=otherwise)
        message = f"`{name}` is not in the schema"
        yield Problem(DRIVER_SCHEMA_UNKNOWN_FIELD, place, message, None, hint, target="key", repair=repair)


def _of_alternatives(error: Any, base: Path, path: Path) -> Iterator[Problem]:
    """Yield why a value fits none of several forms; if it is clear which one is meant, only of that one."""
    forms = grouped((next(iter(inner.schema_path), None), inner) for inner in error.context or ())
    here = list(error.absolute_path)
    wrong_type = [found for found in forms.values() if any(_at(e, here) and e.validator == "type" for e in found)]
    likely = [found for found in forms.values() if found not in wrong_type and not _other_form(found, here)]
    if len(likely) == 1:
        for inner in likely[0]:
            yield from _problems(inner, base)
        return
    message, hint = _no_form(error, [*forms.values()], here, base, of_wrong_type=len(wrong_type) == len(forms))
    yield Problem(DRIVER_SCHEMA, path, message, None, hint)


def _no_form(
    error: Any, forms: list[list[Any]], here: list[Any], base: Path, *, of_wrong_type: bool
) -> tuple[str, str | None]:
    """Return message and hint for a value that fits none of several forms; these are the errors of each."""
    if not forms:
        return "it matches more than one of the forms, but the schema allows exactly one", None
    every = [each for found in forms for each in found]
    if of_wrong_type:
        kinds = [kind for each in every if each.validator == "type" for kind in _kinds(each)]
        expected = listed(dict.fromkeys(_TYPES.get(kind, kind) for kind in kinds), "or", "")
        return f"expected {expected}, got {describe(error.instance)}", None
    if all(each.validator == "required" and _at(each, here) for each in every) and len(every) == len(forms):
        return (
            f"one of {listed(dict.fromkeys(n for each in every for n in _missing(each)), 'or', '`')} must be set",
            None,
        )
    if all(_at(each, here) and each.validator in ("enum", "const") for each in every):
        values = ([each.validator_value] if each.validator == "const" else each.validator_value for each in every)
        return _not_one_of(error.instance, [one for several in values for one in several])
    nearest = next((problem for inner in min(forms, key=len) for problem in _problems(inner, base)), None)
    hint = nearest and f"of the nearest form: {path_text(nearest.path[len(base) :])}: {nearest.message}"
    return f"it matches none of the {len(forms)} forms that the schema allows", hint


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
    number = isinstance(value, str) and re.fullmatch(_NUMBER, value) is not None
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
    if keyword in ("enum", "const"):
        return _not_one_of(value, list(limit) if keyword == "enum" else [limit])
    if keyword == "pattern":
        return f"{quoted(value)} does not match the pattern {quoted(limit, 120)}", None
    if keyword in _BOUNDS:
        is_exclusive = error.schema.get(f"exclusive{keyword.title()}") is True
        return f"{quoted(value)} is out of range", f"it must be {_BOUNDS[keyword][is_exclusive]} {quoted(limit)}"
    if keyword in _SIZES:
        unit, words = _SIZES[keyword]
        return f"{len(value)} {unit}", f"there must be {words} {limit}"
    if keyword is None or (keyword == "not" and limit in ({}, True)):
        return "no value is allowed here", "remove it"
    return _FORMS.get(keyword, f"{quoted(value)} does not fit `{keyword}`"), None


_BOUNDS = {
    "minimum": ("at least", "more than"),
    "maximum": ("at most", "less than"),
    "exclusiveMinimum": ("more than", "more than"),
    "exclusiveMaximum": ("less than", "less than"),
    "multipleOf": ("a multiple of", "a multiple of"),
}
"""Keyword -> the words for its limit, and those where it is exclusive (draft 4)."""
_SIZES = {
    "minLength": ("characters", "at least"),
    "maxLength": ("characters", "at most"),
    "minItems": ("entries", "at least"),
    "maxItems": ("entries", "at most"),
    "minProperties": ("fields", "at least"),
    "maxProperties": ("fields", "at most"),
}
_FORMS = {
    "uniqueItems": "the entries are not all different",
    "not": "the schema forbids this form",
    "contains": "no entry has the form that the schema requires",
    "dependentRequired": "a field that another field requires is missing",
    "dependencies": "a field that another field requires is missing",
    "propertyNames": "a name of a field is not allowed",
    "additionalItems": "there are more entries than the schema allows",
    "unevaluatedItems": "there are more entries than the schema allows",
}


_CONFIGS: tuple[Path, ...] = (
    ("spec", "devices", "config"),
    ("spec", "spec", "devices", "config"),
    ("spec", "config"),
)
"""The paths of configurations in claims, templates and classes."""
_MOST = 40
"""At most this many problems are reported in the parameters of one object."""


class Parameters(NamedTuple):
    """Opaque parameters of a driver; `path` leads to them from the object."""

    path: Path
    driver: str
    value: dict[str, Any]

    @property
    def type(self) -> tuple[str, str, str]:
        """Their own group, version and kind; empty where they have none."""
        version, kind = self.value.get("apiVersion"), self.value.get("kind")
        group, _, name = (version if isinstance(version, str) else "").rpartition("/")
        return group, name, kind if isinstance(kind, str) else ""


def parameters_of(item: ApiObject) -> Iterator[Parameters]:
    """Yield the readable opaque parameters of a claim, template or class."""
    for place in _CONFIGS:
        entries = at(item.data, place)
        for number, entry in enumerate(entries if isinstance(entries, list) else ()):
            path = (*place, number, "opaque")
            opaque = entry.get("opaque") if isinstance(entry, dict) else None
            if isinstance(opaque, dict) and isinstance(opaque.get("parameters"), dict):
                driver = opaque.get("driver")
                name = driver if isinstance(driver, str) else ""
                yield Parameters((*path, "parameters"), name, opaque["parameters"])


class DriverSchemas:
    """Schemas by their key: a driver, GROUP/KIND, or GROUP/VERSION/KIND; the narrowest key judges.

    Raises SchemaError for a file that cannot be read, or has no schema for its key.
    """

    def __init__(self, files: Iterable[tuple[str, str]]) -> None:
        self._schemas = {key: _loaded(key, FilePath(file)) for key, file in files}

    def check(self, item: ApiObject) -> list[Problem]:
        """Return the problems that the schemas find in an object's parameters."""
        found: Iterator[Problem] = itertools.chain.from_iterable(map(self._judged, parameters_of(item)))
        return list(itertools.islice(found, _MOST))

    def _judged(self, parameters: Parameters) -> Iterator[Problem]:
        key = key_for(parameters, self._schemas)
        if key is None:
            return
        schema = self._schemas[key]
        if isinstance(schema, Definitions):
            yield from judged_by(schema, parameters, key)
        else:
            yield from told(schema.errors(parameters.value), parameters.path, key)


def key_for(parameters: Parameters, keys: Container[str]) -> str | None:
    """Return the narrowest of the keys that match such parameters; None where none does."""
    group, version, kind = parameters.type
    mine = (f"{group}/{version}/{kind}", f"{group}/{kind}", parameters.driver)
    return next((key for key in mine if key in keys), None)


def judged_by(definitions: Definitions, parameters: Parameters, label: str) -> Iterator[Problem]:
    """Yield the problems of parameters by the definition of a custom resource with their kind and version.

    Args:
        label: the name of the schema in messages.
    """
    group, version, kind = parameters.type
    versions = definitions.get((group, kind))
    if versions is None and not parameters.value.get("kind") and len(definitions) == 1:
        versions = next(iter(definitions.values()))
        version = version or next(reversed(versions))
    if versions is None:
        yield from _unknown_kind(definitions, parameters, label)
        return
    schema = versions.get(version)
    if schema is None:
        path = (*parameters.path, "apiVersion")
        message = f"{quoted(version)} is not a version of {kind} in the schema of {label}"
        yield Problem(DRIVER_SCHEMA, path, message, None, f"it has {', '.join(versions)}")
        return
    yield from told(schema.errors(parameters.value), parameters.path, label)


def _unknown_kind(definitions: Definitions, parameters: Parameters, label: str) -> Iterator[Problem]:
    group, _, kind = parameters.type
    key = "kind" if any(known == group for known, _ in definitions) else "apiVersion"
    path = (*parameters.path, key)
    value = parameters.value.get(key)
    near = closest(kind, [known for there, known in definitions if there == group]) if key == "kind" else None
    hint = near or f"it has {shown_kinds(definitions)}"
    if key not in parameters.value:
        yield Problem(DRIVER_SCHEMA, path, f"`{key}` is missing (schema of {label})", None, hint)
    else:
        what = "kind" if key == "kind" else "group"
        yield Problem(DRIVER_SCHEMA, path, f"{quoted(value)} is not a {what} in the schema of {label}", None, hint)


def _loaded(key: str, file: FilePath) -> Schema | Definitions:
    try:
        with file.open("rb") as stream:
            raw = stream.read(LARGEST + 1)
    except OSError as error:
        raise SchemaError(f"{file}: {error.strerror or error}") from error
    try:
        found = load(raw)
        _check_kinds(key, found)
    except SchemaError as error:
        raise SchemaError(f"{file}: {error}") from error
    return found


def _check_kinds(key: str, found: Schema | Definitions) -> None:
    if "/" not in key or not isinstance(found, Definitions):
        return
    group, _, rest = key.partition("/")
    version, _, kind = rest.rpartition("/")
    versions: Mapping[str, Schema] | None = found.get((group, kind))
    if versions is None or (version and version not in versions):
        raise SchemaError(f"it defines {shown_kinds(found)}, not {key}")


def refused(files: Iterable[tuple[str, str]]) -> tuple[str, str, str] | None:
    """Return the first schema file that does not fit its key: the key, the file, and the reason; None for none."""
    for key, file in files:
        wrong = check_key(key)
        if wrong is None:
            try:
                DriverSchemas([(key, file)])
            except SchemaError as error:
                wrong = str(error)
        if wrong is not None:
            return key, file, wrong
    return None


def check_key(key: str) -> str | None:
    """Return what is wrong with the key of a schema; None where nothing is."""
    parts = key.split("/")
    if len(parts) > 3 or not all(part and not any(char.isspace() for char in part) for part in parts):
        return f"{key!r} is neither a driver nor GROUP/KIND nor GROUP/VERSION/KIND"
    return None
