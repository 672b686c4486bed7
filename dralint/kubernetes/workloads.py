"""Kinds outside of resource.k8s.io that concern claims, Kubernetes' own and custom ones, and where their Pods are."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from dralint.kubernetes import shipped
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


GROUP = "resource.k8s.io"

IMPLICIT = "deviceclass.resource.kubernetes.io/"
"""The start of the extended resource name of a class that names none."""


def is_native(name: str) -> bool:
    """Say whether Kubernetes itself defines the name of a resource.

    Source: IsNativeResource in pkg/apis/core/v1/helper/helpers.go (v1.37.0).
    """
    return "/" not in name or "kubernetes.io/" in name


CLASS_QUOTA = ".deviceclass.resource.k8s.io/devices"
"""The end of the name under which a ResourceQuota limits the devices of a class."""

HOSTNAME = "kubernetes.io/hostname"
"""The label of a node with its own name."""

POD_SPECS: dict[tuple[str, str], tuple[str, ...]] = {
    ("v1", "Pod"): ("spec",),
    ("v1", "PodTemplate"): ("template", "spec"),
    ("v1", "ReplicationController"): ("spec", "template", "spec"),
    ("apps/v1", "Deployment"): ("spec", "template", "spec"),
    ("apps/v1", "ReplicaSet"): ("spec", "template", "spec"),
    ("apps/v1", "StatefulSet"): ("spec", "template", "spec"),
    ("apps/v1", "DaemonSet"): ("spec", "template", "spec"),
    ("batch/v1", "Job"): ("spec", "template", "spec"),
    ("batch/v1", "CronJob"): ("spec", "jobTemplate", "spec", "template", "spec"),
}
"""The path of the Pod spec in the kinds of Kubernetes that embed one."""


GROUPS_OF_PODS = ("PodGroup", "Workload")

POD_GROUPS = "scheduling.k8s.io"
"""The group of PodGroup and Workload."""

WITHOUT_CLAIMS = f"{POD_GROUPS}/v1alpha1"
"""Its Workload has no claims."""

GROUPED = {
    (WITHOUT_CLAIMS, "Workload"): "1.35",
    (f"{POD_GROUPS}/v1alpha2", "PodGroup"): "1.36",
    (f"{POD_GROUPS}/v1alpha2", "Workload"): "1.36",
    (f"{POD_GROUPS}/v1alpha3", "PodGroup"): "1.37..",
    (f"{POD_GROUPS}/v1alpha3", "Workload"): "1.37..",
    (f"{POD_GROUPS}/v1beta1", "PodGroup"): "1.37..",
    (f"{POD_GROUPS}/v1beta1", "Workload"): "1.37..",
}
"""The kinds of groups of Pods → the releases that serve them.

Sources: pkg/controlplane/instance.go (v1.35.4 to v1.37.0) and scheduling/*/register.go of k8s.io/api v0.38.0-alpha.2.
"""


def is_group_of_pods(group: str, kind: str) -> bool:
    """Say whether a kind in an API group is PodGroup or Workload, whatever the version is."""
    return group == POD_GROUPS and kind in GROUPS_OF_PODS


STATUS_TYPES = {"Pod": "core.PodStatus", "PodGroup": "PodGroupStatus"}
"""Kind → the type of its status, for kinds whose status has claims."""


CUSTOM_GROUPS = frozenset(
    """
    apps.kruise.io argoproj.io batch.volcano.sh flink.apache.org grove.io jobset.x-k8s.io kubeflow.org
    kueue.x-k8s.io leaderworkerset.x-k8s.io ray.io serving.knative.dev serving.kserve.io sparkoperator.k8s.io
    trainer.kubeflow.org workload.codeflare.dev
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)
"""Groups of custom workloads that embed Pod specs: JobSet, MPIJob, RayCluster, LeaderWorkerSet, Volcano's Job, Kueue's
Workload, Argo's Rollout and others."""

ENVELOPES = frozenset({"AddOnTemplate", "AppWrapper", "ManifestWork", "ManifestWorkReplicaSet", "Work"})
"""The kinds that contain whole objects of any group; dralint looks up only these few with `custom_kind`."""

MOST_DEVICES = 32
"""The most devices that one claim can get.

Source: AllocationResultsMaxSize in staging/src/k8s.io/api/resource/v1/types.go (v1.37.0).
"""

MOST_CONSUMERS, MOST_CONSUMERS_BEFORE = 256, 32
"""The most Pods that can use one claim, since 1.32 and before.

Source: ResourceClaimReservedForMaxSize in staging/src/k8s.io/api/resource/v1beta1/types.go (v1.32.13).
"""


ITEMS, VALUES = "[]", "{}"
"""Parts of a pattern that stand for each item of a list, and for each value of a map."""
CLAIMS = "resourceClaims"

Pattern = tuple[str, ...]
OwnKind = tuple[str, str, tuple[Pattern, ...], tuple[Pattern, ...], tuple[Pattern, ...]]
"""A kind that a user has described: group, kind, and the paths of Pod specs, of their number, and of dropped ones."""

_own: tuple[OwnKind, ...] = ()


class PodPlace(NamedTuple):
    """The place of a Pod spec: `at` has its list of claims; rules/workloads.yaml describes the others."""

    at: Pattern
    containers: tuple[Pattern, ...] = ()
    devices: tuple[Pattern, ...] = ()
    otherwise: tuple[Pattern, ...] = ()
    also: tuple[Pattern, ...] = ()
    patches: tuple[Pattern, ...] = ()
    unless: tuple[Pattern, ...] = ()
    number: tuple[Pattern, ...] = ()
    single: tuple[Pattern, ...] = ()
    fewer: tuple[Pattern, ...] = ()
    layered: bool = False
    list: str = CLAIMS

    @property
    def simple(self) -> bool:
        """Whether the list and all containers are in the Pod spec, as in a Pod."""
        return (
            not (self.containers or self.devices or self.otherwise or self.also or self.patches) and self.list == CLAIMS
        )


class MadeByController(NamedTuple):
    """What a controller makes: for each mapping at `each` that has `when`; texts of the name alternate with paths.

    `of_class` is the path of the class of its requests.
    """

    kind: str
    each: Pattern
    when: Pattern
    name: tuple[str | Pattern, ...]
    requests: tuple[str, ...]
    of_class: Pattern


class CustomKind(NamedTuple):
    """The content of a kind of custom resource."""

    pods: tuple[PodPlace, ...] = ()
    undeclared: tuple[Pattern, ...] = ()
    drops: tuple[Pattern, ...] = ()
    envelope: tuple[Pattern, ...] = ()
    passes_namespace: bool = False
    cluster: bool = False
    refused_by: str = ""
    templates: tuple[Pattern, ...] = ()
    shares: tuple[Pattern, ...] = ()
    makes: tuple[MadeByController, ...] = ()


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    data: Mapping[str, Mapping[str, Any]] = json.loads((shipped.folder("rules") / "workloads.json").read_bytes())
    return data


def named_kinds(name: str) -> list[tuple[str, CustomKind]]:
    """Return the custom kinds of a name, whatever its case, each with its group."""
    found = [(group, kind) for group, row in _table().items() for kind in row if kind.lower() == name.lower()]
    return [(group, known) for group, kind in found if (known := custom_kind(group, kind)) is not None]


def kinds_with_pods() -> frozenset[str]:
    """Return the names of the custom kinds that have Pod specs, whatever their groups are."""
    return frozenset(kind for row in _table().values() for kind in row).union(kind for _, kind, *_ in _own)


def use(own: tuple[OwnKind, ...]) -> None:
    """Use these kinds before those of the table, from now on in this process."""
    global _own
    if own != _own:
        _own = own
        custom_kind.cache_clear()


@cache
def custom_kind(group: str, kind: str) -> CustomKind | None:
    """Return what is known of a kind of custom resource; None for an unknown one."""
    for of, name, pods, numbers, drops in _own:
        if (of, name) == (group, kind):
            return CustomKind(pods=tuple(PodPlace(at, number=numbers) for at in pods), drops=drops)
    row = _table().get(group, {}).get(kind)
    return None if row is None else _kind(row)


def _kind(row: Mapping[str, Any]) -> CustomKind:
    return CustomKind(
        pods=tuple(_pod(pod) for pod in row.get("pods", ())),
        undeclared=_patterns(row.get("undeclared")),
        drops=_patterns(row.get("drops")),
        envelope=_patterns(row.get("envelope")),
        passes_namespace=row.get("namespace") == "own",
        cluster=row.get("scope") == "Cluster",
        refused_by=row.get("refused-by", ""),
        templates=_patterns(row.get("templates")),
        shares=_patterns(row.get("shares")),
        makes=tuple(_made(made) for made in row.get("makes", ())),
    )


def _pod(row: Mapping[str, Any]) -> PodPlace:
    return PodPlace(
        at=tuple(row["at"]),
        containers=_patterns(row.get("containers")),
        devices=_patterns(row.get("devices")),
        otherwise=_patterns(row.get("otherwise")),
        also=_patterns(row.get("also")),
        patches=_patterns(row.get("patches")),
        unless=_patterns(row.get("unless")),
        number=_patterns(row.get("number")),
        single=_patterns(row.get("single")),
        fewer=_patterns(row.get("fewer")),
        layered=row.get("layered", False),
        list=row.get("list", CLAIMS),
    )


def _made(row: Mapping[str, Any]) -> MadeByController:
    name = tuple(part if isinstance(part, str) else tuple(part) for part in row["name"])
    each, when = tuple(row.get("each", ())), tuple(row.get("when", ()))
    of_class = tuple(row.get("class", ()))
    return MadeByController(row["kind"], each, when, name, tuple(row.get("requests", ())), of_class)


def _patterns(paths: Any) -> tuple[Pattern, ...]:
    return tuple(tuple(path) for path in paths or ())


_PERCENTAGE = re.compile(r"([0-9]{1,9})%")


def share(value: Any, of: int, *, up: bool) -> int:
    """Return a number of Pods that is written as a number or as a percentage."""
    if isinstance(value, int):
        return max(0, value)
    found = _PERCENTAGE.fullmatch(str(value))
    if found is None:
        return 0
    exact = int(found[1]) * of / 100
    return math.ceil(exact) if up else math.floor(exact)
