"""Slices with node selectors in an inventory without Nodes: dralint does not know which nodes have the labels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.simulate.cluster import Cluster, Key


def are_unknown(cluster: Cluster) -> bool:
    """Say whether slices or devices have a node selector, and there are no Nodes."""
    if cluster.of("Node"):
        return False
    for item in cluster.of("ResourceSlice"):
        spec = item.get("spec") or {}
        devices = spec.get("devices")
        for place in (spec, *(devices if isinstance(devices, list) else ())):
            if isinstance(place, dict) and place.get("nodeSelector") is not None:
                return True
    return False


def reach_everywhere(cluster: Cluster) -> bool:
    """Let all devices with a node selector reach every node. What fits nowhere then cannot fit in the real cluster.

    Slices of one pool for different labels may never meet on a node, so each label gets its own pool. Only a request
    for all devices can become harder to satisfy with more devices.

    Returns:
        False where it stays unknown which slices of a pool a node sees together.
    """
    selected: dict[tuple[str, str], list[tuple[Key, str]]] = {}
    members: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for key, item in cluster.objects.items():
        if key[0] != "ResourceSlice":
            continue
        spec = item.get("spec") or {}
        pool = str(spec.get("driver")), str((spec.get("pool") or {}).get("name"))
        members.setdefault(pool, []).append(spec)
        if spec.get("nodeSelector") is not None:
            selected.setdefault(pool, []).append((key, json.dumps(spec["nodeSelector"], sort_keys=True, default=str)))
        _open_up(cluster, key, item)
    return all(_split(cluster, members[pool], found) for pool, found in selected.items())


def _open_up(cluster: Cluster, key: Key, item: Mapping[str, Any]) -> None:
    spec = _everywhere(item.get("spec") or {})
    spec.pop("skipNodeOperations", None)
    if isinstance(spec.get("devices"), list):
        spec["devices"] = [_everywhere(each) if isinstance(each, dict) else each for each in spec["devices"]]
    cluster.objects[key] = {**item, "spec": spec}


def _split(cluster: Cluster, members: list[dict[str, Any]], found: list[tuple[Key, str]]) -> bool:
    """Give slices of a pool for different nodes their own pools; False where that is not possible."""
    newest = max(_number(spec, "generation") for spec in members)
    current = [spec for spec in members if _number(spec, "generation") == newest]
    selectors = list(dict.fromkeys(selector for _, selector in found))
    if len(selectors) == 1:
        # At most these meet on a node. If there are more than the pool has, some of them do not meet.
        return len(current) <= max(_number(spec, "resourceSliceCount") for spec in current)
    if len(found) < len(members) or len(current) < len(members) or any(spec.get("sharedCounters") for spec in members):
        return False
    for number, wanted in enumerate(selectors):
        group = [key for key, selector in found if selector == wanted]
        for key in group:
            spec = cluster.objects[key]["spec"]
            pool = {**spec["pool"], "name": f"{spec['pool']['name']}/{number}", "resourceSliceCount": len(group)}
            cluster.objects[key] = {**cluster.objects[key], "spec": {**spec, "pool": pool}}
    return True


def _number(spec: Mapping[str, Any], field: str) -> int:
    value = (spec.get("pool") or {}).get(field, 0)
    return value if isinstance(value, int) else 0


def _everywhere(places: Mapping[str, Any]) -> dict[str, Any]:
    if places.get("nodeSelector") is None:
        return dict(places)
    return {**{key: value for key, value in places.items() if key != "nodeSelector"}, "allNodes": True}
