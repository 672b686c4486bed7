"""What a live workload becomes when a manifest is applied to it: its Pods go, others come, and devices change hands."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from dralint.simulate.faults import notes
from tests.objects import Item
from tests.simulate.made_cluster import made
from tests.simulate.rolling import (
    CLASS,
    RESOURCE,
    applied,
    node,
    placed,
    pod_alone,
    pod_spec,
    running,
    simulate,
    template,
    workload,
)


def rolled(kind: str, spec: Item, replicas: int, devices: int, *, order: Any = None, **pod: Any) -> tuple[Item, Item]:
    """Return a live workload of one node with all its Pods, and the answer for a new image of it."""
    live = workload(kind, spec, pod_spec(**pod))
    there = [CLASS, template(), *node("node-a", devices), live]
    for number, device in enumerate(order or range(replicas)):
        there += running(
            live, f"web-{number}" if kind == "StatefulSet" else f"web-5d97-{number}", "node-a", f"gpu-{device}"
        )
    return live, simulate(there, [workload(kind, spec, pod_spec("app:2", **pod))])["web"]


# Devices that are given back


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_devices_that_old_pods_give_back_are_found_in_any_order(order: tuple[int, ...]) -> None:
    strategy = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}

    _, answer = rolled("Deployment", {"replicas": 3, "strategy": strategy}, 3, 3, order=order)

    assert answer["replicas"] == {"wanted": 3, "running": 0, "placed": {"node-a": 3}, "ended": 3, "missing": 0}


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "DaemonSet"])
def test_extended_resources_are_given_back(kind: str) -> None:
    replicas = 1 if kind == "DaemonSet" else 2
    spec: Item = {} if kind == "DaemonSet" else {"replicas": replicas}
    if kind == "Deployment":
        spec["strategy"] = {"type": "Recreate"}

    _, answer = rolled(kind, spec, replicas, replicas, extended=True)

    assert (placed(answer), answer["replicas"]["ended"]) == (replicas, replicas)


def test_the_extended_resource_of_a_pod_that_goes_is_free_for_another_one() -> None:
    live = workload("Deployment", {"replicas": 1}, pod_spec(extended=True))
    there = [CLASS, *node("node-a", 1), live, *running(live, "web-5d97-x", "node-a", "gpu-0")]

    answers = simulate(
        there, [{**live, "spec": {**live["spec"], "replicas": 0}}, pod_alone("next", pod_spec(extended=True))]
    )

    assert answers["next"]["placed"] == "node-a"


def test_a_quota_counts_the_extended_resource_of_a_pod_that_goes_once() -> None:
    live = workload("Deployment", {"replicas": 2}, pod_spec(extended=True))
    there = [CLASS, *node("node-a", 2), live, *running(live, "web-5d97-x", "node-a", "gpu-0")]
    there += running(live, "web-5d97-y", "node-a", "gpu-1")
    amounts = {"requests.example.com/gpu": "2"}
    status = {"hard": amounts, "used": amounts}
    there.append(made("ResourceQuota", "few", "team", spec={"hard": amounts}, status=status))
    fewer = {**live, "spec": {**live["spec"], "replicas": 1}}

    answer = simulate(there, [fewer, workload("Deployment", {"replicas": 2}, pod_spec(extended=True), name="next")])[
        "next"
    ]

    assert answer["replicas"] == {"wanted": 2, "running": 0, "placed": {"node-a": 1}, "ended": 0, "missing": 1}
    assert "exceeded quota: few" in answer["refused"]


# What a manifest omits


def omitting(kind: str, last: Item | None, **devices: int) -> dict[str, Item]:
    """Return the answers where a manifest without replicas is applied to a live workload of three Pods."""
    live = workload(kind, {"replicas": 3})
    if last is not None:
        applied = {**live, "spec": last}
        live["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(applied)}
    there = [CLASS, template(), *node("node-a", 3), live]
    for number in range(3):
        name = f"web-{number}" if kind == "StatefulSet" else f"web-5d97-{number}"
        there += running(live, name, "node-a", f"gpu-{number}")
    return simulate(there, [workload(kind, {}), pod_alone("next")])


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
@pytest.mark.parametrize("last", [None, {}, {"paused": False}])
def test_replicas_that_a_manifest_omits_stay_as_an_autoscaler_has_set_them(kind: str, last: Item | None) -> None:
    answers = omitting(kind, last)

    assert answers["web"]["state"] == "runs already, with all its 3 Pods"
    assert answers["next"]["placed"] is None


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_replicas_that_the_manifest_before_had_become_one(kind: str) -> None:
    answers = omitting(kind, {"replicas": 3})

    assert answers["web"]["state"] == "runs already"
    assert answers["next"]["placed"] == "node-a"


def test_a_last_applied_configuration_that_is_no_json_says_nothing() -> None:
    live = workload("Deployment", {"replicas": 2})
    live["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": "{"}
    there = [CLASS, template(), *node("node-a", 2), live, *running(live, "web-5d97-0", "node-a", "gpu-0")]

    assert simulate(there, [workload("Deployment", {})])["web"]["replicas"]["wanted"] == 2


def test_a_strategy_that_a_manifest_omits_stays() -> None:
    live = workload("Deployment", {"replicas": 1, "strategy": {"type": "Recreate"}})
    there = [CLASS, template(), *node("node-a", 1), live, *running(live, "web-5d97-0", "node-a", "gpu-0")]

    same = simulate(there, [workload("Deployment", {}, pod_spec("app:2"))])["web"]
    other = simulate(
        there, [workload("Deployment", {"strategy": {"rollingUpdate": {"maxSurge": 1}}}, pod_spec("app:2"))]
    )["web"]

    assert placed(same) == 1
    assert placed(other) == 0


# DaemonSets


def daemons(rolling: Item, devices: int, *, wants: int = 1, nodes: int = 3) -> Item:
    """Return the answer for a new image of a DaemonSet that runs on all nodes."""
    live = workload("DaemonSet", {})
    there = [CLASS, template(), template(wants, "more"), live]
    for number in range(nodes):
        name = f"node-{number}"
        there += [*node(name, devices), *running(live, f"web-{number}", name, "gpu-0")]
    entry = {"name": "gpu", "resourceClaimTemplateName": "more"}
    pod = {**pod_spec("app:2"), "resourceClaims": [entry]}
    return simulate(there, [workload("DaemonSet", {"updateStrategy": {"rollingUpdate": rolling}}, pod)])["web"]


@pytest.mark.parametrize(
    ("rolling", "devices", "fit", "ended"),
    [
        ({}, 1, 3, 3),
        ({"maxSurge": 1, "maxUnavailable": 0}, 1, 0, 0),
        ({"maxSurge": "100%", "maxUnavailable": 0}, 1, 0, 0),
        ({"maxSurge": 1, "maxUnavailable": 0}, 2, 3, 3),
    ],
)
def test_a_daemon_set_with_a_surge_needs_a_second_device(rolling: Item, devices: int, fit: int, ended: int) -> None:
    answer = daemons(rolling, devices)

    assert (placed(answer), answer["replicas"]["ended"]) == (fit, ended)
    assert answer["replicas"]["missing"] == 3 - fit


@pytest.mark.parametrize(("most", "ended"), [(1, 1), (2, 2), ("34%", 2), (0, 1)])
def test_a_bad_template_ends_no_more_pods_of_a_daemon_set_than_may_be_unavailable(most: int | str, ended: int) -> None:
    answer = daemons({"maxUnavailable": most}, 1, wants=2)

    assert answer["replicas"] == {"wanted": 3, "running": 0, "placed": {}, "ended": ended, "missing": 3}


def test_a_node_without_a_pod_counts_as_unavailable() -> None:
    live = workload("DaemonSet", {})
    there = [CLASS, template(), live, *node("node-0", 1), *node("node-1", 0)]
    there += running(live, "web-0", "node-0", "gpu-0")

    answer = simulate(there, [workload("DaemonSet", {}, pod_spec("app:2"))])["web"]

    assert (placed(answer), answer["replicas"]["ended"]) == (0, 0)


def test_a_pod_of_a_daemon_set_stays_on_a_node_with_a_taint_that_keeps_new_ones_away() -> None:
    live = workload("DaemonSet", {})
    there = [CLASS, template(), live, *node("node-0", 1), *node("node-2", 1)]
    there += node("node-1", 1, taints=[{"key": "drain", "effect": "NoSchedule"}])
    there += running(live, "web-1", "node-1", "gpu-0")
    alone = {
        **pod_spec(),
        "nodeSelector": {"kubernetes.io/hostname": "node-1"},
        "tolerations": [{"operator": "Exists"}],
    }

    answers = simulate(there, [workload("DaemonSet", {}), pod_alone("next", alone)])

    assert answers["web"]["replicas"] == {
        "wanted": 2, "running": 0, "placed": {"node-0": 1, "node-2": 1}, "ended": 0, "missing": 0
    }  # fmt: skip
    assert answers["next"]["placed"] is None


# What the server refuses


def test_another_image_of_a_live_job_is_refused() -> None:
    live = workload("Job", {"completions": 1})
    there = [CLASS, template(), *node("node-a", 1), live, *running(live, "web-x", "node-a", "gpu-0")]

    answers = simulate(there, [workload("Job", {"completions": 1}, pod_spec("app:2"))])

    assert answers["web"] == {"refused": "spec.template: Invalid value: field is immutable"}


# The way back of a roll-out that is stuck


def stuck(kind: str, policy: Item, *, good: int = 2) -> tuple[list[Item], Item]:
    """Return a cluster where a template that wants nine devices is stuck, and the good manifest before it."""
    before = workload(kind, {"replicas": 3, **policy})
    wants = {**pod_spec("app:2"), "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "nine"}]}
    bad = workload(kind, {"replicas": 3, **policy}, wants)
    there = [CLASS, template(), template(9, "nine"), *node("node-a", 3), bad]
    for number in range(good):
        name = f"web-{number}" if kind == "StatefulSet" else f"web-5d97-{number}"
        there += running(before, name, "node-a", f"gpu-{number}")
    there += running(bad, "web-2" if kind == "StatefulSet" else "web-5d98-x", "", count=9)
    return there, before


@pytest.mark.parametrize(
    ("kind", "policy", "placed_on", "missing"),
    [
        ("Deployment", {}, {"node-a": 1}, 0),
        ("StatefulSet", {}, {}, 1),
        ("StatefulSet", {"podManagementPolicy": "Parallel"}, {"node-a": 1}, 0),
    ],
)
def test_the_way_back_keeps_the_pods_that_run(kind: str, policy: Item, placed_on: dict[str, int], missing: int) -> None:
    there, before = stuck(kind, policy)

    answer = simulate(there, [before])["web"]

    assert answer["replicas"] == {"wanted": 3, "running": 2, "placed": placed_on, "ended": 0, "missing": missing}
    if missing:
        waits = "the StatefulSet waits for its Pod web-2, which keeps an older template: delete the Pod"
        assert answer["advice"] == waits


def test_the_way_back_of_a_deployment_with_all_its_pods_changes_nothing() -> None:
    there, before = stuck("Deployment", {}, good=3)

    assert simulate(there, [before])["web"]["state"] == "runs already, with all its 3 Pods"


def test_a_bad_pod_of_a_stateful_set_that_finds_its_devices_is_replaced() -> None:
    there, before = stuck("StatefulSet", {})

    answer = simulate([*there, *node("node-b", 9)], [before])["web"]

    assert (placed(answer), answer["replicas"]["missing"]) == (1, 0)


def test_a_stuck_roll_out_that_is_applied_again_stays_stuck() -> None:
    there, _ = stuck("Deployment", {}, good=3)
    [bad] = [item for item in there if item["kind"] == "Deployment"]
    bad["status"] = {"replicas": 4, "updatedReplicas": 1}

    assert simulate(there, [bad])["web"]["replicas"]["missing"] == 3


# StatefulSets with maxUnavailable


@pytest.mark.parametrize(
    ("policy", "release", "gates", "fit", "ended"),
    [
        ("Parallel", "1.37", {}, 1, 3),
        ("OrderedReady", "1.37", {}, 1, 2),
        ("Parallel", "1.37", {"MaxUnavailableStatefulSet": False}, 0, 1),
        ("Parallel", "1.36", {"MaxUnavailableStatefulSet": True}, 1, 3),
        ("Parallel", "1.36", {}, 0, 1),
        ("Parallel", "1.34", {}, 0, 1),
    ],
)
def test_a_stateful_set_ends_as_many_pods_as_may_be_unavailable(
    policy: str, release: str, gates: dict[str, bool], fit: int, ended: int
) -> None:
    more = {"podManagementPolicy": policy, "updateStrategy": {"rollingUpdate": {"maxUnavailable": 2}}}
    live = workload("StatefulSet", {"replicas": 3, **more})
    there = [CLASS, template(), template(2, "two"), *node("node-a", 3), live]
    for number in range(3):
        there += running(live, f"web-{number}", "node-a", f"gpu-{number}")
    wants = {**pod_spec("app:2"), "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "two"}]}

    answer = simulate(there, [workload("StatefulSet", {"replicas": 3, **more}, wants)], release, **gates)["web"]

    assert (placed(answer), answer["replicas"]["ended"]) == (fit, ended)


def test_the_pod_with_the_highest_number_is_replaced_first() -> None:
    live = workload("StatefulSet", {"replicas": 2})
    there = [CLASS, template(), *node("node-a", 1), *node("node-b", 1), live]
    there += [*running(live, "web-0", "node-a", "gpu-0"), *running(live, "web-1", "node-b", "gpu-0")]
    elsewhere = pod_spec("app:2", nodeSelector={"kubernetes.io/hostname": "node-b"})

    answer = simulate(there, [workload("StatefulSet", {"replicas": 2}, elsewhere)])["web"]

    assert answer["replicas"] == {"wanted": 2, "running": 0, "placed": {"node-b": 1}, "ended": 2, "missing": 1}


# Pods without an owner


@pytest.mark.parametrize(
    ("kind", "name", "adopted"),
    [
        ("StatefulSet", "web-0", True),
        ("StatefulSet", "other-0", False),
        ("ReplicaSet", "alone", True),
        ("Deployment", "x", False),
    ],
)
def test_a_pod_without_an_owner_is_adopted_by_its_labels(kind: str, name: str, *, adopted: bool) -> None:
    made = workload(kind, {"replicas": 1})
    there = [CLASS, template(), *node("node-a", 1), *running(made, name, "node-a", "gpu-0", owned=False)]

    answer = simulate(there, [made])["web"]

    assert answer.get("state") == ("runs already" if adopted else None)


def test_a_pod_with_other_labels_is_not_adopted() -> None:
    made = workload("ReplicaSet", {"replicas": 1})
    there = [CLASS, template(), *node("node-a", 1)]
    there += running(workload("ReplicaSet", {}, name="other"), "alone", "node-a", "gpu-0", owned=False)

    assert simulate(there, [made])["web"]["answer"] == "none"


IMPLICIT = "deviceclass.resource.kubernetes.io/gpu.example.com"


@pytest.mark.parametrize(
    ("resources", "refused"),
    [
        ({"limits": {RESOURCE: 1}}, None),
        ({"limits": {RESOURCE: 1}, "requests": {RESOURCE: "1"}}, None),
        ({"limits": {RESOURCE: "1000m"}}, None),
        ({"requests": {IMPLICIT: 1}}, None),
        ({"limits": {RESOURCE: "500m"}}, 'limits[example.com/gpu]: Invalid value: "500m": must be an integer'),
        ({"requests": {RESOURCE: 1}}, "limits: Required value: Limit must be set for non overcommitable resources"),
        (
            {"requests": {RESOURCE: 1}, "limits": {RESOURCE: 2}},
            'requests: Invalid value: "1": must be equal to example.com/gpu limit of 2',
        ),
        ({"requests": {"cpu": "500m"}, "limits": {"cpu": 1, RESOURCE: 1}}, None),
    ],
)
def test_the_server_refuses_amounts_of_extended_resources(resources: Item, refused: str | None) -> None:
    spec = {"containers": [{"name": "main", "image": "app", "resources": resources}]}
    there = [CLASS, *node("node-a", 2)]

    pod = simulate(there, [pod_alone("web", spec)])["web"]
    made = simulate(there, [workload("Deployment", {"replicas": 1}, spec)])["web"]

    assert pod["refused"] == (None if refused is None else f"spec.containers[0].resources.{refused}")
    assert made["refused"] == (None if refused is None else f"spec.template.spec.containers[0].resources.{refused}")


# Pods of the inventory that wait


def waiting(name: str, count: int = 1, **spec: Any) -> list[Item]:
    """Return a Pod that waits for devices, and its claim."""
    pod, claim = running(workload("Deployment", {"replicas": 1}, pod_spec(**spec), name), name, "", count=count)
    return [{**pod, "metadata": {**pod["metadata"], "ownerReferences": []}}, claim]


def test_pods_that_wait_get_what_the_manifests_bring_before_new_ones() -> None:
    nodes = [CLASS, template(), *node("node-a", 1)]
    live = workload("Deployment", {"replicas": 1})
    there = [*nodes, live, *running(live, "web-5d97-0", "node-a", "gpu-0"), *waiting("first")]
    more = [node("node-a", 2)[1], pod_alone("late")]

    questions, _, workloads = applied(there, more)
    [late] = questions.sequence(workloads)

    assert (late.placed, questions.came_first) == (None, {"team/first": "node-a"})
    assert list(notes(questions)) == [
        "these Pods of the inventory wait, and get their devices first: team/first on node-a"
    ]


def test_pods_that_wait_get_what_a_workload_gives_back() -> None:
    live = workload("Deployment", {"replicas": 2})
    there = [CLASS, template(), *node("node-a", 2), live, *waiting("first")]
    there += [one for at in range(2) for one in running(live, f"web-5d97-{at}", "node-a", f"gpu-{at}")]

    answers = simulate(there, [workload("Deployment", {"replicas": 1}), pod_alone("late")])

    assert answers["late"]["placed"] is None


@pytest.mark.parametrize(
    ("first", "late", "fits"),
    [
        (waiting("first", count=2), pod_alone("late"), True),
        (waiting("first", priority=1), pod_alone("late", pod_spec(priority=5)), True),
        (waiting("first", priority=5), pod_alone("late", pod_spec(priority=5)), False),
        (waiting("first", schedulingGates=[{"name": "later"}]), pod_alone("late"), True),
        (waiting("late"), pod_alone("late"), True),
    ],
    ids=["does not fit", "of lower priority", "of the same priority", "gated", "of the manifests"],
)
def test_only_pods_that_wait_and_fit_come_first(first: list[Item], late: Item, fits: bool) -> None:
    answers = simulate([CLASS, template(), *node("node-a", 1), *first], [late])

    assert answers["late"]["placed"] == ("node-a" if fits else None)


# A StatefulSet that waits for a Pod before it ends others


@pytest.mark.parametrize(
    ("policy", "replicas", "fits", "ended"),
    [("OrderedReady", 2, 0, 0), ("Parallel", 2, 1, 1), ("OrderedReady", 3, 0, 0), ("OrderedReady", 0, 0, 0)],
)
def test_an_ordered_stateful_set_ends_no_pod_before_the_ones_below_run(
    policy: str, replicas: int, fits: int, ended: int
) -> None:
    spec = {"replicas": 3, "podManagementPolicy": policy}
    live = workload("StatefulSet", spec)
    there = [CLASS, template(), *node("node-a", 2), live, *running(live, "web-0", "")]
    there += [one for at in (1, 2) for one in running(live, f"web-{at}", "node-a", f"gpu-{at - 1}")]

    answers = simulate(there, [workload("StatefulSet", {**spec, "replicas": replicas}), pod_alone("late")])

    replicas_of = answers["web"].get("replicas") or {"ended": 0}
    assert (placed(answers["web"]), replicas_of["ended"]) == (fits, ended)
    assert answers["late"]["placed"] == (None if replicas else "node-a")
