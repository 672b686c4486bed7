"""`dralint triage` says the reason that is in the dump: of quotas, templates, nodes, conditions, extended resources."""

from __future__ import annotations

from typing import Any

import pytest

from tests.objects import Item, item
from tests.triage.cluster import claim, device_class, node, pod, slice_of
from tests.triage.evenings import template, templated
from tests.triage.test_triage import named, triage

__all__ = ["triage"]

pytestmark = pytest.mark.slow

GPU = "gpu.example.com"
WAIT, NOBODY = "Pods that wait", "Pods that nobody creates"


def small(*nodes: Item) -> list[Item]:
    """Return a cluster with one node and one device, and more nodes."""
    return [node("node-a"), *nodes, device_class(GPU), slice_of(GPU, "node-a", 1)]


def quota(**hard: str) -> Item:
    names = {"pods": "pods", "claims": "count/resourceclaims.resource.k8s.io"}
    spec = {"hard": {names[key]: amount for key, amount in hard.items()}}
    return item("ResourceQuota", "q", "team", spec=spec, status={"used": dict.fromkeys(spec["hard"], "0")})


def waiting(name: str, of: str = "one") -> Item:
    return templated(pod(name), of, None)


def with_condition(made: Item, message: str) -> Item:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    made["status"]["conditions"] = [condition]
    return made


def selecting(made: Item) -> Item:
    made["spec"]["nodeSelector"] = {"disk": "ssd"}
    return made


def cordoned() -> list[Item]:
    """Return a cluster whose free device is on a node that is cordoned."""
    objects = [*small(node("node-b")), slice_of(GPU, "node-b", 1)]
    named(objects, "Node", "node-a")["spec"] = {"unschedulable": True}
    return [*objects, claim("used", GPU, devices=(("node-b", "dev-0"),)), pod("used", "node-b", "used")]


def bound() -> Item:
    """Return the claim of the Pod p, whose device waits for its driver."""
    held = claim("c", GPU, devices=(("node-a", "dev-0"),))
    held["status"]["allocation"]["devices"]["results"][0]["bindingConditions"] = ["example.com/attached"]
    held["status"]["reservedFor"][0].update(name="p", uid="pod-p")
    return held


def extended(amount: str) -> Item:
    made = pod("p")
    made["spec"]["containers"] = [{"name": "main", "resources": {"limits": {"example.com/gpu": amount}}}]
    return made


def with_plugin() -> list[Item]:
    objects = small()
    objects[0]["status"]["allocatable"]["example.com/gpu"] = "1"
    return objects


COUNT = "count/resourceclaims.resource.k8s.io"
LOST = 'persistentvolumeclaim "data" not found'


@pytest.mark.parametrize(
    ("objects", "text", "names"),
    [
        ([*small(), template("one"), quota(claims="0"), waiting("a"), waiting("b")], (
            "ResourceClaim not created yet; the API server refuses the claim (event FailedResourceClaimCreation):"
            f" exceeded quota: q, requested: {COUNT}=1, used: {COUNT}=0, limited: {COUNT}=0"
        ), ["team/a", "team/b"]),
        ([*small(), template("one"), claim("x", GPU), waiting("a", "two")],
         'ResourceClaim not created yet; there is no ResourceClaimTemplate "two" in namespace team', ["team/a"]),
        ([*cordoned(), claim("c", GPU), pod("p", None, "c")], (
            "the node is cordoned; its devices would do (1 of 2 nodes);"
            " c/r: 1 of 1 device passes the class, 1 match, 1 in use; wants 1 (1 of 2 nodes)"
        ), ["team/p"]),
        ([*small(), claim("c", GPU), selecting(pod("p", None, "c"))],
         "node(s) didn't match Pod's node affinity/selector; its devices would do", ["team/p"]),
        ([*small(), claim("c", GPU), with_condition(pod("p", None, "c"), LOST)],
         f"fits on node-a; the scheduler said: {LOST}", ["team/p"]),
        ([*small(), claim("c", GPU), pod("p", None, "c")],
         "fits on node-a: what keeps it is not in the dump (see the events of the Pod)", ["team/p"]),
        ([*small(), bound(), pod("p", None, "c")], (
            "waits on node-a: waits in PreBind for example.com/attached of gpu.example.com/node-a/dev-0,"
            " which the driver has not set yet"
        ), ["team/p"]),
        ([*small(), extended("1")], "no class offers example.com/gpu, and the node has none", ["team/p"]),
        ([*with_plugin(), extended("2")], None, []),  # a device plugin alone is none of ours
    ],
)  # fmt: skip
def test_why_a_pod_waits(triage: Any, objects: list[Item], text: str | None, names: list[str]) -> None:
    found = triage(objects, 1 if text else 0, "--kubernetes-version", "1.37")

    assert [row[1:] for row in found if row[0] == WAIT] == ([(text, names)] if text else [])


def job(parallelism: int) -> Item:
    made = {"spec": waiting("x")["spec"]}
    spec = {"parallelism": parallelism, "completions": parallelism, "template": made}
    return item("Job", "j", "team", metadata={"uid": "uid-j"}, spec=spec, status={"active": 0})


def test_a_workload_whose_pods_a_quota_refuses_is_reported(triage: Any) -> None:
    objects = [*small(), template("one"), job(2)]

    assert triage(objects, 0) == []
    assert triage([*objects, quota(pods="0")], 1) == [
        (NOBODY, "exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0", ["job team/j"])
    ]


def test_the_condition_of_a_workload_is_quoted(triage: Any) -> None:
    made = job(1)
    made |= {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "spec": {"replicas": 1, "template": made["spec"]["template"]},
    }
    message = 'pods "j-1" is forbidden: violates PodSecurity "restricted:latest"'
    made["status"] = {"conditions": [{"type": "ReplicaFailure", "status": "True", "message": message}]}

    found = triage([*small(), template("one"), made], 1)

    assert found == [(NOBODY, 'violates PodSecurity "restricted:latest"', ["deployment team/j"])]


def test_an_unused_claim_whose_device_is_only_in_use_is_fine(triage: Any) -> None:
    objects = [*small(), claim("used", GPU, devices=(("node-a", "dev-0"),)), pod("used", "node-a", "used")]

    assert triage([*objects, claim("next", GPU)], 0) == []
    [(area, _, names)] = triage([*objects, claim("two", GPU, 2)], 1)
    assert (area, names) == ("claims that nothing satisfies", ["team/two"])


def test_an_autoscaler_that_makes_no_node_for_claims_is_told_while_a_pod_waits(triage: Any) -> None:
    def deployed(name: str, image: str, *command: str, env: Any = ()) -> Item:
        container = {"name": "controller", "image": image, "command": list(command), "env": list(env)}
        spec = {"template": {"spec": {"containers": [container]}}}
        return item("Deployment", name, "kube-system", metadata={"uid": "k"}, spec=spec)

    def said(*objects: Item, waits: bool = True) -> list[tuple[str, list[str]]]:
        wanting = [pod("p", None, "c"), claim("c", GPU, 2)] if waits else []
        found = triage([*small(), *wanting, *objects], 1 if waits else 0)
        return [(text, names) for _, text, names in found if names[:1] and names[0].startswith("Deployment")]

    off = {"name": "IGNORE_DRA_REQUESTS", "value": "false"}
    aws = "public.ecr.aws/karpenter/controller:1.14.0"
    [(text, names)] = said(deployed("karpenter", "karpenter:1"))
    assert (text.partition(":")[0], names) == ("Karpenter ignores claims", ["Deployment kube-system/karpenter"])
    assert said(deployed("karpenter", "karpenter:1", env=[off])) == []
    assert said(deployed("karpenter", "karpenter:1"), waits=False) == []
    [(text, _)] = said(deployed("karpenter", aws, env=[off]))
    assert text.endswith("describes no devices (aws/karpenter-provider-aws#9519)")
    [(text, _)] = said(deployed("cluster-autoscaler", "ca:1", "./ca", "--cloud-provider=externalgrpc"))
    assert text.endswith("externalgrpc describes no devices (kubernetes/autoscaler#10277)")
    assert said(deployed("cluster-autoscaler", "ca:1", "./ca", "--cloud-provider=clusterapi")) == []
