"""Counter sets, their consumption, partition types, and resources of the node that devices represent."""

from __future__ import annotations

from tests.slice_manifests import said, slice_of

PARTITION = "- name: a\n  consumesCounters:\n  - counterSet: {set}\n    counters:\n      {counter}: {{value: 1Gi}}\n"


def partition(counter_set: str = "gpu-0", counter: str = "memory") -> str:
    return PARTITION.format(set=counter_set, counter=counter)


def counters(number: int, more: str = "") -> str:
    return ", ".join(f"c{n}: {{value: 1}}" for n in range(number)) + more


def consuming(number: int, *, devices: int = 1) -> str:
    """Return a slice for 1.34 whose devices, from line 13 on, consume so many counters of one set."""
    sets = f"nodeName: node-1\nsharedCounters:\n- name: gpu-0\n  counters: {{{counters(number)}}}"
    entry = f"  consumesCounters: [{{counterSet: gpu-0, counters: {{{counters(number)}}}}}]\n"
    return slice_of("".join(f"- name: d{n}\n{entry}" for n in range(devices)), version="v1beta2", spec=sets)


def test_a_slice_may_consume_1024_counters() -> None:
    assert said(consuming(32, devices=32), "1.34") == []


def test_all_devices_of_a_slice_have_a_total_up_to_1_34() -> None:
    first, second, *rest = said(consuming(33, devices=32), "1.34")

    assert first.path == "spec.sharedCounters"
    assert (second.rule, second.path, second.line) == ("DRA253", "spec.devices", 12)
    assert second.message == "all devices of a slice can have at most 1024 counters together, but has 1056"
    assert [finding.path for finding in rest] == [f"spec.devices[{number}]" for number in range(32)]
