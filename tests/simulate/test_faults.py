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
