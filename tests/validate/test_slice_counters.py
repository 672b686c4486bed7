"""Counter sets, their consumption, partition types, and resources of the node that devices represent."""

from __future__ import annotations

import pytest

from dralint import lint_text
from tests.slice_manifests import Said, block, device_of, reasons, said, slice_of

SETS = "nodeName: node-1\nsharedCounters:\n- name: gpu-0\n  counters: {memory: {value: 40Gi}}"
PARTITION = "- name: a\n  consumesCounters:\n  - counterSet: {set}\n    counters:\n      {counter}: {{value: 1Gi}}\n"


ALL_GATES = {"AllAlpha": True, "AllBeta": True}


def partition(counter_set: str = "gpu-0", counter: str = "memory") -> str:
    return PARTITION.format(set=counter_set, counter=counter)


def test_devices_consume_counters_of_their_slice_up_to_1_34() -> None:
    assert said(slice_of(partition(), version="v1beta2", spec=SETS), "1.33") == []


@pytest.mark.parametrize("release", ["1.33", "1.34"])
def test_a_counter_set_of_another_slice_is_unknown_up_to_1_34(release: str) -> None:
    text = slice_of(partition("gpu-O"), version="v1beta2", spec=SETS)

    message = 'counter set "gpu-O" is not in the sharedCounters of this slice; it has: gpu-0'
    assert said(text, release) == [Said("DRA253", "spec.devices[0].consumesCounters[0].counterSet", 15, message)]


def test_an_unknown_counter_is_blamed_on_the_map_and_underlined_at_its_name() -> None:
    text = slice_of(partition(counter="mem"), version="v1beta2", spec=SETS)

    message = 'counter set "gpu-0" has no counter "mem"; it has: memory'
    assert said(text, "1.34") == [Said("DRA253", "spec.devices[0].consumesCounters[0].counters", 17, message)]


def test_sets_and_devices_stand_apart_since_1_35_even_when_one_is_empty() -> None:
    message = "`sharedCounters` and `devices` cannot be in one slice"

    assert said(slice_of(partition(), spec=SETS), "1.35") == [Said("DRA253", "spec", 9, message)]
    assert said(slice_of(spec=f"{SETS}\ndevices: []"), "1.35") == [Said("DRA253", "spec", 9, message)]
    assert said(slice_of(spec=SETS), "1.35") == []
    assert said(slice_of(partition("elsewhere")), "1.35") == []


def test_totals_of_counters_may_reach_their_limits() -> None:
    counters = ", ".join(f"c{number}: {{value: 1}}" for number in range(32))
    sets = f"nodeName: node-1\nsharedCounters:\n- name: gpu-0\n  counters: {{{counters}}}"
    devices = "".join(
        f"- {{name: d{n}, consumesCounters: [{{counterSet: gpu-0, counters: {{{counters}}}}}]}}\n" for n in range(32)
    )

    assert said(slice_of(devices, version="v1beta2", spec=sets), "1.34") == []


@pytest.mark.parametrize("count", [10, 11])
def test_of_many_counter_sets_ten_are_named(count: int) -> None:
    names = [f"set-{number:02}" for number in range(count)]
    sets = "nodeName: node-1\nsharedCounters:\n" + "".join(
        f"- {{name: {name}, counters: {{memory: {{value: 1}}}}}}\n" for name in names
    )

    (finding,) = said(slice_of(partition("other"), version="v1beta2", spec=sets.rstrip()), "1.34")
    assert (finding.rule, finding.path) == ("DRA253", "spec.devices[0].consumesCounters[0].counterSet")
    assert finding.message.endswith(f"; it has: {', '.join(names[:10])}")


def test_totals_of_counters_up_to_1_34() -> None:
    counters = ", ".join(f"c{number}: {{value: 1}}" for number in range(33))
    sets = f"nodeName: node-1\nsharedCounters:\n- name: gpu-0\n  counters: {{{counters}}}"
    device = "- {{name: d{number}, consumesCounters: [{{counterSet: gpu-0, counters: {{{counters}}}}}]}}\n"
    text = slice_of(
        "".join(device.format(number=n, counters=counters) for n in range(32)), version="v1beta2", spec=sets
    )

    findings = said(text, "1.34")
    assert findings[:2] == [
        Said(
            "DRA253",
            "spec.sharedCounters",
            9,
            "the counter sets of a slice can have at most 32 counters together, but has 33",
        ),
        Said(
            "DRA253",
            "spec.devices",
            12,
            "all devices of a slice can have at most 1024 counters together, but has 1056",
        ),
    ]
    assert [f.path for f in findings[2:]] == [f"spec.devices[{number}]" for number in range(32)]
    assert findings[2].message == "a device can have at most 32 counters together, but has 33"


@pytest.mark.parametrize(
    ("release", "path"),
    [("1.34", "spec.devices[0].consumesCounters[1].counterSet"), ("1.35", "spec.devices[0].consumesCounters[1]")],
)
def test_a_counter_set_is_consumed_once(release: str, path: str) -> None:
    entry = "- {counterSet: gpu-0, counters: {memory: {value: 1}}}\n"
    spec = SETS if release == "1.34" else "nodeName: node-1"
    text = device_of("consumesCounters:\n" + entry * 2, version="v1beta2", spec=spec)

    assert reasons(text, release) == [(path, "Duplicate")]


@pytest.mark.parametrize(("release", "refused"), [("1.34", False), ("1.35", True), ("1.37", True)])
def test_a_device_consumes_two_counter_sets_at_most_since_1_35(release: str, refused: bool) -> None:
    entries = "".join(f"- {{counterSet: s{n}, counters: {{memory: {{value: 1}}}}}}\n" for n in range(3))
    text = device_of("consumesCounters:\n" + entries, version="v1beta2")

    assert (("spec.devices[0].consumesCounters", "TooMany") in reasons(text, release)) is refused


TYPED = "nodeName: node-1\npartitionTypeAttribute: gpu.example.com/profile"


@pytest.mark.parametrize("name", ["profile", "gpu.example.com/profile"])
def test_a_partition_has_its_type_with_or_without_the_domain_of_the_driver(name: str) -> None:
    text = slice_of(partition() + f"  attributes: {{{name}: {{string: half}}}}\n- name: whole\n", spec=TYPED)

    assert [one for one in said(text, "1.37") if one.rule != "DRA713"] == []  # the domain is not needed


def test_a_partition_lacks_its_type_or_has_it_as_a_number() -> None:
    text = slice_of(partition() + "  attributes:\n    profile: {int: 1}\n", spec=TYPED)

    path = "spec.devices[0].attributes[gpu.example.com/profile]"
    message = 'attribute "profile" contains the partition type, so it must be a string'
    assert said(text, "1.37") == [Said("DRA254", path, 17, message)]
    assert reasons(slice_of(partition(), spec=TYPED), "1.37") == [(path, "Required")]


def resources(fields: str) -> str:
    return device_of("capacity: {cores: {value: 8}}\n" + fields)


NODE = "spec.devices[0].nodeAllocatableResources"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("example.com/a: {overhead: {perPod: 1}}", [(f"{NODE}[example.com/a]", "Invalid")]),
        ("cpu: {}", [(f"{NODE}[cpu]", "Required")]),
        ("cpu: {mapping: {}}", [(f"{NODE}[cpu].mapping", "Invalid")]),
        (
            "cpu: {mapping: {capacityKey: cores, capacityMultiplier: 1, deviceMultiplier: 0}}",
            [(f"{NODE}[cpu].mapping", "Invalid"), (f"{NODE}[cpu].mapping.deviceMultiplier", "Invalid")],
        ),
        ("cpu: {mapping: {capacityKey: cores}}", [(f"{NODE}[cpu].mapping.capacityMultiplier", "Required")]),
        (
            "cpu: {mapping: {capacityMultiplier: 1}}",
            [(f"{NODE}[cpu].mapping", "Invalid"), (f"{NODE}[cpu].mapping.capacityKey", "Required")],
        ),
        (
            "cpu: {mapping: {capacityKey: core, capacityMultiplier: 1}}",
            [(f"{NODE}[cpu].mapping.capacityKey", "NotFound")],
        ),
        (
            "cpu: {mapping: {capacityKey: cores, capacityMultiplier: -1}}",
            [(f"{NODE}[cpu].mapping.capacityMultiplier", "Invalid")],
        ),
        ("cpu: {overhead: {}}", [(f"{NODE}[cpu].overhead", "Invalid")]),
        ("cpu: {overhead: {perContainer: -1}}", [(f"{NODE}[cpu].overhead.perContainer", "Invalid")]),
    ],
)
def test_node_resources_of_1_37_that_are_refused(entry: str, expected: list[tuple[str, str]]) -> None:
    assert sorted(reasons(resources("nodeAllocatableResources:\n" + block(entry, 2)), "1.37")) == expected


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("cpu: {capacityKey: cores}", []),
        ("kubernetes.io/any: {allocationMultiplier: 2}", []),
        ("example.com/a: {allocationMultiplier: 2}", [("[example.com/a]", "Invalid")]),
        ("cpu: {}", []),
        ("cpu: {allocationMultiplier: 0}", [("[cpu].allocationMultiplier", "Invalid")]),
        ('cpu: {capacityKey: ""}', [("[cpu].capacityKey", "Invalid")]),
        ("cpu: {capacityKey: threads}", [("[cpu].capacityKey", "NotFound")]),
    ],
)
def test_node_resources_of_1_36(entry: str, expected: list[tuple[str, str]]) -> None:
    text = resources("nodeAllocatableResourceMappings:\n" + block(entry, 2))

    path = "spec.devices[0].nodeAllocatableResourceMappings"
    assert reasons(text, "1.36") == [(path + rest, reason) for rest, reason in expected]


def test_too_many_counters_of_a_device_are_underlined_where_it_consumes_them() -> None:
    counters = ", ".join(f"c{number}: {{value: 1}}" for number in range(33))
    sets = f"nodeName: node-1\nsharedCounters:\n- name: gpu-0\n  counters: {{{counters}}}"
    entry = f"- name: a\n  consumesCounters:\n  - {{counterSet: gpu-0, counters: {{{counters}}}}}\n"
    text = slice_of(entry, version="v1beta2", spec=sets)

    found = said(text, "1.34")[-1]

    message = "a device can have at most 32 counters together, but has 33"
    line = text.splitlines().index("  - name: a") + 2
    assert found == Said("DRA253", "spec.devices[0]", line, message)


def test_the_hint_for_a_partition_without_its_type_names_the_attribute() -> None:
    report = lint_text(slice_of(partition(), spec=TYPED), kubernetes_version=["1.37"], feature_gates=ALL_GATES)

    assert [(f.rule, f.hint) for f in report.findings if f.rule == "DRA254"] == [
        ("DRA254", "add it: `gpu.example.com/profile: {string: ...}`")
    ]
