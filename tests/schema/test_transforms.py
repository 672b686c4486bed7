"""Each step from OpenAPI and the table of limits to JSON Schema."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.kubernetes.types import Shape, Struct
from dralint.schema import transforms
from dralint.schema.transforms import Builder

STRING = {"type": ["string", "null"]}


def taken(schema: dict[str, Any], *values: Any) -> list[bool]:
    return [takes(schema, value) for value in values]


def takes(schema: dict[str, Any], value: object) -> bool:
    definitions = {**transforms.SCALARS, "Device": {"type": ["object", "null"]}}
    return Draft202012Validator({**schema, "$defs": definitions}).is_valid(value)


@pytest.mark.parametrize(
    ("shape", "good", "bad"),
    [
        (Shape("string"), ["", "x", None], [1, True, [], {}]),
        (Shape("boolean"), [True, False, None], ["true", 0]),
        (Shape("int32"), [0, -(2**31), 2**31 - 1, None], [2**31, -(2**31) - 1, 1.5, "1", True]),
        (Shape("int64"), [2**63 - 1, None], [2**63, "1"]),
        (Shape("number"), [1, 1.5, None], ["1"]),
        (Shape("quantity"), ["40Gi", "1e3", " .5 ", "-1n", 1, 1.5, None], ["", "5 Gi", "1K", "1e3Gi", True, {}]),
        (
            Shape("time"),
            ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.5+01:00", None],
            ["2026-01-02", "", 1],
        ),
        (Shape("any"), [1, "x", None, [], {}], []),
        (Shape("struct", "Device"), [{}, None], [[], "x"]),
        (Shape("list", of=Shape("string")), [[], ["x", None], None], [{}, "x", [1]]),
        (Shape("map", of=Shape("string")), [{}, {"k": "x"}, {"k": None}, None], [[], {"k": 1}]),
    ],
    ids=lambda value: value.shape if isinstance(value, Shape) else "",
)
def test_shape_is_what_the_decoder_takes(shape: Shape, good: list[object], bad: list[object]) -> None:
    schema = transforms.shape_schema(shape)

    assert [value for value in good if not takes(schema, value)] == []
    assert [value for value in bad if takes(schema, value)] == []


@pytest.mark.parametrize(
    ("row", "good", "bad"),
    [
        ({"maxLength": 3}, ["", "abc", None], ["abcd"]),
        ({"format": "dns-label"}, ["", "a-b", None], ["A", "-a"]),
        ({"format": "dns-label", "empty": "checked"}, ["a", None], ["", "A"]),
        ({"format": "label-value", "empty": "checked"}, ["a", "", None], ["-"]),
        ({"format": "dns-label", "empty": "Required"}, ["a"], ["", None, "A"]),
        ({"empty": "Required"}, ["a"], ["", None]),
        ({"enum": ["a", "b"]}, ["a", "", None], ["c"]),
        ({"enum": ["a", "b"], "empty": "checked"}, ["a", None], ["", "c"]),
        ({"enum": ["a", "b"], "empty": "NotSupported"}, ["a"], ["", None, "c"]),
    ],
    ids=str,
)
def test_string_limits(row: dict[str, Any], good: list[object], bad: list[object]) -> None:
    schema = transforms.string_limits(STRING, row)

    assert [value for value in good if not takes(schema, value)] == []
    assert [value for value in bad if takes(schema, value)] == []


def test_items_of_a_list_are_checked_even_when_empty() -> None:
    shape = Shape("list", of=Shape("string"))
    schema = transforms.list_limits(
        transforms.shape_schema(shape), {"maxItems": 2, "items": {"format": "dns-label"}}, shape
    )

    assert takes(schema, ["a", "b"])
    assert not takes(schema, ["a", ""])
    assert not takes(schema, ["a", None])
    assert not takes(schema, ["a", "b", "c"])


def test_required_list_and_map_have_an_entry() -> None:
    list_ = Shape("list", of=Shape("string"))
    map_ = Shape("map", of=Shape("string"))
    lists = transforms.list_limits(transforms.shape_schema(list_), {"required": "Required"}, list_)
    maps = transforms.map_limits(
        transforms.shape_schema(map_), {"required": "Required", "maxItems": 1, "keys": {"format": "dns-label"}}
    )

    assert taken(lists, ["x"], [], None) == [True, False, False]
    assert taken(maps, {"a": "x"}, {}, None, {"A": "x"}, {"a": "", "b": ""}) == [True, False, False, False, False]


def test_integer_limits() -> None:
    integer = transforms.shape_schema(Shape("int64"))
    ranged = transforms.integer_limits(integer, {"minimum": 1, "maximum": 1000})
    nonzero = transforms.integer_limits(integer, {"empty": "Required"})

    assert taken(ranged, 1, 1000, None, 0, 1001) == [True, True, True, False, False]
    assert taken(nonzero, 1, -1, 0, None) == [True, True, False, False]


def test_raw_limits() -> None:
    assert taken(transforms.raw_limits({}, {"object": True}), {}, None, [], 1) == [True, True, False, False]
    assert taken(transforms.raw_limits({}, {"required": "Required"}), 1, None) == [True, False]


def test_sets_and_keyed_lists_do_not_become_unique_items() -> None:
    shape = Shape("list", of=Shape("string"))
    schema = transforms.annotated(transforms.shape_schema(shape), {"x-kubernetes-list-type": "set"}, shape)

    assert schema["x-kubernetes-list-type"] == "set"
    assert "uniqueItems" not in schema
    assert takes(schema, ["a", "a"])


def test_union_counts_members_that_are_present_or_not_empty() -> None:
    struct = Struct("Either", {"a": Shape("string"), "b": Shape("boolean"), "c": Shape("list", of=Shape("string"))})
    filled = transforms.union(struct, {"oneOf": ["a", "b", "c"]})
    present = transforms.union(struct, {"oneOf": ["a", "b"], "set": "present"})
    any_ = transforms.union(struct, {"anyOf": ["a", "b"], "set": "present"})

    assert taken(filled, {"a": "x", "b": False}, {"a": "x", "c": ["y"]}, {"a": ""}, {"c": []}) == [
        True,
        False,
        False,
        False,
    ]
    assert taken(present, {"a": ""}, {"a": "", "b": False}, {"a": None}, {"a": "", "b": None}) == [
        True,
        False,
        False,
        True,
    ]
    assert taken(any_, {"a": "x", "b": True}, {"a": None}, {}) == [True, False, False]


def test_union_leaves_a_type_alone_that_lacks_a_member() -> None:
    struct = Struct("DeviceRequest", {"firstAvailable": Shape("list", of=Shape("string"))})

    assert transforms.union(struct, {"oneOf": ["exactly", "firstAvailable"]}) == {}


def build(release: str, api_version: str, kind: str) -> dict[str, Any]:
    schemas = shipped.openapi(release)["schemas"][api_version]
    return Builder(Release.parse(release), schemas, shipped.index()).kind(api_version, kind)


def test_unknown_fields_are_closed_at_every_level() -> None:
    schema = build("1.34", "resource.k8s.io/v1", "ResourceClaim")

    assert schema["additionalProperties"] is False
    assert schema["$defs"]["ExactDeviceRequest"]["additionalProperties"] is False
    assert "required" not in schema["$defs"]["ObjectMeta"]


def test_a_struct_is_required_when_an_empty_one_is_refused() -> None:
    schema = build("1.34", "resource.k8s.io/v1", "ResourceSlice")

    assert schema["required"] == ["apiVersion", "kind", "spec"]
    assert schema["$defs"]["ResourceSliceSpec"]["required"] == ["driver", "pool"]


def test_a_field_with_a_gate_that_is_off_says_so() -> None:
    fields = build("1.34", "resource.k8s.io/v1", "ResourceSlice")["$defs"]["Device"]["properties"]

    assert fields["taints"]["description"] == (
        "Marks that exclude the device for requests that do not tolerate them. "
        "The server silently removes this field unless the feature gate DRADeviceTaints is on"
        " (alpha, off by default in 1.34)."
    )
    assert fields["name"]["description"] == "The name of the device, unique in its pool."


def test_a_conditional_field_has_no_limits() -> None:
    before = build("1.36", "resource.k8s.io/v1", "ResourceClaim")["$defs"]
    after = build("1.37", "resource.k8s.io/v1", "ResourceClaim")["$defs"]
    tolerations = before["DeviceRequestAllocationResult"]["properties"]["tolerations"]

    assert tolerations["items"] == {"$ref": "#/$defs/DeviceToleration.decoded"}
    assert "enum" not in before["DeviceToleration.decoded"]["properties"]["effect"]
    assert after["DeviceRequestAllocationResult"]["properties"]["tolerations"]["items"] == {
        "$ref": "#/$defs/DeviceToleration"
    }


def test_limits_differ_between_releases() -> None:
    def length(release: str) -> object:
        schema = build(release, "resource.k8s.io/v1alpha3", "ResourceClaim")
        return schema["$defs"]["CELDeviceSelector"]["properties"]["expression"].get("maxLength")

    assert length("1.31") is None
    assert length("1.32") == 10240
