"""The devices of a slice: their number, their amounts, and the relations between their fields."""

from __future__ import annotations

import pytest

from tests.slice_manifests import Said, device_of, reasons, said, slice_of

TAINT = "  taints: [{key: a, effect: NoSchedule}]\n"


def many(count: int, more: str = "") -> str:
    return "".join(f"- name: gpu-{number}\n{more if number == 0 else ''}" for number in range(count))


def test_a_slice_holds_128_devices() -> None:
    assert said(slice_of(many(128)), "1.37") == []
    assert said(slice_of(many(129)), "1.37") == [
        Said("DRA210", "spec.devices", 138, "`devices` has 129 entries; at most 128 are allowed")
    ]


def test_a_list_that_is_too_long_has_its_own_reason_in_1_31() -> None:
    text = slice_of(many(129).replace("\n", "\n  basic: {}\n"), version="v1alpha3")

    assert reasons(text, "1.31") == [("spec.devices", "TooLong")]
    assert reasons(text, "1.32") == [("spec.devices", "TooMany")]


@pytest.mark.parametrize(
    ("release", "more", "limit"),
    [
        ("1.34", TAINT, 128),
        ("1.35", TAINT, 64),
        ("1.35", "  attributes: {a: {ints: [1]}}\n", None),
        ("1.36", "  attributes: {a: {ints: [1]}}\n", 64),
        ("1.36", "  consumesCounters: [{counterSet: a, counters: {a: {value: 1}}}]\n", 64),
    ],
)
def test_taints_counters_and_lists_halve_the_number_of_devices(release: str, more: str, limit: int | None) -> None:
    if limit is None:
        assert "DRA210" not in {finding.rule for finding in said(slice_of(many(128, more)), release)}
        return
    findings = said(slice_of(many(limit + 1, more)), release)

    assert said(slice_of(many(limit, more)), release) == []
    assert [(f.rule, f.path) for f in findings] == [("DRA210", "spec.devices")]
    assert f"at most {limit} are allowed" in findings[0].message


def test_devices_of_a_list_that_is_too_long_are_not_looked_at_since_1_35() -> None:
    text = slice_of(many(129).replace("gpu-3\n", "GPU\n"))

    assert reasons(text, "1.34") == [("spec.devices[3].name", "Invalid"), ("spec.devices", "TooMany")]
    assert reasons(text, "1.35") == [("spec.devices", "TooMany")]


def test_declarative_validation_of_1_37_looks_into_a_list_that_is_too_long() -> None:
    bad = """\
  attributes: {a: {}}
  consumesCounters:
  - {counterSet: A, counters: {}}
  - {counterSet: A, counters: {B: {value: 1}}, compatibilityGroups: [c, c]}
  bindingConditions: [a, b, c, d, e]
"""
    findings = reasons(slice_of(many(65, bad)), "1.37")

    device = "spec.devices[0]"
    assert sorted(findings, key=str) == sorted(
        [
            ("spec.devices", "TooMany"),
            (f"{device}.attributes[a]", "Invalid"),
            (f"{device}.bindingConditions", "TooMany"),
            (f"{device}.consumesCounters[0].counterSet", "Invalid"),
            (f"{device}.consumesCounters[0].counters", "Required"),
            (f"{device}.consumesCounters[1]", "Duplicate"),
            (f"{device}.consumesCounters[1].compatibilityGroups[1]", "Duplicate"),
            (f"{device}.consumesCounters[1].counterSet", "Invalid"),
            (f"{device}.consumesCounters[1].counters", "Invalid"),
        ],
        key=str,
    )
    assert reasons(slice_of(many(65, bad.replace(", compatibilityGroups: [c, c]", ""))), "1.36") == [
        ("spec.devices", "TooMany")
    ]


def test_attributes_and_capacities_are_counted_together() -> None:
    attributes = ", ".join(f"a{number}: {{int: 1}}" for number in range(30))
    text = device_of(f"attributes: {{{attributes}}}\ncapacity: {{a: {{value: 1}}, b: {{value: 1}}, c: {{value: 1}}}}")

    message = "the device has 30 attributes and 3 capacities; at most 32 of both together are allowed"
    assert said(text, "1.34") == [Said("DRA251", "spec.devices[0]", 11, message)]
    assert said(text.replace(", c: {value: 1}", ""), "1.34") == []


def test_the_values_of_list_attributes_are_counted_since_1_36() -> None:
    text = device_of(f"attributes:\n  a: {{ints: {list(range(48))}}}\n  b: {{int: 1}}")

    message = "the attributes of the device have 49 values together; at most 48 are allowed"
    assert said(text, "1.36") == [Said("DRA251", "spec.devices[0]", 11, message)]
    assert said(text.replace("  b: {int: 1}\n", ""), "1.36") == []


def test_a_device_of_1_32_needs_basic_and_a_later_one_does_not() -> None:
    text = slice_of("- name: gpu-0\n", version="v1beta1")

    message = "`basic` is required and is missing or empty"
    assert said(text, "1.32") == [Said("DRA212", "spec.devices[0].basic", 10, message)]
    assert said(text, "1.33") == []


@pytest.mark.parametrize(("release", "reason"), [("1.34", "Required"), ("1.35", "Invalid"), ("1.37", "Invalid")])
def test_an_attribute_without_a_value(release: str, reason: str) -> None:
    assert reasons(device_of("attributes: {a: {}}"), release) == [("spec.devices[0].attributes[a]", reason)]


def test_an_attribute_with_two_values_is_underlined_at_the_second() -> None:
    text = device_of("attributes:\n  a:\n    string: x\n    int: 1")

    message = "the attribute has 2 values (int, string): exactly one of bool, int, string, version must be set"
    assert said(text, "1.34") == [Said("DRA215", "spec.devices[0].attributes[a]", 13, message)]


def test_an_empty_list_is_no_value() -> None:
    text = device_of("attributes: {a: {ints: []}}")

    path = "spec.devices[0].attributes[a]"
    assert reasons(text, "1.36") == [(f"{path}.ints", "Invalid")]
    assert sorted(reasons(text, "1.37")) == [(path, "Invalid"), (f"{path}.ints", "Invalid")]


def test_binding_conditions_come_in_pairs_and_do_not_overlap() -> None:
    text = device_of("bindingConditions: [a, b]\nbindingFailureConditions: [b]")

    message = '"b" is also in `bindingConditions`; a condition can be in one of the two lists only'
    assert said(text, "1.36") == [Said("DRA243", "spec.devices[0].bindingFailureConditions[0]", 12, message)]
    assert reasons(device_of("bindingConditions: [a]"), "1.36") == [
        ("spec.devices[0].bindingFailureConditions", "Invalid")
    ]


@pytest.mark.parametrize(("release", "limit"), [("1.33", 4), ("1.34", 4), ("1.35", 16), ("1.37", 16)])
def test_the_number_of_taints(release: str, limit: int) -> None:
    text = device_of("taints:\n" + "- {key: a, effect: NoSchedule}\n" * (limit + 1), version="v1beta2")

    assert reasons(text, release) == [("spec.devices[0].taints", "TooMany")]


def test_declarative_validation_looks_at_the_effects_of_too_many_taints() -> None:
    text = device_of("taints:\n" + "- {key: a, effect: NoSchedule}\n" * 16 + "- {key: '', effect: Never}\n")

    taints = "spec.devices[0].taints"
    assert sorted(reasons(text, "1.35")) == [(taints, "TooMany"), (f"{taints}[16].effect", "NotSupported")]
    assert reasons(text, "1.35", "DRADeviceTaints=true") == [(taints, "TooMany")]
    assert reasons(text, "1.36") == [(taints, "TooMany")]
    assert sorted(reasons(text, "1.37")) == [(taints, "TooMany"), (f"{taints}[16].effect", "NotSupported")]


def test_skipping_preparation_alone_is_refused() -> None:
    text = slice_of(spec="nodeName: node-1\nskipNodeOperations: [NodePrepareResources]")

    message = "NodePrepareResources cannot be skipped without NodeUnprepareResources"
    assert said(text, "1.37") == [Said("DRA244", "spec.skipNodeOperations", 9, message)]
    assert said(text.replace("[NodePrepareResources]", '["*", NodePrepareResources]'), "1.37") == []


_COUNTERS = "counters: {a: {value: 1}}"
_ONE_OF_KEYS = "exactly one of `capacityKey` and `deviceMultiplier` must be set, but "
_ALL_VALUES = "exactly one of bool, int, string, version, bools, ints, strings, versions must be set"


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ("attributes: {a: {string: x, ints: []}}", None),
        ("attributes: {a: {strings: []}}", ("DRA215", "attributes[a]", f"the attribute has no value: {_ALL_VALUES}")),
        (
            "attributes: {a: {string: x, int: 3}}",
            ("DRA215", "attributes[a]", f"the attribute has 2 values (int, string): {_ALL_VALUES}"),
        ),
        (
            f"consumesCounters: [{{{_COUNTERS}}}]",
            ("DRA212", "consumesCounters[0].counterSet", "`counterSet` is required and is missing or empty"),
        ),
        ("nodeAllocatableResources: {cpu: {mapping: {capacityKey: a}}}", None),
        (
            "nodeAllocatableResources: {cpu: {mapping: {capacityKey: a, deviceMultiplier: 1}}}",
            ("DRA215", "nodeAllocatableResources[cpu].mapping", f"{_ONE_OF_KEYS}both are"),
        ),
        (
            "nodeAllocatableResources: {cpu: {mapping: {}}}",
            ("DRA215", "nodeAllocatableResources[cpu].mapping", f"{_ONE_OF_KEYS}none is"),
        ),
    ],
)
def test_declarative_validation_sees_the_devices_of_a_slice_with_too_many(
    fields: str, found: tuple[str, str, str] | None
) -> None:
    devices = f"- name: first\n  {fields}\n" + "".join(f"- name: d{number}\n" for number in range(128))
    told = [(f.rule, f.path, f.message) for f in said(slice_of(devices), "1.37") if f.rule != "DRA210"]

    assert told == ([] if found is None else [(found[0], f"spec.devices[0].{found[1]}", found[2])])


def test_groups_of_counters_have_names_also_in_a_slice_with_too_many_devices() -> None:
    entry = f"{{counterSet: a, {_COUNTERS}, compatibilityGroups: [A_]}}"
    devices = f"- name: first\n  consumesCounters: [{entry}]\n" + "".join(f"- name: d{n}\n" for n in range(128))
    told = [(f.rule, f.path) for f in said(slice_of(devices), "1.37") if f.rule != "DRA210"]

    assert told == [("DRA201", "spec.devices[0].consumesCounters[0].compatibilityGroups[0]")]
