"""Known faults of a release that decide an answer are named with it; rules without an effect are noted."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Run

INVENTORY = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: big.example.com}
spec: {selectors: [{cel: {expression: device.driver == "big.example.com"}}]}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {nodeInfo: {kubeletVersion: v1.33.1}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}, {name: gpu-1}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: a}
spec:
  devices:
    requests:
    - name: g
      firstAvailable:
      - {name: big, deviceClassName: big.example.com, count: 2}
      - {name: all, deviceClassName: gpu.example.com, allocationMode: All}
---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: drain}
spec: {deviceSelector: {driver: other.example.com}, taint: {key: example.com/broken, effect: NoSchedule}}
"""


def test_a_fault_that_decides_the_answer_is_named(tmp_path: Path, run: Run) -> None:
    (tmp_path / "inventory.yaml").write_text(INVENTORY)
    args = ("simulate", "--inventory", str(tmp_path), "--claim", "a/c", "--format", "json", "--kubernetes-version")

    (bad,) = run(*args, "1.35").report["questions"]
    (good,) = run(*args, "1.36").report["questions"]

    assert (bad["answer"], good["answer"]) == ("none", "all")
    assert [fault.partition("(")[2] for fault in bad["faults"]] == ["kubernetes#137347, fixed in 1.36.0)"]
    assert "faults" not in good


def test_a_fault_of_a_patch_is_named_where_that_patch_is_simulated(tmp_path: Path, run: Run) -> None:
    rule = "spec: {taint: {key: example.com/broken, effect: NoSchedule}}\n"
    (tmp_path / "inventory.yaml").write_text(INVENTORY.partition("spec: {deviceSelector")[0] + rule)
    args = ("simulate", "--inventory", str(tmp_path), "--claim", "a/c", "--format", "json", "--kubernetes-version")

    (bad,) = run(*args, "1.37.0").report["questions"]
    assert run(*args, "1.37").report["questions"][0]["faults"] == bad["faults"]
    (good,) = run(*args, "1.37.1").report["questions"]

    assert (bad["answer"], good["answer"]) == ("none", "all")
    assert [fault.partition("(")[2] for fault in bad["faults"]] == ["kubernetes#141620, fixed in 1.37.1)"]
    assert "faults" not in good


def test_rules_without_effect_and_old_kubelets_are_noted(tmp_path: Path, run: Run) -> None:
    (tmp_path / "inventory.yaml").write_text(INVENTORY)
    args = ("simulate", "--inventory", str(tmp_path), "--claim", "a/c", "--format", "json", "--kubernetes-version")

    kubelet = (
        "the kubelet of n1 (v1.33.1) reads claims as resource.k8s.io/v1beta1, which 1.36 serves only where it is "
        "enabled: it prepares no device"
    )
    rule = "DeviceTaintRule drain: no effect in 1.36, the feature gate DRADeviceTaintRules is off"
    assert run(*args, "1.36").report["notes"] == [rule, kubelet]
    assert run(*args, "1.37").report["notes"] == [kubelet.replace("1.36", "1.37")]


USER = """\
apiVersion: v1
kind: Pod
metadata: {name: user, namespace: a, uid: u}
spec:
  nodeName: n1
  containers: [{name: main, image: app, resources: {limits: {example.com/gpu: 1}}}]
status: {phase: Running, extendedResourceClaimStatus: {resourceClaimName: user-x, requestMappings: []}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: user-x, namespace: a, annotations: {resource.kubernetes.io/extended-resource-claim: "true"}}
spec: {devices: {requests: [{name: container-0-request-0, exactly: {deviceClassName: gpu.example.com}}]}}
status:
  allocation:
    devices: {results: [{request: container-0-request-0, driver: gpu.example.com, pool: n1, device: gpu-0}]}
  reservedFor: [{resource: pods, name: user, uid: u}]
"""
DRAIN = """\
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: broken}
spec: {deviceSelector: {driver: gpu.example.com}, taint: {key: example.com/broken, effect: NoExecute}}
"""


def test_a_pod_with_an_extended_resource_keeps_its_device_where_the_release_spares_it(tmp_path: Path, run: Run) -> None:
    (tmp_path / "inventory.yaml").write_text(f"{INVENTORY}---\n{USER}")
    (tmp_path / "rule.yaml").write_text(DRAIN)
    inventory = ("--inventory", str(tmp_path / "inventory.yaml"), "--kubernetes-version")
    args = ("simulate", str(tmp_path / "rule.yaml"), "--format", "json", *inventory)
    fault = (
        "the taint example.com/broken:NoExecute of the DeviceTaintRule broken: the rule does not evict Pods with an"
        " extended resource, so they keep the device (kubernetes#141290, fixed in 1.37.2)"
    )

    for version in ("1.37", "1.37.1"):
        done = run(*args, version)
        [one] = done.report["questions"]
        assert (done.status, one["id"], one["answer"]) == (1, "pod a/user", "error")
        assert one["state"] == f"not evicted: {fault}"
    report = run(*args, "1.37.2").report
    assert [(one["id"], one["answer"]) for one in report["questions"]] == [("pod a/user", "evicted")]
    (tmp_path / "inventory.yaml").write_text(f"{INVENTORY}---\n{USER}---\n{DRAIN}")
    shown = run("simulate", "--evict", *inventory, "1.37").stdout.splitlines()
    assert shown[0] == f"pod a/user, Kubernetes 1.37: is not evicted by {fault}"
    # The rule was there before the manifests.
    (tmp_path / "rule.yaml").write_text(
        DRAIN.replace("broken", "other").replace("gpu.example.com", "other.example.com")
    )
    assert run(*args, "1.37").report["questions"] == []
