"""Applies objects as the API server does, one after the other, with ResourceQuotas and admission.

Admission is what it makes of a Pod before the scheduler sees it, and what it refuses for the sake of other objects.
Sources (v1.37.0): plugin/pkg/admission/{limitranger,priority,defaulttolerationseconds,runtimeclass};
pkg/apis/core/v1/defaults.go (SetDefaults_LimitRangeItem); pkg/registry/resource/utils.go (AuthorizedForAdmin,
AuthorizedForAdminStatus).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from operator import gt, lt
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.problem import at, dict_of, list_of
from dralint.kubernetes.quantity import NANO, is_binary, nano, nano_units, spell
from dralint.kubernetes.updates import fixed_changes, kept_rolling_update
from dralint.kubernetes.workloads import CLASS_QUOTA, MOST_DEVICES, POD_SPECS
from dralint.records import grouped
from dralint.simulate.cluster import Cluster, has_ended
from dralint.simulate.extended import containers, refused_amount
from dralint.simulate.node_resources import limits_of, requests_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Key


_REQUESTS = "requests."
_COUNTED = {
    "ResourceClaim": "resourceclaims.resource.k8s.io",
    "ResourceClaimTemplate": "resourceclaimtemplates.resource.k8s.io",
    "Pod": "pods",
    "Deployment": "deployments.apps",
    "ReplicaSet": "replicasets.apps",
    "StatefulSet": "statefulsets.apps",
    "DaemonSet": "daemonsets.apps",
    "Job": "jobs.batch",
    "CronJob": "cronjobs.batch",
    "ReplicationController": "replicationcontrollers",
}
_COMPUTE = ("cpu", "memory", "ephemeral-storage")


@dataclass
class Quota:
    """One ResourceQuota: what it allows, what is used of that, and the resources that are written in binary units."""

    name: str
    hard: dict[str, int]
    used: Counter[str]
    binary: frozenset[str]
    scopes: Sequence[Mapping[str, Any]] = ()

    def over(self, usage: Mapping[str, int]) -> list[str]:
        """Return the resources of which the quota does not have enough."""
        return [key for key, amount in usage.items() if amount > 0 and self.used[key] + amount > self.hard[key]]

    def refuses(self, usage: Mapping[str, int]) -> str:
        """Return the API server's message where an object exceeds the quota."""
        over = self.over(usage)
        if not over:
            return ""
        shown = (
            ",".join(f"{key}={spell(amounts.get(key, 0), binary=key in self.binary)}" for key in sorted(over))
            for amounts in (usage, self.used, self.hard)
        )
        return "exceeded quota: {}, requested: {}, used: {}, limited: {}".format(self.name, *shown)

    def rest(self) -> list[str]:
        """Return what is left of each resource, in words."""
        amounts = {key: (max(0, hard - self.used[key]), hard) for key, hard in self.hard.items()}
        return [
            "quota {}: {} of {} {} left".format(self.name, *(spell(n, binary=key in self.binary) for n in both), key)
            for key, both in sorted(amounts.items())
        ]


class Quotas:
    """The quotas of a cluster, as objects come."""

    def __init__(self, cluster: Cluster, behaviour: Behaviour) -> None:
        self._cluster = cluster
        self._behaviour = behaviour
        self._quotas: dict[str, dict[str, Quota]] = {}
        self._inside: dict[str, list[tuple[str, Mapping[str, Any]]]] | None = None
        for item in cluster.of("ResourceQuota"):
            self._set(item)

    def copy(self) -> Quotas:
        """Return a copy that can change."""
        made = Quotas.__new__(Quotas)
        made._cluster, made._behaviour, made._inside = self._cluster, self._behaviour, None
        made._quotas = {
            namespace: {q.name: replace(q, used=q.used.copy()) for q in quotas.values()}
            for namespace, quotas in self._quotas.items()
        }
        return made

    def set(self, item: Mapping[str, Any]) -> None:
        """Take a quota in: a live one with what it says is used, a new one with what there is."""
        self._inside = None  # since the last one, objects may have come
        self._set(item)

    def _set(self, item: Mapping[str, Any]) -> None:
        metadata, spec = item["metadata"], item.get("spec") or {}
        scopes = scopes_of(spec)
        hard = nano_units(spec, "hard")
        binary = frozenset(key for key, value in (spec.get("hard") or {}).items() if is_binary(value))
        known = nano_units(item.get("status"), "used")
        there = self._there(metadata["namespace"], scopes) if set(hard) - set(known) else {}
        used = Counter({key: amount for key, amount in {**there, **known}.items() if key in hard})
        quota = Quota(metadata["name"], hard, used, binary, scopes)
        self._quotas.setdefault(metadata["namespace"], {})[quota.name] = quota

    def of(self, namespace: str) -> list[Quota]:
        """Return the quotas of a namespace."""
        return list(self._quotas.get(namespace, {}).values())

    def charge(self, kind: str, item: Mapping[str, Any], usage: Mapping[str, int] | None = None) -> str:
        """Count a created object; return nothing, or the message of the API server that refuses it."""
        concerned = self.concerned(kind, item, usage)
        for quota, own in concerned:
            refused = quota.refuses(own)
            if refused:
                return refused
        for quota, own in concerned:
            quota.used.update(own)  # a counter adds
        return ""

    def concerned(
        self, kind: str, item: Mapping[str, Any], usage: Mapping[str, int] | None = None
    ) -> list[tuple[Quota, dict[str, int]]]:
        """Return the quotas that count an object, each with what it counts of the usage; None for the usual one."""
        quotas = self.of(item["metadata"].get("namespace") or "default")
        if quotas and usage is None:
            usage = self.usage(kind, item)
        return [
            (quota, {k: amount for k, amount in (usage or {}).items() if k in quota.hard})
            for quota in quotas
            if counts(quota.scopes, kind, item)
        ]

    def free(self, kind: str, item: Mapping[str, Any], usage: Mapping[str, int] | None = None) -> None:
        """Give back the usage of a removed object."""
        for quota, own in self.concerned(kind, item, usage):
            quota.used -= Counter(own)

    def usage(self, kind: str, item: Mapping[str, Any]) -> dict[str, int]:
        """Return the usage of an object, in nano units."""
        counted = _COUNTED.get(kind)
        found = {} if counted is None else {f"count/{counted}": NANO}
        if kind == "ResourceClaim":
            found.update(self._of_claim(item))
        elif kind == "Pod" and not has_ended(item):
            found.update(_of_pod(item))
        return found

    def of_extended(self, claim: Mapping[str, Any], pod: Mapping[str, Any]) -> dict[str, int]:
        """Return what the claim counts that the scheduler makes for a Pod's extended resources."""
        already = _of_pod(pod)
        found = {f"count/{_COUNTED['ResourceClaim']}": NANO, **self._of_claim(claim)}
        return {
            key: max(0, amount - already.get(key, 0)) if key.startswith(_REQUESTS) else amount
            for key, amount in found.items()
        }

    def _of_claim(self, claim: Mapping[str, Any]) -> dict[str, int]:
        found = {f"{name}{CLASS_QUOTA}": number * NANO for name, number in devices_asked(claim).items()}
        if not self._behaviour.has("extended_resources"):
            return found
        for key, amount in list(found.items()):
            spec = (self._cluster.get("DeviceClass", "", key.removesuffix(CLASS_QUOTA)) or {}).get("spec") or {}
            if spec.get("extendedResourceName"):  # of the implicit name a real server counts Pods alone
                found[f"{_REQUESTS}{spec['extendedResourceName']}"] = amount
        return found

    def _there(self, namespace: str, scopes: Sequence[Mapping[str, Any]]) -> dict[str, int]:
        """Return what the objects of a namespace count for a quota with these scopes."""
        if self._inside is None:
            there = self._cluster.objects.items()
            self._inside = grouped((inside, (kind, each)) for (kind, inside, _), each in there if kind in _COUNTED)
        total = Counter[str]()
        for kind, item in self._inside.get(namespace, ()):
            if counts(scopes, kind, item):
                total.update(self.usage(kind, item))
        return total


def devices_asked(claim: Mapping[str, Any]) -> dict[str, int]:
    """Return how many devices of each class a claim counts: of alternatives the most of each class."""
    total = Counter[str]()
    for request in ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ():
        alternatives = request.get("firstAvailable")
        most: dict[str, int] = {}
        for each in alternatives or [request.get("exactly")]:
            if isinstance(each, dict):
                mode = each.get("allocationMode") or "ExactCount"
                number = MOST_DEVICES if mode == "All" else (each.get("count") or 1) if mode == "ExactCount" else 0
                name = str(each.get("deviceClassName") or "")
                most[name] = max(most.get(name, 0), number)
        total.update(most)
    return total


def _of_pod(pod: Mapping[str, Any]) -> dict[str, int]:
    found = {"count/pods": NANO, "pods": NANO}
    found.update({f"limits.{name}": amount for name, amount in limits_of(pod).items() if name in _COMPUTE})
    for name, amount in requests_of(pod).items():
        if name in _COMPUTE:
            found[name] = amount
        found[f"{_REQUESTS}{name}"] = amount
    return found


_OF_QOS = ("cpu", "memory")


def scopes_of(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the scopes of a quota, each as its `scopeSelector` writes it."""
    selected = (spec.get("scopeSelector") or {}).get("matchExpressions") or ()
    return [*({"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or ()), *selected]


def counts(scopes: Sequence[Mapping[str, Any]], kind: str, item: Mapping[str, Any]) -> bool:
    """Say whether a quota with these scopes counts an object."""
    return not scopes or (kind == "Pod" and all(_matches(scope, item) for scope in scopes))


def _matches(scope: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    spec, name = pod.get("spec") or {}, scope.get("scopeName")
    if name in ("Terminating", "NotTerminating"):
        deadline = spec.get("activeDeadlineSeconds")
        ends = isinstance(deadline, int) and deadline >= 0
        return ends is (name == "Terminating")
    if name in ("BestEffort", "NotBestEffort"):
        return _best_effort(pod) is (name == "BestEffort")
    if name == "PriorityClass":
        return _of_class(scope, str(spec.get("priorityClassName") or ""))
    return name == "CrossNamespacePodAffinity" and _looks_elsewhere(spec)


def _best_effort(pod: Mapping[str, Any]) -> bool:
    """Say whether nothing in a Pod names cpu or memory."""
    own = (pod.get("spec") or {}).get("resources")
    named = [{**(own.get("limits") or {}), **(own.get("requests") or {})}] if isinstance(own, dict) else []
    named += [dict(container.requests) for container in containers(pod)]
    return not any(str(each[name]) != "0" for each in named for name in _OF_QOS if name in each)


def _of_class(scope: Mapping[str, Any], name: str) -> bool:
    operator, inside = scope.get("operator"), bool(name) and name in (scope.get("values") or ())
    if operator in ("Exists", "DoesNotExist"):
        return bool(name) is (operator == "Exists")
    return inside is (operator == "In")


def _looks_elsewhere(spec: Mapping[str, Any]) -> bool:
    """Say whether a term of the affinity between Pods is about other namespaces."""
    parts = [dict_of(dict_of(spec.get("affinity")).get(kind)) for kind in ("podAffinity", "podAntiAffinity")]
    times = ("requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution")
    terms = [entry.get("podAffinityTerm", entry) for part in parts for time in times for entry in part.get(time) or ()]
    return any(term.get("namespaces") or term.get("namespaceSelector") is not None for term in terms)


_WITHOUT_SPEC = ("PriorityClass", "RuntimeClass")


@dataclass
class ApiServer:
    """Applies manifests to a cluster; `refused` has the refused objects, with the server's messages."""

    cluster: Cluster
    behaviour: Behaviour
    refused: dict[Key, str] = field(default_factory=dict)
    refused_last: bool = False
    """Whether the last object was refused."""

    def __post_init__(self) -> None:
        self.quotas = Quotas(self.cluster, self.behaviour)

    def apply(self, item: Mapping[str, Any], namespace: str = "default") -> Key | None:
        """Apply an object; None for one of a kind that does not matter, and for one that is refused."""
        alone = Cluster()
        key = alone.apply(item, namespace)
        self.refused_last = False
        if key is None:
            return None
        made = alone.objects[key]
        refused = ""
        if key[0] == "Pod":
            made, refused, _ = admit(made, self.cluster)
        path = POD_SPECS.get((str(made.get("apiVersion")), key[0]))
        invalid = "" if path is None else refused_amount(dict_of(at(made, path)), ".".join(path))
        if key not in self.cluster.objects:
            said = self._ended(key) or refused or invalid or self._admin(key, made)
            said = said or (self.quotas.charge(key[0], made) if key[1] else "")
        else:
            said = invalid or self._fixed(key, made)
        if said:
            self.refused[key], self.refused_last = said, True
            return None
        self.cluster.apply(item, namespace)
        if key[0] == "ResourceQuota":
            self.quotas.set(self.cluster.objects[key])
        return key

    def _fixed(self, key: Key, item: Mapping[str, Any]) -> str:
        """Return why a live object cannot be changed to what a manifest says."""
        inside = "spec" if key[0] not in _WITHOUT_SPEC else ""
        was, now = (dict_of(each.get(inside)) if inside else each for each in (self.cluster.objects[key], item))
        change = next(fixed_changes(key[0], was, now, self.behaviour.release), None)
        if change is None:
            return kept_rolling_update(key[0], was, now)
        return f"{inside}.{change.path[0]}: Invalid value: {change.reason}".lstrip(".")

    def _ended(self, key: Key) -> str:
        """Return why nothing can be created in a namespace that is being deleted."""
        there = self.cluster.get("Namespace", "", key[1]) if key[1] else None
        if there is None:
            return ""
        ends = there["metadata"].get("deletionTimestamp") or dict_of(there.get("status")).get("phase") == "Terminating"
        return f"unable to create new content in namespace {key[1]} because it is being terminated" if ends else ""

    def _admin(self, key: Key, item: Mapping[str, Any]) -> str:
        """Return why a claim or template cannot ask for admin access in its namespace."""
        if key[0] not in ("ResourceClaim", "ResourceClaimTemplate") or not self.behaviour.has("admin_access"):
            return ""
        spec = item.get("spec") or {}
        return no_admin_access(spec if key[0] == "ResourceClaim" else spec.get("spec") or {}, key[1], self.cluster)


_LABEL = "resource.kubernetes.io/admin-access"
_NO_ADMIN = f"admin access to devices requires the `{_LABEL}: true` label on the containing namespace"
_FAILING = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_SECONDS = 300
_OF_THE_SYSTEM: dict[str, dict[str, Any]] = {
    "system-cluster-critical": {"value": 2_000_000_000},
    "system-node-critical": {"value": 2_000_001_000},
}
"""The PriorityClasses that every cluster has (pkg/apis/scheduling/v1/helpers.go)."""


class Admitted(NamedTuple):
    """A Pod after admission; `refused` is why the API server refuses it, empty where it does not.

    `unread` is what of admission dralint does not simulate, or cannot because an object is not in the inventory.
    """

    pod: dict[str, Any]
    refused: str = ""
    unread: tuple[str, ...] = ()


def admit(pod: Mapping[str, Any], cluster: Cluster) -> Admitted:
    """Return what admission makes of a Pod; one that a server has created is admitted already."""
    metadata = dict_of(pod.get("metadata"))
    if metadata.get("creationTimestamp"):
        return Admitted(dict(pod))
    spec = dict(dict_of(pod.get("spec")))
    unread: list[str] = []
    namespace = str(metadata.get("namespace") or "default")
    refused = _with_limits(spec, namespace, cluster, unread)
    refused = refused or _with_priority(spec, cluster)
    _with_tolerations(spec)
    refused = refused or _with_runtime(spec, cluster, unread)
    return Admitted({**pod, "spec": spec}, refused, tuple(unread))


def _all_known(kind: str, cluster: Cluster) -> bool:
    """Say whether a cluster has shown all objects of a kind: one of them has a uid."""
    return any(item["metadata"].get("uid") for item in cluster.of(kind))


def _with_limits(spec: dict[str, Any], namespace: str, cluster: Cluster, unread: list[str]) -> str:
    """Give containers the defaults of the LimitRanges of a namespace; return why one is refused."""
    limits = [
        (item["metadata"]["name"], limit)
        for item in cluster.of("LimitRange")
        if item["metadata"]["namespace"] == namespace
        for limit in map(dict_of, list_of(dict_of(item.get("spec")).get("limits")))
    ]
    of_containers = [limit for _, limit in limits if limit.get("type") == "Container"]
    for limit in of_containers:
        most = {**dict_of(limit.get("max")), **dict_of(limit.get("default"))}
        least = {**dict_of(limit.get("min")), **most, **dict_of(limit.get("defaultRequest"))}
        for kind in ("initContainers", "containers"):
            if kind in spec:
                spec[kind] = [_filled(each, most, least) for each in list_of(spec[kind])]
    unread += [
        f"what the LimitRange {name} allows in all, or between request and limit"
        for name, limit in limits
        if limit.get("type") == "Pod" or limit.get("maxLimitRequestRatio")
    ]
    filled = [dict_of(each) for each in (*list_of(spec.get("containers")), *list_of(spec.get("initContainers")))]
    said = (_beyond(dict_of(each.get("resources")), limit) for limit in of_containers for each in filled)
    return next(filter(None, said), "")


def _filled(container: Any, limits: Mapping[str, Any], requests: Mapping[str, Any]) -> dict[str, Any]:
    """Return a container with the limits and requests that it does not name; its own limits are requests, too."""
    resources = dict_of(dict_of(container).get("resources"))
    own = dict_of(resources.get("limits"))
    asked = {**requests, **own, **dict_of(resources.get("requests"))}
    return {**dict_of(container), "resources": {**resources, "limits": {**limits, **own}, "requests": asked}}


def _beyond(resources: Mapping[str, Any], limit: Mapping[str, Any]) -> str:
    """Return why a container is refused that has less than the least or more than the most."""
    for key, word, first, other, beyond in _BOUNDS:
        for name, bound in dict_of(limit.get(key)).items():
            usage = f"{word} {name} usage per Container is {bound}"
            if name not in dict_of(resources.get(f"{first}s")):
                return f"{usage}.  No {first} is specified"
            for what in (first, other):
                amount = dict_of(resources.get(f"{what}s")).get(name)
                if amount is not None and beyond(nano(amount), nano(bound)):
                    return f"{usage}, but {what} is {amount}"
    return ""


_BOUNDS = (("min", "minimum", "request", "limit", lt), ("max", "maximum", "limit", "request", gt))
"""Of a LimitRange: a bound, its name, what needs an amount, what is compared too, and when an amount is beyond it."""


def _with_priority(spec: dict[str, Any], cluster: Cluster) -> str:
    """Write the priority of a Pod's class, or of the default one, into its spec; return why it is refused."""
    name = spec.get("priorityClassName")
    if isinstance(spec.get("priority"), int):
        return ""  # only admission writes it
    found = _OF_THE_SYSTEM.get(str(name)) or cluster.get("PriorityClass", "", str(name))
    if not name:
        defaults = [item for item in cluster.of("PriorityClass") if item.get("globalDefault") is True]
        found = min(defaults, key=lambda item: int(item.get("value") or 0), default=None)
    if found is None:
        known = name and _all_known("PriorityClass", cluster)
        return f"no PriorityClass with name {name} was found" if known else ""
    spec["priorityClassName"] = name or found["metadata"]["name"]
    spec["priority"] = int(found.get("value") or 0)
    if found.get("preemptionPolicy") and not spec.get("preemptionPolicy"):
        spec["preemptionPolicy"] = found["preemptionPolicy"]
    return ""


def _with_tolerations(spec: dict[str, Any]) -> None:
    """Let a Pod tolerate for a while that its node fails, if it does not say for how long itself."""
    tolerations = [each for each in list_of(spec.get("tolerations")) if isinstance(each, dict)]
    missing = [
        {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _SECONDS}
        for key in _FAILING
        if not any(t.get("key") in (key, "", None) and t.get("effect") in ("NoExecute", "", None) for t in tolerations)
    ]
    if missing:
        spec["tolerations"] = [*tolerations, *missing]


def _with_runtime(spec: dict[str, Any], cluster: Cluster, unread: list[str]) -> str:
    """Merge what a Pod's RuntimeClass says of nodes and overhead into its spec; return why it is refused."""
    name = spec.get("runtimeClassName")
    found = (cluster.get("RuntimeClass", "", str(name)) if name else None) or {}
    if name and not found:
        if _all_known("RuntimeClass", cluster):
            return f'pod rejected: RuntimeClass "{name}" not found'
        unread.append(f"the RuntimeClass {name}, which is not in the inventory")
        return ""
    fixed, own = dict_of(dict_of(found.get("overhead")).get("podFixed")), dict_of(spec.get("overhead"))
    if own and not fixed:
        return "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
    if own and nano_units(spec, "overhead") != nano_units(found.get("overhead"), "podFixed"):
        return "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
    if fixed:
        spec["overhead"] = fixed
    scheduling = dict_of(found.get("scheduling"))
    wanted, selector = dict_of(scheduling.get("nodeSelector")), dict_of(spec.get("nodeSelector"))
    for key, value in wanted.items():
        if selector.get(key, value) != value:
            theirs = f"runtimeClass.scheduling.nodeSelector[{key}] = {value}"
            return f"conflict: {theirs}; pod.spec.nodeSelector[{key}] = {selector[key]}"
    if wanted:
        spec["nodeSelector"] = {**selector, **wanted}
    tolerations = list_of(spec.get("tolerations"))
    more = [each for each in list_of(scheduling.get("tolerations")) if each not in tolerations]
    if more:
        spec["tolerations"] = [*tolerations, *more]
    return ""


def no_admin_access(spec: Mapping[str, Any], namespace: str, cluster: Cluster) -> str:
    """Return why no claim with this spec can be created in a namespace; empty where one can."""
    requests = list_of(dict_of(spec.get("devices")).get("requests"))
    wanted = any(dict_of(dict_of(request).get("exactly")).get("adminAccess") for request in requests)
    return _NO_ADMIN if wanted and _lacks_label(namespace, cluster) else ""


def no_admin_allocation(results: Iterable[Mapping[str, Any]], namespace: str, cluster: Cluster) -> str:
    """Return why these devices cannot be written into the status of a claim of a namespace; empty where they can."""
    number = next((number for number, result in enumerate(results) if result.get("adminAccess")), None)
    if number is None or not _lacks_label(namespace, cluster):
        return ""
    return f"status.allocation.devices.results[{number}].adminAccess: Forbidden: {_NO_ADMIN}"


def _lacks_label(namespace: str, cluster: Cluster) -> bool:
    """Say whether a namespace is known, and does not have the label of admin access."""
    there = cluster.get("Namespace", "", namespace)
    return there is not None and dict_of(there["metadata"].get("labels")).get(_LABEL) != "true"
