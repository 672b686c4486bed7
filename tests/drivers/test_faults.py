"""Known faults of drivers: which claims and Pods meet them, and what is told for a version and without one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dralint.drivers.pack_file import mistakes
from tests.drivers.inputs import NVIDIA, claim, gpu_config, reported, rules
from tests.objects import item

REQUEST = "spec.devices.requests[0].exactly"
SPYRE = "spyre.ibm.com"
MPS = "the MPS daemon of a claim serves one user at a time, and the containers run as several users"
REFUSED = "the driver refuses the devices of other drivers in a claim, and the Pod stays in ContainerCreating"


def several(*classes: str, **more: Any) -> dict[str, Any]:
    wanted = claim()
    wanted["spec"]["devices"]["requests"] = [
        {"name": f"r{number}", "exactly": {"deviceClassName": name, **more}} for number, name in enumerate(classes)
    ]
    return wanted


def pod(*claims: str, **spec: Any) -> dict[str, Any]:
    entries = [{"name": name, "resourceClaimName": name} for name in claims]
    container = {"name": "m", "image": "m", "resources": {"claims": [{"name": name} for name in claims]}}
    return item("Pod", "p", "ml", spec={"resourceClaims": entries, "containers": [container], **spec})


def named(name: str, wanted: dict[str, Any]) -> dict[str, Any]:
    return {**wanted, "metadata": {"name": name, "namespace": "ml"}}


def test_a_proven_fault_of_the_version_is_a_warning() -> None:
    assert reported(several(SPYRE, NVIDIA), driver_versions={SPYRE: "v1.3.0"}) == [
        ("DRA823", f"{REQUEST}.deviceClassName", f"{REFUSED} (known fault of {SPYRE} v1.3.0: state.go of v1.3.0)")
    ]


def test_a_mended_fault_is_told_with_a_version_that_has_it() -> None:
    mixed = several("tpu.google.com", NVIDIA, allocationMode="All")

    assert rules(mixed) == []
    assert rules(mixed, driver_versions={"tpu.google.com": "v0.2.0"}) == []
    assert reported(mixed, driver_versions={"tpu.google.com": "v0.1.0"}) == [
        (
            "DRA823",
            f"{REQUEST}.deviceClassName",
            f"{REFUSED} (known fault of tpu.google.com v0.1.0: state.go of v0.1.0, fixed in v0.2.0)",
        )
    ]


def test_what_concerns_nearly_every_claim_needs_a_version() -> None:
    chips = claim("tpu.google.com")

    assert rules(chips) == []
    assert reported(chips, driver_versions={"tpu.google.com": "v0.2.0"}) == [
        (
            "DRA824",
            f"{REQUEST}.deviceClassName",
            (
                "the driver refuses a part of the chips of a node, and the Pod stays in ContainerCreating unless the "
                "claim has all (known fault of tpu.google.com v0.2.0: state.go of v0.2.0)"
            ),
        )
    ]


def test_a_profile_that_only_an_a100_has_is_met_without_its_name() -> None:
    wanted = claim("mig.nvidia.com", 'device.attributes["gpu.nvidia.com"].profile == "7g.40gb"')
    choices = {"driver_versions": {NVIDIA: "v0.5.0"}, "driver_gates": {NVIDIA: {"DynamicMIG": True}}}

    assert [(rule, path) for rule, path, _ in reported(wanted, **choices)] == [("DRA824", f"{REQUEST}.deviceClassName")]


@pytest.mark.parametrize(("amount", "found"), [("2", []), ("1500m", ["DRA824"]), ("0", ["DRA824"])])
def test_a_fraction_of_cpus_is_rounded_up(amount: str, found: list[str]) -> None:
    assert rules(several("dra.cpu", capacity={"requests": {"dra.cpu/cpu": amount}})) == found


def test_a_configuration_of_cpus_must_name_its_request() -> None:
    parameters = {"apiVersion": "v1alpha1", "cpuConfig": {"cpuset": "2-5"}}
    wanted = claim("dra.cpu", driver="dra.cpu", parameters=parameters)
    versions = {"driver_versions": {"dra.cpu": "v0.2.0"}}
    assert rules(wanted, **versions) == []

    wanted["spec"]["devices"]["config"][0]["requests"] = []
    assert rules(wanted, **versions) == ["DRA823"]


def test_a_container_with_two_claims_for_mps() -> None:
    mps = claim(parameters=gpu_config(sharing={"strategy": "MPS"}))
    both = named("a", mps), named("b", mps)
    choices = {"driver_versions": {NVIDIA: "v0.4.1"}, "driver_gates": {NVIDIA: {"MPSSupport": True}}}

    assert rules(*both, pod("a"), **choices) == []
    assert [(rule, path) for rule, path, _ in reported(*both, pod("a", "b"), **choices)] == [
        ("DRA824", "spec.containers[0].resources.claims[1].name")
    ]


def test_containers_of_several_users_share_mps_only_in_multi_user_mode() -> None:
    alone, many = (
        named("a", claim(parameters=gpu_config(sharing={"strategy": "MPS", "mpsConfig": how})))
        for how in ({}, {"multiUser": True})
    )
    choices = {"driver_versions": {NVIDIA: "v0.5.0"}, "driver_gates": {NVIDIA: {"MPSSupport": True}}}
    used = {"name": "m", "image": "m", "resources": {"claims": [{"name": "a"}]}}

    def shared(*users: int | None, pod_user: int = 7) -> dict[str, Any]:
        containers = [{**used, "name": f"m{n}", "securityContext": {"runAsUser": user}} for n, user in enumerate(users)]
        return pod("a", containers=containers, securityContext={"runAsUser": pod_user})

    assert reported(alone, shared(7, 8), **choices) == [
        (
            "DRA824",
            "spec.containers[1].resources.claims[0].name",
            f"{MPS} (known fault of gpu.nvidia.com v0.5.0: kubernetes-sigs/dra-driver-nvidia-gpu#1153)",
        )
    ]
    assert rules(alone, shared(None, 8), **choices) == ["DRA824"]
    assert rules(alone, shared(8, 8), **choices) == []
    assert rules(alone, shared(None, 7), **choices) == []
    assert rules(many, shared(7, 8), **choices) == []


def test_mps_is_refused_with_gates_that_exclude_it() -> None:
    mps = claim(parameters=gpu_config(sharing={"strategy": "MPS"}))
    version = {NVIDIA: "v0.5.0"}

    for gate in ("ConsumableShares", "DynamicMIG"):
        on = {NVIDIA: {"MPSSupport": True, gate: True}}
        assert [(rule, path) for rule, path, _ in reported(mps, driver_versions=version, driver_gates=on)] == [
            ("DRA824", "spec.devices.config[0].opaque.parameters")
        ]
    assert rules(mps, driver_versions=version, driver_gates={NVIDIA: {"MPSSupport": True}}) == []


@pytest.mark.parametrize(("count", "found"), [(2, ["DRA824"]), (4, []), (8, ["DRA824"])])
def test_a_part_of_a_partition_of_the_fabric_manager(count: int, found: list[str]) -> None:
    wanted = several(NVIDIA, count=count)
    wanted["spec"]["devices"]["constraints"] = [{"requests": ["r0"], "matchAttribute": "gpu.nvidia.com/partition4"}]
    choices = {"driver_versions": {NVIDIA: "v0.5.0"}, "driver_gates": {NVIDIA: {"FabricManagerPartitioning": True}}}

    assert rules(wanted, **choices) == found


def test_a_pod_that_never_restarts_does_not_meet_a_fault_of_restarts() -> None:
    cpus = named("a", claim("dra.cpu"))

    version = {"driver_versions": {"dra.cpu": "v0.2.0"}}

    found = reported(cpus, pod("a"), **version)
    assert [(rule, path) for rule, path, _ in found] == [("DRA824", "spec.resourceClaims[0]")]
    assert rules(cpus, pod("a", restartPolicy="Never"), **version) == []
    assert rules(cpus, pod("a")) == []  # it concerns nearly every Pod


def test_a_fault_behind_a_gate_needs_the_gate() -> None:
    wanted = claim(
        "mig.nvidia.com",
        'device.attributes["gpu.nvidia.com"].profile == "7g.40gb"',
        'device.attributes["gpu.nvidia.com"].productName == "NVIDIA A100-SXM4-40GB"',
    )
    version = {NVIDIA: "v0.4.1"}

    assert rules(wanted, driver_versions=version) == []
    assert rules(wanted, driver_versions=version, driver_gates={NVIDIA: {"DynamicMIG": True}}) == ["DRA824"]


def test_a_pattern_of_a_fault_must_be_one() -> None:
    pack = {
        "pack": 1,
        "driver": "gpu.acme.example",
        "versions": ["v1"],
        "faults": [{"issue": "1", "trigger": {"selects": {"a/b": "("}}, "effect": "x", "instead": "y"}],
    }

    found = mistakes(json.dumps(pack).encode())

    assert [each.text.partition(":")[0] for each in found] == ["faults.0.trigger.selects.a/b"]
