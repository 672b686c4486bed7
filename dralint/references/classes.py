"""References to classes: those of claims, of quotas, and of the classic API (1.26 to 1.30) with its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.problem import renamed, replaced
from dralint.finding.rule_ids import (
    CLASS_NOT_FOUND,
    NAMESPACE_NOT_FOUND,
    PARAMETERS_NAMESPACE,
    PARAMETERS_NOT_FOUND,
    QUOTA_KEY_MISSPELT,
    QUOTA_WITHOUT_CLASS,
)
from dralint.finding.words import quoted
from dralint.kubernetes.near import did_you_mean
from dralint.kubernetes.quantity import known_quantity
from dralint.kubernetes.workloads import CLASS_QUOTA, GROUP
from dralint.references.facts import (
    NAME,
    ClaimFacts,
    Class,
    Definition,
    Elsewhere,
    Generated,
    QuotaFacts,
    is_among,
    is_open,
)
from dralint.references.world import where

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.finding.problem import Repair
    from dralint.references.facts import Facts, Found, ParametersRef
    from dralint.references.world import World
    from dralint.yaml import Path


_ALWAYS = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})


def classes(world: World) -> Iterator[Found]:
    """Yield the missing classes of claims."""
    there: set[str] = set()
    for facts, claim in world.claims:
        if claim.allocated:
            continue  # it no longer needs its class
        if claim.resource_class is not None:
            path = (*claim.top, "resourceClassName")
            yield from _class(world, facts, "ResourceClass", claim.resource_class, path, "")
        for request in claim.requests:
            if request.device_class is not None and request.device_class not in there:
                made = not facts.api_version  # then an operator makes the template, and the path leads to the name
                path = request.path if made else (*request.path, "deviceClassName")
                what = "" if request.parent is None else request.full_name
                problems = list(_class(world, facts, "DeviceClass", request.device_class, path, what))
                if not problems:
                    there.add(request.device_class)
                yield from problems


def may_be_there(world: World, kind: str, name: str) -> bool:
    """Say whether a class of a name may exist: in the input, perhaps under a name that is not known yet, or outside.

    Outside are those that the settings name, and those that the chart of a driver installs.
    """
    outside = is_among(name, world.scope.classes) or (name in world.scope.charts and not world.stocked_classes)
    return outside or bool(world.index.named(kind, name)) or world.index.may_become(kind, name)


def _class(world: World, facts: Facts, kind: str, name: str, path: Path, alternative: str) -> Iterator[Found]:
    if is_open(name) or may_be_there(world, kind, name):
        return
    what = "Pods that use the claim stay Pending (the event FailedScheduling names the class)"
    if kind == "ResourceClass":
        what = "the claim is never allocated, and Pods that use it stay Pending"
    if alternative:
        what = f"{what}, although {alternative} is only one of the alternatives"
    message = f"there is no {kind} {quoted(name)}: {what}"
    found = _instead(world, kind, name, path)
    if found is not None:
        hint, meant, which, repair = found
        there = () if meant is None else (Elsewhere(which, meant, NAME),)
        yield world.found(facts, CLASS_NOT_FOUND, path, message, hint, *there, repair=repair)


def _instead(world: World, kind: str, name: str, path: Path) -> tuple[str, Facts | None, str, Repair | None] | None:
    """Return what to write instead of a class: the hint, the class that is meant, which one that is, and the repair.

    None where the class may exist elsewhere.
    """
    index, ours = world.index, kind == "DeviceClass"
    near = index.near(kind, None, name)
    if near is None and ours and name.count(".") == 1:
        near = _of_domain(world, name)
    if near is not None:
        named = f"the {kind} {quoted(near.name)}"
        return f"did you mean {quoted(near.name)}?", near, named, world.respelt(path, name, kind, None)
    longer = _by_its_end(world, name) if ours else None
    if longer is not None:
        return f"did you mean {quoted(longer.name)}?", longer, "the only unused class", replaced(path, longer.name)
    if not world.scope.complete and not (ours and world.stocked_classes):
        return None
    by_driver = world.of_driver.get(name) if ours else None
    if by_driver is not None:
        hint = f"{name} is the driver; its class is called {quoted(by_driver.name)}"
        return hint, by_driver, "the class of that driver", replaced(path, by_driver.name)
    close = index.closest(kind, None, name)
    if close is not None:
        hint = f"did you mean {quoted(close.name)}? if the class exists in the cluster, use --known-class {name}"
        return hint, close, f"the {kind} {quoted(close.name)}", None
    of_chart = did_you_mean(world.charts_like(name) if ours else [])
    if of_chart is not None:
        return f"{of_chart} the chart of its driver installs that class", None, "", None
    some = ", ".join(quoted(each) for each in index.some(kind))
    hint = f"create the class or install its driver; if the class exists in the cluster, use --known-class {name}"
    return f"{hint}; the input has {some}" if some else hint, None, "", None


_MOST_AT_THE_END = 2
"""So many letters or digits can be missing at the end of a name, such as those of a generation (`tpu-v5e`)."""


def _by_its_end(world: World, name: str) -> Facts | None:
    """Return the class that differs from a name by a few letters at the end; no claim names it, and it is the only one.

    Without these conditions both names may be classes of the cluster.
    """
    found = []
    for each in world.index.all("DeviceClass"):
        short, long = sorted((name, str(each.name)), key=len)
        end = long.removeprefix(short)
        if each.name not in world.named_classes and 0 < len(end) <= _MOST_AT_THE_END and end.isalnum() and end != long:
            found.append(each)
    return found[0] if len({each.name for each in found}) == 1 else None


def _of_domain(world: World, domain: str) -> Facts | None:
    """Return the only class of a domain that is written without a name (`example.com` for `gpu.example.com`)."""
    found = world.of_domain.get(domain, [])
    return found[0] if len({each.name for each in found}) == 1 and domain not in world.of_driver else None


def namespaces(world: World) -> Iterator[Found]:
    """Yield objects whose namespace can only be a misspelt one of the input."""
    index = world.index
    for facts in index.facts:
        name = misspelt(world, facts)
        if name is None or facts.namespace is None:
            continue
        near = index.named("Namespace", name)[0]
        message = f"there is no namespace {quoted(facts.namespace)}: the server refuses the object"
        hint = f"did you mean {quoted(name)}?"
        path = ("metadata", "namespace")
        elsewhere = Elsewhere(f"the Namespace {quoted(name)}", near, NAME)
        yield world.found(facts, NAMESPACE_NOT_FOUND, path, message, hint, elsewhere, reason="NotFound")


def misspelt(world: World, facts: Facts) -> str | None:
    """Return the Namespace of the input that an object's namespace means; None where that may be right."""
    name = facts.namespace
    if name is None or not world.scope.complete or is_open(name) or name in _ALWAYS:
        return None
    if is_among(name, world.scope.namespaces):
        return None
    if world.index.named("Namespace", name) or world.index.may_become("Namespace", name):
        return None
    near = world.index.near("Namespace", None, name)
    return None if near is None else near.name


_NAMESPACED = {
    ("", "ConfigMap"): True,
    ("", "Secret"): True,
    ("", "Node"): False,
    ("", "Namespace"): False,
    (GROUP, "ResourceClassParameters"): True,
    (GROUP, "ResourceClaimParameters"): True,
}
"""Whether kinds of Kubernetes itself, as far as they may hold parameters, live in namespaces."""


def references(facts: Iterable[Facts]) -> Iterator[tuple[Facts, ParametersRef]]:
    """Yield the references to parameters of all objects."""
    for entry in facts:
        body = entry.body
        if isinstance(body, ClaimFacts | Class) and body.parameters is not None:
            yield entry, body.parameters
        elif isinstance(body, Generated) and body.source is not None:
            yield entry, body.source


def parameters(world: World) -> Iterator[Found]:
    """Yield references to missing parameters, and those of classes with an extra or missing namespace."""
    for facts, reference in references(world.index.facts):
        if is_open(reference.name) or is_open(reference.namespace):
            continue
        if isinstance(facts.body, Class):
            scope = _scope(world, facts, reference)
            if scope is not None:
                yield scope
                continue
            namespaced = reference.namespace is not None
            yield from _missing(world, facts, reference, reference.namespace, namespaced=namespaced)
        elif not (isinstance(facts.body, Generated) and facts.kind == "ResourceClassParameters"):
            yield from _missing(world, facts, reference, world.scope.namespace_of(facts), namespaced=True)


def _candidates(world: World, reference: ParametersRef) -> list[Facts]:
    return [entry for entry in world.index.named(reference.kind, reference.name) if entry.group == reference.group]


def _missing(
    world: World, facts: Facts, reference: ParametersRef, namespace: str | None, *, namespaced: bool
) -> Iterator[Found]:
    """Yield that the parameters are not in the namespace of the reference."""
    index, kind, name = world.index, reference.kind, reference.name
    found = _candidates(world, reference)
    if not namespaced and found:
        return
    if any(index.may_be_in(entry, namespace) for entry in found) or index.may_become(kind, name):
        return
    path = (*reference.path, "name")
    what = "the claim is never allocated, and Pods that use it stay Pending"
    if reference.path == ("generatedFrom",):
        what = "nothing finds the parameters that were generated from it"
    if found:
        there = found[0].namespace
        message = (
            f"the {kind} {quoted(name)} is in namespace {quoted(there)}, but the reference means namespace "
            f"{quoted(namespace)}: {what}"
        )
        hint = f"create it in namespace {namespace} as well"
        elsewhere = Elsewhere(f"the {kind}", found[0], ("metadata", "namespace"))
        if reference.namespace is not None:
            path = (*reference.path, "namespace")
            hint = f"write namespace: {there}, or {hint}"
        yield world.found(facts, PARAMETERS_NOT_FOUND, path, message, hint, elsewhere)
        return
    near = index.near(kind, namespace, name)
    if near is None and world.scope.complete:
        near = index.closest(kind, namespace, name)
    if near is not None and near.group != reference.group:
        near = None
    message = f"there is no {kind} {quoted(name)}{where(namespace)}: {what}"
    if near is not None:
        hint = f"did you mean {quoted(near.name)}?"
        elsewhere = Elsewhere(f"the {kind} {quoted(near.name)}", near, NAME)
        repair = world.respelt(path, name, kind, namespace)
        yield world.found(facts, PARAMETERS_NOT_FOUND, path, message, hint, elsewhere, repair=repair)
    elif world.scope.complete:
        yield world.found(facts, PARAMETERS_NOT_FOUND, path, message, f"write a {kind} {name}, or correct the name")


def _scope(world: World, facts: Facts, reference: ParametersRef) -> Found | None:
    """Return the problem that a class's reference has an extra or missing namespace; None where that is not certain."""
    known = _NAMESPACED.get((reference.group, reference.kind))
    proof: tuple[Facts, Path] | None = None
    for entry in world.index.all("CustomResourceDefinition"):
        body = entry.body
        if isinstance(body, Definition) and (body.group, body.kind) == (reference.group, reference.kind):
            known, proof = body.namespaced, (entry, ("spec", "scope"))
    found = _candidates(world, reference)
    placed = next((entry for entry in found if entry.namespace is not None), None)
    if placed is not None and (known is None or known):
        known, proof = True, (placed, ("metadata", "namespace"))
    path = (*reference.path, "namespace")
    effect = "the driver does not find the parameters, and claims of this class are never allocated"
    if known is True and reference.namespace is None:
        namespace = "NAMESPACE" if placed is None or placed.namespace is None else placed.namespace
        message = f"the reference has no namespace, but a {reference.kind} belongs to one: {effect}"
        hint = f"write namespace: {namespace}"
    elif known is False and reference.namespace is not None:
        message = (
            f"the reference has the namespace {quoted(reference.namespace)}, but a {reference.kind} is cluster-scoped: "
            f"{effect}"
        )
        hint = "remove the namespace"
    else:
        return None
    elsewhere = () if proof is None else (Elsewhere(f"the {proof[0].kind}", *proof),)
    return world.found(facts, PARAMETERS_NAMESPACE, path, message, hint, *elsewhere)


def quotas(world: World) -> Iterator[Found]:
    """Yield quotas of the input that limit nothing; what they refuse, `lint.exceeded_quotas` counts."""
    for quota, body in world.index.holding(QuotaFacts):
        for key, name in body.misspelt:
            if not is_open(key):
                what = f"no server counts anything under {quoted(key)}"
                message = f"{what}: this quota limits nothing, and no event is recorded"
                path = ("spec", "hard", key)
                repair = None if name in dict(body.hard) else renamed(path, name)
                hint = did_you_mean([name])
                yield world.found(quota, QUOTA_KEY_MISSPELT, path, message, hint, target="key", repair=repair)
        for key, amount in body.hard:
            if key.endswith(CLASS_QUOTA) and known_quantity(amount) is not None:
                yield from _no_class(world, quota, key.removesuffix(CLASS_QUOTA), key)


def _no_class(world: World, quota: Facts, name: str, key: str) -> Iterator[Found]:
    index = world.index
    if is_open(name) or may_be_there(world, "DeviceClass", name):
        return
    near = index.near("DeviceClass", None, name)
    if near is None and not world.scope.complete:
        return
    message = f"there is no DeviceClass {quoted(name)}: this quota limits nothing, and no event is recorded"
    elsewhere = () if near is None else (Elsewhere(f"the DeviceClass {quoted(near.name)}", near, NAME),)
    hint = "write the name of a class" if near is None else f"did you mean {near.name}{CLASS_QUOTA}?"
    yield world.found(quota, QUOTA_WITHOUT_CLASS, ("spec", "hard", key), message, hint, *elsewhere)
