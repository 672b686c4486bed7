"""`dralint explain` of drivers, their classes, attributes, parameters and feature gates."""

from __future__ import annotations

import pytest

from tests.conftest import Run


def test_a_driver_has_the_page_of_its_pack(run: Run) -> None:
    assert run("explain", "gpu.nvidia.com").stdout == run("pack", "show", "gpu.nvidia.com").stdout


@pytest.mark.parametrize(
    ("topic", "lines"),
    [
        (
            "mig.nvidia.com",
            [
                "DeviceClass mig.nvidia.com, from the chart of the driver gpu.nvidia.com",
                '  mig.nvidia.com: device.driver == "gpu.nvidia.com" && ',
            ],
        ),
        (
            "gpu.nvidia.com/pcieBusID",
            [
                "attribute of gpu.nvidia.com, up to v25.8.1",
                "  gpu.nvidia.com/pcieBusID: string; of gpu, mig; for example 0000:01:00.0",
            ],
        ),
        (
            "GpuConfig.sharing.timeSlicingConfig",
            [
                "parameters of gpu.nvidia.com v0.4.1, apiVersion resource.nvidia.com/v1beta1",
                "  GpuConfig.sharing.timeSlicingConfig",
                "    interval: string; required; Default or Short or Medium or Long",
            ],
        ),
        ("MPSSupport", ["feature gate of gpu.nvidia.com, since v25.8.1", "  MPSSupport: off by default"]),
    ],
)
def test_a_name_of_a_driver_is_explained(run: Run, topic: str, lines: list[str]) -> None:
    shown = run("explain", topic).stdout

    assert "\n".join(lines) in shown


def test_a_word_leads_to_drivers_beside_fields(run: Run) -> None:
    shown = run("explain", "memory").stdout

    assert "ResourceSlice.spec.devices.capacity" in shown
    assert "\nDrivers\n" in shown
    assert "    gpu.nvidia.com/memory: quantity; of gpu, mig; for example 40Gi" in shown


def test_a_misspelt_driver_is_suggested(run: Run) -> None:
    outcome = run("explain", "gpu.nvidia.cm")

    assert outcome.status == 2
    assert "there is no driver 'gpu.nvidia.cm'; did you mean \"gpu.nvidia.com\"?" in outcome.stderr
