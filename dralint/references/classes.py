"""References from claims and templates to DeviceClasses and ResourceClasses, and from objects to their Namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.repair import replaced
from dralint.finding.rule_ids import CLASS_NOT_FOUND, NAMESPACE_NOT_FOUND
from dralint.finding.words import quoted
from dralint.kubernetes.near import did_you_mean
from dralint.references.names import is_among, is_open
from dralint.references.problem import NAME, Elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import Facts
    from dralint.references.problem import Found
    from dralint.references.world import World
    from dralint.yaml import Path

_ALWAYS = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})


def classes(world: World) -> Iterator[Found]:
    """Yield the missing classes of claims."""
    there: set[str] = set()
    for facts, claim in world.claims():
        if claim.allocated:
            continue  # it no longer needs its class
        base = claim.top if claim.resource_class is not None else ()
        if claim.resource_class is not None:
            yield from _class(world, facts, "ResourceClass", claim.resource_class, (*base, "resourceClassName"), "")
        for request in claim.requests:
            if request.device_class is not None and request.device_class not in there:
                path = (*request.path, "deviceClassName")
                what = "" if request.parent is None else request.full_name
                problems = list(_class(world, facts, "DeviceClass", request.device_class, path, what))
                if not problems:
                    there.add(request.device_class)
                yield from problems


def is_known(world: World, name: str) -> bool:
    """Say whether a class exists outside of the input: the settings name it, or the chart of a driver installs it."""
    return is_among(name, world.scope.classes) or (name in world.scope.charts and not world.stocked_classes)


def may_be_there(world: World, kind: str, name: str) -> bool:
    """Say whether a class of a name may exist: in the input, under a name that is not known yet, or outside."""
    return bool(world.index.named(kind, name)) or is_known(world, name) or world.index.may_become(kind, name)


def _class(world: World, facts: Facts, kind: str, name: str, path: Path, alternative: str) -> Iterator[Found]:
    index = world.index
    if is_open(name) or may_be_there(world, kind, name):
        return
    what = "Pods that use the claim stay Pending (the event FailedScheduling names the class)"
    if kind == "ResourceClass":
        what = "the claim is never allocated, and Pods that use it stay Pending"
    if alternative:
        what = f"{what}, although {alternative} is only one of the alternatives"
    message = f"there is no {kind} {quoted(name)}: {what}"
    near = index.near(kind, None, name)
    if near is None and kind == "DeviceClass" and name.count(".") == 1:
        near = _of_domain(world, name)
    if near is not None:
        hint, there = f"did you mean {quoted(near.name)}?", Elsewhere(f"the {kind} {quoted(near.name)}", near, NAME)
        repair = world.respelt(path, name, kind, None)
        yield world.found(facts, CLASS_NOT_FOUND, path, message, hint, there, repair=repair)
        return
    if not world.scope.complete and not (kind == "DeviceClass" and world.stocked_classes):
        return
    by_driver = world.of_driver.get(name) if kind == "DeviceClass" else None
    if by_driver is not None:
        hint = f"{name} is the driver; its class is called {quoted(by_driver.name)}"
        there = Elsewhere("the class of that driver", by_driver, NAME)
        yield world.found(facts, CLASS_NOT_FOUND, path, message, hint, there, repair=replaced(path, by_driver.name))
        return
    close = index.closest(kind, None, name)
    if close is not None:
        hint = f"did you mean {quoted(close.name)}? if the class exists in the cluster, use --known-class {name}"
        yield world.found(
            facts, CLASS_NOT_FOUND, path, message, hint, Elsewhere(f"the {kind} {quoted(close.name)}", close, NAME)
        )
        return
    of_chart = did_you_mean(world.charts_like(name) if kind == "DeviceClass" else [])
    if of_chart is not None:
        hint = f"{of_chart} the chart of its driver installs that class"
        yield world.found(facts, CLASS_NOT_FOUND, path, message, hint)
        return
    some = [quoted(each) for each in index.some(kind)]
    hint = f"create the class or install its driver; if the class exists in the cluster, use --known-class {name}"
    if some:
        hint += f"; the input has {', '.join(some)}"
    yield world.found(facts, CLASS_NOT_FOUND, path, message, hint)


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
