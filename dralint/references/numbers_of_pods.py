"""Workloads whose Pods together need more devices than an inventory has, and roll-outs with no device to spare.

What is compared is certain: of the devices that match a request, each Pod gets its own. What else keeps a Pod from them
only makes it worse, and devices that Pods can share are left out. Jobs are left out, too: their Pods end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.finding.rule_ids import ROLL_OUT_WITHOUT_ROOM, TOO_MANY_PODS
from dralint.finding.words import quoted
from dralint.references.extended import serving

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.kubernetes.release import Release
    from dralint.references.available_devices import Supply
    from dralint.references.facts import Facts, Found, PodSpec, WorkloadFacts
    from dralint.references.inventory import KnownDevice
    from dralint.yaml import Path

_LASTING = frozenset({"ReplicationController", "Deployment", "ReplicaSet", "StatefulSet"})
_WAITS = "Pending (`cannot allocate all claims`)"
_HINT = "write strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}, which ends a Pod before it makes one"


def numbers_of_pods(stock: Supply) -> Iterator[Found]:
    """Yield the workloads with too many Pods for the devices of an inventory, each once."""
    for facts, workload, pod in stock.world.workloads():
        if facts.kind not in _LASTING or workload.keeps:
            continue
        for each in _wanted(stock, facts, pod):
            found = _found(stock, facts, workload, each)
            if found is not None:
                yield found
                break


class _Wanted(NamedTuple):
    """What each Pod takes: its path, its words, how many, of which devices, and in which releases."""

    path: Path
    what: str
    number: int
    items: tuple[KnownDevice, ...]
    releases: Sequence[Release] | None = None


def _wanted(stock: Supply, facts: Facts, pod: PodSpec) -> Iterator[_Wanted]:
    """Yield what each Pod takes."""
    for entry in pod.entries:
        known = stock.world.only_claim(facts, entry) if entry.template is not None else None
        if known is None:
            continue
        template, claim = known
        several: dict[int, tuple[str, int, tuple[KnownDevice, ...]]] = {}
        for request in claim.requests:
            if request.number is None or request.admin or request.parent:
                continue
            choice = stock.choice(template, request)
            if choice.known and not choice.found and choice.items and not stock.group(choice.items).shareable:
                what, number, _ = several.get(id(choice.items), (f"request {quoted(request.name)}", 0, ()))
                several[id(choice.items)] = what, number + request.number, choice.items
        for what, number, items in several.values():
            yield _Wanted(entry.field, f"that match the {what} of {quoted(entry.template)}", number, items)
    for path, name, amount in pod.extended:
        items = stock.offered(name)
        if items and amount.isdecimal() and int(amount) and not stock.group(items).shareable:
            releases = serving(stock.world, facts, name, stock.offering[name][1])
            yield _Wanted(path, f"for {name}", int(amount), items, releases)


def _found(stock: Supply, facts: Facts, workload: WorkloadFacts, each: _Wanted) -> Found | None:
    """Return what becomes of the Pods if each of them takes its devices."""
    pods, wanted, there = workload.replicas, each.number, len(each.items)
    room = there // wanted
    if pods > room > 0:
        has = f"{pods} Pods need {pods * wanted} devices, and the inventory has {there} {each.what}"
        message = f"{has}: at least {pods - room} of them stay {_WAITS}"
        path, hint = workload.replicas_path, f"write at most {room}"
        return stock.world.found(facts, TOO_MANY_PODS, path, message, hint, releases=each.releases)
    if pods == room and workload.surges:
        take = (
            f"{pods} Pod{'s' * (pods > 1)} take{'s' * (pods == 1)} {pods * wanted} of the {there} devices {each.what}"
        )
        message = f"a roll-out starts a new Pod before it ends an old one, and waits for ever: {take}"
        return stock.world.found(facts, ROLL_OUT_WITHOUT_ROOM, each.path, message, _HINT, releases=each.releases)
    return None
