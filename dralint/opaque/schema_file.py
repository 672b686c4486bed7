"""Reads files with the schema of a driver's parameters: a JSON Schema, or a CustomResourceDefinition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.problem import dict_of
from dralint.finding.words import quoted
from dralint.kubernetes.near import listed
from dralint.manifest.objects import ApiObject, objects
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


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


LARGEST = 16 << 20
"""The largest schema that is read, in bytes."""


_STEPS, _STEPS_A_VALUE = 500, 30
"""How many references and alternatives a check may follow: a fixed number, and more for each value in the data."""


class SchemaError(ValueError):
    """A file without a usable schema; the text has the reason."""


class _TooLongError(Exception):
    """A schema with too many references and alternatives for a value, such as twice as many with each level."""


class Schema:
    """One schema, ready to judge.

    Raises SchemaError for what is not a JSON Schema.
    """

    def __init__(self, schema: Any, *, draft4: bool = False) -> None:
        self._left = _STEPS
        try:
            self._validator = _validator(schema, self._spend, draft4=draft4)
        except RecursionError as error:
            raise SchemaError("not a valid JSON Schema: it is nested too deeply") from error

    def errors(self, value: Any) -> Iterator[Any]:
        """Yield the library's errors (jsonschema.ValidationError) for a value; none if it cannot decide."""
        from jsonschema.exceptions import UnknownType
        from referencing.exceptions import Unresolvable

        try:
            self._left = _STEPS + _STEPS_A_VALUE * _size(value)
            yield from self._validator.iter_errors(value)
        except (RecursionError, UnknownType, Unresolvable, AttributeError, TypeError, ArithmeticError, _TooLongError):
            return  # a schema with invalid, circular or too many references refuses nothing

    def _spend(self) -> None:
        """Count one reference or alternative. Raises _TooLongError where none is left."""
        self._left -= 1
        if self._left < 0:
            raise _TooLongError


class Definitions(dict[tuple[str, str], dict[str, Schema]]):
    """Group and kind → version → schema, as manifests of CustomResourceDefinitions define them."""

    def add(self, definition: Mapping[str, Any]) -> None:
        """Add a CustomResourceDefinition. Raises SchemaError where it has no schema, or an invalid one."""
        spec, defined = dict_of(definition.get("spec")), _defined(definition)
        if defined is None:
            raise SchemaError("the CustomResourceDefinition names no group or no kind")
        group, kind = defined
        common = dict_of(spec.get("validation")).get("openAPIV3Schema")
        versions = self.setdefault(defined, {})
        rows = spec.get("versions")
        for row in rows if isinstance(rows, list) else [{"name": spec.get("version")}]:
            name = dict_of(row).get("name")
            schema = dict_of(dict_of(row).get("schema")).get("openAPIV3Schema", common)
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
    """Return the schema or definitions in a file with that content.

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
    """Return the group and kind that a CustomResourceDefinition defines; None for another object."""
    return _defined(item.data) if item.kind == "CustomResourceDefinition" else None


def _defined(definition: Mapping[str, Any]) -> tuple[str, str] | None:
    spec = dict_of(definition.get("spec"))
    group, kind = spec.get("group"), dict_of(spec.get("names")).get("kind")
    return (group, kind) if isinstance(group, str) and isinstance(kind, str) else None


def _validator(schema: Any, spend: Callable[[], None], *, draft4: bool) -> Any:
    from jsonschema import Draft4Validator, Draft202012Validator, FormatChecker
    from jsonschema import SchemaError as Refused
    from jsonschema.validators import validator_for
    from referencing import Registry

    if not isinstance(schema.get("$schema", ""), str):
        raise SchemaError("not a valid JSON Schema: `$schema` is not a string")
    base: Any = Draft4Validator if draft4 else validator_for(schema, default=Draft202012Validator)
    try:
        base.check_schema(schema, format_checker=FormatChecker(formats=()))
    except Refused as error:
        place = ".".join(map(str, error.absolute_path)) or "its top"
        what = f"`{error.validator}` of the meta-schema refuses {quoted(error.instance)}"
        raise SchemaError(f"not a valid JSON Schema: at {place}, {what}") from error
    _name_refusals(schema)
    try:
        _check_references(schema, base)
    except (AttributeError, TypeError) as error:  # the meta-schema does not check parts that it does not know
        raise SchemaError("not a valid JSON Schema: a part of it is neither an object nor true or false") from error
    _check_patterns(schema)
    # A registry without a way of retrieving, so that nothing is loaded from elsewhere.
    found = _tamed(base, spend, {key for value in _mappings(schema) for key in value})(schema, registry=Registry())
    try:
        next(iter(found.iter_errors({})), None)
    except (AttributeError, TypeError) as error:
        raise SchemaError("not a valid JSON Schema: a part of it is neither an object nor true or false") from error
    except (RecursionError, _TooLongError) as error:
        raise SchemaError("the schema refers to itself endlessly") from error
    return found


_REFERRING = ("$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas")
"""Keywords that check the same value by another schema."""


def _tamed(base: Any, spend: Callable[[], None], keywords: set[str]) -> Any:
    """Return a validator with bounded time: its patterns are those of Go, with time in proportion to text and pattern,
    and it follows a limited number of references. It has one error for all missing fields."""
    from jsonschema import ValidationError, validators

    def pattern(validator: Any, wanted: Any, value: Any, _: Any) -> Iterator[Any]:
        if validator.is_type(value, "string") and isinstance(wanted, str) and _found(wanted, value) is False:
            yield ValidationError("pattern")

    def pattern_properties(validator: Any, wanted: Any, value: Any, _: Any) -> Iterator[Any]:
        for expression, schema in wanted.items() if validator.is_type(value, "object") else ():
            for name in value:
                if _found(expression, name):
                    yield from validator.descend(value[name], schema, path=name, schema_path=expression)

    def additional_properties(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[Any]:
        others = unknown_fields(value, schema) if validator.is_type(value, "object") else []
        if validator.is_type(wanted, "object"):
            for name in others:
                yield from validator.descend(value[name], wanted, path=name)
        elif wanted is False and others:
            yield ValidationError("additionalProperties")

    def required(validator: Any, wanted: Any, value: Any, _: Any) -> Iterator[Any]:
        if validator.is_type(value, "object") and isinstance(wanted, list) and not set(wanted) <= value.keys():
            yield ValidationError("required")

    def unique_items(validator: Any, wanted: Any, value: Any, _: Any) -> Iterator[Any]:
        if wanted and validator.is_type(value, "array") and len(set(map(_frozen, value))) < len(value):
            yield ValidationError("uniqueItems")

    def nothing(*_: Any) -> Iterator[Any]:
        return iter(())

    def counted(keyword: Any) -> Any:
        def judge(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[Any]:
            spend()
            yield from keyword(validator, wanted, value, schema) or ()

        return judge

    known = base.VALIDATORS
    own = {name: counted(known[name]) for name in _REFERRING if name in known}
    own |= {"pattern": pattern, "required": required, "uniqueItems": unique_items}
    own |= {"patternProperties": pattern_properties, "additionalProperties": additional_properties}
    if not keywords.isdisjoint(("patternProperties", "dependentSchemas")):
        # For these, the library searches the rest with patterns of Python and without counting.
        own |= {name: nothing for name in ("unevaluatedProperties", "unevaluatedItems") if name in known}
    checker = base.TYPE_CHECKER.redefine("integer", _is_integer)
    extend: Any = validators.extend
    return extend(base, own, type_checker=checker)


def unknown_fields(value: Any, schema: Any) -> list[str]:
    """Return the fields of an object that its schema does not name and that match none of its patterns."""
    known, patterns = dict_of(schema.get("properties")), dict_of(schema.get("patternProperties"))
    return [name for name in value if name not in known and all(_found(each, name) is False for each in patterns)]


def _frozen(value: Any) -> Any:
    """Return an equal value for values that are equal in JSON Schema."""
    if isinstance(value, dict):
        return frozenset((name, _frozen(member)) for name, member in value.items())
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    return (bool, value) if isinstance(value, bool) else value


def _size(value: Any) -> int:
    """Return how many values there are in a value, itself included."""
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_size, members))


def _is_integer(_: Any, value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _found(pattern: Any, text: Any) -> bool | None:
    from dralint.cel.regex import is_in  # few schemas have patterns, and what reads them is large

    return is_in(str(pattern), str(text))


def _name_refusals(schema: Any) -> None:
    """Write refused fields as a schema: for the value false, the library does not report the path."""
    for value in _mappings(schema):
        fields = dict_of(value.get("properties"))
        for name, one in fields.items():
            if one is False:
                fields[name] = {"not": {}}


def _check_patterns(schema: Any) -> None:
    """Raise SchemaError for a pattern of keys that is no regular expression.

    One with a backslash or `(?` can be one of ECMAScript that Go does not know; it matches no key.
    """
    from dralint.cel import regex, regex_nodes  # as above

    for value in _mappings(schema):
        for pattern in dict_of(value.get("patternProperties")):
            try:
                regex.parse(pattern, regex_nodes.NEWEST)
            except regex_nodes.RegexError as error:
                if "(?" in pattern or "\\" in pattern:
                    continue
                raise SchemaError(f"`patternProperties`: {quoted(pattern)} is not a regular expression") from error


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
    """Raise SchemaError for a reference that leads out of the file, or to a missing part."""
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
                    f"the reference {quoted(target)} has no target: dralint follows only references within the file"
                ) from error
        todo += [(below, resolver.in_subresource(below)) for below in one.subresources()]


def shown_kinds(definitions: Definitions) -> str:
    """Return the kinds of the definitions as a message lists them."""
    return listed((f"{group}/{kind}" for group, kind in sorted(definitions)), "and", "")
