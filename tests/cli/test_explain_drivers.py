"""`dralint explain` of drivers, their classes, attributes, parameters and feature gates."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from dralint.cli.completion import VARIABLE
from dralint.cli.main import dralint
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
                "parameters of gpu.nvidia.com v0.5.0, apiVersion resource.nvidia.com/v1beta1",
                "  GpuConfig.sharing.timeSlicingConfig",
                "    interval: string; required; Default or Short or Medium or Long",
            ],
        ),
        (
            "nvidia.com/gpu",
            [
                "nvidia.com/gpu: an extended resource",
                "  A container requests it under `resources`, without a claim: `limits: {nvidia.com/gpu: 1}`.",
                "  A device plugin offers it, or a DeviceClass with `extendedResourceName: nvidia.com/gpu`.",
                "  Since 1.34, DeviceClasses offer extended resources: `dralint explain DRAExtendedResource`.",
                "",
                (
                    "DeviceClass gpu.nvidia.com, from the chart of the driver gpu.nvidia.com, "
                    "in v25.12.0, v0.4.0, v0.4.1, v0.5.0 and main"
                ),
                "  gpu.nvidia.com (extended resource nvidia.com/gpu): device.driver == ",
            ],
        ),
        (
            "deviceclass.resource.kubernetes.io/gpu",
            [
                (
                    "  A container requests it under `resources`, without a claim: "
                    "`limits: {deviceclass.resource.kubernetes.io/gpu: 1}`."
                ),
                "  The DeviceClass gpu offers it.",
            ],
        ),
        (
            "MPSSupport",
            [
                "feature gate of gpu.nvidia.com, in v25.8.1, v25.12.0, v0.4.0, v0.4.1, v0.5.0 and main",
                "  MPSSupport: off by default",
            ],
        ),
        (
            "gpu.nvidia.com/numa",
            ["attribute of gpu.nvidia.com, in v25.12.0, v0.4.0 and v0.4.1", "  gpu.nvidia.com/numa: int; of vfio"],
        ),
        ("gpu.nvidia.com/minor", ["attribute of gpu.nvidia.com, up to v25.3.2"]),
    ],
)
def test_a_name_of_a_driver_is_explained(run: Run, topic: str, lines: list[str]) -> None:
    shown = run("explain", topic).stdout

    assert "\n".join(lines) in shown


@pytest.mark.parametrize("topic", ["amd.com/npu", "gpu.nvidia.com/nothing"])
def test_a_name_with_a_domain_that_no_pack_has_leads_nowhere(run: Run, topic: str) -> None:
    outcome = run("explain", topic)

    assert outcome.status == 2
    said = f"no driver that dralint knows has an attribute, a capacity or an extended resource {topic!r}"
    assert said in " ".join(outcome.stderr.split())


def test_a_word_leads_to_drivers_beside_fields(run: Run) -> None:
    shown = run("explain", "memory").stdout

    assert "ResourceSlice.spec.devices.capacity" in shown
    assert "\nDrivers\n" in shown
    assert "    gpu.nvidia.com/memory: quantity; of gpu, mig; for example 40Gi" in shown


def test_a_misspelt_driver_is_suggested(run: Run) -> None:
    outcome = run("explain", "gpu.nvidia.cm")

    assert outcome.status == 2
    assert "there is no driver 'gpu.nvidia.cm'; did you mean \"gpu.nvidia.com\"?" in outcome.stderr


OWN = """\
pack: 1
driver: fpga.acme.io
versions: [v1.0.0]
classes:
- {name: big-fpga.acme.io, cel: device.driver == "fpga.acme.io"}
attributes:
- {name: luts, type: int}
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose configuration has a pack of its own."""
    (tmp_path / "pack.yaml").write_text(OWN)
    (tmp_path / ".dralint.yaml").write_text("driver-packs: [pack.yaml]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("topic", "line"),
    [
        ("fpga.acme.io", "fpga.acme.io"),
        ("big-fpga.acme.io", "DeviceClass big-fpga.acme.io, from the chart of the driver fpga.acme.io"),
        ("fpga.acme.io/luts", "attribute of fpga.acme.io"),
    ],
)
@pytest.mark.usefixtures("own")
def test_a_pack_of_the_configuration_is_explained(topic: str, line: str, run: Run) -> None:
    assert run("explain", topic).stdout.startswith(line)
    assert run("explain", topic, "--no-config").status == 2


@pytest.mark.usefixtures("own")
def test_a_pack_of_the_configuration_is_shown_and_listed(run: Run) -> None:
    assert run("pack", "show", "fpga.acme.io").stdout == run("explain", "fpga.acme.io").stdout
    assert "fpga.acme.io  v1.0.0\n" in run("pack", "show").stdout


@pytest.mark.parametrize(
    ("words", "start", "offered"),
    [
        (["explain"], "big-fp", "big-fpga.acme.io"),
        (["pack", "show"], "fpg", "fpga.acme.io"),
        (["new", "claim", "--driver"], "fpg", "fpga.acme.io"),
    ],
)
def test_a_pack_of_the_configuration_is_completed(own: Path, words: list[str], start: str, offered: str) -> None:
    shell = ShellComplete(dralint, {}, "dralint", VARIABLE)

    assert [item.value for item in shell.get_completions(words, start)] == [offered]
    (own / "pack.yaml").write_text("driver: fpga.acme.io\n")
    assert shell.get_completions(words, start) == []
