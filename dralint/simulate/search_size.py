"""Estimates how long the scheduler searches where dralint proves at once that nothing fits.

The size of the search is estimated by random descents (D. E. Knuth, Estimating the efficiency of backtrack programs,
1975): one over the chance of a way down estimates how many places there are at its depth.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from dralint.simulate.allocation import AttemptError, Budget, UndecidedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dralint.simulate.allocation import Attempt
    from dralint.simulate.claims import Want

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
