"""Mistakes that people make in whole files: the hint leads to what was meant, and the guess writes it."""

from __future__ import annotations

from tests.judged import fixed

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: train}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.nvidia.com
        selectors:
        - cel:
            expression: device.attributes["gpu.nvidia.com"].productName == "NVIDIA H100"
        - cel:
            expression: device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0
        - cel:
            expression: device.attributes["gpu.nvidia.com"].driverVersion.isGreaterThan(semver("550.0.0"))
    constraints:
    - requests: [gpu]
      matchAttribute: resource.kubernetes.io/pcieRoot
    config:
    - requests: [gpu]
      opaque:
        driver: gpu.nvidia.com
        parameters:
          apiVersion: resource.nvidia.com/v1beta1
          kind: GpuConfig
"""


def test_a_level_that_is_written_twice_goes_safely() -> None:
    low, high = CLAIM.index("    requests:\n"), len(CLAIM)
    wrong = CLAIM[:low] + "    devices:\n  " + CLAIM[low:high].replace("\n", "\n  ").removesuffix("  ")

    assert fixed(wrong, unsafe=False) == CLAIM
