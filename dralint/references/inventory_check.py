"""Compares what claims, Pods and taint rules request with the known devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.rule_ids import SELECTOR_FAILS, TAINT_RULE_SELECTS_NOTHING, TOO_FEW_DEVICES
from dralint.finding.words import quoted
from dralint.kubernetes.near import closest
from dralint.kubernetes.workloads import IMPLICIT
from dralint.references.available_devices import Supply
from dralint.references.constraints import attributes
from dralint.references.extended import serving
from dralint.references.facts import Class
from dralint.references.names import is_among, is_open
from dralint.references.other_facts import TaintRule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.references.available_devices import Candidates
    from dralint.references.facts import ClaimFacts, Facts
    from dralint.references.inventory import KnownDevice
    from dralint.references.problem import Found
    from dralint.references.world import World


def supply(world: World) -> Iterator[Found]:
    """Yield requests that the inventory of the world cannot satisfy."""
    if world.stock is None or not world.stock.items:
        return
    stock = Supply(world, world.stock)
    yield from stock.classes()
    for facts, claim in world.claims():
        if claim.plain and not claim.allocated:
            yield from _claim(stock, facts, claim)
    yield from _extended(stock)
    if world.stock.whole:
        yield from _rules(stock)


def _claim(stock: Supply, facts: Facts, claim: ClaimFacts) -> list[Found]:
    """Return the problems of single requests and constraints; the simulation judges all of them together."""
    requests: dict[str, list[Candidates]] = {}
    for request in claim.requests:
        if request.mode != "":
            requests.setdefault(request.parent or request.name, []).append(stock.choice(facts, request))
    found: list[Found] = []
    for alternatives in requests.values():
        failing = [choice for choice in alternatives if choice.known and (choice.found or not choice.items)]
        if len(failing) == len(alternatives):
            found += [each for choice in failing for each in choice.found]
        else:
            found += [each for choice in failing for each in choice.found if each.problem.rule == SELECTOR_FAILS]
    found += [each for alternatives in requests.values() for c in alternatives if not c.known for each in c.found]
    if found or any(not choice.known for alternatives in requests.values() for choice in alternatives):
        return found
    return list(attributes(stock, facts, claim, requests))


def _extended(stock: Supply) -> Iterator[Found]:
    """Yield extended resources if no node has as many as a Pod wants."""
    classes: dict[str, tuple[str, Class]] = {}
    of_several: set[str] = set()
    for facts in stock.world.index.all("DeviceClass"):
        if isinstance(facts.body, Class) and facts.name is not None:
            classes[f"{IMPLICIT}{facts.name}"] = facts.name, facts.body
            name = facts.body.extended
            if name is not None and classes.setdefault(name, (facts.name, facts.body))[0] != facts.name:
                of_several.add(name)  # the newest class serves it, and dralint does not know which one that is
    for facts, _, pod in stock.world.workloads():
        for path, name, amount in pod.extended:
            got = stock.of_class(classes[name][0]) if name in classes and name not in of_several else None
            if got is None or not got[0] or not amount.isdecimal() or stock.group(got[0]).shareable:
                continue
            most = stock.group(got[0]).most
            releases = serving(stock.world, facts, name, classes[name][1]) if int(amount) > most else ()
            if releases:
                message = (
                    f"{amount} devices of one node are requested, but no node has more than {most} of the class "
                    f"{quoted(classes[name][0])}: the Pod stays Pending (`cannot allocate all claims`)"
                )
                hint = f"request at most {most}"
                yield stock.world.found(facts, TOO_FEW_DEVICES, path, message, hint, releases=releases)


def _rules(stock: Supply) -> Iterator[Found]:
    """Yield DeviceTaintRules that select no device."""
    for facts in stock.world.index.facts:
        rule = facts.body
        if not isinstance(rule, TaintRule) or rule.narrowed:
            continue
        if rule.driver is not None and is_among(rule.driver, stock.world.scope.drivers):
            continue
        items: Sequence[KnownDevice] = stock.stock.items
        for field, of in (("driver", "driver"), ("pool", "pool"), ("device", "name")):
            wanted = getattr(rule, field)
            if wanted is None or is_open(wanted):
                continue
            left = [item for item in items if getattr(item.device, of) == wanted]
            if not left:
                there = list(dict.fromkeys(getattr(item.device, of) for item in items))
                within = {"pool": rule.driver, "device": rule.pool or rule.driver}.get(field)
                message = (
                    f"no device{f' of {within}' if within else ''} has the {field} {quoted(wanted)}; there are "
                    f"{', '.join(there[:8])}: the rule taints nothing, and no event is recorded"
                )
                path = ("spec", "deviceSelector", field)
                yield stock.world.found(facts, TAINT_RULE_SELECTS_NOTHING, path, message, closest(wanted, there))
                break
            items = left
