"""What drivers refuse or ignore when they prepare a claim, and constraints on attributes that no driver publishes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.drivers.inputs import NVIDIA, PARAMETERS, claim, device_class, gpu_config, reported, rules

STUCK = "the driver refuses the claim on the node, and the Pod stays in ContainerCreating"
CHANNEL = "compute-domain-default-channel.nvidia.com"
DOMAINS = "compute-domain.nvidia.com"
DOMAIN = {
    "apiVersion": "resource.nvidia.com/v1beta1",
    "kind": "ComputeDomainChannelConfig",
    "domainID": "5cdc78b9-b6d9-4cba-8dbe-6a015e4a329c",
}
DAEMON = {**DOMAIN, "kind": "ComputeDomainDaemonConfig"}
REQUEST = "spec.devices.requests[0].exactly"
MATCH = "spec.devices.constraints[0].matchAttribute"
NOWHERE = "and the constraint covers the request gpu: Pods that use the claim stay Pending"
VFIO = {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "VfioDeviceConfig"}
NEEDED = (
    "devices of kind vfio exist only with the driver's gate PassthroughSupport, which is off by default since v25.12.0"
)
CPUS = device_class("mine", 'device.driver == "dra.cpu"')
CPUS["spec"]["config"] = [
    {"opaque": {"driver": "dra.cpu", "parameters": {"apiVersion": "v1alpha1", "cpuConfig": {"cpuset": "0-3"}}}}
]


def for_all(wanted: dict[str, Any]) -> dict[str, Any]:
    """Return the claim with a configuration for all its requests."""
    del wanted["spec"]["devices"]["config"][0]["requests"]
    return wanted


def two(wanted: dict[str, Any]) -> dict[str, Any]:
    """Return the claim with a request for two devices."""
    wanted["spec"]["devices"]["requests"][0]["exactly"]["count"] = 2
    return wanted


def twice(wanted: dict[str, Any]) -> dict[str, Any]:
    """Return the claim with its configuration twice."""
    wanted["spec"]["devices"]["config"] *= 2
    return wanted


def constrained(attribute: str, name: str = NVIDIA) -> dict[str, Any]:
    wanted = two(claim(name))
    wanted["spec"]["devices"]["constraints"] = [{"matchAttribute": attribute}]
    return wanted


def channel(parameters: dict[str, Any]) -> dict[str, Any]:
    return claim(CHANNEL, driver=DOMAINS, parameters=parameters)


@pytest.mark.parametrize(
    ("wanted", "versions", "expected"),
    [
        # a configuration for devices of another kind
        (claim("mig.nvidia.com", parameters=gpu_config()), {}, [
            ("DRA814", f"{PARAMETERS}.kind", (
                f"GpuConfig is for devices of kind gpu, and the request gpu gets kind mig: {STUCK} "
                "(driver gpu.nvidia.com)"
            )),
        ]),
        (for_all(claim("mig.nvidia.com", parameters=gpu_config())), {}, [
            ("DRA803", f"{PARAMETERS}.kind", (
                "GpuConfig is for devices of kind gpu, and no request gets one: the driver ignores the configuration "
                "(driver gpu.nvidia.com)"
            )),
        ]),
        (claim(parameters=gpu_config()), {}, []),
        (claim("unknown", parameters=gpu_config()), {}, []),
        # a channel needs its configuration, for one device
        (claim(CHANNEL), {}, [
            ("DRA814", f"{REQUEST}.deviceClassName", (
                f"devices of kind channel need a ComputeDomainChannelConfig, and the claim has none: {STUCK} "
                "(driver compute-domain.nvidia.com)"
            )),
        ]),
        (channel(DOMAIN), {}, []),
        (two(channel(DOMAIN)), {DOMAINS: "v0.4.1"}, [
            ("DRA814", f"{PARAMETERS}.kind", "a ComputeDomainChannelConfig is for one device, and this one is for 2:"),
        ]),
        (claim("mig.nvidia.com", admin=True), {}, [
            ("DRA814", f"{REQUEST}.adminAccess", "the driver refuses admin access to devices of kind mig:"),
        ]),
        (claim(NVIDIA, admin=True), {}, []),
        (twice(claim(parameters=gpu_config())), {}, [
            ("DRA803", PARAMETERS, (
                "of several configurations for the same requests, the driver uses the last alone "
                "(driver gpu.nvidia.com)"
            )),
        ]),
        (CPUS, {"dra.cpu": "v0.2.0"}, [("DRA814", "spec.config[0].opaque.parameters", "")]),
        # constraints
        (constrained("gpu.nvidia.com/pcieRoot"), {}, [
            ("DRA810", MATCH, (
                f"no device of the driver has the attribute gpu.nvidia.com/pcieRoot, {NOWHERE} (driver gpu.nvidia.com)"
            )),
        ]),
        (constrained("gpu.nvidia.com/index"), {}, [
            ("DRA813", MATCH, (
                "no device of the driver has the attribute gpu.nvidia.com/index in v0.5.0: it was there up to v25.3.2, "
                f"{NOWHERE} (driver gpu.nvidia.com)"
            )),
        ]),
        (constrained("gpu.nvidia.com/index"), {NVIDIA: "v0.5.0"}, [("DRA810", MATCH, "")]),
        (constrained("gpu.nvidia.com/index"), {NVIDIA: "v25.3.2"}, []),
        (constrained("resource.kubernetes.io/pcieRoot"), {}, []),
        (constrained("gpu.nvidia.com/x", "unknown"), {}, []),
        (constrained("example.com/x", "sriovnetwork.k8snetworkplumbingwg.io"), {}, []),  # users can add attributes
        # devices behind a gate
        (claim("vfio.gpu.nvidia.com"), {}, [
            ("DRA802", f"{REQUEST}.deviceClassName", f"{NEEDED} (driver gpu.nvidia.com)"),
        ]),
        (claim("vfio.gpu.nvidia.com"), {NVIDIA: "v0.5.0"}, [
            ("DRA811", f"{REQUEST}.deviceClassName", (
                f"{NEEDED}: no device matches, and Pods that use the claim stay Pending (gpu.nvidia.com v0.5.0)"
            )),
        ]),
        (claim("vfio.gpu.nvidia.com", parameters=VFIO), {}, [("DRA802", f"{PARAMETERS}.kind", "")]),
    ],
)  # fmt: skip
def test_what_a_driver_prepares(
    wanted: dict[str, Any], versions: dict[str, str], expected: list[tuple[str, str, str]]
) -> None:
    found = reported(wanted, driver_versions=versions)

    assert [row[:2] for row in found] == [row[:2] for row in expected]
    for (_, _, message), (_, _, start) in zip(found, expected, strict=True):
        assert message.startswith(start)


def test_the_configuration_of_a_daemon_is_none_for_a_channel() -> None:
    assert rules(for_all(channel(DAEMON))) == ["DRA814", "DRA803"]


def test_a_gate_that_is_on_is_no_finding() -> None:
    assert rules(claim("vfio.gpu.nvidia.com"), driver_gates={NVIDIA: {"PassthroughSupport": True}}) == []
