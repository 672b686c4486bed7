"""Objects to facts: what each says to others, whatever its API version."""

from __future__ import annotations

import marshal
from sys import intern
from typing import TYPE_CHECKING, Any, TypeVar

from dralint.finding.path import at
from dralint.kubernetes.custom_kinds import custom_kind
from dralint.kubernetes.pod_types import CONTAINERS
from dralint.kubernetes.workloads import GROUP, POD_SPECS
from dralint.manifest.claim_lists import claim_lists
from dralint.manifest.objects import mappings
from dralint.references.facts import (
    ANY_NAMESPACE,
    Claim,
    Class,
    Config,
    Constraint,
    Consumption,
    Definition,
    Entry,
    Facts,
    Generated,
    KueueConfig,
    Labels,
    Mapped,
    ParametersRef,
    PodSpec,
    Quota,
    Request,
    Role,
    Selector,
    Slice,
    TaintRule,
    Use,
    Workload,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import Body
    from dralint.yaml import Path

IMPLICIT = "deviceclass.resource.kubernetes.io/"
"""What the extended resource of a class that names none begins with."""

T = TypeVar("T")

ALL_NODES, SOME_NODES = "*", "?"
"""What stands for all nodes, and for those that a selector matches, where a slice names none."""

_LABELS = ("resource.k8s.io/admin-access", "resource.kubernetes.io/admin-access")
_TOOLS = ("kubernetes.io", "k8s.io", "helm.sh", "argoproj.io", "fluxcd.io", "cattle.io", "werf.io", "carvel.dev")
_ABOUT_CHARTS = frozenset(
    {"app", "chart", "component", "created-by", "heritage", "instance", "managed-by", "name", "part-of", "release"}
    | {"version"}
)
"""Names under which charts note what an object belongs to, in whatever domain."""
_HOSTNAME = "kubernetes.io/hostname"
_CLAIM_QUOTAS = ("count/resourceclaims.resource.k8s.io", "count/resourceclaimtemplates.resource.k8s.io")
_CLASS_QUOTA = ".deviceclass.resource.k8s.io/devices"


def facts_of(item: ApiObject, file: str, document: int) -> Facts | None:
    """Return what an object says to others, None for one that says nothing."""
    body: Body
    if item.group == GROUP:
        collect = _OURS.get(item.kind)
        body = None if collect is None else collect(item)
        if body is None:
            return None
    elif (item.api_version, item.kind) in _OTHERS:
        body = _OTHERS[item.api_version, item.kind](item)
    else:
        body = workload(item)
        if body is None:
            return None
    return facts(item, file, document, body)


def all_facts(item: ApiObject, file: str, document: int) -> list[Facts]:
    """Return what an object says to others, and the objects that will be made for it."""
    found = facts_of(item, file, document)
    if found is None:
        return list(made_by(item, file, document))
    if (
        "." in item.group
        and (kind := custom_kind(item.group, item.kind)) is not None
        and (kind.makes or kind.templates)
    ):
        return [found, *made_by(item, file, document)]
    return [found]


def made_by(item: ApiObject, file: str, document: int) -> Iterator[Facts]:
    """Yield the templates that an operator will make for a custom resource.

    Of an unknown kind, those are the ones that it names itself as `resourceClaimTemplate: {name: ...}`.
    """
    if "." not in item.group or item.group.endswith(".k8s.io"):
        return
    kind = custom_kind(item.group, item.kind)
    if kind is not None:
        from dralint.references.collect_custom import generated  # few objects are of these kinds

        yield from generated(item, kind, file, document)
        return
    for _, value in mappings(item.data):
        wanted = value.get("resourceClaimTemplate")
        name = _text(wanted.get("name")) if isinstance(wanted, dict) else None
        if name is not None:
            yield Facts(file, document, item.path, "", "ResourceClaimTemplate", item.namespace, name, None, None)


def facts(item: ApiObject, file: str, document: int, body: Body) -> Facts:
    """Return the facts of an object with that body."""
    metadata = item.data.get("metadata")
    named = _text(metadata.get("name")) if isinstance(metadata, dict) else None
    prefix = _text(metadata.get("generateName")) if isinstance(metadata, dict) and named is None else None
    namespace = item.namespace
    if namespace is None and "." in item.group and item.group != GROUP:
        kind = custom_kind(item.group, item.kind)
        namespace = ANY_NAMESPACE if kind is not None and kind.cluster else None
    return Facts(
        file,
        document,
        item.path and _once(item.path),
        intern(item.api_version),
        intern(item.kind),
        namespace and intern(namespace),
        named,
        prefix,
        body if isinstance(body, Slice | Claim) else _once(body),
    )


_MOST_KEPT = 4_000
_kept: dict[tuple[type, object], object] = {}


def _once(value: T) -> T:
    """Return the value, or an equal one that was met before: paths, classes and whole requests repeat a lot."""
    if len(_kept) > _MOST_KEPT:
        _kept.clear()
    try:
        return _kept.setdefault((type(value), value), value)  # type: ignore[return-value]
    except TypeError:  # tolerations and the like have no hash
        return value


_LONGEST_KEPT = 4_000
_made: dict[bytes, Any] = {}


def _once_of(make: Callable[[Path, dict[str, Any]], T], path: Path, data: dict[str, Any]) -> T:
    """Return what is made of the data at the path; the same, which stands in many objects, is looked at once."""
    try:
        key = marshal.dumps((path, data), 2)
    except ValueError:  # nested too deeply
        return make(path, data)
    made: T | None = _made.get(key)
    if made is None:
        made = make(path, data)
        if len(_made) > _MOST_KEPT:
            _made.clear()
        if len(key) <= _LONGEST_KEPT:
            _made[key] = made
    return made


def _of_somebody(key: str) -> bool:
    """Say whether a label or annotation is somebody's own, not one of Kubernetes or of a tool, nor about a chart."""
    domain, slash, name = key.partition("/")
    return bool(slash) and not domain.endswith(_TOOLS) and name not in _ABOUT_CHARTS


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: object) -> tuple[str, ...]:
    return tuple(entry for entry in _list(value) if isinstance(entry, str))


# Claims.


def _claim(item: ApiObject) -> Claim:
    spec: Path = ("spec", "spec") if item.kind == "ResourceClaimTemplate" else ("spec",)
    data = _dict(at(item.data, spec))
    own: tuple[tuple[str, str], ...] = ()
    passed_on = False
    if len(spec) == 2:
        metadata = _dict(item.data.get("metadata"))
        if "labels" in metadata or "annotations" in metadata:
            own = tuple(
                (field, key)
                for field in ("labels", "annotations")
                for key in [next(filter(_of_somebody, _dict(metadata.get(field))), None)]
                if key is not None
            )
        inner = _dict(at(item.data, ("spec", "metadata")))
        passed_on = bool(inner.get("labels") or inner.get("annotations"))
    claim = claim_facts(spec, data)
    allocated = "status" in item.data and bool(at(item.data, ("status", "allocation")))
    if allocated or own or passed_on:
        single = allocated and at(item.data, ("status", "allocation", "shareable")) is not True
        return claim._replace(allocated=allocated, own_metadata=own, passed_on=passed_on, single=single)
    return claim


def claim_facts(spec: Path, data: dict[str, Any]) -> Claim:
    """Return what the spec of a claim at a path says by itself."""
    return _once_of(_claim_of, spec, data)


def _claim_of(spec: Path, data: dict[str, Any]) -> Claim:
    """Return what the spec of a claim says by itself; `spec` leads to it."""
    classic = _text(data.get("resourceClassName"))
    if classic is not None or "parametersRef" in data:
        parameters = _reference((*spec, "parametersRef"), data.get("parametersRef"))
        return Claim(spec, (), (), (), False, False, classic, parameters, (), False)
    top: Path = (*spec, "devices", "requests")
    devices = _dict(data.get("devices"))
    requests: list[Request] = []
    plain = True
    for position, request in enumerate(_list(devices.get("requests"))):
        if not isinstance(request, dict) or _text(request.get("name")) is None:
            plain = False
            continue
        requests += _request((*top, position), request)
    configs: tuple[Config, ...] = ()
    if devices.get("config"):
        configs = tuple(_configs((*spec, "devices", "config"), devices["config"]))
    constraints: tuple[Constraint, ...] = ()
    if devices.get("constraints"):
        derived = frozenset(_derived(devices.get("requests")))
        found = _constraints((*spec, "devices", "constraints"), devices["constraints"])
        constraints = tuple(constraint for constraint in found if constraint.attribute not in derived)
    return Claim(_once(top), tuple(requests), configs, constraints, plain, False, None, None, (), False)


def _request(path: Path, request: dict[str, Any]) -> Iterator[Request]:
    """Yield a request; where it has alternatives, itself without a class, then each of them."""
    name: str = request["name"]
    alternatives = request.get("firstAvailable")
    if isinstance(alternatives, list) and alternatives:
        yield Request(path, name, None, None, "", None, False, ())
        for position, alternative in enumerate(alternatives):
            if isinstance(alternative, dict) and _text(alternative.get("name")):
                place = (*path, "firstAvailable", position)
                yield _wanted(place, alternative, alternative["name"], name)
        return
    exactly = request.get("exactly")
    if isinstance(exactly, dict):
        yield _wanted((*path, "exactly"), exactly, name, None)
    else:
        yield _wanted(path, request, name, None)


def _wanted(path: Path, data: dict[str, Any], name: str, parent: str | None) -> Request:
    mode = _text(data.get("allocationMode")) or "ExactCount"
    count = data.get("count", 1)
    selectors, tolerations, capacity = data.get("selectors"), data.get("tolerations"), data.get("capacity")
    wanted = Request(
        path,
        name,
        parent,
        _text(data.get("deviceClassName")),
        mode,
        (count or 1) if isinstance(count, int) and not isinstance(count, bool) and mode == "ExactCount" else None,
        data.get("adminAccess") is True,
        tuple(_selectors((*path, "selectors"), selectors)) if selectors else (),
        tuple(_list(tolerations)) if tolerations else (),
        tuple(_dict(_dict(capacity).get("requests")).items()) if capacity else (),
    )
    return _once(wanted)


def _selectors(path: Path, value: object) -> Iterator[Selector]:
    for position, entry in enumerate(_list(value)):
        expression = _text(at(entry, ("cel", "expression")))
        if expression is not None:
            yield Selector((*path, position, "cel", "expression"), expression)


def _configs(path: Path, value: object) -> Iterator[Config]:
    for position, entry in enumerate(_list(value)):
        driver = _text(at(entry, ("opaque", "driver")))
        if driver is not None:
            place = (*path, position, "opaque", "driver")
            parameters = _dict(at(entry, ("opaque", "parameters")))
            yield Config(
                place, driver, _texts(entry.get("requests")), _type(parameters), bool(parameters.get("sharing"))
            )


def _type(parameters: object) -> tuple[str, str] | None:
    """Return the group and kind of parameters of a driver, None where they are not of one."""
    version, kind = at(parameters, ("apiVersion",)), _text(at(parameters, ("kind",)))
    group = version.rpartition("/")[0] if isinstance(version, str) else ""
    return (group, kind) if group and kind is not None else None


def _constraints(path: Path, value: object) -> Iterator[Constraint]:
    for position, entry in enumerate(_list(value)):
        for key in ("matchAttribute", "distinctAttribute"):
            attribute = _text(_dict(entry).get(key))
            if attribute is not None:
                distinct = key == "distinctAttribute"
                yield Constraint((*path, position, key), attribute, distinct, _texts(entry.get("requests")))


def _derived(requests: object) -> Iterator[str]:
    """Yield the attributes that requests compute: nobody knows their values from the devices alone."""
    for request in map(_dict, _list(requests)):
        for each in map(_dict, (request, request.get("exactly"), *_list(request.get("firstAvailable")))):
            for entry in map(_dict, _list(each.get("derivedAttributes"))):
                name = _text(entry.get("name"))
                if name is not None:
                    yield name


def _reference(path: Path, value: object) -> ParametersRef | None:
    data = _dict(value)
    kind, name = _text(data.get("kind")), _text(data.get("name"))
    if kind is None or name is None:
        return None
    return ParametersRef(path, _text(data.get("apiGroup")) or "", kind, name, _text(data.get("namespace")))


# Classes, parameters, rules.


def _device_class(item: ApiObject) -> Class:
    spec = _dict(item.data.get("spec"))
    selectors = tuple(_selectors(("spec", "selectors"), spec.get("selectors")))
    return Class(
        selectors,
        tuple(_configs(("spec", "config"), spec.get("config"))),
        _text(spec.get("extendedResourceName")),
        None,
        None,
        len(selectors) == len(_list(spec.get("selectors"))),
    )


def _resource_class(item: ApiObject) -> Class:
    parameters = _reference(("parametersRef",), item.data.get("parametersRef"))
    return Class((), (), None, _text(item.data.get("driverName")), parameters, True)


def _parameters(item: ApiObject) -> Generated:
    single = item.kind == "ResourceClaimParameters" and item.data.get("shareable") is not True
    return Generated(_reference(("generatedFrom",), item.data.get("generatedFrom")), single)


def _taint_rule(item: ApiObject) -> TaintRule:
    spec = _dict(item.data.get("spec"))
    selector, taint = _dict(spec.get("deviceSelector")), _dict(spec.get("taint"))
    return TaintRule(
        _text(selector.get("driver")),
        _text(selector.get("pool")),
        _text(selector.get("device")),
        tuple((key, text) for key in ("key", "value", "effect") if (text := _text(taint.get(key)))),
        bool(selector.get("deviceClassName") or selector.get("selectors")),
        spec.get("deviceSelector") is not None,
    )


# Slices.


def _slice(item: ApiObject) -> Slice | None:
    spec = _dict(item.data.get("spec"))
    pool = _dict(spec.get("pool"))
    driver, name = _text(spec.get("driver")), _text(pool.get("name"))
    generation, count = pool.get("generation", 0), pool.get("resourceSliceCount", 0)
    if driver is None or name is None or not isinstance(generation, int) or not isinstance(count, int):
        return None
    devices: list[str] = []
    consumes: list[Consumption] = []
    for position, device in enumerate(_list(spec.get("devices"))):
        own = device.get("name") if isinstance(device, dict) else None
        if not isinstance(own, str) or not own:
            devices.append("")
            continue
        devices.append(own)
        basic = device.get("basic")
        consumed = (basic if isinstance(basic, dict) else device).get("consumesCounters")
        if not consumed:
            continue
        path: Path = (
            ("spec", "devices", position, "basic") if isinstance(basic, dict) else ("spec", "devices", position)
        )
        for number, entry in enumerate(_list(consumed)):
            counter_set = _text(_dict(entry).get("counterSet"))
            if counter_set is not None:
                place = (*path, "consumesCounters", number)
                consumes.append(Consumption(place, own, counter_set, _amounts(entry.get("counters"))))
    sets: list[tuple[Path, str, tuple[tuple[str, str], ...]]] = []
    for position, entry in enumerate(_list(spec.get("sharedCounters"))):
        own = _text(_dict(entry).get("name"))
        if own is not None:
            sets.append((("spec", "sharedCounters", position), own, _amounts(entry.get("counters"))))
    nodes = _text(spec.get("nodeName")) or (ALL_NODES if spec.get("allNodes") is True else SOME_NODES)
    return Slice(driver, name, generation, count, nodes, "\n".join(devices), tuple(sets), tuple(consumes))


def _amounts(value: object) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(_dict(amount).get("value", amount))) for name, amount in _dict(value).items())


# Other kinds.


def _namespace(item: ApiObject) -> Labels:
    labels = _dict(at(item.data, ("metadata", "labels")))
    return Labels(tuple((key, str(labels[key])) for key in _LABELS if key in labels))


def _quota(item: ApiObject) -> Quota:
    hard = _dict(at(item.data, ("spec", "hard")))
    return Quota(
        tuple((key, str(value)) for key, value in hard.items() if key in _CLAIM_QUOTAS or key.endswith(_CLASS_QUOTA))
    )


def _definition(item: ApiObject) -> Definition:
    spec = _dict(item.data.get("spec"))
    kind = _text(at(spec, ("names", "kind")))
    return Definition(_text(spec.get("group")) or "", kind or "", spec.get("scope") == "Namespaced")


_QUEUE = "kueue.x-k8s.io/queue-name"


def _kueue(item: ApiObject) -> KueueConfig:
    mappings: list[Mapped] = []
    top: Path = ("resources", "deviceClassMappings")
    for position, row in enumerate(_list(at(item.data, top))):
        mapping, path = _dict(row), (*top, position)
        names = _list(mapping.get("deviceClassNames"))
        classes = tuple(((*path, "deviceClassNames", n), name) for n, name in enumerate(names) if isinstance(name, str))
        counters = (at(source, ("counter", "name")) for source in _list(mapping.get("sources")))
        sources = tuple(name for name in counters if isinstance(name, str)) if "sources" in mapping else None
        mappings.append(Mapped(path, _text(mapping.get("name")) or "", classes, sources))
    return KueueConfig(tuple(mappings))


def _role(item: ApiObject) -> Role:
    rules: list[tuple[Path, str, tuple[str, ...]]] = []
    for position, rule in enumerate(_list(item.data.get("rules"))):
        if {GROUP, "*"} & set(_texts(_dict(rule).get("apiGroups"))):
            verbs = _texts(rule.get("verbs"))
            rules += [(("rules", position), resource, verbs) for resource in _texts(rule.get("resources"))]
    return Role(tuple(rules))


# Pods and workloads.

_REPLICAS: dict[str, Path] = {
    "ReplicationController": ("spec", "replicas"),
    "Deployment": ("spec", "replicas"),
    "ReplicaSet": ("spec", "replicas"),
    "StatefulSet": ("spec", "replicas"),
    "Job": ("spec", "parallelism"),
    "CronJob": ("spec", "jobTemplate", "spec", "parallelism"),
}


def workload(item: ApiObject) -> Workload | None:
    """Return what a Pod or workload says; None where it has neither claims nor extended resources."""
    known = POD_SPECS.get((item.api_version, item.kind))
    if known is not None:
        paths: list[Path] = [known]
    elif "." in item.group:
        paths = item.pod_specs()
    else:
        return None
    pods: list[PodSpec] = []
    kind = None if known is not None or "." not in item.group else custom_kind(item.group, item.kind)
    if kind is not None:
        from dralint.references.collect_custom import pods_of  # few objects are of these kinds

        pods = pods_of(item, kind)
        there = {pod.path for pod in pods}
        paths = [path for path in paths if path not in there]
    pods += [pod for path in paths if (pod := pod_facts(path, at(item.data, path))) is not None]
    pods += _groups(item)
    if not pods:
        return None
    path = _REPLICAS.get(item.kind, ()) if known is not None else ()
    replicas = at(item.data, path) if path else 1
    metadata = _dict(item.data.get("metadata"))
    live = bool(_dict(item.data.get("status")) or metadata.get("uid") or metadata.get("resourceVersion"))
    written = isinstance(replicas, int) and not isinstance(replicas, bool)
    queue = _text(_dict(metadata.get("labels")).get(_QUEUE)) is not None
    return Workload(tuple(pods), replicas if written else 1, path if written else (), live, queue)


def _groups(item: ApiObject) -> Iterator[PodSpec]:
    """Yield the lists of claims that a group of Pods shares, as Pod specs without containers."""
    for path, type_name, view in claim_lists(item):
        inner: Path = (*path, "scheduling") if type_name == "JobSpec" else path
        found = pod_facts(inner, view.get("scheduling", view))
        if found is not None:
            yield found._replace(plain=False)


def pod_facts(path: Path, spec: Any) -> PodSpec | None:
    """Return what a Pod spec at a path says; None where it has neither claims nor extended resources."""
    if not isinstance(spec, dict):
        return None
    entries: list[Entry] = []
    plain = True
    old = False
    for position, entry in enumerate(_list(spec.get("resourceClaims"))):
        found = entry_of((*path, "resourceClaims", position), entry)
        if found is None:
            plain = False
            continue
        old = old or "source" in found.field
        plain = plain and (found.claim is None) != (found.template is None)
        entries.append(_once(found))
    uses: list[Use] = []
    extended: list[tuple[Path, str, str]] = []
    for kind in CONTAINERS:
        for position, container in enumerate(_list(spec.get(kind))):
            resources = _dict(_dict(container).get("resources"))
            if not resources:
                continue
            place = (*path, kind, position, "resources")
            for number, use in enumerate(_list(resources.get("claims"))):
                name = _text(_dict(use).get("name"))
                if name is None:
                    plain = False
                else:
                    uses.append(_once(Use((*place, "claims", number), name, _text(use.get("request")))))
            extended += _extended(place, resources)
    if not entries and not extended:
        return None
    host = _text(_dict(spec.get("nodeSelector")).get(_HOSTNAME))
    return PodSpec(
        path,
        tuple(entries),
        tuple(uses),
        plain,
        _text(spec.get("nodeName")),
        host,
        _stands_alone(spec),
        tuple(extended),
        old,
        group=_group(spec),
    )


def _group(spec: dict[str, Any]) -> tuple[str, str] | None:
    """Return the group of Pods that a Pod is scheduled with."""
    workload_ref, scheduling = _dict(spec.get("workloadRef")), _dict(spec.get("schedulingGroup"))
    name = _text(workload_ref.get("name"))
    if name is not None:
        return "workloadRef", f"{name}/{_text(workload_ref.get('podGroup')) or ''}"
    name = _text(scheduling.get("podGroupName"))
    return None if name is None else ("schedulingGroup", name)


def entry_of(place: Path, entry: Any) -> Entry | None:
    """Return an entry of a list of claims; None where it has no name."""
    name = _text(_dict(entry).get("name"))
    if name is None:
        return None
    inner, holder = entry, place
    if isinstance(entry.get("source"), dict):
        inner, holder = entry["source"], (*place, "source")
    claim, template = _text(inner.get("resourceClaimName")), _text(inner.get("resourceClaimTemplateName"))
    key = "resourceClaimName" if claim is not None else "resourceClaimTemplateName"
    return Entry(_once(place), name, claim, template, _once((*holder, key)))


def _extended(path: Path, resources: dict[str, Any]) -> Iterator[tuple[Path, str, str]]:
    """Yield the extended resources of a container, once each: their limits are the rule."""
    limits, requests = _dict(resources.get("limits")), _dict(resources.get("requests"))
    for key, values in (("limits", limits), ("requests", requests)):
        for name, amount in values.items():
            if key == "requests" and name in limits:
                continue
            domain = name.partition("/")[0]
            if ("/" in name and domain != "kubernetes.io" and not domain.endswith(".kubernetes.io")) or name.startswith(
                IMPLICIT
            ):
                yield (*path, key, name), name, str(amount)


def _stands_alone(spec: dict[str, Any]) -> bool:
    """Say whether Pods of this kind must be on different nodes (an anti-affinity that is required, by host)."""
    terms = at(spec, ("affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"))
    return any(_dict(term).get("topologyKey") == _HOSTNAME for term in _list(terms))


_OURS: dict[str, Callable[[ApiObject], Body]] = {
    "ResourceClaim": _claim,
    "ResourceClaimTemplate": _claim,
    "DeviceClass": _device_class,
    "ResourceClass": _resource_class,
    "ResourceClaimParameters": _parameters,
    "ResourceClassParameters": _parameters,
    "ResourceSlice": _slice,
    "DeviceTaintRule": _taint_rule,
}
_OTHERS: dict[tuple[str, str], Callable[[ApiObject], Body]] = {
    ("v1", "Namespace"): _namespace,
    ("v1", "ResourceQuota"): _quota,
    ("config.kueue.x-k8s.io/v1beta1", "Configuration"): _kueue,
    ("config.kueue.x-k8s.io/v1beta2", "Configuration"): _kueue,
    ("rbac.authorization.k8s.io/v1", "ClusterRole"): _role,
    ("rbac.authorization.k8s.io/v1", "Role"): _role,
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): _definition,
}
