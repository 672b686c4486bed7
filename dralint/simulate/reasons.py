"""Why claims do not fit on a node: numbers of devices, and each limit that prevents it alone.

Nothing is guessed: a limit is a cause if the claims fit without that kind of limit.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from dralint.cel.machine import Undecided
from dralint.kubernetes import taints
from dralint.kubernetes.near import closest
from dralint.kubernetes.quantity import is_binary, nano, spell
from dralint.kubernetes.taints import NodeSelectorError
from dralint.simulate.capacity import CapacityError, needs
from dralint.simulate.claims import RELAXATIONS, Test, attribute
from dralint.simulate.claims import spell as spell_value
from dralint.simulate.inventory import reaches
from dralint.simulate.scheduler import NOT_AVAILABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dralint.simulate.allocator import Allocator, Outcome
    from dralint.simulate.claims import Want
    from dralint.simulate.inventory import ClusterNode, Device
    from dralint.simulate.pools import Pool, View
    from dralint.simulate.scheduler import Filtered

_SEARCH, SEARCHES = 2.0, 30.0
"""Seconds for one search with a limit left out, and for all of them for one Pod."""


def reasons(filtered: Filtered) -> dict[str, Any] | None:
    """Return why the claims do not fit, as in JSON; None where they do or nothing was searched.

    `requests`: numbers and devices for each request; `causes`: limits that each prevent it alone; `constraint`: the one
    that excludes devices; `pools`: the state of each; `nearest`: the device that lacks least.
    """
    if filtered.fits or filtered.allocator is None or NOT_AVAILABLE in filtered.reasons:
        return None
    if filtered.error and filtered.cause is None:
        return None  # no device of the node was seen: the error says why
    return Why(filtered.allocator, filtered.node, decided=filtered.decided).as_json()


class Why:
    """The reasons of one node."""

    def __init__(self, allocator: Allocator, node: ClusterNode, *, decided: bool = True) -> None:
        self.decided = decided
        self.allocator = allocator
        self.node = node
        self.view = allocator.pools.view(node)
        self.wants = [want for claim in allocator.claims for request in claim.requests for want in request.wants]

    def as_json(self) -> dict[str, Any]:
        """Return everything, as JSON has it."""
        requests = {want.key: self.facts(want) for want in self.wants}
        causes, unknown = self.causes(requests) if self.decided else ([], sorted(self._possible(requests)))
        return {
            "requests": requests,
            "causes": causes,
            "undecided": unknown,
            "constraint": self.constraint() if "constraints" in causes else None,
            "pools": pools(self.view),
            "nearest": self.nearest(requests),
        }

    # Numbers

    def facts(self, want: Want) -> dict[str, Any]:
        """Return how many devices there are for a request, and which limits they pass."""
        devices = [device for _, device in self._reachable()]
        tested = [(device, *passes(want, device)) for device in devices if want.known and self._bindable(device)]
        selected = [device for device, _, passed, _ in tested if passed]
        errors = [error for *_, error in tested if error]
        in_use = {} if want.admin else self.allocator.scene.in_use.exclusive
        return {
            "devices": len(devices),
            "class": sum(of_class for _, of_class, _, _ in tested),
            "selected": [str(device.id) for device in selected],
            "inUse": [str(device.id) for device in selected if device.id in in_use],
            "tainted": [str(device.id) for device in selected if self._taints(want, device)],
            **({"celError": errors[0]} if errors else {}),
            "wanted": "All" if want.every else want.count,
        }

    def _reachable(self) -> Iterator[tuple[Pool, Device]]:
        for pool in self.view.pools:
            if pool.usable:
                for device in pool.devices:
                    if _for_node(device, self.node):
                        yield pool, device

    def _selected(self, want: Want) -> Iterator[Device]:
        """Return the devices of the node that pass the class and the selectors of a request."""
        return (device for _, device in self._reachable() if want.known and passes(want, device)[1])

    def _bindable(self, device: Device) -> bool:
        return self.allocator.behaviour.has("binding") or not device.binding

    def _taints(self, want: Want, device: Device) -> list[Mapping[str, Any]]:
        behaviour = self.allocator.behaviour
        if not behaviour.has("taints") or not device.taints:
            return []
        return taints.untolerated(device.taints, want.tolerations, effects_matter=behaviour.has("effects_matter"))

    # Causes

    def causes(self, requests: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[str]]:
        """Return the kinds of limits that each prevent the claims alone, and those that are undecided."""
        possible = self._possible(requests)
        searched = [(kind, self._search(self.allocator.without, kind)) for kind in RELAXATIONS if kind in possible]
        found = [kind for kind, outcome in searched if outcome is not None and outcome.fits]
        return found, [kind for kind, outcome in searched if outcome is None or not outcome.decided]

    def _search(self, changed: Callable[..., Allocator], *how: Any) -> Outcome | None:
        """Return the result for changed claims on the node; None where the time for all reasons is spent."""
        left = SEARCHES - self.allocator.spent
        if left <= 0:
            return None
        outcome = changed(*how).on(self.node, timeout=min(_SEARCH, left))
        self.allocator.spent += outcome.seconds
        return outcome

    def _possible(self, requests: Mapping[str, Mapping[str, Any]]) -> set[str]:
        """Return the kinds of limits that exist; for requests without any device, none can be the cause."""
        if not any(fact["devices"] for fact in requests.values()) and not self.allocator.pools.left_out:
            return {"counters"} if any(pool.invalid for pool in self.view.pools) else set()
        behaviour, in_use = self.allocator.behaviour, self.allocator.scene.in_use
        devices, tests = self.view.devices, [test for want in self.wants for test in want.tests]
        invalid = self.allocator.pools.left_out or any(pool.invalid for pool in self.view.pools)
        asked = any((want.spec.get("capacity") or {}).get("requests") for want in self.wants)
        there = {
            "allocated": in_use.exclusive or in_use.shares,
            "constraints": any(claim.constraints for claim in self.allocator.claims),
            "classSelectors": any(test.of_class for test in tests),
            "requestSelectors": not all(test.of_class for test in tests),
            "count": any(want.every or want.count > 1 for want in self.wants),
            "taints": behaviour.has("taints") and any(device.taints for device in devices),
            "counters": invalid or any(device.spec.get("consumesCounters") for device in devices),
            "capacity": asked or (behaviour.has("capacity") and any(device.spec.get("capacity") for device in devices)),
        }
        return {kind for kind, is_there in there.items() if is_there}

    def constraint(self) -> dict[str, Any] | None:
        """Return the constraint without which the claims fit, the values met, and how many devices have each.

        Where there is none, return one that can never be met by itself.
        """
        places = [
            (number, index) for number, c in enumerate(self.allocator.claims) for index in range(len(c.constraints))
        ]
        if len(places) == 1:
            return self._met(*places[0])
        for number, index in places:
            others = {at for of, at in places if of == number} - {index}
            outcome = self._search(self.allocator.with_constraints, number, others)
            if outcome is not None and outcome.fits:
                return self._met(number, index)
        for number, index in places:
            outcome = self._search(self.allocator.with_constraints, number, {index})
            if outcome is not None and outcome.decided and not outcome.fits:
                return self._met(number, index)
        return None

    def _met(self, number: int, index: int) -> dict[str, Any]:
        """Return a constraint, with the values that devices have."""
        claim = self.allocator.claims[number]
        entry = claim.constraints[index]
        kind = "matchAttribute" if entry.get("matchAttribute") is not None else "distinctAttribute"
        name = entry.get(kind) or ""
        named = set(entry.get("requests") or ())
        values = {
            want.key: self._values(want, name)
            for want in self.wants
            if want.claim == number and (not named or want.base in named or want.name in named)
        }
        return {
            "claim": claim.name,
            "index": index,
            "kind": kind,
            "attribute": name,
            "values": values,
            "hint": self._attribute_meant(name, values),
        }

    def _attribute_meant(self, name: str, values: Mapping[str, Mapping[str, int]]) -> str | None:
        """Return what to write for an attribute that no device of a request has; None where some have it."""
        without = [key for key, met in values.items() if met and set(met) == {""}]
        lacking = [want for want in self.wants if want.key in without and name not in want.derived]
        if not lacking:
            return self._types(name, values)
        names = dict.fromkeys(
            own if "/" in own else f"{device.id.driver}/{own}"
            for device in self._selected(lacking[0])
            for own in device.spec.get("attributes") or {}
        )
        return f"no device of {lacking[0].key} has {name}{_attribute_hint(name, names)}"

    def _types(self, name: str, values: Mapping[str, Mapping[str, int]]) -> str | None:
        """Return the requests that have an attribute with different types, so that it is never equal."""
        kinds: dict[str, str] = {}
        for want in self.wants:
            if want.key not in values or name in want.derived:
                continue
            found = [
                next((key for key, inner in value.items() if inner is not None), "")
                for device in self._selected(want)
                if (value := attribute(device, name)) is not None
            ]
            if len(set(found)) == 1:
                kinds[want.key] = found[0]
        if len(set(kinds.values())) < 2:
            return None
        said = " and ".join(f"of type {kind} for {key}" for key, kind in kinds.items())
        return f"{name} is {said}: values of different types are never equal"

    def _values(self, want: Want, name: str) -> dict[str, int]:
        """Return value → number of free devices of a request with it; `` is for devices without it."""
        found = Counter[str]()
        for device in self._selected(want):
            taken = not want.admin and device.id in self.allocator.scene.in_use.exclusive
            if taken or self._taints(want, device):
                continue
            expression = want.derived.get(name)
            if expression is None:
                value = attribute(device, name)
            else:
                derived = self.allocator.selection.derived(expression, device)
                value = None if not isinstance(derived, dict) else derived
            found["" if value is None else spell_value(value)] += 1
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    # The nearest device

    def nearest(self, requests: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
        """Return the device that lacks least for the first request that is short of devices, and what it lacks.

        A device that passes all selectors is nearer than one that does not, whatever else it lacks: it may become free.
        """
        for want in self.wants:
            passing = requests[want.key]["class"] > 0
            seen = [
                (device, self._failing(want, device), self._lacks(want, pool, device))
                for pool, device in self._reachable()
                if want.known and (not passing or self._of_class(want, device))
            ]
            lacking = [each for each in seen if each[1] or each[2]]
            wanted = (len(requests[want.key]["selected"]) or 1) if want.every else want.count
            if lacking and len(seen) - len(lacking) < wanted:
                device, failing, lacks = min(lacking, key=lambda each: (len(each[1]), len(each[2])))
                said = [selector_lack(test, device) for test in failing]
                return {"device": str(device.id), "request": want.key, "lacks": [*said, *lacks]}
        return None

    def _of_class(self, want: Want, device: Device) -> bool:
        return all(test.selector.verdict(device) is True for test in want.tests if test.of_class)

    def _failing(self, want: Want, device: Device) -> list[Test]:
        return [test for test in want.tests if test.selector.verdict(device) is not True]

    def _lacks(self, want: Want, pool: Pool, device: Device) -> list[dict[str, Any]]:
        """Return what a device lacks besides what selectors want."""
        found = [_taint_lack(want, taint) for taint in self._taints(want, device)]
        in_use = self.allocator.scene.in_use
        if not want.admin and device.id in in_use.exclusive:
            holder = in_use.exclusive[device.id]
            text = f"in use by claim {holder}" if holder else "in use"
            whole = device.spec.get("allowMultipleAllocations") is not True
            if want.capacity and whole and self.allocator.behaviour.has("capacity"):
                text += ", which has all of its capacity: the device does not allow multiple allocations"
            found.append(_lack("inUse", text))
        if not self._bindable(device):
            found.append(_lack("binding", "it has binding conditions, and the feature is off"))
        return [*found, *self._capacity_lacks(want, device), *self._counter_lacks(pool, device)]

    def _capacity_lacks(self, want: Want, device: Device) -> list[dict[str, Any]]:
        behaviour, capacity = self.allocator.behaviour, device.spec.get("capacity") or {}
        if not behaviour.has("capacity"):
            return []
        absent = [name for name in want.capacity if name not in capacity]
        if absent:
            return [_lack("capacity", f"it has no capacity {name}") for name in absent]
        try:
            wanted = needs(capacity, want.capacity, behaviour)
        except CapacityError as error:
            return [_lack("capacity", str(error))]
        if wanted is None:
            asked = ", ".join(f"{name}: {amount}" for name, amount in want.capacity.items())
            return [_lack("capacity", f"its request policy does not allow {asked}")]
        in_use, found = self.allocator.scene.in_use, []
        given = in_use.shares.get(device.id) or Counter[str]()
        for name, need in wanted.items():
            left = need.value - given[name]
            if need.amount > left:
                whole = (capacity[name] or {}).get("value")
                shown = _spell(left, str(whole))
                holders = in_use.holders.get(device.id, []) if given[name] else []
                wish = want.capacity.get(name)
                rounded = f" ({wish}, rounded up)" if wish and nano(wish) < need.amount else ""
                text = f"{name}: {need.text} requested{rounded}, {shown} of {whole} left"
                found.append(_lack("capacity", text, **({"holders": sorted(set(holders))} if holders else {})))
        return found

    def _counter_lacks(self, pool: Pool, device: Device) -> list[dict[str, Any]]:
        if not device.spec.get("consumesCounters"):
            return []
        if not self.allocator.behaviour.has("partitions"):
            return [_lack("counter", "it consumes counters, and DRAPartitionableDevices is off")]
        left = self.allocator.scene.ledger.left(device, pool)
        found = []
        for (of, name), amount in device.charges:
            there = left.counters.get((of, name))
            if there is not None and amount > there:
                text = f"counter {name} of {of}: {_spell(amount, '1Ki')} requested, {_spell(there, '1Ki')} left"
                found.append(_lack("counter", text))
        if left.overdrawn and not found:
            found.append(_lack("counter", "a counter of its pool is overdrawn"))
        return found


def trouble(one: Filtered) -> list[str]:
    """Return what is known of a CEL error on a node: the selector, and what the device lacks; empty otherwise."""
    cause = one.cause
    if cause is None or not cause.expression or one.allocator is None:
        return []
    found = [f"the expression: {cause.expression}"]
    if cause.device is not None and "derived attribute" not in str(cause):
        test = Test("", False, 0, one.allocator.selection.selector(cause.expression))
        lack = selector_lack(test, cause.device)
        device = cause.device.id
        if lack.get("found"):
            found.append(f"on {device.device} of pool {device.pool} ({device.driver}): {lack['found']}")
    return found


def _taint_lack(want: Want, taint: Mapping[str, Any]) -> dict[str, Any]:
    tolerated = ", ".join(map(taints.spell_toleration, want.tolerations))
    but = f": the request tolerates {tolerated}" if tolerated else ""
    return _lack("taint", f"{taints.spell(taint)} is not tolerated{but}")


def _lack(kind: str, text: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "text": text, **more}


def _spell(amount: int, like: str) -> str:
    return spell(amount, binary=is_binary(like))


def _for_node(device: Device, node: ClusterNode) -> bool:
    if device.slice.spec.get("perDeviceNodeSelection") is not True:
        return True
    try:
        return bool(reaches(device.spec, node))
    except NodeSelectorError:
        return False


def passes(want: Want, device: Device) -> tuple[bool, bool, str]:
    """Return whether a device passes the class, whether it also passes the request, and an error of CEL."""
    for test in want.tests:
        verdict = test.selector.verdict(device)
        if verdict is True:
            continue
        return not test.of_class, False, "" if verdict is False else verdict.message
    return True, True, ""


def selector_lack(test: Test, device: Device) -> dict[str, Any]:
    """Return what a selector shows of a device: the part that decided, the value found, and the probable name."""
    selector, where = test.selector, test.where.partition(":")[0] if test.of_class else "the request"
    lack: dict[str, Any] = {"kind": "selector", "index": test.number, "expression": selector.expression}
    which = f"selector {test.number + 1} of {where}"
    if selector.refused:
        return {**lack, "text": f"{which} does not compile: {selector.refused}"}
    outcome = selector.outcome(device)
    if isinstance(outcome, Undecided):
        return {**lack, "text": f"{which} is not decided: {outcome.why}"}
    parts = [selector.explain(device, outcome.start, outcome.end)]
    if "device.driver" in outcome.decided_by:
        parts.append(f"its driver is {device.id.driver}")
    lack["decidedBy"] = outcome.decided_by
    found = "; ".join(filter(None, parts))
    lack["found"] = found or None
    if outcome.matches is None:
        missing = "the device has no " in found
        said = found if missing else f"{outcome.error}" + (f" ({found})" if found else "")
        return {**lack, "found": said, "text": f"{which} fails: {said}"}
    return {**lack, "text": f"{which} does not match it: {outcome.decided_by}" + (f" ({found})" if found else "")}


def _attribute_hint(name: str, names: Iterable[str]) -> str:
    """Return the attribute of that name in another domain, or the nearest one of the same domain, with its domain."""
    domain, _, identifier = name.rpartition("/")
    parts = [other.rpartition("/")[::2] for other in names]
    elsewhere = next((of for of, own in parts if own == identifier), None)
    if elsewhere is not None:
        return f'; did you mean "{elsewhere}/{identifier}"?'
    hint = closest(identifier, [own for of, own in parts if of == domain], f"{domain}/")
    if hint:
        return f"; {hint}"
    longer = next((own for of, own in parts if of == domain and identifier.startswith(own)), None)
    if longer is not None:
        return f'; did you mean "{domain}/{longer}"?'
    own = sorted(f"{of}/{other}" for of, other in parts)
    return f"; it has {', '.join(own[:4])}{' and more' if len(own) > 4 else ''}" if own else ""


def pools(view: View) -> list[dict[str, Any]]:
    """Return the state of each pool that a node sees: ok, incomplete, invalid or obsolete."""
    return [
        *({"pool": str(pool), **_state(pool)} for pool in view.pools),
        *({"pool": "/".join(key), "state": "obsolete"} for key in view.obsolete),
    ]


def _state(pool: Pool) -> dict[str, Any]:
    if pool.invalid:
        return {"state": "invalid", "reason": pool.invalid}
    if not pool.complete:
        return {"state": "incomplete", "slices": len(pool.counted), "of": pool.wanted}
    return {"state": "ok"}
