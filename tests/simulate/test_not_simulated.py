"""What is not simulated decides nothing; groups and preemption are simulated where everything is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.simulate.test_admission import priority_class
from tests.simulate.test_cluster_as_it_is import ask, node, running, workload
from tests.simulate.test_command import POD, TEMPLATE, Folder, gpus

pytestmark = pytest.mark.slow  # each question starts a simulation of its own

VOLUME = "  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n"
GROUPS = ("--feature-gates", "GenericWorkload=true")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


# The verdict


def test_a_pod_with_volumes_is_not_decided(folder: Folder) -> None:
    [question] = ask(folder, [gpus("node-a", 1)], [TEMPLATE, POD + VOLUME], status=4)

    assert (question["answer"], question["fits"]) == ("undecided", ["node-a"])
    assert question["notSimulated"] == ["volumes of persistent volume claims"]
    assert question["undecided"] == "volumes of persistent volume claims (not simulated)"


def test_the_text_says_what_is_not_simulated(folder: Folder) -> None:
    inventory = folder.write("inventory.yaml", gpus("node-a", 1))
    result = folder.run(folder.write("pod.yaml", TEMPLATE, POD + VOLUME), "--sequence", "--inventory", inventory)

    assert result.stdout.splitlines()[0].endswith(": is not tried on any node")  # there is no class
    ask(folder, [gpus("node-a", 1)], [TEMPLATE, POD + VOLUME], status=4)
    result = folder.run(str(folder.path / "pod.yaml"), "--sequence", "--inventory", inventory)
    assert result.exit_code == 4
    assert result.stdout.splitlines()[0] == (
        "pod team/worker (claim worker-gpu), Kubernetes 1.37: not decided: volumes of persistent volume claims"
        " (not simulated)"
    )


def test_what_certainly_fails_is_told_all_the_same(folder: Folder) -> None:
    [question] = ask(folder, [gpus("node-a", 0)], [TEMPLATE, POD + VOLUME], status=1)

    assert (question["answer"], question["notSimulated"]) == ("none", ["volumes of persistent volume claims"])


def test_a_failure_beats_what_is_not_decided(folder: Folder) -> None:
    other = POD.replace("worker", "other")

    one, two = ask(folder, [gpus("node-a", 1)], [TEMPLATE, POD + VOLUME, other], "--sequence", status=1)

    assert (one["answer"], two["answer"]) == ("undecided", "none")


def test_the_pods_of_a_workload_are_not_decided(folder: Folder) -> None:
    volumes = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
    many = workload("Deployment", {"replicas": 2}, volumes)

    [question] = ask(folder, [gpus("node-a", 2)], [TEMPLATE, many], status=4)

    assert (question["answer"], question["replicas"]["missing"]) == ("undecided", 0)


def test_another_scheduler_that_is_at_work_decides_itself(folder: Folder) -> None:
    live = [json.loads(text) for text in running("old", "node-a", "gpu-0")]
    live[0]["spec"]["schedulerName"] = "volcano"
    there = [node("node-a"), gpus("node-a", 2), *map(json.dumps, live)]

    [question] = ask(folder, there, [TEMPLATE, POD + "  schedulerName: volcano\n"], status=4)

    assert question["undecided"] == "the scheduler volcano (here as the default one) (not simulated)"


# Groups


def group(least: int | None, **spec: Any) -> str:
    policy = {"basic": {}} if least is None else {"gang": {"minCount": least}}
    metadata = {"name": "ring", "namespace": "team"}
    body = {"schedulingPolicy": policy, **spec}
    return json.dumps(
        {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": metadata, "spec": body}
    )


def members(number: int) -> list[str]:
    return [POD.replace("worker", f"worker-{n}") + "  schedulingGroup: {podGroupName: ring}\n" for n in range(number)]


@pytest.mark.parametrize(("devices", "answers"), [(3, ["all", "all", "all"]), (2, ["waits"] * 3)])
def test_a_gang_is_placed_as_a_whole_or_not_at_all(folder: Folder, devices: int, answers: list[str]) -> None:
    questions = ask(
        folder,
        [node("node-a"), gpus("node-a", devices)],
        [group(3), TEMPLATE, *members(3)],
        "--sequence",
        *GROUPS,
        status=0 if devices == 3 else 1,
    )

    assert [question["answer"] for question in questions] == answers
    if devices == 2:
        assert questions[0]["state"] == "its PodGroup ring wants 3 Pods at once, and 2 fit"


@pytest.mark.parametrize(("gangs", "answers", "status"), [(True, ["waits"] * 3, 1), (False, ["all", "all", "none"], 1)])
def test_up_to_1_36_gangs_have_a_gate_of_their_own(
    folder: Folder, gangs: bool, answers: list[str], status: int
) -> None:
    old = group(3).replace("v1beta1", "v1alpha2")
    gates = "GenericWorkload=true" + ",GangScheduling=true" * gangs
    options = ("--sequence", "--kubernetes-version", "1.36", "--feature-gates", gates)
    there = [node("node-a"), gpus("node-a", 2)]

    questions = ask(folder, there, [old, TEMPLATE, *members(3)], *options, status=status)

    assert [question["answer"] for question in questions] == answers


def test_a_gang_that_waits_leaves_its_devices_to_others(folder: Folder) -> None:
    questions = ask(
        folder,
        [node("node-a"), gpus("node-a", 2)],
        [group(3), TEMPLATE, *members(3), POD],
        "--sequence",
        *GROUPS,
        status=1,
    )

    assert questions[3]["placed"] == "node-a"


def test_a_member_alone_does_not_decide_for_its_gang(folder: Folder) -> None:
    questions = ask(folder, [node("node-a"), gpus("node-a", 2)], [group(2), TEMPLATE, *members(2)], *GROUPS, status=4)

    assert questions[0]["undecided"] == ("the other Pods of the PodGroup ring, which wants 2 at once (not simulated)")


@pytest.mark.parametrize(
    ("groups", "status", "said"),
    [
        ([group(None)], 0, None),
        ([], 4, "the PodGroup ring, which is not in the inventory (not simulated)"),
        ([group(1, resourceClaims=[{"name": "gpu"}])], 4, "claims of the PodGroup ring (not simulated)"),
        ([group(1, schedulingConstraints={})], 0, None),
        (
            [group(1, schedulingConstraints={"topology": [{"key": "rack"}]})],
            4,
            "scheduling constraints of the PodGroup ring (not simulated)",
        ),
    ],
)
def test_what_a_group_demands_beside_a_number(folder: Folder, groups: list[str], status: int, said: str | None) -> None:
    there = [node("node-a"), gpus("node-a", 2)]

    [question] = ask(folder, there, [*groups, TEMPLATE, *members(1)], "--sequence", *GROUPS, status=status)

    assert question.get("undecided") == said
    # The API server drops the group of a Pod where the gate is off.
    assert ask(folder, there, [*groups, TEMPLATE, *members(1)], "--sequence")[0]["answer"] == "all"


def test_a_claim_of_the_group_may_let_a_pod_run_that_seems_not_to_fit(folder: Folder) -> None:
    shared = group(1, resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "one"}])

    one, two = ask(
        folder, [node("node-a"), gpus("node-a", 1)], [shared, TEMPLATE, *members(2)], "--sequence", *GROUPS, status=4
    )

    assert (one["answer"], two["answer"], two["fits"]) == ("undecided", "undecided", [])


# Preemption


def user(name: str, priority: int, cpu: str = "1", on: str = "node-a") -> str:
    container = {"name": "main", "image": "app", "resources": {"requests": {"cpu": cpu}}}
    metadata = {"name": name, "namespace": "team", "uid": name}
    spec = {"nodeName": on, "containers": [container], "priority": priority}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})


WANTS_CPU = POD.replace("{claims:", "{requests: {cpu: 1}, claims:")
URGENT = WANTS_CPU + "  priorityClassName: urgent\n"


def test_the_least_important_pods_end_for_an_urgent_one(folder: Folder) -> None:
    there = [node("node-a", cpu="2"), gpus("node-a", 1), user("low", 1), user("middle", 5)]

    [question] = ask(folder, [*there, priority_class("urgent", 1000)], [TEMPLATE, URGENT])

    assert (question["answer"], question["fits"]) == ("all", ["node-a"])
    assert question["fates"]["node-a"] == {
        "kind": "note",
        "text": "placed when these Pods of a lower priority have ended: team/low",
    }


def test_no_pod_ends_where_another_node_has_room(folder: Folder) -> None:
    there = [node("node-a", cpu="1"), node("node-b", cpu="1"), gpus("node-a", 1), gpus("node-b", 1), user("low", 1)]

    [question] = ask(folder, [*there, priority_class("urgent", 1000)], [TEMPLATE, URGENT], "--sequence")

    assert (question["placed"], question["fits"]) == ("node-b", ["node-b"])


def test_pods_of_the_lowest_priority_end(folder: Folder) -> None:
    there = [node("node-a", cpu="1"), node("node-b", cpu="1"), gpus("node-a", 1), gpus("node-b", 1)]
    there += [user("middle", 5), user("low", 1, on="node-b")]

    [question] = ask(folder, [*there, priority_class("urgent", 1000)], [TEMPLATE, URGENT], "--sequence")

    assert question["placed"] == "node-b"


@pytest.mark.parametrize(
    ("value", "policy", "status"), [(5, "PreemptLowerPriority", 1), (1000, "Never", 1), (6, "PreemptLowerPriority", 0)]
)
def test_a_pod_ends_only_pods_of_a_lower_priority(folder: Folder, value: int, policy: str, status: int) -> None:
    there = [node("node-a", cpu="1"), gpus("node-a", 1), user("old", 5)]
    urgent = priority_class("urgent", value, preemptionPolicy=policy)

    [question] = ask(folder, [*there, urgent], [TEMPLATE, URGENT], status=status)

    if status:
        assert question["nodes"][0]["reasons"] == ["Insufficient cpu"]


def test_a_default_priority_class_preempts_too(folder: Folder) -> None:
    there = [node("node-a", cpu="1"), gpus("node-a", 1), user("old", 5)]

    assert ask(folder, [*there, priority_class("usual", 9, globalDefault=True)], [TEMPLATE, WANTS_CPU])[0]["fits"]
    ask(folder, there, [TEMPLATE, WANTS_CPU], status=1)
