"""Claims that several containers or Pods use, and what they get."""

from __future__ import annotations

import dralint

TWO_CONTAINERS = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: two}
spec:
  spec:
    devices:
      requests:
      - {name: gpu, exactly: {deviceClassName: gpu.acme.example, count: COUNT}}
---
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  resourceClaims: [{name: gpus, resourceClaimTemplateName: two}]
  containers:
  - {name: a, image: "example.com/a:1", resources: {claims: [{name: gpus}]}}
  - {name: b, image: "example.com/b:1", resources: {claims: [{name: gpus}]}}
"""

CPUS = """
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: cpu.acme.example}
spec: {selectors: [{cel: {expression: 'device.driver == "cpu.acme.example"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-a}
spec:
  driver: cpu.acme.example
  nodeName: node-a
  pool: {name: node-a, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: socket-0, nodeAllocatableResources: {cpu: {KIND: {deviceMultiplier: "8"}}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: cpus}
spec: {devices: {requests: [{name: cpu, exactly: {deviceClassName: cpu.acme.example}}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve}
spec:
  replicas: REPLICAS
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve}}
    spec:
      resourceClaims: [{name: cpus, resourceClaimName: cpus}]
      containers: [{name: main, image: "example.com/serve:1", resources: {claims: [{name: cpus}]}}]
"""


def reported(text: str, rule: str, **choices: object) -> list[tuple[str, int | None, str]]:
    report = dralint.lint_text(text, **choices)  # type: ignore[arg-type]
    assert report.failures == []
    return [(f.path, f.line, f.message) for f in report.findings if f.rule == rule]


def test_two_containers_with_a_claim_of_two_devices_get_both() -> None:
    assert reported(TWO_CONTAINERS.replace("COUNT", "2"), "DRA718") == [
        (
            "spec.containers[1].resources.claims[0]",
            18,
            '2 containers use the claim "gpus" and name no request: each container gets all 2 devices',
        )
    ]
    assert reported(TWO_CONTAINERS.replace("COUNT", "1"), "DRA718") == []
    assert reported(TWO_CONTAINERS.replace("COUNT", "4"), "DRA718") == []


def test_a_claim_for_resources_of_a_node_serves_one_pod() -> None:
    text = CPUS.replace("KIND", "mapping").replace("REPLICAS", "2")
    on = {"kubernetes_version": ["1.37"], "feature_gates": {"DRANodeAllocatableResources": True}}

    assert reported(text, "DRA418", **on) == [
        (
            "spec.template.spec.resourceClaims[0].resourceClaimName",
            31,
            (
                'the devices of the claim "cpus" are resources of their node, and several Pods use the claim: one Pod '
                "gets it, and the others stay Pending (`shared by multiple pods`)"
            ),
        )
    ]
    assert reported(text, "DRA418", kubernetes_version=["1.37"]) == []
    assert reported(text.replace("replicas: 2", "replicas: 1"), "DRA418", **on) == []
    assert reported(CPUS.replace("KIND", "overhead").replace("REPLICAS", "2"), "DRA418", **on) == []


GROUPED = """
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: crew}
spec:
  schedulingPolicy: {basic: {}}
  resourceClaims: [{name: gpu, resourceClaimName: CLAIM}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve}
spec:
  replicas: 257
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve}}
    spec:
      schedulingGroup: {podGroupName: crew}
      resourceClaims: [{name: gpu, resourceClaimName: gpu}]
      containers: [{name: main, image: "example.com/serve:1", resources: {claims: [{name: gpu}]}}]
"""


def test_any_number_of_pods_share_the_claim_of_their_group() -> None:
    on = {"kubernetes_version": ["1.37"], "feature_gates": {"GenericWorkload": True, "DRAWorkloadResourceClaims": True}}
    off = {"kubernetes_version": ["1.37"], "feature_gates": {"GenericWorkload": True}}
    text, others = GROUPED.replace("CLAIM", "gpu"), GROUPED.replace("CLAIM", "fabric")

    assert reported(text, "DRA418", **on) == reported(text, "DRA710", **on) == []
    assert [line for _, line, _ in reported(others, "DRA418", **on)] == [13]
    assert [line for _, line, _ in reported(text, "DRA418", **off)] == [13]
