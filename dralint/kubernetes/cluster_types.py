"""The types of a cluster's objects outside of resource.k8s.io, with the fields that the simulation reads.

Sources: core/v1/types.go, apps/v1/types.go, batch/v1/types.go of k8s.io/api v0.37.0, and
pkg/apis/meta/v1/types.go of k8s.io/apimachinery v0.37.0.
"""

from __future__ import annotations

from functools import cache

from dralint.kubernetes.types import SHAPES, Shape, Struct

_TYPES = """
ObjectMeta: name string, generateName string, namespace string, uid string, resourceVersion string, generation int64,
  creationTimestamp string, deletionTimestamp string, labels {string}, annotations {string}, finalizers [string],
  ownerReferences [OwnerReference]
OwnerReference: apiVersion string, kind string, name string, uid string, controller boolean
Condition: type string, status string, reason string, message string, lastTransitionTime string,
  lastHeartbeatTime string
LabelSelector: matchLabels {string}, matchExpressions [Requirement]
Requirement: key string, operator string, values [string]
Namespace: metadata ObjectMeta
Node: metadata ObjectMeta, spec NodeSpec, status NodeStatus
NodeSpec: unschedulable boolean, taints [Taint]
Taint: key string, value string, effect string, timeAdded string
NodeStatus: allocatable {quantity}, capacity {quantity}, conditions [Condition], declaredFeatures [string],
  nodeInfo NodeSystemInfo
NodeSystemInfo: kubeletVersion string
ResourceQuota: metadata ObjectMeta, spec ResourceQuotaSpec, status ResourceQuotaStatus
ResourceQuotaSpec: hard {quantity}, scopes [string], scopeSelector ScopeSelector
ResourceQuotaStatus: hard {quantity}, used {quantity}
ScopeSelector: matchExpressions [ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement: scopeName string, operator string, values [string]
Pod: metadata ObjectMeta, spec PodSpec, status PodStatus
PodTemplate: metadata ObjectMeta, template PodTemplateSpec
PodTemplateSpec: metadata ObjectMeta, spec PodSpec
PodSpec: nodeName string, nodeSelector {string}, affinity Affinity, tolerations [Toleration], schedulerName string,
  schedulingGates [PodSchedulingGate], priority int32, priorityClassName string, preemptionPolicy string,
  runtimeClassName string, restartPolicy string, hostNetwork boolean, activeDeadlineSeconds int64, overhead {quantity},
  resourceClaims [PodResourceClaim], resources ResourceRequirements, containers [Container], initContainers [Container],
  topologySpreadConstraints [TopologySpreadConstraint], volumes [Volume], schedulingGroup PodSchedulingGroup
PodResourceClaim: name string, resourceClaimName string, resourceClaimTemplateName string
PodSchedulingGate: name string
PodSchedulingGroup: podGroupName string
Container: name string, image string, restartPolicy string, command [string], args [string], ports [ContainerPort],
  resources ResourceRequirements
ContainerPort: containerPort int32, hostPort int32, protocol string, hostIP string
ResourceRequirements: requests {quantity}, limits {quantity}, claims [ResourceClaim]
ResourceClaim: name string, request string
Volume: name string, persistentVolumeClaim PersistentVolumeClaimVolumeSource
PersistentVolumeClaimVolumeSource: claimName string
Toleration: key string, operator string, value string, effect string, tolerationSeconds int64
TopologySpreadConstraint: maxSkew int32, minDomains int32, topologyKey string, whenUnsatisfiable string,
  nodeAffinityPolicy string, nodeTaintsPolicy string, labelSelector LabelSelector, matchLabelKeys [string]
Affinity: nodeAffinity NodeAffinity, podAffinity PodAffinity, podAntiAffinity PodAffinity
NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution NodeSelector
NodeSelector: nodeSelectorTerms [NodeSelectorTerm]
NodeSelectorTerm: matchExpressions [Requirement], matchFields [Requirement]
PodAffinity: requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm]
PodAffinityTerm: labelSelector LabelSelector, namespaceSelector LabelSelector, namespaces [string], topologyKey string,
  matchLabelKeys [string], mismatchLabelKeys [string]
PodStatus: phase string, nominatedNodeName string, conditions [Condition],
  resourceClaimStatuses [PodResourceClaimStatus], extendedResourceClaimStatus PodExtendedResourceClaimStatus
PodResourceClaimStatus: name string, resourceClaimName string
PodExtendedResourceClaimStatus: resourceClaimName string, requestMappings [ContainerExtendedResourceRequest]
ContainerExtendedResourceRequest: containerName string, resourceName string, requestName string
ReplicationController: metadata ObjectMeta, spec ReplicationControllerSpec, status WorkloadStatus
ReplicationControllerSpec: replicas int32, selector {string}, template PodTemplateSpec
Deployment: metadata ObjectMeta, spec WorkloadSpec, status WorkloadStatus
ReplicaSet: metadata ObjectMeta, spec WorkloadSpec, status WorkloadStatus
StatefulSet: metadata ObjectMeta, spec WorkloadSpec, status WorkloadStatus
DaemonSet: metadata ObjectMeta, spec WorkloadSpec, status WorkloadStatus
Job: metadata ObjectMeta, spec WorkloadSpec, status WorkloadStatus
CronJob: metadata ObjectMeta, spec CronJobSpec
CronJobSpec: suspend boolean, jobTemplate JobTemplateSpec
JobTemplateSpec: metadata ObjectMeta, spec WorkloadSpec
WorkloadSpec: replicas int32, parallelism int32, completions int32, suspend boolean, paused boolean,
  activeDeadlineSeconds int64, selector LabelSelector, template PodTemplateSpec, strategy Strategy,
  updateStrategy Strategy, ordinals StatefulSetOrdinals
Strategy: type string, rollingUpdate RollingUpdate
RollingUpdate: partition int32
StatefulSetOrdinals: start int32
WorkloadStatus: replicas int32, readyReplicas int32, succeeded int32, failed int32, active int32, conditions [Condition]
"""
"""A type a line: its fields, each with a scalar or another type; `[T]` is a list, `{T}` a map."""

KINDS = {
    **dict.fromkeys(("Namespace", "Node", "ResourceQuota", "Pod", "PodTemplate", "ReplicationController"), "v1"),
    **dict.fromkeys(("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"), "apps/v1"),
    **dict.fromkeys(("Job", "CronJob"), "batch/v1"),
}
"""The kinds among the types, with their API versions."""


@cache
def cluster_types() -> dict[str, Struct]:
    """Return the types by name."""
    out: dict[str, Struct] = {}
    for line in _TYPES.replace("\n  ", " ").strip().splitlines():
        name, _, fields = line.partition(": ")
        shapes = (field.partition(" ")[::2] for field in fields.split(", "))
        out[name] = Struct(name, {key: _shape(written) for key, written in shapes})
    return out


def _shape(written: str) -> Shape:
    if written[0] in "[{":
        return Shape("list" if written[0] == "[" else "map", of=_shape(written[1:-1]))
    return Shape(written) if written in SHAPES else Shape("struct", written)
