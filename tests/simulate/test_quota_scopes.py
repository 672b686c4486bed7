"""A quota with scopes counts the Pods of its scopes, and no claims; `limits.*` counts the limits of Pods."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dralint.simulate.server import counts, scopes_of
from tests.simulate.test_cluster_as_it_is import DEVICES, ask, quota, workload
from tests.simulate.test_command import TEMPLATE, Folder, gpus

CPU = {"containers": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}]}
PLAIN: dict[str, Any] = {"containers": [{"name": "main"}]}
NAMESPACED = {"labelSelector": {}, "topologyKey": "zone", "namespaces": ["other"]}
AFFINITY = {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"podAffinityTerm": NAMESPACED}]}}


def scope(name: str, operator: str = "Exists", *values: str) -> dict[str, Any]:
    return {"scopeName": name, "operator": operator, **({"values": [*values]} if values else {})}


@pytest.mark.parametrize(
    ("wanted", "yes", "no"),
    [
        (scope("Terminating"), {"activeDeadlineSeconds": 60}, {}),
        (scope("NotTerminating"), {}, {"activeDeadlineSeconds": 0}),
        (scope("BestEffort"), PLAIN, CPU),
        (scope("NotBestEffort"), CPU, PLAIN),
        (scope("NotBestEffort"), {"resources": {"limits": {"memory": "1Gi"}}}, PLAIN),
        (scope("PriorityClass"), {"priorityClassName": "high"}, {}),
        (scope("PriorityClass", "In", "high"), {"priorityClassName": "high"}, {}),
        (scope("PriorityClass", "NotIn", "high"), {}, {"priorityClassName": "high"}),
        (scope("PriorityClass", "DoesNotExist"), {}, {"priorityClassName": "high"}),
        (scope("CrossNamespacePodAffinity"), {"affinity": AFFINITY}, {}),
    ],
)
def test_a_scope_counts_pods_of_its_kind(wanted: dict[str, Any], yes: dict[str, Any], no: dict[str, Any]) -> None:
    assert counts([wanted], "Pod", {"spec": yes})
    assert not counts([wanted], "Pod", {"spec": no})
    assert not counts([wanted], "ResourceClaim", {"spec": yes})


def test_every_scope_of_a_quota_has_to_match() -> None:
    selector = {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}
    scopes = scopes_of({"scopes": ["NotTerminating"], "scopeSelector": selector})

    assert scopes == [scope("NotTerminating"), scope("PriorityClass", "In", "high")]
    assert counts(scopes, "Pod", {"spec": {"priorityClassName": "high"}})
    assert not counts(scopes, "Pod", {"spec": {"priorityClassName": "high", "activeDeadlineSeconds": 1}})


def scoped(hard: dict[str, str], *scopes: str) -> str:
    item = json.loads(quota(hard))
    item["spec"]["scopes"] = [*scopes]
    return json.dumps(item)


@pytest.mark.slow
def test_a_scoped_quota_stops_only_its_pods(folder: Folder) -> None:
    there = [gpus("node-a", 8), scoped({"pods": "1", DEVICES: "1"}, "Terminating")]

    ask(folder, there, [TEMPLATE, workload("Deployment", {"replicas": 2})])
    [job] = ask(folder, there, [TEMPLATE, workload("Job", {"parallelism": 2}, {"activeDeadlineSeconds": 9})], status=1)

    assert job["replicas"]["missing"] == 1
    assert job["refused"] == "pods are forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1"


@pytest.mark.slow
def test_limits_count_as_the_containers_have_them(folder: Folder) -> None:
    there = [gpus("node-a", 8), quota({"limits.cpu": "5", "limits.memory": "10Gi"})]
    first = {"name": "first", "image": "app", "resources": {"limits": {"cpu": "2", "memory": "1Gi"}}}
    main = {"name": "main", "image": "app", "resources": {"claims": [{"name": "gpu"}], "limits": {"cpu": "1500m"}}}
    deployment = workload("Deployment", {"replicas": 3}, {"initContainers": [first], "containers": [main]})

    [answer] = ask(folder, there, [TEMPLATE, deployment], status=1)

    assert answer["replicas"]["missing"] == 1
    assert answer["refused"].endswith(
        "exceeded quota: q, requested: limits.cpu=2, used: limits.cpu=4, limited: limits.cpu=5"
    )
