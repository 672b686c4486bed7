"""Collects facts of slices, parameters and other objects of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.path import at, dict_of, list_of, text_of, texts_of
from dralint.kubernetes.workloads import CLASS_QUOTA, GROUP
from dralint.references.collect import reference
from dralint.references.other_facts import (
    ConsumptionFacts,
    Definition,
    Generated,
    KueueConfig,
    Labels,
    Mapped,
    NodeState,
    QuotaFacts,
    Role,
    Sharable,
    SliceFacts,
    TaintRule,
)
from dralint.references.quota_keys import CLAIM_QUOTAS, meant

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import Body
    from dralint.yaml import Path

ALL_NODES, SOME_NODES = "*", "?"
"""Stand for all nodes, and for those that a selector matches, where a slice names none."""

_LABELS = ("resource.k8s.io/admin-access", "resource.kubernetes.io/admin-access")


def _parameters(item: ApiObject) -> Generated:
    single = item.kind == "ResourceClaimParameters" and item.data.get("shareable") is not True
    return Generated(reference(("generatedFrom",), item.data.get("generatedFrom")), single)


def _taint_rule(item: ApiObject) -> TaintRule:
    spec = dict_of(item.data.get("spec"))
    selector, taint = dict_of(spec.get("deviceSelector")), dict_of(spec.get("taint"))
    return TaintRule(
        text_of(selector.get("driver")),
        text_of(selector.get("pool")),
        text_of(selector.get("device")),
        tuple((key, text) for key in ("key", "value", "effect") if (text := text_of(taint.get(key)))),
        bool(selector.get("deviceClassName") or selector.get("selectors")),
        spec.get("deviceSelector") is not None,
    )


def _slice(item: ApiObject) -> SliceFacts | None:
    spec = dict_of(item.data.get("spec"))
    pool = dict_of(spec.get("pool"))
    driver, name = text_of(spec.get("driver")), text_of(pool.get("name"))
    generation, count = pool.get("generation", 0), pool.get("resourceSliceCount", 0)
    if driver is None or name is None or not isinstance(generation, int) or not isinstance(count, int):
        return None
    devices: list[str] = []
    consumes: list[ConsumptionFacts] = []
    sharable: list[Sharable] = []
    for position, device in enumerate(list_of(spec.get("devices"))):
        own = device.get("name") if isinstance(device, dict) else None
        if not isinstance(own, str) or not own:
            devices.append("")
            continue
        devices.append(own)
        if device.get("allowMultipleAllocations") is True:
            sharable.append(_sharable(position, own, dict_of(device.get("capacity"))))
        basic = device.get("basic")
        consumed = (basic if isinstance(basic, dict) else device).get("consumesCounters")
        if not consumed:
            continue
        path: Path = (
            ("spec", "devices", position, "basic") if isinstance(basic, dict) else ("spec", "devices", position)
        )
        for number, entry in enumerate(list_of(consumed)):
            counter_set = text_of(dict_of(entry).get("counterSet"))
            if counter_set is not None:
                place = (*path, "consumesCounters", number)
                consumes.append(ConsumptionFacts(place, own, counter_set, _amounts(entry.get("counters"))))
    sets: list[tuple[Path, str, tuple[tuple[str, str], ...]]] = []
    for position, entry in enumerate(list_of(spec.get("sharedCounters"))):
        own = text_of(dict_of(entry).get("name"))
        if own is not None:
            sets.append((("spec", "sharedCounters", position), own, _amounts(entry.get("counters"))))
    nodes = text_of(spec.get("nodeName")) or (ALL_NODES if spec.get("allNodes") is True else SOME_NODES)
    names = "\n".join(devices)
    return SliceFacts(driver, name, generation, count, nodes, names, tuple(sets), tuple(consumes), tuple(sharable))


def _sharable(position: int, device: str, capacity: dict[str, Any]) -> Sharable:
    path: Path = ("spec", "devices", position)
    steps: list[tuple[Path, str, str]] = []
    for name, entry in capacity.items():
        place = (*path, "capacity", name, "requestPolicy", "validRange")
        allowed = dict_of(at(entry, ("requestPolicy", "validRange")))
        steps += [((*place, key), key, str(amount)) for key, amount in allowed.items()]
    return Sharable(path, device, bool(capacity), tuple(steps))


def _node(item: ApiObject) -> NodeState:
    allocatable = dict_of(at(item.data, ("status", "allocatable")))
    resources = tuple((name, str(amount)) for name, amount in allocatable.items() if "/" in name)
    labels = tuple((key, str(value)) for key, value in dict_of(at(item.data, ("metadata", "labels"))).items())
    return NodeState(text_of(at(item.data, ("status", "nodeInfo", "kubeletVersion"))), resources, labels)


def _amounts(value: object) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(dict_of(amount).get("value", amount))) for name, amount in dict_of(value).items())


def _namespace(item: ApiObject) -> Labels:
    labels = dict_of(at(item.data, ("metadata", "labels")))
    return Labels(tuple((key, str(labels[key])) for key in _LABELS if key in labels))


def _quota(item: ApiObject) -> QuotaFacts | None:
    """Return the limits of a quota; None where it has none for claims or devices."""
    hard = dict_of(at(item.data, ("spec", "hard")))
    found = QuotaFacts(
        tuple((key, str(value)) for key, value in hard.items() if key in CLAIM_QUOTAS or key.endswith(CLASS_QUOTA)),
        tuple((key, name) for key in hard if (name := meant(key)) is not None),
    )
    return found if any(found) else None


def _definition(item: ApiObject) -> Definition:
    spec = dict_of(item.data.get("spec"))
    kind = text_of(at(spec, ("names", "kind")))
    return Definition(text_of(spec.get("group")) or "", kind or "", spec.get("scope") == "Namespaced")


def _kueue(item: ApiObject) -> KueueConfig:
    mappings: list[Mapped] = []
    top: Path = ("resources", "deviceClassMappings")
    for position, row in enumerate(list_of(at(item.data, top))):
        mapping, path = dict_of(row), (*top, position)
        names = list_of(mapping.get("deviceClassNames"))
        classes = tuple(((*path, "deviceClassNames", n), name) for n, name in enumerate(names) if isinstance(name, str))
        counters = (at(source, ("counter", "name")) for source in list_of(mapping.get("sources")))
        sources = tuple(name for name in counters if isinstance(name, str)) if "sources" in mapping else None
        mappings.append(Mapped(path, text_of(mapping.get("name")) or "", classes, sources))
    return KueueConfig(tuple(mappings))


def _role(item: ApiObject) -> Role:
    rules: list[tuple[Path, str, tuple[str, ...]]] = []
    for position, rule in enumerate(list_of(item.data.get("rules"))):
        if {GROUP, "*"} & set(texts_of(dict_of(rule).get("apiGroups"))):
            verbs = texts_of(rule.get("verbs"))
            rules += [(("rules", position), resource, verbs) for resource in texts_of(rule.get("resources"))]
    return Role(tuple(rules))


OTHERS: dict[tuple[str, str], Callable[[ApiObject], Body]] = {
    ("resource.k8s.io", "ResourceClaimParameters"): _parameters,
    ("resource.k8s.io", "ResourceClassParameters"): _parameters,
    ("resource.k8s.io", "ResourceSlice"): _slice,
    ("resource.k8s.io", "DeviceTaintRule"): _taint_rule,
    ("", "Namespace"): _namespace,
    ("", "Node"): _node,
    ("", "ResourceQuota"): _quota,
    ("config.kueue.x-k8s.io", "Configuration"): _kueue,
    ("rbac.authorization.k8s.io", "ClusterRole"): _role,
    ("rbac.authorization.k8s.io", "Role"): _role,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _definition,
}
"""Group and kind → the function that makes facts of such an object."""
