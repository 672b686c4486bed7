"""The AllocationResults that the scheduler would store for the devices of an attempt.

Source: k8s.io/dynamic-resource-allocation/structured/internal/*/allocator_*.go (Allocate, createNodeSelector), v1.34.4
to v1.37.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.simulate.allocation import AttemptError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dralint.simulate.allocation import Taken
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.claims import Claim, Request, Want
    from dralint.simulate.inventory import Device
    from dralint.simulate.node_selection import ClusterNode


def allocation(
    claim: Claim,
    taken: Sequence[Taken],
    node: ClusterNode,
    behaviour: Behaviour,
    classes: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the AllocationResult (v1) of a claim, shareIDs as `*` and without time; {} for a claim without requests.

    AttemptError if the node selectors of the devices cannot be put together.
    """
    if not taken:
        return {}
    devices: dict[str, Any] = {"results": [_result(one, behaviour) for one in taken]}
    config = _config(claim, _chosen(claim, taken), behaviour, classes)
    if config:
        devices["config"] = config
    made: dict[str, Any] = {"devices": devices}
    selector = _node_selector(claim, [one.device for one in taken], node, behaviour)
    if selector is not None:
        made["nodeSelector"] = selector
    return made


def _result(taken: Taken, behaviour: Behaviour) -> dict[str, Any]:
    want, device = taken.want, taken.device
    result: dict[str, Any] = {
        "request": want.name,
        "driver": device.id.driver,
        "pool": device.id.pool,
        "device": device.id.device,
    }
    if want.admin:
        result["adminAccess"] = True
    if want.tolerations and behaviour.has("returns_tolerations"):
        result["tolerations"] = [dict(toleration) for toleration in want.tolerations]
    if taken.share is not None:
        result["shareID"] = "*"
        if taken.share:
            result["consumedCapacity"] = {name: need.text for name, need in taken.share.items()}
    if behaviour.binding:
        for field in ("bindingConditions", "bindingFailureConditions"):
            if device.spec.get(field):
                result[field] = list(device.spec[field])
    if behaviour.skips_operations and device.slice.spec.get("skipNodeOperations"):
        result["skipNodeOperations"] = device.slice.spec["skipNodeOperations"]
    return result


def _chosen(claim: Claim, taken: Sequence[Taken]) -> list[tuple[Request, Want]]:
    """Return the alternative that each request got."""
    by_base = {one.want.base: one.want for one in taken}
    return [(request, by_base[request.name]) for request in claim.requests if request.name in by_base]


def _config(
    claim: Claim,
    chosen: Sequence[tuple[Request, Want]],
    behaviour: Behaviour,
    classes: Mapping[str, Mapping[str, Any]],
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    by_class: dict[str, list[dict[str, Any]]] = {}
    repeats = behaviour.has("repeats_class_config")
    for _, want in chosen:
        entries = None if repeats else by_class.get(want.class_name)
        if entries is None:
            spec = (classes.get(want.class_name) or {}).get("spec") or {}
            listed = () if repeats else (want.name,)
            configs = spec.get("config") or ()
            entries = [{"source": "FromClass", "requests": [*listed], **entry} for entry in configs]
            by_class[want.class_name] = entries
            found += entries
        else:
            for entry in entries:
                entry["requests"].append(want.name)
    names = {want.name for _, want in chosen}
    parents = {request.name for request, _ in chosen}
    for entry in (claim.spec.get("config")) or ():
        requests = list(entry.get("requests") or ())
        made = {**entry, "source": "FromClaim"}
        if not requests:
            found.append(made)
            continue
        hits = sum(request in names or request in parents for request in requests)
        found += [{**made, "requests": requests} for _ in range(min(hits, 1) if behaviour.has("config_once") else hits)]
    if behaviour.has("config_once"):
        for entry in found:
            named = set(entry.get("requests") or ())
            if named and all(want.name in named or request.name in named for request, want in chosen):
                entry["requests"] = []
    return [{key: value for key, value in entry.items() if value != []} for entry in found]


def _node_selector(
    claim: Claim, devices: Sequence[Device], node: ClusterNode, behaviour: Behaviour
) -> dict[str, Any] | None:
    term: dict[str, list[Any]] = {"matchFields": [], "matchExpressions": []}
    seen: set[object] = set()
    for device in devices:
        spec = device.slice.spec
        by_device = spec.get("perDeviceNodeSelection") is True
        place = device.spec if by_device else spec
        if place.get("nodeName") or (behaviour.binding and device.spec.get("bindsToNode") is True):
            requirement = {"key": "metadata.name", "operator": "In", "values": [node.name]}
            return {"nodeSelectorTerms": [{"matchFields": [requirement]}]}
        selector = place.get("nodeSelector")
        if selector is None or place.get("allNodes") is True:
            continue
        terms: Sequence[Mapping[str, Any]] = selector.get("nodeSelectorTerms") or ()
        if len(terms) != 1:
            text = (
                f"create NodeSelector for claim {claim.short}: unsupported ResourceSlice.NodeSelector with"
                f" {len(terms)} terms"
            )
            raise AttemptError(text, device=device)
        for kind, requirements in term.items():
            for requirement in terms[0].get(kind) or ():
                values = frozenset(requirement.get("values") or ())
                identity = (kind, requirement.get("key"), requirement.get("operator"), values)
                if identity not in seen:
                    seen.add(identity)
                    requirements.append(requirement)
    found = {kind: requirements for kind, requirements in term.items() if requirements}
    return {"nodeSelectorTerms": [found]} if found else None
