"""Files with the schema of a driver's parameters: a JSON Schema, or manifests of CustomResourceDefinitions."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

from dralint.finding.words import listed, quoted
from dralint.manifest.objects import ApiObject, objects
from dralint.opaque.structural import json_schema
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LARGEST = 16 << 20
"""Bytes of a schema that is still read."""


class SchemaError(ValueError):
    """A file that holds no schema to judge by; the text says what is wrong with it."""


class Schema:
    """One schema, ready to judge.

    Raises SchemaError for what is no JSON Schema.
    """

    def __init__(self, schema: Any, *, draft4: bool = False) -> None:
        self._validator = _validator(schema, draft4=draft4)

    def errors(self, value: Any) -> Iterator[Any]:
        """Yield the library's errors (jsonschema.ValidationError) for a value; none where it cannot tell."""
        from referencing.exceptions import Unresolvable

        try:
            yield from self._validator.iter_errors(value)
        except (RecursionError, Unresolvable, AttributeError, TypeError):
            return  # a schema that leads nowhere, in circles, or to what is none, refuses nothing


class Definitions:
    """The versions of the kinds that manifests of CustomResourceDefinitions define."""

    def __init__(self) -> None:
        self.kinds: dict[tuple[str, str], dict[str, Schema]] = {}

    def add(self, definition: Mapping[str, Any]) -> None:
        """Take one CustomResourceDefinition. Raises SchemaError where it has no schema, or one that is none."""
        spec = _dict(definition.get("spec"))
        group, kind = spec.get("group"), _dict(spec.get("names")).get("kind")
        if not isinstance(group, str) or not isinstance(kind, str):
            raise SchemaError("the CustomResourceDefinition names no group or no kind")
        common = _dict(spec.get("validation")).get("openAPIV3Schema")
        versions = self.kinds.setdefault((group, kind), {})
        rows = spec.get("versions")
        for row in rows if isinstance(rows, list) else [{"name": spec.get("version")}]:
            name = _dict(row).get("name")
            schema = _dict(_dict(row).get("schema")).get("openAPIV3Schema", common)
            if not isinstance(name, str):
                continue
            if not isinstance(schema, dict):
                raise SchemaError(f"version {quoted(name)} of {group}/{kind} has no schema")
            try:
                versions[name] = Schema(json_schema(schema), draft4=True)
            except SchemaError as error:
                raise SchemaError(f"version {quoted(name)} of {group}/{kind}: {error}") from error
        if not versions:
            raise SchemaError(f"the CustomResourceDefinition of {group}/{kind} has no version")


def load(raw: bytes) -> Schema | Definitions:
    """Return what a file of that content holds.

    Raises:
        SchemaError: it is neither a JSON Schema nor manifests of CustomResourceDefinitions.
    """
    if len(raw) > LARGEST:
        raise SchemaError("the file is larger than 16 MiB")
    documents = [document for document in read(raw) if document.state != "empty"]
    for document in documents:
        problem = next(iter(document.problems), None)
        if document.state != "read" or problem is not None:
            line = document.first_line if problem is None else problem.span.line
            what = document.reason or "it cannot be read" if problem is None else problem.message
            raise SchemaError(f"line {line}: {what}")
    items = [item for document in documents for item in objects(document.data)]
    found = [item for item in items if item.kind == "CustomResourceDefinition"]
    if found:
        definitions = Definitions()
        for item in found:
            definitions.add(item.data)
        return definitions
    if len(documents) != 1:
        raise SchemaError("a JSON Schema is one document" if documents else "the file is empty")
    data: Any = documents[0].data
    if not isinstance(data, dict):
        raise SchemaError("expected a JSON Schema or a CustomResourceDefinition")
    if isinstance(data.get("kind"), str) and isinstance(data.get("apiVersion"), str):
        raise SchemaError(f"it is a {data['kind'][:60]}, not a JSON Schema or a CustomResourceDefinition")
    return Schema(data)


def definition_of(item: ApiObject) -> tuple[str, str] | None:
    """Return the group and kind that a CustomResourceDefinition defines, None for another object."""
    spec = _dict(item.data.get("spec"))
    group, kind = spec.get("group"), _dict(spec.get("names")).get("kind")
    if item.kind != "CustomResourceDefinition" or not isinstance(group, str) or not isinstance(kind, str):
        return None
    return group, kind


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _validator(schema: Any, *, draft4: bool) -> Any:
    from jsonschema import Draft4Validator, Draft202012Validator, FormatChecker
    from jsonschema import SchemaError as Refused
    from jsonschema.validators import validator_for
    from referencing import Registry

    if not isinstance(schema.get("$schema", ""), str):
        raise SchemaError("no valid JSON Schema: `$schema` is no text")
    base: Any = Draft4Validator if draft4 else validator_for(schema, default=Draft202012Validator)
    try:
        base.check_schema(schema, format_checker=FormatChecker(formats=()))
    except Refused as error:
        place = ".".join(map(str, error.absolute_path)) or "its top"
        what = f"`{error.validator}` of the meta-schema refuses {quoted(error.instance)}"
        raise SchemaError(f"no valid JSON Schema: at {place}, {what}") from error
    except RecursionError as error:
        raise SchemaError("no valid JSON Schema: it is nested too deeply") from error
    _name_refusals(schema)
    try:
        _check_references(schema, base)
    except (AttributeError, TypeError) as error:  # the meta-schema does not look into parts that it does not know
        raise SchemaError("no valid JSON Schema: a part of it is neither an object nor true or false") from error
    _check_patterns(schema)
    # Nothing is looked up elsewhere: a registry without a way of retrieving.
    found = _tamed(base)(schema, registry=Registry())
    try:
        next(iter(found.iter_errors({})), None)
    except (AttributeError, TypeError) as error:
        raise SchemaError("no valid JSON Schema: a part of it is neither an object nor true or false") from error
    except RecursionError as error:
        raise SchemaError("the schema refers to itself without an end") from error
    return found


@functools.cache
def _tamed(base: Any) -> Any:
    """Return a validator with patterns of Go, which take time as text and pattern are long, and one error for all
    fields that are missing.
    """
    from jsonschema import ValidationError, validators

    def pattern(validator: Any, wanted: Any, value: Any, _: Any) -> Iterator[Any]:
        if validator.is_type(value, "string") and isinstance(wanted, str) and not _matches(wanted, value):
            yield ValidationError("pattern")

    def required(validator: Any, wanted: Any, value: Any, _: Any) -> Iterator[Any]:
        if validator.is_type(value, "object") and isinstance(wanted, list) and not set(wanted) <= value.keys():
            yield ValidationError("required")

    checker = base.TYPE_CHECKER.redefine("integer", _is_integer)
    extend: Any = validators.extend
    return extend(base, {"pattern": pattern, "required": required}, type_checker=checker)


def _is_integer(_: Any, value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _matches(pattern: str, text: str) -> bool:
    """Say whether a pattern is found in a text; what Go cannot read as a pattern, or run, refuses nothing."""
    from dralint.cel.regex.classes import NotRunError
    from dralint.cel.regex.dialect import Patterns
    from dralint.cel.regex.parse import RegexError
    from dralint.cel.regex.program import program

    try:
        return program(pattern, Patterns("folded")).search(text) is not None
    except (RegexError, NotRunError):
        return True


def _name_refusals(schema: Any) -> None:
    """Write fields that are refused as a schema: of false in its place the library does not tell the path."""
    for value in _mappings(schema):
        fields = _dict(value.get("properties"))
        for name, one in fields.items():
            if one is False:
                fields[name] = {"not": {}}


def _check_patterns(schema: Any) -> None:
    """Raise SchemaError for a pattern of keys that the library could not use."""
    for value in _mappings(schema):
        for pattern in _dict(value.get("patternProperties")):
            try:
                re.compile(pattern)
            except re.error as error:
                raise SchemaError(f"`patternProperties`: {quoted(pattern)} is no regular expression") from error


def _mappings(schema: Any) -> Iterator[dict[str, Any]]:
    todo = [schema]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            yield value
            todo.extend(value.values())
        elif isinstance(value, list):
            todo.extend(value)


def _check_references(schema: Any, base: Any) -> None:
    """Raise SchemaError for a reference that leads out of the file, or to nothing in it."""
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import specification_with

    specification = specification_with(base.META_SCHEMA.get("$schema", base.META_SCHEMA.get("id")))
    resource: Any = specification.create_resource(schema)
    todo: list[tuple[Any, Any]] = [(resource, Registry().resolver_with_root(resource))]
    while todo:
        one, resolver = todo.pop()
        target = one.contents.get("$ref") if isinstance(one.contents, dict) else None
        if isinstance(target, str):
            try:
                resolver.lookup(target)
            except (Unresolvable, ValueError) as error:
                raise SchemaError(
                    f"the reference {quoted(target)} leads nowhere: only those within the file are followed"
                ) from error
        todo += [(below, resolver.in_subresource(below)) for below in one.subresources()]


def shown_kinds(definitions: Definitions) -> str:
    """Return the kinds of the definitions as a message lists them."""
    return listed((f"{group}/{kind}" for group, kind in sorted(definitions.kinds)), "and", "")
