"""Opaque parameters as the versions of a driver read them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import dralint
from dralint.files import source
from tests.conftest import Calls
from tests.drivers.inputs import NVIDIA, PARAMETERS, claim, device_class, gpu_config, reported, rules
from tests.objects import definition

V041 = {"driver_versions": {NVIDIA: "v0.4.1"}}
ON = {NVIDIA: {"TimeSlicingSettings": True, "MPSSupport": True}}


def nvidia(parameters: Any, version: str = "v0.4.1") -> list[tuple[str, str]]:
    found = reported(
        claim(parameters=parameters), driver_versions={NVIDIA: version}, driver_gates=ON if version != "v25.3.2" else {}
    )
    return [(path.removeprefix(PARAMETERS).removeprefix("."), message) for _, path, message in found]


MPS = "sharing.mpsConfig"


def mps(**config: Any) -> dict[str, Any]:
    return gpu_config(sharing={"strategy": "MPS", "mpsConfig": config})


@pytest.mark.parametrize(
    ("parameters", "path", "message"),
    [
        (gpu_config(sharing={"strategy": "mps"}), "sharing.strategy",
         '"mps" is not allowed here; allowed: TimeSlicing, MPS'),
        (gpu_config(sharing={}), "sharing", "`strategy` is missing, and the driver needs it"),
        (gpu_config(sharing=1), "sharing", "expected an object, got the number 1"),
        (gpu_config(strategy="MPS"), "strategy", 'the driver has no field "strategy" and refuses the parameters'),
        (gpu_config(sharing={"strategy": "TimeSlicing", "mpsConfig": {}}), MPS,
         '`mpsConfig` is allowed only with strategy: MPS, and strategy is "TimeSlicing"'),
        (mps(defaultActiveThreadPercentage=101), f"{MPS}.defaultActiveThreadPercentage",
         "101 is out of range; allowed: 0 to 100"),
        (mps(defaultPinnedDeviceMemoryLimit="10GB"), f"{MPS}.defaultPinnedDeviceMemoryLimit",
         '"10GB" is not a quantity, such as 512Mi or 2Gi'),
        (mps(defaultPerDevicePinnedMemoryLimit={"0": None}), f"{MPS}.defaultPerDevicePinnedMemoryLimit.0",
         '"0" is too small; allowed: at least 1Mi'),
        (mps(defaultPerDevicePinnedMemoryLimit={"x": "1Gi"}), f"{MPS}.defaultPerDevicePinnedMemoryLimit.x",
         '"x" is not the index of a device of the claim, or its UUID'),
        ({"apiVersion": "resource.nvidia.com/v1", "kind": "GpuConfig"}, "apiVersion", (
            '"resource.nvidia.com/v1" is not an apiVersion that the driver reads; allowed: resource.nvidia.com/v1beta1'
        )),
        ({"apiVersion": "resource.nvidia.com/v1beta1"}, "", "`kind` is missing"),
    ],
)  # fmt: skip
def test_what_the_driver_refuses_is_reported(parameters: Any, path: str, message: str) -> None:
    assert nvidia(parameters) == [(path, f"{message} (gpu.nvidia.com v0.4.1)")]


@pytest.mark.parametrize(
    "parameters",
    [
        gpu_config(),
        gpu_config(sharing=None),
        gpu_config(sharing={"strategy": "TimeSlicing", "timeSlicingConfig": None}),
        mps(defaultPinnedDeviceMemoryLimit=" 10Gi "),
        mps(defaultPinnedDeviceMemoryLimit=1048576),
        mps(defaultPerDevicePinnedMemoryLimit={"GPU-1": "1Gi"}),
    ],
)
def test_what_the_driver_accepts_has_no_finding(parameters: Any) -> None:
    assert nvidia(parameters) == []


def test_an_old_version_drops_unknown_fields_and_reads_the_type_in_any_case() -> None:
    assert nvidia({"apiversion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig", "x": 1}, "v25.3.2") == [
        (
            "apiversion",
            'the driver has no field "apiversion" and drops it without a word (gpu.nvidia.com v25.3.2)',
        ),
        ("x", 'the driver has no field "x" and drops it without a word (gpu.nvidia.com v25.3.2)'),
    ]


def test_a_kind_of_a_later_version_is_named_with_its_first() -> None:
    ((rule, path, message),) = reported(
        claim(parameters={**gpu_config(), "kind": "VfioDeviceConfig"}), driver_versions={NVIDIA: "v25.8.1"}
    )

    assert (rule, path) == ("DRA801", f"{PARAMETERS}.kind")
    assert message == "VfioDeviceConfig does not exist here, it exists since v25.12.0 (gpu.nvidia.com v25.8.1)"


class TestVersions:
    @pytest.mark.parametrize(
        ("versions", "of_all", "of_some"),
        [
            ({}, "driver gpu.nvidia.com", "driver gpu.nvidia.com since v25.8.1"),
            ({NVIDIA: "v9.9.9"}, "gpu.nvidia.com as of v0.5.0", "gpu.nvidia.com as of v0.5.0"),
        ],
    )
    def test_without_a_version_only_what_all_versions_refuse_is_a_warning(
        self, versions: dict[str, str], of_all: str, of_some: str
    ) -> None:
        wanted = claim(parameters=gpu_config(sharing={"strategy": "mps", "replicas": 4}))
        found = reported(wanted, wanted, driver_versions=versions)

        strategy = '"mps" is not allowed here; allowed: TimeSlicing, MPS'
        replicas = 'the driver has no field "replicas" in `sharing` and refuses the parameters'
        assert sorted({row for row in found if row[0] != "DRA822"}) == [
            ("DRA801", f"{PARAMETERS}.sharing.strategy", f"{strategy} ({of_all})"),
            ("DRA804", f"{PARAMETERS}.sharing.replicas", f"{replicas} ({of_some})"),
        ]
        assert [row[1:] for row in found if row[0] == "DRA822"] == [
            (
                "metadata.name",
                (
                    f"dralint does not know gpu.nvidia.com {version}, only v25.3.2 to v0.5.0: a warning is what holds "
                    "in each of these versions, all else is advice"
                ),
            )
            for version in versions.values()
        ]

    def test_an_unknown_version_of_a_driver_that_no_claim_names_is_silent(self) -> None:
        assert rules(claim(parameters=gpu_config()), driver_versions={"dra.net": "v99.0.0"}) == []

    def test_a_version_may_lack_its_v(self) -> None:
        assert rules(claim(parameters=gpu_config(x=1)), driver_versions={NVIDIA: "25.3.2"}) == ["DRA803"]

    def test_a_variant_has_rules_of_its_own(self) -> None:
        wanted = claim("mine", driver="dra.net", parameters={"interface": {"mtu": 9000}})

        assert rules(wanted, driver_versions={"dra.net": "v1.4.0"}) == []
        ((_, path, message),) = reported(wanted, driver_versions={"dra.net": "v1.4.0+rdma-only"})
        assert path == f"{PARAMETERS}.interface.mtu"
        assert message.startswith("`interface.mtu` is not allowed for devices without a network interface")

    def test_the_label_of_a_chart_names_the_version(self) -> None:
        labels = {"helm.sh/chart": "nvidia-dra-driver-gpu-25.3.2"}
        installed = device_class(NVIDIA, 'device.driver == "gpu.nvidia.com"', labels=labels)

        assert rules(installed, claim(parameters=gpu_config(x=1))) == ["DRA803"]
        assert rules(installed, claim(parameters=gpu_config(x=1)), **V041) == ["DRA801"]

        newer = json.loads(json.dumps(installed).replace("25.3.2", "99.1.0"))
        assert rules(newer) == []
        assert rules(newer, claim(parameters=gpu_config(sharing={"strategy": "mps"}))) == ["DRA822", "DRA801"]


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ({}, ["DRA802"]),  # advice where nobody knows the version
        (V041, ["DRA801"]),
        ({"driver_gates": {NVIDIA: {"MPSSupport": True}}}, []),
        ({"driver_gates": {NVIDIA: {"MPSSupport": False}}}, ["DRA804"]),
    ],
)
def test_a_value_behind_a_gate(choices: dict[str, Any], expected: list[str]) -> None:
    assert rules(claim(parameters=gpu_config(sharing={"strategy": "MPS"})), **choices) == expected


def test_a_gate_is_named_with_its_default() -> None:
    assert reported(claim(parameters=gpu_config(sharing={"strategy": "MPS"}))) == [
        (
            "DRA802",
            f"{PARAMETERS}.sharing.strategy",
            (
                "strategy: MPS needs the driver's gate MPSSupport, which is off by default since v25.8.1"
                " (driver gpu.nvidia.com)"
            ),
        )
    ]


class TestOthers:
    def test_a_driver_that_reads_no_parameters_ignores_them(self) -> None:
        wanted = claim("tpu.google.com", driver="tpu.google.com", parameters={"chips": 4})
        wanted["spec"]["devices"]["requests"][0]["exactly"]["allocationMode"] = "All"
        found = reported(wanted)

        assert found == [
            (
                "DRA803",
                PARAMETERS,
                "the driver does not read parameters, so these have no effect (driver tpu.google.com)",
            )
        ]

    def test_a_value_that_means_another_is_advice(self) -> None:
        parameters = {
            "apiVersion": "resource.nvidia.com/v1beta1",
            "kind": "ComputeDomainChannelConfig",
            "domainID": "my-domain",
            "allocationMode": "all",
        }
        found = reported(claim("x", driver="compute-domain.nvidia.com", parameters=parameters))

        assert [(rule, path.removeprefix(PARAMETERS)) for rule, path, _ in found] == [
            ("DRA803", ".domainID"),
            ("DRA803", ".allocationMode"),
        ]

    def test_parameters_of_a_program_with_the_same_driver_name_are_not_judged(self) -> None:
        parameters = {"apiVersion": "gpu.resource.example.com/v1alpha1", "kind": "GpuConfig"}

        assert rules(claim(parameters=parameters)) == []
        assert rules(claim(parameters=parameters), **V041) == ["DRA801"]

    def test_the_example_driver_is_judged_by_its_own_parameters_only(self) -> None:
        def wanted(**parameters: Any) -> dict[str, Any]:
            return claim("gpu.example.com", driver="gpu.example.com", parameters=parameters)

        assert rules(wanted(sharing="none")) == []
        assert rules(wanted(apiVersion="gpu.example.com/v1", kind="GpuConfig")) == []
        assert rules(wanted(apiVersion="gpu.resource.example.com/v1alpha1", kind="Gpu")) == ["DRA801"]

    def test_names_in_any_case_are_those_of_a_driver_that_reads_them_so(self) -> None:
        parameters = {"APIVERSION": "v1alpha1", "CpuConfig": {"CPUSET": "0-3,5"}}

        assert rules(claim("dra.cpu", driver="dra.cpu", parameters=parameters)) == []

    def test_placeholders_are_not_judged(self) -> None:
        assert rules(claim(parameters=gpu_config(sharing={"strategy": "${STRATEGY}"}))) == []

    def test_a_definition_of_the_input_goes_before_the_pack(self) -> None:
        own = definition("GpuConfig", "resource.nvidia.com", "v1beta1")

        assert rules(claim(parameters=gpu_config(x=1)), **V041) == ["DRA801"]
        assert rules(own, claim(parameters=gpu_config(x=1)), **V041) == []


def test_only_a_file_with_wrong_parameters_is_read_again(tmp_path: Path, calls: Calls) -> None:
    called = calls(source, "read_file")
    wrong = gpu_config(strategy="MPS")
    for name, parameters in (("a", gpu_config()), ("b", wrong), ("c", gpu_config())):
        manifest = claim(parameters=parameters)
        manifest["metadata"]["name"] = name
        (tmp_path / f"{name}.json").write_text(json.dumps(manifest))
    found = dralint.lint_paths([str(tmp_path)], driver_versions={NVIDIA: "v0.4.1"}).findings

    assert [(Path(each.file).name, each.rule, each.path) for each in found] == [
        ("b.json", "DRA801", f"{PARAMETERS}.strategy")
    ]
    read = Counter(Path(path).name for (path,) in called)
    assert {name: number > 1 for name, number in read.items()} == {"a.json": False, "b.json": True, "c.json": False}


def test_parameters_nested_too_deeply_to_be_kept_are_judged() -> None:
    manifest = claim(parameters=gpu_config(strategy=0))
    text = json.dumps(manifest).replace('"strategy": 0', f'"strategy": {"[" * 2_500}{"]" * 2_500}')
    found = dralint.lint_text(text, driver_versions={NVIDIA: "v0.4.1"}).findings

    assert ("DRA801", f"{PARAMETERS}.strategy") in [(each.rule, each.path) for each in found]
