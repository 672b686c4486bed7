"""Tolerations of taints that no device of the inventory has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.rule_ids import TOLERATION_EVICTS, TOLERATION_OF_NO_TAINT
from dralint.finding.words import quoted
from dralint.kubernetes.near import closest
from dralint.kubernetes.taints import EFFECTIVE, spell, tolerates
from dralint.references.inventory import with_rules
from dralint.references.known_bugs_of_clusters import drivers_of
from dralint.references.names import is_open

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import Facts, RequestFacts
    from dralint.references.problem import Found
    from dralint.references.world import World

_GATE = "DRADeviceTaints"
_MOST_SHOWN = 4
_EVICTS = "NoExecute"


def tolerations(world: World) -> Iterator[Found]:
    """Yield tolerations that let a request have no device more, where devices have other taints."""
    if world.stock is None or not world.stock.whole:
        return
    claims = [(facts, request) for facts, claim in world.claims() for request in claim.requests if request.tolerations]
    if not claims:
        return
    taints = {spell(t.spec): t.spec for item in with_rules(world.stock, world).items for t in item.taints}
    there = [taint for taint in taints.values() if taint.get("effect") in EFFECTIVE]
    for facts, request in claims if there else ():
        for position, toleration in enumerate(request.tolerations):
            if isinstance(toleration, dict):
                yield from _nobodys(world, facts, request, position, toleration, there)
                yield from _evicted(world, facts, request, position, toleration)


def _evicted(
    world: World, facts: Facts, request: RequestFacts, position: int, toleration: dict[str, Any]
) -> Iterator[Found]:
    """Yield a toleration without an effect of a taint that evicts: the scheduler heeds it, the eviction does not."""
    releases = [release for release in world.releases(facts) if _GATE in world.gates(release)]
    drivers = drivers_of(world, request.device_class)
    if toleration.get("effect") or world.stock is None or not releases:
        return
    others = [other for other in request.tolerations if isinstance(other, dict) and other.get("effect") == _EVICTS]
    for item in with_rules(world.stock, world).items:
        for taint in item.taints if item.device.driver in drivers else ():
            if taint.spec.get("effect") != _EVICTS or not tolerates(toleration, taint.spec):
                continue
            if any(tolerates(other, taint.spec) for other in others):
                continue
            message = (
                f"the toleration lets the Pod have a device with the taint {spell(taint.spec)}, and the Pod is evicted "
                "at once: only a toleration with effect NoExecute keeps it"
            )
            path = (*request.path, "tolerations", position)
            yield world.found(facts, TOLERATION_EVICTS, path, message, "write effect: NoExecute", releases=releases)
            return


def _nobodys(
    world: World,
    facts: Facts,
    request: RequestFacts,
    position: int,
    toleration: dict[str, Any],
    there: list[dict[str, Any]],
) -> Iterator[Found]:
    key, value = toleration.get("key"), toleration.get("value")
    releases = [release for release in world.releases(facts) if _GATE in world.gates(release)]
    if not isinstance(key, str) or not key or is_open(key) or not releases:
        return
    if isinstance(value, str) and is_open(value):
        return
    if any(tolerates(toleration, taint) for taint in there):
        return
    path = (*request.path, "tolerations", position)
    same = [taint for taint in there if taint.get("key") == key]
    if same:
        shown = ", ".join(spell(taint) for taint in same[:_MOST_SHOWN])
        message = f"the toleration matches no taint of the inventory; the taints of the key {quoted(key)} are {shown}"
        hint = f"tolerate every value and effect: {{key: {key}, operator: Exists}}"
        yield world.found(facts, TOLERATION_OF_NO_TAINT, (*path, "key"), message, hint, releases=releases)
        return
    keys = list(dict.fromkeys(str(taint.get("key")) for taint in there))
    message = f"no device of the inventory has a taint {quoted(key)}; there are {', '.join(keys[:_MOST_SHOWN])}"
    yield world.found(facts, TOLERATION_OF_NO_TAINT, (*path, "key"), message, closest(key, keys), releases=releases)
