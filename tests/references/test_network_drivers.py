"""Devices of network drivers belong to the Pod, so no container has to name them."""

from __future__ import annotations

import pytest

from tests.conftest import Run

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: net}}
spec: {{devices: {{requests: [{requests}]{more}}}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec:
  resourceClaims: [{{name: net, resourceClaimName: net}}]
  containers: [{{name: c, image: x{claims}}}]
"""
CLASS = """\
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: fast}}
spec: {{selectors: [{{cel: {{expression: 'device.driver == "{driver}"'}}}}]}}
"""
GPU = "{name: gpu, exactly: {deviceClassName: gpu.example.com}}"
NIC = "{name: nic, exactly: {deviceClassName: %s}}"
CONFIG = ", config: [{%sopaque: {driver: dra.net, parameters: {}}}]"
LOOKS = "{name: nic, exactly: {deviceClassName: a, selectors: [{cel: {expression: '%s'}}]}}"
RDMA, NODE = 'device.attributes["dra.net"].rdma', 'device.attributes["dra.net"].numaNode == 1'


def found(check: Run, requests: str, more: str = "", claims: str = "", besides: str = "") -> set[str]:
    text = CLAIM.format(requests=requests, more=more, claims=claims) + besides
    return {rule for rule, *_ in check("-", stdin=text).findings} & {"DRA705", "DRA706"}


@pytest.mark.parametrize(
    ("requests", "more", "besides"),
    [
        (NIC % "dranet", "", ""),
        (NIC % "dranet-rdma-for-mpi", "", ""),
        (NIC % "mrdma.google.com", "", ""),
        (NIC % "sriovnetwork.k8snetworkplumbingwg.io", "", ""),
        (NIC % "a", CONFIG % "", ""),
        (NIC % "fast", "", CLASS.format(driver="cni.dra.networking.x-k8s.io")),
        (LOOKS % RDMA, "", ""),
    ],
)
def test_a_claim_of_a_network_driver_is_used_by_the_pod(check: Run, requests: str, more: str, besides: str) -> None:
    assert found(check, requests, more, besides=besides) == set()


@pytest.mark.parametrize(
    ("requests", "more", "besides"),
    [
        (NIC % "nic.example.com", "", ""),
        (NIC % "gpu.vendor.network", "", ""),
        (NIC % "fast", "", CLASS.format(driver="gpu.example.com")),
        (f"{GPU}, {NIC % 'dranet'}", "", ""),
        (f"{GPU}, {NIC % 'a'}", CONFIG % "", ""),
        (LOOKS % NODE, "", ""),
    ],
)
def test_a_claim_of_another_driver_is_not(check: Run, requests: str, more: str, besides: str) -> None:
    assert found(check, requests, more, besides=besides) == {"DRA705"}


def test_a_request_of_a_network_driver_is_used_beside_the_one_that_a_container_names(check: Run) -> None:
    claims = ", resources: {claims: [{name: net, request: gpu}]}"

    assert found(check, f"{GPU}, {NIC % 'dranet'}", claims=claims) == set()
    assert found(check, f"{GPU}, {NIC % 'a'}", CONFIG % "requests: [nic], ", claims) == set()
    assert found(check, f"{GPU}, {NIC % 'a'}", claims=claims) == {"DRA706"}
