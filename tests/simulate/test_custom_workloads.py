"""The Pods of custom resources are simulated by their number, and templates that drivers make from objects exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from dralint.simulate.cluster import makers
from dralint.yaml import read
from tests.conftest import Run

DEVICES = ", ".join(f"{{name: d{number}}}" for number in range(3))
INVENTORY = f"""\
apiVersion: v1
kind: Node
metadata: {{name: n0, labels: {{kubernetes.io/hostname: n0}}}}
status: {{allocatable: {{cpu: "64", memory: 512Gi, pods: "110"}}}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: gpu.example.com}}
spec: {{selectors: [{{cel: {{expression: device.driver == "gpu.example.com"}}}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: s}}
spec:
  driver: gpu.example.com
  nodeName: n0
  pool: {{name: n0, generation: 1, resourceSliceCount: 1}}
  devices: [{DEVICES}]
"""
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}
---
"""
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}
---
"""
POD = (
    "{resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}],"
    " containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]}"
)
JOBSET = f"""\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: train}}
spec:
  replicatedJobs:
  - {{name: leader, template: {{spec: {{template: {{spec: {POD}}}}}}}}}
  - {{name: workers, replicas: 2, template: {{spec: {{parallelism: 2, template: {{spec: {POD}}}}}}}}}
"""
GROUP = f"""\
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: llm}}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 3
    workerTemplate: {{spec: {POD}}}
"""
RAY = f"""\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {{name: r, namespace: team}}
spec:
  headGroupSpec: {{template: {{spec: {POD}}}}}
  workerGroupSpecs: [{{groupName: g, replicas: 2, numOfHosts: 2, template: {{spec: {POD}}}}}]
"""
PYTORCH = f"""\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: p}}
spec:
  pytorchReplicaSpecs:
    Worker: {{replicas: 3, template: {{spec: {POD}}}}}
"""


def numbers(text: str) -> list[tuple[str, int | None]]:
    """Return the Pods that the last object of a text makes: their names in answers, and how many."""
    *_, last = read(text.encode())
    data = last.data
    assert isinstance(data, dict)
    return [(workload.id, workload.number) for workload in makers(data)]


def simulated(run: Run, folder: Path, manifest: str, *options: str, more: str = "") -> tuple[int, list[str]]:
    (folder / "inventory.yaml").write_text(INVENTORY + more, "utf-8")
    (folder / "manifest.yaml").write_text(manifest, "utf-8")
    done = run("simulate", "manifest.yaml", "--inventory", "inventory.yaml", *options)
    return done.status, done.stdout.splitlines()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (JOBSET, [("jobset default/train (leader)", 1), ("jobset default/train (workers)", 4)]),
        (GROUP, [("leaderworkerset default/llm", 6)]),
        (
            GROUP + f"    leaderTemplate: {{spec: {POD}}}\n",
            [
                ("leaderworkerset default/llm (leaderTemplate)", 2),
                ("leaderworkerset default/llm (workerTemplate)", 4),
            ],
        ),
        (
            RAY,
            [("raycluster team/r (headGroupSpec)", 1), ("raycluster team/r (g)", 4)],
        ),
        (
            PYTORCH,
            [("pytorchjob default/p", 3)],
        ),
        ("apiVersion: example.com/v1\nkind: Train\nmetadata: {name: t}\nspec: {}\n", []),
    ],
)
def test_a_custom_resource_makes_pods_by_its_numbers(text: str, wanted: list[tuple[str, int | None]]) -> None:
    assert numbers(text) == wanted


def test_the_pods_of_a_job_set_get_devices_one_after_the_other(run: Run, workdir: Path) -> None:
    status, lines = simulated(run, workdir, TEMPLATE + JOBSET, "--sequence")

    assert status == 1
    assert lines[0] == "jobset default/train (leader) (claim train-gpu), Kubernetes 1.37: goes to node n0"
    said = "jobset default/train (workers) (claim train-gpu), Kubernetes 1.37: 2 of 4 Pods fit, the next does not"
    assert said in lines


def test_one_claim_is_shared_by_all_pods(run: Run, workdir: Path) -> None:
    shared = (CLAIM + GROUP).replace("resourceClaimTemplateName", "resourceClaimName")

    status, lines = simulated(run, workdir, shared)

    assert (status, lines[0]) == (0, "leaderworkerset default/llm (claim gpu), Kubernetes 1.37: all 6 Pods fit")


def test_pods_that_run_already_are_not_decided(run: Run, workdir: Path) -> None:
    live = (
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: llm-0, namespace: default,"
        " labels: {leaderworkerset.sigs.k8s.io/name: llm}}\nspec: {nodeName: n0, containers: [{name: c, image: i}]}\n"
    )

    _, lines = simulated(run, workdir, TEMPLATE + GROUP, more=live)

    assert any("how the controller of a LeaderWorkerSet replaces Pods that run" in line for line in lines)


def test_no_pod_is_made_of_zero_replicas(run: Run, workdir: Path) -> None:
    status, lines = simulated(run, workdir, TEMPLATE + GROUP.replace("replicas: 2", "replicas: 0"))

    assert (status, lines[0].rpartition(": ")[0].rpartition(": ")[2]) == (0, "makes no Pod")


def test_the_template_that_a_driver_makes_exists(run: Run, workdir: Path) -> None:
    domain = (
        "apiVersion: resource.nvidia.com/v1beta1\nkind: ComputeDomain\nmetadata: {name: cd}\n"
        "spec: {numNodes: 1, channel: {resourceClaimTemplate: {name: gpu}}}\n---\n"
    )
    more = INVENTORY.replace("gpu.example.com", "compute-domain-default-channel.nvidia.com", 1)
    more = more.replace("gpu.example.com", "compute-domain.nvidia.com").replace("name: s}", "name: c}")

    status, lines = simulated(run, workdir, domain + GROUP.replace("size: 3", "size: 1"), more=f"---\n{more}")

    assert (status, lines[0]) == (0, "leaderworkerset default/llm (claim llm-gpu), Kubernetes 1.37: all 2 Pods fit")
    made = "note: the driver makes the template gpu of a ComputeDomain, for one device of "
    assert f"{made}compute-domain-default-channel.nvidia.com" in lines


def test_a_custom_resource_can_be_asked_for_by_name(run: Run, workdir: Path) -> None:
    _, lines = simulated(run, workdir, TEMPLATE + JOBSET, "--pod", "jobset/train")

    assert lines[0].startswith("jobset default/train (workers) ")


def test_a_kind_that_dralint_does_not_know_is_not_decided(run: Run, workdir: Path) -> None:
    unknown = f"apiVersion: example.org/v1\nkind: Trainer\nmetadata: {{name: t}}\nspec: {{template: {{spec: {POD}}}}}\n"

    status, lines = simulated(run, workdir, TEMPLATE + unknown)

    said = "not decided: which Pods the controller of a Trainer makes (not simulated)"
    assert (status, lines[0]) == (4, f"trainer default/t (claim t-gpu), Kubernetes 1.37: {said}")


def test_that_each_pod_gets_a_claim_of_its_own_is_said_where_they_are_too_many(run: Run, workdir: Path) -> None:
    _, lines = simulated(run, workdir, TEMPLATE + GROUP)

    own = "  each of the 6 Pods gets a claim of its own from the template gpu; Pods that are to share devices name one"
    assert f"{own} ResourceClaim" in lines


def test_a_custom_resource_of_the_cluster_without_pods_is_named(run: Run, workdir: Path) -> None:
    (workdir / "inventory.yaml").write_text(f"{INVENTORY}---\n{TEMPLATE}{JOBSET}", "utf-8")
    told = "JobSet default/train has no Pod here, and wants claims (gpu); its Pods are not tried"

    assert f"note: {told}" in run("simulate", "--inventory", "inventory.yaml", "--pending").stdout.splitlines()
    assert f"  {told}" in run("triage", "inventory.yaml").stdout.splitlines()
    assert run("simulate", "--inventory", "inventory.yaml", "--pod", "jobset/train").stdout.startswith(
        "jobset default/"
    )
