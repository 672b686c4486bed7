"""The devices of a slice: their number, their amounts, and the relations between their fields."""

from __future__ import annotations

import pytest

from tests.slice_manifests import Said, device_of, reasons, said, slice_of

TAINT = "  taints: [{key: a, effect: NoSchedule}]\n"


def many(count: int, more: str = "") -> str:
    return "".join(f"- name: gpu-{number}\n{more if number == 0 else ''}" for number in range(count))


def test_a_slice_has_128_devices_at_most() -> None:
    assert said(slice_of(many(128)), "1.37") == []
    assert said(slice_of(many(129)), "1.37") == [
        Said("DRA210", "spec.devices", 138, "`devices` has 129 entries; at most 128 are allowed")
    ]


@pytest.mark.parametrize(
    ("text", "release", "expected"),
    [
        (slice_of(many(129).replace("\n", "\n  basic: {}\n"), version="v1alpha3"), "1.31", [
            ("spec.devices", "TooLong"),
        ]),
        (slice_of(many(129).replace("\n", "\n  basic: {}\n"), version="v1alpha3"), "1.32", [
            ("spec.devices", "TooMany"),
        ]),
        # devices of a list that is too long are not looked at since 1.35
        (slice_of(many(129).replace("gpu-3\n", "GPU\n")), "1.34", [
            ("spec.devices", "TooMany"),
            ("spec.devices[3].name", "Invalid"),
        ]),
        (slice_of(many(129).replace("gpu-3\n", "GPU\n")), "1.35", [("spec.devices", "TooMany")]),
    ],
)  # fmt: skip
def test_a_slice_with_too_many_devices(text: str, release: str, expected: list[tuple[str, str]]) -> None:
    assert sorted(reasons(text, release)) == expected


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


@pytest.mark.parametrize(("release", "limit"), [("1.33", 4), ("1.34", 4), ("1.35", 16), ("1.37", 16)])
def test_the_number_of_taints(release: str, limit: int) -> None:
    text = device_of("taints:\n" + "- {key: a, effect: NoSchedule}\n" * (limit + 1), version="v1beta2")

    assert reasons(text, release) == [("spec.devices[0].taints", "TooMany")]


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
