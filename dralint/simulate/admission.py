"""What the API server makes of a Pod before the scheduler sees it, and what it refuses for the sake of other objects.

Sources (v1.37.0): plugin/pkg/admission/{priority,defaulttolerationseconds,runtimeclass};
pkg/registry/resource/utils.go (AuthorizedForAdmin, AuthorizedForAdminStatus).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.problem import dict_of, list_of
from dralint.simulate.amounts import nano

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dralint.simulate.cluster import Cluster

_LABEL = "resource.kubernetes.io/admin-access"
_NO_ADMIN = f"admin access to devices requires the `{_LABEL}: true` label on the containing namespace"
_FAILING = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_SECONDS = 300
_OF_THE_SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""The PriorityClasses that every cluster has (pkg/apis/scheduling/v1/helpers.go), and their values."""


class Admitted(NamedTuple):
    """A Pod after admission; `refused` is why the API server refuses it, empty where it does not.

    `unknown` are the kinds and names of objects that admission reads and that are not in the inventory.
    """

    pod: dict[str, Any]
    refused: str = ""
    unknown: tuple[tuple[str, str], ...] = ()


def admit(pod: Mapping[str, Any], cluster: Cluster) -> Admitted:
    """Return what admission makes of a Pod; a Pod that is admitted already stays as it is."""
    spec = dict(dict_of(pod.get("spec")))
    unknown: list[tuple[str, str]] = []
    refused = _with_priority(spec, cluster, unknown)
    _with_tolerations(spec)
    refused = refused or _with_runtime(spec, cluster, unknown)
    return Admitted({**pod, "spec": spec}, refused, tuple(unknown))


def _named(kind: str, name: str, cluster: Cluster, unknown: list[tuple[str, str]]) -> dict[str, Any] | None:
    """Return an object of a kind without namespaces; note it where it can be in the cluster all the same.

    The cluster has shown all objects of a kind if one of them has a uid.
    """
    found = cluster.get(kind, "", name)
    if found is None and not any(item["metadata"].get("uid") for item in cluster.of(kind)):
        unknown.append((kind, name))
    return found


def _with_priority(spec: dict[str, Any], cluster: Cluster, unknown: list[tuple[str, str]]) -> str:
    """Write the priority of a Pod's class, or of the default one, into its spec; return why it is refused."""
    name = spec.get("priorityClassName")
    if isinstance(spec.get("priority"), int):
        return ""  # only admission writes it
    if name in _OF_THE_SYSTEM:
        spec["priority"] = _OF_THE_SYSTEM[name]
        return ""
    if name:
        found = _named("PriorityClass", str(name), cluster, unknown)
        if found is None:
            return "" if unknown else f"no PriorityClass with name {name} was found"
    else:
        defaults = [item for item in cluster.of("PriorityClass") if item.get("globalDefault") is True]
        if not defaults:
            return ""
        found = min(defaults, key=lambda item: int(item.get("value") or 0))
        spec["priorityClassName"] = found["metadata"]["name"]
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


def _with_runtime(spec: dict[str, Any], cluster: Cluster, unknown: list[tuple[str, str]]) -> str:
    """Merge what a Pod's RuntimeClass says of nodes and overhead into its spec; return why it is refused."""
    name = spec.get("runtimeClassName")
    found = _named("RuntimeClass", str(name), cluster, unknown) if name else None
    if name and found is None:
        return "" if unknown else f'pod rejected: RuntimeClass "{name}" not found'
    found = found or {}
    fixed, own = dict_of(dict_of(found.get("overhead")).get("podFixed")), dict_of(spec.get("overhead"))
    if own and not fixed:
        return "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
    if own and _amounts(own) != _amounts(fixed):
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


def _amounts(quantities: Mapping[str, Any]) -> dict[str, int]:
    return {name: nano(amount) for name, amount in quantities.items()}


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
