"""Collects facts of custom resources: their Pods, their templates, and the objects that their controllers make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.path import at
from dralint.manifest.custom_pods import beside, custom_pods, matches, uses
from dralint.references.collect import claim_facts
from dralint.references.collect_pods import entry_of, pod_facts
from dralint.references.facts import ClaimFacts, Facts, RequestFacts
from dralint.references.pod_facts import Entry, PodSpec, Use

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.kubernetes.custom_kinds import CustomKind, MadeByController
    from dralint.manifest.custom_pods import CustomPod
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path

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
    spec = at(item.data, pod.path)
    own = pod_facts(pod.path, spec) if isinstance(spec, dict) else None
    if own is not None and pod.place.simple:
        found = own
    else:
        base = own or PodSpec(pod.path, (), (), False, None, (), False, (), False)
        entries = [entry for listed in pod.entries if (entry := entry_of(listed.path, listed.entry)) is not None]
        found = base._replace(entries=tuple(entries), uses=tuple(_uses(item, pod)), plain=False)
    found = found._replace(plain=found.plain and pod.own and not pod.place.layered)
    paths = [path for factor in pod.place.number for path in beside(item.data, factor, pod.place.at, pod.path)]
    number = 1
    for path in paths:
        factor = at(item.data, path)
        number *= factor if isinstance(factor, int) and 0 <= factor < _MOST else 1
    return found._replace(number=number, number_path=paths[0] if paths else ())


def _uses(item: ApiObject, pod: CustomPod) -> Iterator[Use]:
    for found in uses(item, pod):
        name, request = found.use.get("name"), found.use.get("request")
        if isinstance(name, str) and name:
            yield Use(found.path, name, request if isinstance(request, str) and request else None, found.key)


def generated(item: ApiObject, kind: CustomKind, file: str, document: int) -> Iterator[Facts]:
    """Yield the claims and templates that the controller of a custom resource makes, and the templates in it."""
    for made in kind.makes:
        for start in matches(item.data, made.each):
            for name in _names(item, made, start):
                body = _with_requests(made, start) if made.requests else None
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


def _with_requests(made: MadeByController, start: Path) -> ClaimFacts:
    """Return a template of which only the request names are known, as the controller writes them."""
    requests = tuple(RequestFacts(start, name, None, None, "", None, False, ()) for name in made.requests)
    return ClaimFacts(start, requests, (), (), True, False, None, None)
