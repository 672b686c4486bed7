"""Request policies: which amounts of a capacity can be requested."""

from __future__ import annotations

import pytest

from tests.slice_manifests import EVERYTHING, Said, block, device_of, reasons, said

PATH = "spec.devices[0].capacity[memory].requestPolicy"
GATE = "DRAConsumableCapacity=true"
FRACTIONS = f"{GATE},DRAFractionalCapacityRange=true"
TOO_LARGE = 'max "10E" is out of range: with a step, amounts lie between 0 and 9223372036854775807'
STEPS = 'is not a whole number of steps of "2" above min, "2"'
ELEVEN = str(list(range(1, 12)))


def with_policy(policy: str, value: str = "40Gi") -> str:
    """Return a slice whose device has the policy, beginning in line 16."""
    head = f"allowMultipleAllocations: true\ncapacity:\n  memory:\n    value: {value}\n    requestPolicy:\n"
    return device_of(head + block(policy, 6))


@pytest.mark.parametrize(
    ("policy", "release", "expected"),
    [
        ("default: 100Gi", "1.34", []),
        # a choice of values
        ("validValues: [1Gi]\nvalidRange: {}", "1.34", [
            ("DRA252", "", 17, "`validValues` and `validRange` exclude each other"),
        ]),
        ("validValues: [1Gi]", "1.34", [("DRA212", ".default", 15, "`default` is required with `validValues`")]),
        ("default: 3Gi\nvalidValues: [2Gi, 4Gi]", "1.34", [
            ("DRA252", ".validValues", 17, 'the default "3Gi" is not one of the valid values'),
        ]),
        ("default: 4096Mi\nvalidValues: [2Gi, 4Gi]", "1.34", []),
        (f"default: 1\nvalidValues: {ELEVEN}", "1.34", [
            ("DRA210", ".validValues", 17, "`validValues` has 11 entries; at most 10 are allowed"),
        ]),
        # a range, within the capacity of 40Gi
        ("validRange: {min: 1Gi}", "1.34", [("DRA212", ".default", 15, "`default` is required with `validRange`")]),
        ("default: 1Gi\nvalidRange: {max: 100Gi}", "1.34", [
            ("DRA212", ".validRange.min", 17, "`min` is required in `validRange`"),
        ]),
        ("default: 1Gi\nvalidRange:\n  min: 2Gi\n  max: 4Gi", "1.34", [
            ("DRA252", ".validRange.min", 18, 'the default "1Gi" is less than min, "2Gi"'),
        ]),
        ("default: 5Gi\nvalidRange:\n  min: 2Gi\n  max: 4Gi", "1.34", [
            ("DRA252", ".validRange.max", 19, 'the default "5Gi" is more than max, "4Gi"'),
        ]),
        ("default: 1Gi\nvalidRange:\n  min: 2Gi\n  max: 4Gi", "1.37", [
            ("DRA252", ".validRange.default", 18, 'the default "1Gi" is less than min, "2Gi"'),
        ]),
        ("default: 5Gi\nvalidRange:\n  min: 2Gi\n  max: 4Gi", "1.37", [
            ("DRA252", ".validRange.default", 19, 'the default "5Gi" is more than max, "4Gi"'),
        ]),
        ("default: 50Gi\nvalidRange:\n  min: 50Gi\n  max: 45Gi", "1.34", [
            ("DRA252", ".validRange.min", 18, 'min "50Gi" is more than the capacity, "40Gi"'),
            ("DRA252", ".validRange.max", 19, 'max "45Gi" is less than min, "50Gi"'),
            ("DRA252", ".validRange.max", 19, 'max "45Gi" is more than the capacity, "40Gi"'),
            ("DRA252", ".validRange.max", 19, 'the default "50Gi" is more than max, "45Gi"'),
        ]),
        # steps
        ("default: 5\nvalidRange:\n  min: 2\n  max: 9\n  step: 2", "1.34", [
            ("DRA252", ".validRange.step", 20, f'max "9" {STEPS}'),
            ("DRA252", ".validRange.step", 20, f'the default "5" {STEPS}'),
        ]),
        ("default: 4\nvalidRange:\n  min: 2\n  max: 10\n  step: 2", "1.34", []),
        ("default: 2Gi\nvalidRange:\n  min: 2Gi\n  step: 39Gi", "1.34", [
            ("DRA252", ".validRange.step", 19, 'min "2Gi" and one step "39Gi" are more than the capacity, "40Gi"'),
        ]),
        ("default: 2Gi\nvalidRange: {min: 2Gi, step: 38Gi}", "1.34", []),
        ("default: 2\nvalidRange: {min: 2, step: 0}", "1.36", [
            ("DRA252", ".validRange.step", 17, 'step "0" is zero: the server fails on the request'),
        ]),
        ("default: 2\nvalidRange: {min: 2, step: 0}", "1.37", [
            ("DRA252", ".validRange.step", 17, 'step "0" is not positive'),
        ]),
    ],
)  # fmt: skip
def test_what_a_policy_allows(policy: str, release: str, expected: list[tuple[str, str, int, str]]) -> None:
    assert said(with_policy(policy), release) == [
        Said(rule, PATH + field, line, message) for rule, field, line, message in expected
    ]


@pytest.mark.parametrize(
    ("policy", "release", "gates", "expected"),
    [
        (f"validValues: {ELEVEN}", "1.34", EVERYTHING, [(".default", "Required")]),
        (f"default: 1\nvalidValues: {ELEVEN}", "1.35", EVERYTHING, [
            (".validValues", "Invalid"),  # the default is not found in a list that is too long
            (".validValues", "TooMany"),
        ]),
        # fractions are rounded up, unless the gate counts them
        ("default: 500m\nvalidValues: [500m, 700m, 1]", "1.36", EVERYTHING, [
            (".validValues[1]", "Duplicate"),
            (".validValues[2]", "Duplicate"),
        ]),
        ("default: 500m\nvalidValues: [500m, 700m, 1]", "1.37", FRACTIONS, []),
        ("default: 1500m\nvalidRange: {min: 500m, step: 500m}", "1.36", EVERYTHING, []),
        ("default: 1500m\nvalidRange: {min: 500m, step: 500m}", "1.37", FRACTIONS, []),
        ("default: 1600m\nvalidRange: {min: 500m, step: 500m}", "1.36", EVERYTHING, []),
        ("default: 1600m\nvalidRange: {min: 500m, step: 500m}", "1.37", FRACTIONS, [(".validRange.step", "Invalid")]),
        ("default: 1500500u\nvalidRange: {min: 500m, step: 500m}", "1.37", FRACTIONS, [
            (".validRange.default", "Invalid"),
        ]),
    ],
)  # fmt: skip
def test_reasons_by_release_and_gate(policy: str, release: str, gates: str, expected: list[tuple[str, str]]) -> None:
    assert sorted(reasons(with_policy(policy), release, gates)) == [
        (PATH + field, reason) for field, reason in expected
    ]


def test_a_policy_needs_a_device_for_several_requests_and_is_not_looked_at_otherwise() -> None:
    text = with_policy("validRange: {}").replace("    allowMultipleAllocations: true\n", "")

    message = "`requestPolicy` requires `allowMultipleAllocations: true` on the device"
    assert said(text, "1.34") == [Said("DRA252", PATH, 14, message)]


@pytest.mark.parametrize("gates", [GATE, FRACTIONS])
def test_1_37_wants_amounts_with_a_step_to_fit_into_64_bits(gates: str) -> None:
    text = with_policy("default: 0\nvalidRange:\n  min: 0\n  max: 10E\n  step: 1", "20E")

    assert said(text, "1.37", gates) == [Said("DRA252", f"{PATH}.validRange.max", 19, TOO_LARGE)]
