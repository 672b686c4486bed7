"""Opaque parameters and the schemas of drivers: which schema judges, and the findings on parameters that do not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dralint.config.settings import Settings
from dralint.lint.linter import Linter
from dralint.lint.pool import Task, judge_texts
from dralint.opaque.parameters import DriverSchemas, check_key
from dralint.opaque.schema_file import Definitions, SchemaError, load
from tests import objects

MISFIT, UNKNOWN = "DRA444", "DRA445"
AT = "spec.devices.config[0].opaque.parameters"


def claim(parameters: Any, driver: str = "gpu.example.com") -> str:
    made = objects.claim("train", "ml", {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}})
    made["spec"]["devices"]["config"] = [{"opaque": {"driver": driver, "parameters": parameters}}]
    return json.dumps(made)


def definition(properties: dict[str, Any], version: str = "v1", **more: Any) -> dict[str, Any]:
    return objects.definition("GpuConfig", "gpu.example.com", version, properties=properties, **more)


def typed(**fields: Any) -> dict[str, Any]:
    return {"apiVersion": "gpu.example.com/v1", "kind": "GpuConfig", **fields}


def said(folder: Path, schema: Any, parameters: Any, key: str = "gpu.example.com") -> list[tuple[str, str, str]]:
    file = folder / "schema.json"
    file.write_text(json.dumps(schema))
    settings = Settings(driver_schemas=((key, str(file)),))
    report = Linter(settings).check("claim.json", claim(parameters).encode()).report
    assert report.failures == []
    report.sort()
    return sorted((f.rule, f.path.removeprefix(AT).removeprefix("."), f.message) for f in report.findings)


@pytest.mark.parametrize(
    ("schema", "value", "path", "message"),
    [
        ({"type": "integer"}, "4", "x", 'expected a whole number, got the string "4"'),
        ({"type": ["string", "integer"]}, True, "x", "expected a string or a whole number, got true"),
        ({"enum": ["A", "B"]}, "C", "x", '"C" is not allowed here'),
        ({"const": 5}, 6, "x", "6 is not allowed here"),
        ({"minimum": 3}, 2, "x", "2 is out of range"),
        ({"maximum": 3}, 4, "x", "4 is out of range"),
        ({"exclusiveMinimum": 3}, 3, "x", "3 is out of range"),
        ({"multipleOf": 2}, 3, "x", "3 is out of range"),
        ({"pattern": "^a+$"}, "b", "x", '"b" does not match the pattern "^a+$"'),
        ({"minLength": 3}, "ab", "x", "2 characters"),
        ({"maxItems": 1}, [1, 2], "x", "2 entries"),
        ({"minProperties": 1}, {}, "x", "0 fields"),
        ({"uniqueItems": True}, [1, 1], "x", "the entries are not all different"),
        ({"items": {"type": "string"}}, ["a", 5], "x[1]", "expected a string, got the number 5"),
        ({"required": ["a", "b"]}, {"b": 1}, "x.a", "`a` is missing"),
        (False, 1, "x", "no value is allowed here"),
        ({"not": {"type": "integer"}}, 1, "x", "the schema forbids this form"),
        (
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            [],
            "x",
            "expected a whole number or a string, got an empty list",
        ),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, "x", "one of `a` or `b` must be set"),
        (
            {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"a": 1, "b": 1},
            "x",
            "it matches more than one of the forms, but the schema allows exactly one",
        ),
    ],
)
def test_what_does_not_fit_is_told_in_our_words(
    tmp_path: Path, schema: Any, value: Any, path: str, message: str
) -> None:
    found = said(tmp_path, {"properties": {"x": schema}}, {"x": value})

    assert found == [(MISFIT, path, f"{message} (schema of gpu.example.com)")]


def test_of_several_forms_the_one_that_is_meant_judges(tmp_path: Path) -> None:
    forms = [
        {"properties": {"strategy": {"const": "MPS"}, "limit": {"type": "integer"}}, "required": ["strategy"]},
        {"properties": {"strategy": {"const": "TimeSlicing"}, "interval": {"type": "integer"}}},
    ]

    assert said(tmp_path, {"oneOf": forms}, {"strategy": "TimeSlicing", "interval": "long"}) == [
        (MISFIT, "interval", 'expected a whole number, got the string "long" (schema of gpu.example.com)')
    ]


def test_an_unknown_field_is_told_only_where_the_schema_has_all(tmp_path: Path) -> None:
    schema: dict[str, Any] = {"properties": {"strategy": {}, "a.b/c": {}}}

    assert said(tmp_path, schema, {"stratgy": 1}) == []
    assert said(tmp_path, {**schema, "additionalProperties": False}, {"stratgy": 1, "d.e/f": 2}) == [
        (UNKNOWN, "[d.e/f]", "`d.e/f` is not in the schema of gpu.example.com"),
        (UNKNOWN, "stratgy", "`stratgy` is not in the schema of gpu.example.com"),
    ]


def test_a_structural_schema_means_what_it_does_for_custom_resources(tmp_path: Path) -> None:
    schema = definition(
        {
            "limit": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "map": {"type": "object", "additionalProperties": {"type": "integer"}},
            "inner": {
                "type": "object",
                "required": ["a", "b"],
                "properties": {"a": {"type": "string", "default": "x"}, "b": {"type": "string", "enum": ["y"]}},
            },
            "above": {"type": "integer", "minimum": 3, "exclusiveMinimum": True},
        }
    )
    fine = typed(
        metadata={"name": "a"}, limit="50%", free={"any": 1}, map={"x": 1}, inner={"b": None, "a": None}, above=None
    )
    wrong = typed(limit=True, map={"x": "1"}, inner={"c": 1}, above=3, other=1)
    of = "(schema of gpu.example.com)"

    assert said(tmp_path, schema, fine) == []
    assert said(tmp_path, schema, wrong) == [
        (MISFIT, "above", f"3 is out of range {of}"),
        (MISFIT, "inner.b", f"`b` is missing {of}"),
        (MISFIT, "limit", f"expected a whole number or a string, got true {of}"),
        (MISFIT, "map.x", f'expected a whole number, got the string "1" {of}'),
        (UNKNOWN, "inner.c", "`c` is not in the schema of gpu.example.com"),
        (UNKNOWN, "other", "`other` is not in the schema of gpu.example.com"),
    ]


def test_a_definition_judges_its_own_kind_and_version(tmp_path: Path) -> None:
    schema = definition({})
    of = "in the schema of gpu.example.com"

    assert said(tmp_path, schema, {**typed(), "apiVersion": "gpu.example.com/v2"}) == [
        (MISFIT, "apiVersion", f'"v2" is not a version of GpuConfig {of}')
    ]
    assert said(tmp_path, schema, {**typed(), "kind": "GpuConfg"}) == [
        (MISFIT, "kind", f'"GpuConfg" is not a kind {of}')
    ]
    assert said(tmp_path, schema, {**typed(), "apiVersion": "example.com/v1"}) == [
        (MISFIT, "apiVersion", f'"example.com/v1" is not a group {of}')
    ]
    assert said(tmp_path, schema, {"x": 1}) == [(UNKNOWN, "x", f"`x` is not {of}")]


@pytest.mark.parametrize(
    ("key", "judges"),
    [
        ("gpu.example.com", True),
        ("gpu.example.com/GpuConfig", True),
        ("gpu.example.com/v1/GpuConfig", True),
        ("gpu.example.com/v2/GpuConfig", False),
        ("gpu.example.com/Other", False),
        ("nic.example.com", False),
    ],
)
def test_what_a_schema_is_for(tmp_path: Path, key: str, judges: bool) -> None:
    found = said(tmp_path, {"required": ["size"]}, typed(), key)

    assert [(rule, path) for rule, path, _ in found] == ([(MISFIT, "size")] if judges else [])


def test_the_narrowest_schema_judges(tmp_path: Path) -> None:
    (tmp_path / "any.json").write_text("{}")
    (tmp_path / "none.json").write_text('{"not": {}}')
    files = {"any": str(tmp_path / "any.json"), "none": str(tmp_path / "none.json")}
    settings = Settings(
        driver_schemas=(("gpu.example.com", files["none"]), ("gpu.example.com/GpuConfig", files["any"]))
    )

    assert Linter(settings).check("c.json", claim(typed()).encode()).report.findings == []
    assert [f.path for f in Linter(settings).check("c.json", claim({}).encode()).report.findings] == [AT]


@pytest.mark.parametrize("value", ["[[:alpha:]]+", r"\A[a-z]+\z", "(a+)+$", "(?=a)b", "("])
@pytest.mark.slow
def test_no_pattern_hangs_or_ends_a_run(tmp_path: Path, value: str) -> None:
    found = said(tmp_path, {"properties": {"x": {"pattern": value}}}, {"x": "a" * 60 + "!"})

    assert {(rule, path) for rule, path, _ in found} <= {(MISFIT, "x")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("[]", "expected a JSON Schema or a CustomResourceDefinition"),
        ("a: 1\n---\nb: 1\n", "a JSON Schema is one document"),
        ("a: [", "line 1: "),
        ('{"type": "strng"}', "not a valid JSON Schema: at type, "),
        (
            '{"$schema": "http://json-schema.org/draft-06/schema#", "$ref": "#/$defs/x", "$defs": {"x": {"not": "a"}}}',
            "not a valid JSON Schema: a part of it is neither an object nor true or false",
        ),
        ('{"$schema": 5}', "not a valid JSON Schema: `$schema` is not a string"),
        (
            '{"$ref": "other.json"}',
            'the reference "other.json" has no target: dralint follows only references within the file',
        ),
        ('{"$ref": "https://example.com/x.json"}', 'the reference "https://example.com/x.json" has no target'),
        ('{"$ref": "#/$defs/x"}', 'the reference "#/$defs/x" has no target'),
        ('{"$ref": "#"}', "the schema refers to itself endlessly"),
        ('{"patternProperties": {"(": {}}}', '`patternProperties`: "(" is not a regular expression'),
        ("apiVersion: v1\nkind: ConfigMap\n", "it is a ConfigMap, not a JSON Schema or a CustomResourceDefinition"),
        ("kind: CustomResourceDefinition\n", "the CustomResourceDefinition names no group or no kind"),
        (
            "kind: CustomResourceDefinition\nspec: {group: a.b, names: {kind: C}, versions: [{name: v1}]}\n",
            'version "v1" of a.b/C has no schema',
        ),
    ],
)
def test_a_broken_schema_is_told(text: str, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        load(text.encode())

    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("properties", [{"a": 5}, {"a": True}, {"a": {"required": [{}]}}, {"a": {"type": "nonsense"}}])
def test_a_broken_definition_is_told(properties: dict[str, Any]) -> None:
    with pytest.raises(SchemaError, match=r'^version "v1" of gpu\.example\.com/GpuConfig: not a valid JSON Schema'):
        load(json.dumps(definition(properties, required=["a", {}])).encode())


def test_a_schema_must_be_for_what_it_is_named_for(tmp_path: Path) -> None:
    file = tmp_path / "crd.json"
    file.write_text(json.dumps(definition({})))

    with pytest.raises(SchemaError, match=r"it defines gpu\.example\.com/GpuConfig, not gpu\.example\.com/Other"):
        DriverSchemas([("gpu.example.com/Other", str(file))])
    assert isinstance(load(file.read_bytes()), Definitions)
    assert check_key("a/b/c/d") == "'a/b/c/d' is neither a driver nor GROUP/KIND nor GROUP/VERSION/KIND"
    assert check_key("gpu.example.com") is None


def together(*texts: str, settings: Settings | None = None) -> list[tuple[str, str, str]]:
    held = settings or Settings()
    linter = Linter(held)
    report = judge_texts(linter, [(f"{n}.json", text.encode()) for n, text in enumerate(texts)], Task(held))
    assert report.failures == []
    return [(f.rule, f.file, f.path.removeprefix(AT)) for f in report.findings if f.rule in (MISFIT, UNKNOWN)]


def test_definitions_in_the_input_are_used_by_themselves(tmp_path: Path) -> None:
    crd = json.dumps(definition({"size": {"type": "integer"}}))
    wrong, other = claim(typed(size="big")), claim({**typed(size="big"), "apiVersion": "gpu.example.com/v2"})

    assert together(wrong, crd) == [(MISFIT, "0.json", ".size")]
    assert together(wrong, crd, json.dumps(definition({"size": {"type": "string"}}))) == []
    assert together(other, crd) == []
    assert together(claim(typed(size="${SIZE}")), crd) == []
    assert together(wrong, json.dumps(definition({"size": {"type": "nonsense"}}))) == []
    (tmp_path / "any.json").write_text("{}")
    own = Settings(driver_schemas=(("gpu.example.com/GpuConfig", str(tmp_path / "any.json")),))
    assert together(wrong, crd, settings=own) == []
