"""Counter sets, their consumption, partition types, and resources of the node that devices represent."""

from __future__ import annotations

import pytest

from dralint import lint_text
from tests.slice_manifests import block, device_of, reasons, said, slice_of

SETS = "nodeName: node-1\nsharedCounters:\n- name: gpu-0\n  counters: {memory: {value: 40Gi}}"
PARTITION = "- name: a\n  consumesCounters:\n  - counterSet: {set}\n    counters:\n      {counter}: {{value: 1Gi}}\n"
SET = "spec.devices[0].consumesCounters[0]"
UNKNOWN_SET = 'counter set "gpu-O" is not in the sharedCounters of this slice; it has: gpu-0'
APART = "`sharedCounters` and `devices` cannot be in one slice"
TYPED = "nodeName: node-1\npartitionTypeAttribute: gpu.example.com/profile"
TYPE = "spec.devices[0].attributes[gpu.example.com/profile]"
NUMBER = 'attribute "profile" contains the partition type, so it must be a string'


def partition(counter_set: str = "gpu-0", counter: str = "memory") -> str:
    return PARTITION.format(set=counter_set, counter=counter)


def counters(number: int, more: str = "") -> str:
    return ", ".join(f"c{n}: {{value: 1}}" for n in range(number)) + more


def consuming(number: int, *, devices: int = 1) -> str:
    """Return a slice for 1.34 whose devices, from line 13 on, consume so many counters of one set."""
    sets = f"nodeName: node-1\nsharedCounters:\n- name: gpu-0\n  counters: {{{counters(number)}}}"
    entry = f"  consumesCounters: [{{counterSet: gpu-0, counters: {{{counters(number)}}}}}]\n"
    return slice_of("".join(f"- name: d{n}\n{entry}" for n in range(devices)), version="v1beta2", spec=sets)


@pytest.mark.parametrize(
    ("text", "release", "expected"),
    [
        # sets of another slice are unknown up to 1.34, and sets and devices stand apart since 1.35
        (slice_of(partition(), version="v1beta2", spec=SETS), "1.33", []),
        (slice_of(partition("gpu-O"), version="v1beta2", spec=SETS), "1.33", [
            ("DRA253", f"{SET}.counterSet", 15, UNKNOWN_SET),
        ]),
        (slice_of(partition("gpu-O"), version="v1beta2", spec=SETS), "1.34", [
            ("DRA253", f"{SET}.counterSet", 15, UNKNOWN_SET),
        ]),
        (slice_of(partition(counter="mem"), version="v1beta2", spec=SETS), "1.34", [
            ("DRA253", f"{SET}.counters", 17, 'counter set "gpu-0" has no counter "mem"; it has: memory'),
        ]),
        (slice_of(partition(), spec=SETS), "1.35", [("DRA253", "spec", 9, APART)]),
        (slice_of(spec=f"{SETS}\ndevices: []"), "1.35", [("DRA253", "spec", 9, APART)]),
        (slice_of(spec=SETS), "1.35", []),
        (slice_of(partition("elsewhere")), "1.35", []),
        # totals
        (consuming(32, devices=32), "1.34", []),
        (consuming(33), "1.34", [
            ("DRA253", "spec.sharedCounters", 9, (
                "the counter sets of a slice can have at most 32 counters together, but has 33"
            )),
            ("DRA253", "spec.devices[0]", 14, "a device can have at most 32 counters together, but has 33"),
        ]),
        # the type of a partition
        (slice_of(partition() + "  attributes: {profile: {string: half}}\n- name: whole\n", spec=TYPED), "1.37", []),
        (slice_of(partition() + "  attributes:\n    profile: {int: 1}\n", spec=TYPED), "1.37", [
            ("DRA254", TYPE, 17, NUMBER),
        ]),
    ],
)  # fmt: skip
def test_what_is_said_of_counters(text: str, release: str, expected: list[tuple[str, str, int, str]]) -> None:
    assert said(text, release) == expected


def test_all_devices_of_a_slice_have_a_total_up_to_1_34() -> None:
    first, second, *rest = said(consuming(33, devices=32), "1.34")

    assert first.path == "spec.sharedCounters"
    assert (second.rule, second.path, second.line) == ("DRA253", "spec.devices", 12)
    assert second.message == "all devices of a slice can have at most 1024 counters together, but has 1056"
    assert [finding.path for finding in rest] == [f"spec.devices[{number}]" for number in range(32)]


@pytest.mark.parametrize("count", [10, 11])
def test_of_many_counter_sets_ten_are_named(count: int) -> None:
    names = [f"set-{number:02}" for number in range(count)]
    sets = "nodeName: node-1\nsharedCounters:\n" + "".join(
        f"- {{name: {name}, counters: {{memory: {{value: 1}}}}}}\n" for name in names
    )

    (finding,) = said(slice_of(partition("other"), version="v1beta2", spec=sets.rstrip()), "1.34")
    assert (finding.rule, finding.path) == ("DRA253", "spec.devices[0].consumesCounters[0].counterSet")
    more = " and 1 more" if count > 10 else ""
    assert finding.message.endswith(f"; it has: {', '.join(names[:10])}{more}")


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


def test_1_37_looks_at_the_names_of_too_many_counters() -> None:
    sets = f"sharedCounters: [{{name: a, counters: {{{counters(32, ', BAD: {value: 1}')}}}}}]"
    text = slice_of(spec=f"nodeName: node-1\n{sets}")

    path = "spec.sharedCounters[0].counters"
    assert reasons(text, "1.36") == [(path, "TooMany")]
    assert sorted(reasons(text, "1.37")) == [(path, "Invalid"), (path, "TooMany")]


def test_a_partition_has_its_type_with_the_domain_of_the_driver_too() -> None:
    text = slice_of(partition() + "  attributes: {gpu.example.com/profile: {string: half}}\n", spec=TYPED)

    assert [finding.rule for finding in said(text, "1.37")] == ["DRA713"]  # the domain is not needed


def test_a_partition_without_its_type_is_told_its_attribute() -> None:
    gates = {"AllAlpha": True, "AllBeta": True}
    report = lint_text(slice_of(partition(), spec=TYPED), kubernetes_version=["1.37"], feature_gates=gates)
    (found,) = (finding for finding in report.findings if finding.rule == "DRA254")

    assert (found.path, found.reason) == (TYPE, "Required")
    assert found.hint == "add it: `gpu.example.com/profile: {string: ...}`"


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
