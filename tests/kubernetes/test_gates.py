"""Feature gates: defaults, what the command line switches, and what is refused."""

from __future__ import annotations

import pytest

from dralint.kubernetes import gates
from dralint.kubernetes.gates import GateError
from dralint.kubernetes.release import Release


@pytest.mark.parametrize(
    ("minor", "switched", "gate", "is_on"),
    [
        (33, {}, "DRAPrioritizedList", False),
        (34, {}, "DRAPrioritizedList", True),
        (27, {}, "DynamicResourceAllocation", True),  # the API itself counts as enabled
        (37, {"AllAlpha": True}, "DRADerivedAttributes", True),
        (37, {"AllAlpha": True}, "DRAFractionalCapacityRange", False),
        (37, {"AllAlpha": True, "DRADerivedAttributes": False}, "DRADerivedAttributes", False),
    ],
)
def test_a_gate_has_the_default_of_its_release_or_what_is_switched(
    minor: int, switched: dict[str, bool], gate: str, is_on: bool
) -> None:
    assert (gate in gates.enabled(Release(1, minor), switched)) is is_on


NONE = "has no feature gate '{}' that concerns resource claims"


@pytest.mark.parametrize(
    ("gate", "value", "minor", "message"),
    [
        ("DRAPriorityList", True, 34, f'release 1.34 {NONE}; did you mean "DRAPrioritizedList"?'),
        ("DRAConsumableCapacity", True, 33, f"release 1.33 {NONE} (other releases"),
        ("DynamicResourceAllocation", False, 35, "feature gate {} is locked to true in 1.35; leave it out"),
        ("NodeDeclaredFeatures", False, 36, None),
        ("NodeDeclaredFeatures", False, 37, "feature gate {} is locked to true in 1.37; leave it out"),
        (
            "DRADeviceTaintRules",
            True,
            35,
            "feature gate {} needs DRADeviceTaints, which is off in 1.35; add DRADeviceTaints=true",
        ),
        ("WorkloadWithJob", True, 37, "feature gate {} needs GenericWorkload, which is off in 1.37"),
    ],
)
def test_what_cannot_be_switched_is_refused(gate: str, value: bool, minor: int, message: str | None) -> None:
    if message is None:
        gates.check({gate: value}, [Release(1, minor)])
        return
    with pytest.raises(GateError) as error:
        gates.check({gate: value}, [Release(1, minor)])

    assert str(error.value).startswith(message.format(gate))


def test_takes_the_gates_of_a_scheduler_that_change_nothing_for_claims() -> None:
    chosen = gates.parse("TopologyAwareWorkloadScheduling=true,SchedulerQueueingHints=false,ContextualLogging=true")

    gates.check(chosen, [Release(1, 36)])

    assert gates.enabled(Release(1, 36), chosen) == gates.enabled(Release(1, 36), {})
    with pytest.raises(GateError, match="no feature gate 'SchedulerQueuingHints' that concerns"):
        gates.check({"SchedulerQueuingHints": True}, [Release(1, 36)])


def test_reads_switches() -> None:
    assert gates.parse("A=true, B=false,") == {"A": True, "B": False}


@pytest.mark.parametrize("text", ["A", "A=", "A=on"])
def test_refuses_switches_of_another_form(text: str) -> None:
    with pytest.raises(GateError, match="is not of the form GATE=true or GATE=false"):
        gates.parse(text)


def test_a_field_is_dropped_by_the_gate_that_is_off() -> None:
    release = Release(1, 34)

    gone = gates.dropped_fields(release, gates.enabled(release, {}))

    assert gone["Device", "taints"] == "DRADeviceTaints"
    assert ("DeviceRequest", "firstAvailable") not in gone


def test_names_the_gate_that_another_gate_also_needs() -> None:
    release = Release(1, 34)
    on = gates.enabled(release, {"DRADeviceBindingConditions": True, "DRAResourceClaimDeviceStatus": False})

    assert gates.dropped_fields(release, on)["Device", "bindingConditions"] == "DRAResourceClaimDeviceStatus"


@pytest.mark.parametrize("gate", ["DRADeviceTaints", "DRADeviceTaintRules"])
def test_a_stable_gate_may_still_be_switched_off(gate: str) -> None:
    gates.check({gate: False}, [Release(1, 37)])

    assert gates.stage(gate, Release(1, 37)) == ("stable", True, False)
    assert gate not in gates.enabled(Release(1, 37), {gate: False})
