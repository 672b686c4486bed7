"""`dralint simulate` answers for the cluster of the inventory: what runs there, what is left, and what stays."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import objects
from tests.objects import item
from tests.simulate import rolling
from tests.simulate.test_command import CLASS, POD, TEMPLATE, Folder, gpus

pytestmark = pytest.mark.slow  # each question starts a simulation of its own


def node(name: str, spec: dict[str, Any] | None = None, **allocatable: str) -> str:
    return json.dumps(objects.node(name, spec or {}, allocatable=allocatable))


def workload(kind: str, spec: dict[str, Any], pod: dict[str, Any] | None = None) -> str:
    return json.dumps(rolling.workload(kind, spec, {**rolling.pod_spec("app"), **(pod or {})}))


def running(name: str, on: str, device: str, *, owner: dict[str, Any] | None = None, image: str = "app") -> list[str]:
    """Return a Pod that runs, and the claim that was generated for it."""
    of = rolling.workload("ReplicaSet", {}, rolling.pod_spec(image))
    pod, claim = rolling.running(of, name, on, device, owned=False, device_class="gpu", time="2026-01-01T00:00:00Z")
    if owner is not None:
        pod["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
        pod["metadata"]["labels"]["pod-template-hash"] = "5d97"
    return [json.dumps(pod), json.dumps(claim)]


OF_WEB = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-5d97", "uid": "rs"}


def ask(folder: Folder, there: list[str], manifests: list[str], *args: str, status: int = 0) -> list[dict[str, Any]]:
    inventory = folder.write("inventory.yaml", CLASS, *there)
    questions: list[dict[str, Any]] = folder.ask(
        folder.write("manifests.yaml", *manifests), "--inventory", inventory, *args, status=status
    )["questions"]
    return questions


# Applying


def test_an_applied_claim_keeps_the_devices_of_the_live_one(folder: Folder) -> None:
    live = running("old", "node-a", "gpu-0")
    claim = json.loads(live[1])
    again = {**claim, "metadata": {"name": claim["metadata"]["name"], "namespace": "team"}}
    del again["status"]

    [other] = ask(
        folder,
        [node("node-a"), gpus("node-a", 1), *live],
        [json.dumps(again), TEMPLATE, POD],
        "--pod",
        "worker",
        status=1,
    )

    assert other["nodes"][0]["why"]["nearest"]["lacks"] == [{"kind": "inUse", "text": "in use by claim team/old-gpu-x"}]


def test_a_changed_claim_is_refused_with_the_field(folder: Folder) -> None:
    claim = json.loads(running("old", "node-a", "gpu-0")[1])
    inventory = folder.write("inventory.yaml", CLASS, gpus("node-a", 2), json.dumps(claim))
    spec = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu", "count": 2}}]}}
    metadata = {"name": claim["metadata"]["name"], "namespace": "team"}
    changed = folder.write("claim.yaml", json.dumps({**claim, "metadata": metadata, "spec": spec, "status": {}}))

    result = folder.run(changed, "--inventory", inventory)

    assert result.exit_code == 1
    assert "spec of a ResourceClaim cannot be changed: spec.devices.requests[0].exactly.count" in result.stdout
    assert "not simulated: the API server would refuse the objects above" in result.stderr


def test_nothing_is_created_in_a_namespace_that_ends(folder: Folder) -> None:
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\nstatus: {phase: Terminating}\n"

    questions = ask(folder, [gpus("node-a", 1), namespace], [TEMPLATE, POD], status=1)

    assert [q["id"] for q in questions] == ["resourceclaimtemplate team/one", "pod team/worker"]
    assert {q["refused"] for q in questions} == {
        "unable to create new content in namespace team because it is being terminated"
    }


@pytest.mark.parametrize("label", ["true", "false", None])
def test_the_label_of_the_live_namespace_decides_admin_access(folder: Folder, label: str | None) -> None:
    labels = {} if label is None else {"resource.kubernetes.io/admin-access": label}
    namespace = item("Namespace", "team", metadata={"labels": labels})
    admin = TEMPLATE.replace("deviceClassName: gpu", "deviceClassName: gpu, adminAccess: true")

    questions = ask(
        folder, [gpus("node-a", 1), json.dumps(namespace)], [admin, POD], status=0 if label == "true" else 1
    )

    assert (questions[0]["refused"] is None) is (label == "true")


def test_an_inventory_without_classes_has_those_of_the_charts_of_its_drivers(folder: Folder) -> None:
    slices = gpus("node-a", 1, attributes={"type": {"string": "gpu"}}).replace("gpu.example.com", "gpu.nvidia.com")
    container = {"name": "main", "image": "app", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    pod = item("Pod", "one", spec={"containers": [container]})
    inventory = folder.write("inventory.yaml", node("node-a", pods="9"), slices)

    shown = folder.run(folder.write("pod.yaml", json.dumps(pod)), "--inventory", inventory)

    assert "<extended-resources>/container-0-request-0: gpu-0 (node-a)" in shown.stdout
    assert "note: the inventory has no DeviceClasses; dralint uses those of the chart of gpu.nvidia.com" in shown.stdout
    assert shown.stdout.endswith(": gpu.nvidia.com, mig.nvidia.com, vfio.gpu.nvidia.com\n")
    own = folder.write("own.yaml", CLASS.replace("name: gpu", "name: gpu.nvidia.com"))
    brought = folder.run(str(folder.path / "pod.yaml"), own, "--inventory", inventory)
    assert brought.stdout.endswith(": mig.nvidia.com, vfio.gpu.nvidia.com\n")
    with_class = folder.run(
        str(folder.path / "pod.yaml"), "--inventory", inventory, "--inventory", folder.write("c", CLASS)
    )
    assert "no class offers nvidia.com/gpu, and the node has none" in with_class.stdout


# Workloads


@pytest.mark.parametrize(
    ("kind", "spec", "wanted"),
    [
        ("Job", {"parallelism": 5, "completions": 2}, 2),
        ("Job", {"parallelism": 3}, 3),
        ("StatefulSet", {"replicas": 3, "serviceName": "web"}, 3),
    ],
)
def test_how_many_pods_a_workload_wants(folder: Folder, kind: str, spec: dict[str, Any], wanted: int) -> None:
    [question] = ask(folder, [gpus("node-a", 8)], [TEMPLATE, workload(kind, spec)])

    assert question["replicas"]["placed"] == {"node-a": wanted}


@pytest.mark.parametrize(
    ("kind", "spec", "why"),
    [
        ("Job", {"parallelism": 5, "suspend": True}, "makes no Pod: it is suspended"),
        ("Deployment", {"replicas": 0}, "makes no Pod: it has 0 replicas"),
        ("Deployment", {"paused": True}, "makes no Pod: it is paused"),
    ],
)
def test_a_workload_without_pods_takes_nothing(folder: Folder, kind: str, spec: dict[str, Any], why: str) -> None:
    [question] = ask(folder, [node("node-a")], [TEMPLATE, workload(kind, spec)])

    assert (question["answer"], question["state"]) == ("all", why)


def test_a_daemon_set_makes_a_pod_for_each_node_that_it_selects(folder: Folder) -> None:
    there = [node("node-a"), node("node-b"), node("node-c", {"taints": [{"key": "x", "effect": "NoSchedule"}]})]
    there += [gpus("node-a", 1)]

    [question] = ask(folder, there, [TEMPLATE, workload("DaemonSet", {})], status=1)
    [selected] = ask(
        folder, there, [TEMPLATE, workload("DaemonSet", {}, {"nodeSelector": {"kubernetes.io/hostname": "node-a"}})]
    )

    assert question["replicas"]["wanted"] == 2
    assert question["replicas"]["placed"] == {"node-a": 1}
    assert question["event"] == (
        "0/3 nodes are available: 1 cannot allocate all claims, 1 node(s) didn't satisfy plugin(s) [NodeAffinity], "
        "1 node(s) had untolerated taint(s)."
    )
    assert selected["answer"] == "all"


def test_a_pod_of_a_daemon_set_that_does_not_fit_keeps_no_other_back(folder: Folder) -> None:
    there = [node(name) for name in ("node-a", "node-b", "node-c")]
    there += [gpus("node-b", 1), gpus("node-c", 1)]
    inventory = folder.write("inventory.yaml", CLASS, *there)

    result = folder.run(folder.write("all.yaml", TEMPLATE, workload("DaemonSet", {})), "--inventory", inventory)

    assert result.exit_code == 1
    assert "Kubernetes 1.37: 2 of 3 Pods fit\n  1 on node-b and node-c\n" in result.stdout
    assert "\nnode    fits  devices\nnode-a  no    web-gpu/gpu: the node has no devices\n" in result.stdout


def test_pods_that_only_go_leave_their_devices_to_those_before_them(folder: Folder) -> None:
    there = [node("node-a"), gpus("node-a", 1), TEMPLATE, *running("web-5d97-x", "node-a", "gpu-0", owner=OF_WEB)]
    there.append(workload("Deployment", {"replicas": 1}))

    worker, web = ask(folder, there, [POD, workload("Deployment", {"replicas": 0})], "--sequence")

    assert worker["placed"] == "node-a"
    assert web["state"] == "makes no Pod: it has 0 replicas"


def test_what_runs_already_is_not_asked_for_again(folder: Folder) -> None:
    there = [node("node-a"), gpus("node-a", 2), *running("web-5d97-x", "node-a", "gpu-0", owner=OF_WEB)]

    [same] = ask(folder, there, [TEMPLATE, workload("Deployment", {"replicas": 1})])
    [more] = ask(folder, there, [TEMPLATE, workload("Deployment", {"replicas": 2})])
    [most] = ask(folder, there, [TEMPLATE, workload("Deployment", {"replicas": 3})], status=1)

    assert same["state"] == "runs already"
    assert more["replicas"] == {"wanted": 2, "running": 1, "placed": {"node-a": 1}, "ended": 0, "missing": 0}
    assert most["replicas"]["missing"] == 1


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"])
@pytest.mark.parametrize("devices", [0, 1])
def test_a_pod_that_has_no_node_yet_does_not_run(folder: Folder, kind: str, devices: int) -> None:
    owner = {"apiVersion": "v1", "kind": kind, "name": "web", "uid": "web"}
    pod, claim = map(json.loads, running("web-0", "node-a", "gpu-0", owner=OF_WEB if kind == "Deployment" else owner))
    del pod["spec"]["nodeName"], claim["status"]
    pod["status"]["phase"] = "Pending"
    there = [node("node-a"), gpus("node-a", devices), TEMPLATE, json.dumps(pod), json.dumps(claim)]
    counted = {"count/resourceclaims.resource.k8s.io": "1"}
    spec = {} if kind in ("DaemonSet", "Job") else {"replicas": 1}
    same = workload(kind, spec)

    [question] = ask(folder, [*there, same, quota(counted, counted)], [same], status=1 - devices)

    assert (question["answer"], question.get("state")) == ("all" if devices else "none", None)
    assert question["refused"] is None


@pytest.mark.parametrize(
    ("strategy", "devices", "fits"),
    [
        ({"type": "Recreate"}, 1, True),
        ({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}, 1, False),
        ({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}, 2, True),
        ({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}, 1, True),
        ({}, 1, False),
    ],
)
def test_a_rolling_update_needs_room_for_its_surge(
    folder: Folder, strategy: dict[str, Any], devices: int, fits: bool
) -> None:
    live = running("web-5d97-x", "node-a", "gpu-0", owner=OF_WEB, image="older")
    there = [node("node-a"), gpus("node-a", devices), *live]
    manifests = [TEMPLATE, workload("Deployment", {"replicas": 1, "strategy": strategy})]

    [question] = ask(folder, there, manifests, status=0 if fits else 1)

    assert question["replicas"]["missing"] == (not fits)


# Nodes


@pytest.mark.parametrize(
    ("spec", "pod", "reason"),
    [
        ({"unschedulable": True}, "", "node(s) were unschedulable"),
        ({"taints": [{"key": "gpu", "effect": "NoSchedule"}]}, "", "node(s) had untolerated taint(s)"),
        ({"taints": [{"key": "gpu", "effect": "PreferNoSchedule"}]}, "", ""),
        ({"taints": [{"key": "gpu", "effect": "NoSchedule"}]}, "  tolerations: [{operator: Exists}]\n", ""),
        ({}, "  containers: [{name: main, image: app, resources: {requests: {cpu: 3}}}]\n", "Insufficient cpu"),
        ({}, "  containers: [{name: main, image: app, resources: {requests: {cpu: 2}}}]\n", ""),
        ({}, "  containers: [{name: main, image: app, resources: {limits: {memory: 3Gi}}}]\n", "Insufficient memory"),
        ({}, "  runtimeClassName: kata\n  overhead: {cpu: 2500m}\n", "Insufficient cpu"),
    ],
)
def test_a_node_takes_a_pod_or_says_why_not(folder: Folder, spec: dict[str, Any], pod: str, reason: str) -> None:
    manifest = POD.replace("  containers: [{name: main, image: app, resources: {claims: [{name: gpu}]}}]\n", pod)
    manifest += "" if "containers" in pod else "  containers: [{name: main, image: app}]\n"

    [question] = ask(
        folder,
        [node("node-a", spec, cpu="2", memory="2Gi", pods="2"), gpus("node-a", 1)],
        [TEMPLATE, manifest],
        status=1 if reason else 0,
    )

    assert question["nodes"][0]["reasons"] == ([reason] if reason else [])


def test_what_runs_counts_against_the_node(folder: Folder) -> None:
    there = [node("node-a", pods="1"), gpus("node-a", 2), *running("old", "node-a", "gpu-0")]

    [question] = ask(folder, there, [TEMPLATE, POD], status=1)

    assert question["nodes"][0]["reasons"] == ["Too many pods"]
    assert question["nodes"][0]["sentence"] == "the node allows 1 Pod, and has as many; its devices would do"


def test_a_pod_of_higher_priority_takes_the_place_of_others_but_not_their_devices(folder: Folder) -> None:
    there = [node("node-a", pods="1"), *running("old", "node-a", "gpu-0")]
    urgent = POD + "  priorityClassName: urgent\n"

    [fits] = ask(folder, [*there, gpus("node-a", 2)], [TEMPLATE, urgent], status=4)
    [full] = ask(folder, [*there, gpus("node-a", 1)], [TEMPLATE, urgent], status=1)

    assert fits["undecided"] == "preemption by a PriorityClass that is not in the inventory (not simulated)"
    assert full["nodes"][0]["reasons"] == ["Too many pods"]


def test_a_device_plugin_has_no_more_than_is_left(folder: Folder) -> None:
    user = json.loads(running("old", "node-a", "gpu-0")[0])
    del user["spec"]["resourceClaims"], user["status"]["resourceClaimStatuses"]
    user["spec"]["containers"][0]["resources"] = {"limits": {"example.com/gpu": "2"}}
    there = [node("node-a", None, **{"example.com/gpu": "3"}), json.dumps(user)]
    pod = POD.replace("  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]\n", "")
    asks = [pod.replace("{claims: [{name: gpu}]}", f"{{limits: {{example.com/gpu: {n}}}}}") for n in (1, 2)]

    assert ask(folder, there, [asks[0]])[0]["answer"] == "all"
    assert ask(folder, there, [asks[1]], status=1)[0]["nodes"][0]["reasons"] == ["Insufficient example.com/gpu"]


def test_a_resource_that_nobody_has_keeps_a_pod_waiting(folder: Folder) -> None:
    offered = CLASS.replace("name: gpu", "name: offered").replace(
        "spec: {", "spec: {extendedResourceName: example.com/gpu, "
    )
    pod = POD.replace("  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]\n", "")
    pod = pod.replace("{claims: [{name: gpu}]}", "{limits: {example.com/gpus: 1}}")

    [question] = ask(folder, [node("node-a", cpu="1"), gpus("node-a", 1), offered], [pod], status=1)

    assert question["nodes"][0]["sentence"] == (
        'no class offers example.com/gpus, and the node has none; did you mean "example.com/gpu"?'
    )


def test_a_class_that_is_applied_is_the_newest_for_a_resource(folder: Folder) -> None:
    other = CLASS.replace("name: gpu", "name: aaa").replace("spec: {", "spec: {extendedResourceName: x.com/acc, ")
    other = other.replace("name: aaa", "name: aaa, creationTimestamp: '2026-01-01T00:00:00Z'").replace(
        "gpu.example", "no.example"
    )
    newer = CLASS.replace("name: gpu", "name: zzz").replace("spec: {", "spec: {extendedResourceName: x.com/acc, ")
    pod = POD.replace("  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]\n", "")
    pod = pod.replace("{claims: [{name: gpu}]}", "{limits: {x.com/acc: 1}}")

    assert ask(folder, [gpus("node-a", 1), other], [newer, pod])[0]["answer"] == "all"
    assert ask(folder, [gpus("node-a", 1), other], [pod], status=1)[0]["answer"] == "none"


def test_pods_that_must_be_spread_or_apart_find_no_second_node(folder: Folder) -> None:
    there = [node("node-a"), node("node-b"), gpus("node-a", 2)]
    selector = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
    spread = {"topologySpreadConstraints": [{"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", **selector}]}
    apart = {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [selector]}}}

    for pod, reason in (
        (spread, "node(s) didn't match pod topology spread constraints"),
        (apart, "node(s) didn't match pod anti-affinity rules"),
    ):
        [question] = ask(folder, there, [TEMPLATE, workload("Deployment", {"replicas": 2}, pod)], status=1)
        assert question["replicas"]["placed"] == {"node-a": 1}
        assert question["nodes"][0]["reasons"] == [reason]


# Quotas


def quota(hard: dict[str, str], used: dict[str, str] | None = None) -> str:
    status = {} if used is None else {"status": {"hard": hard, "used": used}}
    return json.dumps(objects.quota("q", "team", hard, **status))


DEVICES = "gpu.deviceclass.resource.k8s.io/devices"


@pytest.mark.parametrize(
    ("hard", "used", "left"),
    [
        ({DEVICES: "2"}, {DEVICES: "0"}, 2),
        ({DEVICES: "2"}, {DEVICES: "1"}, 1),
        ({DEVICES: "2"}, None, 2),
        ({"count/resourceclaims.resource.k8s.io": "1"}, {"count/resourceclaims.resource.k8s.io": "0"}, 1),
        ({"pods": "2"}, {"pods": "0"}, 2),
        ({"requests.cpu": "2"}, {"requests.cpu": "0"}, 8),
    ],
)
def test_a_quota_stops_the_next_pod(
    folder: Folder, hard: dict[str, str], used: dict[str, str] | None, left: int
) -> None:
    there = [gpus("node-a", 8), quota(hard, used)]

    ask(folder, there, [TEMPLATE, workload("Deployment", {"replicas": left})])
    [more] = ask(folder, there, [TEMPLATE, workload("Deployment", {"replicas": left + 1})], status=1)

    assert more["replicas"]["missing"] == 1


def test_how_many_more_ends_at_the_quota(folder: Folder) -> None:
    inventory = folder.write("inventory.yaml", CLASS, gpus("node-a", 8), quota({DEVICES: "2"}))

    result = folder.run(folder.write("pod.yaml", TEMPLATE, POD), "--inventory", inventory, "--how-many")

    quota_left = f"quota q: 2 of 2 {DEVICES} left"
    said = f"2 more Pods like this one fit\n  2 on node-a\n  {quota_left}\n  then: the API server refuses the claim"
    assert said in result.stdout


def test_a_claim_over_the_quota_is_refused_by_the_server(folder: Folder) -> None:
    claim = json.loads(running("old", "node-a", "gpu-0")[1])
    claim = {**claim, "metadata": {"name": "two", "namespace": "team"}}
    del claim["status"]

    questions = ask(folder, [gpus("node-a", 2), quota({DEVICES: "0"}, {DEVICES: "0"})], [json.dumps(claim)], status=1)

    assert (
        questions[0]["refused"] == f"exceeded quota: q, requested: {DEVICES}=1, used: {DEVICES}=0, limited: {DEVICES}=0"
    )


# Staying


def tainted(seconds_ago: int = 0) -> str:
    taint = {"key": "x/bad", "effect": "NoExecute", "timeAdded": f"2026-01-01T00:{59 - seconds_ago // 60:02}:00Z"}
    return gpus("node-a", 1, taints=[taint])


def taint_rule(selector: str, version: str = "v1") -> str:
    taint = "{key: m, effect: NoExecute}"
    head = f"apiVersion: resource.k8s.io/{version}\nkind: DeviceTaintRule\nmetadata: {{name: maintenance}}\n"
    return f"{head}spec: {{deviceSelector: {selector}, taint: {taint}}}\n"


def tolerating(text: str) -> str:
    return TEMPLATE.replace("deviceClassName: gpu", f"deviceClassName: gpu, tolerations: [{text}]")


MARK = json.dumps(item("Namespace", "n", metadata={"creationTimestamp": "2026-01-01T00:59:00Z"}))


@pytest.mark.parametrize(
    ("tolerations", "answer", "text"),
    [
        ("{operator: Exists}", "evicted", "evicted at once"),
        ("{key: x/bad, operator: Exists}", "evicted", "evicted at once"),
        ("{operator: Exists, effect: NoExecute}", "all", ""),
        ("{operator: Exists, effect: NoExecute, tolerationSeconds: 5}", "evicted", "evicted after 5 s"),
        ("{operator: Exists, effect: NoExecute, tolerationSeconds: 600}", "all", "evicted after 10 min"),
        ("{operator: Exists, effect: NoExecute, tolerationSeconds: 5}, {operator: Exists}", "evicted", "after 5 s"),
        (
            "{operator: Exists, effect: NoExecute, tolerationSeconds: 5}, {operator: Exists, effect: NoExecute}",
            "all",
            "",
        ),
    ],
)
def test_a_toleration_keeps_a_pod_only_with_the_effect_itself(
    folder: Folder, tolerations: str, answer: str, text: str
) -> None:
    [question] = ask(folder, [tainted(), MARK], [tolerating(tolerations), POD], status=1 if answer == "evicted" else 0)

    assert question["answer"] == answer
    assert text in question.get("fates", {"node-a": {"text": ""}})["node-a"]["text"]


def test_seconds_count_from_when_the_taint_was_added(folder: Folder) -> None:
    toleration = "{operator: Exists, effect: NoExecute, tolerationSeconds: 300}"

    [question] = ask(folder, [tainted(600), MARK], [tolerating(toleration), POD], status=1)

    assert question["fates"]["node-a"]["text"].startswith("evicted at once")


def test_a_rule_ends_the_pods_that_use_its_devices(folder: Folder) -> None:
    rule = taint_rule("{driver: gpu.example.com, pool: node-a, device: gpu-0}", "v1beta2")
    there = [gpus("node-a", 2), *running("one", "node-a", "gpu-0"), *running("two", "node-a", "gpu-1")]

    questions = ask(folder, there, [rule], "--feature-gates", "DRADeviceTaintRules=true", status=1)

    assert [(q["id"], q["answer"]) for q in questions] == [("pod team/one", "evicted")]
    assert questions[0]["state"] == (
        "evicted at once: gpu.example.com/node-a/gpu-0 has the taint m:NoExecute of the DeviceTaintRule maintenance"
    )
    inventory = folder.write("all.yaml", CLASS, *there, rule)
    shown = folder.run("--inventory", inventory, "--evict", "--feature-gates", "DRADeviceTaintRules=true")
    assert shown.stdout.startswith("pod team/one, Kubernetes 1.37: is evicted at once")


DRAIN = {"key": "maintenance", "effect": "NoExecute", "timeAdded": "2026-01-01T00:00:00Z"}


def on_node(name: str, *tolerations: dict[str, Any]) -> str:
    spec = {"nodeName": "node-a", "containers": [{"name": "main", "image": "app"}], "tolerations": [*tolerations]}
    return json.dumps(item("Pod", name, "team", metadata={"creationTimestamp": "2026-01-01T00:01:00Z"}, spec=spec))


def test_the_taint_of_a_node_ends_the_pods_that_do_not_tolerate_it(folder: Folder) -> None:
    for_a_while = {"key": "maintenance", "operator": "Exists", "tolerationSeconds": 360}
    pods = [on_node("none"), on_node("other"), on_node("while", for_a_while), on_node("all", {"operator": "Exists"})]
    inventory = folder.write("inventory.yaml", CLASS, node("node-a", {"taints": [DRAIN]}), *pods)

    shown = folder.run("--inventory", inventory, "--evict")

    assert shown.stdout == (
        "2 pods team/none, team/other, Kubernetes 1.37: are evicted at once: each runs on a node with the taint "
        "maintenance:NoExecute\n\npod team/while, Kubernetes 1.37: is evicted after 5 min: its node node-a has the "
        "taint maintenance:NoExecute\n"
    )


def test_a_node_with_a_new_taint_reports_the_pods_that_it_ends(folder: Folder) -> None:
    there = [node("node-a"), node("node-b"), gpus("node-b", 1), on_node("old")]

    pod, ended = ask(folder, there, [node("node-a", {"taints": [DRAIN]}), TEMPLATE, POD], status=1)
    [alone] = ask(folder, [node("node-a", {"taints": [DRAIN]}), *there[1:]], [TEMPLATE, POD])

    assert (pod["id"], ended["id"], ended["state"]) == (
        "pod team/worker",
        "pod team/old",
        "evicted at once: its node node-a has the taint maintenance:NoExecute",
    )
    assert alone["id"] == "pod team/worker"


def test_a_new_taint_of_a_node_is_not_said_of_pods_that_end_anyway_or_do_not_run(folder: Folder) -> None:
    there = [node("node-a"), *running("one", "node-a", "gpu-0")]
    broken = gpus("node-a", 1, taints=[{"key": "broken", "effect": "NoExecute"}])

    news = [node("node-a", {"taints": [DRAIN]}), on_node("new")]

    assert [q["id"] for q in ask(folder, [*there, gpus("node-a", 1)], news, status=1)] == ["pod team/one"]
    assert ask(folder, [*there, broken], news) == []


def test_a_newer_time_in_a_manifest_ends_no_pod_earlier(folder: Folder) -> None:
    taint = {"key": "slow", "effect": "NoExecute", "timeAdded": "2026-01-01T00:00:00Z"}
    pod, claim = map(json.loads, running("one", "node-a", "gpu-0"))
    [result] = claim["status"]["allocation"]["devices"]["results"]
    result["tolerations"] = [{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 6000}]
    there = [gpus("node-a", 1, taints=[taint]), json.dumps(pod), json.dumps(claim)]
    later = {**taint, "timeAdded": "2026-01-01T00:10:00Z"}

    assert ask(folder, there, [gpus("node-b", 1, taints=[later])]) == []


def test_the_time_of_a_taint_of_a_node_is_no_time_to_come(folder: Folder) -> None:
    later = {**DRAIN, "timeAdded": "2026-01-01T00:30:00Z"}
    inventory = folder.write("inventory.yaml", CLASS, node("node-a", {"taints": [later]}), on_node("none"))

    shown = folder.run("--inventory", inventory, "--evict")

    assert shown.stdout == (
        "pod team/none, Kubernetes 1.37: is evicted at once: its node node-a has the taint maintenance:NoExecute\n"
    )


def test_a_pod_that_tolerates_the_taint_of_its_node_for_a_while_does_not_stay(folder: Folder) -> None:
    there = [node("node-a", {"taints": [{**DRAIN, "timeAdded": None}]}), gpus("node-a", 1)]
    pod = json.loads(
        workload("Deployment", {"replicas": 1}, {"tolerations": [{"operator": "Exists", "tolerationSeconds": 5}]})
    )

    [question] = ask(folder, there, [TEMPLATE, json.dumps(pod)], status=1)

    assert question["fates"]["node-a"] == {
        "kind": "evicted",
        "text": "evicted after 5 s: its node node-a has the taint maintenance:NoExecute",
    }


def test_a_claim_without_a_time_takes_no_other_pod(folder: Folder) -> None:
    claim = json.loads(running("old", "node-a", "gpu-0")[1])
    claim["metadata"] = {"name": "shared", "namespace": "team"}
    pod = POD.replace("resourceClaimTemplateName: one", "resourceClaimName: shared")
    stamped = ask(folder, [gpus("node-a", 1), json.dumps(claim)], [pod])
    del claim["status"]["allocation"]["allocationTimestamp"]

    [question] = ask(folder, [gpus("node-a", 1), json.dumps(claim)], [pod], status=1)
    older = ask(folder, [gpus("node-a", 1), json.dumps(claim)], [pod], "--kubernetes-version", "1.35")

    assert (stamped[0]["answer"], question["answer"], older[0]["answer"]) == ("all", "error", "all")
    assert "field cannot be modified once set" in question["fates"]["node-a"]["text"]


def test_an_allocation_that_nobody_has_reserved_is_given_up(folder: Folder) -> None:
    claim = json.loads(running("old", "node-a", "gpu-0")[1])
    claim["metadata"] = {"name": "shared", "namespace": "team"}
    reserved = json.dumps(claim)
    del claim["status"]["reservedFor"]
    there = [node("node-a"), node("node-b"), gpus("node-a", 1), gpus("node-b", 1)]
    pod = POD.replace("resourceClaimTemplateName: one", "resourceClaimName: shared")
    pod += "  nodeSelector: {kubernetes.io/hostname: node-b}\n"

    [free] = ask(folder, [*there, json.dumps(claim)], [pod])
    [held] = ask(folder, [*there, reserved], [pod], status=1)

    assert (free["fits"], free["givenUp"]) == (["node-b"], ["team/shared"])
    assert held["fits"] == []


def test_a_pod_waits_for_binding_conditions_that_no_driver_has_set(folder: Folder) -> None:
    conditions = {"bindsToNode": True, "bindingConditions": ["x.io/ready"], "bindingFailureConditions": ["x.io/failed"]}
    claim = json.loads(running("old", "node-b", "gpu-0")[1])
    state = {"driver": "gpu.example.com", "pool": "node-b", "device": "gpu-0"}
    claim["status"]["devices"] = [{**state, "conditions": [{"type": "x.io/ready", "status": "True"}]}]

    [waits] = ask(folder, [gpus("node-a", 1, **conditions)], [TEMPLATE, POD], status=1)
    [known] = ask(folder, [gpus("node-a", 1, **conditions), json.dumps(claim)], [TEMPLATE, POD])

    assert (waits["answer"], known["answer"]) == ("waits", "all")
    assert "x.io/ready of gpu.example.com" in waits["fates"]["node-a"]["text"]


@pytest.mark.parametrize(
    ("spec", "state"),
    [
        ("  schedulingGates: [{name: x.io/wait}]\n", "its scheduling gates are removed (x.io/wait)"),
        ("  schedulerName: mine\n", "the scheduler mine, which has placed no Pod of the inventory"),
    ],
)
def test_a_pod_that_the_scheduler_leaves_alone_waits(folder: Folder, spec: str, state: str) -> None:
    [question] = ask(folder, [gpus("node-a", 1)], [TEMPLATE, POD + spec], status=1)

    assert question["answer"] == "waits"
    assert state in question["state"]


def test_manifests_without_pods_leave_nothing_to_decide(folder: Folder) -> None:
    result = folder.run(folder.write("class.yaml", CLASS), "--inventory", folder.write("i.yaml", gpus("node-a", 1)))

    assert result.exit_code == 0
    assert result.stdout == "nothing to decide: the manifests have no Pod with claims, no claim and no template\n"


def alike(node_name: str, groups: int, size: int) -> str:
    devices = [{"name": f"d{i}", "attributes": {"side": {"int": i % groups}}} for i in range(groups * size)]
    return json.dumps(objects.slice_of(objects.DRIVER, node_name, devices, name=f"{node_name}-gpus"))


@pytest.mark.parametrize(("groups", "size", "times_out"), [(7, 18, True), (1, 12, False)])
def test_a_search_without_end_on_one_node_keeps_a_pod_from_the_others(
    folder: Folder, groups: int, size: int, times_out: bool
) -> None:
    there = [node("node-a"), node("node-b"), alike("node-a", groups, size), alike("node-b", 1, size + 1)]
    alike_in = "constraints: [{matchAttribute: gpu.example.com/side}]"
    wanted = f"exactly: {{deviceClassName: gpu, count: {size + 1}}}}}], {alike_in}"
    template = TEMPLATE.replace("exactly: {deviceClassName: gpu}}]", wanted)

    [question] = ask(folder, there, [template, POD], status=1 if times_out else 0)

    assert question["fits"] == ["node-b"]
    said = 'running "DynamicResources" filter plugin: node node-a: timed out trying to allocate devices'
    assert question["error"] == (said if times_out else None)


# On the screen


def shown(folder: Folder, there: list[str], manifests: list[str], status: int = 1) -> list[str]:
    inventory = folder.write("inventory.yaml", CLASS, *there)
    result = folder.run(folder.write("manifests.yaml", *manifests), "--inventory", inventory)
    assert result.exit_code == status, result.output
    lines: list[str] = result.stdout.splitlines()
    return lines


def test_pods_that_one_taint_ends_share_a_line(folder: Folder) -> None:
    rule = taint_rule("{pool: node-a}")
    there = [gpus("node-a", 12)]
    for number in range(12):
        there += running(f"web-{number:02}", "node-a", f"gpu-{number}")

    [line] = shown(folder, there, [rule])

    assert line == (
        "12 pods team/web-00, team/web-01, team/web-02, team/web-03, team/web-04, team/web-05, team/web-06, "
        "team/web-07, team/web-08, team/web-09 and 2 more, Kubernetes 1.37: are evicted at once: each uses a device "
        "with the taint m:NoExecute of the DeviceTaintRule maintenance"
    )


def test_nodes_with_one_reason_share_a_row(folder: Folder) -> None:
    there = [gpus("node-00", 1), *(node(f"node-{number:02}") for number in range(25))]

    lines = shown(folder, there, [TEMPLATE, POD], status=0)

    assert [line.split("  ")[0] for line in lines[2:]] == ["node", "node-00", "node-01, node-02 and 22 more"]


def test_a_quota_does_not_hide_the_pods_that_run(folder: Folder) -> None:
    there = [gpus("node-a", 8), quota({DEVICES: "2"})]

    lines = shown(folder, there, [TEMPLATE, workload("Deployment", {"replicas": 3})])

    assert lines[0] == "deployment team/web, Kubernetes 1.37: 2 of 3 Pods fit, the next does not"


def test_the_nodes_that_do_not_fit_are_not_explained_where_the_pod_is_evicted(folder: Folder) -> None:
    taint = {"key": "x/bad", "effect": "NoExecute"}
    template = TEMPLATE.replace("gpu}}", "gpu, tolerations: [{operator: Exists}]}}")
    there = [gpus("node-a", 1, taints=[taint]), gpus("node-b", 0)]

    lines = shown(folder, there, [template, POD])

    assert lines[0].endswith("does not stay on node-a")
    assert not any(line.startswith("node-b:") for line in lines)


@pytest.mark.parametrize(
    ("version", "note"),
    [
        ("v1.37.1", None),
        ("v1.34.0-gke.1", None),
        (
            "v1.33.5",
            (
                "started by a kubelet 1.33, in which DynamicResourceAllocation is off by default: "
                "it may run without its devices"
            ),
        ),
        ("unknown", None),
    ],
)
def test_a_note_names_a_kubelet_that_is_too_old(folder: Folder, version: str, note: str | None) -> None:
    live = json.loads(node("node-a"))
    live["status"]["nodeInfo"] = {"kubeletVersion": version}

    [question] = ask(folder, [json.dumps(live), gpus("node-a", 2)], [TEMPLATE, workload("Deployment", {"replicas": 1})])

    assert question.get("fates", {}).get("node-a") == (None if note is None else {"kind": "note", "text": note})
