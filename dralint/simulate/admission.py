"""What the API server makes of a Pod before the scheduler sees it, and what it refuses for the sake of other objects.

Sources (v1.37.0): plugin/pkg/admission/{limitranger,priority,defaulttolerationseconds,runtimeclass};
pkg/apis/core/v1/defaults.go (SetDefaults_LimitRangeItem); pkg/registry/resource/utils.go (AuthorizedForAdmin,
AuthorizedForAdminStatus).
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
    ranges = [item for item in cluster.of("LimitRange") if item["metadata"]["namespace"] == namespace]
    for item in ranges:
        for limit in map(dict_of, list_of(dict_of(item.get("spec")).get("limits"))):
            if limit.get("type") == "Container":
                limits = {**dict_of(limit.get("max")), **dict_of(limit.get("default"))}
                requests = {**dict_of(limit.get("min")), **limits, **dict_of(limit.get("defaultRequest"))}
                for kind in ("initContainers", "containers"):
                    if kind in spec:
                        spec[kind] = [_filled(each, limits, requests) for each in list_of(spec[kind])]
            if limit.get("type") == "Pod" or limit.get("maxLimitRequestRatio"):
                unread.append(
                    f"what the LimitRange {item['metadata']['name']} allows in all, or between request and limit"
                )
    for item in ranges:
        for limit in map(dict_of, list_of(dict_of(item.get("spec")).get("limits"))):
            for container in (*list_of(spec.get("containers")), *list_of(spec.get("initContainers"))):
                said = _beyond(dict_of(dict_of(container).get("resources")), limit)
                if said and limit.get("type") == "Container":
                    return said
    return ""


def _filled(container: Any, limits: Mapping[str, Any], requests: Mapping[str, Any]) -> dict[str, Any]:
    """Return a container with the limits and requests that it does not name; its own limits are requests, too."""
    resources = dict_of(dict_of(container).get("resources"))
    own = dict_of(resources.get("limits"))
    asked = {**requests, **own, **dict_of(resources.get("requests"))}
    return {**dict_of(container), "resources": {**resources, "limits": {**limits, **own}, "requests": asked}}


def _beyond(resources: Mapping[str, Any], limit: Mapping[str, Any]) -> str:
    """Return why a container is refused that has less than the least or more than the most."""
    requests, limits = dict_of(resources.get("requests")), dict_of(resources.get("limits"))
    for name, least in dict_of(limit.get("min")).items():
        if name not in requests:
            return f"minimum {name} usage per Container is {least}.  No request is specified"
        for what, amounts in (("request", requests), ("limit", limits)):
            if name in amounts and nano(amounts[name]) < nano(least):
                return f"minimum {name} usage per Container is {least}, but {what} is {amounts[name]}"
    for name, most in dict_of(limit.get("max")).items():
        if name not in limits:
            return f"maximum {name} usage per Container is {most}.  No limit is specified"
        for what, amounts in (("limit", limits), ("request", requests)):
            if name in amounts and nano(amounts[name]) > nano(most):
                return f"maximum {name} usage per Container is {most}, but {what} is {amounts[name]}"
    return ""


def _with_priority(spec: dict[str, Any], cluster: Cluster) -> str:
    """Write the priority of a Pod's class, or of the default one, into its spec; return why it is refused."""
    name = spec.get("priorityClassName")
    if isinstance(spec.get("priority"), int):
        return ""  # only admission writes it
    if name in _OF_THE_SYSTEM:
        spec["priority"] = _OF_THE_SYSTEM[name]
        return ""
    if name:
        known = cluster.get("PriorityClass", "", str(name))
        if known is None:
            return f"no PriorityClass with name {name} was found" if _all_known("PriorityClass", cluster) else ""
        found = known
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
