"""Extended resources of a Pod that devices satisfy: makes the claim that the scheduler creates for them.

Source: pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go (v1.35.4 to v1.37.0),
dynamicresources.go (v1.34.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import dict_of, list_of
from dralint.kubernetes.quantity import NANO, nano, quantities, quantity
from dralint.kubernetes.workloads import IMPLICIT, is_native

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.inventory import ClusterNode

ANNOTATION = "resource.kubernetes.io/extended-resource-claim"
NAME = "<extended-resources>"
CANNOT_FIT = "cannot fit resource"


@dataclass(frozen=True)
class Container:
    """What a container requests, and its limits; `index` counts init containers first, `lasting` ones run on."""

    name: str
    index: int
    lasting: bool
    requests: Mapping[str, Any]
    limits: Mapping[str, Any]

    def count(self, resource: str) -> int:
        """Return how many of a resource it requests."""
        return quantity(self.requests[resource]).integer() if resource in self.requests else 0

    def request_name(self, resource: str) -> str:
        """Return the name that its request of a resource has in the claim."""
        return f"container-{self.index}-request-{sorted(self.requests).index(resource)}"


def classes_by_resource(classes: Mapping[str, Mapping[str, Any]], behaviour: Behaviour) -> dict[str, str]:
    """Return extended resource → name of its class."""
    found: dict[str, str] = {}
    for name, item in classes.items():
        explicit = (item.get("spec") or {}).get("extendedResourceName")
        if behaviour.has("explicit_extended_name_wins"):
            found[explicit or f"{IMPLICIT}{name}"] = name
            continue
        if explicit:
            rival = found.get(explicit)
            if rival is not None and not _newer((name, item), (rival, classes[rival])):
                continue
            found[explicit] = name
        found[f"{IMPLICIT}{name}"] = name
    return found


def _newer(one: tuple[str, Mapping[str, Any]], other: tuple[str, Mapping[str, Any]]) -> bool:
    """Say which of two classes was created later: one without a time is about to be created."""
    ours, theirs = (str((item.get("metadata") or {}).get("creationTimestamp") or "~") for _, item in (one, other))
    return ours > theirs or (ours == theirs and one[0] < other[0])


def containers(pod: Mapping[str, Any]) -> list[Container]:
    """Return the containers of a Pod, init containers first; requests default to limits."""
    spec, found = pod.get("spec") or {}, list[Container]()
    for kind in ("initContainers", "containers"):
        for entry in map(dict_of, list_of(spec.get(kind))):
            limits = quantities(entry.get("resources"), "limits")
            requests = {**limits, **quantities(entry.get("resources"), "requests")}
            lasting = kind == "containers" or entry.get("restartPolicy") == "Always"
            found.append(Container(str(entry.get("name") or ""), len(found), lasting, requests, limits))
    return found


def refused_amount(spec: Mapping[str, Any], place: str) -> str:
    """Return why the API server refuses the extended resources of a Pod spec at a place; empty where it does not.

    Source: validateResourceRequirements and ValidateResourceQuantityValue in pkg/apis/core/validation/validation.go
    (v1.37.0). Implicit names are exempt: their domain is one of Kubernetes.
    """
    for kind in ("initContainers", "containers"):
        for position, entry in enumerate(list_of(spec.get(kind))):
            where, resources = f"{place}.{kind}[{position}].resources", dict_of(entry).get("resources")
            limits, requests = (
                {
                    name: amount
                    for name, amount in quantities(resources, part).items()
                    if is_extended(name) and not name.startswith(IMPLICIT)
                }
                for part in ("limits", "requests")
            )
            for part, amounts in (("limits", limits), ("requests", requests)):
                for name, amount in amounts.items():
                    if nano(amount) % NANO:
                        return f'{where}.{part}[{name}]: Invalid value: "{amount}": must be an integer'
            for name, amount in requests.items():
                if name not in limits:
                    return f"{where}.limits: Required value: Limit must be set for non overcommitable resources"
                if nano(amount) != nano(limits[name]):
                    return (
                        f'{where}.requests: Invalid value: "{amount}": must be equal to {name} limit of {limits[name]}'
                    )
    return ""


def requested(pod: Mapping[str, Any]) -> list[str]:
    """Return the extended resources that a Pod requests, sorted."""
    names = {name for c in containers(pod) for name, amount in c.requests.items() if nano(amount) > 0}
    overhead = quantities(pod.get("spec"), "overhead")
    names |= {name for name, amount in overhead.items() if nano(amount) > 0}
    return sorted(name for name in names if is_extended(name))


def is_extended(name: str) -> bool:
    """Say whether a resource is an extended one: not one of Kubernetes itself."""
    if name.startswith(IMPLICIT):
        return True
    return not is_native(name) and not name.startswith("requests.")


def through_devices(
    resources: Sequence[str], by_resource: Mapping[str, str], node: ClusterNode, behaviour: Behaviour
) -> list[str] | None:
    """Return the resources that a node satisfies by devices; None where it cannot satisfy one at all."""
    found = []
    for resource in resources:
        if through_class(resource, by_resource, node, behaviour):
            found.append(resource)
        elif node.allocatable.get(resource) is None:
            return None
    return found


def through_class(resource: str, by_resource: Mapping[str, str], node: ClusterNode, behaviour: Behaviour) -> bool:
    """Say whether a node satisfies a resource by devices of a class, not by what a device plugin has."""
    there = node.allocatable.get(resource)
    absent = there is None or (behaviour.has("zero_allocatable_is_absent") and nano(there) == 0)
    return absent and resource in by_resource


def claim_for(
    pod: Mapping[str, Any], resources: Sequence[str], by_resource: Mapping[str, str], behaviour: Behaviour
) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """Return the invented claim (v1), and which container uses which of its requests for which resource."""
    requests: dict[str, dict[str, Any]] = {}
    mappings: list[dict[str, str]] = []

    def use(container: Container, resource: str, request: str) -> None:
        mappings.append({"containerName": container.name, "resourceName": resource, "requestName": request})

    def ask(name: str, resource: str, count: int) -> None:
        exactly = {"deviceClassName": by_resource[resource], "allocationMode": "ExactCount", "count": count}
        requests[name] = {"name": name, "exactly": exactly}

    everyone = containers(pod)
    for resource in sorted(resources):
        asking = [c for c in everyone if c.count(resource) > 0]
        if not behaviour.has("reuses_extended_requests"):
            for container in asking:
                ask(container.request_name(resource), resource, container.count(resource))
                use(container, resource, container.request_name(resource))
            continue
        lasting = [c for c in asking if c.lasting]
        for container in lasting:
            ask(container.request_name(resource), resource, container.count(resource))
            use(container, resource, container.request_name(resource))
        missing: dict[int, tuple[Container, int]] = {}
        reused: dict[int, list[Container]] = {}
        passing = [c for c in asking if not c.lasting]
        for container in passing:
            left = container.count(resource)
            reused[container.index] = []
            for other in lasting:
                if left > 0 and other.index >= container.index:
                    left -= other.count(resource)
                    reused[container.index].append(other)
            if left > 0:
                missing[container.index] = (container, left)
        largest = max(missing.values(), key=lambda entry: entry[1], default=None)
        if largest is not None:
            ask(largest[0].request_name(resource), resource, largest[1])
        for container in passing:
            for other in reused[container.index]:
                use(container, resource, other.request_name(resource))
            if largest is not None and container.index in missing:
                use(container, resource, largest[0].request_name(resource))
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": NAME, "namespace": (pod.get("metadata") or {}).get("namespace") or "default"},
        "spec": {"devices": {"requests": [requests[name] for name in sorted(requests)]}},
    }
    return claim, mappings
