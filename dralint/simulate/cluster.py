"""Collects the dumped objects of a cluster that the simulation needs, by kind and name."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import at, dict_of, list_of
from dralint.finding.words import plural
from dralint.kubernetes.quantity import quantities
from dralint.kubernetes.taints import allows
from dralint.kubernetes.workloads import CLAIMS, GROUP, HOSTNAME, POD_SPECS
from dralint.manifest.objects import ApiObject, known_kind
from dralint.manifest.pod_parts import custom_pods, number_of, put_together
from dralint.records import grouped
from dralint.simulate.claims import claim_name, to_v1
from dralint.simulate.inventory import ClusterNode, InUse, Inventory, slices_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.groups import Shared

ANY_NODE = "(any)"
NOT_SELECTED = "node(s) didn't match Pod's node affinity/selector"
GENERATED_FOR = "resource.kubernetes.io/pod-claim-name"
_ENDED = ("Succeeded", "Failed")
"""The phases of Pods that run no more."""

_CLUSTER_WIDE = (
    *("ResourceSlice", "DeviceClass", "DeviceTaintRule", "Node", "Namespace"),
    *("PriorityClass", "RuntimeClass"),
)
_GROUPS = {
    **dict.fromkeys(
        ("ResourceSlice", "DeviceClass", "DeviceTaintRule", "ResourceClaim", "ResourceClaimTemplate"), GROUP
    ),
    **dict.fromkeys(("Node", "Namespace", "ResourceQuota", "LimitRange"), ""),
    **dict.fromkeys(("PriorityClass", "PodGroup"), "scheduling.k8s.io"),
    "RuntimeClass": "node.k8s.io",
    **{kind: version.rpartition("/")[0] for version, kind in POD_SPECS},
}
"""The kinds that matter, with their API groups."""

_NEVER_WRITTEN = ("ResourceClaim", "Pod")
"""Kinds whose status the API server drops when a manifest has it."""

_OF_PODS = {kind for _, kind in POD_SPECS if kind not in ("Pod", "PodTemplate")}
_WHOLE = ("template", "jobTemplate", "selector", "volumeClaimTemplates")
"""Fields of a workload that are taken from the manifest as a whole."""
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_KEPT = (
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "ownerReferences",
    "finalizers",
    "resourceVersion",
    "generation",
)
"""The metadata that a live object keeps, whatever a manifest has."""

_OF_NODES = ("allocatable", "conditions", "declaredFeatures", "nodeInfo")
"""The parts of a Node's status that matter; the rest, such as the list of images, is long."""

_MOST_SHARED = 50_000

Key = tuple[str, str, str]
"""Kind, namespace (empty where there is none) and name."""


@dataclass
class Workload:
    """A Pod, or what makes Pods: `pod` is one of them, `item` the object itself.

    A custom resource has a workload for each of its Pod specs: `part` names it, `number` is the number of its Pods, and
    `unread` what of it is not simulated.
    """

    kind: str
    namespace: str
    name: str
    pod: dict[str, Any]
    item: Mapping[str, Any] = field(default_factory=dict)
    part: str = ""
    number: int | None = None
    unread: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """`pod NAMESPACE/NAME`, with the part of a custom resource."""
        part = f" ({self.part})" if self.part else ""
        return f"{self.kind.lower()} {self.namespace}/{self.name}{part}"


@dataclass
class Cluster:
    """The objects of a cluster, by kind, namespace and name.

    `add` replaces an object of the same name; `apply` merges objects as the API server does.
    """

    objects: dict[Key, dict[str, Any]] = field(default_factory=dict)
    before: dict[Key, dict[str, Any]] = field(default_factory=dict)
    """Live objects as they were before a manifest was applied to them."""
    absent: frozenset[str] = frozenset()
    """Kinds that the cluster may have, and that nobody asked it for."""
    in_part: bool = False
    """Whether objects are left out, so that what is not there may be in the cluster."""
    _generated: dict[tuple[str, str, str, str], dict[str, Any]] | None = None
    _owned: dict[Key, list[dict[str, Any]]] | None = None
    _values: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def add(self, item: Mapping[str, Any], namespace: str = "default") -> Key | None:
        """Add an object, in `namespace` if it has none.

        None for one of a kind that does not matter, and for a slice without a spec.
        """
        read = _read(item, namespace)
        if read is None:
            return None
        key, made = read
        if key[0] == "ResourceSlice":
            self._share(made["spec"])
        elif key[0] == "Node" and isinstance(made.get("status"), dict):
            made["status"] = {name: part for name, part in made["status"].items() if name in _OF_NODES}
        made["metadata"].pop("managedFields", None)
        self.objects[key] = made
        self._generated = self._owned = None
        return key

    def _share(self, spec: Mapping[str, Any]) -> None:
        """Keep equal attributes and capacities of devices once: in a fleet nearly all are equal."""
        for device in map(dict_of, list_of(spec.get("devices"))):
            for values in (dict_of(device.get("attributes")), dict_of(device.get("capacity"))):
                for name, value in values.items():
                    values[name] = self._shared(value)

    def _shared(self, value: Any) -> Any:
        parts = list(value.items()) if isinstance(value, dict) else []
        if len(parts) != 1 or not isinstance(parts[0][1], str):
            return value
        if len(self._values) < _MOST_SHARED:
            self._values.setdefault(parts[0], value)
        return self._values.get(parts[0], value)

    def runs_for(self, namespace: str, name: str, *, waits: bool = False) -> bool:
        """Say whether a Pod runs, or also `waits`, that a controller has labelled with the name of its object."""
        return any(
            value == name and "/" in key and pod["metadata"].get("namespace") == namespace
            for pod in self.of("Pod")
            if waits or dict_of(pod.get("spec")).get("nodeName")
            for key, value in dict_of(pod["metadata"].get("labels")).items()
        )

    def apply(self, item: Mapping[str, Any], namespace: str = "default") -> Key | None:
        """Add an object as the API server applies it; None for one of a kind that does not matter.

        The live object keeps what only the server or a controller writes: status, identity, owners, and the labels and
        annotations that the manifest does not have.
        """
        read = _read(item, namespace)
        if read is None:
            return None
        key, made = read
        live = self.objects.get(key)
        if live is not None:
            self.before.setdefault(key, live)
            self.objects[key] = _merged(live, made)
        else:
            self.objects[key] = (
                {name: part for name, part in made.items() if name != "status"} if (key[0] in _NEVER_WRITTEN) else made
            )
        self._generated = self._owned = None
        return key

    def unsure(self, kind: str) -> str:
        """Return why an object of a kind that is not here may be in the cluster; empty where it is not there."""
        if kind and self.in_part:
            return f"the inventory is not read in full: the {kind} can be in the rest"
        return lack(sorted(self.absent)) if kind in self.absent else ""

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return all objects of a kind, in the order in which they were added."""
        return [item for (of, _, _), item in self.objects.items() if of == kind]

    def get(self, kind: str, namespace: str, name: str) -> dict[str, Any] | None:
        """Return an object."""
        return self.objects.get((kind, namespace, name))

    def pods_of(self, kind: str, namespace: str, name: str) -> list[dict[str, Any]]:
        """Return the Pods that a workload has made, those of a Deployment by the name of their ReplicaSet."""
        if self._owned is None:
            self._owned = grouped((key, pod) for pod in self.of("Pod") for key in dict.fromkeys(_makers(pod)))
        return self._owned.get((kind, namespace, name), [])

    def orphans(self, namespace: str) -> list[dict[str, Any]]:
        """Return the Pods of a namespace that no controller owns."""
        return self.pods_of("", namespace, "")

    def generated(self, kind: str, namespace: str, owner: str, entry: str) -> dict[str, Any] | None:
        """Return the claim generated for an entry of a Pod or PodGroup, which is known by its uid or else its name."""
        if self._generated is None:
            self._generated = {}
            for claim in self.of("ResourceClaim"):
                metadata = claim["metadata"]
                marked = dict_of(metadata.get("annotations")).get(GENERATED_FOR)
                for reference in (metadata.get("ownerReferences") or ()) if marked else ():
                    for known in (reference.get("uid"), reference.get("name")):
                        self._generated[reference.get("kind"), metadata["namespace"], str(known), str(marked)] = claim
        return self._generated.get((kind, namespace, owner, entry))

    def nodes(self) -> list[ClusterNode]:
        """Return the nodes by name; without any Node, those that slices mention, and `(any)` for slices of all."""
        found = [_node(item) for item in self.of("Node")]
        if not found:
            places = [item.get("spec") or {} for item in self.of("ResourceSlice")]
            places += [d for place in places for d in place.get("devices") or () if isinstance(d, dict)]
            names = {place["nodeName"] for place in places if place.get("nodeName")}
            found = [ClusterNode(name, {HOSTNAME: name}, guessed=True) for name in names]
            if any(place.get("allNodes") for place in places) or not found:
                found.append(ClusterNode(ANY_NODE, guessed=True))
        return sorted(found, key=lambda node: node.name)

    def inventory(self, behaviour: Behaviour) -> Inventory:
        """Return what the allocator sees of it."""
        in_use = InUse()
        for claim in self.of("ResourceClaim"):
            take(in_use, claim, behaviour)
        return Inventory(
            nodes=self.nodes(),
            classes={item["metadata"]["name"]: item for item in self.of("DeviceClass")},
            slices=slices_of(self.of("ResourceSlice")),
            taint_rules=[
                {"name": item["metadata"]["name"], **(item.get("spec") or {})} for item in self.of("DeviceTaintRule")
            ],
            in_use=in_use,
        )


def lack(kinds: Iterable[str]) -> str:
    """Return that an inventory has no objects of some kinds, with the command that asks a cluster for them."""
    names = [plural(kind) for kind in kinds]
    return f"the inventory has no {' and no '.join(names)} (kubectl get -A -o yaml {','.join(names).lower()})"


def _read(item: Mapping[str, Any], namespace: str) -> tuple[Key, dict[str, Any]] | None:
    """Return an object in its v1 form with its key; None for one of a kind that does not matter, or without a form."""
    kind = str(item.get("kind") or "")
    group = str(item.get("apiVersion") or "").rpartition("/")[0]
    if _GROUPS.get(kind) != group or (kind == "ResourceSlice" and not isinstance(item.get("spec"), dict)):
        return None
    if not all(isinstance(item.get(part), dict | None) for part in ("spec", "status")):
        return None
    metadata = dict_of(item.get("metadata"))
    name = str(metadata.get("name") or metadata.get("generateName") or "")
    inside = "" if kind in _CLUSTER_WIDE else str(metadata.get("namespace") or namespace)
    made = to_v1(dict(item))
    made = {**made, "metadata": {**metadata, **({"namespace": inside} if inside else {}), "name": name}}
    return (kind, inside, name), made


def _makers(pod: Mapping[str, Any]) -> Iterator[Key]:
    """Yield the workloads that own a Pod; one without a name for a Pod that no controller owns."""
    metadata = pod["metadata"]
    namespace = str(metadata.get("namespace"))
    if not any(owner.get("controller") for owner in metadata.get("ownerReferences") or ()):
        yield "", namespace, ""
    for owner in metadata.get("ownerReferences") or ():
        kind, name = str(owner.get("kind")), str(owner.get("name"))
        yield kind, namespace, name
        mark = (metadata.get("labels") or {}).get("pod-template-hash")
        if kind == "ReplicaSet" and mark and name.endswith(f"-{mark}"):
            yield "Deployment", namespace, name.removesuffix(f"-{mark}")


def _merged(live: Mapping[str, Any], applied: Mapping[str, Any]) -> dict[str, Any]:
    """Return a live object after a manifest is applied to it."""
    was, now = live["metadata"], applied["metadata"]
    metadata = {**was, **now, **{key: was[key] for key in _KEPT if key in was}}
    for key in ("labels", "annotations"):
        if was.get(key) or now.get(key):
            metadata[key] = {**dict_of(was.get(key)), **dict_of(now.get(key))}
    made = {**live, **applied, "metadata": metadata}
    if "status" in live:
        made["status"] = live["status"]
    elif live.get("kind") in _NEVER_WRITTEN:
        made.pop("status", None)
    if live.get("kind") in _OF_PODS:
        made["spec"] = _kept(
            dict_of(live.get("spec")), dict_of(applied.get("spec")), dict_of(last_applied(live).get("spec"))
        )
    if live.get("kind") == "Pod":
        made["spec"] = {**live["spec"], **applied["spec"]} if dict_of(live.get("spec")) else applied.get("spec")
    return made


def _kept(live: Mapping[str, Any], applied: Mapping[str, Any], last: Mapping[str, Any]) -> dict[str, Any]:
    """Return a part of a workload after an apply: what the manifest omits stays, unless an earlier manifest had it.

    So `replicas` that an autoscaler has set stay. The template and the selector are those of the manifest.
    """
    made = {key: value for key, value in live.items() if key not in last}
    for key, value in applied.items():
        if key in _WHOLE or not (isinstance(value, dict) and isinstance(live.get(key), dict)):
            made[key] = value
            continue
        there = live[key]
        if key == "strategy":  # its patch strategy is retainKeys
            there = {name: part for name, part in there.items() if name in value}
        made[key] = _kept(there, value, dict_of(last.get(key)))
    return made


def last_applied(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `kubectl apply` applied the last time; {} where that is not known."""
    note = dict_of(dict_of(item.get("metadata")).get("annotations")).get(_LAST_APPLIED)
    try:
        return dict_of(json.loads(note)) if isinstance(note, str) else {}
    except (ValueError, RecursionError):
        return {}


def take(in_use: InUse, claim: Mapping[str, Any], behaviour: Behaviour) -> None:
    """Count the devices of an allocated claim as in use."""
    for result in results_of(claim):
        in_use.add(result, claim_name(claim), capacity=behaviour.has("capacity"))


def give_back(in_use: InUse, claim: Mapping[str, Any], behaviour: Behaviour) -> None:
    """Count the devices of a claim as free again."""
    for result in results_of(claim):
        in_use.drop(result, claim_name(claim), capacity=behaviour.has("capacity"))


def has_ended(pod: Mapping[str, Any]) -> bool:
    """Say whether a Pod has succeeded or failed, so that it uses no devices and no quota any more."""
    return dict_of(pod.get("status")).get("phase") in _ENDED


def results_of(claim: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the devices that are allocated for a claim, as its status has them."""
    return results_in((claim.get("status") or {}).get("allocation") or {})


def results_in(allocation: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the devices of an allocation."""
    return (allocation.get("devices") or {}).get("results") or ()


def claims_made(pod: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the claims that are made for a Pod, by its entries; None for an entry that needs no claim."""
    statuses = list_of(dict_of(pod.get("status")).get("resourceClaimStatuses"))
    return {str(each.get("name")): each.get("resourceClaimName") for each in map(dict_of, statuses)}


def _node(item: Mapping[str, Any]) -> ClusterNode:
    metadata, status = dict_of(item.get("metadata")), dict_of(item.get("status"))
    labels = {str(key): str(value) for key, value in dict_of(metadata.get("labels")).items()}
    spec = dict_of(item.get("spec"))
    return ClusterNode(
        str(metadata.get("name") or ""),
        labels,
        frozenset(map(str, list_of(status.get("declaredFeatures")))),
        quantities(status, "allocatable"),
        taints=tuple(taint for taint in list_of(spec.get("taints")) if isinstance(taint, dict)),
        cordoned=spec.get("unschedulable") is True,
        kubelet=str(dict_of(status.get("nodeInfo")).get("kubeletVersion") or ""),
    )


def workload_of(item: Mapping[str, Any], namespace: str = "default") -> Workload | None:
    """Return the Pod that an object is or makes; None for any other object."""
    kind = str(item.get("kind") or "")
    path = POD_SPECS.get((str(item.get("apiVersion") or ""), kind))
    if path is None:
        return None
    spec = at(item, path)
    if not isinstance(spec, dict):
        return None
    metadata = dict_of(item.get("metadata"))
    name = str(metadata.get("name") or metadata.get("generateName") or "")
    inside = str(metadata.get("namespace") or namespace)
    pod = _pod(metadata if kind == "Pod" else _made_metadata(item, path), inside, name, spec)
    if kind == "Pod" and item.get("status") is not None:
        pod["status"] = item["status"]
    return Workload(kind, inside, name, pod, item)


def _pod(metadata: Mapping[str, Any], namespace: str, name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    named = {**metadata, "name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": named, "spec": spec}


def makers(item: Mapping[str, Any], namespace: str = "default") -> list[Workload]:
    """Return the Pod that an object is or makes, or the Pods of each part of a custom resource that uses claims."""
    workload = workload_of(item, namespace)
    if workload is not None:
        return [workload]
    one = ApiObject((), str(item.get("apiVersion") or ""), str(item.get("kind") or ""), dict(item))
    kind, name, inside = known_kind(one), one.name or "", one.namespace or namespace
    if kind is None:
        return [_of_unknown(one, path, name, inside) for path in one.pod_specs() if at(item, (*path, CLAIMS))]
    found = []
    pods = list(custom_pods(one, kind))
    for pod in pods:
        own = dict_of(at(item, pod.path))
        containers = [each for each in list_of(own.get("containers")) if isinstance(each, dict)]
        spec, _ = put_together(one, pod, {**own, "resourceClaims": [], "containers": containers})
        made = _pod(_made_metadata(item, pod.path), inside, name, spec)
        unread = () if pod.closed else ("claims that other objects give to its Pods",)
        part = _part(item, pod.path) if len(pods) > 1 else ""
        found.append(Workload(one.kind, inside, name, made, item, part, number_of(one, pod)[0], unread))
    return found


def without_pods(cluster: Cluster, custom: Iterable[Workload]) -> Iterator[str]:
    """Yield, of workloads of custom kinds in a cluster, those that want claims and have no Pod there, in words."""
    told: dict[tuple[str, str], Workload] = {}
    for one in custom:
        if one.pod["spec"].get(CLAIMS) and not cluster.runs_for(one.namespace, one.name, waits=True):
            told.setdefault((one.kind, f"{one.namespace}/{one.name}"), one)
    for (kind, name), one in told.items():
        claims, templates = claims_used([one])
        wanted = ", ".join(sorted(name for _, name in (*claims, *templates)))
        yield f"{kind} {name} has no Pod here, and wants claims ({wanted}); its Pods are not tried"


def _of_unknown(one: ApiObject, path: tuple[str | int, ...], name: str, inside: str) -> Workload:
    """Return a Pod of a kind that dralint does not know: it may make any number of them, and change them."""
    pod = _pod(_made_metadata(one.data, path), inside, name, dict_of(at(one.data, path)))
    unread = f"which Pods the controller of a {one.kind} makes"
    return Workload(one.kind, inside, name, pod, one.data, _part(one.data, path), None, (unread,))


def _name_of(item: Mapping[str, Any]) -> str:
    return next((value for key in ("name", "groupName") if isinstance(value := item.get(key), str)), "")


_OF_EVERY_PART = frozenset(["spec", "template", "podTemplate", "podSpec", "jobTemplate", "podTemplateSpec"])
"""Steps to Pod specs that tell no part of an object from another."""


def _part(item: Mapping[str, Any], path: tuple[str | int, ...]) -> str:
    """Return what tells a Pod spec of an object from its others: the name of its item, or else a field above it."""
    for length in range(len(path), 0, -1):
        step = path[length - 1]
        if isinstance(step, int):
            return str(_name_of(dict_of(at(item, path[:length]))) or f"{path[length - 2]}[{step}]")
        if step not in _OF_EVERY_PART:
            return str(step)
    return ""


def _made_metadata(item: Mapping[str, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
    """Return the labels and annotations that a workload gives to its Pods."""
    metadata = dict_of(at(item, (*path[:-1], "metadata")))
    return {key: dict(dict_of(metadata[key])) for key in ("labels", "annotations") if metadata.get(key)}


def with_generated_claims(
    pod: Mapping[str, Any], cluster: Cluster, shared: Shared
) -> tuple[dict[str, Any], list[dict[str, Any]], str]:
    """Return a Pod after its claims are generated from templates, these claims, and what is missing.

    A claim that the cluster has already generated for the Pod is used, or that of its PodGroup.
    """
    metadata = dict(pod.get("metadata") or {})
    status = dict(pod.get("status") or {})
    entries = list(status.get("resourceClaimStatuses") or ())
    known = {entry.get("name") for entry in entries}
    made: list[dict[str, Any]] = []
    missing = ""
    namespace = str(metadata.get("namespace") or "default")
    asked = metadata.get("uid") or metadata.get("name")
    for entry in (pod.get("spec") or {}).get("resourceClaims") or ():
        template_name, name = entry.get("resourceClaimTemplateName"), str(entry.get("name"))
        if template_name is None or entry.get("name") in known:
            continue
        if name in shared.missing:
            missing = missing or shared.missing[name]
            continue
        if name in shared.claims:
            entries.append({"name": name, "resourceClaimName": shared.claims[name]})
            continue
        claim = cluster.generated("Pod", namespace, str(asked), name)
        if claim is not None:
            metadata["uid"] = metadata.get("uid") or claim["metadata"]["ownerReferences"][0].get("uid")
        else:
            metadata["uid"] = metadata.get("uid") or f"{namespace}/{metadata.get('name')}"
            template = cluster.get("ResourceClaimTemplate", namespace, template_name)
            if template is None:
                missing = missing or f'there is no ResourceClaimTemplate "{template_name}" in namespace {namespace}'
                continue
            claim = claim_from(template, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}, name)
            made.append(claim)
        entries.append({"name": name, "resourceClaimName": claim["metadata"]["name"]})
    status["resourceClaimStatuses"] = entries
    return {**pod, "metadata": metadata, "status": status}, made, missing


def claim_from(template: Mapping[str, Any], owner: Mapping[str, Any], entry: str) -> dict[str, Any]:
    """Return the claim that is made from a template for an entry of a Pod or PodGroup."""
    metadata = owner["metadata"]
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": metadata.get("name"),
        "uid": metadata.get("uid"),
        "controller": True,
    }
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": f"{metadata.get('name')}-{entry}",
            "namespace": str(metadata.get("namespace") or "default"),
            "annotations": {GENERATED_FOR: entry},
            "ownerReferences": [reference],
        },
        "spec": dict_of(template.get("spec")).get("spec") or {},
    }


_REQUIRED = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


def admitted(pod: Mapping[str, Any], node: ClusterNode) -> bool:
    """Say whether a Pod's nodeName, nodeSelector and required node affinity allow a node.

    For a node that is only known from slices, only the name can be compared.
    """
    spec = pod.get("spec") or {}
    if spec.get("nodeName"):
        return bool(spec["nodeName"] == node.name)
    wanted = dict_of(spec.get("nodeSelector")).items()
    if any(node.labels.get(key) != value for key, value in wanted if key in node.labels or not node.guessed):
        return False
    if node.guessed:
        return True
    return allows(at(spec, _REQUIRED), node.name, node.labels, otherwise=True)


def pinned(pod: Mapping[str, Any]) -> str | None:
    """Return the node that a Pod of a DaemonSet is made for, None for any other Pod."""
    terms = at(pod, ("spec", *_REQUIRED, "nodeSelectorTerms")) or ()
    fields = [term.get("matchFields") for term in terms if isinstance(term, dict)]
    values: list[Any] = (fields[0][0].get("values") or []) if len(fields) == 1 and fields[0] else []
    return str(values[0]) if len(values) == 1 else None


def waits(pod: Mapping[str, Any], has_extended: bool) -> bool:
    """Say whether a Pod of a cluster has claims and is not on a node yet."""
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    return (
        not spec.get("nodeName")
        and status.get("phase") in (None, "", "Pending")
        and bool(spec.get("resourceClaims") or has_extended)
    )


def claims_used(workloads: Iterable[Workload]) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Return (namespace, name) of the claims and of the templates that Pods use."""
    entries = [(one.namespace, entry) for one in workloads for entry in one.pod["spec"].get("resourceClaims") or ()]
    claims, templates = (
        {(namespace, entry[key]) for namespace, entry in entries if entry.get(key)}
        for key in ("resourceClaimName", "resourceClaimTemplateName")
    )
    return claims, templates


def pod_for_claim(kind: str, item: Mapping[str, Any]) -> Workload:
    """Return an artificial Pod that uses only one claim or template."""
    namespace, name = str(item["metadata"]["namespace"]), str(item["metadata"]["name"])
    of_claim, of_template = ("claim", "resourceClaimName"), ("template", "resourceClaimTemplateName")
    called, field_name = of_claim if kind == "ResourceClaim" else of_template
    spec = {"resourceClaims": [{"name": "claim", field_name: name}]}
    return Workload(called, namespace, name, _pod({}, namespace, name, spec))
