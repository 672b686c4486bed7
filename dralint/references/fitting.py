"""Whether devices of a node satisfy several requests together, no device twice, constraints met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.references.stocked import shareable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.references.facts import Constraint, Request
    from dralint.references.inventory import Item
    from dralint.references.stocked import Choice, Supply


_MOST_STEPS, _MOST_STEPS_OF_RUN = 20_000, 2_000_000


class _UnclearError(Exception):
    """Too many ways to choose, or devices of unknown nodes; nothing is said then."""


def fits(stock: Supply, node: str, wanted: list[list[Choice]], constraints: Iterable[Constraint] = ()) -> bool:
    """Say whether devices of a node satisfy all requests together; True where that cannot be told, or not in time."""
    try:
        return any(_place(stock, node, chosen, tuple(constraints)) for chosen in _ways(wanted))
    except _UnclearError:
        return True


def _ways(wanted: list[list[Choice]]) -> Iterator[list[Choice]]:
    """Yield one alternative of each request, in every combination."""
    import itertools

    for number, chosen in enumerate(itertools.product(*wanted)):
        if number > 64:
            raise _UnclearError
        yield list(chosen)


def _place(stock: Supply, node: str, chosen: list[Choice], constraints: tuple[Constraint, ...]) -> bool:
    """Say whether each choice gets as many devices of the node as it needs, no device twice, constraints met."""
    slots: list[tuple[Choice, list[Item]]] = []
    for choice in chosen:
        here = stock.on(choice.items, node)
        if not here or (len(here) < choice.least and not shareable(here)):
            return False
        if choice.request.number is None and any(item.selected for item in here):
            raise _UnclearError  # nobody knows which of them are all of this node
        number = len({item.identity for item in here}) if choice.request.number is None else choice.least
        slots += [(choice, here)] * number
    if not constraints and all(not slot[0].request.admin for slot in slots):
        return _matching(slots)
    taken: list[Item] = []
    steps = 0

    def fill(place: int) -> bool:
        nonlocal steps
        steps += 1
        stock.steps += 1
        if steps > _MOST_STEPS or stock.steps > _MOST_STEPS_OF_RUN:
            raise _UnclearError
        if place == len(slots):
            return True
        choice, here = slots[place]
        for item in here:
            busy = item in taken and not (item.device.allow_multiple_allocations or choice.request.admin)
            if busy or not _allowed(slots, taken, place, item, constraints):
                continue
            taken.append(item)
            if fill(place + 1):
                return True
            taken.pop()
        return False

    return fill(0)


def _allowed(
    slots: list[tuple[Choice, list[Item]]],
    taken: list[Item],
    place: int,
    item: Item,
    constraints: tuple[Constraint, ...],
) -> bool:
    for constraint in constraints:
        if not is_over(constraint, slots[place][0].request):
            continue
        value = item.value(constraint.attribute)
        if value is None:
            return False
        if isinstance(value, list):
            raise _UnclearError  # whether lists are compared, and how, is a matter of gates of the scheduler
        for number, other in enumerate(taken):
            if not is_over(constraint, slots[number][0].request):
                continue
            same = type(other.value(constraint.attribute)) is type(value) and other.value(constraint.attribute) == value
            if same == constraint.distinct:
                return False
    return True


def is_over(constraint: Constraint, request: Request) -> bool:
    """Say whether a constraint is over the devices of a request or alternative."""
    names = constraint.requests
    return not names or request.full_name in names or (request.parent or request.name) in names


def _matching(slots: list[tuple[Choice, list[Item]]]) -> bool:
    """Say whether every slot can have a device of its own."""
    holder: dict[tuple[str, str, str], int] = {}

    def give(slot: int, tried: set[tuple[str, str, str]]) -> bool:
        for item in slots[slot][1]:
            if item.device.allow_multiple_allocations:
                return True
            if item.identity in tried:
                continue
            tried.add(item.identity)
            if item.identity not in holder or give(holder[item.identity], tried):
                holder[item.identity] = slot
                return True
        return False

    return all(give(slot, set()) for slot in range(len(slots)))
