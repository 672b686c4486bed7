"""Applies objects as the API server does, one after the other, with ResourceQuotas and admission."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.problem import at, dict_of
from dralint.kubernetes.quantity import spell
from dralint.kubernetes.updates import fixed_changes, kept_rolling_update
from dralint.kubernetes.workloads import CLASS_QUOTA, MOST_DEVICES, POD_SPECS
from dralint.simulate.admission import admit, no_admin_access
from dralint.simulate.amounts import NANO, is_binary, nano
from dralint.simulate.cluster import Cluster, has_ended
from dralint.simulate.extended import containers, refused_amount
from dralint.simulate.node_resources import limits_of, requests_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    used: dict[str, int]
    binary: frozenset[str]
    scopes: tuple[Scope, ...] = ()

    def over(self, usage: Mapping[str, int]) -> list[str]:
        """Return the resources of which the quota does not have enough."""
        return [key for key, amount in usage.items() if amount > 0 and self.used.get(key, 0) + amount > self.hard[key]]

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
        amounts = {key: (max(0, hard - self.used.get(key, 0)), hard) for key, hard in self.hard.items()}
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
            namespace: {q.name: replace(q, used=dict(q.used)) for q in quotas.values()}
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
        hard = _amounts(spec.get("hard"))
        binary = frozenset(key for key, value in (spec.get("hard") or {}).items() if is_binary(value))
        known = _amounts((item.get("status") or {}).get("used"))
        used = {key: amount for key, amount in known.items() if key in hard}
        if set(hard) - set(used):
            for key, amount in self._there(metadata["namespace"], scopes).items():
                if key in hard and key not in known:
                    used[key] = used.get(key, 0) + amount
        quota = Quota(metadata["name"], hard, used, binary, scopes)
        self._quotas.setdefault(metadata["namespace"], {})[quota.name] = quota

    def of(self, namespace: str) -> list[Quota]:
        """Return the quotas of a namespace."""
        return list(self._quotas.get(namespace, {}).values())

    def charge(self, kind: str, item: Mapping[str, Any], usage: Mapping[str, int] | None = None) -> str:
        """Count a created object; return nothing, or the message of the API server that refuses it."""
        quotas = self._quotas.get(item["metadata"].get("namespace") or "default")
        if not quotas:
            return ""
        concerned = self.concerned(kind, item, self.usage(kind, item) if usage is None else usage)
        for quota, own in concerned:
            refused = quota.refuses(own)
            if refused:
                return refused
        for quota, own in concerned:
            for key, amount in own.items():
                quota.used[key] = quota.used.get(key, 0) + amount
        return ""

    def concerned(
        self, kind: str, item: Mapping[str, Any], usage: Mapping[str, int]
    ) -> list[tuple[Quota, dict[str, int]]]:
        """Return the quotas that count an object, each with what it counts of the usage."""
        return [
            (quota, {k: amount for k, amount in usage.items() if k in quota.hard})
            for quota in self.of(item["metadata"].get("namespace") or "default")
            if counts(quota.scopes, kind, item)
        ]

    def free(self, kind: str, item: Mapping[str, Any], usage: Mapping[str, int] | None = None) -> None:
        """Give back the usage of a removed object."""
        if not self.of(item["metadata"].get("namespace") or "default"):
            return
        for quota, own in self.concerned(kind, item, self.usage(kind, item) if usage is None else usage):
            for key, amount in own.items():
                quota.used[key] = max(0, quota.used.get(key, 0) - amount)

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
        if not self._behaviour.extended_resources:
            return found
        for key, amount in list(found.items()):
            spec = (self._cluster.get("DeviceClass", "", key.removesuffix(CLASS_QUOTA)) or {}).get("spec") or {}
            if spec.get("extendedResourceName"):  # of the implicit name a real server counts Pods alone
                found[f"{_REQUESTS}{spec['extendedResourceName']}"] = amount
        return found

    def _there(self, namespace: str, scopes: tuple[Scope, ...]) -> dict[str, int]:
        """Return what the objects of a namespace count for a quota with these scopes."""
        if self._inside is None:
            self._inside = {}
            for (kind, inside, _), each in self._cluster.objects.items():
                if kind in _COUNTED:
                    self._inside.setdefault(inside, []).append((kind, each))
        total: dict[str, int] = {}
        for kind, item in self._inside.get(namespace, ()):
            if counts(scopes, kind, item):
                for key, amount in self.usage(kind, item).items():
                    total[key] = total.get(key, 0) + amount
        return total


def devices_asked(claim: Mapping[str, Any]) -> dict[str, int]:
    """Return how many devices of each class a claim counts: of alternatives the most of each class."""
    total: dict[str, int] = {}
    for request in ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ():
        alternatives = request.get("firstAvailable")
        most: dict[str, int] = {}
        for each in alternatives or [request.get("exactly")]:
            if isinstance(each, dict):
                mode = each.get("allocationMode") or "ExactCount"
                number = MOST_DEVICES if mode == "All" else (each.get("count") or 1) if mode == "ExactCount" else 0
                name = str(each.get("deviceClassName") or "")
                most[name] = max(most.get(name, 0), number)
        for name, number in most.items():
            total[name] = total.get(name, 0) + number
    return total


def _of_pod(pod: Mapping[str, Any]) -> dict[str, int]:
    found = {"count/pods": NANO, "pods": NANO}
    found.update({f"limits.{name}": amount for name, amount in limits_of(pod).items() if name in _COMPUTE})
    for name, amount in requests_of(pod).items():
        if name in _COMPUTE:
            found[name] = amount
        found[f"{_REQUESTS}{name}"] = amount
    return found


def _amounts(value: Any) -> dict[str, int]:
    found = {}
    for key, amount in value.items() if isinstance(value, dict) else ():
        try:
            found[str(key)] = nano(amount)
        except ValueError:
            continue
    return found


_OF_QOS = ("cpu", "memory")


class Scope(NamedTuple):
    """One requirement: the name of a scope and, for PriorityClass, the classes."""

    name: str
    operator: str = "Exists"
    values: tuple[str, ...] = ()


def scopes_of(spec: Mapping[str, Any]) -> tuple[Scope, ...]:
    """Return the scopes of a quota."""
    found = [Scope(str(name)) for name in spec.get("scopes") or ()]
    for entry in (spec.get("scopeSelector") or {}).get("matchExpressions") or ():
        values = tuple(map(str, entry.get("values") or ()))
        found.append(Scope(str(entry.get("scopeName")), str(entry.get("operator")), values))
    return tuple(found)


def counts(scopes: Sequence[Scope], kind: str, item: Mapping[str, Any]) -> bool:
    """Say whether a quota with these scopes counts an object."""
    if not scopes:
        return True
    return kind == "Pod" and all(_matches(scope, item) for scope in scopes)


def _matches(scope: Scope, pod: Mapping[str, Any]) -> bool:
    spec = pod.get("spec") or {}
    if scope.name in ("Terminating", "NotTerminating"):
        deadline = spec.get("activeDeadlineSeconds")
        ends = isinstance(deadline, int) and deadline >= 0
        return ends is (scope.name == "Terminating")
    if scope.name in ("BestEffort", "NotBestEffort"):
        return _best_effort(pod) is (scope.name == "BestEffort")
    if scope.name == "PriorityClass":
        return _of_class(scope, str(spec.get("priorityClassName") or ""))
    return scope.name == "CrossNamespacePodAffinity" and _looks_elsewhere(spec)


def _best_effort(pod: Mapping[str, Any]) -> bool:
    """Say whether nothing in a Pod names cpu or memory."""
    own = (pod.get("spec") or {}).get("resources")
    named = [{**(own.get("limits") or {}), **(own.get("requests") or {})}] if isinstance(own, dict) else []
    named += [dict(container.requests) for container in containers(pod)]
    return not any(str(each[name]) != "0" for each in named for name in _OF_QOS if name in each)


def _of_class(scope: Scope, name: str) -> bool:
    if scope.operator == "Exists":
        return bool(name)
    if scope.operator == "DoesNotExist":
        return not name
    inside = bool(name) and name in scope.values
    return inside if scope.operator == "In" else not inside


def _looks_elsewhere(spec: Mapping[str, Any]) -> bool:
    """Say whether a term of the affinity between Pods is about other namespaces."""
    affinity = spec.get("affinity")
    for kind in ("podAffinity", "podAntiAffinity"):
        part = affinity.get(kind) if isinstance(affinity, dict) else None
        for time in ("requiredDuringScheduling", "preferredDuringScheduling"):
            for entry in (part or {}).get(f"{time}IgnoredDuringExecution") or ():
                term = entry.get("podAffinityTerm", entry)
                if term.get("namespaces") or term.get("namespaceSelector") is not None:
                    return True
    return False


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
            said = self._ended(key) or refused or invalid or self._admin(key, made) or self._quota(key, made)
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
        if key[0] not in ("ResourceClaim", "ResourceClaimTemplate") or not self.behaviour.admin_access:
            return ""
        spec = item.get("spec") or {}
        return no_admin_access(spec if key[0] == "ResourceClaim" else spec.get("spec") or {}, key[1], self.cluster)

    def _quota(self, key: Key, item: Mapping[str, Any]) -> str:
        return self.quotas.charge(key[0], item) if key[1] else ""
