"""Cases that people wrote: updates of workloads that run, and what admission, preemption and groups do with devices.

`record --seed written` takes them in place of random ones; `--seed written:crew` takes those whose names begin so.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from conformance.control_plane.cases import RULES
from dralint.kubernetes.release import Release, in_range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.control_plane.cases import Case

Object = dict[str, Any]

SEED = "written"
_GPU = "gpu.example.com"
_V1 = "resource.k8s.io/v1"
_GROUPS = {36: "scheduling.k8s.io/v1alpha2"}
"""The API version of PodGroups by minor release, of others v1beta1."""


class Written(NamedTuple):
    """A case: what is in the cluster, what is applied then, its set of gates and its releases."""

    name: str
    before: Sequence[Object]
    applied: Sequence[Object]
    gates: str = "default"
    releases: str = "1.35.."


def cases(release: str, gates: str, beginning: str = "") -> Iterator[Case]:
    """Yield the cases of a release that are judged with this set of gates, of which the name has this beginning."""
    judged = Release.parse(release)
    for one in CASES:
        if one.gates != gates or not in_range(one.releases, judged) or not one.name.startswith(beginning):
            continue
        there = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": one.name}}
        before, applied = (
            [_placed(item, one.name, judged) for item in part] for part in ((there, *one.before), one.applied)
        )
        yield {
            "id": f"{SEED}/{one.name}",
            "traits": [one.name],
            "namespace": one.name,
            "before": before,
            "applied": applied,
        }


def _placed(item: Object, namespace: str, release: Release) -> Object:
    """Return an object in the namespace of its case, in a version that the release serves."""
    made = copy.deepcopy(item)
    if made["kind"] not in _CLUSTER_WIDE:
        made["metadata"]["namespace"] = namespace
    if made["kind"] == "PodGroup":
        made["apiVersion"] = _GROUPS.get(release.minor, "scheduling.k8s.io/v1beta1")
    if made["kind"] == _RULE:
        made["apiVersion"] = RULES.get(release.minor, "resource.k8s.io/v1beta2")
    return made


_RULE = "DeviceTaintRule"
_CLUSTER_WIDE = (_RULE, "Namespace", "Node", "DeviceClass", "ResourceSlice", "PriorityClass", "RuntimeClass")


def _object(api_version: str, kind: str, name: str, **fields: Any) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields}


def _node(name: str, cpu: int = 8, taints: Sequence[Object] = (), **labels: str) -> Object:
    allocatable = {"cpu": str(cpu), "memory": "64Gi", "pods": str(max(cpu, 50))}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready"}
    made = _object("v1", "Node", name, spec={"taints": list(taints)} if taints else {})
    made["metadata"]["labels"] = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **labels}
    made["status"] = {"capacity": allocatable, "allocatable": allocatable, "conditions": [ready]}
    return made


def _slice(node: str, devices: int, generation: int = 1, **fields: Any) -> Object:
    pool = {"name": node, "generation": generation, "resourceSliceCount": 1}
    named = [{"name": f"gpu-{number}", **copy.deepcopy(fields)} for number in range(devices)]
    spec = {"driver": _GPU, "pool": pool, "nodeName": node, "devices": named}
    return _object(_V1, "ResourceSlice", f"{node}-gpus", spec=spec)


def _cluster(*devices: int, cpu: int = 8) -> list[Object]:
    """Return nodes with so many GPUs each, a class, and templates for one GPU and for two of them."""
    nodes = [f"node-{letter}" for letter in "abc"[: len(devices)]]
    made = [_node(name, cpu) for name in nodes]
    made += [_slice(name, number) for name, number in zip(nodes, devices, strict=True) if number]
    return [*made, _class(), _template("one", 1), _template("two", 2)]


def _class(**fields: Any) -> Object:
    selector = {"cel": {"expression": f'device.driver == "{_GPU}"'}}
    return _object(_V1, "DeviceClass", "gpu", spec={"selectors": [selector], **fields})


def _claim_spec(number: int, **fields: Any) -> Object:
    request = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": number, **fields}
    return {"devices": {"requests": [{"name": "gpu", "exactly": request}]}}


def _template(name: str, number: int, **fields: Any) -> Object:
    return _object(_V1, "ResourceClaimTemplate", name, spec={"spec": _claim_spec(number, **fields)})


def _pod_spec(template: str = "one", image: str = "app:1", **fields: Any) -> Object:
    """Return the spec of a Pod with a claim from a template; `resources` are those of its container."""
    resources = {**fields.pop("resources", {}), "claims": [{"name": "gpu"}]}
    references = [{"name": "gpu", "resourceClaimTemplateName": template}]
    containers = [{"name": "main", "image": image, "resources": resources}]
    return {"containers": containers, "resourceClaims": references, **fields}


def _with_extended(number: int = 1, image: str = "app:1", name: str = "example.com/gpu", **fields: Any) -> Object:
    amounts = {"limits": {name: str(number)}, "requests": {name: str(number)}}
    return {"containers": [{"name": "main", "image": image, "resources": amounts}], **fields}


def _pod(name: str, spec: Object | None = None, **fields: Any) -> Object:
    return _object("v1", "Pod", name, spec={**(spec or _pod_spec()), **fields})


def _workload(kind: str, name: str, pod: Object | None, replicas: int | None, **fields: Any) -> Object:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": pod or _pod_spec()}
    number = {} if replicas is None else {"replicas": replicas}
    spec = {"selector": {"matchLabels": labels}, "template": template, **number, **fields}
    return _object("apps/v1", kind, name, spec=spec)


def _deployment(replicas: int | None = 1, pod: Object | None = None, name: str = "web", **fields: Any) -> Object:
    return _workload("Deployment", name, pod, replicas, **fields)


def _rolling(surge: int | str, unavailable: int | str) -> Object:
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}


def _stateful(replicas: int, pod: Object | None = None, name: str = "db", **fields: Any) -> Object:
    return _workload("StatefulSet", name, pod, replicas, serviceName=name, **fields)


def _daemons(pod: Object | None = None, **fields: Any) -> Object:
    return _workload("DaemonSet", "agent", pod, None, **fields)


def _job(pod: Object | None = None, **fields: Any) -> Object:
    spec = {"restartPolicy": "Never", **(pod or _pod_spec())}
    return _object("batch/v1", "Job", "train", spec={"template": {"spec": spec}, **fields})


def _new(**fields: Any) -> Object:
    """Return the spec of a Pod with a newer image."""
    return _pod_spec(image="app:2", **fields)


def _cpu(amount: str) -> Object:
    return {"requests": {"cpu": amount}}


def _class_of_pods(**fields: Any) -> Object:
    return _object("node.k8s.io/v1", "RuntimeClass", "special", handler="special", **fields)


def _priority(name: str, value: int, **fields: Any) -> Object:
    return _object("scheduling.k8s.io/v1", "PriorityClass", name, value=value, **fields)


def _limits(**limit: Any) -> Object:
    return _object("v1", "LimitRange", "limits", spec={"limits": [{"type": "Container", **limit}]})


def _group(least: int | None, name: str = "crew", **fields: Any) -> Object:
    policy = {"basic": {}} if least is None else {"gang": {"minCount": least}}
    return _object("scheduling.k8s.io/v1beta1", "PodGroup", name, spec={"schedulingPolicy": policy, **fields})


def _sharing(least: int | None, name: str = "crew", **entry: str) -> Object:
    """Return a group with a claim of its own, by default from the template for one GPU."""
    reference = entry or {"resourceClaimTemplateName": "one"}
    return _group(least, name, resourceClaims=[{"name": "gpu", **reference}])


def _named(claim: str = "shared", **fields: Any) -> Object:
    """Return the spec of a Pod with a claim that is named."""
    return {**_pod_spec(**fields), "resourceClaims": [{"name": "gpu", "resourceClaimName": claim}]}


_MEMBER: Object = {"schedulingGroup": {"podGroupName": "crew"}}
_ONE_CLAIM = _object(_V1, "ResourceClaim", "shared", spec=_claim_spec(1))
_SHARED_AND_OWN: Object = {
    **_pod_spec(),
    "resourceClaims": [
        {"name": "own", "resourceClaimTemplateName": "one"},
        {"name": "gpu", "resourceClaimTemplateName": "one"},
    ],
}
"""The claim of the Pod alone stands first.

After a claim whose allocation is pending, Reserve takes the allocation of one claim for the other, and chance decides
which Pod binds first (pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, v1.37.0: Filter appends
the pending allocations, Reserve reads them in the order of the claims).
"""
_RESERVED: Object = {"key": "example.com/reserved", "value": "team", "effect": "NoSchedule"}
_PRIORITIES = [_priority("low", 10), _priority("high", 1000)]
_ORDERED: Object = {"podManagementPolicy": "OrderedReady"}
_PARALLEL: Object = {"podManagementPolicy": "Parallel"}
_DRAINED = _object(
    _V1,
    _RULE,
    "drained",
    spec={
        "deviceSelector": {"driver": _GPU, "pool": "node-a", "device": "gpu-0"},
        "taint": {"key": "example.com/drained", "effect": "NoExecute"},
    },
)
_NONE_SPARE: Object = {"strategy": _rolling(1, 0)}
_SHARED: Object = {
    "allowMultipleAllocations": True,
    "capacity": {
        "share": {
            "value": "1",
            "requestPolicy": {"default": "100m", "validRange": {"min": "100m", "max": "1", "step": "100m"}},
        }
    },
}

CASES: tuple[Written, ...] = (
    # Deployments
    Written("roll-with-spare", [*_cluster(3), _deployment(2)], [_deployment(2, _new())]),
    Written("roll-full", [*_cluster(2, 2), _deployment(4)], [_deployment(4, _new())]),
    Written("roll-one-full", [*_cluster(1), _deployment(1)], [_deployment(1, _new())]),
    Written("roll-one-ends-first", [*_cluster(1), _deployment(1)], [_deployment(1, _new(), strategy=_rolling(0, 1))]),
    Written(
        "roll-by-a-third",
        [*_cluster(3), _deployment(3, strategy=_rolling(0, "34%"))],
        [_deployment(3, _new(), strategy=_rolling(0, "34%"))],
    ),
    Written("roll-everything", [*_cluster(3), _deployment(3)], [_deployment(3, _new(), strategy=_rolling(0, "100%"))]),
    Written(
        "recreate-larger",
        [*_cluster(3), _deployment(2, strategy={"type": "Recreate"})],
        [_deployment(2, _new(template="two"), strategy={"type": "Recreate"})],
    ),
    Written("roll-larger-sticks", [*_cluster(3), _deployment(2)], [_deployment(2, _new(template="two"))]),
    Written(
        "roll-back-what-sticks",
        [*_cluster(3), _deployment(2), _deployment(2, _new(template="two"))],
        [_deployment(2)],
    ),
    Written(
        "roll-back-what-ran",
        [*_cluster(2, 1), _deployment(2), _deployment(2, _new())],
        [_deployment(2)],
    ),
    Written(
        "roll-on-while-stuck",
        [*_cluster(2), _deployment(2, **_NONE_SPARE), _deployment(2, _new(), **_NONE_SPARE)],
        [_deployment(2, _pod_spec(image="app:3"), strategy=_rolling(0, 1))],
    ),
    Written("fewer-and-newer", [*_cluster(4), _deployment(4)], [_deployment(2, _new())]),
    Written("more-and-newer", [*_cluster(2, 2), _deployment(2)], [_deployment(4, _new())]),
    Written("paused-with-more", [*_cluster(3), _deployment(2)], [_deployment(3, _new(), paused=True)]),
    Written("scaled-by-others", [*_cluster(4), _deployment(3)], [_deployment(None, _new())]),
    Written(
        "one-shrinks-one-grows",
        [*_cluster(3), _deployment(2), _deployment(1, name="api")],
        [_deployment(1), _deployment(2, name="api")],
    ),
    Written(
        "larger-template-in-place",
        [*_cluster(3), _deployment(1)],
        [_template("one", 2), _deployment(1, _new())],
    ),
    # StatefulSets
    Written("ordered-roll-full", [*_cluster(3), _stateful(3)], [_stateful(3, _new())]),
    Written(
        "ordered-roll-sticks",
        [*_cluster(3), _stateful(3, **_ORDERED)],
        [_stateful(3, _new(template="two"), **_ORDERED)],
    ),
    Written(
        "ordered-way-back",
        [*_cluster(3), _stateful(3), _stateful(3, _new(template="two"))],
        [_stateful(3)],
    ),
    Written(
        "parallel-way-back",
        [*_cluster(3), _stateful(3, **_PARALLEL), _stateful(3, _new(template="two"), **_PARALLEL)],
        [_stateful(3, **_PARALLEL)],
    ),
    Written(
        "two-may-miss",
        [*_cluster(4), _stateful(4)],
        [
            _stateful(
                4,
                _new(template="two"),
                updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}},
            )
        ],
    ),
    Written(
        "two-may-miss-with-the-gate-switched",
        [*_cluster(4), _stateful(4)],
        [
            _stateful(
                4,
                _new(template="two"),
                updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}},
            )
        ],
        gates="switched",
    ),
    Written(
        "partition-of-one",
        [*_cluster(3), _stateful(3)],
        [_stateful(3, _new(), updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 1}})],
    ),
    Written(
        "blocked-and-fewer",
        [*_cluster(3), _stateful(3), _stateful(3, _new(template="two"))],
        [_stateful(1)],
    ),
    Written(
        "evicted-below-and-fewer",
        [*_cluster(3), _stateful(3, **_ORDERED), _DRAINED],
        [_stateful(2, **_ORDERED), _pod("late")],
        gates="all",
    ),
    Written(
        "evicted-below-and-fewer-at-once",
        [*_cluster(3), _stateful(3, **_PARALLEL), _DRAINED],
        [_stateful(2, **_PARALLEL), _pod("late")],
        gates="all",
    ),
    Written(
        "parallel-waits-and-fewer",
        [*_cluster(3), _stateful(3, **_PARALLEL), _stateful(5, **_PARALLEL)],
        [_stateful(2, **_PARALLEL)],
    ),
    Written("fewer-for-another", [*_cluster(3), _stateful(3)], [_pod("late"), _stateful(1)]),
    Written("ends-by-hand", [*_cluster(2), _stateful(2)], [_stateful(2, _new(), updateStrategy={"type": "OnDelete"})]),
    Written("ordered-more", [*_cluster(2, 1), _stateful(2)], [_stateful(5)]),
    Written("parallel-more", [*_cluster(3), _stateful(1, **_PARALLEL)], [_stateful(4, **_PARALLEL)]),
    # DaemonSets
    Written("daemons-roll-full", [*_cluster(1, 1), _daemons()], [_daemons(_new())]),
    Written(
        "daemons-surge-full",
        [*_cluster(1, 1), _daemons(updateStrategy=_rolling(1, 0))],
        [_daemons(_new(), updateStrategy=_rolling(1, 0))],
    ),
    Written(
        "daemons-surge-with-spare",
        [*_cluster(2, 2), _daemons(updateStrategy=_rolling(1, 0))],
        [_daemons(_new(), updateStrategy=_rolling(1, 0))],
    ),
    Written("daemons-stick", [*_cluster(1, 1, 1), _daemons()], [_daemons(_new(template="two"))]),
    Written(
        "daemons-leave-a-node",
        [
            _node("node-a", role="gpu"),
            _node("node-b"),
            _slice("node-a", 1),
            _slice("node-b", 1),
            _class(),
            _template("one", 1),
            _daemons(),
        ],
        [_daemons(_new(nodeSelector={"role": "gpu"}))],
    ),
    # Jobs
    Written("job-more-at-once", [*_cluster(2), _job(parallelism=1)], [_job(parallelism=3)]),
    Written("job-other-template", [*_cluster(2), _job()], [_job(_new())]),
    Written("job-other-completions", [*_cluster(2), _job(completions=1)], [_job(completions=2)]),
    Written(
        "job-indexed-in-step",
        [*_cluster(3), _job(completionMode="Indexed", completions=1, parallelism=1)],
        [_job(completionMode="Indexed", completions=3, parallelism=3)],
    ),
    Written(
        "job-suspended-moves",
        [*_cluster(1, 1), _job(suspend=True)],
        [_job(_pod_spec(nodeSelector={"kubernetes.io/hostname": "node-b"}), suspend=True)],
    ),
    Written(
        "volume-templates-change",
        [*_cluster(1), _stateful(0)],
        [
            _stateful(
                0,
                volumeClaimTemplates=[
                    {
                        "metadata": {"name": "data"},
                        "spec": {
                            "accessModes": ["ReadWriteOnce"],
                            "resources": {"requests": {"storage": "1Gi"}},
                        },
                    }
                ],
            )
        ],
    ),
    # RuntimeClasses
    Written(
        "runtime-selects",
        [
            _node("node-a"),
            _node("node-b", runtime="special"),
            _slice("node-a", 2),
            _slice("node-b", 1),
            _class(),
            _template("one", 1),
            _class_of_pods(scheduling={"nodeSelector": {"runtime": "special"}}),
        ],
        [_deployment(2, _pod_spec(runtimeClassName="special"))],
    ),
    Written(
        "runtime-costs",
        [*_cluster(4, cpu=4), _class_of_pods(overhead={"podFixed": {"cpu": "1"}})],
        [_deployment(3, _pod_spec(runtimeClassName="special", resources=_cpu("1")))],
    ),
    Written(
        "runtime-tolerates",
        [
            _node("node-a", taints=[_RESERVED]),
            _slice("node-a", 1),
            _class(),
            _template("one", 1),
            _class_of_pods(scheduling={"tolerations": [{"key": _RESERVED["key"], "operator": "Exists"}]}),
        ],
        [_pod("alone", runtimeClassName="special")],
    ),
    Written("runtime-is-missing", _cluster(1), [_pod("alone", runtimeClassName="special")]),
    Written(
        "runtime-contradicts",
        [*_cluster(1), _class_of_pods(scheduling={"nodeSelector": {"kubernetes.io/os": "linux"}})],
        [_pod("alone", runtimeClassName="special", nodeSelector={"kubernetes.io/os": "windows"})],
    ),
    Written(
        "runtime-comes-with-a-roll-out",
        [
            *_cluster(2, cpu=4),
            _deployment(2, _pod_spec(resources=_cpu("1"))),
            _class_of_pods(overhead={"podFixed": {"cpu": "1500m"}}),
        ],
        [_deployment(2, _pod_spec(runtimeClassName="special", resources=_cpu("1")), strategy=_rolling(0, 1))],
    ),
    # LimitRanges
    Written("limits-by-default", [*_cluster(3), _limits(default={"cpu": "4"})], [_deployment(3)]),
    Written(
        "limits-refuse",
        [*_cluster(1), _limits(max={"cpu": "2"})],
        [_pod("alone", _pod_spec(resources={"requests": {"cpu": "3"}, "limits": {"cpu": "3"}}))],
    ),
    Written(
        "limits-refuse-pods-of-a-workload",
        [*_cluster(2), _limits(min={"cpu": "500m"})],
        [_deployment(2, _pod_spec(resources={"requests": {"cpu": "100m"}, "limits": {"cpu": "1"}}))],
    ),
    Written(
        "limits-come-later",
        [*_cluster(3, cpu=4), _deployment(1), _limits(defaultRequest={"cpu": "3"})],
        [_deployment(3)],
    ),
    # Preemption
    Written(
        "preempts",
        [*_cluster(1), *_PRIORITIES, _pod("poor", priorityClassName="low")],
        [_pod("rich", priorityClassName="high")],
    ),
    Written(
        "never-preempts",
        [
            *_cluster(1),
            _priority("low", 10),
            _priority("high", 1000, preemptionPolicy="Never"),
            _pod("poor", priorityClassName="low"),
        ],
        [_pod("rich", priorityClassName="high")],
    ),
    Written(
        "equals-do-not-preempt",
        [*_cluster(1), *_PRIORITIES, _pod("first", priorityClassName="high")],
        [_pod("second", priorityClassName="high")],
    ),
    Written(
        "preempts-the-least",
        [
            *_cluster(1, 1),
            *_PRIORITIES,
            _priority("middle", 100),
            _pod("poor", priorityClassName="middle"),
            _pod("poorest", priorityClassName="low"),
        ],
        [_pod("rich", priorityClassName="high")],
    ),
    Written(
        "roll-out-of-higher-priority",
        [*_cluster(2), *_PRIORITIES, _deployment(2, _pod_spec(priorityClassName="low"))],
        [_deployment(2, _pod_spec(priorityClassName="high"))],
    ),
    Written(
        "preempts-for-cpu",
        [*_cluster(2, cpu=4), *_PRIORITIES, _pod("poor", _pod_spec(priorityClassName="low", resources=_cpu("3")))],
        [_pod("rich", _pod_spec(priorityClassName="high", resources=_cpu("3")))],
    ),
    Written(
        "classes-do-not-change",
        [*_cluster(1), _priority("high", 1000), _class_of_pods()],
        [_priority("high", 2000), {**_class_of_pods(), "handler": "other"}, _pod("alone", priorityClassName="high")],
    ),
    # Extended resources
    Written(
        "extended-roll-full",
        [
            _node("node-a"),
            _slice("node-a", 2),
            _class(extendedResourceName="example.com/gpu"),
            _deployment(2, _with_extended()),
        ],
        [_deployment(2, _with_extended(image="app:2"), strategy=_rolling(0, 1))],
        gates="all",
    ),
    Written(
        "extended-fewer-for-another",
        [
            _node("node-a"),
            _slice("node-a", 3),
            _class(extendedResourceName="example.com/gpu"),
            _deployment(3, _with_extended()),
        ],
        [_pod("late", _with_extended(2)), _deployment(1, _with_extended())],
        gates="all",
    ),
    Written(
        "extended-recreated-larger",
        [
            _node("node-a"),
            _slice("node-a", 3),
            _class(extendedResourceName="example.com/gpu"),
            _deployment(2, _with_extended(), strategy={"type": "Recreate"}),
        ],
        [_deployment(2, _with_extended(2), strategy={"type": "Recreate"})],
        gates="all",
    ),
    Written(
        "extended-by-the-name-of-the-class",
        [
            _node("node-a"),
            _slice("node-a", 2),
            _class(),
            _stateful(2, _with_extended(name="deviceclass.resource.kubernetes.io/gpu")),
        ],
        [_stateful(2, _with_extended(image="app:2", name="deviceclass.resource.kubernetes.io/gpu"))],
        gates="all",
    ),
    Written(
        "extended-for-every-node",
        [
            _node("node-a"),
            _node("node-b"),
            _slice("node-a", 1),
            _slice("node-b", 1),
            _class(extendedResourceName="example.com/gpu"),
            _daemons(_with_extended()),
        ],
        [_daemons(_with_extended(image="app:2"))],
        gates="all",
    ),
    # Groups
    Written(
        "crew-too-large",
        [*_cluster(2), _group(3)],
        [_pod(f"p{number}", **_MEMBER) for number in range(3)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-fits-on-two-nodes",
        [*_cluster(1, 1), _group(2)],
        [_pod(f"p{number}", **_MEMBER) for number in range(2)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-without-policy",
        [*_cluster(1), _group(None)],
        [_pod(f"p{number}", **_MEMBER) for number in range(2)],
        gates="groups",
        releases="1.36..",
    ),
    Written("crew-is-missing", _cluster(1), [_pod("p0", **_MEMBER)], gates="groups", releases="1.36.."),
    Written(
        "crew-shares-a-claim",
        [*_cluster(1, 1), _group(2, resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "one"}])],
        [_pod(f"p{number}", **_MEMBER) for number in range(2)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-shares-too-much",
        [*_cluster(1, 1), _group(2, resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "two"}])],
        [_pod(f"p{number}", _pod_spec("two"), **_MEMBER) for number in range(2)],
        gates="groups",
        releases="1.36..",
    ),
    # Groups with claims
    Written(
        "crew-names-a-claim",
        [*_cluster(1, 1), _ONE_CLAIM, _sharing(2, resourceClaimName="shared")],
        [_pod(f"p{number}", _named(), **_MEMBER) for number in range(2)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-claim-is-missing",
        [*_cluster(1), _sharing(None, resourceClaimName="shared")],
        [_pod("p0", _named(), **_MEMBER)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-template-is-missing",
        [*_cluster(1), _sharing(None, resourceClaimTemplateName="large")],
        [_pod("p0", _pod_spec("large"), **_MEMBER)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-shares-and-the-node-is-full",
        [*_cluster(1, 1, cpu=4), _sharing(2)],
        [_pod(f"p{number}", _pod_spec(resources=_cpu("3")), **_MEMBER) for number in range(2)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-without-policy-shares-and-the-node-is-full",
        [*_cluster(1, 1, cpu=4), _sharing(None)],
        [_pod(f"p{number}", _pod_spec(resources=_cpu("3")), **_MEMBER) for number in range(2)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-calls-the-claim-otherwise",
        [
            *_cluster(2),
            _group(None, resourceClaims=[{"name": "other", "resourceClaimTemplateName": "one"}]),
        ],
        [_pod(f"p{number}", **_MEMBER) for number in range(3)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-shares-and-each-has-its-own",
        [*_cluster(3), _sharing(2)],
        [_pod(f"p{number}", _SHARED_AND_OWN, **_MEMBER) for number in range(2)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-shares-and-lacks-its-own",
        [*_cluster(2), _sharing(2)],
        [_pod(f"p{number}", _SHARED_AND_OWN, **_MEMBER) for number in range(2)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-without-policy-lacks-its-own",
        [*_cluster(2), _sharing(None)],
        [_pod(f"p{number}", _SHARED_AND_OWN, **_MEMBER) for number in range(2)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-goes-where-the-claim-is",
        [
            *_cluster(1, 1),
            _ONE_CLAIM,
            _pod("first", _named(nodeSelector={"kubernetes.io/hostname": "node-b"})),
            _sharing(2, resourceClaimName="shared"),
        ],
        [_pod(f"p{number}", _named(), **_MEMBER) for number in range(2)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-runs-and-one-more-comes",
        [*_cluster(1, 1), _sharing(2), *(_pod(f"p{number}", **_MEMBER) for number in range(2))],
        [_pod("p2", **_MEMBER)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-waits-and-one-more-comes",
        [*_cluster(1), _sharing(2), _pod("p0", **_MEMBER)],
        [_pod("p1", **_MEMBER)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-is-gone-and-keeps-its-device",
        [*_cluster(1), _sharing(None), _deployment(1, _pod_spec(**_MEMBER))],
        [_deployment(0, _pod_spec(**_MEMBER)), _pod("late")],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-rolls-with-one-device",
        [*_cluster(1), _sharing(None), _deployment(2, _pod_spec(**_MEMBER))],
        [_deployment(2, _new(**_MEMBER))],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-is-empty-and-moves",
        [
            *_cluster(1, 1),
            _sharing(None),
            _deployment(1, _pod_spec(nodeSelector={"kubernetes.io/hostname": "node-a"}, **_MEMBER)),
            _deployment(0, _pod_spec(nodeSelector={"kubernetes.io/hostname": "node-a"}, **_MEMBER)),
        ],
        [_pod("p0", _pod_spec(nodeSelector={"kubernetes.io/hostname": "node-b"}, **_MEMBER))],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-runs-and-does-not-move",
        [
            *_cluster(1, 1),
            _sharing(None),
            _deployment(1, _pod_spec(nodeSelector={"kubernetes.io/hostname": "node-a"}, **_MEMBER)),
        ],
        [_pod("p0", _pod_spec(nodeSelector={"kubernetes.io/hostname": "node-b"}, **_MEMBER))],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crews-of-one-template",
        [*_cluster(2), _sharing(2), _sharing(2, name="band")],
        [
            *(_pod(f"p{number}", **_MEMBER) for number in range(2)),
            *(_pod(f"q{number}", schedulingGroup={"podGroupName": "band"}) for number in range(2)),
        ],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-shares-under-a-quota",
        [
            *_cluster(3),
            _object("v1", "ResourceQuota", "few", spec={"hard": {"count/resourceclaims.resource.k8s.io": "1"}}),
            _sharing(3),
        ],
        [_pod(f"p{number}", **_MEMBER) for number in range(3)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-and-another-share-a-claim",
        [*_cluster(1), _ONE_CLAIM, _sharing(None, resourceClaimName="shared")],
        [_pod("p0", _named(), **_MEMBER), _pod("q0", _named())],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-comes-with-its-pods",
        _cluster(1),
        [*(_pod(f"p{number}", **_MEMBER) for number in range(2)), _sharing(2)],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-without-the-gate-of-its-claims",
        _cluster(1),
        [_sharing(None), *(_pod(f"p{number}", **_MEMBER) for number in range(2))],
        gates="gangs",
        releases="1.36..",
    ),
    Written(
        "crew-is-more-than-may-share",
        [
            *_cluster(1, cpu=300),
            _ONE_CLAIM,
            _sharing(None, resourceClaimName="shared"),
        ],
        [_deployment(258, _named(**_MEMBER))],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-is-evicted",
        [*_cluster(1, 1), _sharing(None), *(_pod(f"p{number}", **_MEMBER) for number in range(2))],
        [_slice("node-a", 1, generation=2, taints=[{"key": "example.com/broken", "effect": "NoExecute"}])],
        gates="groups",
        releases="1.36..",
    ),
    Written(
        "crew-of-a-job",
        [*_cluster(1), _sharing(2)],
        [_job(_pod_spec(**_MEMBER), parallelism=2, completions=2)],
        gates="groups",
        releases="1.36..",
    ),
    # Pods that wait
    Written(
        "those-that-wait-come-first",
        [*_cluster(1), _deployment(2)],
        [_slice("node-a", 2, generation=2), _pod("late")],
    ),
    Written(
        "those-that-wait-take-what-is-given-back",
        [*_cluster(2), _deployment(2), _pod("first")],
        [_deployment(1), _pod("late")],
    ),
    Written(
        "those-that-wait-and-do-not-fit",
        [*_cluster(1), _pod("large", _pod_spec("two"))],
        [_pod("late")],
    ),
    Written(
        "fractions-by-default",
        [
            _node("node-a"),
            _slice("node-a", 1, **_SHARED),
            _class(),
            _template("one", 1, capacity={"requests": {"share": "150m"}}),
        ],
        [_deployment(6)],
        releases="1.36..",
    ),
)
