"""Which names are misspelt, and which are other things."""

from __future__ import annotations

from pathlib import Path

import pytest

from dralint.references.misspelt_names import KnownNames, is_slip
from tests.conftest import Run


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("gpu-smal", "gpu-small"),
        ("gpu.exmaple.com", "gpu.example.com"),
        ("shared-gpu", "shared-gpus"),
        ("vector-db-gpu", "vectordb-gpu"),
        ("rdma-nic", "nic-rdma"),
        ("gpu-14", "gpu-l4"),
        ("example.com/a-100", "example.com/a100"),
        ("inferense", "inference"),
        ("Shared", "shared"),
        ("gpu.nvidia.co", "gpu.nvidia.com"),
        ("gpu.example.cmo", "gpu.example.com"),
        ("gpu.akme.com", "gpu.acme.com"),
        ("gpu.acme.oi", "gpu.acme.io"),
    ],
)
def test_slips(written: str, meant: str) -> None:
    assert is_slip(written, meant)
    assert KnownNames([meant, "something-else"]).near(written) == [meant]


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("gpu-a100", "gpu-h100"),
        ("team-a", "team-b"),
        ("cpu.example.com", "gpu.example.com"),
        ("gpu-1", "gpu-2"),
        ("gpu-1", "gpu-10"),
        ("gpu.example.org", "gpu.example.com"),
        ("gpu.ai", "gpu.a"),
        ("gpu.tier.c", "gpu.tier.b"),
        ("gpu.tier.a1", "gpu.tier.1a"),
        ("gpu.oi", "gpu.io"),
        ("gpu.acme.io", "large-gpu.acme.io"),
        ("gpu.tier.v1", "gpu.tier.v"),
        ("gp.nvidia.com", "gpu.nvidia.com"),
        ("net.example.com", "gpu.example.com"),
        ("gpux.acme.com", "gpuy.acme.com"),
        ("gpu.abc.com", "gpu.abd.com"),
        ("mig-1g", "mig-3g"),
        ("gpu", "gpu"),
    ],
)
def test_other_things(written: str, other: str) -> None:
    assert not is_slip(written, other)
    assert KnownNames([other]).near(written) == []


CLASSES = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: gpu.acme.com
spec:
  selectors:
  - cel:
      expression: device.driver == "gpu.acme.com"
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: {name}
"""


@pytest.mark.parametrize("name", ["acme.com", "gpu.akme.com"])
def test_a_domain_that_is_written_alone_or_with_another_letter_means_the_class(
    name: str, check: Run, tmp_path: Path
) -> None:
    (tmp_path / "all.yaml").write_text(CLASSES.format(name=name))

    [one] = check(tmp_path).report["findings"]

    assert (one["rule"], one["path"], one["line"]) == (
        "DRA404",
        "spec.devices.requests[0].exactly.deviceClassName",
        19,
    )
    assert one["message"] == (
        f'there is no DeviceClass "{name}": Pods that use the claim stay Pending '
        "(the event FailedScheduling names the class)"
    )
    assert one["hint"] == 'did you mean "gpu.acme.com"?'


@pytest.mark.parametrize("name", ["gpu", "mig.acme.com", "other.com"])
def test_a_class_that_may_be_elsewhere_is_not_told(name: str, check: Run, tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text(CLASSES.format(name=name))

    assert check(tmp_path).report["findings"] == []
