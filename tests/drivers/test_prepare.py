"""What drivers refuse or ignore when they prepare a claim, and constraints on attributes that no driver publishes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dralint
from tests.drivers.inputs import NVIDIA, PARAMETERS, claim, device_class, gpu_config, reported, rules

STUCK = "the driver refuses the claim on the node, and the Pod stays in ContainerCreating"
CHANNEL = "compute-domain-default-channel.nvidia.com"
DOMAIN = {
    "apiVersion": "resource.nvidia.com/v1beta1",
    "kind": "ComputeDomainChannelConfig",
    "domainID": "5cdc78b9-b6d9-4cba-8dbe-6a015e4a329c",
}


def test_a_named_request_of_another_kind_is_refused() -> None:
    assert reported(claim("mig.nvidia.com", parameters=gpu_config())) == [
        (
            "DRA814",
            f"{PARAMETERS}.kind",
            f"GpuConfig is for devices of kind gpu, and the request gpu gets kind mig: {STUCK} (driver gpu.nvidia.com)",
        )
    ]


def test_a_configuration_for_all_requests_that_fits_none_is_ignored() -> None:
    wanted = claim("mig.nvidia.com", parameters=gpu_config())
    del wanted["spec"]["devices"]["config"][0]["requests"]

    assert reported(wanted) == [
        (
            "DRA803",
            f"{PARAMETERS}.kind",
            (
                "GpuConfig is for devices of kind gpu, and no request gets one: the driver ignores the configuration"
                " (driver gpu.nvidia.com)"
            ),
        )
    ]


def test_a_configuration_for_devices_that_can_be_of_its_kind_has_no_finding() -> None:
    own = device_class("mine", f'device.driver == "{NVIDIA}"')

    assert rules(claim(parameters=gpu_config())) == []
    assert rules(own, claim("mine", parameters=gpu_config())) == []
    assert rules(claim("unknown", parameters=gpu_config())) == []


def test_a_channel_needs_its_configuration() -> None:
    assert reported(claim(CHANNEL)) == [
        (
            "DRA814",
            "spec.devices.requests[0].exactly.deviceClassName",
            (
                f"devices of kind channel need a ComputeDomainChannelConfig, and the claim has none: {STUCK}"
                " (driver compute-domain.nvidia.com)"
            ),
        )
    ]
    assert rules(claim(CHANNEL, driver="compute-domain.nvidia.com", parameters=DOMAIN)) == []
    other = claim(
        CHANNEL, driver="compute-domain.nvidia.com", parameters={**DOMAIN, "kind": "ComputeDomainDaemonConfig"}
    )
    del other["spec"]["devices"]["config"][0]["requests"]
    assert rules(other) == ["DRA814", "DRA803"]


def test_a_configuration_of_one_device_is_refused_for_two() -> None:
    wanted = claim(CHANNEL, driver="compute-domain.nvidia.com", parameters=DOMAIN)
    wanted["spec"]["devices"]["requests"][0]["exactly"]["count"] = 2

    version = {"driver_versions": {"compute-domain.nvidia.com": "v0.4.1"}}
    ((rule, path, message),) = reported(wanted, **version)

    assert (rule, path) == ("DRA814", f"{PARAMETERS}.kind")
    assert message.startswith("a ComputeDomainChannelConfig is for one device, and this one is for 2:")


def test_admin_access_to_a_partition_is_refused() -> None:
    ((rule, path, message),) = reported(claim("mig.nvidia.com", admin=True))

    assert (rule, path) == ("DRA814", "spec.devices.requests[0].exactly.adminAccess")
    assert message.startswith("the driver refuses admin access to devices of kind mig:")
    assert rules(claim(NVIDIA, admin=True)) == []


def test_of_several_configurations_the_last_counts() -> None:
    wanted = claim(parameters=gpu_config())
    wanted["spec"]["devices"]["config"] *= 2

    assert reported(wanted) == [
        (
            "DRA803",
            PARAMETERS,
            "of several configurations for the same requests, the driver uses the last alone (driver gpu.nvidia.com)",
        )
    ]


def test_the_configuration_of_a_class_can_be_refused() -> None:
    own = device_class("mine", 'device.driver == "dra.cpu"')
    own["spec"]["config"] = [
        {"opaque": {"driver": "dra.cpu", "parameters": {"apiVersion": "v1alpha1", "cpuConfig": {"cpuset": "0-3"}}}}
    ]

    found = reported(own, driver_versions={"dra.cpu": "v0.2.0"})

    assert [(rule, path) for rule, path, _ in found] == [("DRA814", "spec.config[0].opaque.parameters")]


def constrained(attribute: str, name: str = NVIDIA) -> dict[str, Any]:
    wanted = claim(name)
    wanted["spec"]["devices"]["requests"][0]["exactly"]["count"] = 2
    wanted["spec"]["devices"]["constraints"] = [{"matchAttribute": attribute}]
    return wanted


def test_a_constraint_over_an_attribute_that_no_device_has_is_never_met() -> None:
    assert reported(constrained("gpu.nvidia.com/pcieRoot")) == [
        (
            "DRA810",
            "spec.devices.constraints[0].matchAttribute",
            (
                "no device of the driver has the attribute gpu.nvidia.com/pcieRoot, and the constraint covers"
                " the request gpu: Pods that use the claim stay Pending (driver gpu.nvidia.com)"
            ),
        )
    ]


def test_a_constraint_over_an_attribute_of_an_older_version_is_advice() -> None:
    wanted = constrained("gpu.nvidia.com/index")

    assert reported(wanted) == [
        (
            "DRA813",
            "spec.devices.constraints[0].matchAttribute",
            (
                "no device of the driver has the attribute gpu.nvidia.com/index in v0.5.0: it was there up to "
                "v25.3.2, and the constraint covers the request gpu: Pods that use the claim stay Pending "
                "(driver gpu.nvidia.com)"
            ),
        )
    ]
    assert rules(wanted, driver_versions={NVIDIA: "v0.5.0"}) == ["DRA810"]
    assert rules(wanted, driver_versions={NVIDIA: "v25.3.2"}) == []


@pytest.mark.parametrize(
    ("attribute", "name"),
    [
        ("resource.kubernetes.io/pcieRoot", NVIDIA),
        ("gpu.nvidia.com/x", "unknown"),
        ("example.com/x", "sriovnetwork.k8snetworkplumbingwg.io"),
    ],
    ids=["standard", "unknown class", "of users"],
)
def test_a_constraint_that_can_be_met_has_no_finding(attribute: str, name: str) -> None:
    assert rules(constrained(attribute, name)) == []


class TestDevicesBehindAGate:
    WANTED = claim("vfio.gpu.nvidia.com")
    WHERE = "spec.devices.requests[0].exactly.deviceClassName"
    NEEDED = "devices of kind vfio exist only with the driver's gate PassthroughSupport, which is off"

    def test_it_is_advice_where_nobody_knows_the_version(self) -> None:
        message = f"{self.NEEDED} by default since v25.12.0 (driver gpu.nvidia.com)"

        assert reported(self.WANTED) == [("DRA802", self.WHERE, message)]

    def test_a_gate_that_is_off_leaves_no_device(self) -> None:
        message = (
            f"{self.NEEDED} by default since v25.12.0: no device matches, and Pods that use the claim stay Pending "
            "(gpu.nvidia.com v0.5.0)"
        )

        assert reported(self.WANTED, driver_versions={NVIDIA: "v0.5.0"}) == [("DRA811", self.WHERE, message)]

    def test_a_gate_that_is_on_is_no_finding(self) -> None:
        assert rules(self.WANTED, driver_gates={NVIDIA: {"PassthroughSupport": True}}) == []

    def test_a_configuration_that_needs_the_gate_says_it_alone(self) -> None:
        config = {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "VfioDeviceConfig"}

        assert [(rule, path) for rule, path, _ in reported(claim("vfio.gpu.nvidia.com", parameters=config))] == [
            ("DRA802", f"{PARAMETERS}.kind")
        ]


class TestClassesOfCharts:
    def test_a_complete_input_need_not_have_them(self) -> None:
        assert missing(claim(NVIDIA)) == []
        assert missing(claim("gpu.nvidia.co")) == [
            'did you mean "gpu.nvidia.com"? the chart of its driver installs that class'
        ]

    def test_names_that_everybody_invents_are_missing(self) -> None:
        assert missing(claim("gpu.example.com")) == [
            (
                "create the class or install its driver; if the class exists in the cluster, "
                "use --known-class gpu.example.com"
            )
        ]

    def test_classes_of_a_pack_of_the_user_are_known_too(self, workdir: Path) -> None:
        (workdir / "acme.yaml").write_text(
            "pack: 1\ndriver: gpu.acme.example\nversions: [v1]\nclasses: [{name: acme}]\n"
        )
        (workdir / ".dralint.yaml").write_text("driver-packs: [acme.yaml]\n")

        assert missing(claim("acme"), config=workdir / ".dralint.yaml") == []
        assert len(missing(claim("acme"))) == 1


def missing(*objects: dict[str, Any], **choices: Any) -> list[str | None]:
    """Return the hints on classes that do not exist."""
    text = "\n".join(map(json.dumps, objects))
    return [f.hint for f in dralint.lint_text(text, complete=True, **choices).findings if f.rule == "DRA404"]
