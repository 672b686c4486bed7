"""Feature gates: defaults, what the command line switches, and what is refused."""

from __future__ import annotations

import pytest

from dralint.kubernetes import gates
from dralint.kubernetes.gates import GateError
from dralint.kubernetes.release import Release


def test_a_gate_has_the_default_of_its_release() -> None:
    assert "DRAPrioritizedList" not in gates.enabled(Release(1, 33), {})
    assert "DRAPrioritizedList" in gates.enabled(Release(1, 34), {})


def test_the_api_itself_counts_as_enabled() -> None:
    assert "DynamicResourceAllocation" in gates.enabled(Release(1, 27), {})


def test_all_alpha_switches_alpha_gates_only() -> None:
    on = gates.enabled(Release(1, 37), {"AllAlpha": True})

    assert "DRADerivedAttributes" in on
    assert "DRAFractionalCapacityRange" not in on


def test_a_named_gate_beats_all() -> None:
    assert "DRADerivedAttributes" not in gates.enabled(
        Release(1, 37), {"AllAlpha": True, "DRADerivedAttributes": False}
    )


def test_refuses_a_gate_that_no_judged_release_has() -> None:
    with pytest.raises(GateError) as error:
        gates.check({"DRAPriorityList": True}, [Release(1, 34)])

    assert str(error.value) == (
        "release 1.34 has no feature gate 'DRAPriorityList' that concerns resource claims; "
        'did you mean "DRAPrioritizedList"?'
    )


def test_takes_the_gates_of_a_scheduler_that_change_nothing_for_claims() -> None:
    chosen = gates.parse("TopologyAwareWorkloadScheduling=true,SchedulerQueueingHints=false,ContextualLogging=true")

    gates.check(chosen, [Release(1, 36)])

    assert gates.enabled(Release(1, 36), chosen) == gates.enabled(Release(1, 36), {})
    with pytest.raises(GateError, match="no feature gate 'SchedulerQueuingHints' that concerns"):
        gates.check({"SchedulerQueuingHints": True}, [Release(1, 36)])


def test_says_that_other_releases_have_the_gate() -> None:
    with pytest.raises(
        GateError,
        match=r"1\.33 has no feature gate 'DRAConsumableCapacity' that concerns resource claims \(other releases",
    ):
        gates.check({"DRAConsumableCapacity": True}, [Release(1, 33)])


def test_refuses_to_switch_a_locked_gate() -> None:
    with pytest.raises(GateError) as error:
        gates.check({"DynamicResourceAllocation": False}, [Release(1, 35)])

    assert str(error.value) == ("feature gate DynamicResourceAllocation is locked to true in 1.35; leave it out")


def test_refuses_a_gate_whose_dependency_is_off() -> None:
    with pytest.raises(GateError) as error:
        gates.check({"DRADeviceTaintRules": True}, [Release(1, 35)])

    assert str(error.value) == (
        "feature gate DRADeviceTaintRules needs DRADeviceTaints, which is off in 1.35; add DRADeviceTaints=true"
    )


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


def test_declared_features_of_nodes_are_locked_since_1_37() -> None:
    gates.check({"NodeDeclaredFeatures": False}, [Release(1, 36)])

    with pytest.raises(GateError, match=r"NodeDeclaredFeatures is locked to true in 1\.37"):
        gates.check({"NodeDeclaredFeatures": False}, [Release(1, 37)])


def test_jobs_with_groups_need_the_api_of_groups() -> None:
    with pytest.raises(GateError, match=r"WorkloadWithJob needs GenericWorkload, which is off in 1\.37"):
        gates.check({"WorkloadWithJob": True}, [Release(1, 37)])
