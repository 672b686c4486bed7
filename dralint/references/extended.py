"""Extended resources of DeviceClasses: two classes with one name, and Pods that request one that no class offers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dralint.finding.problem import Change, Repair, replaced
from dralint.finding.rule_ids import (
    DEVICES_ASKED_TWICE,
    EXTENDED_RESOURCE_AMOUNT,
    EXTENDED_RESOURCE_NOT_FOUND,
    EXTENDED_RESOURCE_OF_TWO_CLASSES,
    POD_REFUSED_LATER,
)
from dralint.finding.words import quoted
from dralint.kubernetes.near import distance, is_slip
from dralint.kubernetes.quantity import known_quantity
from dralint.kubernetes.release import Release
from dralint.kubernetes.workloads import IMPLICIT, POD_SPECS
from dralint.references.classes import may_be_there
from dralint.references.facts import NAME, Class, Elsewhere, is_open
from dralint.references.misspelt_names import KnownNames

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dralint.references.facts import Facts, Found, PodSpec
    from dralint.references.world import World
    from dralint.yaml import Path

_GATE = "DRAExtendedResource"
_MOST_APART = 2
_NAME: Path = ("spec", "extendedResourceName")
_ONE_NAME = Release(1, 34)
"""The release in which a class has one name, and a Pod with implicit names alone is not held back
(plugins/dynamicresources/extended/util.go and plugins/noderesources/fit.go, v1.34.4)."""


def extended_resources(world: World) -> Iterator[Found]:
    """Yield extended resources of two classes, and those that Pods request and no class offers."""
    explicit = [name for name in world.offering if not (name.startswith(IMPLICIT) or is_open(name))]
    offered = {name: [facts for facts, _ in world.offering[name]] for name in explicit}
    for name, several in offered.items():
        yield from _shared(world, name, several)
    names, of_charts = KnownNames(offered), KnownNames(world.scope.resources)
    for facts, _, pod in world.workloads:
        said: set[str] = set()
        for path, name, amount in pod.extended:
            if name in said or is_open(name) or amount == "0":
                continue
            said.add(name)
            if "/" not in name:
                yield from _bare(world, facts, path, name)
            elif name.startswith(IMPLICIT):
                yield from _implicit(world, facts, pod, path, name.removeprefix(IMPLICIT))
            elif _is_nearly_implicit(name):
                meant = IMPLICIT + name.partition("/")[2]
                hint = _served(world, facts, f"did you mean {meant}?")
                message = f"no DeviceClass offers {quoted(name)}: {_pending(facts, name)}"
                yield world.found(facts, EXTENDED_RESOURCE_NOT_FOUND, path, message, hint, target="key")
            elif name not in offered and name not in world.scope.resources:
                yield from _misspelt(world, facts, path, name, names, of_charts, offered)
        yield from _amounts(world, facts, pod, offered)
        yield from _twice(world, facts, pod, offered)


def _bare(world: World, facts: Facts, path: Path, name: str) -> Iterator[Found]:
    """Yield a resource whose name is that of a class: the API server knows no such resource.

    Source: validateContainerResourceName in pkg/apis/core/validation/validation.go (v1.37.0).
    """
    if may_be_there(world, "DeviceClass", name) and facts.kind in _REFUSED:
        message = f"{quoted(name)} is the name of a DeviceClass, not of a resource"
        yield _refused(world, facts, path, message, "Invalid", _served(world, facts, f"write {IMPLICIT}{name}"))


_REFUSED = frozenset(kind for _, kind in POD_SPECS)


def _amounts(world: World, facts: Facts, pod: PodSpec, offered: Mapping[str, list[Facts]]) -> Iterator[Found]:
    """Yield the amounts of resources of the input's classes that the API server refuses.

    Source: validateResourceRequirements and ValidateResourceQuantityValue (pkg/apis/core/validation/validation.go,
    v1.37.0); implicit names are exempt there, since their domain is one of Kubernetes.
    """
    for path, name, amount in pod.extended:
        value = known_quantity(amount) if name in offered else None
        if value is not None and value.denominator != 1:
            hint = f"write {name}: {max(1, round(value))}"
            yield _refused(world, facts, path, f"{amount} is not allowed: it must be an integer", "Invalid", hint)
    for path, name, amount, limit in pod.unlimited if offered else ():
        if name not in offered or is_open(amount):
            continue
        resource = (*path[:-2], "limits", name)
        if limit is None:
            message = f"the request of {quoted(name)} has no limit; an extended resource needs one"
            repair: Repair | None = Repair((Change("insert", resource, _written(amount)),))
            hint = f"write {name}: {amount} under `limits`"
            yield _refused(world, facts, path, message, "Required", hint, repair=repair)
        elif not is_open(limit) and known_quantity(amount) != known_quantity(limit):
            message = f"the request is {amount} and the limit {limit}: for an extended resource they must be equal"
            limited, hint = Elsewhere("the limit", facts, resource), "write the same amount twice"
            repair = None if known_quantity(limit) is None else replaced(path, _written(limit))
            yield _refused(world, facts, path, message, "Invalid", hint, limited, repair=repair)


def _written(amount: str) -> int | str:
    return int(amount) if amount.isdecimal() else amount


def _twice(world: World, facts: Facts, pod: PodSpec, offered: Mapping[str, list[Facts]]) -> Iterator[Found]:
    """Yield the claims of a container that requests devices of the same class as an extended resource too."""
    entries = {entry.name: entry for entry in pod.entries}
    for path, name, amount in pod.extended:
        classes = {str(one.name) for one in offered.get(name, ())} | {*world.scope.resources.get(name, ())}
        container = path[:-3]
        for use in pod.uses if amount != "0" else ():
            entry = entries.get(use.entry)
            if entry is None or use.path[: len(container)] != container:
                continue
            asked = [
                quoted(request.device_class)
                for _, claim in world.claims_of(facts, entry)
                for request in claim.requests
                if request.device_class in classes and request.is_used(use)
            ]
            if asked:
                named = f"with the claim {quoted(use.entry)}, and as {quoted(name)}"
                message = f"the container requests devices of {asked[0]} twice: {named}"
                hint = f"remove {name}, or the claim; it gets both, or none where only a device plugin offers the name"
                related = Elsewhere("the extended resource", facts, path)
                yield world.found(facts, DEVICES_ASKED_TWICE, use.path, message, hint, related)


def _refused(
    world: World,
    facts: Facts,
    path: Path,
    message: str,
    reason: str,
    hint: str,
    *elsewhere: Elsewhere,
    repair: Repair | None = None,
) -> Found:
    """Return the problem of an amount: the API server refuses the object, or the Pods that a controller makes of it."""
    releases = world.releases(facts)
    if facts.kind == "StatefulSet":
        releases = tuple(release for release in releases if release >= _ONE_NAME)  # validated from then on
    found = partial(world.found, facts, releases=releases, repair=repair)
    if (facts.api_version, facts.kind) in POD_SPECS:
        return found(EXTENDED_RESOURCE_AMOUNT, path, message, hint, *elsewhere, reason=reason)
    message = f"{message} (Pods made from this {facts.kind} will be refused)"
    return found(POD_REFUSED_LATER, path, message, hint, *elsewhere)


def _is_nearly_implicit(name: str) -> bool:
    """Say whether the domain of a name can only mean the one of implicit names."""
    domain = name.partition("/")[0].lower().replace(".k8s.io", ".kubernetes.io")
    first, _, rest = domain.partition(".")
    wanted, _, _ = IMPLICIT.partition(".")
    is_of_kubernetes = f".{rest}".endswith(".kubernetes.io")  # a device plugin cannot offer such a name
    return distance(domain, IMPLICIT[:-1]) <= _MOST_APART or (
        is_of_kubernetes and distance(first, wanted) <= _MOST_APART
    )


def serving(world: World, facts: Facts, name: str, by: Class) -> list[Release]:
    """Return the releases that judge a Pod and in which a class of that name gives its devices by the name `name`."""
    return [
        release
        for release in world.releases(facts)
        if _GATE in world.gates(release) and (name == by.extended or by.extended is None or release != _ONE_NAME)
    ]


def _shared(world: World, name: str, several: list[Facts]) -> Iterator[Found]:
    first = several[0]
    for facts in several[1:]:
        on = world.releases_with(_GATE, facts)
        if facts.name == first.name or facts.name is None:
            continue
        for which, releases in (
            ("of either class, and which one can change with each Pod", [r for r in on if r == _ONE_NAME]),
            ("only of the class that was created last", [r for r in on if r != _ONE_NAME]),
        ):
            message = (
                f"the class {quoted(first.name)} has the extendedResourceName {quoted(name)}, too: Pods that request "
                f"it get devices {which}"
            )
            hint = "give each class its own name, or select the devices of both in one class"
            elsewhere = Elsewhere(f"the class {quoted(first.name)}", first, _NAME)
            if releases:
                rule = EXTENDED_RESOURCE_OF_TWO_CLASSES
                yield world.found(facts, rule, _NAME, message, hint, elsewhere, releases=releases)


def _implicit(world: World, facts: Facts, pod: PodSpec, path: Path, name: str) -> Iterator[Found]:
    """Yield that the implicit resource of a class is not served: the class is missing, or its release does not serve
    it."""
    index = world.index
    near = None
    certain = not may_be_there(world, "DeviceClass", name)
    if certain:
        near = index.near("DeviceClass", None, name)
        if near is None and world.scope.complete:
            near = index.closest("DeviceClass", None, name)
        certain = near is not None or world.scope.complete
    if not certain:
        yield from _not_served(world, facts, pod, path, name)
        return
    meant = world.charts_like(name) if near is None else [str(near.name)]
    hint = _served(
        world, facts, f"did you mean {IMPLICIT}{meant[0]}?" if len(meant) == 1 else "write the name of a class"
    )
    elsewhere = () if near is None else (Elsewhere(f"the DeviceClass {quoted(near.name)}", near, NAME),)
    for effect, releases in _effects(world, facts, pod, IMPLICIT + name, world.releases(facts)):
        message = f"there is no DeviceClass {quoted(name)}: {effect}"
        yield world.found(
            facts, EXTENDED_RESOURCE_NOT_FOUND, path, message, hint, *elsewhere, target="key", releases=releases
        )


def _not_served(world: World, facts: Facts, pod: PodSpec, path: Path, name: str) -> Iterator[Found]:
    """Yield that a class, which is or may be there, does not serve its implicit name in some of the releases."""
    full = IMPLICIT + name
    there = world.classes(name)
    off = [release for release in world.releases(facts) if _GATE not in world.gates(release)]
    if off:
        message = (
            f"classes serve {quoted(full)} only where the feature gate {_GATE} is on, by default since 1.36: "
            f"{_pending(facts, full)}"
        )
        hint = f"request the class {name} in a claim or template that the Pod names in resourceClaims"
        elsewhere = [Elsewhere(f"the DeviceClass {quoted(name)}", entry, NAME) for entry, _ in there[:1]]
        yield world.found(
            facts, EXTENDED_RESOURCE_NOT_FOUND, path, message, hint, *elsewhere, target="key", releases=off
        )
    if not there or any(body.extended in (None, full) for _, body in there):
        return
    entry, body = there[0]
    left = [release for release in world.releases(facts) if release == _ONE_NAME and release not in off]
    for effect, releases in _effects(world, facts, pod, full, left):
        message = f"the DeviceClass {quoted(name)} serves only its extendedResourceName in this release: {effect}"
        elsewhere = [Elsewhere("the name that it serves", entry, _NAME)]
        hint = f"write {body.extended}"
        yield world.found(
            facts, EXTENDED_RESOURCE_NOT_FOUND, path, message, hint, *elsewhere, target="key", releases=releases
        )


def _misspelt(
    world: World,
    facts: Facts,
    path: Path,
    name: str,
    names: KnownNames,
    of_charts: KnownNames,
    offered: dict[str, list[Facts]],
) -> Iterator[Found]:
    """Yield a name that resembles the one of a class in the same domain; others may be those of device plugins."""
    domain = name.partition("/")[0]
    near = next((known for known in names.near(name) if known.partition("/")[0] == domain), None)
    there: tuple[Elsewhere, ...] = ()
    chart = ""
    if near is not None:
        there = (Elsewhere("the class that offers it", offered[near][0], _NAME),)
    else:
        near, chart = _of_chart(world, name, of_charts), " the chart of its driver installs a class that offers it"
    if near is not None:
        message = f"no DeviceClass offers {quoted(name)}: {_pending(facts, name)}"
        hint, repair = _served(world, facts, f"did you mean {near}?{chart}"), Repair((Change("rename", path, near),))
        yield world.found(facts, EXTENDED_RESOURCE_NOT_FOUND, path, message, hint, *there, target="key", repair=repair)


def _of_chart(world: World, name: str, of_charts: KnownNames) -> str | None:
    """Return the resource of a chart's class in the same domain that a name resembles.

    Names with another first letter are those of device plugins: `nvidia.com/pgpu` is not `nvidia.com/gpu`. Of a domain
    with a slip only the same name is meant: `nvida.com/gpu`.
    """
    domain, _, own = name.partition("/")
    alike = f"{domain}/{own[:1]}".lower()
    near = next((known for known in of_charts.near(name) if known.lower().startswith(alike)), None)
    of_name = (known for known in world.scope.resources if known.partition("/")[2] == own)
    return near or next((known for known in of_name if is_slip(domain, known.partition("/")[0])), None)


def _served(world: World, facts: Facts, hint: str) -> str:
    """Return the hint, with the gate that is needed if all judging releases have it off."""
    if world.releases_with(_GATE, facts):
        return hint
    return f"{hint}{'' if hint.endswith('?') else ';'} classes serve it only where the feature gate {_GATE} is on"


def _effects(
    world: World, facts: Facts, pod: PodSpec, name: str, releases: Iterable[Release]
) -> Iterator[tuple[str, list[Release]]]:
    """Yield what happens to a Pod whose implicit name is not served, with the releases in which it does."""
    passed = [release for release in releases if release == _ONE_NAME and _GATE in world.gates(release)]
    if any(other != name and not _unserved(world, other) for _, other, amount in pod.extended if amount != "0"):
        passed = []  # the scheduler looks at the devices of the other, and at this name as well
    held = [release for release in releases if release not in passed]
    if held:
        yield _pending(facts, name), held
    if passed:
        what = "the Pod is scheduled and starts" if facts.kind == "Pod" else "its Pods are scheduled and start"
        yield f"{what} without any device, and no event is recorded", passed


def _unserved(world: World, name: str) -> bool:
    """Say whether an implicit name certainly means no class in the release in which a class has only one name."""
    wanted = name.removeprefix(IMPLICIT)
    if wanted == name or is_open(name):
        return False
    there = world.classes(wanted)
    if there:
        return not any(body.extended in (None, name) for _, body in there)
    return world.scope.complete and not may_be_there(world, "DeviceClass", wanted)


def _pending(facts: Facts, name: str) -> str:
    what = "the Pod stays" if facts.kind == "Pod" else "its Pods stay"
    return f"{what} Pending (`Insufficient {name}`)"
