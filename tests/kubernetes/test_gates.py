"""Feature gates: defaults, what the command line switches, and what is refused."""

from __future__ import annotations

import pytest

from dralint.kubernetes import gates
from dralint.kubernetes.gates import GateError
from dralint.kubernetes.release import Release


@pytest.mark.parametrize(
    ("gate", "release", "switched", "on"),
    [
        ("DRAPrioritizedList", "1.33", "", False),
        ("DRAPrioritizedList", "1.34", "", True),
        ("DynamicResourceAllocation", "1.27", "", True),  # the API itself
        ("DRADerivedAttributes", "1.37", "AllAlpha=true", True),
        ("DRAFractionalCapacityRange", "1.37", "AllAlpha=true", False),  # it is beta
        ("DRADerivedAttributes", "1.37", "AllAlpha=true,DRADerivedAttributes=false", False),
        ("DRADeviceTaints", "1.37", "DRADeviceTaints=false", False),  # stable, and not locked
        ("DRADeviceTaintRules", "1.37", "DRADeviceTaintRules=false", False),
    ],
)
def test_a_gate_is_on_by_release_and_switches(gate: str, release: str, switched: str, *, on: bool) -> None:
    chosen = gates.parse(switched)
    gates.check(chosen, [Release.parse(release)])

    assert (gate in gates.enabled(Release.parse(release), chosen)) is on


CONCERNS = "that concerns resource claims"


@pytest.mark.parametrize(
    ("switched", "release", "message"),
    [
        (
            "DRAPriorityList=true",
            "1.34",
            f"release 1.34 has no feature gate 'DRAPriorityList' {CONCERNS}; did you mean \"DRAPrioritizedList\"?",
        ),
        ("DRAConsumableCapacity=true", "1.33", f"no feature gate 'DRAConsumableCapacity' {CONCERNS} (other releases"),
        ("SchedulerQueuingHints=true", "1.36", "no feature gate 'SchedulerQueuingHints' that concerns"),
        (
            "DynamicResourceAllocation=false",
            "1.35",
            "feature gate DynamicResourceAllocation is locked to true in 1.35; leave it out",
        ),
        ("NodeDeclaredFeatures=false", "1.37", "NodeDeclaredFeatures is locked to true in 1.37"),
        (
            "DRADeviceTaintRules=true",
            "1.35",
            "DRADeviceTaintRules needs DRADeviceTaints, which is off in 1.35; add DRADeviceTaints=true",
        ),
        ("WorkloadWithJob=true", "1.37", "WorkloadWithJob needs GenericWorkload, which is off in 1.37"),
    ],
)
def test_refuses_what_a_release_cannot_switch(switched: str, release: str, message: str) -> None:
    with pytest.raises(GateError) as error:
        gates.check(gates.parse(switched), [Release.parse(release)])

    assert message in str(error.value)


def test_takes_the_gates_of_a_scheduler_that_change_nothing_for_claims() -> None:
    chosen = gates.parse("TopologyAwareWorkloadScheduling=true,SchedulerQueueingHints=false,ContextualLogging=true")

    gates.check(chosen, [Release(1, 36)])
    gates.check({"NodeDeclaredFeatures": False}, [Release(1, 36)])

    assert gates.enabled(Release(1, 36), chosen) == gates.enabled(Release(1, 36), {})


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
