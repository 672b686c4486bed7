"""Tolerations of taints that no device of the inventory has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.rule_ids import TOLERATION_EVICTS, TOLERATION_OF_NO_TAINT
from dralint.finding.words import quoted
from dralint.kubernetes.near import closest
from dralint.kubernetes.taints import EFFECTIVE, spell, tolerates
from dralint.references.inventory import with_rules
from dralint.references.names import is_open

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.references.facts import Facts, RequestFacts
    from dralint.references.inventory import KnownDevices
    from dralint.references.problem import Found
    from dralint.references.world import World

_GATE = "DRADeviceTaints"
_MOST_SHOWN, _MOST_COMPARED = 4, 200
_EVICTS = "NoExecute"
_EVERY = ""
"""The key of a toleration that covers every key."""


def tolerations(world: World) -> Iterator[Found]:
    """Yield tolerations that give a request no additional device, although devices have other taints."""
    if world.stock is None or not world.stock.whole:
        return
    claims = [(facts, request) for facts, request in world.requests() if request.tolerations]
    if not claims:
        return
    there = _Taints(with_rules(world.stock, world, sure=False))
    for facts, request in claims if there.keys else ():
        for position, toleration in enumerate(request.tolerations):
            if isinstance(toleration, dict):
                yield from _nobodys(world, facts, request, position, toleration, there)
                yield from _evicted(world, facts, request, position, toleration, there)


class _Taints:
    """The taints of devices by their keys, each once; `evicting` are those that evict, with their drivers."""

    def __init__(self, stock: KnownDevices) -> None:
        self._by_key: dict[str, dict[str, dict[str, Any]]] = {}
        self._evicting: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
        for item in stock.items:
            for taint in item.taints:
                shown, key, effect = spell(taint.spec), str(taint.spec.get("key")), taint.spec.get("effect")
                if effect in EFFECTIVE:
                    self._by_key.setdefault(key, {})[shown] = taint.spec
                for of in (key, _EVERY) if effect == _EVICTS else ():
                    self._evicting.setdefault(of, {}).setdefault((item.device.driver, shown), taint.spec)
        self.keys = list(self._by_key)

    def of_key(self, key: str) -> list[dict[str, Any]]:
        """Return the taints of a key that keep a request from a device."""
        return list(self._by_key.get(key, {}).values())

    def evicting(self, key: str) -> Iterable[tuple[tuple[str, str], dict[str, Any]]]:
        """Return the evicting taints of a key or of every key, with their drivers and in words."""
        return self._evicting.get(key, {}).items()


def _evicted(
    world: World, facts: Facts, request: RequestFacts, position: int, toleration: dict[str, Any], there: _Taints
) -> Iterator[Found]:
    """Yield a toleration without an effect, for a taint that evicts: the scheduler uses it, the eviction does not."""
    releases = world.releases_with(_GATE, facts)
    if toleration.get("effect") or not releases:
        return
    others = [other for other in request.tolerations if isinstance(other, dict) and other.get("effect") == _EVICTS]
    drivers = world.drivers_of(request.device_class)
    for (driver, shown), taint in there.evicting(str(toleration.get("key") or _EVERY)):
        if (
            driver not in drivers
            or not tolerates(toleration, taint)
            or any(tolerates(other, taint) for other in others)
        ):
            continue
        message = (
            f"the toleration lets the Pod have a device with the taint {shown}, and the Pod is evicted "
            "at once: only a toleration with effect NoExecute keeps it"
        )
        path = (*request.path, "tolerations", position)
        yield world.found(facts, TOLERATION_EVICTS, path, message, "write effect: NoExecute", releases=releases)
        return


def _nobodys(
    world: World, facts: Facts, request: RequestFacts, position: int, toleration: dict[str, Any], there: _Taints
) -> Iterator[Found]:
    key, value = toleration.get("key"), toleration.get("value")
    releases = world.releases_with(_GATE, facts)
    if not isinstance(key, str) or not key or is_open(key) or not releases:
        return
    if isinstance(value, str) and is_open(value):
        return
    same = there.of_key(key)
    if any(tolerates(toleration, taint) for taint in same):
        return
    path = (*request.path, "tolerations", position)
    if same:
        shown = ", ".join(spell(taint) for taint in same[:_MOST_SHOWN])
        message = f"the toleration matches no taint of the inventory; the taints of the key {quoted(key)} are {shown}"
        hint = f"tolerate every value and effect: {{key: {key}, operator: Exists}}"
        yield world.found(facts, TOLERATION_OF_NO_TAINT, (*path, "key"), message, hint, releases=releases)
        return
    message = f"no device of the inventory has a taint {quoted(key)}; there are {', '.join(there.keys[:_MOST_SHOWN])}"
    near = closest(key, there.keys[:_MOST_COMPARED])
    yield world.found(facts, TOLERATION_OF_NO_TAINT, (*path, "key"), message, near, releases=releases)
