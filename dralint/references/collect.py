"""Collects facts of objects: what of each matters to others, whatever its API version."""

from __future__ import annotations

import marshal
from sys import intern
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import at, dict_of, list_of, text_of, texts_of
from dralint.kubernetes.workloads import CLASS_QUOTA, GROUP
from dralint.manifest.objects import known_kind, mappings
from dralint.references.admission import flat_fields
from dralint.references.facts import (
    ANY_NAMESPACE,
    ClaimFacts,
    Class,
    Config,
    ConstraintFacts,
    ConsumptionFacts,
    Definition,
    Facts,
    Generated,
    KueueConfig,
    Labels,
    Mapped,
    NodeState,
    ParametersRef,
    PolicyFacts,
    QuotaFacts,
    RequestFacts,
    Role,
    Runtime,
    SelectorFacts,
    Sharable,
    SliceFacts,
    TaintRule,
)
from dralint.references.misspelt_names import CLAIM_QUOTAS, meant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import Body
    from dralint.yaml import Path


def facts_of(item: ApiObject, file: str, document: int) -> Facts | None:
    """Return the facts of an object; None where nothing of it matters to others."""
    collect = _COLLECTORS.get((item.group, item.kind))
    if collect is None and item.group != GROUP:
        from dralint.references.collect_pods import workload as collect
    body = None if collect is None else collect(item)
    return None if body is None else facts(item, file, document, body)


def all_facts(item: ApiObject, file: str, document: int) -> list[Facts]:
    """Return the facts of an object, and of the objects that will be made for it."""
    found, kind = facts_of(item, file, document), known_kind(item)
    if found is None:
        return list(made_by(item, file, document))
    return [found, *(made_by(item, file, document) if kind is not None else ())]


def made_by(item: ApiObject, file: str, document: int) -> Iterator[Facts]:
    """Yield the templates that an operator will make for a custom resource.

    For an unknown kind, those are the ones that it names itself as `resourceClaimTemplate: {name: ...}`.
    """
    if "." not in item.group or item.group.endswith(".k8s.io"):
        return
    kind = known_kind(item)
    if kind is not None:
        from dralint.references.collect_pods import generated  # few objects are of these kinds

        yield from generated(item, kind, file, document)
        return
    for _, value in mappings(item.data):
        name = text_of(dict_of(value.get("resourceClaimTemplate")).get("name"))
        if name is not None:
            yield Facts(file, document, item.path, "", "ResourceClaimTemplate", item.namespace, name, None, None)


def facts(item: ApiObject, file: str, document: int, body: Body) -> Facts:
    """Return the facts of an object with that body."""
    metadata = dict_of(item.data.get("metadata"))
    named, namespace = text_of(metadata.get("name")), item.namespace
    prefix = text_of(metadata.get("generateName")) if named is None else None
    if namespace is None:
        kind = known_kind(item)
        namespace = ANY_NAMESPACE if kind is not None and kind.cluster else None
    return Facts(
        file,
        document,
        item.path,
        intern(item.api_version),
        intern(item.kind),
        namespace and intern(namespace),
        named,
        prefix,
        body,
    )


# Claims.


def _claim(item: ApiObject) -> ClaimFacts:
    spec: Path = ("spec", "spec") if item.kind == "ResourceClaimTemplate" else ("spec",)
    claim = claim_facts(spec, dict_of(at(item.data, spec)))
    if at(item.data, ("status", "allocation")):
        deleting = at(item.data, ("metadata", "deletionTimestamp")) is not None
        return claim._replace(status=item.data["status"], deleting=deleting)
    return claim._replace(annotated=len(spec) > 1 and bool(at(item.data, ("spec", "metadata", "annotations"))))


def claim_facts(spec: Path, data: dict[str, Any]) -> ClaimFacts:
    """Return the facts of the spec of a claim; `spec` leads to it."""
    classic = text_of(data.get("resourceClassName"))
    if classic is not None or "parametersRef" in data:
        parameters = reference((*spec, "parametersRef"), data.get("parametersRef"))
        return ClaimFacts(spec, (), (), (), False, classic, parameters)
    top: Path = (*spec, "devices", "requests")
    devices = dict_of(data.get("devices"))
    requests: list[RequestFacts] = []
    plain = True
    for position, request in enumerate(list_of(devices.get("requests"))):
        if not isinstance(request, dict) or text_of(request.get("name")) is None:
            plain = False
            continue
        requests += _request((*top, position), request)
    configs: tuple[Config, ...] = ()
    if devices.get("config"):
        configs = tuple(_configs((*spec, "devices", "config"), devices["config"]))
    constraints: tuple[ConstraintFacts, ...] = ()
    if devices.get("constraints"):
        derived = frozenset(_derived(devices.get("requests")))
        found = _constraints((*spec, "devices", "constraints"), devices["constraints"])
        constraints = tuple(constraint for constraint in found if constraint.attribute not in derived)
    return ClaimFacts(top, tuple(requests), configs, constraints, plain, None, None)


def _request(path: Path, request: dict[str, Any]) -> Iterator[RequestFacts]:
    """Yield a request; if it has alternatives, the request without a class, then each of them."""
    name: str = request["name"]
    alternatives = request.get("firstAvailable")
    if isinstance(alternatives, list) and alternatives:
        yield RequestFacts(path, name, None, None, "", None, False, ())
        for position, alternative in enumerate(alternatives):
            if isinstance(alternative, dict) and text_of(alternative.get("name")):
                place = (*path, "firstAvailable", position)
                yield _wanted(place, alternative, alternative["name"], name)
        return
    exactly = request.get("exactly")
    if isinstance(exactly, dict):
        yield _wanted((*path, "exactly"), exactly, name, None)
    else:
        yield _wanted(path, request, name, None)


def _wanted(path: Path, data: dict[str, Any], name: str, parent: str | None) -> RequestFacts:
    mode = text_of(data.get("allocationMode")) or "ExactCount"
    count = data.get("count", 1)
    selectors, tolerations, capacity = data.get("selectors"), data.get("tolerations"), data.get("capacity")
    return RequestFacts(
        path,
        name,
        parent,
        text_of(data.get("deviceClassName")),
        mode,
        (count or 1) if isinstance(count, int) and not isinstance(count, bool) and mode == "ExactCount" else None,
        data.get("adminAccess") is True,
        tuple(_selectors((*path, "selectors"), selectors)) if selectors else (),
        tuple(list_of(tolerations)) if tolerations else (),
        tuple(dict_of(dict_of(capacity).get("requests")).items()) if capacity else (),
    )


def _selectors(path: Path, value: object) -> Iterator[SelectorFacts]:
    for position, entry in enumerate(list_of(value)):
        expression = text_of(at(entry, ("cel", "expression")))
        if expression is not None:
            yield SelectorFacts((*path, position, "cel", "expression"), expression)


def _configs(path: Path, value: object) -> Iterator[Config]:
    for position, entry in enumerate(list_of(value)):
        driver = text_of(at(entry, ("opaque", "driver")))
        if driver is not None:
            place = (*path, position, "opaque", "driver")
            parameters = dict_of(at(entry, ("opaque", "parameters")))
            requests, sharing = texts_of(entry.get("requests")), bool(parameters.get("sharing"))
            yield Config(place, driver, requests, _type(parameters), sharing, packed(parameters))


def packed(parameters: dict[str, Any]) -> bytes | None:
    """Return parameters as `marshal` writes them; None where they are nested too deeply."""
    try:
        return marshal.dumps(parameters, 2)
    except ValueError:
        return None


def _type(parameters: object) -> tuple[str, str] | None:
    """Return the group and kind of parameters of a driver; None where they have none."""
    version, kind = at(parameters, ("apiVersion",)), text_of(at(parameters, ("kind",)))
    group = version.rpartition("/")[0] if isinstance(version, str) else ""
    return (group, kind) if group and kind is not None else None


def _constraints(path: Path, value: object) -> Iterator[ConstraintFacts]:
    for position, entry in enumerate(list_of(value)):
        for key in ("matchAttribute", "distinctAttribute"):
            attribute = text_of(dict_of(entry).get(key))
            if attribute is not None:
                distinct = key == "distinctAttribute"
                yield ConstraintFacts((*path, position, key), attribute, distinct, texts_of(entry.get("requests")))


def _derived(requests: object) -> Iterator[str]:
    """Yield the attributes that requests compute: the devices alone do not show their values."""
    for request in map(dict_of, list_of(requests)):
        for each in map(dict_of, (request, request.get("exactly"), *list_of(request.get("firstAvailable")))):
            for entry in map(dict_of, list_of(each.get("derivedAttributes"))):
                name = text_of(entry.get("name"))
                if name is not None:
                    yield name


def reference(path: Path, value: object) -> ParametersRef | None:
    """Return a reference to parameters of the classic API; None where it names none."""
    data = dict_of(value)
    kind, name = text_of(data.get("kind")), text_of(data.get("name"))
    if kind is None or name is None:
        return None
    return ParametersRef(path, text_of(data.get("apiGroup")) or "", kind, name, text_of(data.get("namespace")))


# Classes, parameters, rules.


def _device_class(item: ApiObject) -> Class:
    spec = dict_of(item.data.get("spec"))
    selectors = tuple(_selectors(("spec", "selectors"), spec.get("selectors")))
    return Class(
        selectors,
        tuple(_configs(("spec", "config"), spec.get("config"))),
        text_of(spec.get("extendedResourceName")),
        None,
        len(selectors) == len(list_of(spec.get("selectors"))),
    )


def _resource_class(item: ApiObject) -> Class:
    return Class((), (), None, reference(("parametersRef",), item.data.get("parametersRef")), True)


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
    devices = list(map(dict_of, list_of(spec.get("devices"))))
    names = [text_of(device.get("name")) or "" for device in devices]
    named = [(at, own, device) for at, (own, device) in enumerate(zip(names, devices, strict=True)) if own]
    shared = ((at, own, device) for at, own, device in named if device.get("allowMultipleAllocations") is True)
    nodes = text_of(spec.get("nodeName")) or (ALL_NODES if spec.get("allNodes") is True else SOME_NODES)
    return SliceFacts(
        driver,
        name,
        generation,
        count,
        nodes,
        "\n".join(names),
        tuple(
            (("spec", "sharedCounters", position), own, _amounts(entry.get("counters")))
            for position, entry in enumerate(list_of(spec.get("sharedCounters")))
            if (own := text_of(dict_of(entry).get("name"))) is not None
        ),
        tuple(
            each
            for at, own, device in named
            if "consumesCounters" in device or "basic" in device
            for each in _consumption(at, own, device)
        ),
        tuple(_sharable(at, own, dict_of(device.get("capacity"))) for at, own, device in shared),
        frozenset(how for _, _, device in named for how in _native(device)),
    )


def _consumption(position: int, name: str, device: dict[str, Any]) -> Iterator[ConsumptionFacts]:
    """Yield what a device takes from counter sets; up to v1beta1 that is in `basic`."""
    basic = isinstance(device.get("basic"), dict)
    path: Path = ("spec", "devices", position, *(["basic"] if basic else []), "consumesCounters")
    for number, entry in enumerate(list_of((device["basic"] if basic else device).get("consumesCounters"))):
        counter_set = text_of(dict_of(entry).get("counterSet"))
        if counter_set is not None:
            yield ConsumptionFacts((*path, number), name, counter_set, _amounts(entry.get("counters")))


def _native(device: dict[str, Any]) -> Iterator[str]:
    """Yield how a device takes resources of its node, in the form of 1.36 or 1.37."""
    if device.get("nodeAllocatableResourceMappings"):
        yield "mapping"
    for entry in dict_of(device.get("nodeAllocatableResources")).values():
        yield from (key for key in ("mapping", "overhead") if key in dict_of(entry))


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
    binds: Path | None = None
    for position, rule in enumerate(list_of(item.data.get("rules"))):
        groups, named = texts_of(dict_of(rule).get("apiGroups")), texts_of(dict_of(rule).get("resources"))
        if "" in groups and "pods/binding" in named and "create" in texts_of(rule.get("verbs")):
            binds = ("rules", position)
        if {GROUP, "*"} & set(texts_of(dict_of(rule).get("apiGroups"))):
            verbs = texts_of(rule.get("verbs"))
            rules += [(("rules", position), resource, verbs) for resource in texts_of(rule.get("resources"))]
    return Role(tuple(rules), binds)


def _policy(item: ApiObject) -> PolicyFacts | None:
    """Return what a policy looks for in claims; None where it sees none, or sees them in v1beta1 or older."""
    found = tuple(flat_fields(item.data))
    return PolicyFacts(found) if found else None


_COLLECTORS: dict[tuple[str, str], Callable[[ApiObject], Body]] = {
    (GROUP, "ResourceClaim"): _claim,
    (GROUP, "ResourceClaimTemplate"): _claim,
    (GROUP, "DeviceClass"): _device_class,
    (GROUP, "ResourceClass"): _resource_class,
    (GROUP, "ResourceClaimParameters"): _parameters,
    (GROUP, "ResourceClassParameters"): _parameters,
    (GROUP, "ResourceSlice"): _slice,
    (GROUP, "DeviceTaintRule"): _taint_rule,
    ("", "Namespace"): _namespace,
    ("", "Node"): _node,
    ("", "ResourceQuota"): _quota,
    ("node.k8s.io", "RuntimeClass"): lambda _: Runtime(),
    ("config.kueue.x-k8s.io", "Configuration"): _kueue,
    ("rbac.authorization.k8s.io", "ClusterRole"): _role,
    ("rbac.authorization.k8s.io", "Role"): _role,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _definition,
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"): _policy,
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"): _policy,
    ("kyverno.io", "ClusterPolicy"): _policy,
    ("kyverno.io", "Policy"): _policy,
    ("policies.kyverno.io", "ValidatingPolicy"): _policy,
    ("templates.gatekeeper.sh", "ConstraintTemplate"): _policy,
}
"""Group and kind → the function that makes facts of such an object."""
