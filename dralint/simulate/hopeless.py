"""Cheap proofs that a long search would find nothing, and an estimate how long the scheduler searches then.

They count only what gets less during a search (devices in use, capacity, counters), so what is missing at the start is
missing to the end. If the search could meet an error, there is no proof: the error may come before the failure.

The size of a search is estimated by random descents (D. E. Knuth, Estimating the efficiency of backtrack programs,
1975): one over the chance of a way down estimates how many places there are at its depth.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any

from dralint.simulate.allocation import AttemptError, Budget, UndecidedError
from dralint.simulate.constraints import Distinct, Match, attribute, scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dralint.simulate.allocation import Attempt
    from dralint.simulate.claims import Want
    from dralint.simulate.constraints import Constraint
    from dralint.simulate.inventory import Device

_ANY = 1 << 30


def is_impossible(attempt: Attempt) -> bool:
    """Say whether there is a proof that no devices can be found for the claims."""
    if attempt.behaviour.has("weighs_wrong_device") or attempt.behaviour.has("invalid_pool_is_fatal"):
        return False
    usable: dict[Want, list[Device]] = {}
    try:
        for claim, constraints in zip(attempt.scene.claims, attempt.constraints, strict=True):
            for request in claim.requests:
                for want in request.wants:
                    if want.derived or (
                        want.every and (request.prioritized or any(c.applies(want) for c in constraints))
                    ):
                        return False
                    usable[want] = [device for device in attempt.devices if attempt.usable(want, device)]
    except (AttemptError, UndecidedError):
        return False
    for claim, constraints in zip(attempt.scene.claims, attempt.constraints, strict=True):
        for request in claim.requests:
            if not any(_enough(attempt, want, usable[want]) for want in request.wants):
                return True
        matching = [one for one in constraints if isinstance(one, Match)]
        plain = [request.wants[0] for request in claim.requests if not request.prioritized]
        if any(_unmatched(attempt, one, plain, usable) for one in matching):
            return True
        if any(_repeats(one, plain, usable) for one in constraints if type(one) is Distinct and not one.sets):
            return True
    return False


def _enough(attempt: Attempt, want: Want, devices: Sequence[Device]) -> bool:
    """Say whether there are as many usable devices as a request wants."""
    if want.every:
        return bool(want.devices) and len(set(want.devices) & set(devices)) == len(want.devices)
    return _number(attempt, devices) >= want.number


def _number(attempt: Attempt, devices: Sequence[Device]) -> int:
    """Return how often devices can be taken for one request; a shared one several times in older releases."""
    repeats = attempt.behaviour.capacity and not attempt.behaviour.has("tries_combinations")
    return _ANY if repeats and any(device.allow_multiple for device in devices) else len(devices)


def _repeats(constraint: Constraint, wants: Sequence[Want], usable: dict[Want, list[Device]]) -> bool:
    """Say whether devices have fewer values of an attribute than there are devices that must differ in it."""
    concerned = [want for want in wants if not want.every and constraint.applies(want)]
    found = (attribute(device, constraint.name) for want in concerned for device in usable[want])
    return len({scalar(value) for value in found if value is not None}) < sum(want.number for want in concerned)


def _unmatched(
    attempt: Attempt, constraint: Constraint, wants: Sequence[Want], usable: dict[Want, list[Device]]
) -> bool:
    """Say whether no value of an attribute has enough devices for every request that must agree on it."""
    concerned = [want for want in wants if not want.every and constraint.applies(want)]
    if not concerned or sum(want.number for want in concerned) < 2:
        return False
    possible: set[Any] | None = None
    for want in concerned:
        by_value: dict[Any, list[Device]] = {}
        for device in usable[want]:
            value = attribute(device, constraint.name)
            if value is not None:
                by_value.setdefault(scalar(value), []).append(device)
        if any(kind == "list" for kind, _ in by_value):
            return False
        enough = {value for value, devices in by_value.items() if _number(attempt, devices) >= want.number}
        possible = enough if possible is None else possible & enough
    if not possible:
        return True
    return all(_short_together(attempt, constraint, concerned, usable, value) for value in possible)


def _short_together(
    attempt: Attempt, constraint: Constraint, wants: Sequence[Want], usable: dict[Want, list[Device]], value: Any
) -> bool:
    """Say whether one value has fewer devices than all the requests together want."""
    if attempt.behaviour.capacity and any(d.allow_multiple for want in wants for d in usable[want]):
        return False
    if any(want.admin for want in wants):
        return False
    met: Counter[Device] = Counter()
    for want in wants:
        for device in usable[want]:
            found = attribute(device, constraint.name)
            if found is not None and scalar(found) == value:
                met[device] += 1
    return len(met) < sum(want.number for want in wants)


TOO_MANY = 2e6
"""Devices that the scheduler does not try in the 10 s that it gives a node: one of 1.37 ran out of time with 2.6
million of them."""

_DESCENTS, _STEPS = 60, 200_000


def tries(attempt: Attempt) -> float:
    """Return about how many devices the scheduler tries for an attempt that finds nothing; 0 where unknown."""
    known = attempt.scene.effort
    key = len(attempt.devices)
    if key not in known:
        known[key] = _tries(attempt)
    return known[key]


def _tries(attempt: Attempt) -> float:
    fresh = type(attempt)(attempt.scene, attempt.view, attempt.node, Budget(steps=_STEPS))
    wants: list[Want] = []
    for claim in attempt.scene.claims:
        for request in claim.requests:
            if request.prioritized or request.wants[0].every:
                return 0.0
            wants += [request.wants[0]] * request.wants[0].number
    chance = random.Random(0)
    found: list[float] = []
    try:
        fresh.prepare()
        while len(found) < _DESCENTS and sum(found) <= _DESCENTS * TOO_MANY:  # further ones cannot make it few again
            found.append(_descend(fresh, wants, chance))
    except UndecidedError:
        pass
    except AttemptError:
        return 0.0
    return sum(found) / len(found) if found else 0.0


def _descend(attempt: Attempt, wants: Sequence[Want], chance: random.Random) -> float:
    """Return how many tries one descent estimates."""
    weight, total, start = 1.0, 0.0, 0
    undone: list[Callable[[], None]] = []
    index = 0
    combined = attempt.behaviour.has("tries_combinations")
    for level, want in enumerate(wants):
        if level and wants[level - 1] is not want:
            start = index = 0
        choices = []
        for position, device in attempt.candidates(want, start):
            total += weight
            undo = attempt.take(want, device, index, must=False)
            if undo is not None:
                undo()
                choices.append((position, device))
        if not choices:
            break
        # If a device is not tried again after a later one, the first choices leave most to try.
        likely = [1.0 if not combined else 1 / (n + 1) if not level else 0.5**n for n in range(len(choices))]
        chosen = chance.choices(range(len(choices)), likely)[0]
        weight *= sum(likely) / likely[chosen]
        position, device = choices[chosen]
        taken = attempt.take(want, device, index, must=False)
        if taken is None:
            break
        undone.append(taken)
        start = position + 1 if combined else 0
        index += 1
    for undo in reversed(undone):
        undo()
    return total
