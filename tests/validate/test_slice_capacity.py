"""Request policies: which amounts of a capacity can be requested."""

from __future__ import annotations

import pytest

from tests.slice_manifests import Said, block, device_of, reasons, said

PATH = "spec.devices[0].capacity[memory].requestPolicy"


def with_policy(policy: str, value: str = "40Gi") -> str:
    """Return a slice whose device has the policy, beginning in line 16."""
    head = f"allowMultipleAllocations: true\ncapacity:\n  memory:\n    value: {value}\n    requestPolicy:\n"
    return device_of(head + block(policy, 6))


def test_a_default_alone_can_be_anything() -> None:
    assert said(with_policy("default: 100Gi"), "1.34") == []


def test_a_policy_needs_a_device_for_several_requests_and_is_not_looked_at_otherwise() -> None:
    text = with_policy("validRange: {}").replace("    allowMultipleAllocations: true\n", "")

    message = "`requestPolicy` requires `allowMultipleAllocations: true` on the device"
    assert said(text, "1.34") == [Said("DRA252", PATH, 14, message)]


def test_values_and_range_exclude_each_other() -> None:
    text = with_policy("validValues: [1Gi]\nvalidRange: {}")

    assert said(text, "1.34") == [Said("DRA252", PATH, 17, "`validValues` and `validRange` exclude each other")]


@pytest.mark.parametrize("choice", ["validValues: [1Gi]", "validRange: {min: 1Gi}"])
def test_a_default_is_required_beside_a_choice(choice: str) -> None:
    message = f"`default` is required with `{choice.partition(':')[0]}`"

    assert [(f.rule, f.path, f.message) for f in said(with_policy(choice), "1.34")] == [
        ("DRA212", f"{PATH}.default", message)
    ]


def test_the_number_of_valid_values_counts_only_beside_a_default() -> None:
    values = f"validValues: {list(range(1, 12))}"

    assert [(f.rule, f.path, f.message) for f in said(with_policy(f"default: 1\n{values}"), "1.34")] == [
        ("DRA210", f"{PATH}.validValues", "`validValues` has 11 entries; at most 10 are allowed")
    ]
    assert reasons(with_policy(values), "1.34") == [(f"{PATH}.default", "Required")]


def test_a_default_is_one_of_the_valid_values() -> None:
    text = with_policy("default: 3Gi\nvalidValues: [2Gi, 4Gi]")

    assert said(text, "1.34") == [
        Said("DRA252", f"{PATH}.validValues", 17, 'the default "3Gi" is not one of the valid values')
    ]
    assert said(text.replace("default: 3Gi", "default: 4096Mi"), "1.34") == []


def test_since_1_35_the_default_is_not_found_in_a_list_that_is_too_long() -> None:
    text = with_policy(f"default: 1\nvalidValues: {list(range(1, 12))}")

    assert reasons(text, "1.34") == [(f"{PATH}.validValues", "TooMany")]
    assert sorted(reasons(text, "1.35")) == [(f"{PATH}.validValues", "Invalid"), (f"{PATH}.validValues", "TooMany")]


def test_fractions_collide_once_rounded_up_unless_the_gate_counts_them() -> None:
    text = with_policy("default: 500m\nvalidValues: [500m, 700m, 1]")

    assert reasons(text, "1.36") == [(f"{PATH}.validValues[{n}]", "Duplicate") for n in (1, 2)]
    assert reasons(text, "1.37", "DRAConsumableCapacity=true,DRAFractionalCapacityRange=true") == []


def test_a_range_needs_min() -> None:
    text = with_policy("default: 1Gi\nvalidRange: {max: 100Gi}")

    assert said(text, "1.34") == [Said("DRA212", f"{PATH}.validRange.min", 17, "`min` is required in `validRange`")]


@pytest.mark.parametrize(("release", "low", "high"), [("1.34", "min", "max"), ("1.37", "default", "default")])
def test_a_default_lies_within_the_range(release: str, low: str, high: str) -> None:
    below = with_policy("default: 1Gi\nvalidRange:\n  min: 2Gi\n  max: 4Gi")
    above = below.replace("default: 1Gi", "default: 5Gi")

    assert said(below, release) == [
        Said("DRA252", f"{PATH}.validRange.{low}", 18, 'the default "1Gi" is less than min, "2Gi"')
    ]
    assert said(above, release) == [
        Said("DRA252", f"{PATH}.validRange.{high}", 19, 'the default "5Gi" is more than max, "4Gi"')
    ]


def test_a_range_lies_within_the_capacity_and_the_right_way_round() -> None:
    text = with_policy("default: 50Gi\nvalidRange:\n  min: 50Gi\n  max: 45Gi", "40Gi")

    assert [(f.path, f.message) for f in said(text, "1.34")] == [
        (f"{PATH}.validRange.min", 'min "50Gi" is more than the capacity, "40Gi"'),
        (f"{PATH}.validRange.max", 'max "45Gi" is less than min, "50Gi"'),
        (f"{PATH}.validRange.max", 'max "45Gi" is more than the capacity, "40Gi"'),
        (f"{PATH}.validRange.max", 'the default "50Gi" is more than max, "45Gi"'),
    ]


def test_default_and_max_are_a_number_of_steps_away_from_min() -> None:
    text = with_policy("default: 5\nvalidRange:\n  min: 2\n  max: 9\n  step: 2", "10")

    assert said(text, "1.34") == [
        Said("DRA252", f"{PATH}.validRange.step", 20, f'{what} is not a whole number of steps of "2" above min, "2"')
        for what in ('max "9"', 'the default "5"')
    ]
    assert said(text.replace("default: 5", "default: 4").replace("max: 9", "max: 10"), "1.34") == []


def test_one_step_stays_within_the_capacity() -> None:
    text = with_policy("default: 2\nvalidRange:\n  min: 2\n  step: 9", "10")

    message = 'min "2" and one step "9" are more than the capacity, "10"'
    assert said(text, "1.34") == [Said("DRA252", f"{PATH}.validRange.step", 19, message)]


def test_a_step_of_zero_is_refused_in_every_release() -> None:
    text = with_policy("default: 2\nvalidRange: {min: 2, step: 0}", "10")

    assert [f.message for f in said(text, "1.36")] == ['step "0" is zero: the server fails on the request']
    assert [f.message for f in said(text, "1.37")] == ['step "0" is not positive']


def test_fractions_of_a_step_are_rounded_up_unless_the_gate_counts_them() -> None:
    text = with_policy("default: 1500m\nvalidRange: {min: 500m, step: 500m}", "10")
    gates = "DRAConsumableCapacity=true,DRAFractionalCapacityRange=true"

    assert reasons(text, "1.36") == []
    assert reasons(text, "1.37", gates) == []
    assert reasons(text.replace("1500m", "1600m"), "1.36") == []
    assert reasons(text.replace("1500m", "1600m"), "1.37", gates) == [(f"{PATH}.validRange.step", "Invalid")]
    assert reasons(text.replace("1500m", "1500500u"), "1.37", gates) == [(f"{PATH}.validRange.default", "Invalid")]


def test_1_37_wants_amounts_with_a_step_to_fit_into_64_bits() -> None:
    text = with_policy("default: 0\nvalidRange:\n  min: 0\n  max: 10E\n  step: 1", "20E")

    message = 'max "10E" is out of range: with a step, amounts lie between 0 and 9223372036854775807'
    assert said(text, "1.37", "DRAConsumableCapacity=true") == [Said("DRA252", f"{PATH}.validRange.max", 19, message)]


def test_one_step_may_reach_the_capacity() -> None:
    assert said(with_policy("default: 2\nvalidRange: {min: 2, step: 8}", "10"), "1.34") == []


def test_whole_amounts_are_held_to_64_bits_also_where_fractions_count() -> None:
    text = with_policy("default: 0\nvalidRange: {min: 0, max: 10E, step: 1}", "20E")
    gates = "DRAConsumableCapacity=true,DRAFractionalCapacityRange=true"

    message = 'max "10E" is out of range: with a step, amounts lie between 0 and 9223372036854775807'
    assert said(text, "1.37", gates) == [Said("DRA252", f"{PATH}.validRange.max", 17, message)]
