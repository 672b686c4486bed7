"""Opaque parameters that a driver refuses become what its pack says was meant, as a guess."""

from __future__ import annotations

import pytest

import dralint
from dralint.finding.finding import Finding
from tests.judged import fixed

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c}}
spec:
  devices:
    requests:
    - name: r
      exactly: {{deviceClassName: a-class}}
    config:
    - opaque:
        driver: {}
        parameters:
"""
NVIDIA = """\
          apiVersion: resource.nvidia.com/v1beta1
          kind: GpuConfig
          sharing:
            strategy: MPS
            mpsConfig:
              defaultActiveThreadPercentage: 50
              defaultPinnedDeviceMemoryLimit: 10Gi
"""
SRIOV = """\
          apiVersion: sriovnetwork.k8snetworkplumbingwg.io/v1alpha1
          kind: VfConfig
          ifName: net1
          addVhostMount: true
"""
NET = """\
          interface:
            name: eth1
            addresses:
            - 192.168.7.10/24
            mtu: 9000
          routes:
          - destination: 10.0.0.0/8
            gateway: 192.168.7.1
"""
DRIVERS = {NVIDIA: "gpu.nvidia.com", SRIOV: "sriovnetwork.k8snetworkplumbingwg.io", NET: "dra.net"}


def found(text: str) -> list[Finding]:
    return [finding for finding in dralint.lint_text(text).findings if finding.rule in ("DRA801", "DRA804")]


@pytest.mark.parametrize(
    ("parameters", "meant", "written", "hint"),
    [
        (NVIDIA, "strategy: MPS", "strategy: mps", 'did you mean "MPS"?'),
        (NVIDIA, "mpsConfig:", "mpsconfig:", 'did you mean "mpsConfig"?'),
        (NVIDIA, "kind: GpuConfig", "kind: GPUConfig", 'did you mean "GpuConfig"?'),
        (NVIDIA, "resource.nvidia.com/v1beta1", "nvidia.com/v1", "write apiVersion: resource.nvidia.com/v1beta1"),
        (NVIDIA, "Percentage: 50", "Percentage: 50%", "did you mean 50?"),
        (NVIDIA, "Limit: 10Gi", "Limit: 10GiB", 'did you mean "10Gi"?'),
        (SRIOV, "addVhostMount: true", 'addVhostMount: "yes"', "write true"),
        (SRIOV, "ifName: net1", "ifname: net1", 'did you mean "ifName"?'),
        (NET, "mtu: 9000", 'mtu: "9000"', "remove the quotes: 9000"),
        (NET, "\n            - 192.168.7.10/24", " 10.0.0.1/24", 'make it a list: `["10.0.0.1/24"]`'),
        (NET, "gateway: 192", "via: 192", 'did you mean "gateway"?'),
        (NET, "destination: 10", "dst: 10", 'did you mean "destination"?'),
    ],
)
def test_what_a_driver_refuses_becomes_what_was_meant(parameters: str, meant: str, written: str, hint: str) -> None:
    text = CLAIM.format(DRIVERS[parameters]) + parameters.replace(meant, written)
    after = fixed(text, unsafe=True)

    assert (hint, True) in [(finding.hint, finding.fix is not None) for finding in found(text)]
    assert fixed(text, unsafe=False) == text
    if "10.0.0.1" in written:
        assert after == text.replace(written, " [10.0.0.1/24]")
    else:
        assert after == text.replace(written, meant)
