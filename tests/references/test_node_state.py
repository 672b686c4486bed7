"""What the nodes of an inventory say of Pods with claims."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dralint.config.settings import Settings
from dralint.files.source import Source
from dralint.kubernetes.release import Release
from dralint.lint.pool import run
from tests.newest import NEWEST
from tests.objects import item

INVENTORY = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
---
apiVersion: v1
kind: Node
metadata: {name: node-1, labels: {kubernetes.io/hostname: host-1, pool: gpu, gpus: "8"}}
status: {nodeInfo: {kubeletVersion: v1.33.1}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-1-gpu}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
"""
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
"""
CONTAINER = {"name": "main", "image": "a", "resources": {"claims": [{"name": "gpu"}]}}


def affinity(*terms: dict[str, Any]) -> dict[str, Any]:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"affinity": {"nodeAffinity": required}}


def term(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, **({"values": list(values)} if values else {})}]}


@pytest.mark.parametrize(
    ("spec", "hangs"),
    [
        ({}, True),
        ({"nodeName": "node-1"}, True),
        ({"nodeName": "node-2"}, False),
        ({"nodeSelector": {"kubernetes.io/hostname": "host-1"}}, True),
        ({"nodeSelector": {"kubernetes.io/hostname": "node-1"}}, False),
        ({"nodeSelector": {"pool": "gpu"}}, True),
        ({"nodeSelector": {"pool": "gpu", "zone": "a"}}, False),
        (affinity(term("pool", "In", "cpu", "gpu")), True),
        (affinity(term("pool", "NotIn", "cpu", "gpu")), False),
        (affinity(term("pool", "DoesNotExist"), term("gpus", "Gt", "4")), True),
        (affinity({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-2"]}]}), False),
        (affinity(term("rack", "NotIn", "r1")), True),
        (affinity(term("gpus", "Gt", "8")), False),
        (affinity(term("gpus", "Lt", "8")), False),
        (affinity(term("pool", "Gt", "3")), False),
        (affinity({}), False),
        (affinity({}, term("pool", "Exists")), True),
        (affinity(term("pool", "Is", "gpu")), False),
        ({"nodeSelector": {"zone": "a"}, **affinity(term("pool", "Exists"))}, False),
    ],
)
def test_an_old_kubelet_matters_where_the_pod_may_run_on_its_node(spec: dict[str, Any], hangs: bool) -> None:
    claims = {"resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}], "containers": [CONTAINER]}
    pod = json.dumps(item("Pod", "train", spec=claims | spec))
    pods = Source("pod.yaml", None, f"{pod}\n---\n{CLAIM}".encode())
    inventory = Source("inventory.yaml", None, INVENTORY.encode())
    settings = Settings(releases=(Release.parse(NEWEST),), select=("DRA425",))

    found = [(f.path, f.line, f.message) for f in run([pods], settings, inventory=[inventory]).findings]

    message = (
        f"the kubelet of node-1 (v1.33.1) reads claims as resource.k8s.io/v1beta1, which {NEWEST} serves only where it "
        "is enabled: a Pod on that node hangs in ContainerCreating"
    )
    assert found == ([("spec.resourceClaims[0]", 1, message)] if hangs else [])
