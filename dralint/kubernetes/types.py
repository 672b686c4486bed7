"""The types of a release: its API for devices, and Pods, workloads and nodes as far as claims need them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.release import Release, in_range
from dralint.kubernetes.workloads import GROUPED, GROUPS_OF_PODS, POD_SPECS, WITHOUT_CLAIMS
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


SHAPES = frozenset(
    {"string", "boolean", "int32", "int64", "quantity", "time", "any", "struct", "list", "map", "number"}
)
SCALARS = {"Quantity": "quantity", "Time": "time", "MicroTime": "time", "RawExtension": "any", "FieldsV1": "any"}


def short_name(name: str) -> str:
    """Return `Device` for `io.k8s.api.resource.v1.Device`; types of the core group keep a leading `core.`."""
    last = name.rpartition(".")[2]
    return f"core.{last}" if ".api.core." in name else last


class Shape(NamedTuple):
    """The shape of a value: `shape` is string, boolean, int32, int64, quantity, time, any, struct, list or map.

    `type` names the struct, `of` the shape of items or values; `present` marks a plain struct that exists (empty) even
    where the manifest leaves it out.
    """

    shape: str
    type: str = ""
    of: Shape | None = None
    present: bool = False

    @property
    def innermost(self) -> Shape:
        """The shape of the items or values that are neither lists nor maps."""
        return self if self.of is None else self.of.innermost


class Struct(NamedTuple):
    """A type with named fields."""

    name: str
    fields: Mapping[str, Shape]
    required: frozenset[str] = frozenset()


class KnownField(NamedTuple):
    """A field: the type that has it, its name, its shape. A list or map and its items have the same `owner`.

    `inside` means that the path leads to an item of the list, or a value of the map.
    """

    owner: str
    name: str
    shape: Shape
    inside: bool


def field_at(types: Mapping[str, Struct], name: str, path: Sequence[str | int]) -> KnownField | None:
    """Return the field that a path leads to from the type of a name; None where the types have none."""
    field = KnownField("", "", Shape("struct", name), inside=False)
    for step in path:
        shape = field.shape
        if shape.of is not None:
            if isinstance(step, int) != (shape.shape == "list"):
                return None
            field = field._replace(shape=shape.of, inside=True)
            continue
        struct = types.get(shape.type) if shape.shape == "struct" else None
        if struct is None or step not in struct.fields:
            return None
        field = KnownField(struct.name, str(step), struct.fields[str(step)], inside=False)
    return field


def typed_values(
    types: Mapping[str, Struct], name: str, data: object, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Any, KnownField | None]]:
    """Yield path, value and field of all that is in a value of a type, in its order; None for an unknown field.

    What is in a value of another shape than its field, or in an unknown field, is left out.
    """
    todo: list[tuple[tuple[str | int, ...], Any, KnownField | None]]
    todo = [(path, data, KnownField("", "", Shape("struct", name), inside=False))]
    while todo:
        path, value, field = todo.pop()
        yield path, value, field
        if field is None:
            continue
        shape = field.shape
        if isinstance(value, dict) and (struct := types.get(shape.type)) is not None:
            for key in reversed(value):
                known = struct.fields.get(key)
                found = None if known is None else KnownField(struct.name, key, known, inside=False)
                todo.append(((*path, key), value[key], found))
        elif shape.of is not None and isinstance(value, dict if shape.shape == "map" else list):
            each = field._replace(shape=shape.of, inside=True)
            entries = value.items() if isinstance(value, dict) else enumerate(value)
            todo += [((*path, step), entry, each) for step, entry in reversed([*entries])]


def _shape(schema: Mapping[str, Any]) -> Shape:
    if "$ref" in schema or "allOf" in schema:
        ref = schema["$ref"] if "$ref" in schema else schema["allOf"][0]["$ref"]
        name = short_name(ref.rpartition("/")[2])
        if name in SCALARS:
            return Shape(SCALARS[name])
        return Shape("struct", name, present="default" in schema)
    kind = schema.get("type")
    if kind == "array":
        return Shape("list", of=_shape(schema["items"]))
    if kind == "object":
        values = schema.get("additionalProperties")
        return Shape("map", of=_shape(values)) if isinstance(values, dict) else Shape("any")
    if kind == "integer":
        return Shape(schema.get("format", "int64"))
    return Shape(kind if kind in ("string", "boolean", "number") else "any")


def structs(schemas: Mapping[str, Any]) -> dict[str, Struct]:
    """Return the structs of `components.schemas` of an OpenAPI v3 document by short name."""
    out: dict[str, Struct] = {}
    for name, schema in schemas.items():
        if "properties" in schema or short_name(name) not in SCALARS:
            fields = {key: _shape(value) for key, value in schema.get("properties", {}).items()}
            out[short_name(name)] = Struct(short_name(name), fields, frozenset(schema.get("required", ())))
    return out


def hold_together(types: Mapping[str, Struct], roots: Iterable[str]) -> bool:
    """Say whether all types that the roots refer to exist, with known shapes; the file may be damaged."""
    seen: set[str] = set()
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name not in types:
            return False
        if name in seen:
            continue
        seen.add(name)
        for field_shape in types[name].fields.values():
            shape: Shape | None = field_shape
            while shape is not None:
                if shape.shape not in SHAPES:
                    return False
                if shape.shape == "struct":
                    todo.append(shape.type)
                shape = shape.of
    return True


CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
"""The lists of containers in a Pod spec."""

TRIMMED = frozenset(
    """
    core.PodSpec core.Container core.PodStatus PodGroupStatus PodGroupSpec PodGroupTemplate JobSpec
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)
"""The types with more fields than this module has."""

_STRING = Shape("string")
_CLAIM_NAMES = {"name": _STRING, "resourceClaimName": _STRING, "resourceClaimTemplateName": _STRING}


def _list_of(name: str) -> Shape:
    return Shape("list", of=Shape("struct", name))


def pod_types(core: Mapping[str, Struct], release: Release) -> dict[str, Struct]:
    """Return the types of the core group together with those around claims, as a release has them.

    Sources: core/v1/types.go, batch/v1/types.go and scheduling/v1alpha2 to v1beta1/types.go of k8s.io/api.
    """
    resources = Shape("struct", "core.ResourceRequirements")
    spec: dict[str, Shape] = {"resourceClaims": _list_of("core.PodResourceClaim")}
    spec |= {name: _list_of("core.Container") for name in CONTAINERS}
    if in_range("1.32..", release):
        spec["resources"] = resources
    statuses = _list_of("PodResourceClaimStatus")
    claims = {"resourceClaims": _list_of("PodGroupResourceClaim")}
    own = [
        Struct("core.PodSpec", spec),
        Struct("core.Container", {"resources": resources}),
        Struct("core.PodStatus", {"resourceClaimStatuses": statuses} if in_range("1.28..", release) else {}),
        Struct("PodGroupStatus", {"resourceClaimStatuses": statuses}),
        Struct("PodResourceClaimStatus", {"name": _STRING, "resourceClaimName": _STRING}),
        Struct("PodGroupSpec", claims),
        Struct("PodGroupTemplate", claims if in_range("1.36..", release) else {}),
        Struct("PodGroupResourceClaim", _CLAIM_NAMES),
        Struct("JobSpec", {"scheduling": Shape("struct", "JobScheduling")} if in_range("1.37..", release) else {}),
        Struct("JobScheduling", claims),
    ]
    return {**core, **{struct.name: struct for struct in own}}


WORKLOADS = (*(kind for _, kind in POD_SPECS), *GROUPS_OF_PODS)
"""The kinds that `workload_types` knows."""

_POD_GROUP = [
    Struct("PodGroup", {"spec": Shape("struct", "PodGroupSpec"), "status": Shape("struct", "PodGroupStatus")}),
]
_WORKLOAD = [
    Struct("Workload", {"spec": Shape("struct", "WorkloadSpec")}),
    Struct("WorkloadSpec", {"podGroupTemplates": Shape("list", of=Shape("struct", "PodGroupTemplate"))}),
]
_BETWEEN = {"template": "PodTemplateSpec", "jobTemplate": "JobTemplateSpec"}


def workload_types(
    kind: str, core: Mapping[str, Struct], release: Release
) -> Iterator[tuple[str, Mapping[str, Struct]]]:
    """Yield each API version of a kind of WORKLOADS that the release serves, with the types; the kind is one of them.

    Args:
        core: the types of the core group, from the trimmed OpenAPI of the release.

    Sources: the `types.go` of core/v1, apps/v1, batch/v1 and scheduling/v1alpha2 to v1beta1 of k8s.io/api.
    """
    known = pod_types(core, release)
    if kind in GROUPS_OF_PODS:
        own = _POD_GROUP if kind == "PodGroup" else _WORKLOAD
        for (api_version, name), span in sorted(GROUPED.items(), reverse=True):
            if name == kind and in_range(span, release):
                structs = [Struct(kind, {})] if api_version == WITHOUT_CLAIMS else own
                yield api_version, {**known, **{struct.name: struct for struct in structs}}
        return
    for (api_version, name), path in POD_SPECS.items():
        if name == kind:
            own = _chain(kind, path, known)
            yield api_version, {**known, **{struct.name: struct for struct in own}}


def _chain(kind: str, path: tuple[str, ...], known: Mapping[str, Struct]) -> list[Struct]:
    """Return the types from the kind down to its Pod spec."""
    out: list[Struct] = []
    owner = kind
    for number, field in enumerate(path):
        own = f"{owner.removesuffix('TemplateSpec')}Spec"
        below = "core.PodSpec" if number == len(path) - 1 else _BETWEEN.get(field, own)
        fields = dict(known[owner].fields) if owner in known else {}
        fields[field] = Shape("struct", below)
        if owner == "Pod":
            fields["status"] = Shape("struct", "core.PodStatus")
        out.append(Struct(owner, fields))
        owner = below
    return out


OF_THE_SERVER = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid")
"""Fields of metadata that only the API server sets: in a manifest they come from a copy."""

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
        out[name] = Struct(name, {key: _shape_of_word(written) for key, written in shapes})
    return out


def _shape_of_word(written: str) -> Shape:
    if written[0] in "[{":
        return Shape("list" if written[0] == "[" else "map", of=_shape_of_word(written[1:-1]))
    return Shape(written) if written in SHAPES else Shape("struct", written)
