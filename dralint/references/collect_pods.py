"""Collects facts of Pods, workloads, and custom resources with Pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.problem import at, dict_of, list_of, text_of
from dralint.kubernetes.types import CONTAINERS
from dralint.kubernetes.workloads import HOSTNAME, POD_SPECS, is_native, share
from dralint.manifest.objects import known_kind
from dralint.manifest.pod_parts import (
    PodPart,
    beside,
    claim_lists,
    custom_pods,
    matches,
    number_of,
    put_together,
)
from dralint.references.collect import claim_facts
from dralint.references.facts import (
    ClaimFacts,
    Entry,
    Facts,
    PodSpec,
    RequestFacts,
    Use,
    WorkloadFacts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.kubernetes.workloads import CustomKind, MadeByController
    from dralint.manifest.objects import ApiObject
    from dralint.manifest.pod_parts import CustomPod
    from dralint.yaml import Path


_IMPLICIT_DOMAIN = ".resource.kubernetes.io"
"""The end of the domain of implicit names, and of misspelt ones."""
_QUEUE = "kueue.x-k8s.io/queue-name"
_OF_CLAIMS = ("phase", "resourceClaimStatuses", "extendedResourceClaimStatus")
"""Fields of a Pod's status that concern its claims."""
_REPLICAS: dict[str, Path] = {
    "ReplicationController": ("spec", "replicas"),
    "Deployment": ("spec", "replicas"),
    "ReplicaSet": ("spec", "replicas"),
    "StatefulSet": ("spec", "replicas"),
    "Job": ("spec", "parallelism"),
    "CronJob": ("spec", "jobTemplate", "spec", "parallelism"),
}


def workload(item: ApiObject) -> WorkloadFacts | None:
    """Return the facts of a Pod or workload; None where it has neither claims nor extended resources."""
    known, kind = POD_SPECS.get((item.api_version, item.kind)), known_kind(item)
    if known is None and "." not in item.group:
        return None
    pods = [] if kind is None else pods_of(item, kind)
    there = {pod.path for pod in pods}
    paths = [path for path in ([known] if known is not None else item.pod_specs()) if path not in there]
    pods += [pod for path in paths if (pod := pod_facts(path, at(item.data, path))) is not None]
    pods += _groups(item)
    status = dict_of(item.data.get("status"))
    state = {key: status[key] for key in _OF_CLAIMS if key in status} if item.kind == "Pod" and status else None
    if not pods and not at(state, ("extendedResourceClaimStatus", "resourceClaimName")):
        return None
    path = _REPLICAS.get(item.kind, ()) if known is not None else ()
    replicas = at(item.data, path) if path else 1
    metadata = dict_of(item.data.get("metadata"))
    live = bool(status or metadata.get("uid") or metadata.get("resourceVersion"))
    written = isinstance(replicas, int) and not isinstance(replicas, bool)
    number = replicas if written else 1
    if path[-1:] == ("parallelism",):
        number = _at_once(item.data, path[:-1], number)
    queue = text_of(dict_of(metadata.get("labels")).get(_QUEUE)) is not None
    spec = dict_of(item.data.get("spec"))
    surges = item.kind == "Deployment" and (written or replicas is None) and _surges(spec, number)
    return WorkloadFacts(tuple(pods), number, path if written else (), live, queue, state, surges, _keeps(spec))


def _keeps(spec: dict[str, Any]) -> bool:
    """Say whether Pods of a workload may keep an older template after an update."""
    strategy = dict_of(spec.get("updateStrategy"))
    by_number = dict_of(strategy.get("rollingUpdate")).get("partition")
    return spec.get("paused") is True or strategy.get("type") == "OnDelete" or by_number not in (None, 0)


def _surges(spec: dict[str, Any], number: int) -> bool:
    """Say whether a roll-out of a Deployment ends no Pod before a new one runs.

    Source: ResolveFenceposts in pkg/controller/deployment/util/deployment_util.go (v1.37.0).
    """
    strategy = dict_of(spec.get("strategy"))
    rolling = dict_of(strategy.get("rollingUpdate"))
    return (
        strategy.get("type") != "Recreate"
        and share(rolling.get("maxSurge", "25%"), number, up=True) > 0
        and share(rolling.get("maxUnavailable", "25%"), number, up=False) == 0
    )


def _at_once(data: dict[str, Any], spec: Path, parallelism: int) -> int:
    """Return how many Pods of a Job run at once: none while it is suspended, and no more than are to complete."""
    if any(at(data, (*spec[:length], "suspend")) is True for length in {1, len(spec)}):
        return 0
    completions = at(data, (*spec, "completions"))
    return min(parallelism, completions) if isinstance(completions, int) else parallelism


def _groups(item: ApiObject) -> Iterator[PodSpec]:
    """Yield the lists of claims that a group of Pods shares, as Pod specs without containers."""
    for path, type_name, view in claim_lists(item):
        inner: Path = (*path, "scheduling") if type_name == "JobSpec" else path
        found = pod_facts(inner, view.get("scheduling", view))
        if found is not None:
            yield found._replace(plain=False)


def pod_facts(path: Path, spec: Any) -> PodSpec | None:
    """Return the facts of a Pod spec at a path; None where it has neither claims nor extended resources."""
    if not isinstance(spec, dict):
        return None
    listed = enumerate(list_of(spec.get("resourceClaims")))
    found = [entry_of((*path, "resourceClaims", position), entry) for position, entry in listed]
    entries = [entry for entry in found if entry is not None]
    containers = [
        ((*path, kind, position, "resources"), resources)
        for kind in CONTAINERS
        for position, container in enumerate(list_of(spec.get(kind)))
        if (resources := dict_of(dict_of(container).get("resources")))
    ]
    extended = [each for place, resources in containers for each in _extended(place, resources)]
    if not entries and not extended:
        return None
    used = [
        ((*place, "claims", number), dict_of(use))
        for place, resources in containers
        for number, use in enumerate(list_of(resources.get("claims")))
    ]
    names = [text_of(use.get("name")) for _, use in used]
    sure = None not in found and all((entry.claim is None) != (entry.template is None) for entry in entries)
    selector = dict_of(spec.get("nodeSelector"))
    required = at(spec, ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"))
    return PodSpec(
        path,
        tuple(entries),
        tuple(
            Use(place, name, text_of(use.get("request")))
            for name, (place, use) in zip(names, used, strict=True)
            if name is not None
        ),
        sure and None not in names,
        text_of(spec.get("nodeName")),
        tuple((key, value) for key, value in selector.items() if isinstance(value, str)),
        _stands_alone(spec),
        tuple(extended),
        any("source" in entry.field for entry in entries),
        group=_group(spec),
        affinity=required if isinstance(required, dict) else None,
        unlimited=tuple(each for place, resources in containers for each in _unlimited(place, resources)),
        scheduler=text_of(spec.get("schedulerName")),
    )


def _group(spec: dict[str, Any]) -> tuple[str, str] | None:
    """Return the group of Pods that a Pod is scheduled with."""
    workload_ref, scheduling = dict_of(spec.get("workloadRef")), dict_of(spec.get("schedulingGroup"))
    name = text_of(workload_ref.get("name"))
    if name is not None:
        return "workloadRef", f"{name}/{text_of(workload_ref.get('podGroup')) or ''}"
    name = text_of(scheduling.get("podGroupName"))
    return None if name is None else ("schedulingGroup", name)


def entry_of(place: Path, entry: Any) -> Entry | None:
    """Return an entry of a list of claims; None where it has no name."""
    name = text_of(dict_of(entry).get("name"))
    if name is None:
        return None
    inner, holder = entry, place
    if isinstance(entry.get("source"), dict):
        inner, holder = entry["source"], (*place, "source")
    claim, template = text_of(inner.get("resourceClaimName")), text_of(inner.get("resourceClaimTemplateName"))
    key = "resourceClaimName" if claim is not None else "resourceClaimTemplateName"
    return Entry(place, name, claim, template, (*holder, key))


def _extended(path: Path, resources: dict[str, Any]) -> Iterator[tuple[Path, str, str]]:
    """Yield the extended resources of a container, once each: from its limits, or else from its requests."""
    limits, requests = dict_of(resources.get("limits")), dict_of(resources.get("requests"))
    for name in dict.fromkeys((*limits, *requests)):
        key, amounts = ("limits", limits) if name in limits else ("requests", requests)
        if not is_native(name) or _names_a_class(name) or ("." in name and "/" not in name):
            yield (*path, key, name), name, str(amounts[name])


def _names_a_class(name: str) -> bool:
    """Say whether the domain of a resource is the one of implicit names, or looks like it."""
    domain = name.partition("/")[0]
    return domain.endswith(_IMPLICIT_DOMAIN) or domain.lower().startswith("deviceclass")


def _unlimited(path: Path, resources: dict[str, Any]) -> Iterator[tuple[Path, str, str, str | None]]:
    """Yield the extended resources of a container whose request is not written as the limit, too."""
    limits = dict_of(resources.get("limits"))
    for name, amount in dict_of(resources.get("requests")).items():
        limit = limits.get(name)
        if not is_native(name) and str(limit) != str(amount):
            yield (*path, "requests", name), name, str(amount), None if limit is None else str(limit)


def _stands_alone(spec: dict[str, Any]) -> bool:
    """Say whether Pods of this kind must be on different nodes (by a required anti-affinity on the host name)."""
    terms = at(spec, ("affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"))
    return any(dict_of(term).get("topologyKey") == HOSTNAME for term in list_of(terms))


_ANYTHING = "${anything}"
"""An unknown part of a generated name."""
_MOST = 1 << 31


def pods_of(item: ApiObject, kind: CustomKind) -> list[PodSpec]:
    """Return the Pod specs of a custom resource of a known kind, and what shares templates among them."""
    pods = [_pod(item, pod) for pod in custom_pods(item, kind)]
    inner = {at(item.data, (*path, "name")) for pattern in kind.templates for path in matches(item.data, pattern)}
    for path in (path for pattern in kind.shares for path in matches(item.data, pattern)):
        share = at(item.data, path)
        name = share.get("name") if isinstance(share, dict) else None
        if isinstance(name, str) and name not in inner and "namespace" not in share:
            entry = Entry(path, name, None, name, (*path, "name"))
            pods.append(PodSpec(path, (entry,), (), False, None, (), False, (), False))
    return pods


def _pod(item: ApiObject, pod: CustomPod) -> PodSpec:
    spec = dict_of(at(item.data, pod.path))
    found = pod_facts(pod.path, spec)
    if found is None or not pod.place.simple:
        view, moved = put_together(item, pod, spec)
        place_of = PodPart(pod.path, "core.PodSpec", view, moved=moved).place_of
        whole = pod_facts((), view) or PodSpec((), (), (), False, None, (), False, (), False)
        entries = [each._replace(path=place_of(each.path), field=place_of(each.field)) for each in whole.entries]
        uses = [
            each._replace(path=place_of(each.path), key=str(place_of((*each.path, each.key))[-1]))
            for each in whole.uses
        ]
        found = found or whole._replace(path=pod.path, extended=(), unlimited=())
        found = found._replace(entries=tuple(entries), uses=tuple(uses), plain=False)
    number, paths = number_of(item, pod)
    plain = found.plain and pod.own and not pod.place.layered
    return found._replace(plain=plain, number=number, number_path=paths[0] if paths else ())


def generated(item: ApiObject, kind: CustomKind, file: str, document: int) -> Iterator[Facts]:
    """Yield the claims and templates that the controller of a custom resource makes, and the templates in it."""
    for made in kind.makes:
        for start in matches(item.data, made.each):
            for name in _names(item, made, start):
                body = _with_requests(item, made, start) if made.requests else None
                yield Facts(file, document, item.path, "", made.kind, item.namespace, name, None, body)
    for path in (path for pattern in kind.templates for path in matches(item.data, pattern)):
        spec = at(item.data, (*path, "templateSpec", "spec"))
        if isinstance(spec, dict):
            body = claim_facts((*path, "templateSpec", "spec"), spec)
            version, template = "resource.k8s.io/v1", "ResourceClaimTemplate"
            yield Facts(file, document, item.path, version, template, item.namespace, None, None, body)


def _names(item: ApiObject, made: MadeByController, start: Path) -> Iterator[str]:
    """Yield the name of the object made for a mapping; none where a required part is missing."""
    if made.when and not any(_is_on(at(item.data, path)) for path in beside(item.data, made.when, made.each, start)):
        return
    name = ""
    for part in made.name:
        if isinstance(part, str):
            name += part.replace("*", _ANYTHING)
            continue
        found = [at(item.data, path) for path in beside(item.data, part, made.each, start)]
        if not found or not isinstance(found[0], str):
            return
        name += found[0]
    yield name


def _is_on(value: Any) -> bool:
    return value is not None and value is not False and value not in ("none", "")


def _with_requests(item: ApiObject, made: MadeByController, start: Path) -> ClaimFacts:
    """Return a template of which only the request names, and perhaps their class, are known."""
    places = beside(item.data, made.of_class, made.each, start) if made.of_class else ()
    path = next(iter(places), start)
    of_class = text_of(at(item.data, path)) if path is not start else None
    requests = tuple(RequestFacts(path, name, None, of_class, "", None, False, ()) for name in made.requests)
    return ClaimFacts(start, requests, (), (), True, None, None)
