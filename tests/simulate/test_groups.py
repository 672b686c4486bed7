"""Pods of a group: enough of them fit together or none is placed, and the claims of the group are shared by all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.objects import item, owner
from tests.simulate.test_cluster_as_it_is import DEVICES, OF_WEB, ask, node, quota, running, tainted, workload
from tests.simulate.test_command import POD, TEMPLATE, Folder, gpus

pytestmark = pytest.mark.slow  # each question starts a simulation of its own

GROUPS = ("--feature-gates", "GenericWorkload=true")
CLAIMS = ("--sequence", "--feature-gates", "GenericWorkload=true,DRAWorkloadResourceClaims=true")
FROM_TEMPLATE = {"name": "gpu", "resourceClaimTemplateName": "one"}
BY_NAME = {"name": "gpu", "resourceClaimName": "ring-claim"}
CLAIM = TEMPLATE.replace("ResourceClaimTemplate", "ResourceClaim").replace("one", "ring-claim")
CLAIM = CLAIM.replace("spec: {spec: {devices", "spec: {devices").replace("}]}}}", "}]}}")


def group(least: int | None, **spec: Any) -> str:
    policy = {"basic": {}} if least is None else {"gang": {"minCount": least}}
    return json.dumps(item("PodGroup", "ring", "team", spec={"schedulingPolicy": policy, **spec}))


def members(number: int) -> list[str]:
    return [POD.replace("worker", f"worker-{n}") + "  schedulingGroup: {podGroupName: ring}\n" for n in range(number)]


TOO_FEW = "pod group is unschedulable, minCount (3) cannot be satisfied: 2 scheduled, 0 remaining"


@pytest.mark.parametrize(
    ("devices", "pods", "answers", "events"),
    [
        (3, members(3), ["all", "all", "all"], None),
        (2, members(3), ["waits", "waits", "none"], [
            TOO_FEW, TOO_FEW, "0/1 nodes are available: 1 cannot allocate all claims."
        ]),
        (3, members(2), ["waits", "waits"], [None, None]),  # with too few Pods it is not tried
        (2, [*members(3), POD], ["waits", "waits", "none", "all"], None),  # its devices are left to others
    ],
)  # fmt: skip
def test_a_gang_is_placed_as_a_whole_or_not_at_all(
    folder: Folder, devices: int, pods: list[str], answers: list[str], events: list[str | None] | None
) -> None:
    there, status = [node("node-a"), gpus("node-a", devices)], int({*answers} != {"all"})

    questions = ask(folder, there, [group(3), TEMPLATE, *pods], "--sequence", *GROUPS, status=status)

    assert [question["answer"] for question in questions] == answers
    assert events is None or [question["event"] for question in questions] == events
    if "none" in answers:
        assert questions[0]["state"] == "its PodGroup ring wants 3 Pods at once, and 2 fit"


@pytest.mark.parametrize(
    ("release", "answers", "event"),
    [
        ("1.37", ["none", "waits"], "minCount (2) cannot be satisfied: 0 scheduled, 1 remaining"),
        ("1.36", ["none", "none"], "0/1 nodes are available: 1 cannot allocate all claims. still not schedulable"),
    ],
)
def test_from_1_37_on_the_scheduler_stops_when_too_few_pods_are_left(
    folder: Folder, release: str, answers: list[str], event: str
) -> None:
    gates = ("--feature-gates", "GenericWorkload=true" + ",GangScheduling=true" * (release == "1.36"))
    options = ("--sequence", "--kubernetes-version", release, *gates)
    gang = group(2).replace("v1beta1", "v1alpha2") if release == "1.36" else group(2)

    questions = ask(folder, [node("node-a"), gpus("node-a", 0)], [gang, TEMPLATE, *members(2)], *options, status=1)

    assert ([question["answer"] for question in questions], questions[1]["event"]) == (answers, event)


@pytest.mark.parametrize(
    ("gangs", "answers", "status"), [(True, ["waits", "waits", "none"], 1), (False, ["all", "all", "none"], 1)]
)
def test_up_to_1_36_gangs_have_a_gate_of_their_own(
    folder: Folder, gangs: bool, answers: list[str], status: int
) -> None:
    old = group(3).replace("v1beta1", "v1alpha2")
    gates = "GenericWorkload=true" + ",GangScheduling=true" * gangs
    options = ("--sequence", "--kubernetes-version", "1.36", "--feature-gates", gates)
    there = [node("node-a"), gpus("node-a", 2)]

    questions = ask(folder, there, [old, TEMPLATE, *members(3)], *options, status=status)

    assert [question["answer"] for question in questions] == answers


def test_a_member_alone_does_not_decide_for_its_gang(folder: Folder) -> None:
    questions = ask(folder, [node("node-a"), gpus("node-a", 2)], [group(2), TEMPLATE, *members(2)], *GROUPS, status=4)

    assert questions[0]["undecided"] == ("the other Pods of the PodGroup ring, which wants 2 at once (not simulated)")


@pytest.mark.parametrize(
    ("groups", "status", "said"),
    [
        ([group(None)], 0, None),
        ([], 4, "the PodGroup ring, which is not in the inventory (not simulated)"),
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


# Claims of a group


def devices(question: dict[str, Any]) -> list[str]:
    """Return the devices that a placed Pod gets, without those that its claims had before."""
    [placed] = [one for one in question["nodes"] if one["node"] == question["placed"]]
    return [
        f"{one['pool']}/{one['device']}" for each in placed["allocations"] or () for one in each["devices"]["results"]
    ]


def sharing(least: int | None = None, *entries: dict[str, str]) -> str:
    return group(least, resourceClaims=list(entries or [FROM_TEMPLATE]))


def live_group(*entries: dict[str, str]) -> str:
    there = json.loads(sharing(None, *entries))
    return json.dumps({**there, "metadata": {**there["metadata"], "uid": "uid-ring"}})


def of_group(pod: str, claim: str) -> list[str]:
    """Return a Pod that runs with its claim as those of a group: the claim was made for the PodGroup."""
    one, other = json.loads(pod), json.loads(claim)
    one["spec"]["schedulingGroup"] = {"podGroupName": "ring"}
    other["metadata"]["ownerReferences"] = [owner("PodGroup", "ring", "uid-ring")]
    consumer = {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "ring", "uid": "uid-ring"}
    other["status"]["reservedFor"] = [consumer]
    return [json.dumps(one), json.dumps(other)]


@pytest.mark.parametrize("least", [None, 3])
def test_the_pods_of_a_group_share_a_claim_from_a_template(folder: Folder, least: int | None) -> None:
    there = [node("node-a"), node("node-b"), gpus("node-a", 1), gpus("node-b", 1)]

    one, two, three = ask(folder, there, [sharing(least), TEMPLATE, *members(3)], *CLAIMS)

    assert [q["claims"] for q in (one, two, three)] == [["team/ring-gpu"]] * 3
    assert [q["placed"] for q in (one, two, three)] == ["node-a"] * 3
    assert (devices(one), two["allocatedBefore"]) == (["node-a/gpu-0"], ["team/ring-gpu"])


def test_the_pods_of_a_group_share_a_claim_that_is_named(folder: Folder) -> None:
    named = [pod.replace("resourceClaimTemplateName: one", "resourceClaimName: ring-claim") for pod in members(2)]

    questions = ask(folder, [node("node-a"), gpus("node-a", 1)], [sharing(2, BY_NAME), CLAIM, *named], *CLAIMS)

    assert [question["placed"] for question in questions] == ["node-a", "node-a"]


@pytest.mark.parametrize(
    "entry", [{**FROM_TEMPLATE, "name": "other"}, {**FROM_TEMPLATE, "resourceClaimTemplateName": "x"}]
)
def test_an_entry_that_differs_in_name_or_source_is_no_claim_of_the_group(
    folder: Folder, entry: dict[str, str]
) -> None:
    there = [node("node-a"), gpus("node-a", 1)]

    one, two = ask(folder, there, [sharing(None, entry), TEMPLATE, *members(2)], *CLAIMS, status=1)

    assert (one["claims"], two["claims"], two["answer"]) == (["team/worker-0-gpu"], ["team/worker-1-gpu"], "none")


@pytest.mark.parametrize(("number", "answers"), [(3, ["all", "all"]), (2, ["waits", "none"])])
def test_a_gang_counts_what_its_pods_share_once(folder: Folder, number: int, answers: list[str]) -> None:
    both = "resourceClaimTemplateName: one}, {name: own, resourceClaimTemplateName: one}]"
    own = [pod.replace("resourceClaimTemplateName: one}]", both) for pod in members(2)]

    questions = ask(
        folder,
        [node("node-a"), gpus("node-a", number)],
        [sharing(2), TEMPLATE, *own],
        *CLAIMS,
        status=0 if number == 3 else 1,
    )

    assert [question["answer"] for question in questions] == answers


def test_a_pod_goes_where_the_claim_of_its_group_is(folder: Folder) -> None:
    there = [node("node-a"), node("node-b"), gpus("node-a", 1), gpus("node-b", 1), live_group(FROM_TEMPLATE)]
    live = of_group(*running("old", "node-b", "gpu-0"))

    [question] = ask(folder, [*there, *live], [TEMPLATE, *members(1)], *CLAIMS)

    assert (question["placed"], question["claims"]) == ("node-b", ["team/old-gpu-x"])


def test_the_claim_of_a_group_outlives_its_pods(folder: Folder) -> None:
    live = of_group(*running("old", "node-a", "gpu-0", owner={**OF_WEB}))
    there = [node("node-a"), gpus("node-a", 1), live_group(FROM_TEMPLATE), *live]

    web, late = ask(folder, there, [TEMPLATE, workload("Deployment", {"replicas": 0}), POD], *CLAIMS, status=1)

    assert (web["state"], late["answer"]) == ("makes no Pod: it has 0 replicas", "none")


@pytest.mark.parametrize(("pods", "node_of_it"), [([], "node-b"), (["old"], None)])
def test_a_claim_of_a_group_moves_only_without_pods_on_nodes(
    folder: Folder, pods: list[str], node_of_it: str | None
) -> None:
    there = [node("node-a"), node("node-b"), gpus("node-a", 1), gpus("node-b", 1), live_group(FROM_TEMPLATE)]
    pod, claim = of_group(*running("old", "node-a", "gpu-0"))
    [member] = members(1)

    [question] = ask(
        folder,
        [*there, claim, *([pod] if pods else [])],
        [TEMPLATE, member + "  nodeSelector: {kubernetes.io/hostname: node-b}\n"],
        *CLAIMS,
        status=0 if node_of_it else 1,
    )

    assert (question["placed"], question.get("givenUp")) == (node_of_it, ["team/old-gpu-x"] if node_of_it else None)


def test_a_group_without_its_template_has_no_claim(folder: Folder) -> None:
    [question] = ask(folder, [node("node-a"), gpus("node-a", 1)], [sharing(), *members(1)], *CLAIMS, status=1)

    assert question["refused"] == 'pod "team/worker-0": ResourceClaim not created yet'
    assert question["advice"] == 'there is no ResourceClaimTemplate "one" in namespace team'


def test_a_quota_counts_the_claim_of_a_group_once(folder: Folder) -> None:
    there = [node("node-a"), gpus("node-a", 2), quota({DEVICES: "1"})]

    one, two, alone = ask(folder, there, [sharing(), TEMPLATE, *members(2), POD], *CLAIMS, status=1)

    assert (one["placed"], two["placed"]) == ("node-a", "node-a")
    assert alone["refused"] == 'pod "team/worker": ResourceClaim not created yet'


def test_a_quota_can_refuse_the_claim_of_a_group(folder: Folder) -> None:
    there = [node("node-a"), gpus("node-a", 2), quota({DEVICES: "0"})]

    [question] = ask(folder, there, [sharing(), TEMPLATE, *members(1)], *CLAIMS, status=1)

    assert question["refused"] == 'pod "team/worker-0": ResourceClaim not created yet'
    assert question["advice"].startswith("the API server refuses the claim of the PodGroup ring: exceeded quota: ")


def test_groups_of_1_35_are_not_decided(folder: Folder) -> None:
    options = ("--sequence", "--kubernetes-version", "1.35", *GROUPS)
    old = POD + "  workloadRef: {name: ring, podGroup: workers}\n"

    [question] = ask(folder, [node("node-a"), gpus("node-a", 1)], [TEMPLATE, old], *options, status=4)

    assert question["notSimulated"] == ["scheduling in groups"]


def test_a_group_may_be_more_pods_than_may_share_a_claim(folder: Folder) -> None:
    pod = {"schedulingGroup": {"podGroupName": "ring"}}
    named = {**pod, "resourceClaims": [BY_NAME]}
    there = [node("node-a"), gpus("node-a", 2)]

    [one] = ask(
        folder, there, [sharing(None, BY_NAME), CLAIM, workload("Deployment", {"replicas": 258}, named)], *CLAIMS
    )
    assert one["replicas"]["placed"] == {"node-a": 258}

    [other] = ask(
        folder, there, [group(None), CLAIM, workload("Deployment", {"replicas": 258}, named)], *CLAIMS, status=1
    )
    assert (other["replicas"]["placed"], other["replicas"]["missing"]) == ({"node-a": 256}, 2)


@pytest.mark.parametrize(
    ("release", "answers", "claims"),
    [("1.36", ["all", "none"], ["team/worker-0-gpu"]), ("1.37", ["refused", "refused"], [])],
)
def test_without_the_gate_of_claims_each_pod_has_its_own_claim_or_none(
    folder: Folder, release: str, answers: list[str], claims: list[str]
) -> None:
    there = [node("node-a"), gpus("node-a", 1), live_group(FROM_TEMPLATE)]
    options = ("--sequence", "--kubernetes-version", release, *GROUPS)

    one, two = ask(folder, there, [TEMPLATE, *members(2)], *options, status=1)

    assert ([one["answer"], two["answer"]], one["claims"]) == (answers, claims)


def test_a_taint_ends_all_pods_that_share_the_claim_of_a_group(folder: Folder) -> None:
    first, second = running("one", "node-a", "gpu-0"), running("two", "node-a", "gpu-0")
    pod, claim = of_group(*first)
    other = json.loads(of_group(*second)[0])
    other["status"]["resourceClaimStatuses"] = json.loads(pod)["status"]["resourceClaimStatuses"]

    questions = ask(
        folder,
        [node("node-a"), gpus("node-a", 1), live_group(FROM_TEMPLATE), pod, claim, json.dumps(other)],
        [tainted()],
        *CLAIMS,
        status=1,
    )

    assert [(q["id"], q["answer"]) for q in questions] == [("pod team/one", "evicted"), ("pod team/two", "evicted")]


def test_1_36_does_not_see_where_the_claim_of_a_gang_is_until_it_is_bound(folder: Folder) -> None:
    there = [node(name, cpu="1") for name in ("node-a", "node-b")] + [gpus("node-a", 1), gpus("node-b", 1)]
    asking = [pod.replace("{claims:", "{requests: {cpu: 1}, claims:") for pod in members(2)]
    gates = "GenericWorkload=true,DRAWorkloadResourceClaims=true,GangScheduling=true"
    old = ("--sequence", "--kubernetes-version", "1.36", "--feature-gates", gates)

    new = ask(folder, there, [sharing(2), TEMPLATE, *asking], *CLAIMS, status=1)
    assert [(question["answer"], question["placed"]) for question in new] == [("waits", None), ("none", None)]

    first, second = ask(folder, there, [sharing(2).replace("v1beta1", "v1alpha2"), TEMPLATE, *asking], *old, status=1)
    assert (first["placed"], second["answer"]) == ("node-a", "none")
    assert "resourceclaim not available on the node" in second["event"]


@pytest.mark.parametrize(("devices", "answer"), [(3, "all"), (2, "none")])
def test_the_pods_of_a_job_are_a_gang(folder: Folder, devices: int, answer: str) -> None:
    job = workload("Job", {"parallelism": 3, "completions": 3}, {"schedulingGroup": {"podGroupName": "ring"}})
    there = [node("node-a"), gpus("node-a", devices)]

    questions = ask(folder, there, [group(3), TEMPLATE, job, POD], "--sequence", *GROUPS, status=1)

    assert [question["answer"] for question in questions] == [answer, "none" if devices == 3 else "all"]


def test_a_gang_that_is_replaced_is_not_decided(folder: Folder) -> None:
    pod = {"schedulingGroup": {"podGroupName": "ring"}}
    web = workload("Deployment", {"replicas": 1}, pod)
    live = [json.loads(text) for text in running("old", "node-a", "gpu-0", owner=OF_WEB, image="old")]
    live[0]["spec"].update(pod)
    there = [node("node-a"), gpus("node-a", 2), *map(json.dumps, live)]

    [question] = ask(folder, there, [group(2), TEMPLATE, web], "--sequence", *GROUPS, status=4)

    assert question["undecided"] == "the other Pods of the PodGroup ring, which wants 2 at once (not simulated)"
