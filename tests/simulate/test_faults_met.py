"""Known faults of the release and of drivers that a Pod meets are named in its answer and in a triage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.conftest import Run

GPU = "gpu.nvidia.com"
INVENTORY = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.nvidia.com, uid: "1"}
spec: {selectors: [{cel: {expression: device.driver == "gpu.nvidia.com"}}]}
---
apiVersion: v1
kind: Node
metadata: {name: n1, uid: "2"}
status: {nodeInfo: {kubeletVersion: v1.34.1}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s, uid: "3"}
spec:
  driver: gpu.nvidia.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0, attributes: {type: {string: gpu}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: nvidia-plugin, namespace: dra, uid: "4"}
spec:
  nodeName: n1
  containers: [{name: gpus, image: "nvcr.io/nvidia/k8s-dra-driver-gpu:v25.8.1"}]
  volumes: [{name: r, hostPath: {path: /var/lib/kubelet/plugins_registry}}]
status: {phase: Running}
"""
POD = """\
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: watch, namespace: a, uid: "5"}
spec:
  devices:
    requests: [{name: g, exactly: {deviceClassName: gpu.nvidia.com, adminAccess: true}}]
    config:
    - opaque:
        driver: gpu.nvidia.com
        parameters:
          apiVersion: resource.nvidia.com/v1beta1
          kind: GpuConfig
          sharing: {strategy: TimeSlicing}
---
apiVersion: v1
kind: Namespace
metadata: {name: a, uid: "7", labels: {resource.kubernetes.io/admin-access: "true"}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: a, uid: "6"}
spec:
  containers: [{name: c, image: i, resources: {claims: [{name: g}]}}]
  resourceClaims: [{name: g, resourceClaimName: watch}]
status: {phase: Pending}
"""
SAID = "a configuration of a request with admin access changes the sharing of the workload, and resets it at its end"
ISSUE = "kubernetes-sigs/dra-driver-nvidia-gpu#1280"


def faults(run: Run, *args: str) -> list[str]:
    report: Any = run("simulate", "--inventory", ".", "--format", "json", *args).report
    (answer,) = report["questions"]
    return list(answer.get("knownFaults", ()))


def test_a_fault_of_a_driver_is_named_in_the_answer_of_a_pod(tmp_path: Path, run: Run, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cluster.yaml").write_text(INVENTORY + POD)
    asks = ("--kubernetes-version", "1.34", "--feature-gates", "DRAAdminAccess=true", "--driver-version")

    told = f"{SAID} (known fault of {GPU} v25.8.1: {ISSUE}, fixed in v0.5.0)"
    assert faults(run, "--pending", *asks, f"{GPU}=v25.8.1") == [told]
    assert faults(run, "--pending", *asks, f"{GPU}=v0.5.0") == []
    text = run("simulate", "--inventory", ".", "--pending", *asks, f"{GPU}=v25.8.1").stdout
    assert f"  it meets a fault: {told}\n" in text


def test_triage_reads_the_version_of_a_driver_from_the_image_of_its_plugin(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "dump.yaml"
    for version, told in (("v25.8.1", True), ("v0.5.0", False)):
        file.write_text((INVENTORY + POD).replace("v25.8.1", version))

        report = run("triage", str(file), "--format", "json").report

        found = [one for one in report["troubles"] if one["area"] == "known faults of the release"]
        assert any(ISSUE in one["text"] and f"{GPU} v25.8.1" in one["text"] for one in found) is told


def test_check_tells_faults_of_a_driver_whose_devices_the_inventory_has(tmp_path: Path, run: Run) -> None:
    (tmp_path / "cluster.yaml").write_text(INVENTORY)
    (tmp_path / "pod.yaml").write_text(POD)
    args = ("check", str(tmp_path / "pod.yaml"), "--format", "json", "--driver-version", f"{GPU}=v25.8.1")

    alone = [one["message"] for one in run(*args).report["findings"] if ISSUE in one["message"]]
    beside = run(*args, "--inventory", str(tmp_path / "cluster.yaml")).report["findings"]

    assert len(alone) == 1
    assert [one["message"] for one in beside if ISSUE in one["message"]] == alone
