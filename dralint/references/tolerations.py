"""Tolerations of taints that no device of the inventory has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.rule_ids import TOLERATION_OF_NO_TAINT
from dralint.finding.words import quoted
from dralint.kubernetes.near import closest
from dralint.kubernetes.taints import EFFECTIVE, spell, tolerates
from dralint.references.inventory import with_rules
from dralint.references.names import is_open

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import Facts, Request
    from dralint.references.problem import Found
    from dralint.references.world import World

_GATE = "DRADeviceTaints"
_MOST_SHOWN = 4


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


def _nobodys(
    world: World, facts: Facts, request: Request, position: int, toleration: dict[str, Any], there: list[dict[str, Any]]
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
