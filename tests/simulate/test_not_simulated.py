"""What is not simulated decides nothing; preemption is simulated where everything is known."""

from __future__ import annotations

import json

import pytest

from tests.objects import item
from tests.simulate.test_admission import priority_class
from tests.simulate.test_cluster_as_it_is import ask, node, running, workload
from tests.simulate.test_command import CLASS, POD, TEMPLATE, Folder, gpus

pytestmark = pytest.mark.slow  # each question starts a simulation of its own

VOLUME = "  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n"


# The verdict


def test_a_pod_with_volumes_is_not_decided(folder: Folder) -> None:
    [question] = ask(folder, [gpus("node-a", 1)], [TEMPLATE, POD + VOLUME], status=4)

    assert (question["answer"], question["fits"]) == ("undecided", ["node-a"])
    assert question["notSimulated"] == ["volumes of persistent volume claims"]
    assert question["undecided"] == "volumes of persistent volume claims (not simulated)"


def test_the_text_says_what_is_not_simulated(folder: Folder) -> None:
    inventory = folder.write("inventory.yaml", CLASS, gpus("node-a", 1))
    result = folder.run(folder.write("pod.yaml", TEMPLATE, POD + VOLUME), "--sequence", "--inventory", inventory)

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


# Preemption


def user(name: str, priority: int, cpu: str = "1", on: str = "node-a") -> str:
    container = {"name": "main", "image": "app", "resources": {"requests": {"cpu": cpu}}}
    spec = {"nodeName": on, "containers": [container], "priority": priority}
    return json.dumps(item("Pod", name, "team", metadata={"uid": name}, spec=spec))


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
