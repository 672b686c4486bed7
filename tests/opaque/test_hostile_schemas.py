"""Schemas from anyone: whatever they are, a value is judged in bounded time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dralint.opaque.schema_file import Schema, SchemaError, load


def doubled(levels: int) -> dict[str, Any]:
    """Return definitions each of which holds a value twice against the next."""
    definitions: dict[str, Any] = {
        f"a{number}": {"allOf": [{"$ref": f"#/$defs/a{number + 1}"}] * 2} for number in range(levels)
    }
    return {**definitions, f"a{levels}": {}}


def errors(schema: dict[str, Any], value: Any) -> list[str]:
    loaded = load(json.dumps(schema).encode())
    assert isinstance(loaded, Schema)
    return [error.validator for error in loaded.errors(value)]


@pytest.mark.slow
def test_a_schema_that_doubles_without_an_end_is_refused() -> None:
    for more in ({}, {"unevaluatedProperties": False}):
        with pytest.raises(SchemaError, match="the schema refers to itself endlessly"):
            errors({"$ref": "#/$defs/a0", "$defs": doubled(60), **more}, {})


def test_where_a_schema_doubles_too_often_it_refuses_nothing() -> None:
    value: dict[str, Any] = {"end": "x"}  # 2 to the power of 60 ways lead there
    for _ in range(60):
        value = {"a": value}
    tree = {"allOf": [{"properties": {"a": {"$ref": "#/$defs/tree"}}}] * 2, "properties": {"end": {"type": "string"}}}

    assert errors({"$ref": "#/$defs/tree", "$defs": {"tree": tree}}, value) == []
    assert errors({"$ref": "#/$defs/tree", "$defs": {"tree": tree}}, {"a": {"end": 1}}) == ["type", "type"]


def test_patterns_of_keys_take_time_as_the_key_is_long() -> None:
    schema = {"patternProperties": {"^(a+)+$": {"type": "string"}}, "additionalProperties": False}

    assert errors(schema, {"a" * 40: "x"}) == []
    assert errors(schema, {"a" * 40 + "b": 1, "aa": 1}) == ["type", "additionalProperties"]


def test_a_pattern_that_go_cannot_read_refuses_no_key() -> None:
    assert errors({"patternProperties": {"^(?=a)": {"type": "string"}}, "additionalProperties": False}, {"b": 1}) == []


@pytest.mark.slow
def test_distinct_entries_are_counted_not_compared() -> None:
    schema = {"properties": {"x": {"uniqueItems": True}}}

    assert errors(schema, {"x": [{"a": [number]} for number in range(20_000)]}) == []
    assert errors(schema, {"x": [1, True, 0, False, "1", {"a": [1]}, {"a": [True]}, {}, []]}) == []
    assert errors(schema, {"x": [{"a": [1]}, {"a": [1.0]}]}) == ["uniqueItems"]


@pytest.mark.parametrize("pattern", ["(" * 20_000, "a{99999999999999999999}"])
def test_a_pattern_that_python_cannot_compile_is_refused(pattern: str) -> None:
    with pytest.raises(SchemaError, match="is not a regular expression"):
        errors({"patternProperties": {pattern: {}}}, {})


@pytest.mark.parametrize("key", ["not", "properties", "items"])
@pytest.mark.slow
def test_a_deep_schema_is_refused(key: str) -> None:
    with pytest.raises(SchemaError, match="it is nested too deeply"):
        load((f'{{"{key}":' * 5000 + "{}" + "}" * 5000).encode())


def test_a_number_that_is_too_large_to_divide_refuses_nothing() -> None:
    assert errors({"properties": {"x": {"multipleOf": 0.1}}}, {"x": 10**400}) == []


def test_a_reference_to_what_is_no_schema_refuses_nothing() -> None:
    for target in ({"type": "whatever"}, {"minLength": "x"}, ["string"]):
        assert errors({"properties": {"a": {"$ref": "#/x/y"}}, "x": {"y": target}}, {"a": "b"}) == []
