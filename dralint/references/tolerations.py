"""Tolerations of taints that no device of the inventory has."""

from __future__ import annotations

from heapq import merge
from itertools import islice, product
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
    for facts, request in claims if there.by_key else ():
        for position, toleration in enumerate(request.tolerations):
            if isinstance(toleration, dict):
                yield from _nobodys(world, facts, request, position, toleration, there)
                yield from _evicted(world, facts, request, position, toleration, there)


class _Taints:
    """The taints of devices, each once, by what a toleration may say of one: its key, value and effect, or any."""

    def __init__(self, stock: KnownDevices) -> None:
        self.by_key: dict[str, dict[str, dict[str, Any]]] = {}
        self._effective: dict[tuple[str, str | None, Any], dict[str, Any]] = {}
        self._evicting: dict[tuple[str, str, str | None], list[tuple[int, str, dict[str, Any]]]] = {}
        seen: set[tuple[str, str]] = set()
        for item in stock.items:
            for taint in item.taints:
                shown, key, effect = spell(taint.spec), str(taint.spec.get("key")), taint.spec.get("effect")
                of_value = str(taint.spec.get("value") or "")
                if effect in EFFECTIVE:
                    self.by_key.setdefault(key, {})[shown] = taint.spec
                    for value, of_effect in product((of_value, None), (effect, None)):
                        self._effective[key, value, of_effect] = taint.spec
                if effect == _EVICTS and (item.device.driver, shown) not in seen:
                    seen.add((item.device.driver, shown))
                    for of_key, value in product({key, _EVERY}, (of_value, None)):
                        here = self._evicting.setdefault((item.device.driver, of_key, value), [])
                        here.append((len(seen), shown, taint.spec))

    def heeds(self, toleration: dict[str, Any]) -> bool:
        """Say whether a toleration of a key tolerates a taint that keeps a request from a device."""
        effect = toleration.get("effect") or None
        taint = self._effective.get((toleration["key"], _value(toleration), effect if effect in EFFECTIVE else None))
        return taint is not None and tolerates(toleration, taint)

    def evicting(self, drivers: Iterable[str], toleration: dict[str, Any]) -> Iterable[tuple[int, str, dict[str, Any]]]:
        """Return in order what evicts from devices of the drivers and the toleration may mean: in words, and whole."""
        key, value = str(toleration.get("key") or _EVERY), _value(toleration)
        return merge(*(self._evicting.get((driver, key, value), ()) for driver in drivers))


def _value(toleration: dict[str, Any]) -> str | None:
    """Return the value that a toleration compares, None where it takes every one."""
    return None if toleration.get("operator") == "Exists" else str(toleration.get("value") or "")


def _evicted(
    world: World, facts: Facts, request: RequestFacts, position: int, toleration: dict[str, Any], there: _Taints
) -> Iterator[Found]:
    """Yield a toleration without an effect, for a taint that evicts: the scheduler uses it, the eviction does not."""
    releases = world.releases_with(_GATE, facts)
    if toleration.get("effect") or not releases:
        return
    others = [other for other in request.tolerations if isinstance(other, dict) and other.get("effect") == _EVICTS]
    if any(_takes_every_value(other, toleration) for other in others):
        return
    for _, shown, taint in there.evicting(world.drivers_of(request.device_class), toleration):
        if not tolerates(toleration, taint) or any(tolerates(other, taint) for other in others):
            continue
        message = (
            f"the toleration lets the Pod have a device with the taint {shown}, and the Pod is evicted "
            "at once: only a toleration with effect NoExecute keeps it"
        )
        path = (*request.path, "tolerations", position)
        yield world.found(facts, TOLERATION_EVICTS, path, message, "write effect: NoExecute", releases=releases)
        return


def _takes_every_value(other: dict[str, Any], toleration: dict[str, Any]) -> bool:
    """Say whether another toleration tolerates each taint of the key of the toleration, whatever its value."""
    return _value(other) is None and (not other.get("key") or other["key"] == toleration.get("key"))


def _nobodys(
    world: World, facts: Facts, request: RequestFacts, position: int, toleration: dict[str, Any], there: _Taints
) -> Iterator[Found]:
    key, value = toleration.get("key"), toleration.get("value")
    releases = world.releases_with(_GATE, facts)
    if not isinstance(key, str) or not key or is_open(key) or not releases:
        return
    if isinstance(value, str) and is_open(value):
        return
    if there.heeds(toleration):
        return
    path = (*request.path, "tolerations", position)
    if same := there.by_key.get(key):
        shown = ", ".join(islice(same, _MOST_SHOWN))
        message = f"the toleration matches no taint of the inventory; the taints of the key {quoted(key)} are {shown}"
        hint = f"tolerate every value and effect: {{key: {key}, operator: Exists}}"
        yield world.found(facts, TOLERATION_OF_NO_TAINT, (*path, "key"), message, hint, releases=releases)
        return
    known = ", ".join(islice(there.by_key, _MOST_SHOWN))
    message = f"no device of the inventory has a taint {quoted(key)}; there are {known}"
    near = closest(key, islice(there.by_key, _MOST_COMPARED))
    yield world.found(facts, TOLERATION_OF_NO_TAINT, (*path, "key"), message, near, releases=releases)
