"""References from Pods and workloads to claims and templates, and templates that stand twice."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from dralint.finding import rule_ids
from dralint.finding.problem import meant, renamed, replaced
from dralint.finding.rule_ids import TEMPLATE_MADE_TWICE
from dralint.finding.words import quoted
from dralint.kubernetes.formats import dns_label
from dralint.kubernetes.near import closest, is_slip
from dralint.kubernetes.release import LAST_CLASSIC, Release
from dralint.records import grouped
from dralint.references.facts import NAME, ClaimFacts, Elsewhere, WorkloadFacts, is_open
from dralint.references.world import CLASSIC, FIRST_STRUCTURED, nearest, where

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.finding.problem import Repair
    from dralint.references.facts import Entry, Facts, Found, PodSpec, RequestFacts
    from dralint.references.world import Index, World
    from dralint.yaml import Path


_DRIVERS = frozenset({"dra.net", "sriovnetwork.k8snetworkplumbingwg.io"})
"""Sources: pkg/driver of kubernetes-sigs/dranet (v1.4.0); pkg/nri of k8snetworkplumbingwg/dra-driver-sriov."""
_CLASSES = frozenset({"mrdma.google.com", "netdev.google.com"})
"""DeviceClasses of dra.net on GKE, whose names do not show it."""
_WORDS = frozenset({"cni", "dranet", "network", "networking", "sriov"})
_OF_OTHERS = ("attributes", "dra.net", "numaNode")
"""An attribute of dra.net that other drivers publish too: dra.cpu and dra.memory."""
_WORD = re.compile(r"[^-.]+")


def serves_pod(world: World, claim: ClaimFacts, request: RequestFacts) -> bool:
    """Say whether the devices of a request come from a network driver, so that no container has to name it."""
    from dralint.references.selectors import DRIVER, demands

    name = request.device_class
    if name is None:
        return False
    top = request.parent or request.name
    alone = all((other.parent or other.name) == top for other in claim.requests)
    own = {request.full_name, request.parent}
    if any(_is_driver(c.driver) for c in claim.configs if (own & {*c.requests} if c.requests else alone)):
        return True
    classes = world.classes(name)
    selectors = [*request.selectors, *(selector for _, body in classes for selector in body.selectors)]
    drivers = demands(selectors).get(DRIVER)
    if drivers:
        return all(_is_driver(str(driver)) for driver in drivers)
    if any(_looks_at_network(selector.expression) for selector in selectors):
        return True
    return not classes and (name in _CLASSES or _is_driver(name))


@lru_cache(maxsize=1000)  # each request of a class needs the class's selectors
def _looks_at_network(expression: str) -> bool:
    """Say whether an expression looks up an attribute or capacity of a network driver."""
    from dralint.references.selectors import looked_up

    return any(_is_driver(parts[1]) for parts in looked_up(expression) if parts != _OF_OTHERS)


def _is_driver(name: str) -> bool:
    """Say whether the name of a driver, or of the class or the attributes of one, is that of a network driver."""
    own = name.rpartition(".")[0] or name  # without the top-level domain
    return name in _DRIVERS or name.endswith(".dra.net") or not _WORDS.isdisjoint(_WORD.findall(own))


_EFFECT = {
    "ResourceClaim": "its Pods stay Pending, without any condition or event",
    "ResourceClaimTemplate": "its Pods stay Pending, and only their event FailedResourceClaimCreation says why",
}
_FIELD = {"ResourceClaim": "resourceClaimName", "ResourceClaimTemplate": "resourceClaimTemplateName"}
_OTHER = {"ResourceClaim": "ResourceClaimTemplate", "ResourceClaimTemplate": "ResourceClaim"}
_GENERATED_SINCE = Release(1, 28)

_HELD_BACK_SINCE = Release(1, 28)
"""Since this release, a Pod without its claim does not enter the queue (dynamicresources.go, PreEnqueue, v1.28.15)."""
_TOLD_BY_THE_SCHEDULER = "its Pods stay Pending (`waiting for dynamic resource controller to create the resourceclaim`)"


def pods(world: World) -> Iterator[Found]:
    """Yield the problems of a Pod's entries, and of the containers that use them."""
    made = _generated_names(world)
    seen: set[tuple[int, Path]] = set()
    for facts, workload, pod in world.workloads:
        for entry in pod.entries:
            if entry.path[: len(pod.path)] != pod.path:  # in a list that several Pods of a custom resource share
                if (id(facts), entry.path) in seen:
                    continue
                seen.add((id(facts), entry.path))
            yield from _missing(world, facts, entry, made)
            if not pod.old:
                yield from _of_the_classic_api(world, facts, entry)
        yield from _requests(world, facts, pod)
        yield from _twice(world, facts, pod)
        yield from _node_name(world, facts, workload, pod)
        yield from _unused(world, facts, pod)


def _effect(world: World, facts: Facts, kind: str) -> str:
    effect = _EFFECT[kind]
    if kind == "ResourceClaim" and max(world.releases(facts), default=_HELD_BACK_SINCE) < _HELD_BACK_SINCE:
        effect = _TOLD_BY_THE_SCHEDULER
    return effect.replace("its Pods stay", "the Pod stays").replace("their", "its") if facts.kind == "Pod" else effect


def _missing(world: World, facts: Facts, entry: Entry, made: dict[str, list[tuple[Facts, Entry]]]) -> Iterator[Found]:
    """Yield that the claim or template of an entry is missing, where that is certain."""
    index, name, kind = world.index, entry.target, entry.kind
    namespace = world.scope.namespace_of(facts)
    if name is None or is_open(name) or is_open(namespace) or world.target(facts, entry):
        return
    if index.may_become(kind, name):
        return
    rule = rule_ids.CLAIM_NOT_FOUND if kind == "ResourceClaim" else rule_ids.TEMPLATE_NOT_FOUND
    effect = _effect(world, facts, kind)
    none = f"there is no {kind} {quoted(name)}{where(namespace)}"
    other = index.within(_OTHER[kind], namespace, name)
    guessed = [found for found in made.get(name, ()) if index.may_be_in(found[0], namespace)]
    if kind == "ResourceClaim" and guessed and max(world.releases(facts), default=_GENERATED_SINCE) >= _GENERATED_SINCE:
        pod, source = guessed[0]
        message = f"{none}: the claim of the Pod {quoted(pod.name)} gets a generated name, {name}-xxxxx; {effect}"
        hint = (
            "to share a claim, write a ResourceClaim and name it in both Pods; "
            "otherwise use a template for this Pod, too"
        )
        elsewhere = Elsewhere(f"the claim of this entry will be called {name}-xxxxx", pod, source.field)
        templates = [Elsewhere("this is a template", found, NAME) for found in other[:1]]
        yield world.found(facts, rule, entry.field, message, hint, elsewhere, *templates)
    elif other:
        message = f"{quoted(name)} is a {_OTHER[kind]}, not a {kind}; {effect}"
        hint = f"write {_FIELD[_OTHER[kind]]}: {name}"
        repair: Repair | None = renamed(entry.field, _FIELD[_OTHER[kind]], safe=world.scope.complete)
        if entry.claim == entry.template:
            hint, repair = f"remove it: {_FIELD[_OTHER[kind]]} names {name} already", None
        elif not _has_requests(other):  # its kind may not be the one that was meant
            hint, repair = f"{hint}, or correct its kind: {kind}", None
        there = Elsewhere(f"the {_OTHER[kind]}", nearest(other, facts) or other[0], NAME)
        yield world.found(facts, rule, entry.field, message, hint, there, repair=repair)
    elif (elsewhere_named := nearest(index.named(kind, name), facts)) is not None:  # the namespace has none
        other_namespace = quoted(elsewhere_named.namespace)
        message = (
            f"the {kind} {quoted(name)} is in namespace {other_namespace}, but the Pod is in namespace "
            f"{quoted(namespace)}; {effect}"
        )
        hint = f"create a {kind} {name} in namespace {namespace}: a Pod can use only those of its own namespace"
        repair = None
        if _is_odd_one(index, namespace, elsewhere_named.namespace):
            hint = f"did you mean namespace {other_namespace}?"
            repair = replaced(("metadata", "namespace"), elsewhere_named.namespace)
        there = Elsewhere(f"the {kind}", elsewhere_named, NAME)
        yield world.found(facts, rule, entry.field, message, hint, there, repair=repair)
    elif (near := index.near(kind, namespace, name)) is not None:
        elsewhere = Elsewhere(f"the {kind} {quoted(near.name)}", near, NAME)
        hint = f"did you mean {quoted(near.name)}?"
        respelt = world.respelt(entry.field, name, kind, namespace)
        yield world.found(facts, rule, entry.field, f"{none}; {effect}", hint, elsewhere, repair=respelt)
    elif world.scope.complete:
        generated = index.generated(kind, namespace, name)
        if generated is not None:
            message = f"{none}: the existing one has a generated name; {effect}"
            hint = f"write name: {name} instead of generateName"
            path = ("metadata", "generateName")
            yield world.found(facts, rule, entry.field, message, hint, Elsewhere(f"the {kind}", generated, path))
            return
        close = index.closest(kind, namespace, name)
        hint = f"write a {kind} {name}{_into(namespace)}, or correct the name"
        if close is not None:
            hint = f"did you mean {quoted(close.name)}? if not, write a {kind} {name}{_into(namespace)}"
        found = () if close is None else (Elsewhere(f"the {kind} {quoted(close.name)}", close, NAME),)
        yield world.found(facts, rule, entry.field, f"{none}; {effect}", hint, *found)


def _is_odd_one(index: Index, name: str | None, other: str | None) -> bool:
    """Say whether a namespace is a slip of another one: it cannot exist, or fewer objects of the input are in it."""
    if name is None or other is None or not is_slip(name, other):
        return False
    held = Counter(facts.namespace for facts in index.facts)
    return dns_label(name) is not None or held[name] < held[other]


def _has_requests(several: Iterable[Facts]) -> bool:
    """Say whether claims or templates request something, or are those of the classic API."""
    bodies = [each.body for each in several if isinstance(each.body, ClaimFacts)]
    return any(body.requests or not body.plain or body.resource_class is not None for body in bodies)


def _of_the_classic_api(world: World, facts: Facts, entry: Entry) -> Iterator[Found]:
    """Yield that no release with the field of an entry serves the claim or template that it names."""
    targets = world.target(facts, entry)
    theirs = [world.releases(target) for target in targets]
    if not targets or any(not found or max(found) >= FIRST_STRUCTURED for found in theirs):
        return
    if min(world.releases(facts), default=LAST_CLASSIC) < FIRST_STRUCTURED:
        return
    target, field = targets[0], entry.field[-1]
    message = (
        f"no release accepts both: releases up to {LAST_CLASSIC} serve the {target.kind} {quoted(target.name)} in "
        f"{target.api_version}, and releases since {FIRST_STRUCTURED} have `{field}` directly in the entry"
    )
    hint = f"write the {target.kind} in resource.k8s.io/v1: `dralint migrate --to v1` shows what to write there"
    rule = rule_ids.CLAIM_NOT_FOUND if entry.claim is not None else rule_ids.TEMPLATE_NOT_FOUND
    yield world.found(facts, rule, entry.field, message, hint, Elsewhere(f"the {target.kind}", target, NAME))


def _into(namespace: str | None) -> str:
    return "" if namespace is None else f" in namespace {namespace}"


def _generated_names(world: World) -> dict[str, list[tuple[Facts, Entry]]]:
    """Return the names of generated claims, `<pod>-<entry>` up to 1.27, with the Pods and entries."""
    return grouped(
        (f"{facts.name}-{entry.name}", (facts, entry))
        for facts, _, pod in world.workloads
        if facts.kind == "Pod" and facts.name is not None
        for entry in pod.entries
        if entry.template is not None
    )


def _requests(world: World, facts: Facts, pod: PodSpec) -> Iterator[Found]:
    """Yield the requests that containers name and the claim does not have."""
    entries = {entry.name: entry for entry in pod.entries}
    for use in pod.uses:
        entry = entries.get(use.entry)
        if use.request is None or entry is None or is_open(use.request) or "/" in use.request:
            continue
        claims = world.claims_of(facts, entry)
        if not claims or any(not claim.plain or not claim.requests for _, claim in claims):
            continue
        known = [world.request_names(target) for target, _ in claims]
        if any(use.request in names for names in known) or any(is_open(name) for names in known for name in names):
            continue
        names = list(dict.fromkeys(name for names in known for name in names))
        parents = [r.parent for _, claim in claims for r in claim.requests if r.parent and r.name == use.request]
        target, kind, name = claims[0][0], entry.kind, entry.target
        effect = "the container starts without the device, and no event is recorded"
        if parents:
            message = (
                f"{quoted(use.request)} is an alternative of the request {quoted(parents[0])} of the {kind} "
                f"{quoted(name)}; containers name the request: {effect}"
            )
            hint = f"write request: {parents[0]}"
            repair: Repair | None = replaced((*use.path, use.key), parents[0])
        else:
            message = (
                f"the {kind} {quoted(name)} has no request {quoted(use.request)}, only {', '.join(names)}: {effect}"
            )
            hint = _request_hint(use.request, names)
            repair = meant(use.request, names, (*use.path, use.key)).repair
            if repair is not None and not repair.safe:
                repair = None  # it may be the name of a device
        path = (*use.path, use.key)
        elsewhere = Elsewhere(f"the requests of the {kind}", target, (*claims[0][1].top, 0, "name"))
        yield world.found(facts, rule_ids.CLAIM_REQUEST_NOT_FOUND, path, message, hint, elsewhere, repair=repair)


def _request_hint(name: str, names: list[str]) -> str:
    if len(names) == 1:
        return f"write request: {names[0]}, or leave `request` out for all devices of the claim"
    return closest(name, names) or f"write one of {', '.join(names)}, or leave `request` out for all devices"


def _twice(world: World, facts: Facts, pod: PodSpec) -> Iterator[Found]:
    """Yield that one claim is under two entries: it cannot be reserved twice for one Pod."""
    first: dict[str, Entry] = {}
    releases = [release for release in world.releases(facts) if release >= FIRST_STRUCTURED]
    for entry in pod.entries if releases else ():
        if entry.claim is None or is_open(entry.claim):
            continue
        earlier = first.setdefault(entry.claim, entry)
        if earlier is entry:
            continue
        message = (
            f"the claim {quoted(entry.claim)} is already the claim of the entry {quoted(earlier.name)}: it cannot be "
            "reserved twice for one Pod, so the Pod is never bound (FailedScheduling says `Duplicate value`)"
        )
        hint = f"remove this entry, and let containers that use {entry.name} use {earlier.name}"
        claims = [Elsewhere("the claim", target, NAME) for target in world.target(facts, entry)[:1]]
        first_use = Elsewhere("the claim is named here first", facts, earlier.field)
        yield world.found(
            facts, rule_ids.CLAIM_TWICE, entry.field, message, hint, first_use, *claims, releases=releases
        )


def _node_name(world: World, facts: Facts, workload: WorkloadFacts, pod: PodSpec) -> Iterator[Found]:
    """Yield that `nodeName` skips the scheduler, so that the claims are never allocated."""
    releases = [release for release in world.releases(facts) if release >= FIRST_STRUCTURED]
    if pod.node_name is None or workload.live or not releases or is_open(pod.node_name):
        return
    for entry in pod.entries:
        targets = world.target(facts, entry)
        if any(target.api_version in CLASSIC for target in targets):
            continue
        others = not targets or world.others_use(facts, entry.claim) or any(_is_allocated(target) for target in targets)
        if entry.claim is not None and others:
            continue  # another Pod may have caused its allocation
        message = (
            f"nodeName bypasses the scheduler, which allocates the claim of the entry {quoted(entry.name)}: "
            "the kubelet does not start the Pod (event FailedPrepareDynamicResources)"
        )
        hint = f"choose the node by nodeSelector: {{kubernetes.io/hostname: {pod.node_name}}}"
        yield world.found(
            facts, rule_ids.NODE_NAME_WITH_CLAIMS, (*pod.path, "nodeName"), message, hint, releases=releases
        )
        return


def _is_allocated(target: Facts) -> bool:
    return isinstance(target.body, ClaimFacts) and target.body.allocated


def _unused(world: World, facts: Facts, pod: PodSpec) -> Iterator[Found]:
    """Yield entries that no container uses, and requests that none sees."""
    if not pod.plain:
        return
    used = grouped((use.entry, use.request) for use in pod.uses)
    for entry in pod.entries:
        requests = used.get(entry.name)
        if requests is None:
            if _served_whole(world, facts, entry):
                continue
            message = (
                f"no container uses the claim {quoted(entry.name)}: its devices are allocated, and no container sees "
                "them"
            )
            hint = f"list it where it is needed: resources.claims: [{{name: {entry.name}}}], or remove the entry"
            yield world.found(facts, rule_ids.UNUSED_CLAIM, entry.path, message, hint)
        elif None not in requests:
            yield from _unseen(world, facts, entry, {name for name in requests if name is not None})


def _served_whole(world: World, facts: Facts, entry: Entry) -> bool:
    """Say whether drivers give all devices of the claim to the Pod itself."""
    claims = world.claims_of(facts, entry)
    leaves = [(claim, request) for _, claim in claims for request in claim.requests if request.mode]
    return bool(leaves) and all(serves_pod(world, claim, request) for claim, request in leaves)


def _unseen(world: World, facts: Facts, entry: Entry, used: set[str]) -> Iterator[Found]:
    known = world.only_claim(facts, entry)
    if known is None:
        return
    target, claim = known
    if entry.claim is not None and len(world.users.get((world.scope.namespace_of(facts), entry.claim), ())) > 1:
        return  # another Pod may use it
    names = {request.name for request in claim.requests if request.parent is None}
    if not used <= names:
        return
    for request in claim.requests:
        if request.parent is None and request.name not in used and request.device_class is not None:
            if serves_pod(world, claim, request):
                continue
            message = (
                f"no container uses the request {quoted(request.name)} of the {target.kind} {quoted(target.name)}: "
                "its devices are allocated, and no container sees them"
            )
            hint = f"name it in addition to the others: {{name: {entry.name}, request: {request.name}}}"
            if _elsewhere_used(world, facts, entry, request.name):
                hint = (
                    "each Pod of a template gets a claim of its own, with all devices: to share them, write a "
                    "ResourceClaim and name it in resourceClaimName; else write a template for each request"
                )
            path = next((*use.path, use.key) for pod in _pods(facts) for use in pod.uses if use.entry == entry.name)
            holder = request.path[:-1] if request.path[-1] == "exactly" else request.path
            elsewhere = Elsewhere("the request", target, (*holder, "name"))
            yield world.found(facts, rule_ids.UNUSED_REQUEST, path, message, hint, elsewhere)


def _elsewhere_used(world: World, facts: Facts, entry: Entry, request: str) -> bool:
    """Say whether the Pods of another object use the request of the same template."""
    if entry.template is None:
        return False
    users = world.template_uses.get((world.scope.namespace_of(facts), entry.template, request), [])
    return bool(users) and not (users[0] is users[-1] is facts)


def _pods(facts: Facts) -> tuple[PodSpec, ...]:
    return facts.body.pods if isinstance(facts.body, WorkloadFacts) else ()


TEMPLATE = "ResourceClaimTemplate"


def made_twice(world: World) -> Iterator[Found]:
    """Yield the templates whose name a controller needs for one of its own."""
    for maker in world.index.all(TEMPLATE):
        name = maker.name
        if maker.api_version or name is None or is_open(name):
            continue  # no controller makes it, or only the controller knows its name
        namespace = world.scope.namespace_of(maker)
        for facts in world.index.named(TEMPLATE, name):
            if facts.api_version and world.scope.namespace_of(facts) == namespace and not is_open(namespace):
                message = (
                    f"a controller makes a {TEMPLATE} {quoted(name)} for a custom resource, and this one prevents it: "
                    "Pods that use this one do not get the configuration of the controller"
                )
                elsewhere = Elsewhere("the custom resource", maker, NAME)
                hint = "remove this template, or give it another name"
                yield world.found(facts, TEMPLATE_MADE_TWICE, NAME, message, hint, elsewhere)
