"""What admission makes of a Pod: its RuntimeClass, default tolerations and priority; admin access against the label."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.objects import item
from tests.simulate.test_cluster_as_it_is import ask, node, quota, running, workload
from tests.simulate.test_command import CLASS, POD, TEMPLATE, Folder, gpus

pytestmark = pytest.mark.slow  # each question starts a simulation of its own

LABEL = "resource.kubernetes.io/admin-access"
ADMIN = TEMPLATE.replace("deviceClassName: gpu", "deviceClassName: gpu, adminAccess: true")
KATA = POD + "  runtimeClassName: kata\n"


def runtime_class(uid: str = "", **parts: Any) -> str:
    return json.dumps(item("RuntimeClass", "kata", metadata={"uid": uid} if uid else {}, handler="kata", **parts))


def priority_class(name: str, value: int, uid: str = "", **parts: Any) -> str:
    return json.dumps(item("PriorityClass", name, metadata={"uid": uid} if uid else {}, value=value, **parts))


def limit_range(**limit: Any) -> str:
    return json.dumps(item("LimitRange", "usual", "team", spec={"limits": [{"type": "Container", **limit}]}))


def namespace(**labels: str) -> str:
    return json.dumps(item("Namespace", "team", metadata={"labels": labels}))


# Admin access


@pytest.mark.parametrize("pod", [POD, workload("Deployment", {"replicas": 1})])
def test_a_live_template_makes_no_admin_claim_once_the_label_is_gone(folder: Folder, pod: str) -> None:
    there = [node("node-a"), gpus("node-a", 1), namespace(), ADMIN]

    [question] = ask(folder, there, [pod], status=1)

    assert question["refused"].endswith(": ResourceClaim not created yet")
    assert question["advice"] == (
        "the API server refuses the claim (event FailedResourceClaimCreation): admin access to devices requires the"
        f" `{LABEL}: true` label on the containing namespace"
    )


def test_a_label_that_the_manifests_remove_counts_as_removed(folder: Folder) -> None:
    there = [node("node-a"), gpus("node-a", 1), namespace(**{LABEL: "true"}), ADMIN]

    assert ask(folder, there, [POD])[0]["answer"] == "all"
    assert ask(folder, there, [namespace(**{LABEL: "false"}), POD], status=1)[0]["answer"] == "refused"


def test_a_live_claim_gets_no_admin_devices_once_the_label_is_gone(folder: Folder) -> None:
    claim = ADMIN.replace("ClaimTemplate", "Claim").replace("spec: {spec: ", "spec: ").replace("}}]}}}", "}}]}}")
    pod = POD.replace("resourceClaimTemplateName", "resourceClaimName")
    there = [node("node-a"), gpus("node-a", 1), claim]

    [question] = ask(folder, [*there, namespace()], [pod], status=1)

    assert question["answer"] == "error"
    assert question["fates"]["node-a"]["text"] == (
        'running PreBind plugin "DynamicResources": claim team/one: ResourceClaim "one" is invalid:'
        " status.allocation.devices.results[0].adminAccess: Forbidden: admin access to devices requires the"
        f" `{LABEL}: true` label on the containing namespace"
    )
    assert ask(folder, [*there, namespace(**{LABEL: "true"})], [pod])[0]["answer"] == "all"


def test_admin_devices_that_a_claim_has_stay(folder: Folder) -> None:
    pod, claim = (json.loads(text) for text in running("old", "node-a", "gpu-0"))
    claim["spec"]["devices"]["requests"][0]["exactly"]["adminAccess"] = True
    claim["status"]["allocation"]["devices"]["results"][0]["adminAccess"] = True
    joined = POD.replace("resourceClaimTemplateName: one", "resourceClaimName: old-gpu-x")

    there = [node("node-a"), gpus("node-a", 1), namespace(), json.dumps(pod), json.dumps(claim)]

    assert ask(folder, there, [joined])[0]["answer"] == "all"


# RuntimeClass


def test_a_runtime_class_needs_room_of_its_own(folder: Folder) -> None:
    there = [node("node-a", cpu="2"), gpus("node-a", 1), runtime_class(overhead={"podFixed": {"cpu": "1500m"}})]
    pod = KATA.replace("{claims:", "{requests: {cpu: 1}, claims:")

    [question] = ask(folder, there, [TEMPLATE, pod], status=1)

    assert question["nodes"][0]["sentence"] == ("cpu: 2500m requested, 2 of 2 left; its devices would do")


LIMITED = POD.replace("{claims:", "{limits: {cpu: 1}, claims:")


@pytest.mark.parametrize(
    ("pod", "there", "refused"),
    [
        (KATA.replace("kata", "gvisor"), [runtime_class("uid-1")], 'pod rejected: RuntimeClass "gvisor" not found'),
        (
            POD + "  overhead: {cpu: 1}\n",
            [runtime_class()],
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ),
        (
            KATA + "  overhead: {cpu: 1}\n",
            [runtime_class(overhead={"podFixed": {"cpu": "2"}})],
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        ),
        (
            KATA + "  nodeSelector: {disk: ssd}\n",
            [runtime_class(scheduling={"nodeSelector": {"disk": "hdd"}})],
            "conflict: runtimeClass.scheduling.nodeSelector[disk] = hdd; pod.spec.nodeSelector[disk] = ssd",
        ),
        # the overhead of the RuntimeClass counts for a quota
        (
            KATA,
            [runtime_class(overhead={"podFixed": {"cpu": "2"}}), quota({"requests.cpu": "1"})],
            "exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=0, limited: requests.cpu=1",
        ),
        (LIMITED, [limit_range(max={"cpu": "500m"})], "maximum cpu usage per Container is 500m, but limit is 1"),
        (LIMITED, [limit_range(min={"cpu": "2"})], "minimum cpu usage per Container is 2, but request is 1"),
    ],
)
def test_what_contradicts_a_class_or_a_limit_is_refused(
    folder: Folder, pod: str, there: list[str], refused: str
) -> None:
    question, *_ = ask(folder, [node("node-a"), gpus("node-a", 1), *there], [TEMPLATE, pod], status=1)

    assert question["refused"] == refused


def test_a_runtime_class_that_the_inventory_lacks_is_named(folder: Folder) -> None:
    [question] = ask(folder, [node("node-a"), gpus("node-a", 1)], [TEMPLATE, KATA], status=4)

    assert question["notSimulated"] == ["the RuntimeClass kata, which is not in the inventory"]


@pytest.mark.parametrize("where", ["input", "inventory", "nowhere"])
def test_check_knows_what_a_runtime_class_tolerates(check: Run, tmp_path: Path, where: str) -> None:
    taint = {"key": "sandbox", "effect": "NoSchedule"}
    tolerant = runtime_class(scheduling={"tolerations": [{**taint, "operator": "Exists"}]})
    inventory = [CLASS, node("node-a", {"taints": [taint]}), gpus("node-a", 1)]
    manifests = [TEMPLATE, KATA, POD.replace("worker", "other")]
    (tmp_path / "inventory.yaml").write_text("\n---\n".join([*inventory, *[tolerant] * (where == "inventory")]))
    (tmp_path / "pods.yaml").write_text("\n---\n".join([*[tolerant] * (where == "input"), *manifests]))

    done = check("--slices", tmp_path / "inventory.yaml", tmp_path / "pods.yaml")

    found = [(f["rule"], f["object"]["name"], f["path"]) for f in done.report["findings"]]
    assert found == [("DRA438", "other", "spec.resourceClaims")]


def test_check_knows_where_a_runtime_class_runs(check: Run, tmp_path: Path) -> None:
    elsewhere = runtime_class(scheduling={"nodeSelector": {"disk": "ssd"}})
    (tmp_path / "inventory.yaml").write_text("\n---\n".join([CLASS, node("node-a"), gpus("node-a", 1)]))
    (tmp_path / "pods.yaml").write_text("\n---\n".join([elsewhere, TEMPLATE, KATA]))

    done = check("--slices", tmp_path / "inventory.yaml", tmp_path / "pods.yaml")

    [finding] = done.report["findings"]
    assert (finding["rule"], finding["path"]) == ("DRA438", "spec.resourceClaims")
    assert "node(s) didn't match Pod's node affinity/selector" in finding["message"]


# Tolerations


@pytest.mark.parametrize(("effect", "fits"), [("NoExecute", True), ("NoSchedule", False)])
@pytest.mark.parametrize("name", ["not-ready", "unreachable"])
def test_a_pod_tolerates_for_a_while_that_a_node_fails(folder: Folder, name: str, effect: str, fits: bool) -> None:
    taint = {"key": f"node.kubernetes.io/{name}", "effect": effect}

    [question] = ask(folder, [node("node-a", {"taints": [taint]}), gpus("node-a", 1)], [TEMPLATE, POD], status=1 - fits)

    assert question["fits"] == (["node-a"] if fits else [])
    if fits:
        assert "evicted after 5 min" in question["fates"]["node-a"]["text"]


def test_a_pod_that_says_for_how_long_it_tolerates_keeps_that(folder: Folder) -> None:
    key = "node.kubernetes.io/not-ready"
    pod = POD + f"  tolerations: [{{key: {key}, operator: Exists, effect: NoExecute, tolerationSeconds: 60}}]\n"
    there = [node("node-a", {"taints": [{"key": key, "effect": "NoExecute"}]}), gpus("node-a", 1)]

    [question] = ask(folder, there, [TEMPLATE, pod])

    assert "evicted after 60 s" in question["fates"]["node-a"]["text"]


# Priority


def test_a_priority_class_that_the_cluster_does_not_have_is_refused(folder: Folder) -> None:
    there = [node("node-a"), gpus("node-a", 1), priority_class("high", 1000, "uid-1")]

    assert ask(folder, there, [TEMPLATE, POD + "  priorityClassName: system-node-critical\n"])[0]["fits"] == ["node-a"]
    question, *_ = ask(folder, there, [TEMPLATE, POD + "  priorityClassName: urgent\n"], status=1)
    assert question["refused"] == "no PriorityClass with name urgent was found"


@pytest.mark.parametrize(
    ("there", "now", "field"),
    [
        (priority_class("high", 1000), priority_class("high", 2000), "value"),
        (
            priority_class("high", 1000, preemptionPolicy="PreemptLowerPriority"),
            priority_class("high", 1000, preemptionPolicy="Never"),
            "preemptionPolicy",
        ),
        (runtime_class(), runtime_class().replace('"handler": "kata"', '"handler": "gvisor"'), "handler"),
    ],
)
def test_what_classes_of_pods_decide_does_not_change(folder: Folder, there: str, now: str, field: str) -> None:
    live = [node("node-a"), gpus("node-a", 1), there]
    name = f"{json.loads(there)['kind'].lower()} {json.loads(there)['metadata']['name']}"

    refused, pod = ask(folder, live, [now, TEMPLATE, POD], status=1)

    assert (refused["id"], refused["refused"]) == (name, f"{field}: Invalid value: field is immutable")
    assert pod["answer"] == "all"
    assert [question["answer"] for question in ask(folder, live, [there, TEMPLATE, POD])] == ["all"]


def test_a_quota_counts_the_pods_of_the_default_priority_class(folder: Folder) -> None:
    scoped = {"operator": "In", "scopeName": "PriorityClass", "values": ["usual"]}
    limited = json.loads(quota({"pods": "0"}))
    limited["spec"]["scopeSelector"] = {"matchExpressions": [scoped]}
    there = [node("node-a"), gpus("node-a", 1), json.dumps(limited)]

    assert ask(folder, [*there, priority_class("usual", 10)], [TEMPLATE, POD])[0]["refused"] is None
    question, *_ = ask(folder, [*there, priority_class("usual", 10, globalDefault=True)], [TEMPLATE, POD], status=1)
    assert question["refused"] == "exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0"


# LimitRanges


@pytest.mark.parametrize(
    ("limit", "resources", "fits"),
    [
        ({"default": {"cpu": "3"}}, "", 0),
        ({"default": {"cpu": "3"}, "defaultRequest": {"cpu": "1"}}, "", 1),
        ({"defaultRequest": {"cpu": "3"}}, "", 0),
        ({"defaultRequest": {"cpu": "3"}}, "requests: {cpu: 1}, ", 1),
        ({"defaultRequest": {"cpu": "3"}}, "limits: {cpu: 1}, ", 1),
        ({"max": {"cpu": "3"}}, "", 0),
        ({"max": {"cpu": "3"}, "defaultRequest": {"cpu": "1"}}, "", 1),
        ({"min": {"cpu": "3"}}, "", 0),
    ],
)
def test_a_limit_range_fills_in_what_a_container_does_not_say(
    folder: Folder, limit: dict[str, Any], resources: str, fits: int
) -> None:
    there = [node("node-a", cpu="2"), gpus("node-a", 1), limit_range(**limit)]

    [question] = ask(folder, there, [TEMPLATE, POD.replace("{claims:", f"{{{resources}claims:")], status=1 - fits)

    assert question["nodes"][0]["reasons"] == ([] if fits else ["Insufficient cpu"])


def test_limits_of_whole_pods_are_not_decided(folder: Folder) -> None:
    there = [node("node-a"), gpus("node-a", 1), limit_range(type="Pod", max={"cpu": "1"})]

    [question] = ask(folder, there, [TEMPLATE, POD], status=4)

    assert question["notSimulated"] == ["what the LimitRange usual allows in all, or between request and limit"]


def test_a_limit_range_of_another_namespace_changes_nothing(folder: Folder) -> None:
    other = limit_range(default={"cpu": "3"}).replace('"team"', '"other"')

    assert ask(folder, [node("node-a", cpu="2"), gpus("node-a", 1), other], [TEMPLATE, POD])[0]["fits"] == ["node-a"]


def test_a_live_pod_is_admitted_already(folder: Folder) -> None:
    live = json.loads(running("old", "node-a", "gpu-0")[0])
    del live["spec"]["nodeName"], live["status"]["resourceClaimStatuses"]
    live["status"]["phase"] = "Pending"
    live["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
    live["spec"]["runtimeClassName"] = "gone"
    there = [CLASS, TEMPLATE, node("node-a"), gpus("node-a", 1), runtime_class("uid-1"), json.dumps(live)]

    [question] = folder.ask("--pending", "--inventory", folder.write("inventory.yaml", *there))["questions"]

    assert question["fits"] == ["node-a"]
