"""Kinds of Kubernetes outside of resource.k8s.io that concern claims, and the paths of their Pod specs."""

from __future__ import annotations

GROUP = "resource.k8s.io"

IMPLICIT = "deviceclass.resource.kubernetes.io/"
"""The start of the extended resource name of a class that names none."""

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


_GROUPS_OF_PODS = ("PodGroup", "Workload")

FIXED_FIELDS = {
    "Deployment": ("selector",),
    "ReplicaSet": ("selector",),
    "DaemonSet": ("selector",),
    "StatefulSet": ("selector", "serviceName", "podManagementPolicy"),
    "Job": ("selector", "completionMode"),
}
"""Fields of the spec of a workload that no update changes (pkg/apis/{apps,batch}/validation, v1.37.0)."""


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
    return group == POD_GROUPS and kind in _GROUPS_OF_PODS


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
"""The kinds that contain whole objects of any group; dralint looks up only these few in `custom_kinds`."""

MOST_DEVICES = 32
"""The most devices that one claim can get.

Source: AllocationResultsMaxSize in staging/src/k8s.io/api/resource/v1/types.go (v1.37.0).
"""

MOST_CONSUMERS, MOST_CONSUMERS_BEFORE = 256, 32
"""The most Pods that can use one claim, since 1.32 and before.

Source: ResourceClaimReservedForMaxSize in staging/src/k8s.io/api/resource/v1beta1/types.go (v1.32.13).
"""
