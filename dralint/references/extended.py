"""Extended resources of DeviceClasses: two classes with one name, and Pods that ask for one that nobody offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.words import quoted
from dralint.references.classes import is_known
from dralint.references.collect import IMPLICIT
from dralint.references.facts import Class
from dralint.references.names import is_open
from dralint.references.near import Names
from dralint.references.problem import NAME, Elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import Facts
    from dralint.references.problem import Found
    from dralint.references.world import World
    from dralint.yaml import Path

SHARED_NAME, NOT_OFFERED = "DRA413", "DRA414"
_GATE = "DRAExtendedResource"
_NAME: Path = ("spec", "extendedResourceName")


def extended_resources(world: World) -> Iterator[Found]:
    """Yield extended resources of two classes, and those that Pods ask for and no class offers."""
    offered: dict[str, list[Facts]] = {}
    for facts in world.index.facts:
        if isinstance(facts.body, Class) and facts.body.extended and not is_open(facts.body.extended):
            offered.setdefault(facts.body.extended, []).append(facts)
    for name, several in offered.items():
        yield from _shared(world, name, several)
    names = Names(offered)
    for facts, _, pod in world.workloads():
        said: set[str] = set()
        for path, name, _ in pod.extended:
            if name in said or is_open(name):
                continue
            said.add(name)
            if name.startswith(IMPLICIT):
                yield from _implicit(world, facts, path, name.removeprefix(IMPLICIT))
            elif name not in offered:
                yield from _misspelt(world, facts, path, name, names, offered)


def _shared(world: World, name: str, several: list[Facts]) -> Iterator[Found]:
    first = several[0]
    for facts in several[1:]:
        releases = [release for release in world.releases(facts) if _GATE in world.gates(release)]
        if facts.name == first.name or facts.name is None or not releases:
            continue
        message = (
            f"{quoted(name)} is the extended resource of the class {quoted(first.name)} too: Pods that ask for it get "
            "devices of the class that was created last, never of the other"
        )
        hint = "give each class a name of its own, or select the devices of both in one class"
        elsewhere = Elsewhere(f"the class {quoted(first.name)}", first, _NAME)
        yield world.found(facts, SHARED_NAME, _NAME, message, hint, elsewhere, releases=releases)


def _implicit(world: World, facts: Facts, path: Path, name: str) -> Iterator[Found]:
    index = world.index
    if index.named("DeviceClass", name) or is_known(world, name) or index.may_become("DeviceClass", name):
        return
    near = index.near("DeviceClass", None, name)
    if near is None and world.scope.complete:
        near = index.closest("DeviceClass", None, name)
    if near is None and not world.scope.complete:
        return
    message = f"there is no DeviceClass {quoted(name)}: {_pending(facts, IMPLICIT + name)}"
    if near is None:
        yield world.found(
            facts, NOT_OFFERED, path, message, _served(world, facts, "write the name of a class"), target="key"
        )
        return
    hint = _served(world, facts, f"did you mean {IMPLICIT}{near.name}?")
    elsewhere = Elsewhere(f"the DeviceClass {quoted(near.name)}", near, NAME)
    yield world.found(facts, NOT_OFFERED, path, message, hint, elsewhere, target="key")


def _misspelt(
    world: World, facts: Facts, path: Path, name: str, names: Names, offered: dict[str, list[Facts]]
) -> Iterator[Found]:
    """Yield a name that is nearly that of a class, in the same domain; others may be those of device plugins."""
    domain = name.partition("/")[0]
    near = next((known for known in names.near(name) if known.partition("/")[0] == domain), None)
    if near is None:
        return
    message = f"no DeviceClass offers {quoted(name)}: {_pending(facts, name)}"
    elsewhere = Elsewhere("the class that offers it", offered[near][0], _NAME)
    yield world.found(
        facts, NOT_OFFERED, path, message, _served(world, facts, f"did you mean {near}?"), elsewhere, target="key"
    )


def _served(world: World, facts: Facts, hint: str) -> str:
    """Return the hint, with the gate that it takes where that is off in all releases that judge."""
    if any(_GATE in world.gates(release) for release in world.releases(facts)):
        return hint
    return f"{hint}{'' if hint.endswith('?') else ';'} classes serve it only where the feature gate {_GATE} is on"


def _pending(facts: Facts, name: str) -> str:
    what = "the Pod stays" if facts.kind == "Pod" else "its Pods stay"
    return f"{what} Pending (`Insufficient {name}`)"
